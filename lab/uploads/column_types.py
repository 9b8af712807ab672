"""Infer the types of a file's columns from a fixed-size sample of cells.

Values such as bounds are never inferred.
"""

import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from lab.uploads import number_cells

# Number of cells sampled from a column, and number of letters read of each.
SAMPLE_SIZE = 2000
_LETTERS = 100
MOST_CATEGORIES = 50
# In a column of few cells, at least this number of different values may be categories.
_FEW_CATEGORIES = 2
# A column shows that the line above is a header only with this number of cells, and if each of its
# values occurs in so many of them on average.
_LEAST_CELLS = 20
_LEAST_REPETITION = 4
# Made once and ahead: while Arrow reads a text on another thread, making a scalar from a Python
# value fails now and then.
_NO_BYTES = pa.scalar(0)
_EMPTY = pa.scalar(True)
# Share of a column's cells that must have a type.
_MAJORITY = 0.9
# A header that occurs in this share of the cells below it is a value.
_HEADER_SHARE = 0.01
_MISSING = {"", "na", "n/a", "#n/a", "nan", "nat", "<na>", "null", "none", "-", "--", "?", "."}
_INFINITE = {"inf", "infinity", "∞", "1.#inf"}
_MONTH = (
    r"jan(uary)?|feb(ruary)?|mar(ch)?|apr(il)?|may|june?|july?|aug(ust)?|sept?(ember)?|oct(ober)?|nov(ember)?"
    r"|dec(ember)?"
)
_DATE = re.compile(
    r"([0-9]{4}([-/.])[0-9]{1,2}\2[0-9]{1,2}|[0-9]{1,2}([-/.])[0-9]{1,2}\3([0-9]{4}|[0-9]{2}))([T"
    r" ].*)?"
    r"|[0-9]{1,2}:[0-9]{2}(:[0-9]{2})?( ?[ap]m)?"
    rf"|.*[0-9].*\b({_MONTH})\b.*|.*\b({_MONTH})\b.*[0-9].*",
    re.IGNORECASE,
)
# May be a thousand or one.
_AMBIGUOUS = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")
_MIXED_SHARE = 0.3
_DATES = "dates or times"
_NO_NUMBERS = "texts"
_SEVERAL_UNITS = "numbers with a unit: not the same one in each cell"


class Kind(NamedTuple):
    """The inferred type of a column.

    kind: "number", "category" or "other". reason: why the column is left out; "" if it can be used.
    """

    kind: str
    reason: str = ""


def is_missing(cell: str) -> bool:
    """Return whether a cell is one of the usual spellings of a missing value."""
    return cell.strip().casefold() in _MISSING


def sample_cells(column: pa.ChunkedArray) -> list[str]:
    """Return the beginnings of at most 2,000 evenly spaced cells of a column, without missing and
    infinite ones.
    """
    if len(column) == 0:
        return []
    positions = np.linspace(0, len(column) - 1, SAMPLE_SIZE)
    # Positions in a short column repeat.
    rows = np.unique(positions.astype(int))
    sample = pc.take(column, pa.array(rows)).cast(pa.string())
    cells = []
    for cell in pc.utf8_slice_codeunits(sample, 0, _LETTERS).to_pylist():
        if cell is None:
            continue
        trimmed = cell.strip()
        is_infinite = trimmed.casefold().lstrip("+-") in _INFINITE
        if not is_missing(trimmed) and not is_infinite:
            cells.append(trimmed)
    return cells


def excess_of_commas(cells: list[str]) -> int:
    """Return how many more cells are numbers only with a decimal comma than only with a decimal
    point.
    """
    excess = 0
    for cell in cells:
        number = number_cells.bare(cell)
        if number_cells.COMMA.match(number):
            excess += 1
        if number_cells.POINT.match(number):
            excess -= 1
    return excess


def has_ambiguous_comma(cells: list[str]) -> bool:
    """Return whether a number such as 1,234 may be a thousand or one."""
    return any(_AMBIGUOUS.fullmatch(number_cells.bare(cell)) for cell in cells)


def numbers(column: pa.ChunkedArray, decimal: str) -> np.ndarray:
    """Return the column as float64 (n,), NaN for cells that are no finite number.

    It is converted chunk by chunk, so that no intermediate result spans all of it.
    """
    floats = np.empty(len(column))
    start = 0
    for chunk in column.chunks:
        if not is_numeric(chunk.type):
            cells = pc.utf8_trim_whitespace(chunk.cast(pa.string()))
            chunk = number_cells.to_floats(cells, decimal)
        if pa.types.is_boolean(chunk.type):
            chunk = chunk.cast(pa.int8())
        values = pc.fill_null(chunk.cast(pa.float64(), safe=False), np.nan)
        end = start + len(chunk)
        floats[start:end] = values.to_numpy(zero_copy_only=False)
        start = end
    floats[~np.isfinite(floats)] = np.nan
    return floats


