"""Rows of the user's own whose answer is a number, as a data set for regression.

Who is held out, and which rows of a person are taken, is decided by places and the seed alone, never by a cell.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from dpcore.data import regression
from dpcore.streams import stream

# By person: (rows of the file, where each person's begin, how many they have).
People = tuple[np.ndarray, np.ndarray, np.ndarray]


def source(own: Any) -> regression.Source:
    """What is declared of an ``OwnRows``; ``rows`` are persons where a column says who."""
    target = own.roles.target
    low, high = float(target.low), float(target.high)
    return regression.Source(
        title="Your file",
        draw=None,
        bounds=bounds(own.roles.columns),
        label=own.roles.answer,
        unit="units",
        label_bounds=(low, high),
        label_tops=(high, high),
        label_top=high,
        rows=own.people,
        fixed=False,
        train_share=1 - own.roles.test_share,
        rows_each=own.roles.rows_each,
        gaps=own.roles.gaps or own.roles.rows_each > 1,
    )


def bounds(columns: tuple[Any, ...]) -> dict[str, tuple[float, float]]:
    """Input -> what is mapped to -1 and 1: noise here is for coordinates, so a category takes their whole range too."""
    return {
        name: ends if column.kind == "number" else (0.0, 1.0)
        for column in columns
        for name, ends in [*column.inputs.items()][_base(column) :]
    }


def _base(column: Any) -> int:
    """How many inputs of a column are left out: the first of several categories, which the others are compared with.

    All of them together with the constant would say the same twice, and noise lets such sums say anything.
    """
    return int(len(column.values) > 1)


def table(own: Any, people: People | None, *, seed: int) -> regression.Table:
    """The rows as ``regression.load`` gives them, one column at a time: a large file is in memory once more only.

    A test row without an answer cannot be measured by, and is left out.
    """
    found, roles = source(own), own.roles
    rng = stream(seed, "data")
    order = rng.permutation(own.people)
    rows, ends = (order, None) if people is None else taken(people, order, roles.rows_each, rng)
    y = np.clip(next(roles.target.each(own.table)), *found.label_bounds)[rows]
    first = found.train_rows if ends is None else int(ends[found.train_rows - 1])
    there = ~np.isnan(y)
    there[:first] = True
    rows, y = (rows, y) if there.all() else (rows[there], y[there])
    X = np.ones((len(rows), len(found.bounds) + 1))
    for place, (one, (low, high)) in enumerate(zip(values(own), found.bounds.values(), strict=True), 1):
        X[:, place] = scaled(one[rows], low, high)
    if found.gaps:
        X[np.isnan(y)] = 0
    X.flags.writeable = y.flags.writeable = False
    return regression.Table(source=found, X=X, y=y, ends=ends)


def values(own: Any) -> Iterator[np.ndarray]:
    """Each input (n,) of all rows of the file, before it is mapped."""
    return (one for column in own.roles.columns for one in islice(column.each(own.table), _base(column), None))


def scaled(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """``values`` clipped and mapped as ``regression.scaled`` does, in place; what is missing to the middle."""
    np.clip(values, low, high, out=values)
    values -= low
    values *= 2
    values /= high - low
    values -= 1
    return np.nan_to_num(values, copy=False)


def taken(people: People, order: np.ndarray, most: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """(rows of the file, by person in this ``order``; where each one's end): of each ``most`` by chance, or all.

    A shuffle of each person's rows that stops early. Each person has draws of an own place, so that nobody's rows have
    a say in which of another's are taken.
    """
    rows, starts, counts = people
    rows = rows.copy()
    for place, draws in enumerate(rng.random((most, len(counts)))):
        some = np.flatnonzero(counts > place)
        here = starts[some] + place
        there = here + (draws[some] * (counts[some] - place)).astype(int)
        rows[here], rows[there] = rows[there], rows[here]
    each = np.minimum(counts, most)[order]
    ends = np.cumsum(each)
    places = np.arange(ends[-1]) - np.repeat(ends - each, each) + np.repeat(starts[order], each)
    return rows[places], ends
