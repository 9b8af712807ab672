"""What a stranger's table brings to each page that takes one: it is refused, or has numbers and sound sentences."""

import itertools
import re
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from dpcore import check
from dpcore.estimators.linear import REGRESSIONS
from lab.files.own_rows import Column, Roles
from tests.own_files import CLASSES, COLUMNS, NUMBER, PAGES, TOWNS, frame, numbers, said, settings
from tests.sentences import broken_by
from tests.test_figures import numbers as drawn
from ui.panels import number

KIND = {"classifier": CLASSES, "network": CLASSES, "attack": CLASSES, "regression": NUMBER, "transfer": TOWNS}
KIND["parties"] = replace(CLASSES, person="who")
# Ways of each page to learn from a file: what may break differs between them.
WAYS = {
    "classifier": [{}],
    "network": [{}],
    "attack": [{"part": "worlds"}, {"part": "membership"}],
    "regression": [{"mechanism": name, "repeats": 3} for name in REGRESSIONS],
    "transfer": [{"selection": name, "epsilon": epsilon} for name in ("known", "detected") for epsilon in (0.05, 50.0)],
    "parties": [{"learner": name} for name in ("logistic", "bayes", "tree", "neighbours", "mixed")],
}
EVERY, PARTIES, TRANSFER = {*WAYS}, {"parties"}, {"transfer"}


def answered(file: pd.DataFrame, where) -> pd.DataFrame:
    """The file with answers in these rows only."""
    return file.assign(pay=file["pay"].where(where), left=file["left"].where(where, ""))


def wide(file: pd.DataFrame) -> pd.DataFrame:
    """Fewer rows than columns, of the towns in turn."""
    cells = pd.DataFrame(np.random.default_rng(0).random((len(file), 60)).round(3)).add_prefix("c")
    return pd.concat([file, cells], axis=1)[: 380 : 3 if len(file) == 400 else 1]


NAMES = {"age": "<b>x</b>", "hours": "a" * 79}
# Name -> the file, and the pages that refuse it.
STRANGE: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], set[str]]] = {
    "no answer": (lambda file: answered(file, file.index < 0), EVERY),
    "answers in words": (lambda file: file.assign(pay="much", left="perhaps"), EVERY),
    "few answers": (lambda file: answered(file, file.index >= 280), set()),
    "two rows": (lambda file: file.head(2), EVERY),
    "one person": (lambda file: file.assign(who="E"), EVERY),
    "three persons": (lambda file: file.assign(who=file.index % 3), EVERY - PARTIES),
    "rows without a name": (lambda file: file.assign(who=np.where(file.index % 2, "", file.index)), set()),
    "a person with one row": (lambda file: file[(file["who"] != "P00000") | (file.index == 0)], set()),
    "all answers alike": (lambda file: file.assign(pay=40, left="no"), set()),
    "one row of a class": (lambda file: file.assign(left=file["left"].mask(file.index == 3, "perhaps")), set()),
    "beyond the bounds": (lambda file: file.assign(pay=1e30, age=-1e30, hours="inf", plan="?"), set()),
    "nothing in the columns": (lambda file: file.assign(age="", hours="", plan=""), set()),
    "constant columns": (lambda file: file.assign(age=18, hours=0, plan="basic"), set()),
    "the same column twice": (lambda file: file.assign(age=18 + file["hours"] * 82 / 48), set()),
    "the answer itself": (lambda file: file.assign(age=file["pay"], hours=48 * (file["left"] == "yes")), set()),
    "more columns than rows": (wide, set()),
    "names": (lambda file: file.rename(columns=NAMES), set()),
    "tiny bounds": (lambda file: file, set()),
    "huge bounds": (lambda file: file, set()),
    "negative bounds": (lambda file: file, set()),
}
# Of the column that says the source.
OF_SOURCES: dict[str, tuple[Callable[[pd.DataFrame], pd.DataFrame], set[str]]] = {
    "none of the target": (lambda file: file.assign(town="Brookside"), TRANSFER),
    "few of the target": (lambda file: file[(file["town"] != "Ashford") | (file.index < 250)], TRANSFER),
    "a source without a row": (lambda file: file.replace({"town": {"Cedar Hill": "Nowhere"}}), TRANSFER),
    "a source without an answer": (lambda file: answered(file, file["town"] != "Brookside"), TRANSFER),
    "a target without answers": (lambda file: answered(file, file["town"] != "Ashford"), TRANSFER),
    "no such column": (lambda file: file.drop(columns="town"), TRANSFER),
    "a source of one row": (lambda file: file[(file["town"] != "Brookside") | ~file["town"].duplicated()], set()),
    "sources far away": (
        lambda file: file.assign(pay=file["pay"].where(file["town"] == "Ashford", 80 - file["pay"])),
        set(),
    ),
    "a name of a source": (lambda file: file.replace({"town": {"Brookside": "<b>x"}}), set()),
    "blank towns": (lambda file: file.assign(town=file["town"].where(file.index % 6 > 0, "")), set()),
}
BOUNDS = {"tiny bounds": (40, 40 + 1e-9), "huge bounds": (-1e30, 1e30), "negative bounds": (-80, -1)}


