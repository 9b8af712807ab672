"""Encode the cells of a column as numbers, by its declaration alone."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from dpcore.normal_form import normal_form
from lab.uploads.column_roles import Column
from lab.uploads.table import Table


def column_inputs(table: Table, column: Column) -> Iterator[np.ndarray]:
    """Yield the inputs (n,) of a column one by one, before scaling; NaN for a missing number."""
    if column.kind == "number":
        yield column_numbers(table, column)
        return
    indices = value_indices(table, column.name, column.values)
    for index in range(len(column.values)):
        yield (indices == index).astype(float)


def column_numbers(table: Table, column: Column) -> np.ndarray:
    """Return the numbers (n,) of a column, NaN for cells that are no numbers."""
    return table.numbers(column.name, decimal=column.decimal)


def value_indices(table: Table, name: str, values: tuple[str, ...]) -> np.ndarray:
    """Return the index (n,) of each row's cell in ``values``, -1 if no spelling of it is among
    them.
    """
    index_of_value = {normal_form(value): index for index, value in enumerate(values)}
    spellings, unique_spellings = pd.factorize(table.texts(name))
    indices = [index_of_value.get(normal_form(spelling), -1) for spelling in unique_spellings]
    return np.array(indices, dtype=int)[spellings]
