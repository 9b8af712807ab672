"""The chart of where a target is reached."""

import math
from typing import Any

import numpy as np

from pages.what_if.findings import (
    answer_text,
    curve_finding,
    curve_title,
    measure_axis_title,
    result_text,
)
from pages.what_if.formats import SAYS, is_percent, slider_label
from pages.what_if.measurements import Axis
from pages.what_if.result import WhatIfResult
from ui.charts import theme
from ui.charts.curves import Curve, Level, count_progress, curve_chart
from ui.text.sliders import in_sentence

# A range of more than this factor has a log scale.
LOG_FACTOR = 20
# A target in the top 15 % of the axis has its name below its line.
_HIGH = 0.85
# Factors by which a linear axis goes on beyond its numbers, above and, if they are negative, below.
_ROOM_ABOVE = 1.05
_ROOM_BELOW = 1.1
# Points of percent beyond the numbers that an axis in percent shows at least, in ticks of 10.
_PERCENT_ROOM = 2
_PERCENT_TICK = 10
# A text in the first 12 % of the axis is right of its line.
_EDGE = 0.12


def curve(result: WhatIfResult) -> dict:
    """Draw the measure along the parameter, the target, and where it is crossed."""
    settings = result.settings
    yaxis = _measure_axis(result)
    finding = count_progress(len(result.curve.measured.values), len(result.plan.curve))
    if not finding:
        finding = curve_finding(result)
    return curve_chart(
        *_curves(result),
        levels=[_target_line(result, yaxis)],
        title=curve_title(result),
        finding=finding,
        xaxis=_slider_axis(_x_axis(result), in_sentence(settings.x_field)),
        yaxis=yaxis,
        shapes=_mark_shapes(result),
        annotations=_answer_texts(result),
    )


def _target_line(result: WhatIfResult, yaxis: dict[str, Any]) -> Level:
    """Return the line of the target."""
    target = result.settings.target
    position = target
    if yaxis.get("type") == "log":
        position = math.log10(target)
    low, high = yaxis["range"]
    return Level(
        y=target,
        name=f"<b>{result_text(result, 'chart.target')}</b>",
        colour=theme.BOUND,
        width=2,
        below=position > low + _HIGH * (high - low),
        coloured=True,
    )


def _curves(result: WhatIfResult) -> list[Curve | dict]:
    """Return the range of 90 % of runs, and the median."""
    settings = result.settings
    measured = result.curve.measured
    low, _, high = settings.scale * measured.quantiles
    band = theme.band(measured.values, low, high, colour=theme.PRIVATE)
    median = Curve(
        name=SAYS["chart.median"],
        x=measured.values,
        y=settings.scale * measured.medians,
        colour=theme.PRIVATE,
        hover=f"{slider_label(settings.x_field)} %{{x}}: {_measure_format(result)}<extra></extra>",
    )
    return [{**band, "name": SAYS["chart.range"], "showlegend": True}, median]


def _measure_format(result: WhatIfResult) -> str:
    """Return the format of the measure in hover texts."""
    if is_percent(result.settings):
        return "%{y:.1f} %"
    return "%{y:.3g}"


# Axes of the curve


def _x_axis(result: WhatIfResult) -> Axis:
    """Return the axis of the parameter with all values of the curve."""
    return result.settings.axis(result.settings.x_field, tuple(result.plan.curve))


