"""What a class said, as plain figures: along the axis of the guess, or by its options."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ui.charts import theme
from ui.text.numbers import format_number

BINS = 24
_MARGIN = {"l": 46, "r": 12, "t": 56, "b": 44}


@dataclass(frozen=True)
class Outcome:
    """What came out: its value, its words and its colour."""

    value: float
    words: str
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
    """Draw how many guessed what, between the ``ends``, as far apart as on the ``axis`` of the
    chart; beside it the outcome, and one's own guess where there is one.
    """
    log = axis.get("type") == "log"
    at = np.log10 if log else np.asarray
    low, high = at(ends)
    edges = np.linspace(low, high, BINS + 1)
    counts, _ = np.histogram(
        np.clip(at(values), edges[0], edges[-1]) if len(values) else values, edges
    )
    bars = _bars((edges[1:] + edges[:-1]) / 2, counts) | {
        "width": theme.array(np.diff(edges) * 0.9)
    }
    x = float(at(outcome.value))
    shapes = [_upright(x, outcome.colour, "solid")]
    words = [_over(f"<b>{outcome.words}</b>", x, 1.13, outcome.colour, edges)]
    if mine is not None:
        x = float(at(mine))
        shapes.append(_upright(x, theme.CURRENT, "5px,3px"))
        words.append(
            _over(
                f"<b>your guess: {format_number(mine, digits=4)}</b>", x, 1.02, theme.CURRENT, edges
            )
        )
    ticks = _ticks(edges[0], edges[-1]) if log else {}
    return theme.figure(
        bars,
        title="What the class said",
        finding="",
        margin=_MARGIN,
        xaxis={
            "range": [edges[0], edges[-1]],
            "title": {"text": f"guess{f', {unit}' if unit else ''}"},
        }
        | ticks,
        yaxis=_many(counts),
        shapes=shapes,
        annotations=words,
    )


def choices(values: np.ndarray, options: Sequence[str], *, right: int, mine: int | None) -> dict:
    """Draw how many chose which option; what came out is marked."""
    counts = np.bincount(np.asarray(values, dtype=int), minlength=len(options))[: len(options)]
    colours = [
        theme.PUBLIC if place == right else theme.NON_PRIVATE for place in range(len(options))
    ]
    bars = _bars(np.arange(len(options)), counts) | {"marker": {"color": colours}}
    said = [_short(text) for text in options]
    return theme.figure(
        bars,
        title="What the class said",
        finding="",
        margin=_MARGIN | {"b": 84},
        xaxis={
            "range": [-0.6, len(options) - 0.4],
            "tickvals": list(range(len(options))),
            "ticktext": said,
        },
        yaxis=_many(counts),
        annotations=[
            theme.annotation(
                _mark(place, right, mine),
                x=place,
                y=float(counts[place]),
                yanchor="bottom",
                size=14,
            )
            for place in range(len(options))
        ],
    )


def _mark(place: int, right: int, mine: int | None) -> str:
    return " ".join(["<b>outcome</b>"] * (place == right) + ["your guess"] * (place == mine))


def _short(text: str) -> str:
    """An option in lines that stand beside others."""
    lines = [""]
    for word in text.split():
        lines = (
            [*lines[:-1], f"{lines[-1]} {word}".strip()]
            if len(lines[-1] + word) < 18
            else [*lines, word]
        )
    return "<br>".join(lines)


def _bars(x: np.ndarray, counts: np.ndarray) -> dict:
    style = {"marker": {"color": theme.NON_PRIVATE}, "hovertemplate": "%{y} guesses<extra></extra>"}
    return {
        "type": "bar",
        "x": theme.array(x),
        "y": theme.array(counts.astype(float)),
        "showlegend": False,
    } | style


def _many(counts: np.ndarray) -> dict:
    """The axis of how many there are, with room for words."""
    most = int(max(counts.max(initial=0), 1))
    return {
        "range": [0, 1.15 * most],
        "title": {"text": "guesses"},
        "dtick": max(1, round(most / 4)),
    }


def _ticks(low: float, high: float) -> dict:
    """Powers of ten of an axis of logarithms."""
    powers = range(int(np.ceil(low)), int(np.floor(high)) + 1)
    return {"tickvals": list(powers), "ticktext": [format_number(10.0**power) for power in powers]}


def _upright(x: float, colour: str, dash: str) -> dict:
    style = {"color": colour, "width": 3, "dash": dash}
    return {"type": "line", "x0": x, "x1": x, "y0": 0, "y1": 1, "yref": "paper", "line": style}


def _over(text: str, x: float, y: float, colour: str, edges: np.ndarray) -> dict:
    share = (x - edges[0]) / (edges[-1] - edges[0])
    side = "left" if share < 0.2 else "right" if share > 0.8 else "center"
    words = theme.coloured(text, colour) if colour in theme.TEXT_COLOURS else text
    return theme.annotation(words, x=x, y=y, yref="paper", xanchor=side, yanchor="bottom", size=14)
