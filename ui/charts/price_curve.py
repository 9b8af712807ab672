"""An accuracy curve whose point is dragged: attacker's axis, handle, names of lines, price tag."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from ui.charts import theme
from ui.text.tiles import percent_rounded_up

# Epsilons with a tick.
_TICKS = (0.01, 0.1, 0.3, 1.0, 3.0, 10.0, 100.0)
# Room for two rows of ticks and a title, in pixels.
BOTTOM_MARGIN = 62
_HANDLE_RADIUS = 11
# Paths in pixels: arrows to either side.
_ARROWS = "M-3,-4L-7,0L-3,4M3,-4L7,0L3,4"
# Height of the tag's lower edge, as a share of the chart.
_TAG_HEIGHT = 0.12
# Text on hover over a curve.
HOVER = "epsilon: %{x}<br>test accuracy: %{y:.1f}\u00a0%<extra></extra>"

RightGuesses = Callable[[np.ndarray], np.ndarray]


def attacker_axis(low: float, high: float, right_guesses: RightGuesses) -> dict:
    """Return a log axis of epsilon whose ticks name right guesses, and epsilon below.

    Args:
        low: The lowest epsilon.
        high: The highest epsilon.
        right_guesses: Returns the largest share of right guesses at epsilons (n,).
    """
    ticks = []
    for epsilon, share in zip(_TICKS, right_guesses(np.array(_TICKS)), strict=True):
        guesses = theme.coloured(f"<b>{percent_rounded_up(float(share))}</b>", theme.BOUND)
        ticks.append(f"{guesses}<br>{epsilon:g}")
    axis = theme.epsilon_axis(low, high)
    title = theme.coloured("attacker right, at most", theme.BOUND)
    return axis | {
        "title": {"text": f"{title} · epsilon (log)"},
        "tickangle": 0,
        "tickvals": list(_TICKS),
        "ticktext": ticks,
    }


def handle(epsilon: float, height: float) -> list[dict]:
    """Return the mark of the point that is dragged along the curve."""
    disc = theme.dot(
        epsilon,
        height,
        colour=theme.PRIVATE,
        radius=_HANDLE_RADIUS,
        line={"color": "white", "width": 2},
    )
    disc["name"] = theme.PINNED
    return [disc, theme.mark(_ARROWS, epsilon, height, line={"color": "white", "width": 2})]


def clicks(
    epsilon: float, height: float, *, limits: tuple[float, float], label: str, text: str
) -> dict:
    """Return what drags the point (``ui.widgets.Chart.clicks``).

    Args:
        epsilon: The set epsilon.
        height: Its height in the chart.
        limits: Lowest and highest epsilon.
        label: The name of the point, for a screen reader.
        text: Its value.
    """
    low, high = limits
    slider = {
        "name": "epsilon",
        "label": label,
        "low": low,
        "high": high,
        "value": epsilon,
        "text": text,
    }
    return {"drag": {"at": (epsilon, height), "colour": theme.PRIVATE, "slider": slider}}


def guesses_now(epsilon: float, share: float) -> dict:
    """Return the attacker's right guesses in 100 at the foot of the line of the set epsilon."""
    return _box(
        f"<b>{percent_rounded_up(share)}</b>",
        x=math.log10(epsilon),
        y=0,
        yref="paper",
        yanchor="bottom",
        font={"size": 13, "color": theme.PAGE},
        bgcolor=theme.TEXT_COLOURS[theme.BOUND],
    )


def tag(text: str) -> dict:
    """Return the price tag, at its place in the lower right."""
    return _box(
        text,
        x=1,
        y=_TAG_HEIGHT,
        xref="paper",
        yref="paper",
        xanchor="right",
        yanchor="bottom",
        align="left",
        bgcolor=theme.PAGE,
    )


def _box(text: str, *, x: float, y: float, **properties: Any) -> dict:
    """Return a text on a coloured ground with an outline."""
    box = {"bordercolor": theme.BOUND, "borderwidth": 1, "borderpad": 4}
    return theme.annotation(text, x=x, y=y, size=13) | box | properties
