"""Uploaded rows: the roles of a file's columns, and the encoding of rows as numbers to train on.

Everything that determines the encoding (bounds, categories, classes) is declared and never read off
the rows. Two files that differ only outside the bounds, or in columns that are left out, give
bitwise equal arrays.
"""

import math
import re
import secrets
import weakref
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from dpcore import check
from dpcore.cache import cached
from dpcore.mechanisms import private_bounds
from dpcore.mechanisms.private_bounds import Payment
from dpcore.normal_form import normal_form
from lab.data import classification, regression
from lab.data.weak_references import dereference
from lab.uploads import column_types, regression_rows
from lab.uploads.table import Table

KINDS = ("number", "category")
MOST_COLUMNS, MOST_VALUES, MOST_CLASSES, MOST_EACH = 64, 50, 20, 1000
# Minimum number of rows or people in a file, and of rows with a class.
LEAST_ROWS = 100
# Largest bounds that charts can show in single precision.
_LARGEST_BOUND = 1e30
# Maximum number of rows per person with a numeric target, and of numbers in such a file.
MOST_ROWS_EACH, MOST_CELLS = 50, 20_000_000


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column used as input.

    kind: one of ``KINDS``. low, high: public bounds of a number. values: declared categories; any
        other counts as none.
    decimal: "." or "," if the file is ambiguous. read_off: whether the bounds were taken from the
        private rows, which
    voids every guarantee. paid: epsilon spent on the bounds; 0 if they are public.
    """

    name: str
    kind: str = "number"
    low: float | None = None
    high: float | None = None
    values: tuple[str, ...] = ()
    decimal: str = ""
    read_off: bool = False
    paid: float = 0.0

    def lacks(self) -> str:
        """Return a sentence on a missing or invalid declaration, or ""."""
        check.choice(KINDS, kind=self.kind)
        if self.kind == "category":
            return _values_fault(self.name, self.values, what="category", least=1, most=MOST_VALUES)
        if self.low is None or self.high is None:
            return f"{self.name} has no bounds"
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            return f"the lowest value of {self.name} must be below the highest"
        if max(-self.low, self.high) > _LARGEST_BOUND:
            return f"the bounds of {self.name} must lie within {_LARGEST_BOUND:g} of 0"
        return ""

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """Return each input's bounds, which map to (-1, 1); a category has (-1, 1), so it stays 0
        or 1.
        """
        if self.kind == "number":
            return {self.name: (float(self.low), float(self.high))}  # type: ignore[arg-type]  # see ``lacks``
        return {f"{self.name}: {value}": (-1.0, 1.0) for value in self.values}

    def each(self, table: Table) -> Iterator[np.ndarray]:
        """Yield the column's inputs (n,) one by one, before scaling; NaN for a missing number."""
        if self.kind == "number":
            yield _numbers(table, self.name, self.decimal)
        else:
            chosen = places(table, self.name, self.values)
            yield from ((chosen == place).astype(float) for place in range(len(self.values)))


def _values_fault(name: str, values: tuple[str, ...], *, what: str, least: int, most: int) -> str:
    """Return why ``values`` cannot be the declared values of a column, or ""."""
    if len(values) < least:
        return f"{name} has no {what}" if not values else f"{name} has one {what}, and needs two"
    if len(values) > most:
        return f"{name} has {len(values)} values, more than {most}"
    counts = Counter(map(normal_form, values))
    twice = [value for value, count in counts.items() if count > 1 or not value]
    return f"{name} has an empty {what}, or one twice" if twice else ""


