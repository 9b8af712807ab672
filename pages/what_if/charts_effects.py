"""The chart of the effects of parameters."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pages.what_if.findings import effect_text, effects_axis_title, effects_finding
from pages.what_if.formats import SAYS, slider_label, value_text
from pages.what_if.measurements import Effect
from pages.what_if.result import WhatIfResult
from ui.charts import theme

# A parameter has a row, with the bar of a step down above that of a step up. Heights are in rows.
_MOST_ROWS = 7
_BAR_HEIGHT = 0.36
_BAR_GAP = 0.02
# Most letters of a name beside its bars, and width of a letter in pixels.
_LONGEST = 16
_LETTER_WIDTH = 8
# Shares of the axis: what it has at least on each side, its margins, and the width of a letter.
_LEAST_SIDE = 0.15
_LEFT_MARGIN = 0.02
_RIGHT_MARGIN = 0.1
_LETTER_SHARE = 0.06
# Room left of the names, in pixels.
_NAME_MARGIN = 24
# Opacity of bars whose effect is shown, and of those that may be zero.
_SURE = 0.8
_UNSURE = 0.15
# A path that draws nothing, because Plotly refuses an empty one.
_EMPTY_PATH = "M0,0Z"


class _Bar(NamedTuple):
    """A bar from 0 to ``end`` and its interval, in the unit that is shown.

    is_down: whether it is the effect of a step down.
    top, bottom: its edges, in rows from above.
    """

    effect: Effect
    is_down: bool
    end: float
    low: float
    high: float
    top: float
    bottom: float

    @property
    def middle(self) -> float:
        """Return the height of the middle of the bar."""
        return (self.top + self.bottom) / 2


def effects(result: WhatIfResult) -> dict:
    """Draw the effects of a step down and up of each slider, the largest first.

    Bars that may be zero are pale.
    """
    sliders = _sliders_with_effects(result)
    bars = []
    value_texts = []
    for row, slider in enumerate(sliders):
        for effect in result.effects[slider]:
            bars.append(_bar(result, row, effect))
            value_texts.append(value_text(result.settings, slider, effect.value))
    left, right = _axis_range(bars, value_texts)
    sure_bars = [bar for bar in bars if bar.effect.difference.shown]
    unsure_bars = [bar for bar in bars if not bar.effect.difference.shown]
    traces = [theme.axis_anchor()]
    if bars:
        traces = [_values_beside(bars, value_texts, result)]
    letters = max((len(slider_label(slider)) for slider in sliders), default=0)
    left_margin = _NAME_MARGIN + _LETTER_WIDTH * min(_LONGEST, letters)
    return theme.figure(
        *traces,
        title=SAYS["chart.effects"],
        finding=effects_finding(result),
        margin={"l": left_margin, "r": 8, "t": 54, "b": 44},
        xaxis={
            "title": {"text": effects_axis_title(result.settings)},
            "range": [left, right],
            "nticks": 5,
        },
        yaxis={"range": [max(len(sliders), 1) - 0.5, -0.5], "visible": False},
        shapes=[
            _boxes(sure_bars, opacity=_SURE),
            _boxes(unsure_bars, opacity=_UNSURE),
            _intervals(bars),
            _zero_line(),
        ],
        annotations=[_name(result, row, slider) for row, slider in enumerate(sliders)],
    )


def _sliders_with_effects(result: WhatIfResult) -> list[str]:
    """Return the sliders of which a step changes the runs at all."""
    sliders = []
    for slider, effects_of_slider in result.effects.items():
        for effect in effects_of_slider:
            if effect.difference.median != 0 or not effect.difference.sure:
                sliders.append(slider)
                break
    return sliders[:_MOST_ROWS]


def _bar(result: WhatIfResult, row: int, effect: Effect) -> _Bar:
    """Return the bar of an effect in a row, in the upper half for a step down."""
    scale = result.settings.scale
    difference = effect.difference
    is_down = effect.value < getattr(result.settings, effect.slider)
    if is_down:
        top = row - _BAR_HEIGHT
    else:
        top = row + _BAR_GAP
    return _Bar(
        effect,
        is_down,
        end=scale * difference.median,
        low=scale * difference.low,
        high=scale * difference.high,
        top=top,
        bottom=top + _BAR_HEIGHT - _BAR_GAP,
    )


def _axis_range(bars: Sequence[_Bar], value_texts: Sequence[str]) -> tuple[float, float]:
    """Return the ends of the axis, with room right of the bars for the values beside them."""
    ends = [0.0]
    for bar in bars:
        ends += [bar.low, bar.high]
    reach = max(abs(end) for end in ends) or 1.0  # without effects, the axis has any width
    left = min(*ends, -_LEAST_SIDE * reach)
    right = max(*ends, _LEAST_SIDE * reach)
    width = right - left
    letters = max((len(text) for text in value_texts), default=0)
    margin = (_RIGHT_MARGIN + _LETTER_SHARE * letters) * width
    return left - _LEFT_MARGIN * width, right + margin


# Shapes. All bars of a kind are one path.


def _joined(pieces: Iterable[str]) -> str:
    """Return pieces of a path as one path."""
    return "".join(pieces) or _EMPTY_PATH


def _boxes(bars: Iterable[_Bar], *, opacity: float) -> dict:
    """Return the shape of some bars."""
    pieces = []
    for bar in bars:
        top = f"{bar.top:.3f}"
        bottom = f"{bar.bottom:.3f}"
        end = f"{bar.end:.5g}"
        pieces.append(f"M0,{top}L{end},{top}L{end},{bottom}L0,{bottom}Z")
    return {
        "type": "path",
        "path": _joined(pieces),
        "fillcolor": theme.rgba(theme.PRIVATE, opacity),
        "line": {"color": theme.PRIVATE, "width": 1},
    }


def _intervals(bars: Iterable[_Bar]) -> dict:
    """Return the shape of the intervals of some bars."""
    pieces = []
    for bar in bars:
        if bar.low < bar.high:
            pieces.append(f"M{bar.low:.5g},{bar.middle:.3f}L{bar.high:.5g},{bar.middle:.3f}")
    line = {"color": theme.CURRENT, "width": 1.4}
    return {"type": "path", "path": _joined(pieces), "line": line}


def _zero_line() -> dict:
    """Return the vertical line at 0."""
    line = theme.horizontal_line(
        0, colour=theme.CURRENT, width=1.2, dash="solid", x0=0, x1=0, y0=0, y1=1, yref="paper"
    )
    return {**line, "xref": "x"}


# Texts


def _name(result: WhatIfResult, row: int, slider: str) -> dict:
    """Return the name of a slider and its set value, left of its bars."""
    value = value_text(result.settings, slider, getattr(result.settings, slider))
    name = slider_label(slider)
    if len(name) > _LONGEST:
        name = f"{name[: _LONGEST - 1].rstrip()}…"
    position = {"xref": "paper", "xanchor": "right", "xshift": -8, "align": "right"}
    return theme.annotation(f"<b>{name}</b><br>now {value}", x=0, y=row, size=13, **position)


def _values_beside(bars: Sequence[_Bar], value_texts: Sequence[str], result: WhatIfResult) -> dict:
    """Return the value that each bar moves its slider to, right of it, with a text on hover."""
    texts = []
    for bar, value in zip(bars, value_texts, strict=True):
        arrow = "↑"
        if bar.is_down:
            arrow = "↓"
        texts.append(f"\u00a0{arrow}\u00a0{value}")
    return theme.scatter(
        np.array([max(0.0, bar.end, bar.high) for bar in bars]),
        np.array([bar.middle for bar in bars]),
        mode="text",
        text=texts,
        textposition="middle right",
        textfont={"size": 13},
        hovertext=[effect_text(result, bar.effect) for bar in bars],
        hovertemplate="%{hovertext}<extra></extra>",
        cliponaxis=False,
    )
