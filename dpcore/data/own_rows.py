"""Rows of the user's own: what the columns of a file are for, and what makes them numbers to learn from.

What decides the numbers is declared, never read off the rows: bounds, categories, classes. Two files that differ only
outside of the bounds, or in columns that are left out, give the same arrays to the last bit.
"""

import math
import re
import weakref
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from dpcore import check
from dpcore.cache import cached
from dpcore.data import column_types, own_numbers, paid_bounds, regression, toy
from dpcore.data.file_handles import Own, held, key
from dpcore.data.own_table import Table
from dpcore.data.paid_bounds import Payment
from lab.settings import Settings

KINDS = ("number", "category")
MOST_COLUMNS, MOST_VALUES, MOST_CLASSES, MOST_EACH, MOST_SOURCES = 64, 50, 20, 1000, 12
# Rows or people that a file must have, and rows with one of the answers.
LEAST_ROWS = 100
# Parties that a file must have, where nothing is learned but from what they say; and inputs that it may become then.
LEAST_PARTIES, MOST_INPUTS = 3, 64
# Bounds that charts, in single precision, have room for.
_FURTHEST = 1e30
# Of a person where the answer is a number; and the numbers that such a file may become.
MOST_ROWS_EACH, MOST_CELLS = 50, 20_000_000


@dataclass(frozen=True, kw_only=True)
class Column:
    """A column to learn from.

    kind: one of ``KINDS``. low, high: public bounds of a number. values: declared categories; any other is none of
    them. decimal: "." or "," where the file leaves open which it uses. read_off: whether the bounds were taken from the
    private rows, which voids every guarantee. paid: epsilon that was spent on them; 0 where they are public.
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
        """What is missing before anything can be trained, as a sentence; "" for nothing."""
        check.choice(KINDS, kind=self.kind)
        if self.kind == "category":
            return _listed(self.name, self.values, what="category", least=1, most=MOST_VALUES)
        if self.low is None or self.high is None:
            return f"{self.name} has no bounds"
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            return f"the lowest value of {self.name} must be below the highest"
        if max(-self.low, self.high) > _FURTHEST:
            return f"the bounds of {self.name} must lie within {_FURTHEST:g} of 0"
        return ""

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """Input -> what is mapped to (-1, 1): a number's bounds; a category is 1 where it is the case, else 0."""
        if self.kind == "number":
            return {self.name: (float(self.low), float(self.high))}
        return {f"{self.name}: {value}": (-1.0, 1.0) for value in self.values}

    def encoded(self, table: Table) -> np.ndarray:
        """Its inputs (n, k) before they are mapped; NaN for a number that is missing."""
        return np.column_stack([*self.each(table)])

    def each(self, table: Table) -> Iterator[np.ndarray]:
        """The same one (n,) by one."""
        if self.kind == "number":
            yield _numbers(table, self.name, self.decimal)
        else:
            chosen = places(table, self.name, self.values)
            yield from ((chosen == place).astype(float) for place in range(len(self.values)))


def _listed(name: str, values: tuple[str, ...], *, what: str, least: int, most: int) -> str:
    """Why these cannot be the declared values of a column; "" if they can."""
    if len(values) < least:
        return f"{name} has no {what}" if not values else f"{name} has one {what}, and needs two"
    if len(values) > most:
        return f"{name} has {len(values)} values, more than {most}"
    twice = [value for value, count in Counter(value.strip() for value in values).items() if count > 1 or not value]
    return f"{name} has an empty {what}, or one twice" if twice else ""


