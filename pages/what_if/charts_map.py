"""The map of the measure over two parameters."""

import math
from types import ModuleType

import numpy as np

from pages.what_if.charts import SAYS, ticks
from pages.what_if.measurements import Axis
from pages.what_if.result import WhatIfResult
from ui.charts import theme
from ui.charts.maps import heat_map

# Shades of the colour scale.
_SHADES = 64
# Width and height of the map's image, in pixels.
_PIXELS = 240
_STAR = "M0,-9L2.4,-2.9L8.6,-2.8L3.6,1.1L5.3,7.3L0,3.7L-5.3,7.3L-3.6,1.1L-8.6,-2.8L-2.4,-2.9Z"
# The key of the colours above the map: its left end and width as shares of the map, and its boxes.
_KEY_LEFT, _KEY_WIDTH, _KEY_BOXES = 0.68, 0.17, 12
# A range of more than this factor has iso-lines at powers of ten.
_LOG = 20
# Most iso-lines, about.
_LEVELS = 5
# An iso-line whose level is within this share of the target is left out: the target has a line of
# its own.
_NEAR_TARGET = 0.02
# A number of an iso-line keeps this distance from marks, as shares of the map across and up.
_CLEARANCE = (0.3, 0.08)
# It lies at most this share of the map from its middle.
_OFF_CENTRE = 0.38
# Texts on shades darker than this share of the scale are light.
_DARK = 0.55


