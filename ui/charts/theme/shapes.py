"""Annotations, images and shapes, which move without a redraw of the traces."""

import base64
import io
from collections.abc import Iterable, Sequence

import numpy as np
from PIL import Image

from ui.charts.theme.palette import CURRENT, DASHES

# A trace with this ``meta``, and a shape with this ``name``, stands for the pinned settings too: in
# the chart of today's settings, theirs is drawn over it.
PINNED = "ghost"
# Distance of a note from the edges of a chart, as a share of its size.
_NOTE_DISTANCE = 0.01
# A circle of radius 1 in four cubic curves has control points this far from the axes.
_CIRCLE_CONTROL = 0.552


def annotation(text: str, *, x: float, y: float, size: int = 11, **more: object) -> dict:
    """Return a text inside of a chart."""
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": {"size": size}} | more


def note(text: str, corner: str, *, size: int = 13, **more: object) -> dict:
    """Return a text in a corner of a chart, such as "upper left"."""
    vertical, side = corner.split(" ")
    x = _NOTE_DISTANCE
    if side == "right":
        x = 1 - _NOTE_DISTANCE
    y = _NOTE_DISTANCE
    anchor = "bottom"
    if vertical == "upper":
        y = 1 - _NOTE_DISTANCE
        anchor = "top"
    place = {"xref": "paper", "yref": "paper", "xanchor": side, "yanchor": anchor}
    return annotation(text, x=x, y=y, size=size) | place | more


def image(numbers: np.ndarray, colours: Sequence[tuple[str, float]]) -> str:
    """Return a picture as a data address.

    Args:
        numbers: Indices of colours, (rows, columns) from the lowest row up.
        colours: Pairs of "#rrggbb" and opacity.
    """
    # A picture's rows begin at the top.
    rows = np.ascontiguousarray(numbers[::-1], dtype=np.uint8)
    picture = Image.fromarray(rows, mode="P")
    picture.putpalette(bytes.fromhex("".join(colour[1:] for colour, _ in colours)))
    opacities = bytes(round(255 * opacity) for _, opacity in colours)
    file = io.BytesIO()
    picture.save(file, "PNG", transparency=opacities, compress_level=1)
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def background(source: str, *, left: float, top: float, width: float, height: float) -> dict:
    """Return a picture under the traces, in units of the axes."""
    return {
        "source": source,
        "xref": "x",
        "yref": "y",
        "layer": "below",
        "x": left,
        "y": top,
        "sizex": width,
        "sizey": height,
        "sizing": "stretch",
    }


def path_shape(path: str, **style: object) -> dict:
    """Return a shape along ``path``, as in SVG, in units of the axes."""
    return {"type": "path", "path": path, "xref": "x", "yref": "y"} | style


def svg_path(points: Iterable[Iterable[float]]) -> str:
    """Return the path from point to point, each (x, y)."""
    return "M" + "L".join(f"{x:.4g},{y:.4g}" for x, y in points)


def mark(path: str, x: float, y: float, **style: object) -> dict:
    """Return a shape along ``path`` in pixels around a point."""
    place = {"xsizemode": "pixel", "ysizemode": "pixel", "xanchor": float(x), "yanchor": float(y)}
    return path_shape(path, **place) | style


def dot(x: float, y: float, *, colour: str, radius: float = 5, **style: object) -> dict:
    """Return a dot, such as the current value on a curve; that of pinned settings is hollow."""
    # In cubic curves, because Plotly squeezes its own circle on a log axis.
    r = f"{radius:g}"
    c = f"{_CIRCLE_CONTROL * radius:g}"
    circle = (
        f"M{r},0C{r},{c} {c},{r} 0,{r}C-{c},{r} -{r},{c} -{r},0C-{r},-{c} -{c},-{r} 0,-{r}"
        f"C{c},-{r} {r},-{c} {r},0Z"
    )
    return mark(circle, x, y, **({"fillcolor": colour, "line": {"width": 0}} | style))


def diamond(x: float, y: float, **style: object) -> dict:
    """Return the mark of the current value."""
    properties = {"fillcolor": CURRENT, "line": {"width": 0}}
    return mark("M-6,0L0,-6L6,0L0,6Z", x, y, **(properties | style))


def vertical_line(x: float) -> dict:
    """Return a vertical line at the current value."""
    style = {"color": CURRENT, "width": 1.2, "dash": DASHES[CURRENT]}
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": style}


def horizontal_line(y: float, *, colour: str, width: float, dash: str, **more: object) -> dict:
    """Return a line across the whole chart."""
    style = {"color": colour, "width": width, "dash": dash}
    shape = {"type": "line", "xref": "paper", "line": style, "x0": 0, "x1": 1}
    return shape | {"y0": float(y), "y1": float(y)} | more


def strokes(heights: np.ndarray, *, x: float, ends: tuple[int, int], colour: str) -> dict:
    """Return a stroke at each height, all in one shape.

    Args:
        heights: Heights on the vertical axis.
        x: The position beside which they stand.
        ends: Where a stroke begins and ends, in pixels to the right of ``x``.
        colour: Colour of the strokes.
    """
    begin, end = ends
    path = "".join(f"M{begin},{height:.4g}L{end},{height:.4g}" for height in heights)
    style = {"color": colour, "width": 2}
    return path_shape(path, xsizemode="pixel", xanchor=x, line=style, opacity=0.6)