@dataclass(frozen=True, kw_only=True)
class Roles:
    """What the columns of a file are for; those that are not named are not read.

    answer: what is to be predicted. classes: its declared values; a row with another one adds nothing. target: its
    bounds instead, where it is a number. columns: what it is learned from. person: the column that says whose row it
    is; "": each row is a person. most_rows: how many rows a person has at most, declared for a comparison and never
    looked up; None: not said. test_share: of the rows, or people, held out. payments: all that was spent on bounds of
    this file, kept or not.
    For a number alone: rows_each, how many rows of a person are taken at most, by chance; gaps, whether answers may be
    missing: such a row adds nothing, and how many there are is secret. Without, there are none, and one that is missing
    after all is the middle of its bounds.
    source: the column that says which source a row is of, or "": public for every row. own_source: its value whose rows
    are private; sources: those whose rows are public, as somebody declared. A row of another value is not read.
    """

    answer: str
    classes: tuple[str, ...]
    columns: tuple[Column, ...]
    person: str = ""
    most_rows: int | None = None
    test_share: float = 0.2
    payments: tuple[Payment, ...] = ()
    target: Column | None = None
    rows_each: int = 1
    gaps: bool = True
    source: str = ""
    own_source: str = ""
    sources: tuple[str, ...] = ()

    def lacks(self) -> tuple[str, ...]:
        """What is missing before anything can be trained, a sentence each: public knowledge alone decides."""
        names = Counter(column.name for column in self.columns)
        found = ["nothing is chosen to be predicted"] * (not self.answer)
        if self.answer:
            found += [self._unanswered()]
        found += ["no column is chosen to learn from"] * (not names)
        found += [f"{len(names)} columns are chosen, more than {MOST_COLUMNS}"] * (len(names) > MOST_COLUMNS)
        found += [f"{name} is chosen twice" for name, count in names.items() if count > 1]
        found += [f"{self.answer} is what is predicted, and cannot help"] * (self.answer in names)
        found += [f"{self.person} says who a person is, and is never learned from"] * (
            bool(self.person) and self.person in (*names, self.answer)
        )
        found += ["bounds were paid for before it was said who a person is: bring the file again"] * any(
            self.person not in ("", payment.person) for payment in self.payments
        )
        found += [self._unsourced({*names, self.answer, self.person}), *(column.lacks() for column in self.columns)]
        return tuple(filter(None, found)) or self._too_few_or_many()

    def _unanswered(self) -> str:
        if self.target is not None:
            return self.target.lacks()
        return _listed(self.answer, self.classes, what="answer", least=2, most=MOST_CLASSES)

    def _unsourced(self, others: set[str]) -> str:
        if not self.source:
            return ""
        if self.source in others:
            return f"{self.source} says which source a row is of, and is nothing else"
        if not self.own_source.strip():
            return f"{self.source} has no value whose rows are private"
        values = self.own_source, *self.sources
        return _listed(self.source, values, what="source", least=2, most=MOST_SOURCES + 1)

    def _too_few_or_many(self) -> tuple[str, ...]:
        """What a regression asks of columns that are complete."""
        inputs = len(own_numbers.bounds(self.columns)) if self.target is not None else MOST_COLUMNS
        if inputs < 2:
            return ("one input is chosen, and a regression needs two",)
        return (f"the columns make {inputs} inputs, more than {MOST_COLUMNS}",) * (inputs > MOST_COLUMNS)

    @property
    def inputs(self) -> dict[str, tuple[float, float]]:
        """Input -> what is mapped to (-1, 1), of all columns."""
        return {name: ends for column in self.columns for name, ends in column.inputs.items()}

    @property
    def void(self) -> tuple[str, ...]:
        """The columns whose bounds were read off private rows: with one of them nothing is guaranteed."""
        bounded = (*self.columns, *([self.target] if self.target else ()))
        return tuple(column.name for column in bounded if column.read_off)

    @property
    def spent(self) -> float:
        """The epsilon that bounds have cost, which no training has any more: pure releases add up."""
        return math.fsum(payment.epsilon for payment in self.payments)

    @property
    def disguised(self) -> tuple[str, ...]:
        """The columns that may be the answer under another name.

        Judged by the declarations alone: all words of one name are in the other, or both have the same values. Whether
        the cells agree is private.
        """
        answer = _words(self.answer)
        return tuple(
            column.name
            for column in self.columns
            if answer <= _words(column.name)
            or _words(column.name) <= answer
            or (column.values and {*column.values} == {*self.classes})
        )


def _words(name: str) -> set[str]:
    return {*re.split(r"[\W_]+", name.casefold())} - {""}


