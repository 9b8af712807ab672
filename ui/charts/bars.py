"""Histograms, bars and forests: distributions, shares, and intervals row by row.

All but the hover text are shapes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ui.charts import theme

# Half the width of a bar, and of the stroke of its reference value.
_HALF_BAR = 0.32
_HALF_REFERENCE = 0.42
# Outlines are cut this far below the end of the axis, so that their upper side is seen.
_TOP = 0.98
# The mark of a median, as a path in pixels.
_DIAMOND = "M-5,0L0,-5L5,0L0,5Z"


def histogram(
    edges: np.ndarray,
    shares: Mapping[str, np.ndarray],
    *,
    shapes: Sequence[dict] = (),
    **layout: Any,
) -> dict:
    """Draw the outlines of histograms over common bins; ``annotations`` are their legend.

    Args:
        edges: Edges of the bins, (n + 1,).
        shares: Colour -> heights (n,), cut just below the end of the axis.
        shapes: Further shapes.
        layout: ``title``, ``xaxis``, ``yaxis`` and so on, as of ``theme.figure``.
    """
    top = _TOP * layout["yaxis"]["range"][1]
    outlines = []
    for colour, heights in shares.items():
        outlines.append(_staircase(edges, np.minimum(heights, top), colour))
    return theme.figure(theme.axis_anchor(float(edges[-1])), shapes=[*outlines, *shapes], **layout)


def _staircase(edges: np.ndarray, heights: np.ndarray, colour: str) -> dict:
    """Return the filled outline of a histogram as a shape.

    Args:
        edges: Edges of the bins, (n + 1,).
        heights: Heights of the bins, (n,).
        colour: Its colour.
    """
    path = f"M{edges[0]:.4g},0"
    for low, high, height in zip(edges[:-1], edges[1:], heights, strict=True):
        path += f"L{low:.4g},{height:.4g}L{high:.4g},{height:.4g}"
    path += f"L{edges[-1]:.4g},0Z"
    line = {"color": colour, "width": 1.6, "dash": theme.DASHES[colour]}
    return theme.path_shape(path, line=line, fillcolor=theme.rgba(colour, 0.28))


def bars(
    spread: np.ndarray,
    *,
    reference: np.ndarray,
    colours: Sequence[str],
    hover: Mapping[str, Any],
    **layout: Any,
) -> dict:
    """Draw a bar up to each median, at 1 to n, with its range and a stroke for its reference.

    Args:
        spread: Low, median and high of each bar, (3, n).
        reference: Heights of the reference strokes, (n,).
        colours: Colour of each bar.
        hover: Properties of the invisible points that name a bar.
        layout: ``title``, ``xaxis``, ``yaxis`` and so on, as of ``theme.figure``.
    """
    positions = np.arange(1, len(reference) + 1)
    lows, medians, highs = spread
    shapes = []
    for index, (position, colour) in enumerate(zip(positions.tolist(), colours, strict=True)):
        shapes.append(_bar(position, float(medians[index]), colour))
        extent = (lows[index], highs[index])
        shapes.append(_stroke((position, position), extent, colour=colour, width=2.5))
        across = (position - _HALF_REFERENCE, position + _HALF_REFERENCE)
        level = (reference[index], reference[index])
        shapes.append(_stroke(across, level, colour=theme.CURRENT, width=3))
    invisible = {"size": 26, "color": "rgba(0,0,0,0)"}
    points = theme.scatter(positions, medians, mode="markers", marker=invisible, **hover)
    return theme.figure(points, shapes=shapes, **layout)


def _bar(position: float, height: float, colour: str) -> dict:
    """Return a bar as a shape, which is drawn for the pinned settings too."""
    return {
        "type": "rect",
        "x0": position - _HALF_BAR,
        "x1": position + _HALF_BAR,
        "y0": 0,
        "y1": height,
        "name": theme.PINNED,
        "xref": "x",
        "yref": "y",
        "fillcolor": theme.rgba(colour, 0.75),
        "line": {"width": 0},
    }


def forest(
    names: Sequence[str],
    spread: np.ndarray,
    *traces: dict,
    colours: Sequence[str],
    text: str,
    **layout: Any,
) -> dict:
    """Draw a row for each name, from the top: the range from low to high, and the median.

    Args:
        names: Names of the n rows; row k is at height k, counted from 0.
        spread: Low, median and high of each row, (3, n).
        traces: Traces among the rows.
        colours: Colours of the rows.
        text: A title over all rows.
        layout: ``title``, ``xaxis``, ``left`` (room for the names) and so on, as of
            ``theme.figure``.
    """
    marks = []
    for row, ((low, median, high), colour) in enumerate(zip(spread.T, colours, strict=True)):
        light_colour = theme.rgba(colour, 0.45)
        marks.append(_stroke((low, high), (row, row), colour=light_colour, width=6))
        marks.append(theme.mark(_DIAMOND, median, row, fillcolor=colour, line={"width": 0}))
    yaxis = {
        # The axis points down.
        "range": [len(names) - 0.5, -0.5],
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "showgrid": False,
        "zeroline": False,
        "title": {"text": text},
    }
    return theme.figure(*traces, shapes=marks, yaxis=yaxis, **layout)


def _stroke(x: tuple[float, float], y: tuple[float, float], *, colour: str, width: float) -> dict:
    """Return a line between two points, as a shape."""
    return {
        "type": "line",
        "xref": "x",
        "yref": "y",
        "line": {"color": colour, "width": width, "dash": "solid"},
        "x0": float(x[0]),
        "y0": float(y[0]),
        "x1": float(x[1]),
        "y1": float(y[1]),
    }
