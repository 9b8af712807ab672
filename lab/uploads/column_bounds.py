"""Bounds of a column that are taken from its private cells, at the price of epsilon or of every
guarantee.
"""

from dataclasses import replace

import numpy as np

from dpcore import check
from dpcore.mechanisms import private_bounds as paid_bounds
from lab.uploads import cells
from lab.uploads.column_roles import Column
from lab.uploads.persons import group_rows
from lab.uploads.table import Table


def read_off(table: Table, column: Column) -> tuple[float, float]:
    """Return the private minimum and maximum of a column.

    Raises:
        RefusedError: If they are equal.
    """
    numbers = cells.column_numbers(table, column)
    numbers = numbers[~np.isnan(numbers)]
    if not len(numbers) or numbers.min() == numbers.max():
        raise check.RefusedError("columns", column.name, "a column of numbers that differ")
    return float(numbers.min()), float(numbers.max())


def buy(table: Table, column: Column, *, epsilon: float, person: str = "") -> Column:
    """Return the column with bounds bought for ``epsilon``, or without bounds if noise hides all
    bins.

    One row per person is used. Each call is a new release with fresh noise from the operating
    system.

    Args:
        table: The file.
        column: The column, whose present bounds are not used.
        epsilon: Epsilon of the release.
        person: Name of the column that identifies persons; "" if each row is protected alone.

    Raises:
        RefusedError: If there are too few rows; this costs nothing.
    """
    refuse_ambiguous(table, column)
    rng = np.random.default_rng()
    numbers = cells.column_numbers(table, column)
    if person:
        by_person = group_rows(table.texts(person))
        numbers = numbers[by_person.draw_one_each(rng, by_person.counts)]
    bounds = paid_bounds.bounds(numbers, epsilon=epsilon, rng=rng)
    if bounds is None:
        return replace(column, low=None, high=None, paid=epsilon, read_off=False)
    low, high = bounds
    return replace(column, low=low, high=high, paid=epsilon, read_off=False)


def refuse_ambiguous(table: Table, column: Column) -> None:
    """Raise RefusedError if the decimal separator of a number is neither declared nor clear."""
    if column.kind != "number" or column.decimal:
        return
    if not table.decimal(column.name):
        raise check.RefusedError(
            "decimal", column.name, "told apart: 1,234 may be a thousand or one"
        )
