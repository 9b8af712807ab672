"""Charts over the number of features: accuracy, noise, and two distributions of noise."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pages.hypotheses.charts import SAYS, STYLES, epsilon_axis
from pages.hypotheses.result import (
    ALL_WORDS,
    DIMENSIONS,
    DIRECTIONS,
    EPSILONS,
    LAWS,
    PUBLISHED_FEATURES,
    HypothesesResult,
)
from ui.charts import theme
from ui.charts.curves import Curve, Level, accuracy_chart, count_progress, curve_chart

# Standard deviations outside of these are not drawn. They lie beyond the axis.
_LEAST_SD = 1e-3
_MOST_SD = 1e4
_NOISE_NAME = "noise's share of a margin, %"
# Name and dash of each distribution of noise, and colour of each number of directions.
_LAW_STYLES = {
    "exponential": ("the paper's noise", "solid"),
    "gaussian": ("Gaussian noise", "dash"),
}
_DIRECTION_COLOURS = {ALL_WORDS: theme.PRIVATE, DIRECTIONS: theme.PUBLIC}


# Accuracy


def dimension(result: HypothesesResult) -> dict:
    """Draw accuracy over the number of features, without noise, and the noise's share."""
    current = result.dimension
    at, quantiles = result.curve("transfer", "dimension")
    at_noiseless, noiseless = result.curve("transfer", "plain dimension")
    at_weak, weak = result.curve("weak", "dimension")
    noise_at, noise_shares = result.noise_shares
    now = 100 * np.array(result.summary["transfer"])
    noise_label = _NOISE_NAME.removesuffix(", %")
    hover = f"%{{x}} features: %{{y:.1f}} %<extra>{noise_label}</extra>"
    curves = [
        _percent_curve("without noise", theme.NON_PRIVATE, at_noiseless, noiseless[1]),
        _percent_curve(*STYLES["weak"], at_weak, weak[1]),
        _percent_curve(*STYLES["transfer"], at, quantiles, at_current=now),
        _percent_curve(
            _NOISE_NAME, theme.BOUND, noise_at, noise_shares, hover=hover, more={"yaxis": "y2"}
        ),
    ]
    # The names of the curves, in two columns above them.
    places = [(0.01, 0.92), (0.5, 1.0), (0.01, 1.0), (0.5, 0.92)]
    names = []
    for curve, (x, y) in zip(curves, places, strict=True):
        text = theme.coloured(curve.name.removesuffix(" of a margin, %"), curve.colour)
        names.append(theme.note(text, "upper left", x=x, y=y))
    low, high = _accuracy_range(
        [100 * quantiles[0], 100 * noiseless[1], 100 * weak[1], now[1]], 100 * quantiles[2]
    )
    noise_axis = theme.axis("noise, %", 0, 125, ticks=(0, 50, 100))
    return curve_chart(
        *curves,
        current=current,
        right=52,
        legend=False,
        title=SAYS["chart.dimension"],
        finding=_dimension_finding(result),
        annotations=names,
        xaxis=_dimension_axis(current),
        yaxis=theme.axis("test accuracy, %", low, high),
        yaxis2={
            **noise_axis,
            "overlaying": "y",
            "side": "right",
            "showgrid": False,
            "zeroline": False,
        },
    )


def _dimension_axis(current: int) -> dict:
    """Return the axis of the number of features, up to all words if these are the current one."""
    ticks = list(DIMENSIONS)
    widest = DIMENSIONS[-1]
    if current > widest:
        # Between the projected numbers of features there is little room then.
        ticks = [*DIMENSIONS[:3], widest, current]
    texts = []
    for tick in ticks:
        if tick <= widest:
            texts.append(str(tick))
        else:
            texts.append("all")
    axis = theme.axis(
        "features d' (log scale)", 1.8, 1.13 * max(widest, current), log=True, ticks=ticks
    )
    return {**axis, "ticktext": texts}


def _percent_curve(
    name: str, colour: str, x: np.ndarray, shares: np.ndarray, **style: Any
) -> Curve:
    """Return a curve of shares in percent."""
    return Curve(name=name, colour=colour, x=x, y=100 * np.asarray(shares), dots=4, **style)


def _dimension_finding(result: HypothesesResult) -> str:
    """Return the best number of features, or how far the curve has come."""
    progress = count_progress(len(result.runs_along("dimension")), result.dimension_count)
    if progress:
        return progress
    best = result.best_dimensions
    if len(best) != 1:
        return ""
    return SAYS("chart.best", best=best[0])


