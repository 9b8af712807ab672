"""One palette and one layout: a colour means the same in the whole app, on light and on dark pages.

Figures are plain data in Plotly's own terms: a slider redraws hundreds a minute, and Plotly's
Python classes would check each of them anew. The tests check every figure with these classes
instead.

The colours of meaning, and those of series, can be told apart by colour-blind people, and each has
a dash besides: `tests/ui/charts/test_topic_charts.py` measures both. Text, grid and background
follow the page's theme, which the chart widget fills in, and so do the colours below that are names
(`coloured` in `ui/widgets/frontend/charts/theme.js`).
"""

import base64
import io
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from ui.text.numbers import percent, tick_text

_READ = tomllib.loads(Path(__file__).with_name("palette.toml").read_text("utf-8"))
PRIVATE = "#2b7bd6"
PUBLIC = "#009e73"
NON_PRIVATE = "#8a8f98"
BOUND = "#d55e00"
# The colour of the text.
CURRENT = "black"
# What one drags to say a guess.
HANDLE = "#5b52d6"
# The two data sets that an attacker would tell apart, with a person and without.
WITH_YOU = "#c2559a"
WITHOUT_YOU = "#b3871a"
# Series beside the private one: theorems, ways to fit, ways to share. On a page with a bound there
# is no rust.
RUST = "#b44b00"
MAUVE = "#a56987"
SAGE = "#789669"
PINE = "#1e785a"
GOLD = "#96962d"
# A line of this colour has this dash, where nothing else is said.
DASHES = {
    PRIVATE: "solid",
    PUBLIC: "dashdot",
    NON_PRIVATE: "dot",
    BOUND: "dash",
    CURRENT: "dot",
    WITH_YOU: "solid",
    WITHOUT_YOU: "dash",
    RUST: "dot",
    MAUVE: "longdash",
    SAGE: "dash",
    PINE: "dashdot",
    GOLD: "longdashdot",
}
# For words, and for boundaries on the grounds of a map: darker in the light, and lighter in the
# dark.
TEXT_COLOURS = {
    PRIVATE: "royalblue",
    PUBLIC: "seagreen",
    NON_PRIVATE: "dimgray",
    BOUND: "orangered",
}
COLOURS = {"scratch": PRIVATE, "public": PUBLIC, "reference": NON_PRIVATE}
# A variant of training -> arm -> its name.
NAMES: Mapping[str, Mapping[str, str]] = _READ["names"]

# A theorem's name, colour and dash. What this run costs is in the colour of what is private.
THEOREMS = {
    "basic": ("basic composition", GOLD, DASHES[GOLD]),
    "advanced": ("advanced composition", MAUVE, DASHES[MAUVE]),
    "published": ("advanced, as published", MAUVE, "dot"),
    "moments": ("moments accountant", SAGE, DASHES[SAGE]),
    "renyi": ("RDP accountant", PINE, DASHES[PINE]),
    "pld": ("PLD accountant", PRIVATE, DASHES[PRIVATE]),
}

# A way to fit a regression, and its colour.
REGRESSIONS = {
    "published": RUST,
    "functional": PRIVATE,
    "gaussian": MAUVE,
    "adassp": SAGE,
    "output": PINE,
    "descent": GOLD,
}

# Classes, which have nothing else of these colours; and, in turn, the shapes of their points.
CLASSES = tuple(_READ["classes"])
SYMBOLS = ("circle", "square", "triangle-up", "diamond", "x")
# A scale of numbers, from the worst to the best: cividis, which colour-blind people see as others
# do.
SCALE = tuple(_READ["scale"])
# Words and marks on it: on its dark half, on its light half.
ON_SCALE = ("#ffffff", "#12141c")
# Numbered sources, in colours of classes that are never drawn with them.
SOURCES = tuple(CLASSES[index] for index in (0, 1, 2, 6, 4, 5, 9, 7))


