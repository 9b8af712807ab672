"""Charts of hypothesis transfer: weights and their error, accuracy, and gain."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lab.number_text import with_minus
from lab.statistics.claims import Case
from pages.hypotheses.result import EPSILONS, SHARES, HypothesesResult
from pages.hypotheses.runs import QuantileCurve
from pages.hypotheses.settings import HypothesesSettings
from pages.hypotheses.tasks import METHODS
from ui.charts import bars, theme
from ui.charts.curves import (
    Curve,
    Level,
    accuracy_chart,
    count_progress,
    curve_chart,
    finding,
    quantile_curve,
)
from ui.text.texts import Texts
from ui.text.tiles import distinct_digits, percent

SAYS = Texts(__file__)

# Name and colour of each method.
STYLES = {
    "transfer": ("transfer", theme.PRIVATE),
    "average": ("equal weights", theme.SAGE),
    "soft": ("soft labels", theme.PINE),
    "source": ("best source", theme.MAUVE),
    "weak": ("target only", theme.GOLD),
    "target": ("all labels", theme.NON_PRIVATE),
}
# Methods in the charts of accuracy: those of the first screen, and other uses of the releases.
MAIN_METHODS = ("target", "weak", "average", "transfer")
OTHER_METHODS = ("source", "soft", "transfer")
# Errors that are drawn at least, and that the axis shows if there are none.
_LEAST_ERROR = 1e-6
_USUAL_ERRORS = (1e-4, 1e-1)
# A mark of an error of 0 lies here, below the log axis.
_ERROR_OFF_AXIS = 1e-9
# Height of a weight's number above its bar, and the top of the axis that leaves room for it, in %.
_NUMBER_OFFSET = 5
_WEIGHT_TOP = 112


# Weights


def weights(result: HypothesesResult) -> dict:
    """Draw the hypothesis weights (median and 90 % of runs) beside the true mixture."""
    quantiles = 100 * result.weight_quantiles
    shares = 100 * np.array(result.settings.shares)
    _, medians, high = quantiles
    numbers = []
    for index, weight in enumerate(medians):
        top = max(high[index], shares[index])
        number = theme.annotation(
            f"{weight:.0f}", x=index + 1, y=float(top) + _NUMBER_OFFSET, size=13
        )
        numbers.append(number)
    hover = (
        "source %{x}: %{y:.0f} % of the weight, %{customdata:.0f} % of the target<extra></extra>"
    )
    xaxis = theme.axis("source", 0.4, result.settings.sources + 0.6)
    return bars.bars(
        quantiles,
        reference=shares,
        colours=theme.SOURCES,
        hover={"customdata": shares.tolist(), "hovertemplate": hover},
        title=SAYS["chart.weights"],
        finding=_weights_finding(result),
        annotations=numbers,
        xaxis={**xaxis, "dtick": 1},
        yaxis=theme.axis("share of the weight, %", 0, _WEIGHT_TOP, ticks=range(0, 101, 25)),
    )


def _weights_finding(result: HypothesesResult) -> str:
    """Return whether the weights are closer to the true mixture than equal ones."""
    case = result.compared_with_equal_weights
    if case == Case.SO_FAR:
        return _runs_finding(result)
    if case == Case.FEW:
        return SAYS["finding.few"]
    if case == Case.AHEAD:
        return SAYS["finding.nearer"]
    return SAYS["finding.unsure"]


def _runs_finding(result: HypothesesResult) -> str:
    """Return the number of runs that are done, in words."""
    return SAYS("finding.runs", done=result.repeats, runs=result.settings.repeats)


def error(result: HypothesesResult) -> dict:
    """Draw the mean squared error of the weights over epsilon, without noise, and of equal ones."""
    epsilons, quantiles = result.error_curve
    error_now = result.now.median_error
    levels = []
    equal_error = result.error_of_equal_weights
    if equal_error > 0:
        level = Level(y=equal_error, name="equal weights", colour=theme.BOUND, side="right")
        levels.append(level)
    noiseless_error = result.without_noise.median_error
    if noiseless_error > 0:
        levels.append(Level(y=noiseless_error, name="no noise"))

    heights = [*quantiles[0], *quantiles[2], equal_error, noiseless_error]
    positive = [height for height in heights if height > 0]  # NaN is left out
    least, most = _USUAL_ERRORS
    low, high = theme.stable_log_range(
        max(min(positive, default=least), _LEAST_ERROR), max(positive, default=most)
    )
    yaxis = theme.axis("mean square (log scale)", 10**low, 10**high, log=True)
    return curve_chart(
        Curve(name="error", x=epsilons, y=quantiles, colour=theme.PRIVATE, dots=6),
        current=result.settings.epsilon,
        levels=levels,
        legend=False,
        title=SAYS["chart.error"],
        finding=SAYS("chart.now", error=error_now),
        shapes=[theme.diamond(result.settings.epsilon, max(error_now, _ERROR_OFF_AXIS))],
        xaxis=epsilon_axis(),
        yaxis={**yaxis, "dtick": 1, "tickformat": "~g"},
    )


# Accuracy


def three_accuracies(result: HypothesesResult) -> tuple[float, float, float]:
    """Return the median accuracy with transfer, of the few labels, and of transfer without noise.

    The last one is NaN until some of its repeats are done.
    """
    return (
        result.summary["transfer"].median,
        result.summary["weak"].median,
        result.without_noise.median_accuracy("transfer"),
    )


def accuracy_digits(result: HypothesesResult) -> int:
    """Return the number of decimals with which the three accuracies look different."""
    transferred, *others = three_accuracies(result)
    digits = [distinct_digits(transferred, other) for other in others if not math.isnan(other)]
    return max(digits)


def accuracy(result: HypothesesResult, along: str, methods: Sequence[str] = MAIN_METHODS) -> dict:
    """Draw the median accuracy of methods over "epsilon" or "share", and 90 % of transfer's runs.

    along: "epsilon", or "share" for the share of labels.
    """
    settings = result.settings
    current = settings.epsilon
    if along == "share":
        current = 100 * settings.label_share
    curves = []
    lowest = 100.0
    for method in methods:
        summary = result.summary[method]
        at, quantiles = _accuracy_points(result, method, along)
        value = theme.padded(percent(summary.median, digits=accuracy_digits(result)))
        name, colour = STYLES[method]
        curve = quantile_curve(
            name,
            colour,
            (at, quantiles),
            summary,
            band=method == "transfer",
            value=value,
            dots=4,
            has_dot=True,
        )
        curves.append(curve)
        lowest = min(lowest, *(100 * quantiles[1]), 100 * summary.median)
    # Steps of 5, with a little room.
    highest = max(result.summary["target"].high, result.summary["transfer"].high)
    top = 5 * np.ceil(20 * highest + 0.2)
    return accuracy_chart(
        *curves,
        current=current,
        title=SAYS[f"chart.{along}"],
        finding=_accuracy_finding(result, along, methods),
        xaxis=_axis_along(along),
        low=5 * np.floor((lowest - 1) / 5),
        high=min(top, 101),
    )


def _accuracy_points(result: HypothesesResult, method: str, along: str) -> QuantileCurve:
    """Return the points of a curve as drawn, shares of labels in %.

    Over epsilon there may be none yet. The runs at the set epsilon then are one, because a legend
    names only curves with points. The curve over shares contains the set share.
    """
    at, quantiles = result.curve(method, along)
    if along == "share":
        return QuantileCurve(100 * at, quantiles)
    if len(at) == 0:
        at = np.array([result.settings.epsilon])
        quantiles = np.array(result.summary[method])[:, None]
    return QuantileCurve(at, quantiles)


def _accuracy_finding(result: HypothesesResult, along: str, methods: Sequence[str]) -> str:
    """Return the values at which transfer is shown to help, or the progress of the curves."""
    if methods != MAIN_METHODS:
        return SAYS["chart.others"]
    runs = result.runs_along(along)
    values: Sequence[float] = SHARES
    if along == "epsilon":
        values = EPSILONS
    begun = [value for value in values if value in runs]
    progress = count_progress(len(begun), len(values))
    if progress:
        return progress
    return helps_finding([*runs], [at.compare() for at in runs.values()], along)


def helps_finding(values: Sequence[float], cases: Sequence[Case], along: str) -> str:
    """Return for which epsilons, or shares of labels, transfer is shown to help."""
    if Case.SO_FAR in cases:
        incomplete = cases.count(Case.SO_FAR)
        return SAYS("chart.so_far", done=len(cases) - incomplete, places=len(cases))
    texts = [_value_text(along, value) for value in values]
    return finding(SAYS.cases("finding"), cases, texts)


def _value_text(along: str, value: float) -> str:
    if along == "epsilon":
        return f"epsilon {value:g}"
    return f"{100 * value:g} %"


def _axis_along(along: str) -> dict:
    if along == "epsilon":
        return epsilon_axis()
    margin = 1.26
    return theme.axis(
        "target rows with a label, % (log scale)",
        100 * SHARES[0] / margin,
        100 * SHARES[-1] * margin,
        log=True,
        ticks=(1, 2, 5, 10, 20, 50),
    )


def epsilon_axis() -> dict:
    """Return the axis of epsilon."""
    low, high = HypothesesSettings.LIMITS["epsilon"]
    margin = 1.12
    ticks = (0.1, 1, 10, 100, 1000)
    return theme.axis("epsilon (log scale)", low / margin, high * margin, log=True, ticks=ticks)


# Gain


def gain(result: HypothesesResult) -> dict:
    """Draw each method's gain over the target's few labels, run by run. Below 0 it harms."""
    methods = [method for method in METHODS if method != "weak"]
    gains = 100 * np.array([result.gain[method] for method in methods]).T
    low, medians, high = gains
    largest = max(np.abs(low).max(), np.abs(high).max(), 1)
    reach = 10 * np.ceil(largest / 10)
    numbers = []
    for row, median in enumerate(medians):
        number = theme.annotation(
            _signed(median), x=0.995, y=row, size=13, xref="paper", xanchor="right", yshift=11
        )
        numbers.append(number)
    hover = "%{x:+.1f} points, the median run<extra></extra>"
    xaxis = theme.axis("points gained", -reach, reach)
    return bars.forest(
        [STYLES[method][0] for method in methods],
        gains,
        theme.markers(
            medians, np.arange(len(methods)), colour="rgba(0,0,0,0)", size=14, hover=hover
        ),
        colours=[STYLES[method][1] for method in methods],
        left=100,
        above=0.7,
        title=SAYS["chart.gain"],
        finding=_gain_finding(result, medians[0]),
        shapes=[_harm_area()],
        annotations=[theme.note("harm", "upper left"), *numbers],
        xaxis={**xaxis, "zeroline": True},
    )


def _harm_area() -> dict[str, Any]:
    """Return the shaded area of gains below 0."""
    return {
        "type": "rect",
        "xref": "x",
        "x0": -100,
        "x1": 0,
        "yref": "paper",
        "y0": 0,
        "y1": 1,
        "layer": "below",
        "fillcolor": theme.rgba(theme.BOUND, 0.1),
        "line": {"width": 0},
    }


def _gain_finding(result: HypothesesResult, median: float) -> str:
    """Return the gain of transfer if one is shown."""
    case = result.compare("weak")
    if case == Case.SO_FAR:
        return _runs_finding(result)
    if case == Case.FEW:
        return SAYS["finding.few"]
    if case in (Case.AHEAD, Case.BEHIND):
        return SAYS("finding.points", gain=_signed(median))
    return SAYS["finding.none"]


def _signed(points: float) -> str:
    """Return points with their sign."""
    text = with_minus(f"{points:.1f}")
    if points > 0:
        return f"+{text}"
    return text
