"""Traces in Plotly's terms: lines, points and areas."""

import base64
from typing import Any

import numpy as np

from ui.charts.theme.palette import DASHES, PRIVATE, rgba


def array(values: np.ndarray) -> dict:
    """Return values as Plotly's typed array: base64 of float32, or of uint8 as it is, and shape."""
    if values.dtype == np.uint8:
        contiguous = np.ascontiguousarray(values)
        code = "u1"
    else:
        contiguous = np.ascontiguousarray(values, dtype=np.float32)
        code = "f4"
    spec = {"dtype": code, "bdata": base64.b64encode(contiguous.data).decode()}
    if contiguous.ndim > 1:
        spec["shape"] = ", ".join(str(size) for size in contiguous.shape)
    return spec


def scatter(x: np.ndarray, y: np.ndarray, **more: object) -> dict:
    """Return a scatter trace of any mode."""
    return {"type": "scatter", "x": array(x), "y": array(y)} | more


def line(
    x: np.ndarray, y: np.ndarray, *, colour: str, name: str, dash: str | None = None, **more: object
) -> dict:
    """Return a curve, with the dash of its colour if none is given."""
    width = 2
    if colour == PRIVATE:
        width = 3
    style = {"color": colour, "width": width, "dash": dash or DASHES[colour]}
    properties = {"mode": "lines", "name": name, "line": style}
    return scatter(x, y, **(properties | more))


def markers(
    x: Any,
    y: Any,
    *,
    colour: str,
    size: float,
    hover: str,
    symbol: str = "circle",
    opacity: float = 1.0,
    **more: Any,
) -> dict:
    """Return points alone; an open or thin ``symbol`` is drawn with strokes of 2 pixels."""
    marker: dict[str, Any] = {
        "symbol": symbol,
        "size": size,
        "color": colour,
        "opacity": opacity,
    }
    if symbol.endswith(("-open", "-thin")):
        marker["line"] = {"width": 2, "color": colour}
    properties = {"mode": "markers", "marker": marker, "hovertemplate": hover}
    return scatter(np.asarray(x, dtype=float), np.asarray(y, dtype=float), **(properties | more))


def band(x: np.ndarray, low: np.ndarray, high: np.ndarray, *, colour: str) -> dict:
    """Return the area between two curves."""
    # The outline: along the upper curve, and back along the lower one.
    return scatter(
        np.concatenate([x, x[::-1]]),
        np.concatenate([high, low[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=rgba(colour, 0.18),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
    )


def axis_anchor(x: float = 0.0, y: float = -1.0) -> dict:
    """Return a trace that keeps the axes if all that is drawn are shapes.

    Shapes move without a redraw of the chart, but Plotly draws no axes without a trace.
    """
    return scatter(np.array([x]), np.array([y]), mode="markers", hoverinfo="skip")
