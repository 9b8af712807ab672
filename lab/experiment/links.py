"""Settings as texts: what a link, a knob and a pin hold of them, and how that is read back.

Nothing that is read takes anything away: what the settings refuse is left as it was, and the
refusal says why.

A link names the version of the defaults that it leaves out, ``v=3``. Raise ``VERSION`` when a
default changes: a link with another version opens with the present defaults, and the page says so.
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
from lab.experiment.settings import Settings

# Parts a name from its value, and a pair from the next, where a whole setting is one word.
APART = "~"
# The parameter of a link that names the version of the defaults, and the present version.
VERSION_NAME = "v"
VERSION = 3
UNFORESEEN = "another value, as this one met a fault of the page"
# Numbers as people write them, in the address as in a field (``scale.js`` has the same): no "nan",
# no "1_000", no digits of other scripts.
_NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]+)?", re.IGNORECASE)
# "1,000" may be a thousand, or one; "0,3", "2,75" and "0,125" are decimals, whoever writes them.
_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2},[0-9]{3}")
# The same with a point, where a whole number is asked for. Elsewhere a point is a decimal point.
_WHOLE_THOUSANDS = re.compile(r"[-+]?[1-9][0-9]{0,2}[.,][0-9]{3}")
# Parameters that mail programs, search engines and learning platforms add to a link: beginnings,
# and whole names.
_TRACKING_PREFIXES = (
    "utm_",
    "mc_",
    "mtm_",
    "pk_",
    "piwik_",
    "matomo_",
    "hsa_",
    "_hs",
    "oly_",
    "lti_",
    "vero_",
    "at_",
)
_TRACKING_NAMES = frozenset(
    (
        *(
            "fbclid",
            "gclid",
            "gclsrc",
            "dclid",
            "gbraid",
            "wbraid",
            "msclkid",
            "yclid",
            "ysclid",
            "twclid",
            "ttclid",
        ),
        *(
            "igsh",
            "igshid",
            "mibextid",
            "li_fat_id",
            "epik",
            "sccid",
            "srsltid",
            "_ga",
            "_gl",
            "_openstat",
            "_ke",
        ),
        *(
            "mkt_tok",
            "wickedid",
            "rb_clickid",
            "s_cid",
            "cmpid",
            "__s",
            "__hstc",
            "__hssc",
            "__hsfp",
            "hsctatracking",
        ),
        *(
            "ref",
            "ref_src",
            "ref_url",
            "si",
            "forceview",
            "redirect",
            "safelinks",
            "trk",
            "trkcampaign",
            "sid",
        ),
    )
)

_log = logging.getLogger(__name__)


def is_tracking(name: str) -> bool:
    """Return whether a mail program, a search engine or a learning platform adds this parameter to
    links.
    """
    lowered = name.lower()
    return lowered in _TRACKING_NAMES or lowered.startswith(_TRACKING_PREFIXES)


def versioned(texts: Mapping[str, Any]) -> dict[str, Any]:
    """Return ``texts`` with the version of the defaults that they leave out."""
    return {**texts, VERSION_NAME: str(VERSION)}


def read(kind: type[Settings], texts: Mapping[str, str]) -> tuple[Any, dict[str, RefusedError]]:
    """Return (the settings of this kind with what ``texts`` say by field, field -> why it was
    refused).
    """
    refused = {}
    version = texts.get(VERSION_NAME, str(VERSION))
    if version != str(VERSION):
        allowed = f"{VERSION}, the version of the present defaults"
        refused[VERSION_NAME] = RefusedError(VERSION_NAME, version, allowed)
    settings = kind()
    for name in (one.name for one in fields(kind) if one.name in texts):
        try:
            settings = changed(settings, name, texts[name])
        except RefusedError as refusal:
            refused[name] = refusal
    return settings, refused


# Weak, because settings may hold a file of one session's own.
_briefs: WeakKeyDictionary[Settings, Mapping[str, str]] = WeakKeyDictionary()


def brief(settings: Settings) -> Mapping[str, str]:
    """Return the least that ``read`` makes these settings of: what differs from the defaults, and
    what a change of that would bring along. Kept for as long as the settings are: a run asks
    several times.
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
    """A ``word`` of settings that hold what their text only names, a file of a person's own:
    ``held``, by field.
    """

    held: Mapping[str, str] = MappingProxyType({})


