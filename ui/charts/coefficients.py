"""What models go by, input by input: a dot for each run, and a stroke for the model without
privacy.
"""

from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

import numpy as np

from ui.charts import theme

# Inputs that a picture has room for, and letters of their names.
MOST_INPUTS, _LETTERS = 12, 18


class LargestInputs(NamedTuple):
    """The inputs that runs go by most: ``names``, theirs in each run (R, m), and without privacy
    (m,).
    """

    names: list[str]
    runs: np.ndarray
    plain: np.ndarray


def largest_inputs(names: Sequence[str], runs: np.ndarray, plain: np.ndarray) -> LargestInputs:
    """Return those of the largest medians, of ``names`` (d,) with ``runs`` (R, d) and ``plain``
    (d,).
    """
    order = np.argsort(-np.abs(np.median(runs, axis=0)), kind="stable")[:MOST_INPUTS]
    return LargestInputs([names[place] for place in order], runs[:, order], plain[order])


def input_weights(weights: np.ndarray) -> np.ndarray:
    """Return what each input says (..., d) in ``weights`` (..., k, d + 1): of two classes the
    weight for the second, of several the range.
    """
    inputs = weights[..., :-1]
    return inputs[..., 0, :] if inputs.shape[-2] == 1 else np.ptp(inputs, axis=-2)


def dots(
    found: LargestInputs,
    *,
    model: str,
    axis: str,
    rangemode: str = "normal",
    noise_alone: float | None = None,
    **layout: Any,
) -> dict:
    """Draw a line for each input. No row is needed, and none is drawn.

    model: what a dot is; axis: what it is along, and ``rangemode`` how far that goes.
    noise_alone: where it would be for noise alone, to be ruled.
    """
    heights = np.arange(len(found.names))[::-1].astype(float)
    across = np.linspace(-0.25, 0.25, len(found.runs))[:, None] + heights
    each = theme.scatter(
        found.runs.ravel(),
        across.ravel(),
        mode="markers",
        marker={"color": theme.PRIVATE, "size": 6, "opacity": 0.7},
        name=theme.legend_name(f"private, a dot a {model}"),
        hovertemplate="%{x:.3g}<extra></extra>",
    )
    without = theme.scatter(
        found.plain,
        heights,
        mode="markers",
        marker={
            "color": theme.NON_PRIVATE,
            "size": 16,
            "symbol": "line-ns-open",
            "line": {"width": 3},
        },
        name=theme.legend_name("without privacy"),
        hovertemplate="without privacy: %{x:.3g}<extra></extra>",
    )
    end = len(found.names) - 0.5
    rule = (
        []
        if noise_alone is None
        else [theme.vertical_line(noise_alone) | {"yref": "y", "y0": -0.5, "y1": end}]
    )
    ticks = {"tickvals": heights.tolist(), "ticktext": [shorten(name) for name in found.names]}
    return theme.figure(
        each,
        without,
        legend=True,
        margin={"l": 140, "r": 12, "t": 34, "b": 44},
        shapes=rule,
        xaxis={"title": {"text": axis}, "zeroline": True, "rangemode": rangemode},
        yaxis={"range": [-0.5, end], "showgrid": False, "zeroline": False} | ticks,
        **layout,
    )


def shorten(name: str, letters: int = _LETTERS) -> str:
    """Return a name as long as there is room for it, safe in HTML."""
    return escape(name if len(name) <= letters else name[: letters - 1] + "…")