def _channels(colour: str) -> tuple[int, int, int]:
    """Return red, green and blue of "#rrggbb", from 0 to 255."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def rgba(colour: str, alpha: float) -> str:
    """Return "#rrggbb" with an opacity."""
    red, green, blue = _channels(colour)
    return f"rgba({red},{green},{blue},{alpha:.3g})"


def shades(count: int) -> list[str]:
    """Return colours evenly spaced along ``SCALE``."""
    scale = np.array([_channels(colour) for colour in SCALE])
    positions = np.linspace(0, len(SCALE) - 1, count)
    channels = []
    for channel in scale.T:
        channels.append(np.interp(positions, range(len(SCALE)), channel))
    colours = np.column_stack(channels).round().astype(int)
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in colours]


def coloured(text: str, colour: str) -> str:
    """Return a part of a text in the colour of what it is about (HTML)."""
    return f'<span style="color:{TEXT_COLOURS.get(colour, colour)}">{text}</span>'


# The legend: in rows above the axes.
LEGEND = {
    "orientation": "h",
    "x": 0,
    "xanchor": "left",
    "y": 1,
    "yanchor": "bottom",
    "font": {"size": 13},
    "itemclick": False,
    "itemdoubleclick": False,
}
# A trace with this ``meta``, and a shape with this ``name``, stands for the pinned settings too: in
# the chart of today's settings, theirs is drawn over it.
PINNED = "ghost"
# As wide as a digit.
_FIGURE_SPACE = "\u2007"
# Errors and accuracies are seldom longer than "12,300" or "69.2 %".
_LONGEST_NUMBER = 6
# Margins over the axes, in pixels: without and with a title of the vertical axis.
_TOP_MARGIN = 34
_TOP_MARGIN_WITH_TITLE = 54
# Distance of a note from the edges of a chart, as a share of its size.
_NOTE_DISTANCE = 0.01
# A circle of radius 1 in four cubic curves has control points this far from the axes.
_CIRCLE_CONTROL = 0.552
# Ranges that follow the data are rounded to so many parts of a decade, and have a little room.
_RANGE_STEPS = 4
_ROOM_BELOW = 0.9
_ROOM_ABOVE = 1.05
# A power of ten or a share at the very end of an axis gets its tick in spite of rounding.
_ROUNDING_ERROR = 1e-9


def figure(
    *traces: dict,
    title: str = "",
    finding: str = "",
    legend: bool = False,
    left: int = 48,
    right: int = 12,
    **layout: Any,
) -> dict:
    """Return a figure in the app's layout, as plain data.

    Zoom survives redraws as long as ``uirevision`` stays. The title of the vertical axis is written
    above it, from left to right.

    Args:
        traces: Traces in Plotly's terms.
        title: As of ``heading``.
        finding: As of ``heading``.
        legend: Whether the traces with a name (``legend_name``) are listed in rows above the axes,
            where they cover no data (``responsive.js`` lays them out).
        left: Left margin, in pixels.
        right: Right margin, in pixels.
        layout: Further layout in Plotly's terms.
    """
    vertical_text = layout.get("yaxis", {}).get("title", {}).get("text")
    top = _TOP_MARGIN
    if vertical_text:
        top = _TOP_MARGIN_WITH_TITLE
    base = {
        "margin": {"l": left, "r": right, "t": top, "b": 44},
        "showlegend": legend,
        "hovermode": "closest",
        "uirevision": "keep",
        "dragmode": "pan",
        "font": {"size": 13},
    }
    if title:
        base["title"] = heading(title, finding)
    if legend:
        base["legend"] = LEGEND
    for name in ("xaxis", "yaxis", "yaxis2"):
        if "title" in layout.get(name, {}):
            axis_title = {"font": {"size": 13}, "standoff": 8} | layout[name]["title"]
            layout[name] = layout[name] | {"title": axis_title}
    if vertical_text:
        yaxis = dict(layout["yaxis"])
        del yaxis["title"]
        layout["yaxis"] = yaxis
        layout["annotations"] = [vertical_title(vertical_text), *layout.get("annotations", ())]
    return {"data": list(traces), "layout": base | layout}


def heading(name: str, finding: str = "") -> dict:
    """Return the title of a chart: its name in bold at the top left, and what it shows, if any."""
    text = f"<b>{name}</b>"
    if finding:
        text = f"<b>{name}:</b> {finding}"
    return {
        "text": text.strip(),
        "font": {"size": 15},
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yanchor": "top",
        "pad": {"t": 6, "l": 2},
    }


def vertical_title(text: str) -> dict:
    """Return the title of the vertical axis, which stands above it."""
    return annotation(
        text, x=0, y=1, size=13, xref="paper", yref="paper", xanchor="left", yanchor="bottom"
    )


def legend_name(name: str, value: str = "") -> str:
    """Return the name of a trace in the legend, with its current value."""
    if not value:
        return name
    return f"{name}  <b>{value}</b>"


def padded(value: str, longest: int = _LONGEST_NUMBER) -> str:
    """Return a number with room for a longer one, so that a legend keeps its rows as it changes."""
    return value.ljust(longest, _FIGURE_SPACE)


# Traces


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


# Axes


def axis(
    text: str, low: float, high: float, *, ticks: Sequence[float] | None = None, log: bool = False
) -> dict:
    """Return an axis from ``low`` to ``high``.

    Args:
        text: Name and unit of what it measures, as in "test accuracy, %" or "epsilon (log scale)".
        low: The lower end.
        high: The upper end.
        ticks: Values of the ticks; None lets Plotly choose.
        log: Whether it is logarithmic.
    """
    axis: dict[str, Any] = {"title": {"text": text}, "range": [low, high]}
    if log:
        axis["range"] = [float(np.log10(low)), float(np.log10(high))]
        axis["type"] = "log"
    if ticks is not None:
        axis["tickvals"] = list(ticks)
        axis["ticktext"] = [tick_text(tick) for tick in ticks]
    return axis


def share_axis(text: str, most: float, *, step: float) -> dict:
    """Return an axis of shares from 0 to ``most``, with a tick in percent at each ``step``."""
    steps = int(most / step + _ROUNDING_ERROR)
    ticks = [step * index for index in range(steps + 1)]
    tick_texts = [percent(tick) for tick in ticks]
    return axis(text, 0, most) | {"tickvals": ticks, "ticktext": tick_texts}


def log_axis(
    text: str,
    low: float,
    high: float,
    *,
    max_ticks: int = 7,
    format_tick: Callable[[float], str] = tick_text,
) -> dict:
    """Return a log axis with ticks at powers of ten, of which ``max_ticks`` at most are shown."""
    first = np.ceil(np.log10(low) - _ROUNDING_ERROR)
    last = np.floor(np.log10(high) + _ROUNDING_ERROR)
    powers = np.arange(first, last + 1)
    every = max(1, int(np.ceil(len(powers) / max_ticks)))
    ticks = [10.0**power for power in powers[::every]]
    tick_texts = [format_tick(tick) for tick in ticks]
    return axis(text, low, high, log=True) | {"tickvals": ticks, "ticktext": tick_texts}


def epsilon_axis(low: float, high: float, *, margin: float = 0.08) -> dict:
    """Return a log axis of epsilon, with a ``margin`` beside its ends, in decades."""
    return {
        "title": {"text": "epsilon (log scale)"},
        "type": "log",
        "range": [np.log10(low) - margin, np.log10(high) + margin],
        "tickvals": [0.01, 0.1, 1, 10, 100],
        "ticktext": ["0.01", "0.1", "1", "10", "100"],
    }


def detailed_log_axis(text: str, low: float, high: float) -> dict:
    """Return a log axis from 10^low to 10^high, with ticks at 1, 2 and 5 if there is room."""
    tick_step: str | int = 1
    if high - low < 1.5:
        tick_step = "D2"  # Plotly's code for ticks at 1, 2 and 5
    return {
        "title": {"text": text},
        "type": "log",
        "range": [low, high],
        "tickformat": "~g",
        "dtick": tick_step,
    }


def stable_log_range(low: float, high: float) -> list[float]:
    """Return a log10 range in quarter decades, which stays while the slider moves a little."""
    return [
        np.floor(np.log10(low * _ROOM_BELOW) * _RANGE_STEPS) / _RANGE_STEPS,
        np.ceil(np.log10(high * _ROOM_ABOVE) * _RANGE_STEPS) / _RANGE_STEPS,
    ]


# Annotations, images and shapes, which move without a redraw of the traces


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


def vertical_area(low: float, high: float, *, colour: str) -> dict:
    """Return a lightly shaded area over the whole height, from ``low`` to ``high``."""
    shape = {"type": "rect", "x0": low, "x1": high, "yref": "paper", "y0": 0, "y1": 1}
    return shape | {"layer": "below", "fillcolor": rgba(colour, 0.1), "line": {"width": 0}}


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
