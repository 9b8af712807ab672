"""Infer the types of a file's columns from a fixed-size sample of cells; values such as bounds are
never inferred.
"""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lab.uploads import number_cells

# Number of cells sampled from a column, and number of letters read of each.
JUDGED = 2000
_LETTERS = 100
MOST_CATEGORIES = 50
# Share of a column's cells that must have a type.
_MAJORITY = 0.9
# A header that fills this share of its own column is a value.
_HEAD_SHARE = 0.01
_MISSING = {"", "na", "n/a", "#n/a", "nan", "nat", "<na>", "null", "none", "-", "--", "?", "."}
_INFINITE = {sign + word for sign in ("", "-", "+") for word in ("inf", "infinity", "∞", "1.#inf")}
_MONTH = (
    r"jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
    r"|dec(ember)?"
)
_DATE = re.compile(
    r"([0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\3([0-9]{4}|[0-9]{2}))([T"
    r" ].*)?"
    r"|(19|20)[0-9]{2}(0[1-9]|1[0-2])(0[1-9]|[12][0-9]|3[01])|[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?("
    r" ?[ap]m)?"
    rf"|.*[0-9].*\b({_MONTH})\b.*|.*\b({_MONTH})\b.*[0-9].*",
    re.IGNORECASE,
)
_MAIL = re.compile(r"[^@\s]+@[^@\s]+\.[^@\s]+")
_KEY = re.compile(r"(.*[\W_])?(id|uuid|key|no|nr|number|index)|.*[a-z]I[Dd]", re.IGNORECASE)
# May be a thousand or one.
_AMBIGUOUS = re.compile(r"[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}")
_WHOLE = re.compile(r"[0-9]+([.,]0*)?|[0-9](\.[0-9]+)?[eE]\+?[0-9]{1,2}")
# A number with words or signs beside it, and two numbers as the ends of a range.
_DECIMAL = r"[-+−]?[0-9][0-9.,'’ \u00a0\u202f]*"
_LETTERS_BESIDE = r"[^\W\d_]{1,15}[./²³^]*[^\W\d_]{0,5}[0-9]?"
_COMPARED = r"[<>~≈≤≥±=]+\s*"
_BESIDE = re.compile(f"({_COMPARED})?{_DECIMAL}{_LETTERS_BESIDE}|{_COMPARED}{_DECIMAL}")
_RANGE = re.compile(r"[0-9][0-9.,]*\s*(-|–|to|bis|\.\.)\s*[0-9][0-9.,]*\+?|[0-9]+\+")
_MIXED_SHARE = 0.3
_NO_NUMBERS = "texts"
_SEVERAL_UNITS = "numbers with a unit: not the same one in each cell"
_WORDS_BESIDE = "numbers with a unit: words or signs stand beside them"


class Kind(NamedTuple):
    """The inferred type of a column, and the reason to leave it out ("" if there is none)."""

    kind: str
    reason: str = ""


def is_missing(cell: str) -> bool:
    """Return whether a cell is one of the usual spellings of a missing value."""
    return cell.strip().casefold() in _MISSING


def judged(column: pa.ChunkedArray) -> list[str]:
    """Return the beginnings of at most 2,000 evenly spaced cells of a column, without missing and
    infinite ones.
    """
    at = np.unique(np.linspace(0, max(0, len(column) - 1), JUDGED).astype(int))[: len(column)]
    cells = pc.utf8_slice_codeunits(
        pc.take(column, pa.array(at)).cast(pa.string()), 0, _LETTERS
    ).to_pylist()
    trimmed = (cell.strip() for cell in cells if cell is not None)
    return [
        cell
        for cell in trimmed
        if cell.casefold() not in _MISSING and cell.casefold() not in _INFINITE
    ]


def commas(cells: list[str]) -> int:
    """Return how many more cells are numbers only with a decimal comma than only with a decimal
    point.
    """
    more = 0
    for cell in map(number_cells.bare, cells):
        with_comma, with_point = number_cells.COMMA.match(cell), number_cells.POINT.match(cell)
        more += bool(with_comma) - bool(with_point)
    return more


def two_ways(cells: list[str]) -> str:
    """Return the separator ("," or ".") of numbers such as 1,234 that can be read in two ways, or
    "".
    """
    marks = "".join(cell for cell in map(number_cells.bare, cells) if _AMBIGUOUS.fullmatch(cell))
    return next((mark for mark in ",." if mark in marks), "")


def numbers(column: pa.ChunkedArray, decimal: str) -> np.ndarray:
    """Return the column as float64 (n,), NaN for cells that are no finite number."""
    try:
        return _read(column, decimal, plain=decimal == ".")
    except pa.ArrowInvalid:
        return _read(column, decimal, plain=False)


def _read(column: pa.ChunkedArray, decimal: str, *, plain: bool) -> np.ndarray:
    """Return the same array chunk by chunk, so that no intermediate result spans the whole column.

    plain: whether to convert all texts at once, which raises ArrowInvalid unless all are plain
    numbers.
    """
    found = np.empty(len(column))
    end = 0
    for chunk in column.chunks:
        if not counts(chunk.type):
            cells = pc.utf8_trim_whitespace(chunk.cast(pa.string()))
            if plain:
                chunk = pc.if_else(pc.equal(cells, ""), None, cells).cast(pa.float64())
            else:
                chunk = number_cells.to_floats(cells, decimal)
        if pa.types.is_boolean(chunk.type):
            chunk = chunk.cast(pa.int8())
        start = end
        end += len(chunk)
        values = pc.fill_null(chunk.cast(pa.float64(), safe=False), np.nan)
        found[start:end] = values.to_numpy(zero_copy_only=False)
    found[~np.isfinite(found)] = np.nan
    return found


