"""Uploaded texts: the roles of a file's columns, and the division of its rows into sources.

Settings hold an ``Own``. A link contains only its random name, which reveals nothing and which only the session that
holds the object can resolve. Tasks hold it weakly, so a file ends with its session. Nothing is written to disk.
"""

from collections import Counter
from dataclasses import dataclass
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from dpcore import check
from dpcore.data.word_counts import PUBLIC_PART, Corpus
from dpcore.streams import stream
from lab.files import file_handles, own_table
from lab.files.column_types import coded
from lab.files.own_table import Table

MOST_SOURCES, MOST_LABELS = 8, 50
# Limits of a file whose words are counted.
MOST_BYTES, MOST_ROWS, LEAST_ROWS = 10_000_000, 50_000, 200
# Minimum number of rows of each class.
LEAST_OF_A_CLASS = 20
# Sizes are rounded down to multiples of this, because settings ranges in links depend on them.
GRAIN = 50
_SPLIT_PART = 95


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Roles of a file's columns.

    yes: the positive label; all other labels are the negative class. source: a column, or "" for sources made by a
    random split. public: the source whose rows are all public, or "" for a random share of each source.
    """

    text: str
    label: str
    yes: str
    source: str = ""
    public: str = ""


class Own(file_handles.Own):
    """A handle of a file of texts with its columns.

    sources: number of private sources, 0 for a split. rows: rows of the smallest source (of the whole file for a
    split), rounded down to 50.
    """

    columns: Columns
    sources: int
    rows: int

    def __new__(cls, *, table: Table, columns: Columns, sources: int, rows: int) -> Self:
        own = super().__new__(cls, table)
        own.columns, own.sources, own.rows = columns, sources, rows // GRAIN * GRAIN
        return own

    def corpus(self, sources: int, seed: int) -> Corpus:
        """Return the rows as documents of the first ``sources`` sources by name, -1 for all others.

        A split distributes the rows at random, without looking at them.
        """
        table, columns = self.table, self.columns
        usable = _usable(table, columns)
        domain, public = np.full(table.rows, -1), None
        if columns.source:
            column = table.texts(columns.source)
            for k, name in enumerate(self.names(sources)):
                domain[usable & (column == name)] = k
            public = np.flatnonzero(usable & (column == columns.public)) if columns.public else None
        else:
            rows = stream(seed, "split", 0, _SPLIT_PART).permutation(np.flatnonzero(usable))
            domain[rows] = np.arange(len(rows)) % sources
        y = (table.texts(columns.label) == columns.yes).astype(int)
        return Corpus(counts=table.counts(columns.text), y=y, domain=domain, real=True, public=public)

    def names(self, sources: int) -> list[str]:
        """Return the names of the first ``sources`` sources."""
        if not self.columns.source:
            return [f"part {k + 1}" for k in range(sources)]
        found = self.table.texts(self.columns.source)[_usable(self.table, self.columns)]
        return sorted(set(found.tolist()) - {self.columns.public})[:sources]

    def smallest_source(self, sources: int) -> int:
        """Return a lower bound on the private rows of the smallest of ``sources`` sources."""
        smallest = self.rows if self.sources else self.rows // sources
        return smallest if self.columns.public else smallest - smallest // PUBLIC_PART


def read(data: bytes) -> Table:
    """Read a file of texts; raise RefusedError if it is unreadable or too large for word counts."""
    if len(data) > MOST_BYTES:
        raise check.RefusedError("file", f"{len(data) / 1e6:.1f} MB", f"at most {MOST_BYTES / 1e6:.0f} MB")
    table = own_table.read(data)
    texts = (column for column in table.columns.values() if pa.types.is_string(column.type))
    if sum(pc.sum(pc.binary_length(column)).as_py() or 0 for column in texts) > MOST_BYTES:
        raise check.RefusedError("file", "too many words once unpacked", f"at most {MOST_BYTES / 1e6:.0f} MB of texts")
    if not LEAST_ROWS <= table.rows <= MOST_ROWS:
        raise check.RefusedError("file", f"{table.rows:,} rows", f"{LEAST_ROWS} to {MOST_ROWS:,} rows under its names")
    return table


def choose(table: Table, columns: Columns) -> Own:
    """Return the handle of a file with these columns; raise RefusedError naming the role that does not fit."""
    for name in ("text", "label", "source"):
        if getattr(columns, name) or name != "source":
            check.choice(table.columns, **{name: getattr(columns, name)})
    _check_text(table, columns.text)
    usable = _usable(table, columns)
    labels = Counter(table.texts(columns.label)[usable].tolist())
    if columns.label == columns.text or not 2 <= len(labels) <= MOST_LABELS:
        found = f"{columns.label} ({len(labels):,} different values)"
        raise check.RefusedError("label", found, f"another column than the text, with 2 to {MOST_LABELS} values")
    least = min(labels[columns.yes], labels.total() - labels[columns.yes])
    if least < LEAST_OF_A_CLASS:
        found = f"{columns.yes} (in {labels[columns.yes]:,} of {labels.total():,} rows)"
        raise check.RefusedError("yes", found, f"a label of at least {LEAST_OF_A_CLASS} rows, and not of nearly all")
    return _with_sources(table, columns, usable)


def _check_text(table: Table, name: str) -> None:
    share = coded(table.texts(name))
    if share >= 0.5:
        found = f"{name} ({100 * share:.0f} % of it are numbers, dates or identifiers)"
        raise check.RefusedError("text", found, "a column of texts")


def _with_sources(table: Table, columns: Columns, usable: np.ndarray) -> Own:
    if not columns.source:
        if columns.public:
            raise check.RefusedError("public", columns.public, "a share of each source: there is no source column")
        rows = int(usable.sum())
        made = Own(table=table, columns=columns, sources=0, rows=rows)
        if made.smallest_source(2) < LEAST_ROWS:
            raise check.RefusedError("source", f"a split of {rows:,} rows", f"of {3 * LEAST_ROWS:,} rows or more")
        return made
    sizes = Counter(table.texts(columns.source)[usable].tolist())
    if columns.public and columns.public not in sizes:
        raise check.RefusedError("public", columns.public, f"a value of the column {columns.source}")
    private = {name: size for name, size in sizes.items() if name != columns.public}
    if columns.source in (columns.text, columns.label) or not 2 <= len(private) <= MOST_SOURCES:
        found = f"{columns.source} ({len(private):,} private values)"
        raise check.RefusedError("source", found, f"a column of its own, with 2 to {MOST_SOURCES} private values")
    if columns.public and sizes[columns.public] < LEAST_ROWS:
        found = f"{columns.public} ({sizes[columns.public]:,} rows)"
        raise check.RefusedError("public", found, f"of at least {LEAST_ROWS} rows")
    smallest = min(private, key=private.__getitem__)
    made = Own(table=table, columns=columns, sources=len(private), rows=private[smallest])
    if made.smallest_source(2) < LEAST_ROWS:
        found = f"{columns.source} ({smallest} has {private[smallest]:,} rows)"
        raise check.RefusedError("source", found, f"one whose every value leaves {LEAST_ROWS} private rows")
    return made


def _usable(table: Table, columns: Columns) -> np.ndarray:
    """Return which rows (n,) have a value in each of the columns."""
    asked = [table.texts(name) for name in (columns.text, columns.label, columns.source) if name]
    return np.array([all(value.strip() for value in row) for row in zip(*asked, strict=True)], dtype=bool)


def values(table: Table, name: str, *, most: int) -> list[str]:
    """Return the ``most`` most frequent values of a column, sorted by name."""
    return sorted(value for value, _ in Counter(table.texts(name).tolist()).most_common(most))


def usual_label(table: Table, name: str) -> str:
    """Return the value of a column whose share is nearest to one half, as the initial positive label."""
    found = Counter(table.texts(name).tolist())
    return min(found, key=lambda value: (not value.strip(), abs(found[value] - table.rows / 2), value))


def guess(table: Table) -> Columns:
    """Return an initial choice of columns: the longest texts, the label with the fewest values, no source column."""
    sample = {name: table.texts(name)[:2000] for name in table.columns}
    text = max(sample, key=lambda name: (coded(table.texts(name)) < 0.5, sum(map(len, sample[name]))))
    others = [name for name in sample if name != text]
    kinds = {name: len(set(sample[name].tolist())) for name in others}
    label = min(others, key=lambda name: (kinds[name] < 2, kinds[name]))
    return Columns(text=text, label=label, yes=usual_label(table, label))
