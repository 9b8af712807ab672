"""A guess and the truth in one chart: the chart covered before the guess, and both after it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ui.charts import theme
from ui.text.numbers import format_number

# Paths in pixels: the line at a guess, and the arrows of its handle.
_LINE = "M-30,0L30,0"
_ARROWS = "M-4,-2.5L0,-6.5L4,-2.5M-4,2.5L0,6.5L4,2.5"
_HATCH = {
    "shape": "/",
    "fgcolor": "rgba(128,128,128,.3)",
    "bgcolor": "rgba(0,0,0,0)",
    "size": 14,
    "solidity": 0.12,
}
TONES = {"private": theme.PRIVATE, "public": theme.PUBLIC, "bound": theme.BOUND}
# The name of the shape of a guess, by which tests find it.
GUESS = "guess"
# Distance of texts from their points, in pixels: beside a line, and over a point.
_BESIDE_LINE = 36
_FROM_POINT = 8
# The names of a guess and of the truth are moved apart by so much.
_NAME_SHIFT = 13
# Layout of a chart that its cover keeps.
_KEPT_LAYOUT = ("margin", "font", "dragmode", "hovermode", "uirevision")


@dataclass(frozen=True)
class KnownPoint:
    """A point of a chart that is shown before the guess, in units of the axes, and its text."""

    x: float
    y: float
    text: str


def cover(
    figure: Mapping[str, Any],
    title: str,
    known: Iterable[KnownPoint] = (),
    guess: tuple[float, float | None] | None = None,
) -> dict:
    """Return the axes of a figure, hatched, with known points and the guess.

    Args:
        figure: The figure.
        title: Its name.
        known: Points that are shown.
        guess: x and y of the guess; y is None before there is one, and all of it if none is asked.
    """
    layout = figure["layout"]
    axes = {"xaxis": layout["xaxis"], "yaxis": layout["yaxis"]}
    shapes = []
    annotations = []
    for annotation in layout.get("annotations", ()):
        if annotation == theme.vertical_title(annotation["text"]):
            annotations.append(annotation)
    annotations.append(_prompt(axes, guess))
    for point in known:
        shapes.append(theme.dot(point.x, point.y, colour=theme.PRIVATE))
        annotations.append(_text_over_point(axes, point))
    if guess is not None:
        x, y = guess
        shapes.append(theme.vertical_line(x))
        if y is not None:
            shapes.extend(drag_handle(x, y))
            annotations.append(_text_beside(axes, x, y, _guess_text(y)))
    covered_layout = {name: layout[name] for name in _KEPT_LAYOUT if name in layout}
    covered_layout |= axes
    covered_layout |= {
        "title": theme.heading(title),
        "shapes": shapes,
        "annotations": annotations,
        "showlegend": False,
    }
    return {"data": [_hatched_area(axes)], "layout": covered_layout}


def _hatched_area(axes: Mapping[str, Any]) -> dict:
    """Return a trace that covers everything between the axes."""
    left = value_at(axes["xaxis"], -1)
    right = value_at(axes["xaxis"], 1)
    bottom = value_at(axes["yaxis"], -1)
    top = value_at(axes["yaxis"], 1)
    return theme.scatter(
        np.array([left, right, right, left]),
        np.array([bottom, bottom, top, top]),
        mode="lines",
        fill="toself",
        hoverinfo="skip",
        line={"width": 0},
        fillpattern=_HATCH,
        fillcolor="rgba(0,0,0,0)",
    )


def _prompt(axes: Mapping[str, Any], guess: tuple[float, float | None] | None) -> dict:
    """Return the text on the cover, at the side where the guess is not."""
    corner = "upper left"
    if guess is not None and _share_along(axes["xaxis"], guess[0]) < 0.4:
        corner = "upper right"
    text = "Hidden until you have guessed"
    if guess is not None and guess[1] is None:
        text = "Press at your guess"
    return theme.note(text, corner, size=15)


def drag_handle(x: float, y: float) -> list[dict]:
    """Return the mark of a guess that is dragged."""
    outline = {"color": "white", "width": 2}
    disc = theme.dot(x, y, colour=theme.HANDLE, radius=12, line=outline)
    arrows = theme.mark(_ARROWS, x, y, line=outline)
    return [_guess_line(x, y, dash="solid"), disc, arrows]


def with_guess(
    figure: Mapping[str, Any],
    x: float,
    y: float,
    truth: float,
    *,
    truth_text: str,
    tone: str = "private",
) -> dict:
    """Return a figure with a guess, dashed, and with the truth, both by name.

    Args:
        figure: The figure.
        x: Position of both.
        y: The guess.
        truth: The truth.
        truth_text: The name of the truth.
        tone: Key of the truth's colour in ``TONES``.
    """
    layout = figure["layout"]
    axes = {"xaxis": layout["xaxis"], "yaxis": layout["yaxis"]}
    # Neither name covers the other where the values are near.
    truth_shift = -_NAME_SHIFT
    if truth > y:
        truth_shift = _NAME_SHIFT
    guess_name = _text_beside(axes, x, y, _guess_text(y))
    guess_name["yshift"] = -truth_shift
    coloured_text = theme.coloured(f"<b>{truth_text}</b>", TONES[tone])
    truth_name = _text_beside(axes, x, truth, coloured_text, left=True)
    truth_name["yshift"] = truth_shift
    truth_line = theme.mark(_LINE, x, truth, line={"color": TONES[tone], "width": 4})
    guess_line = _guess_line(x, y, dash="5px,3px")
    marked_layout = {
        **layout,
        "shapes": [*layout.get("shapes", ()), truth_line, guess_line],
        "annotations": [*layout.get("annotations", ()), guess_name, truth_name],
    }
    return {**figure, "layout": marked_layout}


def rename(figure: Mapping[str, Any], name: str) -> dict:
    """Return a figure under another name, with the finding in its title."""
    layout = figure["layout"]
    _, _, finding = layout["title"]["text"].partition("</b>")
    return {**figure, "layout": {**layout, "title": theme.heading(name, finding.strip())}}


def set_range(figure: Mapping[str, Any], low: float, high: float) -> dict:
    """Return a figure with other ends of its vertical axis."""
    layout = figure["layout"]
    return {**figure, "layout": {**layout, "yaxis": {**layout["yaxis"], "range": [low, high]}}}


def value_at(axis: Mapping[str, Any], position: float) -> float:
    """Return the value at a position along an axis, from -1 at its lower end to 1."""
    low, high = axis["range"]
    value = low + (high - low) * (position + 1) / 2
    if axis.get("type") == "log":
        return float(10**value)
    return float(value)


def _share_along(axis: Mapping[str, Any], value: float) -> float:
    """Return the position of a value along an axis, from 0 to 1."""
    low, high = axis["range"]
    return (theme.in_axis_units(axis, value) - low) / (high - low)


def _guess_text(y: float) -> str:
    return f"<b>guess: {format_number(y, digits=4)}</b>"


def _guess_line(x: float, y: float, *, dash: str) -> dict:
    style = {"color": theme.CURRENT, "width": 3, "dash": dash}
    return theme.mark(_LINE, x, y, line=style, name=GUESS)


def _text_over_point(axes: Mapping, point: KnownPoint) -> dict:
    """Return the text of a point, which is moved inwards at the ends of the chart."""
    share = _share_along(axes["xaxis"], point.x)
    side = "center"
    if share < 0.15:
        side = "left"
    elif share > 0.85:
        side = "right"
    return theme.annotation(
        theme.coloured(point.text, theme.PRIVATE),
        x=theme.in_axis_units(axes["xaxis"], point.x),
        y=theme.in_axis_units(axes["yaxis"], point.y),
        size=14,
        xanchor=side,
        yanchor="bottom",
        yshift=_FROM_POINT,
    )


def _text_beside(axes: Mapping, x: float, y: float, text: str, *, left: bool = False) -> dict:
    """Return a text at a line, on its ``left`` or right unless there is no room."""
    share = _share_along(axes["xaxis"], x)
    is_left = share > 0.6
    if left:
        is_left = share > 0.35
    place = {"xanchor": "left", "xshift": _BESIDE_LINE}
    if is_left:
        place = {"xanchor": "right", "xshift": -_BESIDE_LINE}
    return theme.annotation(
        text,
        x=theme.in_axis_units(axes["xaxis"], x),
        y=theme.in_axis_units(axes["yaxis"], y),
        size=15,
        yanchor="middle",
        **place,
    )
