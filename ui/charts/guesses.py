"""A guess and the truth in one chart: the chart covered before the guess, and the guess on the
chart.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ui.charts import theme
from ui.text.numbers import format_number

# The line at a guess, in pixels.
_LINE = "M-30,0L30,0"
_ARROWS = "M-4,-2.5L0,-6.5L4,-2.5M-4,2.5L0,6.5L4,2.5"
_HATCH = "rgba(128,128,128,.3)"
TONES = {"private": theme.PRIVATE, "public": theme.PUBLIC, "bound": theme.BOUND}
# What tells a test, and nobody else, which shape is the guess.
GUESS = "guess"


@dataclass(frozen=True)
class KnownPoint:
    """A point of a chart that may be seen before the guess: its place in units of the axes, and its
    words.
    """

    x: float
    y: float
    words: str


def cover(
    figure: Mapping[str, Any],
    title: str,
    known: Iterable[KnownPoint] = (),
    guess: tuple[float, float | None] | None = None,
) -> dict:
    """Return the axes of ``figure``, and nothing else: hatched, with what is ``known``, and the
    ``guess`` (x, y), or where one goes.
    """
    layout = figure["layout"]
    axes = {name: layout[name] for name in ("xaxis", "yaxis")}
    (left, right), (low, high) = ((value_at(axis, -1), value_at(axis, 1)) for axis in axes.values())
    corners = np.array([left, right, right, left]), np.array([low, low, high, high])
    hatch = {
        "shape": "/",
        "fgcolor": _HATCH,
        "bgcolor": "rgba(0,0,0,0)",
        "size": 14,
        "solidity": 0.12,
    }
    cover = theme.scatter(
        *corners, mode="lines", fill="toself", hoverinfo="skip", line={"width": 0}
    )
    shapes, words = (
        [],
        [one for one in layout.get("annotations", ()) if one == theme.vertical_title(one["text"])],
    )
    left = guess is None or _share(axes["xaxis"], guess[0]) > 0.4
    x, side = (0.02, "left") if left else (0.98, "right")
    known = tuple(known)
    y = 0.06 if any(_share(axes["yaxis"], one.y) > 0.5 for one in known) else 0.95
    hidden = {"xref": "paper", "yref": "paper", "xanchor": side, "yanchor": "middle"}
    says = (
        "Press at your guess"
        if guess is not None and guess[1] is None
        else "Hidden until you have guessed"
    )
    words.append(theme.annotation(says, x=x, y=y, size=15, **hidden))
    for one in known:
        shapes.append(theme.dot(one.x, one.y, colour=theme.PRIVATE))
        over = (
            guess is not None and guess[1] is not None and guess[1] < one.y
        )  # on the side where the guess is not
        words.append(
            _at_point(axes, one.x, one.y, theme.coloured(one.words, theme.PRIVATE), over=over)
        )
    if guess is not None:
        at, said = guess
        shapes.append(theme.vertical_line(at))
        if said is not None:
            shapes += drag_handle(at, said)
            words.append(_beside(axes, at, said, f"<b>guess: {format_number(said, digits=4)}</b>"))
    keep = {
        name: layout[name]
        for name in ("margin", "font", "dragmode", "hovermode", "uirevision")
        if name in layout
    }
    more = {
        "title": theme.heading(title),
        "shapes": shapes,
        "annotations": words,
        "showlegend": False,
    }
    return {
        "data": [cover | {"fillpattern": hatch, "fillcolor": "rgba(0,0,0,0)"}],
        "layout": keep | axes | more,
    }


def drag_handle(x: float, y: float) -> list[dict]:
    """Return the mark of a guess that one drags."""
    arrows = theme.mark(_ARROWS, x, y, line={"color": "white", "width": 2})
    disc = theme.dot(x, y, colour=theme.HANDLE, radius=12, line={"color": "white", "width": 2})
    return [_mark(x, y, dash="solid"), disc, arrows]


def with_guess(
    figure: Mapping[str, Any], x: float, y: float, truth: float, *, told: str, tone: str = "private"
) -> dict:
    """Return ``figure`` with a guess ``y`` at ``x``, dashed, and with the ``truth``, both by name:
    of the truth ``told``, in the colour of its ``tone``.
    """
    layout = figure["layout"]
    axes = {name: layout[name] for name in ("xaxis", "yaxis")}
    up = 13 if truth > y else -13  # so that neither covers the other where they are near
    words = [
        _beside(axes, x, y, f"<b>guess: {format_number(y, digits=4)}</b>") | {"yshift": -up},
        _beside(axes, x, truth, theme.coloured(f"<b>{told}</b>", TONES[tone]), left=True)
        | {"yshift": up},
    ]
    line = theme.mark(_LINE, x, truth, line={"color": TONES[tone], "width": 4})
    marks = [line, _mark(x, y, dash="5px,3px")]
    more = {
        "shapes": [*layout.get("shapes", ()), *marks],
        "annotations": [*layout.get("annotations", ()), *words],
    }
    return {**figure, "layout": {**layout, **more}}


def rename(figure: Mapping[str, Any], name: str) -> dict:
    """Return ``figure`` under another name; what is to be seen in it stays in its title."""
    layout = figure["layout"]
    _, _, finding = layout["title"]["text"].partition("</b>")
    return {**figure, "layout": {**layout, "title": theme.heading(name, finding.strip())}}


def set_range(figure: Mapping[str, Any], low: float, high: float) -> dict:
    """Return ``figure`` between these ends of its axis upwards."""
    layout = figure["layout"]
    return {**figure, "layout": {**layout, "yaxis": {**layout["yaxis"], "range": [low, high]}}}


def value_at(axis: Mapping[str, Any], share: float) -> float:
    """Return the value at ``share`` of an axis, from -1 at its lower end to 1."""
    low, high = axis["range"]
    place = low + (high - low) * (share + 1) / 2
    return float(10**place if axis.get("type") == "log" else place)


def _share(axis: Mapping[str, Any], value: float) -> float:
    """Return how far along an axis a value is, from 0 to 1."""
    low, high = axis["range"]
    return ((math.log10(value) if axis.get("type") == "log" else value) - low) / (high - low)


def distance(axis: Mapping[str, Any], one: float, other: float) -> float:
    """Return how far two values are apart, as a share of an axis."""
    return abs(_share(axis, one) - _share(axis, other))


def middle(axis: Mapping[str, Any], low: float, high: float) -> float:
    """Return half way between two values along an axis."""
    return math.sqrt(low * high) if axis.get("type") == "log" else (low + high) / 2


def _mark(x: float, y: float, *, dash: str) -> dict:
    return theme.mark(
        _LINE, x, y, line={"color": theme.CURRENT, "width": 3, "dash": dash}, name=GUESS
    )


def _in_axes(axes: Mapping, x: float, y: float) -> tuple[float, float]:
    """Return a point as annotations have it: of a logarithmic axis the logarithm."""
    at, up = (
        math.log10(v) if axes[n].get("type") == "log" else v
        for n, v in (("xaxis", x), ("yaxis", y))
    )
    return at, up


def _at_point(axes: Mapping, x: float, y: float, text: str, *, over: bool) -> dict:
    (at, up), share = _in_axes(axes, x, y), _share(axes["xaxis"], x)
    side = "left" if share < 0.15 else "right" if share > 0.85 else "center"
    place = {"yanchor": "bottom", "yshift": 8} if over else {"yanchor": "top", "yshift": -8}
    return theme.annotation(text, x=at, y=up, size=14, xanchor=side, **place)


def _beside(axes: Mapping, x: float, y: float, text: str, *, left: bool = False) -> dict:
    (at, up), share = _in_axes(axes, x, y), _share(axes["xaxis"], x)
    before = (not left and share > 0.6) or (left and share > 0.35)
    place = {"xanchor": "right", "xshift": -36} if before else {"xanchor": "left", "xshift": 36}
    return theme.annotation(text, x=at, y=up, size=15, yanchor="middle", **place)
