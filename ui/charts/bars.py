"""Histograms, bars and forests: distributions, shares, and intervals row by row.

All but the hover text are shapes.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ui.charts import theme

# Half the width of a bar, and of the stroke of its reference value.
_HALF, _REFERENCE = 0.32, 0.42


def histogram(
    edges: np.ndarray,
    shares: Mapping[str, np.ndarray],
    *,
    filled: bool = True,
    shapes: Sequence[dict] = (),
    **how: Any,
) -> dict:
    """Return outlines of histograms over common ``edges`` (n + 1,), with a legend of words in
    ``annotations``.

    shares: colour -> heights (n,), cut just below the end of the axis.
    how: ``title``, ``xaxis``, ``yaxis`` and so on, as of ``theme.figure``.
    """
    top = 0.98 * how["yaxis"]["range"][1]
    outlines = [
        staircase(edges, heights, colour=colour, top=top, filled=filled)
        for colour, heights in shares.items()
    ]
    return theme.figure(theme.axis_anchor(float(edges[-1])), shapes=[*outlines, *shapes], **how)


def staircase(
    edges: np.ndarray, shares: np.ndarray, *, colour: str, top: float = 1.0, filled: bool = True
) -> dict:
    """Return the outline of a histogram, as a shape."""
    steps = zip(edges, edges[1:], np.minimum(shares, top), strict=False)
    path = f"M{edges[0]:.4g},0" + "".join(
        f"L{low:.4g},{h:.4g}L{high:.4g},{h:.4g}" for low, high, h in steps
    )
    style = {
        "line": {"color": colour, "width": 1.6, "dash": theme.DASHES[colour]},
        "fillcolor": theme.rgba(colour, 0.28) if filled else "rgba(0,0,0,0)",
    }
    return {"type": "path", "path": path + f"L{edges[-1]:.4g},0Z", "xref": "x", "yref": "y"} | style


def bars(
    spread: np.ndarray,
    *,
    reference: np.ndarray,
    colours: Sequence[str],
    hover: Mapping[str, Any],
    reference_colour: str = theme.CURRENT,
    **how: Any,
) -> dict:
    """Return a bar for each column of ``spread`` (3, n) up to its median, at 1 to n, with the range
    from low to high.

    reference: heights (n,) of a stroke across each bar, in ``reference_colour``. hover: properties
        of the invisible
    points that say what a bar is. how: ``title``, ``xaxis``, ``yaxis`` and so on, as of
    ``theme.figure``.
    """
    shapes, places = [], range(1, len(reference) + 1)
    for at, (low, median, high), wanted, colour in zip(
        places, spread.T, reference, colours, strict=False
    ):
        box = {
            "type": "rect",
            "x0": at - _HALF,
            "x1": at + _HALF,
            "y0": 0,
            "y1": float(median),
            "name": theme.PINNED,
        }
        shapes.append(
            box
            | {
                "xref": "x",
                "yref": "y",
                "fillcolor": theme.rgba(colour, 0.75),
                "line": {"width": 0},
            }
        )
        shapes.append(stroke((at, at), (low, high), colour=colour, width=2.5))
        shapes.append(
            stroke(
                (at - _REFERENCE, at + _REFERENCE),
                (wanted, wanted),
                colour=reference_colour,
                width=3,
            )
        )
    unseen = {"mode": "markers", "marker": {"size": 26, "color": "rgba(0,0,0,0)"}}
    return theme.figure(
        theme.scatter(np.array(places), spread[1], **unseen, **hover), shapes=shapes, **how
    )


def forest(
    names: Sequence[str],
    spread: np.ndarray,
    *traces: dict,
    colours: Sequence[str],
    above: float = 0.5,
    text: str = "",
    shapes: Sequence[dict] = (),
    **how: Any,
) -> dict:
    """Return a row for each column of ``spread`` (3, n), from above: its range from low to high and
    its median.

    Row k is at k, counted from 0, and ``traces`` stand among the rows. above: room over the first
    row, in rows;
    text: over all rows. how: ``title``, ``xaxis``, ``left`` (room for the names) and so on, as of
    ``theme.figure``.
    """
    marks = []
    for place, ((low, median, high), colour) in enumerate(zip(spread.T, colours, strict=True)):
        marks.append(stroke((low, high), (place, place), colour=theme.rgba(colour, 0.45), width=6))
        marks.append(
            theme.diamond(median, place) | {"fillcolor": colour, "path": "M-5,0L0,-5L5,0L0,5Z"}
        )
    ticks = {
        "tickvals": list(range(len(names))),
        "ticktext": list(names),
        "showgrid": False,
        "zeroline": False,
    }
    rows = (
        {"range": [len(names) - 0.5, -above]} | ticks | ({"title": {"text": text}} if text else {})
    )
    return theme.figure(*traces, shapes=[*shapes, *marks], yaxis=rows, **how)


def stroke(
    x: tuple[float, float],
    y: tuple[float, float],
    *,
    colour: str,
    width: float,
    dash: str = "solid",
) -> dict:
    """Return a line between two points, as a shape."""
    ends = {"x0": float(x[0]), "y0": float(y[0]), "x1": float(x[1]), "y1": float(y[1])}
    return {
        "type": "line",
        "xref": "x",
        "yref": "y",
        "line": {"color": colour, "width": width, "dash": dash},
    } | ends
