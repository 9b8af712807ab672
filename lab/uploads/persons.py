"""Group the rows of a file by person, whose name a column of the file states."""

from typing import NamedTuple

import numpy as np
import pandas as pd

from dpcore.normal_form import normal_form
from lab.uploads import column_types


class RowsByPerson(NamedTuple):
    """The rows of a file, person by person.

    rows (n,): indices of the file's rows, ordered by person. starts (persons,): index in ``rows``
    of each person's first row. counts (persons,): number of rows of each person.
    """

    rows: np.ndarray
    starts: np.ndarray
    counts: np.ndarray

    def draw_one_each(self, rng: np.random.Generator, counts: np.ndarray) -> np.ndarray:
        """Draw one row (persons,) of each person, among the first ``counts`` (persons,) rows."""
        offsets = (rng.random(len(counts)) * counts).astype(int)
        return self.rows[self.starts + offsets]


def group_rows(names: np.ndarray, *, last: np.ndarray | None = None) -> RowsByPerson:
    """Group rows by the names (n,) of their persons, in the order in which persons appear first.

    Rows flagged in ``last`` (n,) come after the others of their person. Rows without a name belong
    to one person.
    """
    persons = person_numbers(names)
    counts = np.bincount(persons)
    if last is None:
        rows = np.argsort(persons, kind="stable")
    else:
        rows = np.lexsort((last, persons))
    return RowsByPerson(rows, np.cumsum(counts) - counts, counts)


def person_numbers(names: np.ndarray) -> np.ndarray:
    """Return the number (n,) of each row's person.

    Spellings of one name are one person, as are all missing names.
    """
    spellings, unique_spellings = pd.factorize(names)
    unique_names = []
    for spelling in unique_spellings:
        name = ""
        if not column_types.is_missing(spelling):
            name = normal_form(spelling)
        unique_names.append(name)
    persons, _ = pd.factorize(np.array(unique_names, dtype=object))
    return persons[spellings]
