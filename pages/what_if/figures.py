"""Charts of the planner: where a target is reached, and the configurations tried.

``say``: the module of their texts, ``words``.
"""

import math
from types import ModuleType
from typing import Any

import numpy as np

from pages.what_if.measured import MOST, Axis
from pages.what_if.result import WhatIfResult
from ui.plot import theme
from ui.plot.curves import Curve, Level, over, trained
from ui.texts import Texts

SAYS = Texts(__file__)


def curve(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw the measure along the knob, the target, and where it is crossed."""
    settings, (low, high) = result.settings, _range(result)
    progress = trained(len(result.curve.values), len(settings.around.curve))
    upwards = _upwards(low, high)
    ends = upwards["range"]
    height = math.log10(settings.target) if "type" in upwards else settings.target
    target = Level(
        y=settings.target,
        name=f"<b>{say.tell(result, 'chart.target')}</b>",
        colour=theme.BOUND,
        width=2,
        below=height > ends[0] + 0.85 * (ends[1] - ends[0]),
        inked=True,
    )
    return over(
        *_rival(result, say),
        *_runs(result, say),
        *_estimate(result, say),
        levels=[target],
        title=theme.title(say.title(result), progress or say.finding(result)),
        legend=True,
        xaxis=_along(settings.axis(settings.along, _shown(result)), say.low(settings.along)),
        yaxis={"title": {"text": say.upwards(settings)}} | upwards,
        shapes=_crossing(result),
        annotations=_words(result, say),
    )


def _runs(result: WhatIfResult, say: ModuleType) -> list[Curve | dict]:
    """Return the median of the base's runs, where nine in ten lie, and what nine in ten reach."""
    settings, (x, runs, _) = result.settings, result.curve
    hover = f"{say.label(settings.along)} %{{x}}: {_height(result)}<extra>"
    median = Curve(
        name=say.noun(settings) if settings.exact else SAYS["chart.a" if settings.asks == "versus" else "chart.median"],
        x=x,
        y=settings.scale * result.curve.medians,
        colour=theme.PRIVATE,
        hover=hover + SAYS["chart.median"] + "</extra>",
    )
    if settings.exact:
        return [median]
    least, _, most = settings.scale * result.curve.quantiles
    area = theme.band(x, least, most, colour=theme.PRIVATE)
    if settings.asks == "versus":
        return [area, median]
    share = 1 - MOST if settings.asked.better == "higher" else MOST
    reached = Curve(
        name=SAYS["chart.reached"],
        x=x,
        y=np.quantile(settings.scale * runs, share, axis=1),
        colour=theme.PRIVATE,
        dash="dash",
        width=1.6,
        hover=hover + SAYS["chart.reached"] + "</extra>",
    )
    return [area | {"name": SAYS["chart.range"], "showlegend": True}, median, reached]


def _estimate(result: WhatIfResult, say: ModuleType) -> list[Curve]:
    """Return the medians estimated for more people than there are."""
    more, hover = result.beyond, f"{say.label(result.settings.along)} %{{x}}: {_height(result)}<extra>"
    name = SAYS["chart.estimate"]
    y = result.settings.scale * more.medians
    style: dict[str, Any] = {"colour": theme.PRIVATE, "dash": "longdash", "width": 3, "hover": f"{hover}{name}</extra>"}
    return [Curve(name=name, x=more.values, y=y, **style)] if len(y) and result.settings.asks != "versus" else []


def _shown(result: WhatIfResult) -> tuple[float, ...]:
    """Return the values along the axis: those measured, and those estimated."""
    return (*result.settings.around.curve, *result.settings.around.estimated)


def _height(result: WhatIfResult) -> str:
    return "%{y:.1f} %" if result.settings.asked.unit == "%" else "%{y:.3g}"


def _rival(result: WhatIfResult, say: ModuleType) -> list[Curve]:
    settings = result.settings
    if settings.asks != "versus":
        return []
    x, y = result.rival.values, settings.scale * result.rival.medians
    hover = f"{say.label(settings.along)} %{{x}}: {_height(result)}<extra>B</extra>"
    return [Curve(name=SAYS["chart.b"], x=x, y=y, colour=theme.PRIVATE, dash="dash", hover=hover)]


# ---- axes


def _range(result: WhatIfResult) -> tuple[float, float]:
    """Return what the axis upwards shows, in the unit that is shown; steady while the picture refines."""
    settings, scale = result.settings, result.settings.scale
    shown = [result.curve.quantiles[[0, 2]].ravel(), np.array([settings.goal]), result.beyond.medians]
    if settings.asks == "versus" and len(result.rival.values):
        shown.append(result.rival.medians)
    values = scale * np.concatenate(shown)
    low, high = float(values.min()), float(values.max())
    if settings.asked.unit == "%":
        least, most = (scale * end for end in settings.asked.limits)
        return max(least, 10 * math.floor((low - 2) / 10)), min(most, 10 * math.ceil((high + 2) / 10))
    if low > 0 and high / low > 20:
        low, high = (10**end for end in theme.steady_range(low, high))
        return low, high
    high *= 1.05
    step = 10 ** math.floor(math.log10(high)) / 2 if high > 0 else 1.0  # two digits, of which the second is 0 or 5
    return min(0.0, 1.1 * low), step * math.ceil(high / step)


def _upwards(low: float, high: float) -> dict[str, Any]:
    if low > 0 and high / low > 20:
        return {"type": "log", "range": [math.log10(low), math.log10(high)], "dtick": 1, "tickformat": "~g"}
    return {"range": [low, high]}


def _along(axis: Axis, name: str) -> dict:
    ends = [float(place) for place in axis.place([axis.values[0], axis.values[-1]])]
    if not axis.log:
        return {"title": {"text": name}, "range": ends}
    return {"title": {"text": f"{name} (log scale)"}, "type": "log", "range": ends} | ticks(axis, 9)


def ticks(axis: Axis, most: int) -> dict[str, list]:
    """Return round values along a log axis and their texts, at most so many; long numbers take more room."""
    most = most if axis.values[-1] < 1000 else most * 2 // 3
    low, high = axis.ends
    powers = range(math.floor(low), math.ceil(high) + 1)
    for digits in ((1, 2, 5), (1, 3), (1,)):
        found = [digit * 10.0**power for power in powers for digit in digits]
        found = [value for value in found if low <= math.log10(value) <= high]
        if len(found) <= most:
            break
    else:
        found = found[:: math.ceil(len(found) / most)]
    texts = [f"{value:,.0f}" if value >= 1 else f"{value:g}".replace("e-0", "e-") for value in found]
    return {"tickvals": found, "ticktext": texts}


# ---- where the target is crossed


def _crossing(result: WhatIfResult) -> list[dict]:
    """Return where the target is crossed: by the median run in orange, by nine in ten as a hollow mark."""
    settings = result.settings
    now = getattr(settings, settings.along)
    here = theme.dot(now, settings.scale * result.median(result.now), colour=theme.PRIVATE)
    if not settings.solving:
        return [here, theme.rule(now)]
    shapes = [here, *(_strip(left, right) for left, right in result.spans)]
    main, sure = result.main, result.sure
    if main is not None:
        style = {"color": theme.BOUND, "width": 2, "dash": "solid"}
        shapes += [theme.rule(main) | {"line": style}, theme.dot(main, settings.target, colour=theme.BOUND)]
    if sure is not None and sure != main:
        hollow = theme.dot(sure, settings.target, colour="white")
        shapes += [theme.rule(sure), hollow | {"line": {"width": 2, "color": theme.PRIVATE}}]
    return shapes


def _strip(left: float, right: float) -> dict:
    colour = theme.rgba(theme.BOUND, 0.22)
    line = {"width": 0 if left < right else 3, "color": colour}
    fill = {"fillcolor": colour, "line": line, "layer": "below"}
    return {"type": "rect", "x0": left, "x1": right, "yref": "paper", "y0": 0, "y1": 1} | fill


def _words(result: WhatIfResult, say: ModuleType) -> list[dict]:
    main, sure = result.main, result.sure
    first = main is None or sure is None or main <= sure
    words = []
    if main is not None:
        words.append(_beside(result, say, main, left=first, colour=theme.BOUND))
    if sure is not None and sure != main:
        words.append(_beside(result, say, sure, left=not first, colour=theme.NOW))
    return words


def _beside(result: WhatIfResult, say: ModuleType, value: float, *, left: bool, colour: str) -> dict:
    """Return a value of the knob at the line that stands there."""
    axis = result.settings.axis(result.settings.along, _shown(result))
    x, (low, high) = float(axis.place(value)), axis.ends
    share = (x - low) / (high - low)
    left = share > 0.88 or (left and share >= 0.12)
    text = theme.ink(f"<b>{say.answer(result, value)}</b>", colour)
    place = {"xanchor": "right" if left else "left", "xshift": -4 if left else 4, "yref": "paper", "yanchor": "bottom"}
    return theme.word(text, x=x, y=0, size=13) | place


# ---- which setting is best


def tries(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw the median run by which each try was chosen, the best first, and for the winner that when measured again."""
    settings, scale = result.settings, result.settings.scale
    medians = sorted((scale * median for _, median in result.tries), reverse=settings.asked.better == "higher")
    now = scale * result.median(result.now)
    hover, drawn, shown = f"{_height(result)}<extra>", [], [now, settings.target]

    def mark(key: str, x: list[int], y: list[float], **style: Any) -> None:
        name = SAYS[f"chart.{key}"]
        shown.extend(y)
        drawn.append(theme.markers(x, y, hover=f"{hover}{name}</extra>", name=name, **style))

    mark("selected", [*range(1, len(medians) + 1)], medians, colour=theme.PRIVATE, size=9)
    if result.winner and len(result.winner.again):
        mark("again", [1], [scale * result.winner.again_median], colour=theme.BOUND, size=13, symbol="diamond")
        mark("yours", [1], [scale * result.winner.base_median], colour=theme.NOW, size=13, symbol="diamond")
    low, high = min(shown), max(shown)
    room = 0.12 * ((high - low) or 1.0)
    return theme.figure(
        *drawn,
        title=theme.title(SAYS["chart.tries"], say.best_finding(result)),
        legend=True,
        xaxis={"title": {"text": SAYS["chart.order"]}, "range": [0.3, len(settings.tried) + 0.7], "nticks": 7},
        yaxis={"title": {"text": say.upwards(settings)}, "range": [low - room, high + room]},
        shapes=[theme.level(now, colour=theme.NOW, width=1.5, dash="dot")],
        annotations=[theme.word("now", x=1, xref="paper", y=now, size=13, xanchor="right", yanchor="bottom")],
    )
