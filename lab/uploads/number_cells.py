"""Read numbers with currency signs, %, parentheses, separators, and digits of any script.

Each cell is read by itself, so that no row decides how another one is read; only the decimal
separator is that of the whole column.
"""

import re
import unicodedata

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
    if thousands == ",":  # as in India: 12,34,567
        whole += "|[1-9][0-9]?(?:,[0-9]{2})+,[0-9]{3}"
    return f"^[-+]?(?:(?:{whole})(?:[{decimal}][0-9]*)?|[{decimal}][0-9]+)(?:[eE][-+]?[0-9]+)?$"


_PATTERNS = {".": _number(".", ","), ",": _number(",", ".")}
_OTHER_SEPARATOR = {".": ",", ",": "."}
# Numbers with a decimal point, and with a decimal comma.
POINT = re.compile(_PATTERNS["."])
COMMA = re.compile(_PATTERNS[","])
_SIGNS = r"$¢£¤¥֏؋৲৳৻૱௹฿៛元円圆원₠-⃀꠸﷼﹩＄￠￡￥￦"
_CODES = (
    "AED|ARS|AUD|BDT|BGN|BRL|CAD|CHF|CLP|CNY|COP|CZK|DKK|EGP|EUR|GBP|GHS|HKD|HUF|IDR|ILS|INR|IRR|ISK|JPY|KES|KRW|KZT"
    "|MAD|MXN|MYR|NGN|NOK|NZD|PEN|PHP|PKR|PLN|RMB|RON|RSD|RUB|SAR|SEK|SGD|THB|TND|TRY|TWD|TZS|UAH|UGX|USD|UYU|VND|XAF"
    "|XOF|ZAR"
)
_WORDS = (
    r"Euros?|euros?|Rs\.?|kr\.?|zł|Kč|Ft|lei|лв\.?|руб\.?|р\.|грн\.?|TL|S?Fr\.?|RM|Rp\.?|Kshs?\.?"
)
_CURRENCY = rf"(?:[A-Z]{{1,2}} ?)?[{_SIGNS}]|{_CODES}|{_WORDS}"
_PER_CENT = "[%٪﹪％]"
_PER_MILLE = "‰"
_UNIT = rf"(?:{_CURRENCY}|{_PER_CENT}|{_PER_MILLE})"
_SPACE = f"[{SPACES}]*"
# Replacements applied in turn to a cell: a unit before and behind, ".-" and "(5)" and "5-" of
# bookkeeping.
_REPLACEMENTS = (
    (rf"^([-+]?\(?[-+]?){_SPACE}{_UNIT}{_SPACE}", r"\1"),
    (rf"{_SPACE}{_UNIT}{_SPACE}(\)?-?)$", r"\1"),
    (r"[.,]-+$", ""),
    (rf"^\({_SPACE}([^-+()]*[^-+() ]){_SPACE}\)$", r"-\1"),
    (r"^([^-+].*)-$", r"-\1"),
)
_COMPILED_REPLACEMENTS = tuple(
    (re.compile(pattern), replacement) for pattern, replacement in _REPLACEMENTS
)
_SHARE_SIGNS = ((re.compile(_PER_CENT), "%"), (re.compile(_PER_MILLE), "‰"))
_CURRENCY_SIGN = re.compile(f"[{_SIGNS}]|{_CODES}|{_WORDS}")
# Signs of other scripts and keyboards, as those that the patterns have. The Arabic decimal
# separator is a point, and its thousands separator a comma.
_SAME_SIGNS = {
    "−": "-",
    "–": "-",
    "‒": "-",
    "﹣": "-",
    "－": "-",
    "＋": "+",
    "．": ".",
    "，": ",",
    "٫": ".",
    "٬": ",",
    "（": "(",
    "）": ")",
}
# Direction marks.
_INVISIBLE = "\u061c\u200e\u200f\u202a\u202b\u202c\u2066\u2067\u2068\u2069"
# The zeros of all scripts but ASCII, whose other digits follow in order.
_ZEROS = tuple(code for code in range(0x660, 0x1FC00) if unicodedata.decimal(chr(code), None) == 0)


def _translations() -> dict[int, str | None]:
    """Return the table for ``str.translate`` of digits, signs and marks to ASCII."""
    translations: dict[int, str | None] = {}
    for zero in _ZEROS:
        for digit in range(10):
            translations[zero + digit] = str(digit)
    for sign, ascii_sign in _SAME_SIGNS.items():
        translations[ord(sign)] = ascii_sign
    for mark in _INVISIBLE:
        translations[ord(mark)] = None
    return translations


_TRANSLATIONS = _translations()


def bare(cell: str) -> str:
    """Return a cell without units and signs of bookkeeping, in the digits of ASCII.

    >>> cells = ("$2,839.41", "65.3%", "(818.09)", "٤٣", "1.234,50-", "US$ -5", "kr 5,-")
    >>> [bare(cell) for cell in cells]
    ['2,839.41', '65.3', '-818.09', '43', '-1.234,50', '-5', '5']
    """
    if not cell.isascii():
        cell = cell.translate(_TRANSLATIONS)
    cell = cell.strip()
    for pattern, replacement in _COMPILED_REPLACEMENTS:
        cell = pattern.sub(replacement, cell)
    return cell


def is_number(cell: str) -> bool:
    """Return whether a cell can be read as a number, with either decimal separator."""
    number = bare(cell)
    return bool(POINT.match(number) or COMMA.match(number))


def unit(cell: str) -> str:
    """Return the unit beside a number: "%", "‰", a sign or code of a currency, or ""."""
    for pattern, sign in _SHARE_SIGNS:
        if pattern.search(cell):
            return sign
    currency = _CURRENCY_SIGN.search(cell)
    if currency is None:
        return ""
    return currency[0].rstrip(".")


def to_floats(cells: pa.Array, decimal: str) -> pa.Array:
    """Return texts as float64, null for those that ``bare`` makes no number of."""
    numbers = _only_numbers(cells, decimal)
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
    if _any_match(cells, r"[^\x00-\x7f]"):
        for sign, same in _SAME_SIGNS.items():
            cells = pc.replace_substring(cells, sign, same)
        cells = pc.replace_substring_regex(cells, f"[{_INVISIBLE}]", "")
    if _any_match(cells, r"[^\x00-\x7f\PN]"):
        cells = _with_ascii_digits(cells)
    cells = pc.utf8_trim_whitespace(cells)
    for pattern, replacement in _REPLACEMENTS:
        cells = pc.replace_substring_regex(cells, pattern, replacement)
    return cells


def _with_ascii_digits(cells: pa.Array) -> pa.Array:
    """Return the cells with the digits of other scripts replaced by those of ASCII."""
    for zero in _ZEROS:
        if not _any_match(cells, f"[{chr(zero)}-{chr(zero + 9)}]"):
            continue
        for digit in range(10):
            cells = pc.replace_substring(cells, chr(zero + digit), str(digit))
    return cells


def _any_match(cells: pa.Array, pattern: str) -> bool:
    """Return whether a regular expression matches in any cell."""
    return bool(pc.any(pc.match_substring_regex(cells, pattern)).as_py())
