"""A visitor's own file on every page that takes one: a made-up table, what its columns are for, and
what is said.
"""

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from dpcore.mechanisms.private_bounds import Payment
from dpcore.streams import stream
from lab.data import classification, regression
from lab.experiment.settings import Settings
from lab.uploads import rows as own_rows
from lab.uploads import table as own_table
from lab.uploads.column_roles import Column, Roles
from lab.uploads.rows import OwnRows
from pages.topics import PAGES as ALL
from tests.sentences import plain
from ui.text.tiles import tile_row

PAGES = {page.name: page for page in ALL}
KINDS = ("classifier", "network", "regression")
# Bounds as nobody would type them, and what they look like in whatever way they are written.
OFF = {"low": -137519.0, "high": 973158.0, "read_off": True}
DIGITS = ("137519", "137,519", "137 519", "973158", "973,158", "1.38e+05", "9.73e+05")
COLUMNS = (
    Column(name="age", low=18, high=100),
    Column(name="hours", low=0, high=48),
    Column(name="plan", kind="category", values=("basic", "plus")),
)
CLASSES = Roles(answer="left", classes=("no", "yes"), columns=COLUMNS)
NUMBER = Roles(answer="pay", classes=(), target=Column(name="pay", low=0, high=80), columns=COLUMNS)
ROLES = {
    "classifier": CLASSES,
    "network": CLASSES,
    "regression": NUMBER,
}
QUICK = {
    "classifier": {"repeats": 4, "steps": 5},
    "network": {"repeats": 2, "epochs": 2, "width": 4, "layers": 1},
    "regression": {"repeats": 4, "epsilon": 1.0, "mechanism": "gaussian"},
}

# As a session does: what nobody holds is gone. A few megabytes in all.
HELD: list[Any] = []


def frame(rows: int = 900, *, seed: int = 0, people: int = 60) -> pd.DataFrame:
    """Who works longer earns more; some stay.

    Each third row is of another town, without a bearing on the rest.
    """
    rng = np.random.default_rng(seed)
    age, hours = rng.integers(18, 90, rows), rng.uniform(0, 48, rows).round(1)
    return pd.DataFrame(
        {
            "who": [f"P{place % people:05}" for place in range(rows)],
            "age": age,
            "hours": hours,
            "plan": rng.choice(["basic", "plus", "family"], rows),
            "town": rng.choice(["Ashford", "Brookside", "Cedar Hill"], rows),
            "pay": (hours * age / 60 + rng.normal(0, 6, rows)).round(1),
            "left": np.where(hours - age / 2 + rng.normal(0, 9, rows) > 0, "yes", "no"),
        }
    )


def table_of(rows: pd.DataFrame) -> own_table.Table:
    """Return rows as a table that a visitor uploaded, and hold it as a session does."""
    HELD.append(own_table.read(rows.to_csv(index=False).encode()))
    return HELD[-1]


def choose(rows: pd.DataFrame, roles: Roles) -> OwnRows:
    """Return rows as a file with these roles of its columns, and hold it as a session does."""
    HELD.append(own_rows.choose(table_of(rows), roles))
    return HELD[-1]


def bought(*payments: Payment, person: str = "") -> OwnRows:
    """Return a file with bought bounds of one column, and the payments for it."""
    hours = Column(name="hours", low=0, high=16, paid=0.1)
    columns = (hours, *CLASSES.columns[:1])
    roles = replace(CLASSES, columns=columns, payments=payments, person=person)
    return own_rows.choose(table_of(frame(1000, people=1000)), roles)


def by_person(roles: Roles) -> Roles:
    """Return roles with a person as the unit of privacy, named in the column ``who``."""
    return replace(roles, person="who")


def read_off(roles: Roles) -> Roles:
    """With the bounds of the second column read off the rows."""
    first, second, *others = roles.columns
    return replace(roles, columns=(first, replace(second, **OFF), *others))


def settings(
    kind: str,
    roles: Roles | None = None,
    *,
    off: bool = False,
    paid: tuple[float, ...] = (),
    file: pd.DataFrame | None = None,
    **changes: Any,
) -> Any:
    """Of the page ``kind``. off: with bounds that were read off. paid: epsilons paid for bounds.
    file: its rows.
    """
    if roles is None:
        roles = ROLES[kind]
    if paid:
        payments = tuple(Payment(epsilon=epsilon, person=roles.person) for epsilon in paid)
        roles = replace(roles, payments=payments)
    if off:
        roles = read_off(roles)
    if file is None:
        file = frame()
    own = choose(file, roles)
    start = PAGES[kind].settings().change(dataset="own").change(own=own)
    return start.change(**QUICK[kind] | changes)


