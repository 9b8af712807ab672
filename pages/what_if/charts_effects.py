"""The chart of what a step of each parameter does."""

import math
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import NamedTuple

import numpy as np

from pages.what_if.charts import SAYS
from pages.what_if.measurements import Effect
from pages.what_if.result import WhatIfResult
from ui.charts import theme

# Height of a bar, in rows.
_BAR = 0.36
_MOST_ROWS = 7
# Invisible points along each bar that receive clicks.
_POINTS = 24
# Letters of a name beside its bars.
_LONGEST = 16
# A hatched bar has a stroke every fiftieth of the axis.
_STROKES = 50
_EMPTY_PATH = "M0,0Z"


class _Bar(NamedTuple):
    """A bar from 0 to ``end`` with its whisker, in the unit that is shown.

    A step down lies above a step up.
    """

    effect: Effect
    down: bool
    end: float
    low: float
    high: float
    top: float
    foot: float

    @property
    def middle(self) -> float:
        return (self.top + self.foot) / 2


def sliders(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw the effects of a step of each slider down and up, the largest first; hatched where they
    may be zero.
    """
    rows = [
        (slider, effects) for slider, effects in result.effects.items() if any(map(_acts, effects))
    ][:_MOST_ROWS]
    bars = []
    for row, (_, effects) in enumerate(rows):
        bars += [_bar(result, row, effect) for effect in effects]
    values = [_value(result, say, bar) for bar in bars]
    left, right = _range(bars, values)
    shown = [bar for bar in bars if bar.effect.difference.shown]
    unsure = [bar for bar in bars if not bar.effect.difference.shown]
    zero = theme.horizontal_line(
        0, colour=theme.CURRENT, width=1.2, dash="solid", x0=0, x1=0, y0=0, y1=1, yref="paper"
    )
    longest = min(_LONGEST, max((len(say.label(slider)) for slider, _ in rows), default=0))
    traces = [theme.axis_anchor()]
    if bars:
        traces = [_clickable(bars, result, say, left, right), _value_texts(bars, values)]
    return theme.figure(
        *traces,
        title=SAYS["chart.knobs"],
        finding=say.important(result),
        margin={"l": 24 + 8 * longest, "r": 8, "t": 54, "b": 44},
        xaxis={
            "title": {"text": say.differences(result.settings)},
            "range": [left, right],
            "nticks": 5,
        },
        yaxis={"range": [max(len(rows), 1) - 0.5, -0.5], "visible": False},
        shapes=[
            _boxes(shown, opacity=0.8),
            _boxes(unsure, opacity=0.15),
            _hatching(unsure, right - left),
            _whiskers(bars),
            zero | {"xref": "x"},
        ],
        annotations=[_name(result, say, row, slider) for row, (slider, _) in enumerate(rows)],
    )


def _acts(effect: Effect) -> bool:
    """Return whether a step changes these runs at all."""
    return bool(effect.difference.median) or not effect.difference.sure


def _bar(result: WhatIfResult, row: int, effect: Effect) -> _Bar:
    scale = result.settings.scale
    difference = effect.difference
    down = effect.value < getattr(result.settings, effect.slider)
    top = row - _BAR if down else row + 0.02
    return _Bar(
        effect,
        down,
        end=scale * difference.median,
        low=scale * difference.low,
        high=scale * difference.high,
        top=top,
        foot=top + _BAR - 0.02,
    )


def _value(result: WhatIfResult, say: ModuleType, bar: _Bar) -> str:
    return say.rough(result.settings, bar.effect.slider, bar.effect.value)


def _range(bars: Sequence[_Bar], values: Sequence[str]) -> tuple[float, float]:
    """Return the ends of the axis, with room for the values beside the bars."""
    ends = [0.0]
    for bar in bars:
        ends += [bar.low, bar.high]
    reach = max(map(abs, ends)) or 1.0
    left = min(*ends, -0.15 * reach)
    right = max(*ends, 0.15 * reach)
    width = right - left
    longest = max(map(len, values), default=0)
    return left - 0.02 * width, right + (0.1 + 0.06 * longest) * width


def _path(pieces: Iterable[str]) -> str:
    return "".join(pieces) or _EMPTY_PATH


def _boxes(bars: Iterable[_Bar], *, opacity: float) -> dict:
    pieces = []
    for bar in bars:
        top, foot = f"{bar.top:.3f}", f"{bar.foot:.3f}"
        pieces.append(f"M0,{top}L{bar.end:.5g},{top}L{bar.end:.5g},{foot}L0,{foot}Z")
    return {
        "type": "path",
        "path": _path(pieces),
        "fillcolor": theme.rgba(theme.PRIVATE, opacity),
        "line": {"color": theme.PRIVATE, "width": 1},
    }


def _hatching(bars: Iterable[_Bar], width: float) -> dict:
    """Return strokes across bars that may be zero."""
    pieces = []
    step = width / _STROKES
    for bar in bars:
        length = abs(bar.end)
        side = math.copysign(1, bar.end)
        for start in np.arange(step / 2, length, step):
            end = min(start + step, length)
            pieces.append(f"M{side * start:.5g},{bar.foot:.3f}L{side * end:.5g},{bar.top:.3f}")
    return {"type": "path", "path": _path(pieces), "line": {"color": theme.PRIVATE, "width": 1}}


def _whiskers(bars: Iterable[_Bar]) -> dict:
    pieces = []
    for bar in bars:
        if bar.low < bar.high:
            pieces.append(f"M{bar.low:.5g},{bar.middle:.3f}L{bar.high:.5g},{bar.middle:.3f}")
    return {"type": "path", "path": _path(pieces), "line": {"color": theme.CURRENT, "width": 1.4}}


def _name(result: WhatIfResult, say: ModuleType, row: int, slider: str) -> dict:
    """Return the name of a slider and its present value, left of its bars."""
    now = say.at(result.settings, slider, getattr(result.settings, slider))
    name = say.label(slider)
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST - 1].rstrip()}…"
    place = {"xref": "paper", "xanchor": "right", "xshift": -8, "align": "right"}
    return theme.annotation(f"<b>{name}</b><br>now {now}", x=0, y=row, size=13, **place)


def _value_texts(bars: Sequence[_Bar], values: Sequence[str]) -> dict:
    """Return the value that each bar moves its slider to, beside it."""
    texts = []
    for bar, value in zip(bars, values, strict=True):
        arrow = "↓" if bar.down else "↑"
        texts.append(f"\u00a0{arrow}\u00a0{value}")
    return theme.scatter(
        np.array([max(0.0, bar.end, bar.high) for bar in bars]),
        np.array([bar.middle for bar in bars]),
        mode="text",
        text=texts,
        textposition="middle right",
        textfont={"size": 13},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _clickable(
    bars: Sequence[_Bar], result: WhatIfResult, say: ModuleType, left: float, right: float
) -> dict:
    """Return invisible points along each bar, with the slider that a click chooses and the text of
    a hover.
    """
    sliders = []
    texts = []
    for bar in bars:
        sliders += [bar.effect.slider] * _POINTS
        texts += [say.bar(result, bar.effect)] * _POINTS
    return theme.scatter(
        np.tile(np.linspace(left, right, _POINTS), len(bars)),
        np.repeat([bar.middle for bar in bars], _POINTS),
        mode="markers",
        marker={"size": 6, "opacity": 0},
        customdata=sliders,
        text=texts,
        hovertemplate="%{text}<extra></extra>",
    )