def filled_rows(columns: Sequence[pa.Array | pa.ChunkedArray]) -> pa.Array | None:
    """Return whether each row (n,) has a value in some column, or None if all rows have."""
    blank = None
    for column in columns:
        empty = _is_empty(column)
        if blank is None:
            blank = empty
        else:
            blank = pc.and_(blank, empty)
        if not pc.any(blank).as_py():
            return None
    if blank is None:
        return None
    return pc.invert(blank)


def _is_empty(column: pa.Array | pa.ChunkedArray) -> pa.Array:
    """Return whether each cell (n,) is missing or, in a column of texts, holds only spaces."""
    if _is_text(column.type):
        lengths = pc.binary_length(pc.utf8_trim_whitespace(column))
        return pc.fill_null(pc.equal(lengths, _NO_BYTES), _EMPTY)
    if pa.types.is_floating(column.type):
        return pc.is_null(column, nan_is_null=True)
    return pc.is_null(column)


def _is_text(kind: pa.DataType) -> bool:
    """Return whether a type is one of Arrow's three for text."""
    return (
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)
    )


def is_numeric(kind: pa.DataType) -> bool:
    """Return whether a type is numeric or boolean."""
    return (
        pa.types.is_integer(kind)
        or pa.types.is_floating(kind)
        or pa.types.is_decimal(kind)
        or pa.types.is_boolean(kind)
    )


def is_flat(kind: pa.DataType) -> bool:
    """Return whether a type is a number, text, boolean, date or null, possibly
    dictionary-encoded.
    """
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    is_date = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    return _is_text(kind) or is_numeric(kind) or is_date or pa.types.is_null(kind)


def has_header(first_line: list[str], columns: list[pa.ChunkedArray]) -> bool | None:
    """Return whether the first line holds column names, or None if the columns below it give no
    sign or disagree.
    """
    votes = set()
    for cell, column in zip(first_line, columns, strict=True):
        vote = _is_name(cell.strip(), sample_cells(column))
        if vote is not None:
            votes.add(vote)
    if len(votes) == 1:
        return votes.pop()
    return None


def _is_name(first_cell: str, cells: list[str]) -> bool | None:
    """Return whether a column's first cell is a name, or None if the ``cells`` below give no
    sign.
    """
    if is_missing(first_cell) or not cells:
        return None
    if cells.count(first_cell) >= _HEADER_SHARE * len(cells):
        return False
    for test in (number_cells.is_number, _DATE.fullmatch):
        if _share(test, cells) >= _MAJORITY:
            return not test(first_cell)
    most_values = min(MOST_CATEGORIES, len(cells) // _LEAST_REPETITION)
    if len(cells) >= _LEAST_CELLS and len(set(cells)) <= most_values:
        return True
    return None


def _share(test: Callable[[str], Any], cells: list[str]) -> float:
    """Return the share of the cells that pass a test."""
    return sum(bool(test(cell)) for cell in cells) / len(cells)


def infer_kind(cells: list[str]) -> Kind:
    """Infer the type of a column from at most 2,000 of its cells.

    >>> infer_kind(["basic", "plus"] * 20).kind
    'category'
    >>> infer_kind([f"C{n:04}" for n in range(90)])
    Kind(kind='other', reason='texts or codes, with more than 45 different values')
    """
    if not cells:
        return Kind("other", "empty wherever it was looked at")
    fault = number_fault(cells)
    if not fault:
        return Kind("number")
    if fault == _DATES:
        return Kind("other", "dates or times, of which no number is made here")
    most_categories = max(_FEW_CATEGORIES, min(MOST_CATEGORIES, len(cells) // 2))
    if len(set(cells)) <= most_categories:
        return Kind("category")
    return Kind("other", f"texts or codes, with more than {most_categories} different values")


def number_fault(cells: list[str]) -> str:
    """Return "" if nearly all cells read as numbers of one unit, else what they are.

    >>> number_fault(["$5", "$7"]), number_fault(["$5", "7 %"])
    ('', 'numbers with a unit: not the same one in each cell')
    """
    if not cells:
        return _NO_NUMBERS
    number_share = _share(number_cells.is_number, cells)
    if number_share >= _MAJORITY:
        if len(units(cells)) > 1:
            return _SEVERAL_UNITS
        return ""
    if _share(_DATE.fullmatch, cells) >= _MAJORITY:
        return _DATES
    if number_share >= _MIXED_SHARE:
        return "numbers, and something else in other cells"
    return _NO_NUMBERS


def units(cells: list[str]) -> set[str]:
    """Return the units that stand beside the numbers of a column, "" for none."""
    return {number_cells.unit(cell) for cell in cells if number_cells.is_number(cell)}
