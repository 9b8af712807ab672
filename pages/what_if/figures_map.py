"""The map of the measure over two parameters."""

import math
from types import ModuleType

import numpy as np

from pages.what_if.figures import SAYS, ticks
from pages.what_if.measured import Axis
from pages.what_if.result import WhatIfResult
from ui.plot import theme
from ui.plot.maps import heat

# Of the scale of the map, and of the picture of it in pixels.
_SHADES, _PIXELS = 64, 240
_STAR = "M0,-9L2.4,-2.9L8.6,-2.8L3.6,1.1L5.3,7.3L0,3.7L-5.3,7.3L-3.6,1.1L-8.6,-2.8L-2.4,-2.9Z"
# Where the key of the colours stands over the map, its width, and in how many boxes.
_KEY_LEFT, _KEY_WIDTH, _KEY_BOXES = 0.68, 0.17, 12


def both(result: WhatIfResult, say: ModuleType) -> dict:
    """Draw the median over two knobs; cells that are still to be trained are blank."""
    settings, (across, up) = result.settings, result.settings.axes
    shapes, words = _lines(result, say)
    return heat(
        _pixels(result),
        [(colour, 1.0) for colour in theme.shades(_SHADES)] + [(theme.ON_SCALE[1], 0.0)],
        _cells(result, say),
        title=theme.title(SAYS["chart.map"], say.map_finding(result)),
        xaxis=_axis(across, say.low(settings.along), most=6),
        yaxis=_axis(up, say.low(settings.upwards), most=7),
        margin={"l": 48, "r": 12, "t": 54, "b": 44},
        shapes=[*_key(), *shapes, *_marks(result)],
        annotations=[*_key_words(*say.colour_ends(result)), *words, *_mark_words(result)],
    )


def clicks(result: WhatIfResult) -> dict:
    """Return the ends of the axes, by which a click on a place of the map goes there."""
    across, up = result.settings.axes
    return {"place": "place", "x": across.ends, "y": up.ends}


def _axis(axis: Axis, name: str, *, most: int) -> dict:
    """Return an axis of the map: linear in what lies on it, so that images and paths lie as points do."""
    base = {"range": axis.ends, "title": {"text": f"{name} (log)" if axis.log else name}}
    if not axis.log:
        return base | {"nticks": most}
    shown = ticks(axis, most)
    return base | shown | {"tickvals": np.log10(shown["tickvals"]).tolist()}


def shade(result: WhatIfResult, medians: np.ndarray) -> np.ndarray:
    """Return numbers of the colours of medians, the best the lightest, on the scale ``result.colours``."""
    low, high = result.colours
    if result.settings.asked.limits[1] == math.inf:
        with np.errstate(divide="ignore", invalid="ignore"):
            low, high, medians = np.log10(low), np.log10(high), np.log10(medians)
    share = np.clip((medians - low) / (high - low), 0, 1)
    share = share if result.settings.asked.better == "higher" else 1 - share
    return np.nan_to_num(np.round(share * (_SHADES - 1)), nan=_SHADES).astype(int)


def _pixels(result: WhatIfResult) -> np.ndarray:
    """Return the number of each pixel's colour, of no colour where nothing is known."""
    shares = (np.arange(_PIXELS) + 0.5) / _PIXELS
    across, up = (axis.cells(axis.at(shares)) for axis in result.settings.axes)
    return shade(result, result.map.medians)[np.ix_(up, across)]


def _cells(result: WhatIfResult, say: ModuleType) -> dict:
    """Return a point in each cell, unseen, that says what it is."""
    settings, (x, y, medians) = result.settings, result.map
    across, up = settings.axes
    rows, columns = np.nonzero(~np.isnan(medians))
    said = [
        f"{say.label(settings.along)} {say.at(settings, settings.along, x[column])}, "
        f"{say.label(settings.upwards)} {say.at(settings, settings.upwards, y[row])}: "
        f"{say.amount(settings, medians[row, column])}"
        for row, column in zip(rows, columns, strict=True)
    ]
    return theme.scatter(
        across.place(x[columns]),
        up.place(y[rows]),
        mode="markers",
        marker={"size": 6, "opacity": 0},
        text=said,
        hovertemplate="%{text}<extra></extra>",
    )


# ---- iso-lines


def _levels(result: WhatIfResult) -> list[float]:
    """Return round numbers between the map's, about four, in the unit that is shown."""
    medians = result.settings.scale * result.map.medians[~np.isnan(result.map.medians)]
    low, high = (float(medians.min()), float(medians.max())) if len(medians) else (0.0, 0.0)
    if low > 0 and high / low > 20:
        return [digit * 10.0**power for power in range(-9, 9) for digit in (1, 3) if low < digit * 10.0**power < high]
    if high - low < 1e-9:
        return []
    steps = [digit * 10.0**power for power in range(-6, 6) for digit in (1, 2, 5)]
    step = next(one for one in steps if (high - low) / one <= 5)
    return [round(step * i, 9) for i in range(math.ceil(low / step), math.floor(high / step) + 1)]