def both(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw the median over two sliders. Cells without runs are blank."""
    settings = result.settings
    across, up = settings.axes
    lines, level_texts = _lines(result, say)
    return heat_map(
        _pixels(result),
        [(colour, 1.0) for colour in theme.shades(_SHADES)] + [(theme.ON_SCALE[1], 0.0)],
        _hover_points(result, say),
        title=SAYS["chart.map"],
        finding=say.map_finding(result),
        xaxis=_axis(across, say.low(settings.along), most=6),
        yaxis=_axis(up, say.low(settings.upwards), most=7),
        margin={"l": 48, "r": 12, "t": 54, "b": 44},
        shapes=[*_key(), *lines, *_marks(result)],
        annotations=[*_key_texts(*say.colour_ends(result)), *level_texts, *_mark_texts(result)],
    )


def clicks(result: WhatIfResult) -> dict:
    """Return the ends of the axes, which turn a click into a place on the map."""
    across, up = result.settings.axes
    return {"place": "place", "x": across.ends, "y": up.ends}


def _axis(axis: Axis, name: str, *, most: int) -> dict:
    """Return a linear axis of places, so that images and paths lie where points do."""
    title = f"{name} (log)" if axis.log else name
    base = {"range": axis.ends, "title": {"text": title}}
    if not axis.log:
        return base | {"nticks": most}
    found = ticks(axis, most)
    return base | {"tickvals": np.log10(found["tickvals"]).tolist(), "ticktext": found["ticktext"]}


# Colours


def shade(result: WhatIfResult, medians: np.ndarray) -> np.ndarray:
    """Return the colour numbers of medians on the scale ``result.colours``, the best the lightest.

    Missing medians have the number after the last, which is transparent.
    """
    low, high = result.colours
    if math.isinf(result.settings.asked.limits[1]):
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high, medians = np.log10(low), np.log10(high), np.log10(medians)
    share = np.clip((medians - low) / (high - low), 0, 1)
    if result.settings.asked.better == "lower":
        share = 1 - share
    return np.nan_to_num(np.round(share * (_SHADES - 1)), nan=_SHADES).astype(int)


def _pixels(result: WhatIfResult) -> np.ndarray:
    """Return the colour number of each pixel."""
    shares = (np.arange(_PIXELS) + 0.5) / _PIXELS
    columns, rows = (axis.cells(axis.at(shares)) for axis in result.settings.axes)
    return shade(result, result.map.medians)[np.ix_(rows, columns)]


def _hover_points(result: WhatIfResult, say: ModuleType) -> dict:
    """Return an invisible point in each cell with its hover text."""
    settings = result.settings
    x, y, medians = result.map
    across, up = settings.axes
    rows, columns = np.nonzero(~np.isnan(medians))
    texts = []
    for row, column in zip(rows, columns, strict=True):
        first = f"{say.label(settings.along)} {say.at(settings, settings.along, x[column])}"
        second = f"{say.label(settings.upwards)} {say.at(settings, settings.upwards, y[row])}"
        texts.append(f"{first}, {second}: {say.amount(settings, medians[row, column])}")
    return theme.scatter(
        across.place(x[columns]),
        up.place(y[rows]),
        mode="markers",
        marker={"size": 6, "opacity": 0},
        text=texts,
        hovertemplate="%{text}<extra></extra>",
    )


# Iso-lines


def _levels(result: WhatIfResult) -> list[float]:
    """Return round levels within the map's medians, about four, as shown."""
    medians = result.map.medians
    known = result.settings.scale * medians[~np.isnan(medians)]
    if not len(known) or np.ptp(known) < 1e-9:
        return []
    low, high = float(known.min()), float(known.max())
    if low > 0 and high / low > _LOG:
        levels = [digit * 10.0**power for power in range(-9, 9) for digit in (1, 3)]
        return [level for level in levels if low < level < high]
    steps = [digit * 10.0**power for power in range(-6, 6) for digit in (1, 2, 5)]
    step = next(step for step in steps if (high - low) / step <= _LEVELS)
    first = math.ceil(low / step)
    last = math.floor(high / step)
    return [round(step * i, 9) for i in range(first, last + 1)]


def _lines(result: WhatIfResult, say: ModuleType) -> tuple[list[dict], list[dict]]:
    """Return the iso-lines, that of the target last, and the number beside each."""
    settings = result.settings
    shapes = []
    texts = []
    for level in _levels(result):
        if abs(level - settings.target) <= _NEAR_TARGET * abs(settings.target):
            continue
        segments = result.iso(level / settings.scale)
        shapes += _line(segments, theme.ON_SCALE[0], 1.3)
        texts += _level_text(result, segments, say.shown(settings, level))
    shapes += _line(result.line, theme.BOUND, 3)
    texts += _level_text(result, result.line, say.shown(settings, settings.target))
    return shapes, texts


def _line(segments: np.ndarray, colour: str, width: float) -> list[dict]:
    """Return a line with a rim that sets it off from the colours."""
    path = "".join(f"M{a:.4g},{b:.4g}L{c:.4g},{d:.4g}" for (a, b), (c, d) in segments) or "M0,0Z"
    rim = {
        "type": "path",
        "path": path,
        "line": {"color": theme.ON_SCALE[1], "width": width + 1.6},
        "opacity": 0.5,
    }
    return [rim, {"type": "path", "path": path, "line": {"color": colour, "width": width}}]


def _level_text(result: WhatIfResult, segments: np.ndarray, text: str) -> list[dict]:
    """Return the number of an iso-line where it is nearest to the middle of the map, away from
    edges and marks.
    """
    if not len(segments):
        return []
    low, high = np.transpose([axis.ends for axis in result.settings.axes])
    middles = segments.mean(axis=1)
    shares = (middles - low) / (high - low)
    distances = np.abs(shares - 0.5).max(axis=1)
    for mark in filter(None, [_now(result), _star(result)]):
        mark_share = (np.array(mark) - low) / (high - low)
        near = (np.abs(shares - mark_share) < _CLEARANCE).all(axis=1)
        distances[near] = 1.0
    if distances.min() > _OFF_CENTRE:
        return []
    x, y = middles[distances.argmin()]
    return [_text(result, x, y, text)]


# Marks


def _text(result: WhatIfResult, x: float, y: float, text: str, **place: object) -> dict:
    """Return a text on the map, light where the map is dark."""
    across, up = result.settings.axes
    colour_number = shade(result, result.map.medians)[int(up.cells(y)), int(across.cells(x))]
    colour = theme.ON_SCALE[0] if colour_number < _DARK * _SHADES else theme.ON_SCALE[1]
    word = theme.annotation(f"<b>{text}</b>", x=float(x), y=float(y), size=12)
    return word | place | {"font": {"size": 12, "color": colour}}


def _marks(result: WhatIfResult) -> list[dict]:
    """Return the dot of the base, and the star."""
    edge = {"color": theme.ON_SCALE[1], "width": 2}
    marks = [theme.dot(*_now(result), colour=theme.ON_SCALE[0]) | {"line": edge}]
    place = _star(result)
    if place:
        star = theme.dot(*place, colour=theme.ON_SCALE[0])
        marks.append(star | {"path": _STAR, "line": edge | {"width": 1.5}})
    return marks


def _star(result: WhatIfResult) -> tuple[float, float] | None:
    """Return where the target is first reached, or else the middle of the best cell; None until the
    map is whole.
    """
    if not result.whole:
        return None
    if result.first:
        return result.first
    row, column = result.best_cell
    across, up = result.settings.axes
    return float(across.place(result.map.x[column])), float(up.place(result.map.y[row]))


def _now(result: WhatIfResult) -> tuple[float, float]:
    settings = result.settings
    across, up = settings.axes
    return float(across.place(getattr(settings, settings.along))), float(
        up.place(getattr(settings, settings.upwards))
    )


def _mark_texts(result: WhatIfResult) -> list[dict]:
    """Return the names of the marks, on the sides that have room."""
    now = _now(result)
    star = _star(result)
    if star is None or star == now:
        return [_mark_text(result, *now, "now", left=True)]
    case = "least" if result.first else f"best_{result.settings.asked.better}"
    star_is_left = star[0] < now[0]
    return [
        _mark_text(result, *now, "now", left=not star_is_left),
        _mark_text(result, *star, SAYS[f"chart.{case}"], left=star_is_left),
    ]


def _mark_text(result: WhatIfResult, x: float, y: float, text: str, *, left: bool) -> dict:
    """Return a text beside a mark; near an edge, on the inner side."""
    low, high = result.settings.axes[0].ends
    share = (x - low) / (high - low)
    if share <= 0.2:
        left = False
    elif share > 0.8:
        left = True
    if left:
        return _text(result, x, y, text, xanchor="right", xshift=-10)
    return _text(result, x, y, text, xanchor="left", xshift=10)


# Key of the colours


def _key() -> list[dict]:
    step = _KEY_WIDTH / _KEY_BOXES
    boxes = []
    for i, colour in enumerate(theme.shades(_KEY_BOXES)):
        boxes.append(
            {
                "type": "rect",
                "xref": "paper",
                "yref": "paper",
                "x0": _KEY_LEFT + step * i,
                "x1": _KEY_LEFT + step * (i + 1),
                "y0": 1.022,
                "y1": 1.05,
                "line": {"width": 0},
                "fillcolor": colour,
            }
        )
    return boxes


def _key_texts(worst: str, best: str) -> list[dict]:
    place = {"xref": "paper", "yref": "paper", "yanchor": "bottom"}
    return [
        theme.annotation(worst, x=_KEY_LEFT, y=1, size=12, xanchor="right", xshift=-4, **place),
        theme.annotation(
            best, x=_KEY_LEFT + _KEY_WIDTH, y=1, size=12, xanchor="left", xshift=4, **place
        ),
    ]
