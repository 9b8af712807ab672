"""Uploaded rows with a numeric target, as a data set for regression.

Row positions and the seed alone decide which rows are held out and which rows of a person are used,
never a cell.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any

import numpy as np

from dpcore.streams import stream
from lab.data import regression

# By person: (rows of the file, index of each person's first row, number of their rows).
People = tuple[np.ndarray, np.ndarray, np.ndarray]


def source(own: Any) -> regression.Source:
    """Return the declared properties of an ``OwnRows``; ``rows`` counts persons if a column
    identifies them.
    """
    target = own.roles.target
    low, high = float(target.low), float(target.high)
    return regression.Source(
        title="Your file",
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
    """Return each input's bounds, which map to -1 and 1; a category (0 or 1) also uses the whole
    range.
    """
    return {
        name: ends if column.kind == "number" else (0.0, 1.0)
        for column in columns
        for name, ends in [*column.inputs.items()][_base(column) :]
    }


def _base(column: Any) -> int:
    """Return how many inputs of a column to drop: 1, the reference category, if there are several
    categories, else 0.

    All categories together would be collinear with the constant, and noise would make their
    coefficients arbitrary.
    """
    return int(len(column.values) > 1)


def table(own: Any, people: People | None, *, seed: int) -> regression.Table:
    """Return the rows as ``regression.load`` does, one column at a time, so that a large file is
    copied only once.

    A test row without a label cannot be used for testing and is left out.
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
    for place, (one, (low, high)) in enumerate(
        zip(values(own), found.bounds.values(), strict=True), 1
    ):
        X[:, place] = scaled(one[rows], low, high)
    if found.gaps:
        X[np.isnan(y)] = 0
    X.flags.writeable = y.flags.writeable = False
    return regression.Table(source=found, X=X, y=y, ends=ends)


def values(own: Any) -> Iterator[np.ndarray]:
    """Yield each input (n,) of all rows of the file, before scaling."""
    return (
        one
        for column in own.roles.columns
        for one in islice(column.each(own.table), _base(column), None)
    )


def scaled(values: np.ndarray, low: float, high: float) -> np.ndarray:
    """Clip and scale ``values`` in place as ``regression.scaled`` does; missing values become 0."""
    np.clip(values, low, high, out=values)
    values -= low
    values *= 2
    values /= high - low
    values -= 1
    return np.nan_to_num(values, copy=False)


def taken(
    people: People, order: np.ndarray, most: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Return (rows of the file, by person in ``order``; end of each person's rows), at most
    ``most`` random rows each.

    A partial shuffle of each person's rows. Draws are indexed by person, so nobody's rows affect
    the choice for others.
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
