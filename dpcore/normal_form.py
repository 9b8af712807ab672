"""Compare names, answers and categories, however they are spelled.

All spellings of a name have one normal form, such as ``zoe`` for "Zoe", " ZOE" and "zoe.".
"""

import re
import unicodedata
from decimal import Context, Decimal

# The spellings of true and false are those of 1 and 0.
_TRUTH = {"true": "1", "false": "0"}
_NUMBER = re.compile(r"[-+]?([0-9]{1,60}(\.[0-9]{0,60})?|\.[0-9]{1,60})(e[-+]?[0-9]{1,4})?")
# One or two digits behind a comma are decimals; three may be thousands.
_DECIMAL_COMMA = re.compile(r"[-+]?[0-9]{1,60},[0-9]{1,2}")
_EXACT = Context(prec=200)
# Hyphens, dashes and the minus sign; apostrophes and the quotes that stand for one.
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
_APOSTROPHES = "\u2018\u2019\u201b\u02bc\u00b4`\u2032\uff07"
_ALIKE = str.maketrans(_DASHES + _APOSTROPHES, "-" * len(_DASHES) + "'" * len(_APOSTROPHES))


def normal_form(spelling: str) -> str:
    """Return the form that all spellings of one name share.

    Two spellings are one name if they differ only in code points, in capital letters, in spaces and
    letters that are not seen, in the kind of a dash or apostrophe, in dots at the end, or in how a
    number is written. True and false are 1 and 0.

    >>> normal_form(" Zoe\\u0308  O\\u2019Hara") == normal_form("ZOË O'HARA")
    True
    >>> [normal_form(spelling) for spelling in ("1", "1.0", "TRUE", "+01", "1e0")]
    ['1', '1', '1', '1', '1']
    >>> normal_form("<=50K."), normal_form("...")
    ('<=50k', '...')
    """
    # Quick for the many names that are plain already.
    if spelling.isascii() and spelling.isalpha():
        folded = spelling.casefold()
        return _TRUTH.get(folded, folded)
    text = spelling
    if not spelling.isascii():
        text = _visible(spelling)
    text = " ".join(text.translate(_ALIKE).casefold().split())
    text = unicodedata.normalize("NFC", text)
    # A name that consists of dots keeps them.
    text = text.rstrip(" .") or text
    number = _digits(text)
    if _DECIMAL_COMMA.fullmatch(number):
        number = number.replace(",", ".")
    if _NUMBER.fullmatch(number):
        return _canonical(number)
    return _TRUTH.get(text, text)


def _visible(text: str) -> str:
    """Return the text with compatible letters replaced and invisible ones removed.

    Invisible are format characters, such as direction marks.
    """
    text = unicodedata.normalize("NFKC", text.translate(_ALIKE))
    visible = [letter for letter in text if unicodedata.category(letter) != "Cf"]
    return "".join(visible)


def _digits(text: str) -> str:
    """Return the text with the digits of any script replaced by ASCII digits."""
    if text.isascii():
        return text
    letters = []
    for letter in text:
        if letter.isdecimal():
            letters.append(str(unicodedata.decimal(letter)))
        else:
            letters.append(letter)
    return "".join(letters)


def _canonical(number: str) -> str:
    """Return the one spelling of a number, without trailing zeros or a sign of zero."""
    value = Decimal(number).normalize(_EXACT)
    if value == 0:
        value = abs(value)
    return str(value)
