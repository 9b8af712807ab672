"""Settings as texts: what a link, a knob and a pin hold of them, and how that is read back.

Nothing that is read takes anything away: what the settings refuse is left as it was, and the refusal says why.

A link names the version of the defaults that it leaves out, ``v=3``. To change a default, raise ``VERSION`` and put the
old one into ``EARLIER`` of its settings under the version before.
"""

import logging
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, fields
from enum import Enum
from types import MappingProxyType
from typing import Any, get_args
from weakref import WeakKeyDictionary

from dpcore.check import RefusedError
from lab.settings import Settings

# Parts a name from its value, and a pair from the next, where a whole setting is one word.
APART = "~"
# Old names of pages -> their names now. Links, pins, downloads and open browser tabs may still hold an old one.
RENAMED = MappingProxyType({"ledger": "accounting"})
# The parameter that names the version of the defaults, today's, and that of links written before there were versions.
VERSION_NAME, VERSION, UNVERSIONED = "v", 3, 1
UNFORESEEN = "another value, as this one met a fault of the page"
# Numbers as people write them, in the address as in a field (``scale.js`` has the same): no "nan", no "1_000", no
# digits of other scripts.
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.IGNORECASE)
# "1,000" may be a thousand, or one; "0,3", "2,75" and "0,125" are decimals, whoever writes them.
THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")

_log = logging.getLogger(__name__)


def page_now(name: str) -> str:
    """Return the name that the page called ``name`` has now."""
    return RENAMED.get(name, name)


def versioned(texts: Mapping[str, Any], version: int | str = VERSION) -> dict[str, Any]:
    """Return ``texts`` with the version of the defaults that they leave out; one that they name stays."""
    return {**texts, VERSION_NAME: texts.get(VERSION_NAME, str(version))}


def from_address(address: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the parameters of an address with their version: that of the first links where they name none. An address
    without any parameter is no link, and has the defaults of today.
    """
    return versioned(address, UNVERSIONED) if address else address


def version_of(texts: Mapping[str, str]) -> tuple[int, dict[str, RefusedError]]:
    """Return (the version that ``texts`` name, today's where it is none of this lab, why it was refused)."""
    named = texts.get(VERSION_NAME, str(VERSION))
    known = {str(version): version for version in range(UNVERSIONED, VERSION + 1)}
    if named in known:
        return known[named], {}
    allowed = f"a version that this lab knows, {UNVERSIONED} to {VERSION}"
    return VERSION, {VERSION_NAME: RefusedError(VERSION_NAME, named, allowed)}


def read(kind: type[Settings], texts: Mapping[str, str]) -> tuple[Any, dict[str, RefusedError]]:
    """Return (the settings of this kind with what ``texts`` say by field, field -> why it was refused)."""
    version, refused = version_of(texts)
    settings, texts = kind.of_version(version), kind.modernised(texts, version)
    for name in (one.name for one in fields(kind) if one.name in texts):
        try:
            settings = changed(settings, name, texts[name])
        except RefusedError as refusal:
            refused[name] = refusal
    return settings, refused


# Weak, because settings may hold a file of one session's own.
_briefs: WeakKeyDictionary[Settings, Mapping[str, str]] = WeakKeyDictionary()


def brief(settings: Settings) -> Mapping[str, str]:
    """Return the least that ``read`` makes these settings of: what differs from the defaults, and what a change of that
    would bring along. Kept for as long as the settings are: a run asks several times.
    """
    known = _briefs.get(settings)
    if known is None:
        known = _briefs[settings] = MappingProxyType(_brief(settings))
    return known


def _brief(settings: Settings) -> dict[str, str]:
    whole, kind = {name: str(value) for name, value in asdict(settings).items()}, type(settings)
    found = kind()
    told: set[str] = set()
    while missing := _others(found, settings) - told:
        told |= missing
        found, _ = read(kind, {name: text for name, text in whole.items() if name in told})
    return {name: text for name, text in whole.items() if name in told}


class Word(str):
    """A ``word`` of settings that hold what their text only names, a file of a person's own: ``held``, by field."""

    held: Mapping[str, str] = MappingProxyType({})


def word(settings: Settings, *, apart: str = APART) -> str:
    """Return ``brief`` as one text, ``field~value~field~value``; a ``Word`` if settings hold more than their text."""
    text = apart.join(part for pair in brief(settings).items() for part in pair)
    values = {one.name: getattr(settings, one.name) for one in fields(settings)}
    held = {
        name: value
        for name, value in values.items()
        if isinstance(value, str) and type(value) is not str and not isinstance(value, Enum)
    }
    if not held:
        return text
    whole = Word(text)
    whole.held = held
    return whole


def pairs(text: str, *, name: str, apart: str = APART) -> dict[str, str]:
    """Return field -> value of a ``word``. Raises RefusedError, for the argument ``name``, where one has no value."""
    parts = text.split(apart) if text else []
    if len(parts) % 2:
        raise RefusedError(name, text, "fields, each with its value")
    return dict(zip(parts[::2], parts[1::2], strict=True))


def of_word(kind: type[Settings], text: str, *, name: str, apart: str = APART) -> Any:
    """Return the settings of a ``word``; whole or not at all: raises RefusedError, for the argument ``name``."""
    texts = pairs(text, name=name, apart=apart)
    texts |= {one: held for one, held in getattr(text, "held", {}).items() if one in texts}
    settings, refused = read(kind, texts)
    unknown: Iterable[str] = texts.keys() - {one.name for one in fields(kind)} - {VERSION_NAME}
    for field in (*refused, *unknown):
        why = f"{field} must be {refused[field].allowed}" if field in refused else f"there is no {field}"
        raise RefusedError(name, text, f"settings that this page takes: {why}")
    return settings


def _others(one: Settings, other: Settings) -> set[str]:
    return {field.name for field in fields(one) if getattr(one, field.name) != getattr(other, field.name)}


def changed(settings: Any, name: str, value: float | str) -> Any:
    """Return ``settings`` with a field as asked. Raise RefusedError whatever goes wrong, so no entry removes a page."""
    try:
        return settings.change(**{name: _typed(type(settings), name, value)})
    except RefusedError:
        raise
    except Exception as fault:
        _log.exception("%s: a value of %s met a fault", type(settings).__name__, name)
        raise RefusedError(name, value, UNFORESEEN) from fault


def _typed(settings_type: type, name: str, value: float | str) -> Any:
    """Return ``value`` as the field's type where it can be read as one; else as it is, for the settings to refuse."""
    kind = next((one.type for one in fields(settings_type) if one.name == name), "str")
    kind = kind if isinstance(kind, str) else next(iter(get_args(kind)), kind).__name__
    number = _number(value) if isinstance(value, str) else float(value)
    if number is None or kind not in ("int", "float"):
        return value
    return int(number) if kind == "int" and number.is_integer() else number


def _number(text: str) -> float | None:
    """Return what a text says, if it is a number; a comma is a decimal point where it can be nothing else."""
    plain = text.strip(" ")
    if not THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", ".")
    return float(plain) if _NUMBER.fullmatch(plain) else None
