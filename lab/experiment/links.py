"""Write settings as texts for links, sliders and pins, and read them back.

A text that the settings refuse leaves its field as it was, and the refusal says why.

A link names the version of the defaults that it leaves out, ``v=5``. Raise ``VERSION`` when a
default changes: a link with another version opens with the present defaults, and the page says so.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import asdict, fields
from enum import Enum
from types import MappingProxyType
from typing import Any, get_args
from weakref import WeakKeyDictionary

from dpcore.check import RefusedError
from lab.experiment.settings import Settings

# Separates names and values if all settings are one word.
SEPARATOR = "~"
# The parameter of a link that names the version of the defaults, and the present version.
VERSION_NAME = "v"
VERSION = 5
UNFORESEEN = "another value, as this one met a fault of the page"
# Numbers as people write them (the same as in ``scale.js``): no "nan", no "1_000", no digits of
# other scripts.
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.IGNORECASE)
# "1,000" may be a thousand, or one; "0,3", "2,75" and "0,125" are always decimals.
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")
# For a whole number, a point may also separate thousands. Elsewhere it is a decimal point.
_WHOLE_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}")
# Beginnings of parameters that mail programs, search engines and learning platforms add to a link.
_TRACKING = (
    "utm_",
    "mc_",
    "mtm_",
    "lti_",
    "fbclid",
    "gclid",
    "msclkid",
    "igsh",
    "_",
    "ref_",
    "forceview",
    "redirect",
)

_log = logging.getLogger(__name__)


def is_tracking(name: str) -> bool:
    """Return whether other programs add this parameter to links, which is then no setting."""
    return name.lower().startswith(_TRACKING)


def versioned(texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``texts`` with the version of the defaults that are left out."""
    return {**texts, VERSION_NAME: str(VERSION)}


def read(kind: type[Settings], texts: Mapping[str, str]) -> tuple[Any, dict[str, RefusedError]]:
    """Return settings with the values of ``texts``, and the refusals by field.

    Args:
        kind: The class of the settings.
        texts: Field -> text. Other keys are ignored, except for the version of the defaults.
    """
    refused = {}
    version = texts.get(VERSION_NAME, str(VERSION))
    if version != str(VERSION):
        allowed = f"{VERSION}, the version of the present defaults"
        refused[VERSION_NAME] = RefusedError(VERSION_NAME, version, allowed)
    settings = kind()
    for name in _field_names(kind):
        if name not in texts:
            continue
        try:
            settings = changed(settings, name, texts[name])
        except RefusedError as refusal:
            refused[name] = refusal
    return settings, refused


def _field_names(settings: Settings | type[Settings]) -> list[str]:
    """Return the names of all fields of settings."""
    return [field.name for field in fields(settings)]


# Weak, because settings may hold an uploaded file.
_minimal_texts_of: WeakKeyDictionary[Settings, Mapping[str, str]] = WeakKeyDictionary()


def minimal_texts(settings: Settings) -> Mapping[str, str]:
    """Return the fewest texts from which ``read`` makes these settings again.

    These are the fields that differ from the defaults, and those that a change of them would
    change. The result is kept as long as the settings are, because a run asks for it several times.
    """
    texts = _minimal_texts_of.get(settings)
    if texts is None:
        texts = MappingProxyType(_minimal_texts(settings))
        _minimal_texts_of[settings] = texts
    return texts


def all_texts(settings: Settings) -> dict[str, str]:
    """Return the texts of all fields, by name."""
    return {name: str(value) for name, value in asdict(settings).items()}


def _minimal_texts(settings: Settings) -> dict[str, str]:
    """Return the fewest fields from which a link rebuilds the settings."""
    texts = all_texts(settings)
    kind = type(settings)
    names: set[str] = set()
    rebuilt = kind()
    missing = _differing_names(rebuilt, settings)
    # Each round adds a name, so it ends.
    while missing:
        names |= missing
        rebuilt, _ = read(kind, {name: texts[name] for name in texts if name in names})
        missing = _differing_names(rebuilt, settings) - names
    return {name: text for name, text in texts.items() if name in names}


class CompactText(str):
    """A compact text of settings with values that it only names, such as an uploaded file.

    Attributes:
        values_by_field: These values, by the name of their field.
    """

    values_by_field: Mapping[str, str] = MappingProxyType({})


