"""Axes of figures: linear, of shares, and logarithmic."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ui.text.numbers import percent, tick_text

# Ranges that follow the data are rounded to so many parts of a decade, and have a little room.
_RANGE_STEPS = 4
_ROOM_BELOW = 0.9
_ROOM_ABOVE = 1.05
# A power of ten or a share at the very end of an axis gets its tick in spite of rounding.
_ROUNDING_ERROR = 1e-9


def axis(
    text: str, low: float, high: float, *, ticks: Sequence[float] | None = None, log: bool = False
) -> dict:
    """Return an axis from ``low`` to ``high``.

    Args:
        text: Name and unit of what it measures, as in "test accuracy, %" or "epsilon (log scale)".
        low: The lower end.
        high: The upper end.
        ticks: Values of the ticks; None lets Plotly choose.
        log: Whether it is logarithmic.
    """
    axis: dict[str, Any] = {"title": {"text": text}, "range": [low, high]}
    if log:
        axis["range"] = [float(np.log10(low)), float(np.log10(high))]
        axis["type"] = "log"
    if ticks is not None:
        axis["tickvals"] = list(ticks)
        axis["ticktext"] = [tick_text(tick) for tick in ticks]
    return axis


def share_axis(text: str, most: float, *, step: float) -> dict:
    """Return an axis of shares from 0 to ``most``, with a tick in percent at each ``step``."""
    steps = int(most / step + _ROUNDING_ERROR)
    ticks = [step * index for index in range(steps + 1)]
    tick_texts = [percent(tick) for tick in ticks]
    return axis(text, 0, most) | {"tickvals": ticks, "ticktext": tick_texts}


def log_axis(
    text: str,
    low: float,
    high: float,
    *,
    max_ticks: int = 7,
    format_tick: Callable[[float], str] = tick_text,
) -> dict:
    """Return a log axis with ticks at powers of ten, of which ``max_ticks`` at most are shown."""
    first = np.ceil(np.log10(low) - _ROUNDING_ERROR)
    last = np.floor(np.log10(high) + _ROUNDING_ERROR)
    powers = np.arange(first, last + 1)
    every = max(1, int(np.ceil(len(powers) / max_ticks)))
    ticks = [10.0**power for power in powers[::every]]
    tick_texts = [format_tick(tick) for tick in ticks]
    return axis(text, low, high, log=True) | {"tickvals": ticks, "ticktext": tick_texts}


def epsilon_axis(low: float, high: float, *, margin: float = 0.08) -> dict:
    """Return a log axis of epsilon, with a ``margin`` beside its ends, in decades."""
    factor = 10**margin
    return axis(
        "epsilon (log scale)", low / factor, high * factor, ticks=(0.01, 0.1, 1, 10, 100), log=True
    )


def detailed_log_axis(text: str, low: float, high: float) -> dict:
    """Return a log axis from 10^low to 10^high, with ticks at 1, 2 and 5 if there is room."""
    tick_step: str | int = 1
    if high - low < 1.5:
        tick_step = "D2"  # Plotly's code for ticks at 1, 2 and 5
    return {
        "title": {"text": text},
        "type": "log",
        "range": [low, high],
        "tickformat": "~g",
        "dtick": tick_step,
    }


def in_axis_units(axis: Mapping[str, Any], value: float) -> float:
    """Return a value as ranges and annotations have it: its logarithm on a log axis."""
    if axis.get("type") == "log":
        return float(np.log10(value))
    return value


def stable_log_range(low: float, high: float) -> list[float]:
    """Return a log10 range in quarter decades, which stays while the slider moves a little."""
    return [
        np.floor(np.log10(low * _ROOM_BELOW) * _RANGE_STEPS) / _RANGE_STEPS,
        np.ceil(np.log10(high * _ROOM_ABOVE) * _RANGE_STEPS) / _RANGE_STEPS,
    ]