def filled_rows(columns: Sequence[pa.Array | pa.ChunkedArray]) -> pa.Array | None:
    """Return which rows (n,) have a value in some column, or None if all have."""
    blank = None
    for column in columns:
        if _is_text(column.type):
            empty = pc.fill_null(
                pc.equal(pc.binary_length(pc.utf8_trim_whitespace(column)), 0), True
            )
        elif pa.types.is_floating(column.type):
            empty = pc.is_null(column, nan_is_null=True)
        else:
            empty = pc.is_null(column)
        blank = empty if blank is None else pc.and_(blank, empty)
        if not pc.any(blank).as_py():
            return None
    return None if blank is None else pc.invert(blank)


def _is_text(kind: pa.DataType) -> bool:
    return (
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def counts(kind: pa.DataType) -> bool:
    """Return whether a type is numeric or boolean."""
    tests = (pa.types.is_integer, pa.types.is_floating, pa.types.is_decimal, pa.types.is_boolean)
    return any(test(kind) for test in tests)


def is_flat(kind: pa.DataType) -> bool:
    """Return whether a type is a number, text, boolean, date or null, possibly
    dictionary-encoded.
    """
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    dates = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    return _is_text(kind) or counts(kind) or dates or pa.types.is_null(kind)


def has_head(names: list[str], columns: list[pa.ChunkedArray]) -> bool | None:
    """Return whether the first line holds column names, or None if the columns below it say nothing
    or disagree.
    """
    said = {
        _vote(name.strip(), judged(column)) for name, column in zip(names, columns, strict=True)
    } - {None}
    return said.pop() if len(said) == 1 else None


def _vote(name: str, cells: list[str]) -> bool | None:
    if name.casefold() in _MISSING or not cells:
        return None
    if cells.count(name) >= _HEAD_SHARE * len(cells):
        return False
    for test in (number_cells.is_number, _DATE.fullmatch, _MAIL.fullmatch):
        if _share(test, cells) >= _MAJORITY:
            return not test(name)
    return (
        True
        if len(cells) >= 20 and len(set(cells)) <= min(MOST_CATEGORIES, len(cells) // 4)
        else None
    )


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
    shape = number_fault(cells)
    if not shape:
        return _of_numbers(name, cells)
    if len(values) <= max(2, min(MOST_CATEGORIES, len(cells) // 2)):
        return Kind("category")
    if shape != _NO_NUMBERS:
        return Kind("text", shape)
    words = [len(cell.split()) for cell in cells]
    single = sum(count == 1 for count in words) >= _MAJORITY * len(cells)
    if single and (
        len(values) > _MAJORITY * len(cells)
        or _share(re.compile("[0-9]").search, cells) >= _MAJORITY
    ):
        return Kind("identifier", "codes that tell rows or persons apart")
    if max(words) <= 4 and len(values) > _MAJORITY * len(cells):
        return Kind("identifier", "names or the like, hardly any of which comes back")
    return Kind("text", f"texts, or more than {MOST_CATEGORIES} different values")


def number_fault(cells: list[str]) -> str:
    """Return "" if nearly all cells read as numbers of one unit, else what they are.

    >>> number_fault(["$5", "$7"]), number_fault(["$5", "7 %"])
    ('', 'numbers with a unit: not the same one in each cell')
    """
    if not cells:
        return _NO_NUMBERS
    found = [cell for cell in cells if number_cells.is_number(cell)]
    if len(found) >= _MAJORITY * len(cells):
        return "" if len(set(map(number_cells.unit, found))) == 1 else _SEVERAL_UNITS
    if _share(_DATE.fullmatch, cells) >= _MAJORITY:
        return "dates or times"
    if _share(_RANGE.fullmatch, cells) >= _MAJORITY - len(found) / len(cells):
        return "ranges of numbers"
    if _share(_BESIDE.fullmatch, cells) >= _MAJORITY - len(found) / len(cells):
        return _WORDS_BESIDE
    if len(found) >= _MIXED_SHARE * len(cells):
        return "numbers, and something else in other cells"
    return _NO_NUMBERS


def units(cells: list[str]) -> set[str]:
    """Return the units that stand beside the numbers of a column, "" for none."""
    return {number_cells.unit(cell) for cell in cells if number_cells.is_number(cell)}


def _of_numbers(name: str, cells: list[str]) -> Kind:
    many = len(set(cells)) > MOST_CATEGORIES
    whole = many and all(_WHOLE.fullmatch(cell) for cell in cells)
    if not whole:
        return Kind("number")
    if any(cell[0] == "0" and cell[1:].isdigit() for cell in cells):
        return Kind("identifier", "codes: numbers that begin with 0")
    values = [float(cell.replace(",", ".")) for cell in cells]
    rising = all(one < following for one, following in pairwise(values))
    falling = all(one > following for one, following in pairwise(values))
    if rising or falling or _KEY.fullmatch(name):
        return Kind("identifier", "numbers that count or name rows")
    return Kind("number")