def compact(settings: Settings, *, separator: str = SEPARATOR) -> str:
    """Return ``minimal_texts`` as one text, ``field~value~field~value``.

    It is a ``CompactText`` if a value is more than its text.
    """
    parts: list[str] = []
    for name, text in minimal_texts(settings).items():
        parts += [name, text]
    joined = separator.join(parts)
    values_by_field = {}
    for name in _field_names(settings):
        value = getattr(settings, name)
        # A text of another class is the handle of a file.
        if isinstance(value, str) and type(value) is not str and not isinstance(value, Enum):
            values_by_field[name] = value
    if not values_by_field:
        return joined
    text_with_handles = CompactText(joined)
    text_with_handles.values_by_field = values_by_field
    return text_with_handles


def pairs(text: str, *, name: str, separator: str = SEPARATOR) -> dict[str, str]:
    """Return field -> value of a ``compact`` text.

    Raises:
        RefusedError: For the argument ``name``, if a field has no value.
    """
    parts = []
    if text:
        parts = text.split(separator)
    if len(parts) % 2:
        raise RefusedError(name, text, "fields, each with its value")
    return dict(zip(parts[::2], parts[1::2], strict=True))


def from_compact(kind: type[Settings], text: str, *, name: str, separator: str = SEPARATOR) -> Any:
    """Return the settings of a ``compact`` text.

    Raises:
        RefusedError: For the argument ``name``, if any part of the text is refused.
    """
    texts = pairs(text, name=name, separator=separator)
    for field, value in getattr(text, "values_by_field", {}).items():
        if field in texts:
            texts[field] = value
    settings, refused = read(kind, texts)
    for field, refusal in refused.items():
        why = f"{field} must be {refusal.allowed}"
        raise RefusedError(name, text, f"settings that this page takes: {why}")
    known = _field_names(kind)
    for field in texts:
        if field not in known:
            why = f"there is no {field}"
            raise RefusedError(name, text, f"settings that this page takes: {why}")
    return settings


def _differing_names(a: Settings, b: Settings) -> set[str]:
    """Return the names of the fields in which two settings of one page differ."""
    return {name for name in _field_names(a) if getattr(a, name) != getattr(b, name)}


def changed(settings: Any, name: str, value: float | str) -> Any:
    """Return ``settings`` with another value of a field.

    Raises:
        RefusedError: Whatever goes wrong, so no entry removes a page.
    """
    try:
        return settings.change(**{name: _typed(type(settings), name, value)})
    except RefusedError:
        raise
    except Exception as fault:
        _log.exception("%s: a value of %s met a fault", type(settings).__name__, name)
        raise RefusedError(name, value, UNFORESEEN) from fault


def _typed(kind: type[Settings], name: str, value: float | str) -> Any:
    """Return ``value`` as the field's type if it can be read as one; else as it is, for the
    settings to refuse.
    """
    type_name = _type_name(kind, name)
    if type_name not in ("int", "float"):
        return value
    if isinstance(value, str):
        if type_name == "int" and _WHOLE_THOUSANDS.fullmatch(_plain(value)):
            return value
        number = _number(value)
    else:
        number = float(value)
    if number is None:
        return value
    if type_name == "int" and number.is_integer():
        return int(number)
    return number


def _type_name(kind: type[Settings], name: str) -> str:
    """Return the name of a field's type; of a union, that of its first member."""
    for field in fields(kind):
        if field.name != name:
            continue
        if isinstance(field.type, str):
            return field.type
        members = get_args(field.type)
        if members:
            return members[0].__name__
        return field.type.__name__
    return "str"


def _plain(text: str) -> str:
    """Return a text without spaces around it, and with the minus sign of ASCII."""
    return text.strip(" ").replace("\u2212", "-")


def _number(text: str) -> float | None:
    """Return the number in a text, or None; a comma is a decimal point where it can be nothing
    else.
    """
    plain = _plain(text)
    if not _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", ".")
    if not _NUMBER.fullmatch(plain):
        return None
    return float(plain)


def two_readings(refused: object) -> tuple[str, str, str] | None:
    """Return (the separator, both readings) of a refused text such as "10,000" that may mean
    thousands or a decimal.

    A text with a point is refused as a text only where a whole number is asked for (``changed``).
    """
    if not isinstance(refused, str):
        return None
    plain = _plain(refused)
    if not _WHOLE_THOUSANDS.fullmatch(plain):
        return None
    separator = "point"
    if "," in plain:
        separator = "comma"
    thousands = plain.replace(",", "").replace(".", "")
    decimal = f"{float(plain.replace(',', '.')):g}"
    return separator, thousands, decimal