def word(settings: Settings, *, apart: str = APART) -> str:
    """Return ``brief`` as one text, ``field~value~field~value``; a ``Word`` if settings hold more
    than their text.
    """
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
    """Return field -> value of a ``word``.

    Raises RefusedError, for the argument ``name``, where one has no value.
    """
    parts = text.split(apart) if text else []
    if len(parts) % 2:
        raise RefusedError(name, text, "fields, each with its value")
    return dict(zip(parts[::2], parts[1::2], strict=True))


def of_word(kind: type[Settings], text: str, *, name: str, apart: str = APART) -> Any:
    """Return the settings of a ``word``; whole or not at all: raises RefusedError, for the argument
    ``name``.
    """
    texts = pairs(text, name=name, apart=apart)
    texts |= {one: held for one, held in getattr(text, "held", {}).items() if one in texts}
    settings, refused = read(kind, texts)
    unknown: Iterable[str] = texts.keys() - {one.name for one in fields(kind)}
    for field in (*refused, *unknown):
        why = (
            f"{field} must be {refused[field].allowed}"
            if field in refused
            else f"there is no {field}"
        )
        raise RefusedError(name, text, f"settings that this page takes: {why}")
    return settings


def _others(one: Settings, other: Settings) -> set[str]:
    return {
        field.name
        for field in fields(one)
        if getattr(one, field.name) != getattr(other, field.name)
    }


def changed(settings: Any, name: str, value: float | str) -> Any:
    """Return ``settings`` with a field as asked.

    Raise RefusedError whatever goes wrong, so no entry removes a page.
    """
    try:
        return settings.change(**{name: _typed(type(settings), name, value)})
    except RefusedError:
        raise
    except Exception as fault:
        _log.exception("%s: a value of %s met a fault", type(settings).__name__, name)
        raise RefusedError(name, value, UNFORESEEN) from fault


def _typed(settings_type: type, name: str, value: float | str) -> Any:
    """Return ``value`` as the field's type where it can be read as one; else as it is, for the
    settings to refuse.
    """
    kind = next((one.type for one in fields(settings_type) if one.name == name), "str")
    kind = kind if isinstance(kind, str) else next(iter(get_args(kind)), kind).__name__
    if kind not in ("int", "float"):
        return value
    if kind == "int" and isinstance(value, str) and _WHOLE_THOUSANDS.fullmatch(value.strip(" ")):
        return value
    number = _number(value) if isinstance(value, str) else float(value)
    if number is None:
        return value
    if kind == "int" and number.is_integer():
        return int(number)
    return number


def _number(text: str) -> float | None:
    """Return what a text says, if it is a number; a comma is a decimal point where it can be
    nothing else.
    """
    plain = text.strip(" ").replace("\u2212", "-")
    if not _THOUSANDS.fullmatch(plain):
        plain = plain.replace(",", ".")
    return float(plain) if _NUMBER.fullmatch(plain) else None


def two_readings(refused: object) -> tuple[str, str, str] | None:
    """Return (the separator, both readings) of a refused text such as "10,000" that may mean
    thousands or a decimal.

    A text with a point is refused as a text only where a whole number is asked for (``changed``).
    """
    if not isinstance(refused, str):
        return None
    plain = refused.strip(" ").replace("\u2212", "-")
    if not _WHOLE_THOUSANDS.fullmatch(plain):
        return None
    separator = "comma" if "," in plain else "point"
    thousands = plain.replace(",", "").replace(".", "")
    decimal = f"{float(plain.replace(',', '.')):g}"
    return separator, thousands, decimal
