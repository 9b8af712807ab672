"""What the columns of a file are for: what must be declared of them, and what does not fit."""

from dataclasses import replace

import numpy as np
import pytest

from dpcore import check
from lab.uploads import column_bounds
from lab.uploads import rows as own_rows
from lab.uploads.column_roles import Column
from tests.own_files import CLASSES, NUMBER, choose, frame, table_of


def column(name: str, **said) -> tuple[Column]:
    """Return a tuple of one column, with what is declared of it."""
    return (Column(name=name, **said),)


def bounded(name: str, *, columns: int = 1, **said) -> dict:
    """Return the change of roles to one column, so many times, with bounds 0 and 1 by default."""
    return {"columns": column(name, **({"low": 0, "high": 1} | said)) * columns}


FORTY = tuple(
    Column(name=name, kind="category", values=tuple(map(str, range(40)))) for name in "ab"
)
# The roles, what is changed in them, and what is then said.
LACKS = [
    (CLASSES, {"answer": ""}, "no column to predict is chosen"),
    (CLASSES, {"classes": ()}, "left has no answer"),
    (CLASSES, {"classes": ("no",)}, "left has one answer, and needs two"),
    (CLASSES, {"classes": ("no", "no ")}, "left has an empty answer, or one twice"),
    (CLASSES, {"classes": tuple(map(str, range(21)))}, "left has 21 values, more than 20"),
    (CLASSES, {"columns": ()}, "no input column is chosen"),
    (CLASSES, bounded("age", high=None), "age has no bounds"),
    *(
        (CLASSES, bounded("age", high=high), "the lowest value of age must be below")
        for high in (0, float("inf"))
    ),
    (CLASSES, bounded("plan", kind="category"), "plan has no category"),
    (
        CLASSES,
        bounded("plan", kind="category", values=tuple(map(str, range(51)))),
        "plan has 51 values, more than 50",
    ),
    (CLASSES, bounded("age", columns=2), "age is chosen twice"),
    (CLASSES, bounded("left"), "left is the column to predict"),
    *((CLASSES, {"person": name}, f"{name} identifies the persons") for name in ("age", "left")),
    (
        CLASSES,
        {"columns": sum((column(str(n), low=0, high=1) for n in range(65)), ())},
        "65 columns are chosen",
    ),
    (NUMBER, {"target": Column(name="pay")}, "pay has no bounds"),
    (
        NUMBER,
        {"target": Column(name="pay", low=0, high=1e31)},
        "the bounds of pay must lie within 1e",
    ),
    (NUMBER, bounded("pay"), "pay is the column to predict"),
    (NUMBER, {"columns": NUMBER.columns[:1]}, "one input is chosen, and a regression needs two"),
    (NUMBER, {"columns": FORTY}, "the columns make 78 inputs"),
]
ALONE = {"who": np.maximum(np.arange(900), 799), "left": ["no"] * 800 + [""] * 100}
TWO_WAYS = {"age": ["1,234", "2,345"] * 450}
# The roles, what is changed in them, other cells of the file, and what is then refused.
REFUSED = [
    (CLASSES, {"answer": "height"}, {}, "height"),
    (CLASSES, {"person": "height"}, {}, "height"),
    (CLASSES, bounded("height"), {}, "height"),
    (CLASSES, {"classes": ("ja", "nein")}, {}, "0 rows with one of the answers"),
    (CLASSES, {"person": "who"}, {"who": "C"}, "1 person"),
    (
        CLASSES,
        {"person": "who"},
        {"who": np.arange(900) % 99},
        "99 people', but must be at least 100",
    ),
    (CLASSES, {"person": "who"}, ALONE, "1 people with"),
    (CLASSES, {}, TWO_WAYS, "1,234"),
    (NUMBER, {}, {"pay": TWO_WAYS["age"]}, "1,234"),
    (CLASSES, {"test_share": 0.6}, {}, "test_share"),
    *((NUMBER, {"rows_each": rows}, {}, "rows_each") for rows in (0, 51)),
    (NUMBER, {"gaps": 1}, {}, "gaps"),
]
CASES = [*((roles, changes, {}, said) for roles, changes, said in LACKS), *REFUSED]


@pytest.mark.parametrize(
    ("roles", "changes", "cells", "said"), CASES, ids=map(str, range(len(CASES)))
)
def test_what_is_missing_or_does_not_fit_the_file_is_refused_by_name(roles, changes, cells, said):
    file = frame(900, people=900).assign(**cells)

    with pytest.raises(check.RefusedError, match=said):
        own_rows.choose(table_of(file), replace(roles, **changes))


def test_a_declared_decimal_mark_is_taken():
    age, *_ = CLASSES.columns

    own = choose(frame().assign(**TWO_WAYS), replace(CLASSES, columns=(replace(age, decimal=","),)))

    inputs, _ = own.source.draw(np.random.default_rng(0))
    assert inputs[:2, 0].tolist() == [1.234, 2.345]


def test_bounds_are_read_off_a_column_of_numbers():
    assert column_bounds.read_off(table_of(frame(1000)), Column(name="age")) == (18, 89)


def test_bounds_are_not_read_off_words():
    with pytest.raises(check.RefusedError):
        column_bounds.read_off(table_of(frame(1000)), Column(name="plan"))


def test_too_large_a_table_is_refused(monkeypatch):
    monkeypatch.setattr(own_rows, "MOST_CELLS", 2699)

    with pytest.raises(check.RefusedError, match="2,700 numbers"):
        choose(frame(), NUMBER)
