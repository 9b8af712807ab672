"""Infer the types of a file's columns from a fixed-size sample of cells; values such as bounds are never inferred."""

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# Number of cells sampled from a column, and number of letters read of each.
JUDGED = 2000
_LETTERS = 100
MOST_CATEGORIES = 50
# Share of a column's cells that must have a type.
_MAJORITY = 0.9
# A header that fills this share of its own column is a value.
_HEAD_SHARE = 0.01
_MISSING = {"", "na", "n/a", "#n/a", "nan", "null", "none", "-", "--", "?", "."}
_MONTH = (
    r"jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
    r"|dec(ember)?"
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
    """Return a regular expression, valid in Python and Arrow, for numbers with a thousands separator or spaces."""
    whole = f"[0-9]+|[1-9][0-9]{{0,2}}(?:[{thousands}][0-9]{{3}})+|[1-9][0-9]{{0,2}}(?:[{_SPACES}][0-9]{{3}})+"
    return f"^[-+−]?(?:(?:{whole})(?:[{decimal}][0-9]*)?|[{decimal}][0-9]+)(?:[eE][-+]?[0-9]+)?$"


_NUMBERS = {".": _number(".", ","), ",": _number(",", ".")}
_POINT, _COMMA = (re.compile(_NUMBERS[decimal]) for decimal in ".,")
# May be a thousand or one.
_AMBIGUOUS = re.compile(r"[-+−]?[1-9][0-9]{0,2}[.,][0-9]{3}")


class Kind(NamedTuple):
    """The inferred type of a column, and the reason to leave it out ("" if there is none)."""

    kind: str
    reason: str = ""


def judged(column: pa.ChunkedArray) -> list[str]:
    """Return the beginnings of at most 2,000 evenly spaced cells of a column, without missing ones."""
    at = np.unique(np.linspace(0, max(0, len(column) - 1), JUDGED).astype(int))[: len(column)]
    cells = (
        cell[:_LETTERS].strip()
        for cell in pc.take(column, pa.array(at)).cast(pa.string()).to_pylist()
        if cell is not None
    )
    return [cell for cell in cells if cell.casefold() not in _MISSING]


def commas(cells: list[str]) -> int:
    """Return how many more cells are numbers only with a decimal comma than only with a decimal point."""
    ways = Counter((bool(_COMMA.match(cell)), bool(_POINT.match(cell))) for cell in cells)
    return ways[True, False] - ways[False, True]


def two_ways(cells: list[str]) -> str:
    """Return the separator ("," or ".") of numbers such as 1,234 that can be read in two ways, or ""."""
    marks = "".join(cell for cell in cells if _AMBIGUOUS.fullmatch(cell))
    return next((mark for mark in ",." if mark in marks), "")


def numbers(column: pa.ChunkedArray, decimal: str) -> np.ndarray:
    """Return the column as float64 (n,), NaN for unreadable cells; the number pattern is used unless all are plain."""
    try:
        return _read(column, decimal, plain=decimal == ".")
    except pa.ArrowInvalid:
        return _read(column, decimal, plain=False)


def _read(column: pa.ChunkedArray, decimal: str, *, plain: bool) -> np.ndarray:
    """Return the same array chunk by chunk, so that no intermediate result spans the whole column."""
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
    """Convert texts to numbers: all at once if they are ``plain``, else those that match the pattern."""
    if plain:
        return pc.if_else(pc.equal(cells, ""), None, cells).cast(pa.float64())
    cells = pc.if_else(pc.match_substring_regex(cells, _NUMBERS[decimal]), cells, None)
    cells = pc.replace_substring_regex(cells, f"[{_SPACES}{',' if decimal == '.' else '.'}+]", "")
    return pc.replace_substring(pc.replace_substring(cells, ",", "."), "−", "-").cast(pa.float64())


def _is_text(kind: pa.DataType) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def counts(kind: pa.DataType) -> bool:
    """Return whether a type is numeric or boolean."""
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    return any(test(kind) for test in tests)


def is_flat(kind: pa.DataType) -> bool:
    """Return whether a type is a number, text, boolean, date or null, possibly dictionary-encoded."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    dates = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    return _is_text(kind) or counts(kind) or dates or pa.types.is_null(kind)


def has_head(names: list[str], columns: list[pa.ChunkedArray]) -> bool | None:
    """Return whether the first line holds column names, or None if the columns below it say nothing or disagree."""
    said = {_vote(name.strip(), judged(column)) for name, column in zip(names, columns, strict=True)} - {None}
    return said.pop() if len(said) == 1 else None


def _vote(name: str, cells: list[str]) -> bool | None:
    if name.casefold() in _MISSING or not cells:
        return None
    if cells.count(name) >= _HEAD_SHARE * len(cells):
        return False
    for test in (_is_number, _DATE.fullmatch, _MAIL.fullmatch):
        if _share(test, cells) >= _MAJORITY:
            return not test(name)
    return True if len(cells) >= 20 and len(set(cells)) <= min(MOST_CATEGORIES, len(cells) // 4) else None


def _is_number(cell: str) -> bool:
    return bool(_POINT.match(cell) or _COMMA.match(cell))


def _share(test, cells: list[str]) -> float:
    return sum(bool(test(cell)) for cell in cells) / len(cells)


def guessed(name: str, cells: list[str]) -> Kind:
    """Return the type of a column called ``name``, judged by at most 2,000 of its ``cells``.

    >>> guessed("plan", ["basic", "plus"] * 20).kind
    'category'
    >>> guessed("customer_id", [f"C{n:04}" for n in range(90)])
    Kind(kind='identifier', reason='codes that tell rows or persons apart')
    """
    if not cells:
        return Kind("text", "empty wherever it was looked at")
    if _share(_MAIL.fullmatch, cells) >= _MAJORITY:
        return Kind("e-mail", "addresses that tell persons apart")
    if _share(_DATE.fullmatch, cells) >= _MAJORITY:
        return Kind("date", "dates or times, of which no number is made here")
    values = set(cells)
    if _share(_is_number, cells) >= _MAJORITY:
        return _of_numbers(name, cells)
    if len(values) <= max(2, min(MOST_CATEGORIES, len(cells) // 2)):
        return Kind("category")
    words = [len(cell.split()) for cell in cells]
    single = sum(count == 1 for count in words) >= _MAJORITY * len(cells)
    if single and (len(values) > _MAJORITY * len(cells) or _share(re.compile("[0-9]").search, cells) >= _MAJORITY):
        return Kind("identifier", "codes that tell rows or persons apart")
    if max(words) <= 4 and len(values) > _MAJORITY * len(cells):
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