def promised(of: Any) -> Any:
    """Return what the page promises of its training."""
    return of.guarantee


def numbers(of: Settings) -> list[np.ndarray]:
    """Return all numbers that the tasks of these settings find, in their order."""
    return list(_arrays([task.run() for task in of.experiment.tasks()]))


def _arrays(value: Any) -> Iterator[np.ndarray]:
    """Yield each array and number within a value, as an array, in order."""
    if isinstance(value, np.ndarray | bool | int | float | np.number):
        yield np.asarray(value)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from _arrays(part)
    elif isinstance(value, tuple | list):
        for part in value:
            yield from _arrays(part)
    elif is_dataclass(value):
        for field in fields(value):
            yield from _arrays(getattr(value, field.name))


def same(one: Settings, other: Settings) -> bool:
    """Return whether two settings have the same numbers, to the last bit."""
    arrays = numbers(one)
    other_arrays = numbers(other)
    assert len(arrays) == len(other_arrays) > 0
    for array, other_array in zip(arrays, other_arrays, strict=True):
        is_float = array.dtype.kind == "f"
        if not np.array_equal(array, other_array, equal_nan=is_float):
            return False
    return True


def units(of: Any) -> list[np.ndarray]:
    """Return the training rows (k, inputs and label) of each unit of privacy, in seeded order."""
    if of.OF_NUMBERS:
        table = regression.load(of.own.key, seed=of.seed)
        ends = np.arange(1, of.rows + 1)
        if table.ends is not None:
            ends = table.ends[: of.rows]
        rows = np.column_stack([table.X, table.y])
        return np.split(rows[: ends[-1]], ends[:-1])
    split = classification.load(of.dataset_key, seed=of.seed, private_rows=of.rows)
    X, y, people = split.training_rows
    if people is None:
        people = np.arange(of.rows)
    rows = np.column_stack([X, y])
    return [rows[people == person] for person in range(of.rows)]


def moved(one: Any, other: Any) -> list[int]:
    """Return the indices of units that differ, whatever the order of a unit's rows is."""
    differing = []
    for index, (rows, other_rows) in enumerate(zip(units(one), units(other), strict=True)):
        if not np.array_equal(_sorted(rows), _sorted(other_rows), equal_nan=True):
            differing.append(index)
    return differing


def _sorted(rows: np.ndarray) -> np.ndarray:
    """Return the rows sorted by the last column, ties by the one before it, and so on."""
    return rows[np.lexsort(rows.T)]


def said(result: Any, *, without: tuple[str, ...] = (), html: bool = False) -> str:
    """Return all words of the page of a file, with its tiles and the descriptions of its charts."""
    page = next(page for page in ALL if type(result.settings) is page.settings)
    view = page.at(result.settings).view(result)
    words = [tile_row(view.tiles)]
    for name, text in view.texts.items():
        if name not in without:
            words.append(text)
    for chart in view.charts(*view.boards).values():
        words.append(chart.alt)
    text = " ".join(words)
    if html:
        return text
    return plain(text)


PEOPLE = by_person(CLASSES)


def visits(people: int = 300) -> pd.DataFrame:
    """Return persons with one to five rows each, in no order."""
    rng = np.random.default_rng(0)
    who = rng.permutation(
        np.repeat([f"C{number:05}" for number in range(people)], rng.integers(1, 6, people))
    )
    return frame(len(who)).assign(who=who)


def own_of(name: str, seed: int) -> OwnRows:
    """Return a file of a built-in set's private rows, in the seed's order, so that they are in the
    same parts.
    """
    source, split = classification.DATASETS[name], classification.load(name, seed=seed)
    X, y = source.draw(stream(seed, "data"))
    rows = np.concatenate([split.rows_of["private"], split.rows_of["test"]])
    placed = np.empty_like(rows)
    placed[stream(seed, "split").permutation(len(rows))] = rows
    frame = pd.DataFrame(X[placed], columns=source.features).assign(
        answer=np.array(source.classes)[y[placed]]
    )
    share, bounds = len(split.y_test) / len(rows), zip(source.features, source.bounds, strict=True)
    columns = tuple(Column(name=feature, low=low, high=high) for feature, (low, high) in bounds)
    return choose(
        frame, Roles(answer="answer", classes=source.classes, columns=columns, test_share=share)
    )
