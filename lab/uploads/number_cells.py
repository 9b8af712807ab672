"""Read numbers with currency signs, %, parentheses and separators.

Each cell is read by itself, so that no row decides how another one is read; only the decimal
separator is that of the whole column.
"""

import re

import pyarrow as pa
import pyarrow.compute as pc

SPACES = " '’\u00a0\u202f\u2009\u2007"


def _number(decimal: str, thousands: str) -> str:
    """Return a regular expression, valid in Python and Arrow, for numbers with a thousands
    separator or spaces.
    """
    by_separator = f"[1-9][0-9]{{0,2}}(?:[{thousands}][0-9]{{3}})+"
    by_spaces = f"[1-9][0-9]{{0,2}}(?:[{SPACES}][0-9]{{3}})+"
    whole = f"[0-9]+|{by_separator}|{by_spaces}"
    return f"^[-+]?(?:(?:{whole})(?:[{decimal}][0-9]*)?|[{decimal}][0-9]+)(?:[eE][-+]?[0-9]+)?$"


_PATTERNS = {".": _number(".", ","), ",": _number(",", ".")}
_OTHER_SEPARATOR = {".": ",", ",": "."}
# Numbers with a decimal point, and with a decimal comma.
POINT = re.compile(_PATTERNS["."])
COMMA = re.compile(_PATTERNS[","])
_CURRENCY = r"(?:US|C|A|R)?[$€£¥₹]|USD|EUR|GBP|CHF|JPY|INR|CAD|AUD"
_UNIT = f"(?:{_CURRENCY}|%)"
_SPACE = f"[{SPACES}]*"
# Replacements applied in turn to a cell: other minus signs, a unit before and behind, and "(5)" of
# bookkeeping.
_REPLACEMENTS = (
    ("[−–]", "-"),
    (rf"^([-+]?\(?[-+]?){_SPACE}{_UNIT}{_SPACE}", r"\1"),
    (rf"{_SPACE}{_UNIT}{_SPACE}(\)?)$", r"\1"),
    (rf"^\({_SPACE}([^-+()]*[^-+() ]){_SPACE}\)$", r"-\1"),
)
_COMPILED_REPLACEMENTS = tuple(
    (re.compile(pattern), replacement) for pattern, replacement in _REPLACEMENTS
)
_COMPILED_UNIT = re.compile(_UNIT)


def bare(cell: str) -> str:
    """Return a cell without units and signs of bookkeeping.

    >>> [bare(cell) for cell in ("$2,839.41", "65.3%", "(818.09)", "1.234,50 €", "US$ -5")]
    ['2,839.41', '65.3', '-818.09', '1.234,50', '-5']
    """
    cell = cell.strip()
    for pattern, replacement in _COMPILED_REPLACEMENTS:
        cell = pattern.sub(replacement, cell)
    return cell


def is_number(cell: str) -> bool:
    """Return whether a cell can be read as a number, with either decimal separator."""
    number = bare(cell)
    return bool(POINT.match(number) or COMMA.match(number))


def unit(cell: str) -> str:
    """Return the unit beside a number: "%", a sign or code of a currency, or ""."""
    match = _COMPILED_UNIT.search(cell)
    if match is None:
        return ""
    return match[0]


def to_floats(cells: pa.Array, decimal: str) -> pa.Array:
    """Return texts as float64, null for those that ``bare`` makes no number of."""
    numbers = _only_numbers(cells, decimal)
    # Most columns are plain numbers already. Only the cells that are not are stripped of signs.
    if numbers.null_count > cells.null_count:
        missing = pc.and_(pc.is_null(numbers), pc.greater(pc.binary_length(cells), 0))
        if pc.any(missing).as_py():
            others = _all_bare(pc.if_else(missing, cells, None))
            numbers = pc.coalesce(numbers, _only_numbers(others, decimal))
    thousands = _OTHER_SEPARATOR[decimal]
    numbers = pc.replace_substring_regex(numbers, f"[{SPACES}{thousands}+]", "")
    return pc.replace_substring(numbers, ",", ".").cast(pa.float64())


def _only_numbers(cells: pa.Array, decimal: str) -> pa.Array:
    """Return the cells that are numbers, null for others."""
    is_number = pc.match_substring_regex(cells, _PATTERNS[decimal])
    return pc.if_else(is_number, cells, None)


def _all_bare(cells: pa.Array) -> pa.Array:
    """Return ``bare`` of each cell, computed by Arrow, which does not hold up other threads."""
    cells = pc.utf8_trim_whitespace(cells)
    for pattern, replacement in _REPLACEMENTS:
        cells = pc.replace_substring_regex(cells, pattern, replacement)
    return cells
