"""The map of the measure over two parameters."""

import math
from typing import Any

import numpy as np

from pages.what_if.charts import LOG_FACTOR, log_ticks
from pages.what_if.findings import cell_text, colour_range_texts, map_finding
from pages.what_if.formats import SAYS, target_text
from pages.what_if.measurements import Axis
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import WhatIfSettings
from ui.charts import theme
from ui.charts.maps import heat_map
from ui.text.sliders import in_sentence

# Shades of the colour scale.
_SHADES = 64
# Width and height of the map's image, in pixels.
_PIXELS = 240
_STAR = "M0,-9L2.4,-2.9L8.6,-2.8L3.6,1.1L5.3,7.3L0,3.7L-5.3,7.3L-3.6,1.1L-8.6,-2.8L-2.4,-2.9Z"
# Most ticks of the axes.
_X_TICKS = 6
_Y_TICKS = 7
# The key of the colours above the map: its left end and width as shares of the map, and its boxes.
_KEY_LEFT = 0.68
_KEY_WIDTH = 0.17
_KEY_BOXES = 12
# Most iso-lines, about, and the least range of medians that has any.
_LINES = 5
_LEAST_RANGE = 1e-9
# An iso-line whose level is within this share of the target is left out: the target has a line of
# its own.
_NEAR_TARGET = 0.02
# The number of an iso-line has this distance from marks, as shares of the map across and up, and
# is at most this share of the map from its middle.
_CLEARANCE = (0.3, 0.08)
_MOST_OFF_CENTRE = 0.38
# Texts on shades darker than this share of the scale are light.
_DARK = 0.55
# The text of a mark in these shares of the map is on the inner side of the mark.
_LEFT_EDGE = 0.2
_RIGHT_EDGE = 0.8


def median_map(result: WhatIfResult) -> dict:
    """Draw the median over two sliders. Cells without runs are blank."""
    settings = result.settings
    x_axis, y_axis = settings.axes
    lines, line_numbers = _iso_lines(result)
    colours = [(colour, 1.0) for colour in theme.shades(_SHADES)]
    transparent = (theme.ON_SCALE[1], 0.0)
    return heat_map(
        _pixels(result),
        [*colours, transparent],
        _hover_points(result),
        title=SAYS["chart.map"],
        finding=map_finding(result),
        xaxis=_axis(x_axis, in_sentence(settings.x_field), most=_X_TICKS),
        yaxis=_axis(y_axis, in_sentence(settings.y_field), most=_Y_TICKS),
        margin={"l": 48, "r": 12, "t": 54, "b": 44},
        shapes=[*_key(), *lines, *_mark_shapes(result)],
        annotations=[*_key_texts(result), *line_numbers, *_mark_texts(result)],
    )


def clicks(settings: WhatIfSettings) -> dict:
    """Return the ends of the axes, which turn a click into a place on the map."""
    x_axis, y_axis = settings.axes
    return {"position": "place", "x": x_axis.ends, "y": y_axis.ends}


