"""One palette and one layout. A colour means one thing in the whole app, on light and on dark
ground.

Figures are plain data in Plotly's own terms: a slider redraws hundreds a minute, and Plotly's
Python classes would check each of them anew. The tests hold every figure against these classes
instead.

The colours of meaning, and those of series, can be told apart by colour-blind people, and each has
a dash besides: `tests/ui/charts/test_topic_charts.py` measures both. Text, grid and ground follow
the page's theme, which the chart widget fills in, and so do the colours below that are names
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
# The colour of the text; and, for what is caught doing more than it claims, that of a fault.
CURRENT, FAULT = "black", "firebrick"
# What one drags to say a guess.
HANDLE = "#5b52d6"
# The two worlds that an attacker would tell apart.
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
# Numbered sources.
SOURCES = (*CLASSES[:3], CLASSES[6], *CLASSES[4:6], CLASSES[9], CLASSES[7])


def rgba(colour: str, alpha: float) -> str:
    """Return "#rrggbb" with an opacity."""
    red, green, blue = (int(colour[place : place + 2], 16) for place in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:.3g})"


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
# As wide as a digit.
_FIGURE_SPACE = "\u2007"
# Errors and accuracies are seldom longer than "12,300" or "69.2 %".
_LONGEST_NUMBER = 6
# Where in a picture a note stands.
CORNERS = {
    f"{up} {side}": {"x": x, "xanchor": side, "y": y, "yanchor": anchor}
    for up, y, anchor in (("upper", 1, "top"), ("lower", 0, "bottom"))
    for side, x in (("left", 0), ("right", 1))
}


def figure(
    *traces: dict,
    title: str = "",
    finding: str = "",
    legend: bool = False,
    left: int = 48,
    right: int = 12,
    **layout: Any,
) -> dict:
    """Return a figure in the app's layout, as plain data. Zoom survives redraws as long as
    ``uirevision`` stays.

    title, finding: as of ``heading``.
    legend: whether the traces that have a name (``key``) are told apart in rows above the axes,
    where they cover no data (``fitted.js`` lays them out). left, right: margins, in pixels. The
    name of the axis upwards is written above it, from left to right.
    """
    upwards = layout.get("yaxis", {}).get("title", {}).get("text")
    base = {
        "margin": {"l": left, "r": right, "t": 54 if upwards else 34, "b": 44},
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
            layout[name] = layout[name] | {
                "title": {"font": {"size": 13}, "standoff": 8} | layout[name]["title"]
            }
    if upwards:
        layout["yaxis"] = {
            name: value for name, value in layout["yaxis"].items() if name != "title"
        }
        layout["annotations"] = [vertical_title(upwards), *layout.get("annotations", ())]
    return {"data": list(traces), "layout": base | layout}


def vertical_title(text: str) -> dict:
    """Return the title of the vertical axis, which stands above it."""
    return annotation(
        text, x=0, y=1, size=13, xref="paper", yref="paper", xanchor="left", yanchor="bottom"
    )


def legend_name(name: str, value: str = "") -> str:
    """Return what a legend says of a trace: its name, and its value at what is now."""
    return f"{name}  <b>{value}</b>" if value else name


def padded(value: str, longest: int = _LONGEST_NUMBER) -> str:
    """Return a number with room for a longer one, so that a legend keeps its rows as it changes."""
    return value.ljust(longest, _FIGURE_SPACE)


def array(values: np.ndarray) -> dict:
    """Return Plotly's typed array: base64 of float32 (of bytes, if whole numbers below 256), and
    the shape.
    """
    kind = np.uint8 if values.dtype == np.uint8 else np.float32
    flat = np.ascontiguousarray(values, dtype=kind)
    spec = {
        "dtype": "u1" if kind is np.uint8 else "f4",
        "bdata": base64.b64encode(flat.data).decode(),
    }
    return spec if flat.ndim == 1 else spec | {"shape": ", ".join(map(str, flat.shape))}


def shades(count: int) -> list[str]:
    """Return so many colours, evenly spaced along ``SCALE``."""
    known = np.array([[int(colour[at : at + 2], 16) for at in (1, 3, 5)] for colour in SCALE])
    at = np.linspace(0, len(SCALE) - 1, count)
    mixed = (
        np.column_stack([np.interp(at, range(len(SCALE)), channel) for channel in known.T])
        .round()
        .astype(int)
    )
    return [f"#{red:02x}{green:02x}{blue:02x}" for red, green, blue in mixed]


def image(numbers: np.ndarray, colours: Sequence[tuple[str, float]]) -> str:
    """Return a picture as a data address: ``numbers`` (rows from below, columns) choose among
    ("#rrggbb", opacity).
    """
    picture = Image.fromarray(np.ascontiguousarray(numbers[::-1], dtype=np.uint8), mode="P")
    picture.putpalette(bytes.fromhex("".join(colour[1:] for colour, _ in colours)))
    file = io.BytesIO()
    picture.save(
        file,
        "PNG",
        transparency=bytes(round(255 * opacity) for _, opacity in colours),
        compress_level=1,
    )
    return "data:image/png;base64," + base64.b64encode(file.getvalue()).decode()


def heading(name: str, finding: str = "") -> dict:
    """Return what a picture shows, in bold at the top left, and what is to be seen in it, where
    something is.
    """
    place = {
        "x": 0,
        "xref": "container",
        "xanchor": "left",
        "y": 1,
        "yanchor": "top",
        "pad": {"t": 6, "l": 2},
    }
    return {
        "text": f"<b>{name}{':' if finding else ''}</b> {finding}".strip(),
        "font": {"size": 15},
    } | place


def scatter(x: np.ndarray, y: np.ndarray, **more: object) -> dict:
    """Return a scatter trace of any mode."""
    return {"type": "scatter", "x": array(x), "y": array(y)} | more


def line(
    x: np.ndarray, y: np.ndarray, *, colour: str, name: str, dash: str | None = None, **more: object
) -> dict:
    """Return one curve, with the dash of its colour where no other is given."""
    style = {
        "color": colour,
        "width": 3 if colour == PRIVATE else 2,
        "dash": dash or DASHES[colour],
    }
    return scatter(x, y, **({"mode": "lines", "name": name, "line": style} | more))


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
    """Return points alone. An open or thin ``symbol`` is drawn with strokes of 2 pixels."""
    marker = {"symbol": symbol, "size": size, "color": colour, "opacity": opacity}
    marker |= {"line": {"width": 2, "color": colour}} if symbol.endswith(("-open", "-thin")) else {}
    x, y = (np.asarray(values, dtype=float) for values in (x, y))
    return scatter(x, y, **({"mode": "markers", "marker": marker, "hovertemplate": hover} | more))


def band(x: np.ndarray, low: np.ndarray, high: np.ndarray, *, colour: str) -> dict:
    """Return the area between two curves."""
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


def share_axis(text: str, most: float, *, step: float) -> dict:
    """Return an axis of shares from 0 to ``most``, with a tick in percent at each ``step``."""
    ticks = [step * place for place in range(int(most / step + 1e-9) + 1)]
    return axis(text, 0, most) | {"tickvals": ticks, "ticktext": [percent(one) for one in ticks]}


def axis(
    text: str, low: float, high: float, *, ticks: Sequence[float] | None = None, log: bool = False
) -> dict:
    """Return an axis from ``low`` to ``high``, with its ``ticks`` where they are given.

    text: the name and unit of what it measures, as in "test accuracy, %" or "epsilon (log scale)".
    """
    ends = [float(np.log10(low)), float(np.log10(high))] if log else [low, high]
    axis = {"title": {"text": text}, "range": ends} | ({"type": "log"} if log else {})
    if ticks is not None:
        axis |= {"tickvals": list(ticks), "ticktext": [tick_text(one) for one in ticks]}
    return axis


def log_axis(
    text: str,
    low: float,
    high: float,
    *,
    max_ticks: int = 7,
    format_tick: Callable[[float], str] = tick_text,
) -> dict:
    """Return a log axis with a tick at each power of ten, or at so few of them that there are
    ``max_ticks`` or less.
    """
    powers = np.arange(np.ceil(np.log10(low) - 1e-9), np.floor(np.log10(high) + 1e-9) + 1)
    ticks = [10.0**power for power in powers[:: max(1, int(np.ceil(len(powers) / max_ticks)))]]
    return axis(text, low, high, log=True) | {
        "tickvals": ticks,
        "ticktext": [format_tick(one) for one in ticks],
    }


def epsilon_axis(low: float, high: float, *, margin: float = 0.08) -> dict:
    """Return a log axis of epsilon, with a little ``margin`` beside its ends, in decades."""
    ticks = {"tickvals": [0.01, 0.1, 1, 10, 100], "ticktext": ["0.01", "0.1", "1", "10", "100"]}
    ends = [np.log10(low) - margin, np.log10(high) + margin]
    return {"title": {"text": "epsilon (log scale)"}, "type": "log", "range": ends} | ticks


def detailed_log_axis(text: str, low: float, high: float) -> dict:
    """Return a log axis from 10^low to 10^high, with a tick at each 1, 2 and 5 where there
    is room.
    """
    axis = {"title": {"text": text}, "type": "log", "range": [low, high], "tickformat": "~g"}
    return axis | {"dtick": "D2" if high - low < 1.5 else 1}


def annotation(text: str, *, x: float, y: float, size: int = 11, **place: object) -> dict:
    """Return a word inside of a picture."""
    return {"text": text, "x": x, "y": y, "showarrow": False, "font": {"size": size}} | place


def note(text: str, corner: str, *, size: int = 13, **place: object) -> dict:
    """Return words in a corner of a picture, such as "upper left"."""
    x, y = (0.01 if "left" in corner else 0.99), (0.01 if "lower" in corner else 0.99)
    anchors = {"xanchor": CORNERS[corner]["xanchor"], "yanchor": CORNERS[corner]["yanchor"]}
    return (
        annotation(text, x=x, y=y, size=size) | {"xref": "paper", "yref": "paper"} | anchors | place
    )


def coloured(text: str, colour: str) -> str:
    """Return a part of a text in the colour of what it is about."""
    return f'<span style="color:{TEXT_COLOURS.get(colour, colour)}">{text}</span>'


def axis_anchor(x: float = 0.0, y: float = -1.0) -> dict:
    """Return a trace that holds the axes up where all that is drawn are shapes, which move without
    a redraw of the chart.
    """
    return scatter(np.array([x]), np.array([y]), mode="markers", hoverinfo="skip")


def background(source: str, *, left: float, top: float, width: float, height: float) -> dict:
    """Return a picture under the traces, in units of the axes."""
    size = {"x": left, "y": top, "sizex": width, "sizey": height, "sizing": "stretch"}
    return {"source": source, "xref": "x", "yref": "y", "layer": "below"} | size


def path_shape(path: str, **style: object) -> dict:
    """Return a shape along ``path``, as in SVG, in units of the axes."""
    return {"type": "path", "path": path, "xref": "x", "yref": "y"} | style


def svg_path(points: Iterable[Iterable[float]]) -> str:
    """Return the path from point to point, each (x, y)."""
    return "M" + "L".join(f"{x:.4g},{y:.4g}" for x, y in points)


def horizontal_line(y: float, *, colour: str, width: float, dash: str, **place: object) -> dict:
    """Return a line across the whole picture."""
    style = {"color": colour, "width": width, "dash": dash}
    ends = {"x0": 0, "x1": 1, "y0": float(y), "y1": float(y)}
    return {"type": "line", "xref": "paper", "line": style} | ends | place


def strokes(heights: np.ndarray, *, x: float, ends: tuple[int, int], colour: str) -> dict:
    """Return a stroke at each height, from so many pixels beside ``x`` to so many; a shape, which
    moves without a redraw.
    """
    lines = "".join(f"M{ends[0]},{height:.4g}L{ends[1]},{height:.4g}" for height in heights)
    return path_shape(
        lines, xsizemode="pixel", xanchor=x, line={"color": colour, "width": 2}, opacity=0.6
    )


def stable_log_range(low: float, high: float) -> list[float]:
    """Return a log10 range in quarter decades, so that it rests while the slider moves a little."""
    return [np.floor(np.log10(low * 0.9) * 4) / 4, np.ceil(np.log10(high * 1.05) * 4) / 4]


# What of a picture pinned settings are shown by, in today's: a trace has it as its ``meta``, a
# shape as its ``name``.
PINNED = "ghost"


def mark(path: str, x: float, y: float, **style: object) -> dict:
    """Return a shape along ``path`` in pixels around a point."""
    size = {"xsizemode": "pixel", "ysizemode": "pixel", "xanchor": float(x), "yanchor": float(y)}
    return path_shape(path, **size) | style


def dot(x: float, y: float, *, colour: str, radius: float = 5, **style: object) -> dict:
    """Return a dot, such as the mark of what is now on a curve: a shape, which moves without a
    redraw, and which a ghost may have hollow.
    """
    r, bend = (
        f"{radius:g}",
        f"{0.552 * radius:g}",
    )  # in cubic curves: Plotly squeezes its own circle on a log axis
    turns = (
        f"C{r},{bend} {bend},{r} 0,{r}C-{bend},{r} -{r},{bend} -{r},0C-{r},-{bend} -{bend},-{r}"
        f" 0,-{r}"
    )
    circle = f"M{r},0{turns}C{bend},-{r} {r},-{bend} {r},0Z"
    return mark(circle, x, y, **({"fillcolor": colour, "line": {"width": 0}} | style))


def vertical_line(x: float) -> dict:
    """Return a vertical line at what is now."""
    style = {"color": CURRENT, "width": 1.2, "dash": DASHES[CURRENT]}
    return {"type": "line", "x0": x, "x1": x, "yref": "paper", "y0": 0, "y1": 1, "line": style}


def diamond(x: float, y: float, **more: object) -> dict:
    """Return the mark of what is now.

    A shape and no trace: when it moves, Plotly need not draw the curves again.
    """
    return mark(
        "M-6,0L0,-6L6,0L0,6Z", x, y, **({"fillcolor": CURRENT, "line": {"width": 0}} | more)
    )
