"""The chart of what a step of each parameter does."""

import math
from collections.abc import Iterable, Sequence
from types import ModuleType
from typing import NamedTuple

import numpy as np

from pages.what_if.figures import SAYS
from pages.what_if.measured import Effect
from pages.what_if.result import WhatIfResult
from ui.plot import theme

# The height of a bar, in rows; the most rows; points that hear a click in each; letters of a name beside its bars.
_BAR, _ROWS, _HEARD, _LONGEST = 0.36, 7, 24, 16
_NOTHING = "M0,0Z"


class _Bar(NamedTuple):
    """A bar from 0 to ``end``, and its whisker, in the unit that is shown; a step down lies above a step up."""

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


def knobs(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw what a step of each knob down and up does, the most important first; hatched where that may be nothing."""
    rows = [(knob, both) for knob, both in result.effects.items() if any(map(_acts, both))][:_ROWS]
    bars = [_bar(result, row, one) for row, (_, both) in enumerate(rows) for one in both]
    left, right = _range(bars, [say.rough(result.settings, one.effect.knob, one.effect.value) for one in bars])
    shown = [one for one in bars if one.effect.difference.shown]
    unsure = [one for one in bars if not one.effect.difference.shown]
    zero = theme.level(0, colour=theme.NOW, width=1.2, dash="solid", x0=0, x1=0, y0=0, y1=1, yref="paper")
    longest = min(_LONGEST, max((len(say.label(knob)) for knob, _ in rows), default=0))
    return theme.figure(
        *_heard(bars, result, say, left, right),
        _values(bars, result, say) if bars else theme.holder(),
        title=theme.title(SAYS["chart.knobs"], say.important(result)),
        margin={"l": 24 + 8 * longest, "r": 8, "t": 54, "b": 44},
        xaxis={"title": {"text": say.differences(result.settings)}, "range": [left, right], "nticks": 5},
        yaxis={"range": [max(len(rows), 1) - 0.5, -0.5], "visible": False},
        shapes=[
            _boxes(shown, 0.8),
            _boxes(unsure, 0.15),
            _hatched(unsure, right - left),
            _whiskers(bars),
            zero | {"xref": "x"},
        ],
        annotations=[_named(result, say, row, knob) for row, (knob, _) in enumerate(rows)],
    )


def _acts(one: Effect) -> bool:
    """Return whether a step does anything at all to these runs."""
    return bool(one.difference.median) or not one.difference.sure


def _bar(result: WhatIfResult, row: int, one: Effect) -> _Bar:
    scale, found = result.settings.scale, one.difference
    down = one.value < getattr(result.settings, one.knob)
    low, high = (found.low, found.high) if found.bounded else (found.median, found.median)
    top = row - _BAR if down else row + 0.02
    return _Bar(one, down, scale * found.median, scale * low, scale * high, top, top + _BAR - 0.02)


def _range(bars: Sequence[_Bar], values: Sequence[str]) -> tuple[float, float]:
    """Return the ends of the axis, with room for the values beside the bars."""
    ends = [end for one in bars for end in (one.low, one.high)] + [0.0]
    reach = max(map(abs, ends)) or 1.0
    left, right = min(*ends, -0.15 * reach), max(*ends, 0.15 * reach)
    width = right - left
    return left - 0.02 * width, right + (0.1 + 0.06 * max(map(len, values), default=0)) * width


def _boxes(bars: Iterable[_Bar], opacity: float) -> dict:
    path = "".join(
        f"M0,{one.top:.3f}L{one.end:.5g},{one.top:.3f}L{one.end:.5g},{one.foot:.3f}L0,{one.foot:.3f}Z" for one in bars
    )
    edge = {"color": theme.PRIVATE, "width": 1}
    return {"type": "path", "path": path or _NOTHING, "fillcolor": theme.rgba(theme.PRIVATE, opacity), "line": edge}


def _hatched(bars: Iterable[_Bar], width: float) -> dict:
    """Return strokes across bars that may be nothing, a hundredth of the chart apart."""
    path, step = "", width / 50
    for one in bars:
        side = math.copysign(1, one.end)
        for at in np.arange(step / 2, abs(one.end), step):
            path += f"M{side * at:.5g},{one.foot:.3f}L{side * min(at + step, abs(one.end)):.5g},{one.top:.3f}"
    return {"type": "path", "path": path or _NOTHING, "line": {"color": theme.PRIVATE, "width": 1}}


def _whiskers(bars: Iterable[_Bar]) -> dict:
    path = "".join(
        f"M{one.low:.5g},{one.middle:.3f}L{one.high:.5g},{one.middle:.3f}" for one in bars if one.low < one.high
    )
    return {"type": "path", "path": path or _NOTHING, "line": {"color": theme.NOW, "width": 1.4}}


def _named(result: WhatIfResult, say: ModuleType, row: int, knob: str) -> dict:
    now, name = say.at(result.settings, knob, getattr(result.settings, knob)), say.label(knob)
    short = name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1].rstrip()}…"
    place = {"xref": "paper", "xanchor": "right", "xshift": -8, "align": "right"}
    return theme.word(f"<b>{short}</b><br>now {now}", x=0, y=row, size=13, **place)


def _values(bars: Sequence[_Bar], result: WhatIfResult, say: ModuleType) -> dict:
    """Return to what each bar moves its knob, beside it."""
    words = [say.rough(result.settings, one.effect.knob, one.effect.value) for one in bars]
    return theme.scatter(
        np.array([max(0.0, one.end, one.high) for one in bars]),
        np.array([one.middle for one in bars]),
        mode="text",
        text=[f"\u00a0{'↓' if one.down else '↑'}\u00a0{word}" for one, word in zip(bars, words, strict=True)],
        textposition="middle right",
        textfont={"size": 13},
        hoverinfo="skip",
        cliponaxis=False,
    )


def _heard(bars: Sequence[_Bar], result: WhatIfResult, say: ModuleType, left: float, right: float) -> list[dict]:
    """Return points all along each bar, unseen, that hear a click and say what the bar is."""
    if not bars:
        return []
    trace = theme.scatter(
        np.tile(np.linspace(left, right, _HEARD), len(bars)),
        np.repeat([one.middle for one in bars], _HEARD),
        mode="markers",
        marker={"size": 6, "opacity": 0},
        customdata=[one.effect.knob for one in bars for _ in range(_HEARD)],
        text=[said for one in bars for said in [say.bar(result, one.effect)] * _HEARD],
        hovertemplate="%{text}<extra></extra>",
    )
    return [trace]