def roles_of(name: str, roles: Roles) -> Roles:
    """A page's roles, as they fit this file."""
    if name in BOUNDS and roles.target:
        return replace(roles, target=replace(roles.target, low=BOUNDS[name][0], high=BOUNDS[name][1]))
    if name in ("one person", "three persons", "rows without a name"):
        return replace(roles, person="who")
    if name == "one row of a class":
        return replace(roles, classes=roles.classes and ("no", "yes", "perhaps", "never"))
    if name == "more columns than rows":
        return replace(roles, columns=tuple(Column(name=f"c{place}", low=0, high=1) for place in range(60)))
    if name == "names":
        return replace(roles, columns=tuple(replace(one, name=NAMES.get(one.name, one.name)) for one in COLUMNS))
    if name == "a name of a source":
        return replace(roles, sources=("<b>x", "Cedar Hill"))
    return roles


@pytest.mark.parametrize(
    ("name", "kind"), [*itertools.product(STRANGE, WAYS), *itertools.product(OF_SOURCES, sorted(TRANSFER))]
)
def test_a_strange_file_is_refused_or_has_sound_numbers(name, kind):
    make, refusing = (STRANGE | OF_SOURCES)[name]
    file, roles = make(frame(1200 if kind == "transfer" else 400, people=40)), roles_of(name, KIND[kind])
    if kind in refusing:
        with pytest.raises(check.RefusedError):
            settings(kind, roles, file=file)
        return
    for changes in WAYS[kind]:
        of = settings(kind, roles, file=file, **changes)
        result = of.run()
        found = [np.atleast_2d(one) for one in numbers(of) if one.dtype.kind == "f"]
        empty = [np.isnan(one).all(axis=tuple(range(one.ndim - 1))) for one in found]  # a class without held-out rows
        assert all((np.isfinite(one) | none).all() for one, none in zip(found, empty, strict=True)), changes
        assert not any(none.all() for none in empty)
        assert "<b>x" not in said(result, html=True)
        assert broken_by(said(result, without=("table",)), result, {}) == set()


@pytest.fixture(params=["classifier", "network"])
def kind(request):
    return request.param


def run_of(kind: str, file: pd.DataFrame, roles: Roles = CLASSES, **changes):
    result = settings(kind, roles, file=file, repeats=4, **changes).run()
    return result, said(result)


def test_where_hardly_anybody_leaves_models_that_say_so_are_called_that(kind):
    file = frame(2000).assign(left=np.where(np.arange(2000) % 50, "no", "yes"))
    result, words = run_of(kind, file, clip_norm=0.01 if kind == "classifier" else 0.5)
    counts = result.held_out["scratch" if kind == "classifier" else "private"].counts
    assert (counts[:, :, 0].sum(axis=1) == len(result.split.y_test)).all()
    assert re.search(r"All 4 private (model|network)s always answer “no”", words)
    picture = PAGES[kind].at(result.settings).pictures(result)[0][0]
    base = result.split.best_constant[1]
    (line,) = (one for one in picture.figure["data"] if "baseline (majority class)" in one.get("name", ""))
    np.testing.assert_allclose(drawn(line["y"]), 100 * base, rtol=1e-6)
    assert f"baseline (majority class): {number(100 * base)}." in picture.alt


def test_the_answer_in_disguise_is_asked_about(kind):
    file = frame().assign(paid=lambda one: np.where(one["left"] == "yes", 10, 0))
    roles = replace(CLASSES, columns=(Column(name="paid", low=0, high=10),))
    _, words = run_of(kind, file, roles, **({"steps": 200} if kind == "classifier" else {"epochs": 10}))
    assert "The non-private model makes no error" in words
    for other in (frame(), frame().assign(left="no")):
        assert "makes no error" not in run_of(kind, other)[1]
