"""What the columns of a file seem to hold, judged by a fixed number of cells: kinds may be guessed, values may not."""

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# What a column holds is judged by so many of its cells, and by so many of their letters.
JUDGED = 2000
_LETTERS = 100
MOST_CATEGORIES = 50
# So much of a column must be of a kind.
_MOST = 0.9
# A name of the head that fills this share of its own column is a value.
_HEAD_SHARE = 0.01
_MISSING = {"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--", "?", "."}
_WORD = re.compile(r"[^\W\d_]{2,}")
_MONTH = (
    r"jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
    r"|dec(ember)?"
)
_WHEN = re.compile(
    rf"{_MONTH}|(mon|tues?|wed(nes)?|thu(rs)?|fri|sat(ur)?|sun)(day)?|[ap]m|utc|gmt",
    re.IGNORECASE,
)
_DATE = re.compile(
    r"([0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\3([0-9]{4}|[0-9]{2}))([T ].*)?"
    r"|(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])|[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?( ?[ap]m)?"
    rf"|.*[0-9].*\b({_MONTH})\b.*|.*\b({_MONTH})\b.*[0-9].*",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_KEY = re.compile(r"(.*[\W_])?(id|uuid|key|no|nr|number|index)|.*[a-z]I[Dd]", re.IGNORECASE)
_SPACES = " '’\u00a0\u202f"


def _number(decimal: str, thousands: str) -> str:
    """A pattern, the same to Python and to Arrow, of numbers whose thousands may be parted by a mark or by spaces."""
    whole = f"[0-9]+|[1-9][0-9]{{0,2}}(?:[{thousands}][0-9]{{3}})+|[1-9][0-9]{{0,2}}(?:[{_SPACES}][0-9]{{3}})+"
    return f"^[-+−]?(?:(?:{whole})(?:[{decimal}][0-9]*)?|[{decimal}][0-9]+)(?:[eE][-+]?[0-9]+)?$"


_NUMBERS = {".": _number(".", ","), ",": _number(",", ".")}
_POINT, _COMMA = (re.compile(_NUMBERS[decimal]) for decimal in ".,")
# A thousand, or one.
_TWO_WAYS = re.compile(r"[-+−]?[1-9][0-9]{0,2}[.,][0-9]{3}")


class Kind(NamedTuple):
    """What a column seems to hold, and in words why it should be left out; "" where nothing says so."""

    kind: str
    reason: str = ""


def judged(column: pa.ChunkedArray) -> list[str]:
    """How at most 2,000 cells from all over a column begin, but for those that say that something is missing."""
    at = np.unique(np.linspace(0, max(0, len(column) - 1), JUDGED).astype(int))[: len(column)]
    cells = (
        cell[:_LETTERS].strip()
        for cell in pc.take(column, pa.array(at)).cast(pa.string()).to_pylist()
        if cell is not None
    )
    return [cell for cell in cells if cell.casefold() not in _MISSING]


def commas(cells: list[str]) -> int:
    """How many more cells are numbers with a decimal comma only than with a point only."""
    ways = Counter((bool(_COMMA.match(cell)), bool(_POINT.match(cell))) for cell in cells)
    return ways[True, False] - ways[False, True]


def two_ways(cells: list[str]) -> str:
    """The mark of the numbers that can be read in two ways, "," or "."; "" where there is none."""
    marks = "".join(cell for cell in cells if _TWO_WAYS.fullmatch(cell))
    return next((mark for mark in ",." if mark in marks), "")


def numbers(column: pa.ChunkedArray, decimal: str) -> np.ndarray:
    """Values (n,) as float64, NaN where none can be read: by the pattern where not all are plain."""
    try:
        return _read(column, decimal, plain=decimal == ".")
    except pa.ArrowInvalid:
        return _read(column, decimal, plain=False)


def _read(column: pa.ChunkedArray, decimal: str, *, plain: bool) -> np.ndarray:
    """The same, chunk by chunk: what is made on the way takes no memory for a whole column."""
    found, end = np.empty(len(column)), 0
    for chunk in column.chunks:
        if not counts(chunk.type):
            chunk = _written(pc.utf8_trim_whitespace(chunk.cast(pa.string())), decimal, plain=plain)
        if pa.types.is_boolean(chunk.type):
            chunk = chunk.cast(pa.int8())
        start, end = end, end + len(chunk)
        found[start:end] = pc.fill_null(chunk.cast(pa.float64(), safe=False), np.nan).to_numpy(zero_copy_only=False)
    found[~np.isfinite(found)] = np.nan
    return found


def _written(cells: pa.Array, decimal: str, *, plain: bool) -> pa.Array:
    """Texts as numbers: all at once where they are ``plain``, else those that the pattern takes."""
    if plain:
        return pc.if_else(pc.equal(cells, ""), None, cells).cast(pa.float64())
    cells = pc.if_else(pc.match_substring_regex(cells, _NUMBERS[decimal]), cells, None)
    cells = pc.replace_substring_regex(cells, f"[{_SPACES}{',' if decimal == '.' else '.'}+]", "")
    return pc.replace_substring(pc.replace_substring(cells, ",", "."), "−", "-").cast(pa.float64())


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def counts(kind: pa.DataType) -> bool:
    """Whether a column holds numbers, or yes and no."""
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    return any(test(kind) for test in tests)


def is_flat(kind: pa.DataType) -> bool:
    """Whether a column holds numbers, texts, yes or no, dates, or nothing."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    dates = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    return _is_text(kind) or counts(kind) or dates or pa.types.is_null(kind)


def has_head(names: list[str], columns: list[pa.ChunkedArray]) -> bool | None:
    """Whether the first line holds names; None where nothing below it, or both, says so."""
    said = {_vote(name.strip(), judged(column)) for name, column in zip(names, columns, strict=True)} - {None}
    return said.pop() if len(said) == 1 else None


def _vote(name: str, cells: list[str]) -> bool | None:
    if name.casefold() in _MISSING or not cells:
        return None
    if cells.count(name) >= _HEAD_SHARE * len(cells):
        return False
    for test in (_is_number, _DATE.fullmatch, _MAIL.fullmatch):
        if _share(test, cells) >= _MOST:
            return not test(name)
    return True if len(cells) >= 20 and len(set(cells)) <= min(MOST_CATEGORIES, len(cells) // 4) else None


def _is_number(cell: str) -> bool:
    return bool(_POINT.match(cell) or _COMMA.match(cell))


def _share(test, cells: list[str]) -> float:
    return sum(bool(test(cell)) for cell in cells) / len(cells)


def guessed(name: str, cells: list[str]) -> Kind:
    """The kind of a column of this name with these cells, at most 2,000 of it.

    >>> guessed("plan", ["basic", "plus"] * 20).kind
    'category'
    >>> guessed("customer_id", [f"C{n:04}" for n in range(90)])
    Kind(kind='identifier', reason='codes that tell rows or persons apart')
    """
    if not cells:
        return Kind("text", "empty wherever it was looked at")
    if _share(_MAIL.fullmatch, cells) >= _MOST:
        return Kind("e-mail", "addresses that tell persons apart")
    if _share(_DATE.fullmatch, cells) >= _MOST:
        return Kind("date", "dates or times, of which no number is made here")
    values = set(cells)
    if _share(_is_number, cells) >= _MOST:
        return _of_numbers(name, cells)
    if len(values) <= max(2, min(MOST_CATEGORIES, len(cells) // 2)):
        return Kind("category")
    words = [len(cell.split()) for cell in cells]
    single = sum(count == 1 for count in words) >= _MOST * len(cells)
    if single and (len(values) > _MOST * len(cells) or _share(re.compile("[0-9]").search, cells) >= _MOST):
        return Kind("identifier", "codes that tell rows or persons apart")
    if max(words) <= 4 and len(values) > _MOST * len(cells):
        return Kind("identifier", "names or the like, hardly any of which comes back")
    return Kind("text", f"texts, or more than {MOST_CATEGORIES} different values")


def _of_numbers(name: str, cells: list[str]) -> Kind:
    many = len(set(cells)) > MOST_CATEGORIES
    whole = all(cell.isascii() and cell.isdigit() for cell in cells)
    if whole and many and any(cell[0] == "0" and len(cell) > 1 for cell in cells):
        return Kind("identifier", "codes: numbers that begin with 0")
    rising = whole and all(int(one) < int(next_) for one, next_ in pairwise(cells))
    if whole and many and (rising or _KEY.fullmatch(name)):
        return Kind("identifier", "numbers that count or name rows")
    return Kind("number")


def coded(values: np.ndarray) -> float:
    """The share of the cells with something in them that are numbers, dates or identifiers, of at most 2,000 cells.

    >>> coded(np.array(["12.50", "INV-0012", "3 Jan 2024", "a@b.org", "a dog of 3"], dtype=object))
    0.8
    """
    cells = [value for value in values[:: max(1, len(values) // JUDGED)].tolist() if value.strip()]
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
