"""Charts of the planner: where a target is reached, and the configurations tried.

``say`` is the module of their texts, ``words``.
"""

import math
from types import ModuleType
from typing import Any

import numpy as np

from pages.what_if.measurements import MOST, Axis
from pages.what_if.result import WhatIfResult
from ui.charts import theme
from ui.charts.curves import Curve, Level, count_progress, curve_chart
from ui.text.texts import Texts

SAYS = Texts(__file__)
# A range of more than this factor has a log scale.
_LOG = 20
# A target in the top 15 % of the axis has its name below its line.
_HIGH = 0.85
# Texts in the outer 12 % of the axis stand on the inner side of their line.
_EDGE = 0.12


def curve(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw the measure along the slider, the target, and where it is crossed."""
    settings = result.settings
    low, high = _measure_range(result)
    yaxis = _measure_axis(low, high)
    curves = _runs(result, say)
    estimate = _estimate(result, say)
    if estimate:
        curves.append(estimate)
    progress = count_progress(len(result.curve.values), len(settings.around.curve))
    return curve_chart(
        *curves,
        levels=[_target(result, say, yaxis)],
        title=say.title(result),
        finding=progress or say.finding(result),
        xaxis=_slider_axis(
            settings.axis(settings.along, _shown_values(result)), say.low(settings.along)
        ),
        yaxis={"title": {"text": say.upwards(settings)}} | yaxis,
        shapes=_marks(result),
        annotations=_mark_texts(result, say),
    )


def _target(result: WhatIfResult, say: ModuleType, yaxis: dict[str, Any]) -> Level:
    """Return the line of the target, with its name below it near the top of the chart."""
    target = result.settings.target
    low, high = yaxis["range"]
    height = math.log10(target) if yaxis.get("type") == "log" else target
    return Level(
        y=target,
        name=f"<b>{say.tell(result, 'chart.target')}</b>",
        colour=theme.BOUND,
        width=2,
        below=height > low + _HIGH * (high - low),
        coloured=True,
    )


def _runs(result: WhatIfResult, say: ModuleType) -> list[Curve | dict]:
    """Return the range of 90 % of runs, the median, and what 90 % of runs reach."""
    settings = result.settings
    x, runs, _ = result.curve
    least, _, most = settings.scale * result.curve.quantiles
    band = theme.band(x, least, most, colour=theme.PRIVATE) | {
        "name": SAYS["chart.range"],
        "showlegend": True,
    }
    median = Curve(
        name=SAYS["chart.median"],
        x=x,
        y=settings.scale * result.curve.medians,
        colour=theme.PRIVATE,
        hover=_hover(result, say, "median"),
    )
    share = 1 - MOST if settings.asked.better == "higher" else MOST
    reached = Curve(
        name=SAYS["chart.reached"],
        x=x,
        y=np.quantile(settings.scale * runs, share, axis=1),
        colour=theme.PRIVATE,
        dash="dash",
        width=1.6,
        hover=_hover(result, say, "reached"),
    )
    return [band, median, reached]


def _estimate(result: WhatIfResult, say: ModuleType) -> Curve | None:
    """Return the medians estimated for more people than there are."""
    estimates = result.beyond
    if not len(estimates.values):
        return None
    return Curve(
        name=SAYS["chart.estimate"],
        x=estimates.values,
        y=result.settings.scale * estimates.medians,
        colour=theme.PRIVATE,
        dash="longdash",
        width=3,
        hover=_hover(result, say, "estimate"),
    )


def _hover(result: WhatIfResult, say: ModuleType, name: str) -> str:
    text = f"{say.label(result.settings.along)} %{{x}}: {_height_format(result)}"
    return f"{text}<extra>{SAYS[f'chart.{name}']}</extra>"


def _height_format(result: WhatIfResult) -> str:
    if result.settings.asked.unit == "%":
        return "%{y:.1f} %"
    return "%{y:.3g}"


def _shown_values(result: WhatIfResult) -> tuple[float, ...]:
    """Return the values along the axis: measured and estimated."""
    return (*result.settings.around.curve, *result.settings.around.estimated)


# Axes


def _measure_range(result: WhatIfResult) -> tuple[float, float]:
    """Return the ends of the axis of the measure, as shown.

    They are steady while the chart refines.
    """
    settings = result.settings
    drawn = [
        result.curve.quantiles[[0, 2]].ravel(),
        np.array([settings.goal]),
        result.beyond.medians,
    ]
    values = settings.scale * np.concatenate(drawn)
    low = float(values.min())
    high = float(values.max())
    if settings.asked.unit == "%":
        least, most = (settings.scale * end for end in settings.asked.limits)
        return max(least, 10 * math.floor((low - 2) / 10)), min(
            most, 10 * math.ceil((high + 2) / 10)
        )
    if _is_log(low, high):
        log_low, log_high = theme.stable_log_range(low, high)
        return 10**log_low, 10**log_high
    high *= 1.05
    # Two digits, of which the second is 0 or 5.
    step = 10 ** math.floor(math.log10(high)) / 2 if high > 0 else 1.0
    return min(0.0, 1.1 * low), step * math.ceil(high / step)


def _is_log(low: float, high: float) -> bool:
    return low > 0 and high / low > _LOG


def _measure_axis(low: float, high: float) -> dict[str, Any]:
    if _is_log(low, high):
        return {
            "type": "log",
            "range": [math.log10(low), math.log10(high)],
            "dtick": 1,
            "tickformat": "~g",
        }
    return {"range": [low, high]}


def _slider_axis(axis: Axis, name: str) -> dict:
    first, last = axis.place([axis.values[0], axis.values[-1]])
    ends = [float(first), float(last)]
    if not axis.log:
        return {"title": {"text": name}, "range": ends}
    return {"title": {"text": f"{name} (log scale)"}, "type": "log", "range": ends} | ticks(axis, 9)


def ticks(axis: Axis, most: int) -> dict[str, list]:
    """Return round values along a log axis and their texts, at most ``most``; fewer where numbers
    are long.
    """
    if axis.values[-1] >= 1000:
        most = most * 2 // 3
    low, high = axis.ends
    powers = range(math.floor(low), math.ceil(high) + 1)
    values: list[float] = []
    for digits in ((1, 2, 5), (1, 3), (1,)):
        candidates = [digit * 10.0**power for power in powers for digit in digits]
        values = [value for value in candidates if low <= math.log10(value) <= high]
        if len(values) <= most:
            break
    else:
        values = values[:: math.ceil(len(values) / most)]
    return {"tickvals": values, "ticktext": [_tick(value) for value in values]}


def _tick(value: float) -> str:
    if value >= 1:
        return f"{value:,.0f}"
    return f"{value:g}".replace("e-0", "e-")


# Where the target is crossed


def _marks(result: WhatIfResult) -> list[dict]:
    """Return the marks of the base, the crossing of the median in orange, and that of 90 % of runs
    as a hollow dot.
    """
    settings = result.settings
    shapes = [
        theme.dot(getattr(settings, settings.along), _now_height(result), colour=theme.PRIVATE)
    ]
    if result.span:
        shapes.append(_strip(*result.span))
    if result.main is not None:
        line = {"color": theme.BOUND, "width": 2, "dash": "solid"}
        shapes.append(theme.vertical_line(result.main) | {"line": line})
        shapes.append(theme.dot(result.main, settings.target, colour=theme.BOUND))
    sure = _sure_mark(result)
    if sure is not None:
        hollow = {"line": {"width": 2, "color": theme.PRIVATE}}
        shapes.append(theme.vertical_line(sure))
        shapes.append(theme.dot(sure, settings.target, colour="white") | hollow)
    return shapes


def _now_height(result: WhatIfResult) -> float:
    return result.settings.scale * result.median(result.now)


def _sure_mark(result: WhatIfResult) -> float | None:
    """Return where 90 % of runs reach the target, if that is not where the median does."""
    if result.sure == result.main:
        return None
    return result.sure


def _strip(left: float, right: float) -> dict:
    """Return the strip of a confidence interval; a line where its ends are equal."""
    colour = theme.rgba(theme.BOUND, 0.22)
    width = 0 if left < right else 3
    return {
        "type": "rect",
        "x0": left,
        "x1": right,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "fillcolor": colour,
        "line": {"width": width, "color": colour},
        "layer": "below",
    }


def _mark_texts(result: WhatIfResult, say: ModuleType) -> list[dict]:
    """Return the values at the marks, on the outer sides where there are two."""
    texts = []
    main = result.main
    sure = _sure_mark(result)
    main_first = main is None or sure is None or main <= sure
    if main is not None:
        text = theme.coloured(f"<b>{say.answer(result, main)}</b>", theme.BOUND)
        texts.append(_mark_text(result, text, main, left=main_first))
    if sure is not None:
        value = say.at(result.settings, result.settings.along, sure)
        text = theme.coloured(f"<b>{value}</b>", theme.CURRENT)
        texts.append(_mark_text(result, text, sure, left=not main_first))
    return texts


def _mark_text(result: WhatIfResult, text: str, value: float, *, left: bool) -> dict:
    """Return the text of a value at its line, on the side that has room."""
    settings = result.settings
    axis = settings.axis(settings.along, _shown_values(result))
    low, high = axis.ends
    x = float(axis.place(value))
    share = (x - low) / (high - low)
    if share < _EDGE:
        left = False
    elif share > 1 - _EDGE:
        left = True
    side = {"xanchor": "right", "xshift": -4} if left else {"xanchor": "left", "xshift": 4}
    return theme.annotation(text, x=x, y=0, size=13) | {"yref": "paper", "yanchor": "bottom"} | side


# Best configuration


def tries(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw the median of each try, the best first, and the retests of the best and of the base."""
    settings = result.settings
    scale = settings.scale
    medians = sorted(
        (scale * median for _, median in result.tries), reverse=settings.asked.better == "higher"
    )
    order = [*range(1, len(medians) + 1)]
    traces = [_dots(result, "selected", order, medians, colour=theme.PRIVATE, size=9)]
    heights = [_now_height(result), settings.target, *medians]
    winner = result.winner
    if winner and len(winner.again):
        again = scale * winner.again_median
        base = scale * winner.base_median
        diamond = {"size": 13, "symbol": "diamond"}
        traces.append(_dots(result, "again", [1], [again], colour=theme.BOUND, **diamond))
        traces.append(_dots(result, "yours", [1], [base], colour=theme.CURRENT, **diamond))
        heights += [again, base]
    low = min(heights)
    high = max(heights)
    room = 0.12 * ((high - low) or 1.0)
    now = _now_height(result)
    return theme.figure(
        *traces,
        title=SAYS["chart.tries"],
        finding=say.best_finding(result),
        legend=True,
        xaxis={
            "title": {"text": SAYS["chart.order"]},
            "range": [0.3, len(settings.tried) + 0.7],
            "nticks": 7,
        },
        yaxis={"title": {"text": say.upwards(settings)}, "range": [low - room, high + room]},
        shapes=[theme.horizontal_line(now, colour=theme.CURRENT, width=1.5, dash="dot")],
        annotations=[
            theme.annotation(
                "now", x=1, xref="paper", y=now, size=13, xanchor="right", yanchor="bottom"
            )
        ],
    )


def _dots(result: WhatIfResult, name: str, x: list[int], y: list[float], **style: Any) -> dict:
    text = SAYS[f"chart.{name}"]
    hover = f"{_height_format(result)}<extra>{text}</extra>"
    return theme.markers(x, y, hover=hover, name=text, **style)
