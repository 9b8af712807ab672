"""Maps: the decisions of an ensemble in a plane, boundaries of models, and some private rows.

Regions are an image and boundaries a shape: where only they move, Plotly need not draw the points
again.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from dpcore.cache import cached
from lab.statistics.decision_regions import Plane
from ui.charts import theme

# Shades of a region, from half of the models to all of them.
SHADES = 8
# Opacity of the lightest and the most solid shade, from which boundaries and points stand out.
OPACITY = (0.06, 0.38)
_MAX_POINTS = 120


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
    """Draw the most frequent decision at each point, and the names of the classes above it.

    Args:
        rows: Rows of which some are drawn.
        plane: The plane.
        winner: Most frequent class at each point, (size, size).
        share: Share of the models that decide so, (size, size); the larger, the more solid.
        boundaries: Shapes of boundaries.
        layout: ``title`` and so on, as of ``theme.figure``.
    """
    return heat_map(
        _colour_numbers(winner, share),
        _colours(len(rows.classes)),
        *_points(rows, plane),
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
    """Draw a heat map that fills its axes.

    Args:
        numbers: Indices of colours, (rows, columns) from the lowest row up.
        colours: Pairs of "#rrggbb" and opacity.
        traces: Traces drawn over it.
        xaxis: The horizontal axis.
        yaxis: The vertical axis.
        layout: ``title`` and so on, as of ``theme.figure``.
    """
    left, right = xaxis["range"]
    bottom, top = yaxis["range"]
    image = theme.background(
        theme.image(numbers, colours), left=left, top=top, width=right - left, height=top - bottom
    )
    without_grid = {"showgrid": False, "zeroline": False}
    return theme.figure(
        *traces,
        images=[image],
        xaxis={**xaxis, **without_grid},
        yaxis={**yaxis, **without_grid},
        **layout,
    )


def axes(plane: Plane) -> dict[str, dict]:
    """Return both axes of a map."""
    axes = {}
    for name, ends, label in zip(("xaxis", "yaxis"), plane.units, plane.labels, strict=True):
        axes[name] = {
            "range": list(ends),
            "title": {"text": label},
            "showgrid": False,
            "zeroline": False,
        }
    return axes


def _colour_numbers(winner: np.ndarray, share: np.ndarray) -> np.ndarray:
    """Return each point's index in ``_colours``: its class, in a shade for the agreement."""
    agreement = (share - 1 / 2) * 2
    shade = np.clip((agreement * SHADES).astype(int), 0, SHADES - 1)
    return (winner * SHADES + shade).astype(np.uint8)


def _colours(classes: int) -> list[tuple[str, float]]:
    """Return the colours and opacities of the shades of each class."""
    colours = []
    for label in range(classes):
        for opacity in np.linspace(*OPACITY, SHADES):
            colours.append((theme.CLASSES[label], opacity))
    return colours


def boundary(
    plane: Plane, segments: np.ndarray, *, colour: str, width: float, dash: str = "solid"
) -> dict:
    """Return all segments (m, 2, 2) of a boundary as one shape."""
    # From (m, 2, 2) to m rows x0, y0, x1, y1.
    ends = plane.display(segments).reshape(-1, 4).tolist()
    path = "".join([f"M{x0:.5g},{y0:.5g}L{x1:.5g},{y1:.5g}" for x0, y0, x1, y1 in ends])
    line_colour = theme.TEXT_COLOURS.get(colour, colour)
    return {
        "type": "path",
        "xref": "x",
        "yref": "y",
        "layer": "between",
        "line": {"color": line_colour, "width": width, "dash": dash},
        # Plotly has no empty path: a boundary outside of the plane is an invisible point.
        "visible": path != "",
        "path": path or "M0,0L0,0",
    }


def class_symbol(label: int) -> str:
    """Return the shape of the points of a class."""
    return theme.SYMBOLS[label % len(theme.SYMBOLS)]


@cached(newest=16)
def _points(rows: Rows, plane: Plane) -> list[dict]:
    """Return some private rows, a trace a class; no slider that trains moves them."""
    labels = rows.y_private[:_MAX_POINTS]
    positions = plane.display(plane.coordinates(rows.X_private[:_MAX_POINTS]))
    outline = {"width": 0.6, "color": "rgba(30,30,30,.7)"}
    traces = []
    for label, name in enumerate(rows.classes):
        x, y = positions[labels == label].T
        marker = {
            "color": theme.CLASSES[label],
            "size": 5,
            "line": outline,
            "symbol": class_symbol(label),
        }
        trace = theme.scatter(
            x,
            y,
            mode="markers",
            name=theme.legend_name(name),
            hovertemplate=f"{name}<extra></extra>",
            marker=marker,
        )
        traces.append(trace)
    return traces
