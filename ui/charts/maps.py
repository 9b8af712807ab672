"""Maps: what an ensemble decides in a plane, the boundary of every model, and some of the private
rows.

Regions are an image and boundaries a shape: where only they move, Plotly need not draw the points
again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from dpcore.cache import cached
from lab.statistics.decision_regions import Plane
from ui.charts import theme

# Shades of a region, from "half of the models say so" to "all of them do", and their opacity:
# boundaries and points stand out from the most solid one.
SHADES = 8
OPACITY = (0.06, 0.38)
_POINTS = 120


class Rows(Protocol):
    """Private rows (n, f), the class of each (n,), and the names of all ``classes``."""

    @property
    def X_private(self) -> np.ndarray: ...
    @property
    def y_private(self) -> np.ndarray: ...
    @property
    def classes(self) -> tuple[str, ...]: ...


def decision_map(
    rows: Rows,
    plane: Plane,
    winner: np.ndarray,
    share: np.ndarray,
    *,
    boundaries: list[dict],
    **layout: Any,
) -> dict:
    """Return the map of what most models say (size, size), more solid the larger the share of them
    that say so, and the names of the classes above it.
    """
    colours = _colours(len(rows.classes))
    points = _points(rows, plane)
    return heat_map(
        _ground(winner, share),
        colours,
        *points,
        shapes=boundaries,
        legend=True,
        **axes(plane),
        **layout,
    )


def heat_map(
    numbers: np.ndarray,
    colours: Sequence[tuple[str, float]],
    *traces: dict,
    xaxis: Mapping[str, Any],
    yaxis: Mapping[str, Any],
    **layout: Any,
) -> dict:
    """Return a heat map that fills its axes, under ``traces``: ``numbers`` choose among
    ``colours``, as in ``theme.image``.
    """
    (left, right), (low, high) = xaxis["range"], yaxis["range"]
    bare = {"showgrid": False, "zeroline": False}
    image = theme.background(
        theme.image(numbers, colours), left=left, top=high, width=right - left, height=high - low
    )
    return theme.figure(
        *traces, images=[image], xaxis={**xaxis, **bare}, yaxis={**yaxis, **bare}, **layout
    )


def axes(plane: Plane) -> dict[str, dict]:
    """Return both axes of a map."""
    return {
        name: {"range": list(ends), "title": {"text": label}, "showgrid": False, "zeroline": False}
        for name, ends, label in zip(("xaxis", "yaxis"), plane.units, plane.labels, strict=True)
    }


def _ground(winner: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return each point's colour number: its class, in a shade for how many models agree."""
    shade = np.clip(((share - 1 / 2) * 2 * SHADES).astype(int), 0, SHADES - 1)
    return (winner * SHADES + shade).astype(np.uint8)


def _colours(classes: int) -> list[tuple[str, float]]:
    return [
        (theme.CLASSES[label], opacity)
        for label in range(classes)
        for opacity in np.linspace(*OPACITY, SHADES)
    ]


def boundary(
    plane: Plane, segments: np.ndarray, *, colour: str, width: float, dash: str = "solid"
) -> dict:
    """Return all segments (m, 2, 2) as one shape."""
    ends = plane.display(segments).reshape(-1, 4).tolist()
    path = "".join([f"M{x0:.5g},{y0:.5g}L{x1:.5g},{y1:.5g}" for x0, y0, x1, y1 in ends])
    style = {"color": theme.TEXT_COLOURS.get(colour, colour), "width": width, "dash": dash}
    # A path of nothing is no path to Plotly: a boundary outside of the plane is a point outside of
    # it.
    hidden = {"visible": bool(path), "path": path or "M0,0L0,0"}
    return {"type": "path", "xref": "x", "yref": "y", "layer": "between", "line": style} | hidden


def class_symbol(label: int) -> str:
    """Return the shape of the points of a class."""
    return theme.SYMBOLS[label % len(theme.SYMBOLS)]


@cached(newest=16)
def _points(found: Rows, plane: Plane) -> list[dict]:
    """Return some private rows, by class; no slider that trains moves them."""
    rows, labels = found.X_private[:_POINTS], found.y_private[:_POINTS]
    at = plane.display(plane.coordinates(rows))
    outline = {"width": 0.6, "color": "rgba(30,30,30,.7)"}
    return [
        theme.scatter(
            *at[labels == label].T,
            mode="markers",
            name=theme.legend_name(name),
            hovertemplate=f"{name}<extra></extra>",
            marker={
                "color": theme.CLASSES[label],
                "size": 5,
                "line": outline,
                "symbol": class_symbol(label),
            },
        )
        for label, name in enumerate(found.classes)
    ]