def _measure_range(result: WhatIfResult) -> tuple[float, float]:
    """Return the ends of the axis of the measure, as shown.

    They stay while the curve refines a little.
    """
    settings = result.settings
    low_quantiles, _, high_quantiles = result.curve.measured.quantiles
    heights = settings.scale * np.concatenate([low_quantiles, high_quantiles, [settings.goal]])
    low = float(heights.min())
    high = float(heights.max())
    if is_percent(settings):
        least, most = settings.asked_measure.limits
        low_tick = _PERCENT_TICK * math.floor((low - _PERCENT_ROOM) / _PERCENT_TICK)
        high_tick = _PERCENT_TICK * math.ceil((high + _PERCENT_ROOM) / _PERCENT_TICK)
        return max(settings.scale * least, low_tick), min(settings.scale * most, high_tick)
    if _is_log(low, high):
        log_low, log_high = theme.stable_log_range(low, high)
        return 10**log_low, 10**log_high
    high *= _ROOM_ABOVE
    # The upper end is a multiple of half a power of ten, such as 1.5 or 35.
    step = 1.0
    if high > 0:
        step = 10 ** math.floor(math.log10(high)) / 2
    return min(0.0, _ROOM_BELOW * low), step * math.ceil(high / step)


def _is_log(low: float, high: float) -> bool:
    """Return whether an axis from ``low`` to ``high`` has a log scale."""
    return low > 0 and high / low > LOG_FACTOR


def _measure_axis(result: WhatIfResult) -> dict[str, Any]:
    """Return the axis of the measure."""
    low, high = _measure_range(result)
    title = measure_axis_title(result.settings)
    if not _is_log(low, high):
        return theme.axis(title, low, high)
    return theme.detailed_log_axis(title, math.log10(low), math.log10(high))


def _slider_axis(axis: Axis, name: str) -> dict:
    """Return the axis of a parameter, from its first value to its last."""
    first = axis.values[0]
    last = axis.values[-1]
    if not axis.log:
        return theme.axis(name, first, last)
    return theme.axis(f"{name} (log scale)", first, last, ticks=log_ticks(axis), log=True)


def log_ticks(axis: Axis) -> list[float]:
    """Return the values along a log axis that are 1 or 3 times a power of ten."""
    low, high = axis.ends
    values = []
    for power in range(math.floor(low), math.ceil(high) + 1):
        for digit in (1, 3):
            value = digit * 10.0**power
            if low <= math.log10(value) <= high:
                values.append(value)
    return values


# Where the target is crossed


def _mark_shapes(result: WhatIfResult) -> list[dict]:
    """Return the dot of the topic's settings, and the crossing with its confidence interval."""
    settings = result.settings
    set_value = getattr(settings, settings.x_field)
    shapes = [theme.dot(set_value, settings.scale * result.base_median, colour=theme.PRIVATE)]
    answer = result.curve.answer
    if answer is not None:
        low = answer.low
        if low is None:
            low = _x_axis(result).values[0]
        line = {"color": theme.BOUND, "width": 2, "dash": "solid"}
        shapes.append(_interval_strip(low, answer.high))
        shapes.append({**theme.vertical_line(answer.value), "line": line})
        shapes.append(theme.dot(answer.value, settings.target, colour=theme.BOUND))
    return shapes


def _interval_strip(low: float, high: float) -> dict:
    """Return the strip of a confidence interval, which is a line if its ends are equal."""
    colour = theme.rgba(theme.BOUND, 0.22)
    width = 3
    if low < high:
        width = 0
    return {
        "type": "rect",
        "x0": low,
        "x1": high,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "fillcolor": colour,
        "line": {"width": width, "color": colour},
        "layer": "below",
    }


def _answer_texts(result: WhatIfResult) -> list[dict]:
    """Return the value of the crossing at its line, left of it unless that is the edge."""
    answer = result.curve.answer
    if answer is None:
        return []
    axis = _x_axis(result)
    low, high = axis.ends
    x = float(axis.position(answer.value))
    text = theme.coloured(f"<b>{answer_text(result, answer)}</b>", theme.BOUND)
    annotation = theme.annotation(text, x=x, y=0, size=13, yref="paper", yanchor="bottom")
    if (x - low) / (high - low) < _EDGE:
        return [{**annotation, "xanchor": "left", "xshift": 4}]
    return [{**annotation, "xanchor": "right", "xshift": -4}]