def _accuracy_range(lines: Sequence[Any], tops: np.ndarray) -> tuple[float, float]:
    """Return steps of five that hold all lines and ``tops``, with room for names above."""
    heights = []
    for line in lines:
        heights.extend(np.atleast_1d(line).tolist())
    low = 5 * np.floor(min(heights) / 5)
    high = 5 * np.ceil(max(heights + tops.tolist()) / 5)
    return low - 1, high + 0.22 * (high - low + 5)


# Noise


def noise(result: HypothesesResult) -> dict:
    """Draw the sd of the noise on a margin and on a log weight over the number of features."""
    current = result.dimension
    finding = ""
    if result.settings.noise == "objective":
        # Noise in the objective has no formula, so that of output perturbation is drawn.
        finding = SAYS["chart.objective"]
    names = [
        theme.note(theme.coloured("–·– on a log weight", theme.PUBLIC), "upper left", y=1.0),
        theme.note(theme.coloured("— on a margin", theme.PRIVATE), "upper left", y=0.91),
    ]
    published_lines, published_names = _published_features()
    dots = [theme.dot(current, sd, colour=theme.CURRENT) for sd in result.noise_at(current)]
    return curve_chart(
        theme.axis_anchor(2.0, 1e-9),
        current=current,
        levels=[Level(y=1.0, name="1: typical margin", colour=theme.BOUND)],
        legend=False,
        title=SAYS["chart.noise"],
        finding=finding,
        shapes=[*_noise_lines(result), *published_lines, *dots],
        annotations=[*names, *published_names],
        xaxis=theme.axis("features d' (log scale)", 1.9, 9000, log=True, ticks=(2, 10, 100, 1000)),
        yaxis=theme.log_axis("standard deviation (log scale)", 10**-2.5, 10**3.2),
    )


def _noise_lines(result: HypothesesResult) -> list[dict]:
    """Return the line of the noise on a margin, and that on a log weight."""
    frame = result.noise
    lines = []
    for name, colour in (("margin", theme.PRIVATE), ("weight", theme.PUBLIC)):
        in_range = frame[(frame[name] > _LEAST_SD) & (frame[name] < _MOST_SD)]
        if in_range.empty:
            continue
        points = zip(in_range["dimension"], in_range[name], strict=True)
        style = {"color": colour, "width": 2, "dash": theme.DASHES[colour]}
        lines.append(theme.path_shape(theme.svg_path(points), line=style))
    return lines


def _published_features() -> tuple[list[dict], list[dict]]:
    """Return a line at the number of features of each published data set, and its name."""
    lines = []
    names = []
    for data_set, features in PUBLISHED_FEATURES.items():
        style = {"color": theme.NON_PRIVATE, "width": 1, "dash": "dot"}
        lines.append({**theme.vertical_line(features), "line": style})
        name = theme.annotation(data_set, x=np.log10(features), y=0.02, size=13, yref="paper")
        names.append({**name, "textangle": -90, "xanchor": "right", "yanchor": "bottom"})
    return lines, names


# Two distributions of noise


def laws(result: HypothesesResult) -> dict:
    """Draw accuracy over epsilon with two distributions of noise, with all words and few."""
    curves = []
    for directions, colour in _DIRECTION_COLOURS.items():
        features = f"all {result.data.features:,} words"
        if directions != ALL_WORDS:
            features = f"{directions} directions"
        for law in LAWS:
            law_name, dash = _LAW_STYLES[law]
            at, quantiles = result.law_curve(law, directions)
            name = f"{features}, {law_name}"
            curves.append(_percent_curve(name, colour, at, quantiles[1], dash=dash))
    few_labels = 100 * result.summary["weak"].median
    low, high = _accuracy_range([*(curve.y for curve in curves), few_labels], np.array([]))
    return accuracy_chart(
        *curves,
        title=SAYS["chart.laws"],
        finding=_laws_finding(result),
        levels=[Level(y=few_labels, name="target only, all words", colour=theme.GOLD)],
        xaxis=epsilon_axis(),
        low=low - 0.35 * (high - low),
        high=min(high, 101),
    )


def _laws_finding(result: HypothesesResult) -> str:
    """Return the epsilons from which on all words help, or the progress of the curves."""
    helps_from = {law: result.helps_from(law) for law in LAWS}
    if None in helps_from.values():
        done = 0
        for directions in _DIRECTION_COLOURS:
            for law in LAWS:
                at, _ = result.law_curve(law, directions)
                done += len(at)
        return count_progress(done, len(_DIRECTION_COLOURS) * len(LAWS) * len(EPSILONS))
    if math.inf in helps_from.values():
        return ""
    return SAYS("chart.helps", **helps_from)
