"""The map of the measure over two parameters."""

import math

import numpy as np

from pages.what_if.charts import log_ticks
from pages.what_if.findings import cell_text, map_finding
from pages.what_if.formats import SAYS
from pages.what_if.measurements import Axis
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import WhatIfSettings
from ui.charts import theme
from ui.charts.decision_maps import heat_map
from ui.text.numbers import tick_text
from ui.text.sliders import in_sentence

# Shades of the colour scale.
_SHADES = 64
# Width and height of the map's image, in pixels.
_PIXELS = 240
# A path that draws nothing, because Plotly refuses an empty one.
_EMPTY_PATH = "M0,0Z"
# Most ticks of a linear axis.
_TICKS = 7


def median_map(result: WhatIfResult) -> dict:
    """Draw the median over two sliders. Cells without runs are blank."""
    settings = result.settings
    x_axis, y_axis = settings.axes
    colours = [(colour, 1.0) for colour in theme.shades(_SHADES)]
    transparent = (theme.ON_SCALE[1], 0.0)
    return heat_map(
        _pixels(result),
        [*colours, transparent],
        _hover_points(result),
        title=SAYS["chart.map"],
        finding=map_finding(result),
        xaxis=_axis(x_axis, in_sentence(settings.x_field)),
        yaxis=_axis(y_axis, in_sentence(settings.y_field)),
        margin={"l": 48, "r": 12, "t": 54, "b": 44},
        shapes=[*_target_line(result), _set_dot(settings)],
    )


def clicks(settings: WhatIfSettings) -> dict:
    """Return the ends of the axes, which turn a click into a place on the map."""
    x_axis, y_axis = settings.axes
    return {"position": "place", "x": x_axis.ends, "y": y_axis.ends}


def _axis(axis: Axis, title: str) -> dict:
    """Return a linear axis, of log10 of the values if the axis is logarithmic.

    Images and paths are placed linearly, so that points must be, too.
    """
    if not axis.log:
        return {"range": axis.ends, "title": {"text": title}, "nticks": _TICKS}
    ticks = log_ticks(axis)
    return {
        "range": axis.ends,
        "title": {"text": f"{title} (log)"},
        "tickvals": np.log10(ticks).tolist(),
        "ticktext": [tick_text(tick) for tick in ticks],
    }


# Colours


def shade_numbers(result: WhatIfResult) -> np.ndarray:
    """Return the number of each cell's shade (Y, X), of which the best is the lightest.

    Missing medians have the number after the last, which is transparent.
    """
    medians = result.map.map.medians
    low, high = result.map.colour_range
    measure = result.settings.asked_measure
    if math.isinf(measure.limits[1]):
        low = np.log10(low)
        high = np.log10(high)
        with np.errstate(divide="ignore", invalid="ignore"):
            medians = np.log10(medians)
    share = np.clip((medians - low) / (high - low), 0, 1)
    if measure.better == "lower":
        share = 1 - share
    numbers = np.round(share * (_SHADES - 1))
    return np.nan_to_num(numbers, nan=_SHADES).astype(int)


def _pixels(result: WhatIfResult) -> np.ndarray:
    """Return the shade of each pixel."""
    x_axis, y_axis = result.settings.axes
    shares = (np.arange(_PIXELS) + 0.5) / _PIXELS
    columns = x_axis.cells(x_axis.at_share(shares))
    rows = y_axis.cells(y_axis.at_share(shares))
    return shade_numbers(result)[np.ix_(rows, columns)]


def _hover_points(result: WhatIfResult) -> dict:
    """Return an invisible point in each cell with its text on hover."""
    settings = result.settings
    x, y, medians = result.map.map
    x_axis, y_axis = settings.axes
    rows, columns = np.nonzero(~np.isnan(medians))
    texts = []
    for row, column in zip(rows, columns, strict=True):
        texts.append(cell_text(settings, x[column], y[row], medians[row, column]))
    return theme.scatter(
        x_axis.position(x[columns]),
        y_axis.position(y[rows]),
        mode="markers",
        marker={"size": 6, "opacity": 0},
        text=texts,
        hovertemplate="%{text}<extra></extra>",
    )


# Line of the target, and the set values


def _target_line(result: WhatIfResult) -> list[dict]:
    """Return the line of the target, over a rim that sets it off from the colours."""
    path = _EMPTY_PATH
    if len(result.map.target_line) > 0:
        path = "".join([theme.svg_path(segment) for segment in result.map.target_line])
    rim = {"color": theme.ON_SCALE[1], "width": 4.6}
    line = {"color": theme.BOUND, "width": 3}
    return [
        {"type": "path", "path": path, "line": rim, "opacity": 0.5},
        {"type": "path", "path": path, "line": line},
    ]


def _set_dot(settings: WhatIfSettings) -> dict:
    """Return the dot at the set values."""
    x_axis, y_axis = settings.axes
    x = x_axis.position(getattr(settings, settings.x_field))
    y = y_axis.position(getattr(settings, settings.y_field))
    edge = {"color": theme.ON_SCALE[1], "width": 2}
    return theme.dot(float(x), float(y), colour=theme.ON_SCALE[0], line=edge)
