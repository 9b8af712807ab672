"""Weights of models by input: a dot for each run, and a stroke for the model without privacy."""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ui.charts import theme

# Inputs that a chart has room for.
MAX_INPUTS = 12
# Letters of their names.
_MAX_LETTERS = 18
# Half the height that the dots of an input spread over; inputs are 1 apart.
_SPREAD = 0.25


class LargestInputs(NamedTuple):
    """The inputs with the largest weights.

    Attributes:
        names: Names of the m inputs.
        runs: Their weights in each private run, (R, m).
        non_private: Their weights without privacy, (m,).
    """

    names: list[str]
    runs: np.ndarray
    non_private: np.ndarray


def largest_inputs(
    names: Sequence[str], runs: np.ndarray, non_private: np.ndarray
) -> LargestInputs:
    """Return the inputs with the largest median weights.

    Args:
        names: Names of the d inputs.
        runs: Weights in each private run, (R, d).
        non_private: Weights without privacy, (d,).
    """
    sizes = np.abs(np.median(runs, axis=0))
    largest = np.argsort(-sizes, kind="stable")[:MAX_INPUTS]
    largest_names = [names[index] for index in largest]
    return LargestInputs(largest_names, runs[:, largest], non_private[largest])


def input_weights(weights: np.ndarray) -> np.ndarray:
    """Return the weight of each input: for the second of two classes, or the range over several.

    Args:
        weights: Weights by class, the intercept last: (..., 1, d + 1) for two classes, and
            (..., k, d + 1) for k.

    Returns:
        Shape (..., d).
    """
    without_intercept = weights[..., :-1]
    if without_intercept.shape[-2] == 1:
        return without_intercept[..., 0, :]
    return np.ptp(without_intercept, axis=-2)


def dots(
    inputs: LargestInputs,
    *,
    model: str,
    axis: str,
    rangemode: str = "normal",
    noise_alone: float | None = None,
    **layout: Any,
) -> dict:
    """Draw a line for each input, with the weights of all runs; no row is drawn or needed.

    Args:
        inputs: The inputs.
        model: The word for a model, of which each has a dot.
        axis: Title of the horizontal axis.
        rangemode: Plotly's mode of its range.
        noise_alone: Where weights of noise alone would be, at a vertical line; None for no line.
        layout: ``title`` and so on, as of ``theme.figure``.
    """
    # The first input is at the top.
    heights = np.arange(len(inputs.names))[::-1].astype(float)
    offsets = np.linspace(-_SPREAD, _SPREAD, len(inputs.runs))
    run_heights = offsets[:, None] + heights
    runs = theme.scatter(
        inputs.runs.ravel(),
        run_heights.ravel(),
        mode="markers",
        marker={"color": theme.PRIVATE, "size": 6, "opacity": 0.7},
        name=theme.legend_name(f"private, a dot a {model}"),
        hovertemplate="%{x:.3g}<extra></extra>",
    )
    top = len(inputs.names) - 0.5
    shapes = []
    if noise_alone is not None:
        ends = {"yref": "y", "y0": -0.5, "y1": top}
        shapes.append(theme.vertical_line(noise_alone) | ends)
    yaxis = {
        "range": [-0.5, top],
        "showgrid": False,
        "zeroline": False,
        "tickvals": heights.tolist(),
        "ticktext": [shorten(name) for name in inputs.names],
    }
    return theme.figure(
        runs,
        _strokes(inputs.non_private, heights),
        legend=True,
        margin={"l": 140, "r": 12, "t": 34, "b": 44},
        shapes=shapes,
        xaxis={"title": {"text": axis}, "zeroline": True, "rangemode": rangemode},
        yaxis=yaxis,
        **layout,
    )


def _strokes(non_private: np.ndarray, heights: np.ndarray) -> dict:
    """Return a vertical stroke at each weight (d,) of the model without privacy."""
    stroke = {
        "color": theme.NON_PRIVATE,
        "size": 16,
        "symbol": "line-ns-open",
        "line": {"width": 3},
    }
    return theme.scatter(
        non_private,
        heights,
        mode="markers",
        marker=stroke,
        name=theme.legend_name("without privacy"),
        hovertemplate="without privacy: %{x:.3g}<extra></extra>",
    )


def shorten(name: str, letters: int = _MAX_LETTERS) -> str:
    """Cut a name to the letters that there is room for, safe in HTML."""
    if len(name) > letters:
        name = name[: letters - 1] + "…"
    return escape(name)
