"""The guesses of a class, along the axis of the guess or by its options."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ui.charts import bars, guesses, theme
from ui.text.guess_range import GuessRange
from ui.text.numbers import format_number

BINS = 24
_TITLE = "What the class said"
_MARGIN = {"l": 46, "r": 12, "t": 44, "b": 44}
# Room under the axis for options in several lines.
_OPTIONS_MARGIN = 110
# Letters of a line of an option.
_LINE_LETTERS = 13
# Half the width of an option's bar.
_HALF_BAR = 0.35
# Height of the axis in parts of the highest bar, with room for names over it.
_HEIGHT = 1.5


def numbers(
    values: np.ndarray,
    axis: Mapping[str, Any],
    number: GuessRange,
    *,
    outcome: float,
    outcome_name: str,
    mine: float | None,
) -> dict:
    """Draw a histogram of guesses with the outcome.

    Args:
        values: The guesses.
        axis: The axis of the chart that was guessed, whose scale the histogram has.
        number: What a guess may be.
        outcome: What was measured.
        outcome_name: Its name.
        mine: The visitor's own guess; None if there is none.
    """
    scaled: Any = np.asarray
    is_log = axis.get("type") == "log"
    if is_log:
        scaled = np.log10
    low, high = scaled((number.low, number.high))
    edges = np.linspace(low, high, BINS + 1)
    counts, _ = np.histogram(np.clip(scaled(values), low, high), edges)
    colour = guesses.TONES[number.tone]
    lines = [_vertical_line(float(scaled(outcome)), colour, "solid")]
    names = [theme.coloured(f"<b>│ {outcome_name}</b>", colour)]
    if mine is not None:
        lines.append(_vertical_line(float(scaled(mine)), theme.CURRENT, "5px,3px"))
        names.append(f"<b>┆ your guess: {format_number(mine, digits=4)}</b>")
    title = "guess"
    if number.unit:
        title = f"guess, {number.unit}"
    xaxis = {"range": [low, high], "title": {"text": title}}
    if is_log:
        powers = range(int(np.ceil(low)), int(np.floor(high)) + 1)
        xaxis["tickvals"] = list(powers)
        xaxis["ticktext"] = [format_number(10.0**power) for power in powers]
    return bars.histogram(
        edges,
        {theme.NON_PRIVATE: counts},
        title=_TITLE,
        margin=_MARGIN,
        xaxis=xaxis,
        yaxis=_count_axis(counts),
        shapes=lines,
        annotations=[theme.note("<br>".join(names), "upper left", size=14, align="left")],
    )


def choices(values: np.ndarray, options: Sequence[str], *, right: int, mine: int | None) -> dict:
    """Draw how many chose each option.

    Args:
        values: Indices of the chosen options.
        options: The options.
        right: Index of the correct one, which is marked.
        mine: Index of the visitor's own choice; None if there is none.
    """
    indices = np.arange(len(options))
    # Every other bin is the gap after an option's bar.
    edges = (indices[:, None] + np.array([-_HALF_BAR, _HALF_BAR])).ravel()
    counts, _ = np.histogram(values, edges)
    is_right = np.arange(len(counts)) == 2 * right
    # Short lines have room beside each other.
    names = ["<br>".join(textwrap.wrap(option, _LINE_LETTERS)) for option in options]
    names[right] += "<br><b>outcome</b>"
    if mine is not None:
        names[mine] += "<br><b>your guess</b>"
    return bars.histogram(
        edges,
        {
            theme.NON_PRIVATE: np.where(is_right, 0, counts),
            theme.PUBLIC: np.where(is_right, counts, 0),
        },
        title=_TITLE,
        margin=_MARGIN | {"b": _OPTIONS_MARGIN},
        xaxis={
            "range": [-0.5, len(options) - 0.5],
            "tickangle": 0,
            "tickvals": indices.tolist(),
            "ticktext": names,
        },
        yaxis=_count_axis(counts),
    )


def _count_axis(counts: np.ndarray) -> dict:
    """Return the axis of the number of guesses."""
    most = int(max(counts.max(), 1))
    return {
        "range": [0, _HEIGHT * most],
        "title": {"text": "guesses"},
        "dtick": max(1, round(most / 4)),
    }


def _vertical_line(x: float, colour: str, dash: str) -> dict:
    """Return a vertical line across the chart."""
    style = {"color": colour, "width": 3, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": style}
