"""The guesses of a class, along the axis of the guess or by its options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ui.charts import theme
from ui.text.numbers import format_number

BINS = 24
_TITLE = "What the class said"
_MARGIN = {"l": 46, "r": 12, "t": 56, "b": 44}
# Room under the axis for options in several lines.
_OPTIONS_MARGIN = 84
# Letters of a line of an option.
_LINE_LETTERS = 18
# Heights of the names of the outcome and of the visitor's guess, as shares of the chart.
_OUTCOME_HEIGHT = 1.13
_GUESS_HEIGHT = 1.02


@dataclass(frozen=True)
class Outcome:
    """The measured value, its name and its colour."""

    value: float
    name: str
    colour: str


def numbers(
    values: np.ndarray,
    axis: Mapping[str, Any],
    *,
    ends: tuple[float, float],
    unit: str,
    outcome: Outcome,
    mine: float | None,
) -> dict:
    """Draw a histogram of guesses with the outcome.

    Args:
        values: The guesses.
        axis: The axis of the chart that was guessed, whose scale the histogram has.
        ends: Ends of the horizontal axis.
        unit: Unit of the guesses.
        outcome: What was measured.
        mine: The visitor's own guess; None if there is none.
    """
    is_log = axis.get("type") == "log"
    scaled: Any = np.asarray
    if is_log:
        scaled = np.log10
    low, high = scaled(ends)
    edges = np.linspace(low, high, BINS + 1)
    if len(values) > 0:
        values = np.clip(scaled(values), edges[0], edges[-1])
    counts, _ = np.histogram(values, edges)
    bars = _bars((edges[1:] + edges[:-1]) / 2, counts)
    bars["width"] = theme.array(np.diff(edges) * 0.9)
    x = float(scaled(outcome.value))
    shapes = [_vertical_line(x, outcome.colour, "solid")]
    outcome_name = f"<b>{outcome.name}</b>"
    annotations = [_name_over(outcome_name, x, _OUTCOME_HEIGHT, outcome.colour, edges)]
    if mine is not None:
        x = float(scaled(mine))
        shapes.append(_vertical_line(x, theme.CURRENT, "5px,3px"))
        guess_name = f"<b>your guess: {format_number(mine, digits=4)}</b>"
        annotations.append(_name_over(guess_name, x, _GUESS_HEIGHT, theme.CURRENT, edges))
    title = "guess"
    if unit:
        title = f"guess, {unit}"
    xaxis = {"range": [edges[0], edges[-1]], "title": {"text": title}}
    if is_log:
        xaxis |= _power_ticks(edges[0], edges[-1])
    return theme.figure(
        bars,
        title=_TITLE,
        margin=_MARGIN,
        xaxis=xaxis,
        yaxis=_count_axis(counts),
        shapes=shapes,
        annotations=annotations,
    )


def choices(values: np.ndarray, options: Sequence[str], *, right: int, mine: int | None) -> dict:
    """Draw how many chose each option.

    Args:
        values: Indices of the chosen options.
        options: The options.
        right: Index of the correct one, which is marked.
        mine: Index of the visitor's own choice; None if there is none.
    """
    indices = np.asarray(values, dtype=int)
    counts = np.bincount(indices, minlength=len(options))[: len(options)]
    colours = [theme.NON_PRIVATE] * len(options)
    colours[right] = theme.PUBLIC
    annotations = []
    for index in range(len(options)):
        marks = []
        if index == right:
            marks.append("<b>outcome</b>")
        if index == mine:
            marks.append("your guess")
        annotation = theme.annotation(
            " ".join(marks), x=index, y=float(counts[index]), yanchor="bottom", size=14
        )
        annotations.append(annotation)
    bars = _bars(np.arange(len(options)), counts)
    bars["marker"] = {"color": colours}
    xaxis = {
        "range": [-0.6, len(options) - 0.4],
        "tickvals": list(range(len(options))),
        "ticktext": [_in_lines(option) for option in options],
    }
    return theme.figure(
        bars,
        title=_TITLE,
        margin=_MARGIN | {"b": _OPTIONS_MARGIN},
        xaxis=xaxis,
        yaxis=_count_axis(counts),
        annotations=annotations,
    )


def _in_lines(text: str) -> str:
    """Break an option into short lines, which have room beside each other."""
    lines = [""]
    for word in text.split():
        if len(lines[-1] + word) < _LINE_LETTERS:
            lines[-1] = f"{lines[-1]} {word}".strip()
        else:
            lines.append(word)
    return "<br>".join(lines)


def _bars(x: np.ndarray, counts: np.ndarray) -> dict:
    """Return the bars of the numbers of guesses."""
    return {
        "type": "bar",
        "x": theme.array(x),
        "y": theme.array(counts.astype(float)),
        "showlegend": False,
        "marker": {"color": theme.NON_PRIVATE},
        "hovertemplate": "%{y} guesses<extra></extra>",
    }


def _count_axis(counts: np.ndarray) -> dict:
    """Return the axis of the number of guesses, with room for texts over the bars."""
    most = int(max(counts.max(initial=0), 1))
    return {
        "range": [0, 1.15 * most],
        "title": {"text": "guesses"},
        "dtick": max(1, round(most / 4)),
    }


def _power_ticks(low: float, high: float) -> dict:
    """Return ticks at the powers of ten of an axis of logarithms."""
    powers = range(int(np.ceil(low)), int(np.floor(high)) + 1)
    return {"tickvals": list(powers), "ticktext": [format_number(10.0**power) for power in powers]}


def _vertical_line(x: float, colour: str, dash: str) -> dict:
    """Return a vertical line across the chart."""
    style = {"color": colour, "width": 3, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": style}


def _name_over(text: str, x: float, y: float, colour: str, edges: np.ndarray) -> dict:
    """Return a text over the chart, moved inwards at its ends."""
    share = (x - edges[0]) / (edges[-1] - edges[0])
    side = "center"
    if share < 0.2:
        side = "left"
    elif share > 0.8:
        side = "right"
    if colour in theme.TEXT_COLOURS:
        text = theme.coloured(text, colour)
    return theme.annotation(text, x=x, y=y, yref="paper", xanchor=side, yanchor="bottom", size=14)
