"""Texts of the user's own: a CSV file in memory, which of its columns are what, and what makes its rows sources.

A file lives as long as somebody holds its ``Table``: this module knows it by its fingerprint, and only weakly. Settings
and links hold an ``Own``: fingerprint, columns and choices, never a row. Nothing is written to a disk.
"""

import csv
import io
import threading
import weakref
from collections import Counter
from dataclasses import dataclass, field, replace
from hashlib import sha256
from urllib.parse import quote, unquote

import numpy as np
from scipy import sparse

from dpcore import check
from dpcore.streams import stream
from dpcore.word_counts import Corpus, counted

MOST_BYTES, MOST_ROWS = 10_000_000, 50_000
# All files that are in memory at one time.
MOST_TOGETHER = 80_000_000
MOST_SOURCES, MOST_LABELS = 8, 50
# Rows that a source must have, and rows that each of the two classes must have.
LEAST_ROWS, LEAST_OF_A_CLASS = 200, 20
# Where a share of each source is public, it is at most one in so many rows.
PUBLIC_PART = 3
NONE = "none"
_SPLIT_PART = 95


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A file that has been read: column name -> values (n,) as text. ``counts`` are made once a text column."""

    digest: str
    size: int
    columns: dict[str, np.ndarray]
    _counts: dict[str, sparse.csr_matrix] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def counts(self, name: str) -> sparse.csr_matrix:
        """Words of a text column, row by row."""
        if name not in self._counts:
            self._counts.clear()  # one column at a time is enough
            self._counts[name] = counted(self.columns[name])
        return self._counts[name]


_tables: weakref.WeakValueDictionary[str, Table] = weakref.WeakValueDictionary()
_lock = threading.Lock()


def find(digest: str) -> Table:
    """The file with that fingerprint, which somebody holds. Raises RefusedError where nobody does."""
    table = _tables.get(digest)
    if table is None:
        raise check.RefusedError("file", digest, "the fingerprint of a file that has been read here")
    return table


def read(data: bytes) -> Table:
    """Read a CSV file with a head row. Raises RefusedError with a sentence's worth of reason.

    The same file twice is one table. Keep it: what nobody holds is forgotten.
    """
    if len(data) > MOST_BYTES:
        raise check.RefusedError("file", f"{len(data) / 1e6:.1f} MB", f"at most {MOST_BYTES / 1e6:.0f} MB")
    digest = sha256(data).hexdigest()[:16]
    with _lock:
        known = _tables.get(digest)
        if known is not None:
            return known
        together = sum(table.size for table in _tables.values())
    if together + len(data) > MOST_TOGETHER:
        raise check.RefusedError("file", "one more", "brought later: the files in use fill what this server keeps")
    table = Table(digest=digest, size=len(data), columns=_columns(_text(data)))
    with _lock:
        return _tables.setdefault(digest, table)


def _text(data: bytes) -> str:
    if b"\0" in data:
        raise check.RefusedError("file", "no text", "a CSV file, in UTF-8 or the usual Western letters")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", errors="replace")


def _columns(text: str) -> dict[str, np.ndarray]:
    """Column name -> values. Fields are separated by what separates most names in the head: , ; | or a tab."""
    head = text.partition("\n")[0]
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=max(",;\t|", key=head.count), strict=True)
    rows = []
    try:
        for row in reader:
            if row and len(row) != len(rows[0] if rows else row):
                found = f"{len(row)} field{'s' * (len(row) != 1)} in line {reader.line_num}"
                raise check.RefusedError("file", found, f"{len(rows[0])} in each line, as in its head")
            rows += [row] if row else []
            if len(rows) > MOST_ROWS + 1:
                raise check.RefusedError("file", f"more than {MOST_ROWS:,} rows", f"at most {MOST_ROWS:,} rows")
    except csv.Error as error:
        raise check.RefusedError("file", f"line {reader.line_num} ({error})", "plain CSV") from None
    names = [name.strip() for name in rows[0]] if rows else []
    if len(names) < 2 or len(set(names)) < len(names) or not all(names):
        found = ", ".join(names) or "nothing"
        raise check.RefusedError("file", f"a head of {found[:80]}", "two or more column names, all different")
    if len(rows) - 1 < LEAST_ROWS:
        raise check.RefusedError("file", f"{len(rows) - 1} rows", f"at least {LEAST_ROWS} rows under the head")
    columns = zip(*rows[1:], strict=True)
    return {name: np.array(values, dtype=object) for name, values in zip(names, columns, strict=True)}


@dataclass(frozen=True, kw_only=True)
class Own:
    """A file's fingerprint and what its columns are for.

    yes: the label that is asked for; all others together are the other class. source: a column, or "" for sources made
    by a random split. public: the value of the source column all of whose rows are public, or "" for a random share of
    each source. sources and rows: how many private sources there are, and the rows of the smallest (of the whole file
    where it is split, and 0 sources).
    """

    file: str
    text: str
    label: str
    yes: str
    source: str = ""
    public: str = ""
    sources: int = 0
    rows: int = 0

    @property
    def word(self) -> str:
        """All of it as a link writes it."""
        return "~".join(quote(str(value), safe=" ").replace("~", "%7E") for value in self.__dict__.values())

    @classmethod
    def read(cls, word: str) -> "Own":
        """What ``word`` has written. Raises RefusedError for anything else."""
        parts = [unquote(part) for part in word.split("~")]
        try:
            *texts, sources, rows = parts
            found = cls(**dict(zip(cls.__dataclass_fields__, [*texts, int(sources), int(rows)], strict=True)))
        except (ValueError, TypeError):
            allowed = "a file's fingerprint and its columns, as this page writes them"
            raise check.RefusedError("own", word, allowed) from None
        check.whole(0, MOST_SOURCES, own=found.sources)
        check.whole(LEAST_ROWS, MOST_ROWS, own=found.rows)
        return found

    def room(self, sources: int) -> int:
        """Private rows of the smallest of so many sources."""
        smallest = self.rows if self.sources else self.rows // sources
        return smallest if self.public else smallest - smallest // PUBLIC_PART


def checked(own: Own) -> Own:
    """``own`` with the numbers of its file. Raises RefusedError naming the part that the file does not allow."""
    table = find(own.file)
    for name in ("text", "label", "source"):
        if getattr(own, name) or name != "source":
            check.choice(table.columns, **{name: getattr(own, name)})
    usable = _usable(table, own)
    labels = Counter(table.columns[own.label][usable].tolist())
    if own.label == own.text or not 2 <= len(labels) <= MOST_LABELS:
        found = f"{own.label} ({len(labels):,} different values)"
        raise check.RefusedError("label", found, f"another column than the text, with 2 to {MOST_LABELS} values")
    least = min(labels[own.yes], labels.total() - labels[own.yes])
    if least < LEAST_OF_A_CLASS:
        found = f"{own.yes} (in {labels[own.yes]:,} of {labels.total():,} rows)"
        raise check.RefusedError("yes", found, f"a label of at least {LEAST_OF_A_CLASS} rows, and not of nearly all")
    return _with_sources(table, own, usable)


def _with_sources(table: Table, own: Own, usable: np.ndarray) -> Own:
    if not own.source:
        if own.public:
            raise check.RefusedError("public", own.public, "a share of each source: there is no source column")
        made = replace(own, sources=0, rows=int(usable.sum()))
        if made.room(2) < LEAST_ROWS:
            raise check.RefusedError("source", f"a split of {made.rows:,} rows", f"of {3 * LEAST_ROWS:,} rows or more")
        return made
    sizes = Counter(table.columns[own.source][usable].tolist())
    if own.public and own.public not in sizes:
        raise check.RefusedError("public", own.public, f"a value of the column {own.source}")
    private = {name: size for name, size in sizes.items() if name != own.public}
    if own.source in (own.text, own.label) or not 2 <= len(private) <= MOST_SOURCES:
        found = f"{own.source} ({len(private):,} private values)"
        raise check.RefusedError("source", found, f"a column of its own, with 2 to {MOST_SOURCES} private values")
    if own.public and sizes[own.public] < LEAST_ROWS:
        found = f"{own.public} ({sizes[own.public]:,} rows)"
        raise check.RefusedError("public", found, f"of at least {LEAST_ROWS} rows")
    smallest = min(private, key=private.__getitem__)
    made = replace(own, sources=len(private), rows=private[smallest])
    if made.room(2) < LEAST_ROWS:
        found = f"{own.source} ({smallest} has {private[smallest]:,} rows)"
        raise check.RefusedError("source", found, f"one whose every value leaves {LEAST_ROWS} private rows")
    return made


def _usable(table: Table, own: Own) -> np.ndarray:
    """Rows (n,) with something in each of the columns."""
    asked = [table.columns[name] for name in (own.text, own.label, own.source) if name]
    return np.array([all(value.strip() for value in row) for row in zip(*asked, strict=True)], dtype=bool)


def corpus(own: Own, sources: int, seed: int) -> Corpus:
    """The file's rows as documents of the first ``sources`` sources by name, and of nobody (-1) otherwise.

    A split deals the rows out at random, without looking at them.
    """
    table = find(own.file)
    usable = _usable(table, own)
    domain, public = np.full(table.rows, -1), None
    if own.source:
        column = table.columns[own.source]
        names = sorted(set(column[usable].tolist()) - {own.public})
        for k, name in enumerate(names[:sources]):
            domain[usable & (column == name)] = k
        public = np.flatnonzero(usable & (column == own.public)) if own.public else None
    else:
        rows = stream(seed, "split", 0, _SPLIT_PART).permutation(np.flatnonzero(usable))
        domain[rows] = np.arange(len(rows)) % sources
    y = (table.columns[own.label] == own.yes).astype(int)
    return Corpus(counts=table.counts(own.text), y=y, domain=domain, real=True, public=public)


def names(own: Own, sources: int) -> list[str]:
    """What the first ``sources`` sources are called."""
    if not own.source:
        return [f"part {k + 1}" for k in range(sources)]
    table = find(own.file)
    return sorted(set(table.columns[own.source][_usable(table, own)].tolist()) - {own.public})[:sources]


def values(own: Own, name: str, *, most: int) -> list[str]:
    """The most frequent values of a column, by name."""
    return sorted(value for value, _ in Counter(find(own.file).columns[name].tolist()).most_common(most))


def usual_label(table: Table, name: str) -> str:
    """The value of a column that is nearest to one half of its rows: a start for what is asked for."""
    found = Counter(table.columns[name].tolist())
    return min(found, key=lambda value: (not value.strip(), abs(found[value] - table.rows / 2), value))


def guess(table: Table) -> Own:
    """A start for the choice of columns: the longest texts, the label of fewest values, no source column."""
    sample = {name: values[:2000] for name, values in table.columns.items()}
    text = max(sample, key=lambda name: sum(map(len, sample[name])))
    others = [name for name in sample if name != text]
    kinds = {name: len(set(sample[name].tolist())) for name in others}
    label = min(others, key=lambda name: (kinds[name] < 2, kinds[name]))
    return Own(file=table.digest, text=text, label=label, yes=usual_label(table, label))


def preparation(word: str) -> str:
    """Lines of a script that bring the file of an ``Own``'s word."""
    return (
        "from pathlib import Path\n\nfrom dpcore import own_texts\n\n"
        f"# The file with the fingerprint {Own.read(word).file}; it is known for as long as it is kept.\n"
        'kept = own_texts.read(Path("your-file.csv").read_bytes())\n\n'
    )