def _axis(axis: Axis, name: str, *, most: int) -> dict:
    """Return a linear axis of positions, so that images and paths are where points are."""
    if not axis.log:
        return {"range": axis.ends, "title": {"text": name}, "nticks": most}
    ticks = log_ticks(axis, most)
    return {
        "range": axis.ends,
        "title": {"text": f"{name} (log)"},
        "tickvals": np.log10(ticks["tickvals"]).tolist(),
        "ticktext": ticks["ticktext"],
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


# Iso-lines


def _iso_lines(result: WhatIfResult) -> tuple[list[dict], list[dict]]:
    """Return the iso-lines, that of the target last, and the number beside each."""
    settings = result.settings
    shapes = []
    numbers = []
    for level in _levels(result):
        if abs(level - settings.target) <= _NEAR_TARGET * abs(settings.target):
            continue
        segments = result.map.line_at(level / settings.scale)
        shapes += _line_shapes(segments, theme.ON_SCALE[0], 1.3)
        numbers += _line_number(result, segments, target_text(settings, level))
    target_line = result.map.target_line
    shapes += _line_shapes(target_line, theme.BOUND, 3)
    numbers += _line_number(result, target_line, target_text(settings, settings.target))
    return shapes, numbers


def _levels(result: WhatIfResult) -> list[float]:
    """Return round levels within the map's medians, about four, as shown."""
    medians = result.map.map.medians
    medians_done = result.settings.scale * medians[~np.isnan(medians)]
    if len(medians_done) == 0 or np.ptp(medians_done) < _LEAST_RANGE:
        return []
    low = float(medians_done.min())
    high = float(medians_done.max())
    if low > 0 and high / low > LOG_FACTOR:
        levels = [digit * 10.0**power for power in range(-9, 9) for digit in (1, 3)]
        return [level for level in levels if low < level < high]
    steps = [digit * 10.0**power for power in range(-6, 6) for digit in (1, 2, 5)]
    step = next(step for step in steps if (high - low) / step <= _LINES)
    first = math.ceil(low / step)
    last = math.floor(high / step)
    return [round(step * number, 9) for number in range(first, last + 1)]


def _line_shapes(segments: np.ndarray, colour: str, width: float) -> list[dict]:
    """Return a line with a rim that sets it off from the colours."""
    pieces = []
    for (x0, y0), (x1, y1) in segments:
        pieces.append(f"M{x0:.4g},{y0:.4g}L{x1:.4g},{y1:.4g}")
    path = "".join(pieces) or "M0,0Z"
    rim = {
        "type": "path",
        "path": path,
        "line": {"color": theme.ON_SCALE[1], "width": width + 1.6},
        "opacity": 0.5,
    }
    return [rim, {"type": "path", "path": path, "line": {"color": colour, "width": width}}]


def _line_number(result: WhatIfResult, segments: np.ndarray, text: str) -> list[dict]:
    """Return the number of an iso-line where it is nearest to the middle of the map.

    It is away from edges and marks, and left out if there is no such place.
    """
    if len(segments) == 0:
        return []
    low, high = np.transpose([axis.ends for axis in result.settings.axes])
    middles = segments.mean(axis=1)
    shares = (middles - low) / (high - low)
    off_centre = np.abs(shares - 0.5).max(axis=1)
    marks = [_set_position(result.settings)]
    star = _star_position(result)
    if star is not None:
        marks.append(star)
    for mark in marks:
        mark_share = (np.array(mark) - low) / (high - low)
        is_near = (np.abs(shares - mark_share) < _CLEARANCE).all(axis=1)
        off_centre[is_near] = 1.0
    if off_centre.min() > _MOST_OFF_CENTRE:
        return []
    x, y = middles[off_centre.argmin()]
    return [_text(result, x, y, text)]


# Marks


def _text(result: WhatIfResult, x: float, y: float, text: str, **anchor: Any) -> dict:
    """Return a text on the map, which is light where the map is dark."""
    x_axis, y_axis = result.settings.axes
    shade = shade_numbers(result)[int(y_axis.cells(y)), int(x_axis.cells(x))]
    colour = theme.ON_SCALE[1]
    if shade < _DARK * _SHADES:
        colour = theme.ON_SCALE[0]
    annotation = theme.annotation(f"<b>{text}</b>", x=float(x), y=float(y), size=12)
    return {**annotation, **anchor, "font": {"size": 12, "color": colour}}


def _mark_shapes(result: WhatIfResult) -> list[dict]:
    """Return the dot at the set values, and the star."""
    edge = {"color": theme.ON_SCALE[1], "width": 2}
    dot = theme.dot(*_set_position(result.settings), colour=theme.ON_SCALE[0])
    shapes = [{**dot, "line": edge}]
    star_position = _star_position(result)
    if star_position is not None:
        star = theme.dot(*star_position, colour=theme.ON_SCALE[0])
        shapes.append({**star, "path": _STAR, "line": {**edge, "width": 1.5}})
    return shapes


def _star_position(result: WhatIfResult) -> tuple[float, float] | None:
    """Return the position of the first crossing, or else of the best cell.

    Return None until the map is complete.
    """
    if not result.map.complete:
        return None
    if result.map.first_crossing is not None:
        return result.map.first_crossing
    row, column = result.map.best_cell
    x, y, _ = result.map.map
    x_axis, y_axis = result.settings.axes
    return float(x_axis.position(x[column])), float(y_axis.position(y[row]))


def _set_position(settings: WhatIfSettings) -> tuple[float, float]:
    """Return the position of the set values."""
    x_axis, y_axis = settings.axes
    x = x_axis.position(getattr(settings, settings.x_field))
    y = y_axis.position(getattr(settings, settings.y_field))
    return float(x), float(y)


def _mark_texts(result: WhatIfResult) -> list[dict]:
    """Return the names of the marks, on the sides that have room."""
    now = _set_position(result.settings)
    star = _star_position(result)
    if star is None or star == now:
        return [_mark_text(result, *now, "now", is_left=True)]
    case = f"best_{result.settings.asked_measure.better}"
    if result.map.first_crossing is not None:
        case = "least"
    star_is_left = star[0] < now[0]
    return [
        _mark_text(result, *now, "now", is_left=not star_is_left),
        _mark_text(result, *star, SAYS[f"chart.{case}"], is_left=star_is_left),
    ]


def _mark_text(result: WhatIfResult, x: float, y: float, text: str, *, is_left: bool) -> dict:
    """Return a text beside a mark. Near an edge it is on the inner side."""
    x_axis, _ = result.settings.axes
    low, high = x_axis.ends
    share = (x - low) / (high - low)
    if share <= _LEFT_EDGE:
        is_left = False
    elif share > _RIGHT_EDGE:
        is_left = True
    if is_left:
        return _text(result, x, y, text, xanchor="right", xshift=-10)
    return _text(result, x, y, text, xanchor="left", xshift=10)


# Key of the colours


def _key() -> list[dict]:
    """Return the boxes of the key."""
    width = _KEY_WIDTH / _KEY_BOXES
    boxes = []
    for index, colour in enumerate(theme.shades(_KEY_BOXES)):
        box = {
            "type": "rect",
            "xref": "paper",
            "yref": "paper",
            "x0": _KEY_LEFT + width * index,
            "x1": _KEY_LEFT + width * (index + 1),
            "y0": 1.022,
            "y1": 1.05,
            "line": {"width": 0},
            "fillcolor": colour,
        }
        boxes.append(box)
    return boxes


def _key_texts(result: WhatIfResult) -> list[dict]:
    """Return the worst number left of the key, and the best one right of it."""
    worst, best = colour_range_texts(result)
    right = _KEY_LEFT + _KEY_WIDTH
    position = {"xref": "paper", "yref": "paper", "yanchor": "bottom"}
    return [
        theme.annotation(worst, x=_KEY_LEFT, y=1, size=12, xanchor="right", xshift=-4, **position),
        theme.annotation(best, x=right, y=1, size=12, xanchor="left", xshift=4, **position),
    ]