@dataclass(frozen=True, kw_only=True)
class Roles:
    """Roles of a file's columns; columns without a role are not read.

    answer: the label. classes: its declared values; a row with another value is ignored. target:
        instead, the bounds of
    a numeric label. columns: the inputs. person: the column that identifies the person of a row;
    "": each row is
    protected alone. most_rows: declared maximum number of rows per person, for comparison only;
    None: not declared.
    test_share: of the rows, or people, held out. payments: everything spent on bounds of this file,
        used or not.
    For a numeric label: rows_each, the number of random rows used per person, at most; gaps,
    whether labels may be missing. A row without a label is ignored, and the number of such rows is
    secret. Without gaps, a missing label becomes the middle of its bounds.
    one_row: whether a person has one row, as the analyst has said; None: not said.
    """

    answer: str
    classes: tuple[str, ...]
    columns: tuple[Column, ...]
    person: str = ""
    one_row: bool | None = None
    most_rows: int | None = None
    test_share: float = 0.2
    payments: tuple[Payment, ...] = ()
    target: Column | None = None
    rows_each: int = 1
    gaps: bool = True

    def lacks(self) -> tuple[str, ...]:
        """Return sentences on missing or invalid declarations, judged from public knowledge
        alone.
        """
        faults = []
        if self.answer:
            faults.append(self._label_fault())
        else:
            faults.append("no column to predict is chosen")
        faults += self._columns_faults()
        if any(self.person not in ("", payment.person) for payment in self.payments):
            faults.append(
                "bounds were paid for before a column identified the persons, so upload the file"
                " again"
            )
        faults += [column.lacks() for column in self.columns]
        return tuple(filter(None, faults)) or self._inputs_fault()

    def _columns_faults(self) -> list[str]:
        names = Counter(column.name for column in self.columns)
        faults = []
        if not names:
            faults.append("no input column is chosen")
        if len(names) > MOST_COLUMNS:
            faults.append(f"{len(names)} columns are chosen, more than {MOST_COLUMNS}")
        faults += [f"{name} is chosen twice" for name, count in names.items() if count > 1]
        if self.answer in names:
            faults.append(f"{self.answer} is the column to predict, so it cannot be an input")
        if self.person and self.person in (*names, self.answer):
            faults.append(
                f"{self.person} identifies the persons, so it cannot be an input or predicted"
            )
        return faults

    def _label_fault(self) -> str:
        if self.target is not None:
            return self.target.lacks()
        return _values_fault(self.answer, self.classes, what="answer", least=2, most=MOST_CLASSES)

    def _inputs_fault(self) -> tuple[str, ...]:
        """Return sentences on a number of inputs that regression does not allow."""
        inputs = (
            len(regression_rows.bounds(self.columns)) if self.target is not None else MOST_COLUMNS
        )
        if inputs < 2:
            return ("one input is chosen, and a regression needs two",)
        return (f"the columns make {inputs} inputs, more than {MOST_COLUMNS}",) * (
            inputs > MOST_COLUMNS
        )

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """Return each input's bounds, which map to (-1, 1), over all columns."""
        return {name: ends for column in self.columns for name, ends in column.inputs.items()}

    @property
    def void(self) -> tuple[str, ...]:
        """Return the columns whose bounds were read off private rows, each of which voids the
        guarantee.
        """
        bounded = (*self.columns, *([self.target] if self.target else ()))
        return tuple(column.name for column in bounded if column.read_off)

    @property
    def spent(self) -> float:
        """Return the total epsilon spent on bounds (pure releases add up), which training cannot
        use.
        """
        return math.fsum(payment.epsilon for payment in self.payments)

    @property
    def disguised(self) -> tuple[str, ...]:
        """Return the columns that may be the label under another name (leakage).

        Decided by the declarations alone: all words of one name occur in the other, or the values
        are the same. Whether the cells agree is private.
        """
        answer = _words(self.answer)
        return tuple(
            column.name
            for column in self.columns
            if answer <= _words(column.name)
            or _words(column.name) <= answer
            or (
                column.values
                and {*map(normal_form, column.values)} == {*map(normal_form, self.classes)}
            )
        )


def _words(name: str) -> set[str]:
    return {*re.split(r"[\W_]+", name.casefold())} - {""}


