"""Tables of one released number: the mechanisms and published formulas, and several numbers."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from lab.papers import short
from pages.mechanisms.result import OneNumberResult
from pages.mechanisms.settings import NUMBER_MECHANISMS
from pages.mechanisms.texts_numbers import SAYS, needed_delta_text
from ui.text import tables, tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import number


def _mechanism_text(name: str) -> str:
    return NUMBER_MECHANISMS.get(name, SAYS["table.slide"])


def _error_text(error: float) -> str:
    return f"±{number(error)}"


def _until_text(epsilon: float) -> str:
    if math.isinf(epsilon):
        return SAYS["table.all"]
    return number(epsilon)


def _holds_text(holds: bool) -> str:
    """Return whether a guarantee holds (HTML)."""
    if holds:
        return "holds"
    return "<b>broken</b>"


# Column of ``OneNumberResult.table`` -> the function that writes its values.
_FORMATS: Mapping[str, Callable[[Any], str]] = {
    "mechanism": _mechanism_text,
    "within": _error_text,
    "claimed epsilon": number,
    "claimed delta": delta_text,
    "real epsilon": number,
    "needed delta": needed_delta_text,
    "until": _until_text,
    "attacker": tiles.percent_rounded_up,
    "holds": _holds_text,
}


def table(result: OneNumberResult) -> str:
    """Return the three mechanisms and the slide's formula at these settings (HTML)."""
    return tables.table(
        result.table(),
        title=SAYS["table.title"],
        caption=SAYS("table.caption", slides=short("hoseinpour2023")),
        heads=SAYS.heads("table", _FORMATS),
        formats=_FORMATS,
        marked=NUMBER_MECHANISMS[result.settings.mechanism],
    )


def several_numbers(result: OneNumberResult) -> str:
    """Return the noise on each of several numbers (HTML)."""
    several = result.several_numbers
    most_numbers = several.iloc[-1]
    caption = SAYS(
        "several.caption",
        most=number(most_numbers["answers"]),
        real=number(most_numbers["real epsilon"]),
        epsilon=number(result.settings.epsilon),
        less=number(most_numbers["slide"] / most_numbers["laplace"]),
    )
    return tables.table(
        several,
        title=SAYS["several.title"],
        caption=caption,
        heads=SAYS.heads("several", several.columns),
        formats=dict.fromkeys(several.columns, number),
    )
