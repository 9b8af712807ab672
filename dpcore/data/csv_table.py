"""A CSV file in memory: how it is read, and what is refused.

A refusal says what was found and where, in words of our own: a parser's message would quote rows.
"""

import csv
import io
import re
import weakref
from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from scipy import sparse

from dpcore import check
from dpcore.data.word_counts import counted

MOST_BYTES, MOST_ROWS = 10_000_000, 50_000
# All files that are in memory at one time.
MOST_TOGETHER = 80_000_000
LEAST_ROWS = 200
# Of the letters of a file in Western code, more than this share beyond ASCII is another code's.
_MOST_ACCENTS = 1 / 3
# A name of the head that fills this share of its own column is a value: the head is missing.
_HEAD_SHARE = 0.01
# What a column holds is judged by so many of its cells.
_JUDGED = 2000
_SEPARATORS = ",;\t|"
_WORD = re.compile(r"[^\W\d_]{2,}")
_WHEN = re.compile(
    r"jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?|dec(ember)?"
    r"|(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?|[ap]m|utc|gmt",
    re.IGNORECASE,
)


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """A file that has been read: column name -> values (n,) as text. ``counts`` are made once a text column.

    western: it was no UTF-8, and so read as Windows-1252. No row is in its repr, which may get into a log.
    """

    size: int
    columns: dict[str, np.ndarray] = field(repr=False)
    western: bool = False
    _counts: dict[str, sparse.csr_matrix] = field(default_factory=dict, repr=False)

    @property
    def rows(self) -> int:
        return len(next(iter(self.columns.values())))

    def counts(self, name: str) -> sparse.csr_matrix:
        """Words of a text column, row by row. Raises RefusedError where there is none."""
        if name not in self._counts:
            self._counts.clear()  # one column at a time is enough
            try:
                self._counts[name] = counted(self.columns[name])
            except check.RefusedError:
                raise check.RefusedError("text", f"{name}, in which no word is", "a column of texts") from None
        return self._counts[name]

    def clear(self) -> None:
        """Let go of all rows now, whoever holds the table."""
        self.columns.clear()
        self._counts.clear()
        _tables.discard(self)


_tables: weakref.WeakSet[Table] = weakref.WeakSet()


def read(data: bytes) -> Table:
    """Read a CSV file with a head row. Raises RefusedError with a sentence's worth of reason.

    Keep the table: what nobody holds is gone.
    """
    if len(data) > MOST_BYTES:
        raise check.RefusedError("file", f"{len(data) / 1e6:.1f} MB", f"at most {MOST_BYTES / 1e6:.0f} MB")
    if sum(table.size for table in list(_tables)) + len(data) > MOST_TOGETHER:
        raise check.RefusedError("file", "one more", "brought later: the files in use fill what this server keeps")
    text, western = _text(data)
    table = Table(size=len(data), columns=_columns(text), western=western)
    _tables.add(table)
    return table


def _text(data: bytes) -> tuple[str, bool]:
    """(the file as text, whether it was read as Windows-1252)."""
    refusal = check.RefusedError("file", "bytes that are no text", "plain text, in UTF-8 or Western European letters")
    if b"\0" in data:
        raise refusal
    try:
        return data.decode("utf-8-sig"), False
    except UnicodeDecodeError:
        pass
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        raise refusal from None
    letters = sum(map(str.isalpha, text))
    if sum(letter.isalpha() for letter in text if letter > "\x7f") > _MOST_ACCENTS * letters:
        raise refusal
    return text, True


def _separator(text: str) -> str:
    """What separates most names in the head, quoted ones aside. Raises RefusedError where two do equally."""
    head = re.split(r"[\r\n]", re.sub(r'"[^"]*"', "", text[:100_000]), maxsplit=1)[0]
    first, second = sorted(_SEPARATORS, key=head.count, reverse=True)[:2]
    if head.count(first) == head.count(second) > 0:
        raise check.RefusedError("file", "a head with two separators", "separated by one of , ; | or tab")
    return first


def _columns(text: str) -> dict[str, np.ndarray]:
    """Column name -> values."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=_separator(text), strict=True)
    rows = []
    try:
        for row in reader:
            if row and len(row) != len(rows[0] if rows else row):
                found = f"{len(row)} field{'s' * (len(row) != 1)} in line {reader.line_num}"
                raise check.RefusedError("file", found, f"{len(rows[0])} in each line, as in its head")
            rows += [row] if row else []
            if len(rows) > MOST_ROWS + 1:
                raise check.RefusedError("file", f"more than {MOST_ROWS:,} rows", f"at most {MOST_ROWS:,} rows")
    except csv.Error:
        found = f"a field that does not end well in line {reader.line_num}"
        allowed = f"every quote closed before a separator, and at most {csv.field_size_limit():,} letters in a field"
        raise check.RefusedError("file", found, allowed) from None
    names = [name.strip() for name in rows[0]] if rows else []
    if len(names) < 2 or len(set(names)) < len(names) or not all(names):
        found = ", ".join(names) or "nothing"
        raise check.RefusedError("file", f"a head of {found[:80]}", "two or more column names, all different")
    if len(rows) - 1 < LEAST_ROWS:
        raise check.RefusedError("file", f"{len(rows) - 1} rows", f"at least {LEAST_ROWS} rows under the head")
    columns = zip(*rows[1:], strict=True)
    found = {name: np.array(values, dtype=object) for name, values in zip(names, columns, strict=True)}
    if any((values == name).mean() >= _HEAD_SHARE for name, values in found.items()):
        raise check.RefusedError("file", "a first line that looks like a row", "a line of column names above the rows")
    return found


def coded(values: np.ndarray) -> float:
    """The share of the cells with something in them that are numbers, dates or identifiers, of at most 2,000 cells.

    >>> coded(np.array(["12.50", "INV-0012", "3 Jan 2024", "a@b.org", "a dog of 3"], dtype=object))
    0.8
    """
    cells = [value for value in values[:: max(1, len(values) // _JUDGED)].tolist() if value.strip()]
    names = Counter(cells)
    if all(len(cell.split()) == 1 and cell.isascii() for cell in cells) and len(names) > 0.9 * len(cells):
        return 1.0  # single words that never come back tell rows apart
    return sum(count for cell, count in names.items() if _coded(cell)) / max(1, len(cells))


def _coded(cell: str) -> bool:
    """Whether a cell is a number (with a unit or not), a date or an identifier."""
    parts = cell.split()
    words = [part for part in parts if _WORD.search(part)]
    digits = any(letter.isdigit() for letter in cell)
    if len(parts) == 1 and (digits or "@" in cell or "://" in cell):
        return True
    if not digits:
        return False
    return len(words) < 2 or all(_WHEN.fullmatch(found) for part in words for found in _WORD.findall(part))
