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
from lab.uploads import cells
from lab.uploads.column_roles import regression_bounds
from lab.uploads.persons import RowsByPerson


def source(own: Any) -> regression.Source:
    """Return the declared properties of an ``OwnRows``; ``rows`` counts persons if a column
    identifies them.
    """
    target = own.roles.target
    low = float(target.low)
    high = float(target.high)
    return regression.Source(
        title="Your file",
        bounds=regression_bounds(own.roles.columns),
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


def table(own: Any, by_person: RowsByPerson | None, *, seed: int) -> regression.Table:
    """Return the rows as ``regression.load`` does.

    The inputs are filled in one at a time, so a large file is copied only once. A test row without
    a label cannot be used for testing and is left out.
    """
    described = source(own)
    rng = stream(seed, "data")
    order = rng.permutation(own.people)
    if by_person is None:
        rows = order
        ends = None
        train_rows = described.train_rows
    else:
        rows, ends = drawn_rows(by_person, order, own.roles.rows_each, rng)
        train_rows = int(ends[described.train_rows - 1])
    label = next(cells.column_inputs(own.table, own.roles.target))
    y = np.clip(label, *described.label_bounds)[rows]
    kept = ~np.isnan(y)
    kept[:train_rows] = True
    if not kept.all():
        rows = rows[kept]
        y = y[kept]
    X = np.ones((len(rows), len(described.bounds) + 1))
    inputs = zip(_inputs(own), described.bounds.values(), strict=True)
    # Column 0 is the constant.
    for index, (values, (low, high)) in enumerate(inputs, start=1):
        chosen = values[rows]
        regression.clip_and_scale(chosen, low=low, high=high)
        # Missing values become the middle.
        X[:, index] = np.nan_to_num(chosen, copy=False)
    if described.gaps:
        X[np.isnan(y)] = 0
    X.flags.writeable = False
    y.flags.writeable = False
    return regression.Table(source=described, X=X, y=y, ends=ends)


def _inputs(own: Any) -> Iterator[np.ndarray]:
    """Yield each input (n,) of all rows of the file, before scaling."""
    for column in own.roles.columns:
        inputs = cells.column_inputs(own.table, column)
        yield from islice(inputs, column.reference_categories, None)


def drawn_rows(
    by_person: RowsByPerson, order: np.ndarray, most: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Draw at most ``most`` random rows of each person.

    A partial shuffle of each person's rows. Draws are indexed by person, so nobody's rows affect
    the choice for others.

    Returns:
        The rows of the file, person by person in ``order``, and the end of each person's rows.
    """
    rows = by_person.rows.copy()
    starts = by_person.starts
    counts = by_person.counts
    for step, draws in enumerate(rng.random((most, len(counts)))):
        persons = np.flatnonzero(counts > step)
        next_rows = starts[persons] + step
        chosen_rows = next_rows + (draws[persons] * (counts[persons] - step)).astype(int)
        rows[next_rows], rows[chosen_rows] = rows[chosen_rows], rows[next_rows]
    drawn = np.minimum(counts, most)[order]
    ends = np.cumsum(drawn)
    # The i-th output row of a person is the i-th of the person's shuffled rows.
    shifts = np.repeat(starts[order] - (ends - drawn), drawn)
    return rows[np.arange(ends[-1]) + shifts], ends