def _lines(result: WhatIfResult, say: ModuleType) -> tuple[list[dict], list[dict]]:
    """Return (iso-lines of the measure and of the target, a number beside each)."""
    target, scale = result.settings.target, result.settings.scale
    shapes, words = [], []
    for level in _levels(result):
        if abs(level - target) > 0.02 * abs(target):
            ends = result.iso(level / scale)
            shapes += _line(ends, theme.ON_SCALE[0], 1.3)
            words += _level_word(result, ends, say.shown(result.settings, level))
    ends = result.iso(target / scale)
    words += _level_word(result, ends, say.shown(result.settings, target))
    return [*shapes, *_line(ends, theme.BOUND, 3)], words


def _line(ends: np.ndarray, colour: str, width: float) -> list[dict]:
    path = "".join(f"M{a:.4g},{b:.4g}L{c:.4g},{d:.4g}" for (a, b), (c, d) in ends) or "M0,0Z"
    rim = {"type": "path", "path": path, "line": {"color": theme.ON_SCALE[1], "width": width + 1.6}, "opacity": 0.5}
    return [rim, {"type": "path", "path": path, "line": {"color": colour, "width": width}}]


def _level_word(result: WhatIfResult, ends: np.ndarray, text: str) -> list[dict]:
    """Return the number of an iso-line, at its place nearest to the middle of the map, but for its edges and marks."""
    low, high = np.transpose([axis.ends for axis in result.settings.axes])
    middles, marks = ends.mean(axis=1), [_now(result), *filter(None, [_star(result)])]
    shares, others = (middles - low) / (high - low), (np.array(marks) - low) / (high - low)
    near = np.abs((shares[:, None] - others) / (0.3, 0.08)).max(axis=2).min(axis=1, initial=1.0) < 1
    far = np.where(near, 1.0, np.abs(shares - 0.5).max(axis=1, initial=0.0))
    if not len(ends) or far.min() > 0.38:
        return []
    x, y = middles[far.argmin()]
    return [_on(result, x, y, text)]


# ---- marks


def _on(result: WhatIfResult, x: float, y: float, text: str, **place: object) -> dict:
    """Return a word on the map, light where the map is dark."""
    column, row = (int(axis.cells(at)) for axis, at in zip(result.settings.axes, (x, y), strict=True))
    dark = shade(result, result.map.medians)[row, column] < 0.55 * _SHADES
    word = theme.word(f"<b>{text}</b>", x=float(x), y=float(y), size=12)
    return word | place | {"font": {"size": 12, "color": theme.ON_SCALE[0 if dark else 1]}}


def _marks(result: WhatIfResult) -> list[dict]:
    edge = {"color": theme.ON_SCALE[1], "width": 2}
    x, y = _now(result)
    marks = [theme.dot(x, y, colour=theme.ON_SCALE[0]) | {"line": edge}]
    if place := _star(result):
        star = theme.dot(*place, colour=theme.ON_SCALE[0])
        marks.append(star | {"path": _STAR, "line": edge | {"width": 1.5}})
    return marks


def _star(result: WhatIfResult) -> tuple[float, float] | None:
    """Return where the target is first reached, or else the middle of the best cell; None until the map is whole."""
    if not result.whole or result.first:
        return result.first
    (row, column), (across, up) = result.best_cell, result.settings.axes
    return float(across.place(result.map.x[column])), float(up.place(result.map.y[row]))


def _mark_words(result: WhatIfResult) -> list[dict]:
    """Return what the marks are, on the sides where they have room."""
    here, place = _now(result), _star(result)
    if place is None or place == here:
        return [_beside_mark(result, *here, "now")]
    case = "most" if result.direction == "falls" else "least"
    name = SAYS[f"chart.{case}" if result.first else f"chart.best_{result.settings.asked.better}"]
    left = place[0] < here[0]
    return [_beside_mark(result, *here, "now", left=not left), _beside_mark(result, *place, name, left=left)]


def _beside_mark(result: WhatIfResult, x: float, y: float, text: str, *, left: bool = True) -> dict:
    """Return a word at a mark, to its left or right; where it stands at an edge, on the other side."""
    low, high = result.settings.axes[0].ends
    share = (x - low) / (high - low)
    left = share > 0.8 or (left and share > 0.2)
    return _on(result, x, y, text, xanchor="right" if left else "left", xshift=-10 if left else 10)


def _now(result: WhatIfResult) -> tuple[float, float]:
    settings = result.settings
    across, up = settings.axes
    return float(across.place(getattr(settings, settings.along))), float(up.place(getattr(settings, settings.upwards)))


# ---- the key of the colours


def _key() -> list[dict]:
    step = _KEY_WIDTH / _KEY_BOXES
    return [
        {"type": "rect", "xref": "paper", "yref": "paper", "y0": 1.022, "y1": 1.05, "line": {"width": 0}}
        | {"x0": _KEY_LEFT + step * i, "x1": _KEY_LEFT + step * (i + 1), "fillcolor": colour}
        for i, colour in enumerate(theme.shades(_KEY_BOXES))
    ]


def _key_words(worst: str, best: str) -> list[dict]:
    how = {"xref": "paper", "yref": "paper", "yanchor": "bottom"}
    return [
        theme.word(worst, x=_KEY_LEFT, y=1, size=12, xanchor="right", xshift=-4, **how),
        theme.word(best, x=_KEY_LEFT + _KEY_WIDTH, y=1, size=12, xanchor="left", xshift=4, **how),
    ]