class OwnRows(str):
    """A file of rows with its roles, whose string value is a random 128-bit name.

    A link contains only the name, which reads as a plain ``str`` and gives no access. The table is
    held weakly, because settings get into results, and results into caches. people: rows, or
    persons if a column identifies them. answered: number of them with a label. private: number
    trained on.
    """

    _table: "weakref.ref[Table]"
    roles: Roles
    people: int
    answered: int
    private: int

    def __new__(cls, *, table: Table, roles: Roles, people: int, answered: int) -> Self:
        own = super().__new__(cls, secrets.token_urlsafe(16))
        own._table = weakref.ref(table)
        own.roles, own.people, own.answered = roles, people, answered
        own.private = int(people * (1 - roles.test_share) + 1e-9)
        return own

    def __deepcopy__(self, memo: dict) -> Self:
        return self  # copies of settings share the handle

    def __repr__(self) -> str:
        return "own"  # the variable name in scripts, see ``file_handles.preparation``

    @property
    def table(self) -> Table:
        """Return the table, which only the session holds; raise RefusedError once it is gone."""
        table = self._table()
        if table is None or self.gone:
            raise check.RefusedError("own", "a file that is gone", "a file that somebody holds")
        return table

    @property
    def gone(self) -> bool:
        table = self._table()
        return table is None or not table.columns

    @property
    def key(self) -> "weakref.ref[Self]":
        """Return the key by which tasks know the file."""
        found = weakref.ref(self)
        hash(found)  # the reference caches it, and could not compute it after the session has ended
        return found

    @property
    def source(self) -> classification.Source:
        """Return the file as a data set whose private rows the seed alone selects."""
        inputs, rows = self.roles.inputs, _Rows(own=self.key)
        return classification.Source(
            title="Your file",
            make=rows,
            several=rows.several if self.roles.person else None,
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
        people = persons(self.table.texts(self.roles.person)) if self.roles.person else None
        return regression_rows.table(self, people, seed=seed)


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """Row generator of a ``Source``: one random row per person, from those with a label if there
    are any.
    """

    own: "weakref.ref[OwnRows]"

    def __call__(self, rng: np.random.Generator, _rows: int) -> tuple[np.ndarray, np.ndarray]:
        X, y, people = _encoded(self.own)
        if people is None:
            return X, y
        order, starts, counts = people
        answered = np.add.reduceat(y[order] >= 0, starts, dtype=int)
        drawn = np.where(answered > 0, answered, counts)
        rows = order[starts + (rng.random(len(counts)) * drawn).astype(int)]
        return X[rows], y[rows]

    def several(self, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return all rows of the ``chosen`` people, and the index of each row's person
        among them.
        """
        X, y, (order, starts, counts) = _encoded(self.own)  # type: ignore[misc]  # a column says who
        own = counts[chosen]
        begins = np.cumsum(own) - own
        rows = order[np.arange(own.sum()) + np.repeat(starts[chosen] - begins, own)]
        return X[rows], y[rows], np.repeat(np.arange(len(chosen)), own)


@cached(newest=2)
def _encoded(
    own: "weakref.ref[OwnRows]",
) -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...] | None]:
    """Return (inputs (n, d) before scaling, class numbers (n,) or -1, rows by person or None)."""
    own_file = dereference(own)
    table, roles = own_file.table, own_file.roles
    X = np.column_stack([one for column in roles.columns for one in column.each(table)])
    y = places(table, roles.answer, roles.classes)
    return X, y, persons(table.texts(roles.person), last=y < 0) if roles.person else None


def persons(
    who: np.ndarray, *, last: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (rows by person, index of each person's first row, number of rows), persons by first
    appearance.

    Rows flagged in ``last`` (n,) come after the others of their person. Rows without a name belong
    to one person.
    """
    person = _person_numbers(who)
    counts = np.bincount(person)
    order = np.argsort(person, kind="stable") if last is None else np.lexsort((last, person))
    return order, np.cumsum(counts) - counts, counts


def _person_numbers(who: np.ndarray) -> np.ndarray:
    """Return the person number of each row (n,).

    Spellings of one name are one person, as are all missing names.
    """
    numbers: dict[str, int] = {}
    known: dict[str, int] = {}  # by spelling, as names come again
    found = np.empty(len(who), dtype=int)
    for row, spelling in enumerate(who):
        number = known.get(spelling)
        if number is None:
            name = "" if column_types.is_missing(spelling) else normal_form(spelling)
            number = known[spelling] = numbers.setdefault(name, len(numbers))
        found[row] = number
    return found


def places(table: Table, name: str, values: tuple[str, ...]) -> np.ndarray:
    """Return the index of each row's value in ``values`` (n,), -1 if no spelling of it is among
    them.
    """
    index = {normal_form(value): number for number, value in enumerate(values)}
    known: dict[str, int] = {}
    cells = table.texts(name)
    found = np.empty(len(cells), dtype=int)
    for row, cell in enumerate(cells):
        place = known.get(cell)
        if place is None:
            place = known[cell] = index.get(normal_form(cell), -1)
        found[row] = place
    return found


def decimal(table: Table, name: str) -> str:
    """Return the decimal separator of a column from its own cells, or "" if 1,234 may be a thousand
    or one.
    """
    cells = column_types.judged(table.columns[name])
    more = column_types.commas(cells)
    if not more and column_types.two_ways(cells) == ",":
        return ""
    return "," if more > 0 else "."


def _numbers(table: Table, name: str, said: str) -> np.ndarray:
    return table.numbers(name, decimal=said or decimal(table, name))


def choose(table: Table, roles: Roles) -> OwnRows:
    """Return the handle of a file with these roles.

    Raise RefusedError if they are incomplete or do not fit.
    """
    for missing in roles.lacks():
        raise check.RefusedError("columns", missing, "complete before anything is trained")
    check.between(0.05, 0.5, test_share=roles.test_share)
    if roles.most_rows is not None:
        check.whole(1, MOST_EACH, most_rows=roles.most_rows)
    check.whole(1, MOST_ROWS_EACH, rows_each=roles.rows_each)
    check.flag(gaps=roles.gaps)
    for name in (
        roles.answer,
        *filter(None, [roles.person]),
        *(column.name for column in roles.columns),
    ):
        check.choice(table.columns, columns=name)
    for column in (*roles.columns, *([roles.target] if roles.target else ())):
        _refuse_unclear(table, column)
    whose = _person_numbers(table.texts(roles.person)) if roles.person else np.arange(table.rows)
    people, rows = int(whose.max()) + 1, _answered(table, roles)
    answered = len(np.unique(whose[rows]))
    unit = ("person" if people == 1 else "people") if roles.person else "rows"
    able = "with one of the answers"
    counts = (
        (people, unit, LEAST_ROWS),
        (rows.sum(), f"rows {able}", LEAST_ROWS),
        (answered, f"{unit} {able}", LEAST_ROWS),
    )
    for count, what, fewest in counts:
        if count < fewest:
            raise check.RefusedError("rows", f"{count:,} {what}", f"at least {fewest}")
    cells = min(table.rows, people * roles.rows_each) * len(regression_rows.bounds(roles.columns))
    if roles.target is not None and cells > MOST_CELLS:
        raise check.RefusedError(
            "rows", f"{cells:,} numbers in all these columns", f"at most {MOST_CELLS:,}"
        )
    return OwnRows(table=table, roles=roles, people=people, answered=answered)


def _refuse_unclear(table: Table, column: Column) -> None:
    if column.kind == "number" and not (column.decimal or decimal(table, column.name)):
        raise check.RefusedError(
            "decimal", column.name, "told apart: 1,234 may be a thousand or one"
        )


def _answered(table: Table, roles: Roles) -> np.ndarray:
    """Return which rows (n,) have a label."""
    if roles.target is not None:
        return ~np.isnan(_numbers(table, roles.answer, roles.target.decimal))
    return places(table, roles.answer, roles.classes) >= 0


def read_off(table: Table, name: str, *, said: str = "") -> tuple[float, float]:
    """Return the private minimum and maximum of a column; raise RefusedError unless they differ."""
    found = _numbers(table, name, said)
    found = found[~np.isnan(found)]
    if not len(found) or found.min() == found.max():
        raise check.RefusedError("columns", name, "a column of numbers that differ")
    return float(found.min()), float(found.max())


def buy(table: Table, column: Column, *, epsilon: float, person: str = "") -> Column:
    """Return the column with bounds bought for ``epsilon``, or without bounds if noise hides all
    bins.

    One row per person is used. Each call is a new release with fresh noise from the operating
    system. Raises RefusedError, which costs nothing, if there are too few rows.
    """
    _refuse_unclear(table, column)
    rng, values = np.random.default_rng(), _numbers(table, column.name, column.decimal)
    if person:
        order, starts, counts = persons(table.texts(person))
        values = values[order[starts + (rng.random(len(counts)) * counts).astype(int)]]
    low, high = private_bounds.bounds(values, epsilon=epsilon, rng=rng) or (None, None)
    return replace(column, low=low, high=high, paid=epsilon, read_off=False)