class OwnRows(Own):
    """A file of rows and its roles. people: rows, or persons where a column says who; answered: how many of them have
    one of the answers; private: how many are learned from. sizes: where a column says the source, those of the target,
    and the rows with an answer of each source."""

    roles: Roles
    people: int
    answered: int
    private: int
    sizes: tuple[int, ...]

    def __new__(cls, *, table: Table, roles: Roles, people: int, answered: int, sizes: tuple[int, ...] = ()) -> Self:
        own = super().__new__(cls, table)
        own.roles, own.people, own.answered, own.sizes = roles, people, answered, sizes
        own.private = int(people * (1 - roles.test_share) + 1e-9)
        return own

    @property
    def as_parties(self) -> bool:
        """Whether those that a column names can be parties with rows of their own: two at least, and one held out."""
        few = len(self.roles.inputs) <= MOST_INPUTS and self.private >= LEAST_PARTIES - 1
        return few and bool(self.roles.person) and self.roles.target is None

    @property
    def source(self) -> toy.Source:
        """The file as a data set; its rows come in their order, and private ones are picked by the seed alone."""
        inputs, rows = self.roles.inputs, _Rows(own=key(self))
        return toy.Source(
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
        """The same where the answer is a number."""
        return own_numbers.source(self)

    def regression_table(self, *, seed: int) -> regression.Table:
        """Its rows, in the order that the seed gives them."""
        people = persons(self.table.texts(self.roles.person)) if self.roles.person else None
        return own_numbers.table(self, people, seed=seed)


@dataclass(frozen=True, kw_only=True)
class _Rows:
    """What makes the rows of a ``Source``: one of each person, drawn by a number of the person's own from those of
    theirs that have an answer, where any has."""

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
        """All rows of these people, and the place of each one's person among them."""
        X, y, (order, starts, counts) = _encoded(self.own)
        own = counts[chosen]
        begins = np.cumsum(own) - own
        rows = order[np.arange(own.sum()) + np.repeat(starts[chosen] - begins, own)]
        return X[rows], y[rows], np.repeat(np.arange(len(chosen)), own)


@cached(newest=2)
def _encoded(own: "weakref.ref[OwnRows]") -> tuple[np.ndarray, np.ndarray, tuple[np.ndarray, ...] | None]:
    """(inputs (n, d) before they are mapped, classes (n,), -1 for none of them, whose rows are where)."""
    token = held(own)
    table, roles = token.table, token.roles
    X = np.column_stack([column.encoded(table) for column in roles.columns])
    y = places(table, roles.answer, roles.classes)
    return X, y, persons(table.texts(roles.person), last=y < 0) if roles.person else None


def persons(who: np.ndarray, *, last: np.ndarray | None = None) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(rows by person, where each person's begin, how many they have): persons as they first appear, and of each the
    rows that are ``last`` (n,) behind the others.

    Rows without a name are those of one person.
    """
    person = _whose(who)
    counts = np.bincount(person)
    order = np.argsort(person, kind="stable") if last is None else np.lexsort((last, person))
    return order, np.cumsum(counts) - counts, counts


def _whose(who: np.ndarray) -> np.ndarray:
    """The place of each row's person (n,)."""
    places: dict[str, int] = {}
    return np.fromiter((places.setdefault(one.strip(), len(places)) for one in who), int, len(who))


def places(table: Table, name: str, values: tuple[str, ...]) -> np.ndarray:
    """Which of ``values`` each row has (n,), -1 for none of them."""
    place = {value.strip(): number for number, value in enumerate(values)}
    cells = table.texts(name)
    return np.fromiter((place.get(cell.strip(), -1) for cell in cells), int, len(cells))


def decimal(table: Table, name: str) -> str:
    """What separates decimals in a column, by its own cells alone: one that is left out has no say. "" where 1,234 may
    be a thousand or one, and a person must say."""
    cells = column_types.judged(table.columns[name])
    more = column_types.commas(cells)
    if not more and column_types.two_ways(cells) == ",":
        return ""
    return "," if more > 0 else "."


def _numbers(table: Table, name: str, said: str) -> np.ndarray:
    return table.numbers(name, decimal=said or decimal(table, name))


def choose(table: Table, roles: Roles, *, least: int = LEAST_ROWS) -> OwnRows:
    """The file with these roles. Raises RefusedError where something is missing, or the file does not allow it.

    least: rows, or people, that it must have: fewer only where these are parties.
    """
    for missing in roles.lacks():
        raise check.RefusedError("columns", missing, "complete before anything is trained")
    check.between(0.05, 0.5, test_share=roles.test_share)
    if roles.most_rows is not None:
        check.whole(1, MOST_EACH, most_rows=roles.most_rows)
    check.whole(1, MOST_ROWS_EACH, rows_each=roles.rows_each)
    check.flag(gaps=roles.gaps)
    for name in (roles.answer, *filter(None, [roles.person]), *(column.name for column in roles.columns)):
        check.choice(table.columns, columns=name)
    for column in (*roles.columns, *([roles.target] if roles.target else ())):
        _refuse_unclear(table, column)
    whose = _whose(table.texts(roles.person)) if roles.person else np.arange(table.rows)
    people, rows = int(whose.max()) + 1, _answered(table, roles)
    answered = len(np.unique(whose[rows]))
    unit = ("person" if people == 1 else "people") if roles.person else "rows"
    able = "with one of the answers"
    counts = (people, unit, least), (rows.sum(), f"rows {able}", LEAST_ROWS), (answered, f"{unit} {able}", least)
    for count, what, fewest in counts:
        if count < fewest:
            raise check.RefusedError("rows", f"{count:,} {what}", f"at least {fewest}")
    cells = min(table.rows, people * roles.rows_each) * len(own_numbers.bounds(roles.columns))
    if roles.target is not None and cells > MOST_CELLS:
        raise check.RefusedError("rows", f"{cells:,} numbers in all these columns", f"at most {MOST_CELLS:,}")
    sizes = _sizes(table, roles) if roles.source else ()
    return OwnRows(table=table, roles=roles, people=people, answered=answered, sizes=sizes)


def _sizes(table: Table, roles: Roles) -> tuple[int, ...]:
    """As ``OwnRows.sizes``. Raises RefusedError where the target has too few, or a source, which is public, none."""
    check.choice(table.columns, columns=roles.source)
    source = places(table, roles.source, (roles.own_source, *roles.sources))
    own, there = source == 0, _answered(table, roles)
    people = len(persons(table.texts(roles.person)[own])[2]) if roles.person else int(own.sum())
    if min(people, int((own & there).sum())) < LEAST_ROWS:
        raise check.RefusedError("rows", f"too few private rows in {roles.source}", f"at least {LEAST_ROWS}")
    sizes = np.bincount(source[there & ~own] + 1, minlength=len(roles.sources) + 2)[2:].tolist()
    for value, size in zip(roles.sources, sizes, strict=True):
        if not size:
            raise check.RefusedError("rows", f"no rows of {value} with an answer", "some in each source")
    return people, *sizes


def _refuse_unclear(table: Table, column: Column) -> None:
    if column.kind == "number" and not (column.decimal or decimal(table, column.name)):
        raise check.RefusedError("decimal", column.name, "told apart: 1,234 may be a thousand or one")


def _answered(table: Table, roles: Roles) -> np.ndarray:
    """Which rows (n,) have one of the answers."""
    if roles.target is not None:
        return ~np.isnan(_numbers(table, roles.answer, roles.target.decimal))
    return places(table, roles.answer, roles.classes) >= 0


def void(settings: Settings) -> str:
    """Why settings about a file guarantee nothing, whatever epsilon is; "" where they do, or are about none. Those that
    count what bounds have cost have it as ``paid``."""
    roles = settings.own.roles if isinstance(settings.own, OwnRows) else None
    if roles and roles.payments and not hasattr(settings, "paid"):
        return "bounds were paid for, which is not counted here"
    return "bounds were read off private rows" if roles and roles.void else ""


def read_off(table: Table, name: str, *, said: str = "") -> tuple[float, float]:
    """The lowest and the highest number of a column: private knowledge. Raises RefusedError where no two differ."""
    found = _numbers(table, name, said)
    found = found[~np.isnan(found)]
    if not len(found) or found.min() == found.max():
        raise check.RefusedError("columns", name, "a column of numbers that differ")
    return float(found.min()), float(found.max())


def buy(table: Table, column: Column, *, epsilon: float, person: str = "") -> Column:
    """The column with bounds that cost epsilon, of one row of each person; without any where noise hides all.

    Each call is a release of its own, with fresh noise of the operating system. Raises RefusedError, which costs
    nothing, where the rows are too few.
    """
    _refuse_unclear(table, column)
    rng, values = np.random.default_rng(), _numbers(table, column.name, column.decimal)
    if person:
        order, starts, counts = persons(table.texts(person))
        values = values[order[starts + (rng.random(len(counts)) * counts).astype(int)]]
    low, high = paid_bounds.bounds(values, epsilon=epsilon, rng=rng) or (None, None)
    return replace(column, low=low, high=high, paid=epsilon, read_off=False)


def preparation(*, number: bool = False) -> str:
    """Lines of a script that bring a file. They name nothing of it: who has the file fills them in.

    number: whether its answer is one.
    """
    asked = (
        '    classes=(),\n    target=Column(name="", low=0.0, high=1.0),  # the same column, and its bounds\n'
        if number
        else "    classes=(),  # its values\n"
    )
    each = "    rows_each=1,  # of a person, at most\n    gaps=True,  # whether answers may be missing\n" * number
    return (
        "from pathlib import Path\n\nfrom dpcore.data import own_rows, own_table\nfrom dpcore.data.own_rows import "
        "Column, Roles\nfrom dpcore.data.paid_bounds import Payment\n\n"
        "# Fill in your file, its columns and their public bounds: nothing of a file is written into a script.\n"
        "roles = Roles(\n"
        '    answer="",  # the column to be predicted\n'
        f"{asked}"
        "    columns=(\n"
        '        Column(name="", low=0.0, high=1.0),  # a number\n'
        '        Column(name="", kind="category", values=()),\n'
        "    ),\n"
        '    person="",  # the column that says whose row it is; "": each row is a person\n'
        f"{each}    payments=(),  # Payment(epsilon=...), each of them, if bounds were paid for: training has the "
        "rest\n"
        ")\n"
        'table = own_table.read(Path("your-file.csv").read_bytes())\nown = own_rows.choose(table, roles)\n\n'
    )
