"""Uploaded rows with the roles of their columns, encoded as numbers to train on.

Everything that determines the encoding is declared and never read off the rows. Two files that
differ only outside the bounds, or in columns that are left out, give bitwise equal arrays.
"""

import secrets
import weakref
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from dpcore import check
from dpcore.cache import cached
from lab.data import classification, regression
from lab.data.weak_references import dereference
from lab.uploads import cells, regression_rows
from lab.uploads.column_bounds import refuse_ambiguous
from lab.uploads.column_roles import Roles, regression_bounds
from lab.uploads.persons import RowsByPerson, group_rows, person_numbers
from lab.uploads.table import Table

# Minimum number of rows or people in a file, and of rows with a class.
LEAST_ROWS = 100
# Maximum number of rows per person with a numeric target, and of numbers in such a file.
MOST_ROWS_EACH = 50
MOST_CELLS = 20_000_000
_LEAST_TEST_SHARE = 0.05
_MOST_TEST_SHARE = 0.5
# A product such as 0.8 * 1000 may come out just below the whole number that it is.
_ROUNDING_ERROR = 1e-9


class OwnRows(str):
    """A file of rows with its roles, whose string value is a random 128-bit name.

    A link contains only the name, which reads as a plain ``str`` and gives no access. The table is
    held weakly, because settings get into results, and results into caches.

    Attributes:
        roles: Roles of the columns.
        people: Number of rows, or of persons if a column identifies them.
        answered: Number of them with a label.
        private: Number of them to train on.
    """

    _table: "weakref.ref[Table]"
    roles: Roles
    people: int
    answered: int
    private: int

    def __new__(cls, *, table: Table, roles: Roles, people: int, answered: int) -> Self:
        own = super().__new__(cls, secrets.token_urlsafe(16))
        own._table = weakref.ref(table)
        own.roles = roles
        own.people = people
        own.answered = answered
        own.private = int(people * (1 - roles.test_share) + _ROUNDING_ERROR)
        return own

    def __deepcopy__(self, memo: dict) -> Self:
        return self  # copies of settings share the handle

    def __repr__(self) -> str:
        return "own"  # the variable name in scripts, see ``handles.load_snippet``

    @property
    def table(self) -> Table:
        """Return the table, which only the session holds.

        Raises:
            RefusedError: If the session has released it.
        """
        table = self._table()
        if table is None or self.expired:
            raise check.RefusedError("own", "a file that is gone", "a file that somebody holds")
        return table

    @property
    def expired(self) -> bool:
        """Return whether the session has released the table or removed its columns."""
        table = self._table()
        return table is None or not table.columns

    @property
    def key(self) -> "weakref.ref[Self]":
        """Return the key by which tasks know the file."""
        key = weakref.ref(self)
        hash(key)  # the reference stores its hash, which it cannot compute once the file is gone
        return key

    @property
    def source(self) -> classification.Source:
        """Return the file as a data set whose private rows the seed alone selects."""
        inputs = self.roles.inputs
        rows = _Rows(own=self.key)
        grouped_rows = None
        if self.roles.person:
            grouped_rows = rows.grouped_rows
        return classification.Source(
            title="Your file",
            make=rows,
            grouped_rows=grouped_rows,
            features=tuple(inputs),
            classes=self.roles.classes,
            bounds=tuple(inputs.values()),
            private_rows=self.private,
            public_rows=0,
        )

    @property
    def regression_source(self) -> regression.Source:
        """Return the file as a regression data set."""
        return regression_rows.source(self)

    def regression_table(self, *, seed: int) -> regression.Table:
        """Return the rows for regression, in the order given by the seed."""
        by_person = None
        if self.roles.person:
            by_person = group_rows(self.table.texts(self.roles.person))
        return regression_rows.table(self, by_person, seed=seed)


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """Row generator of a ``Source``."""

    own: "weakref.ref[OwnRows]"

    def __call__(self, rng: np.random.Generator, _rows: int) -> tuple[np.ndarray, np.ndarray]:
        """Return all rows, or one random row per person, with a label if the person has any."""
        X, y, by_person = _encoded(self.own)
        if by_person is None:
            return X, y
        has_label = y[by_person.rows] >= 0
        labelled = np.add.reduceat(has_label, by_person.starts, dtype=int)
        # Rows with a label come first, see ``_encoded``.
        counts = np.where(labelled > 0, labelled, by_person.counts)
        rows = by_person.draw_one_each(rng, counts)
        return X[rows], y[rows]

    def grouped_rows(self, persons: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all rows of ``persons`` (k,), as inputs (n, d), class numbers (n,), and the index
        (n,) of each row's person in ``persons``.
        """
        X, y, by_person = _encoded(self.own)
        assert by_person is not None
        counts = by_person.counts[persons]
        first_outputs = np.cumsum(counts) - counts
        # The i-th output row of a person is the i-th of the person's rows.
        shifts = np.repeat(by_person.starts[persons] - first_outputs, counts)
        rows = by_person.rows[np.arange(counts.sum()) + shifts]
        return X[rows], y[rows], np.repeat(np.arange(len(persons)), counts)


@cached(newest=2)
def _encoded(
    own: "weakref.ref[OwnRows]",
) -> tuple[np.ndarray, np.ndarray, RowsByPerson | None]:
    """Return (inputs (n, d) before scaling, class numbers (n,) or -1, rows by person or None)."""
    own_file = dereference(own)
    table = own_file.table
    roles = own_file.roles
    inputs: list[np.ndarray] = []
    for column in roles.columns:
        inputs.extend(cells.column_inputs(table, column))
    X = np.column_stack(inputs)
    y = cells.value_indices(table, roles.answer, roles.classes)
    if not roles.person:
        return X, y, None
    return X, y, group_rows(table.texts(roles.person), last=y < 0)


def choose(table: Table, roles: Roles) -> OwnRows:
    """Return the handle of a file with these roles.

    Raises:
        RefusedError: If the roles are incomplete or do not fit.
    """
    _check_roles(table, roles)
    if roles.person:
        persons = person_numbers(table.texts(roles.person))
    else:
        persons = np.arange(table.rows)
    people = int(persons.max()) + 1
    has_label = _has_label(table, roles)
    answered = len(np.unique(persons[has_label]))
    _check_counts(roles, people=people, rows=int(has_label.sum()), answered=answered)
    if roles.target is not None:
        used_rows = min(table.rows, people * roles.rows_each)
        numbers = used_rows * len(regression_bounds(roles.columns))
        if numbers > MOST_CELLS:
            raise check.RefusedError(
                "rows", f"{numbers:,} numbers in all these columns", f"at most {MOST_CELLS:,}"
            )
    return OwnRows(table=table, roles=roles, people=people, answered=answered)


def _check_roles(table: Table, roles: Roles) -> None:
    """Raise RefusedError unless the declarations are complete and fit the table."""
    for fault in roles.faults():
        raise check.RefusedError("columns", fault, "complete before anything is trained")
    check.between(_LEAST_TEST_SHARE, _MOST_TEST_SHARE, test_share=roles.test_share)
    check.whole(1, MOST_ROWS_EACH, rows_each=roles.rows_each)
    check.flag(gaps=roles.gaps)
    check.choice(table.columns, columns=roles.answer)
    if roles.person:
        check.choice(table.columns, columns=roles.person)
    for column in roles.columns:
        check.choice(table.columns, columns=column.name)
    for column in roles.bounded_columns:
        refuse_ambiguous(table, column)


def _check_counts(roles: Roles, *, people: int, rows: int, answered: int) -> None:
    """Raise RefusedError for too few people, rows with a label, or people with one."""
    unit = "rows"
    if roles.person:
        unit = "people"
        if people == 1:
            unit = "person"
    with_label = "with one of the answers"
    counts = (
        (people, unit),
        (rows, f"rows {with_label}"),
        (answered, f"{unit} {with_label}"),
    )
    for count, what in counts:
        if count < LEAST_ROWS:
            raise check.RefusedError("rows", f"{count:,} {what}", f"at least {LEAST_ROWS}")


def _has_label(table: Table, roles: Roles) -> np.ndarray:
    """Return whether each row (n,) has a label."""
    if roles.target is not None:
        label = replace(roles.target, name=roles.answer)
        return ~np.isnan(cells.column_numbers(table, label))
    return cells.value_indices(table, roles.answer, roles.classes) >= 0
