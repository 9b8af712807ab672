"""Charts of hypothesis transfer: weights and their error, and accuracy over epsilon."""

import math
from typing import NamedTuple

import numpy as np

from lab.experiment.settings import quantiles_of
from lab.statistics.claims import Case
from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.tasks import EPSILONS
from ui.charts import bars, theme
from ui.charts.curves import (
    Curve,
    Level,
    accuracy_chart,
    curve_chart,
    finding,
    grid_progress,
    quantile_curve,
)
from ui.text.texts import Texts
from ui.text.tiles import distinct_digits, percent

SAYS = Texts(__file__)

# Name and colour of each method.
STYLES = {
    "transfer": ("transfer", theme.PRIVATE),
    "equal_weights": ("equal weights", theme.SAGE),
    "soft_labels": ("soft labels", theme.PINE),
    "best_source": ("best source", theme.MAUVE),
    "few_labels": ("target only", theme.GOLD),
    "all_labels": ("all labels", theme.NON_PRIVATE),
}
# Methods in the charts of accuracy.
CURVES = ("all_labels", "few_labels", "equal_weights", "transfer")
# Ends of the axis of errors. An error of 0 is drawn at its lower end.
_ERROR_RANGE = (1e-5, 1.0)
# Log axes end beyond their values by this factor.
_AXIS_MARGIN = 1.2
# Height of a weight's number above its bar, and the top of the axis that leaves room for it, in %.
_NUMBER_OFFSET = 5
_WEIGHT_TOP = 112
# The axis of accuracy, in percent: its ends are multiples of a step, with room beside the curves.
# The upper one is just above 100, so that a line there is seen.
_ACCURACY_STEP = 5
_ROOM = 1
_HIGHEST_END = 101
_EPSILON_TICKS = (0.1, 1, 10, 100, 1000)


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
        colours=theme.SOURCES[: len(shares)],
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
        return SAYS("finding.runs", done=result.repeats, runs=result.settings.repeats)
    if case == Case.FEW:
        return SAYS["finding.few"]
    if case == Case.AHEAD:
        return SAYS["finding.nearer"]
    return SAYS["finding.unsure"]


def error(result: HypothesesResult) -> dict:
    """Draw the mean squared error of the weights over epsilon, without noise, and of equal ones."""
    levels = []
    equal_error = result.error_of_equal_weights
    if equal_error > 0:
        level = Level(y=equal_error, name="equal weights", colour=theme.BOUND, side="right")
        levels.append(level)
    noiseless_error = result.error_without_noise
    if noiseless_error > 0:
        levels.append(Level(y=noiseless_error, name="no noise"))

    epsilons, quantiles = result.curve("error").over()
    curve = Curve(
        name="error",
        x=epsilons,
        y=quantiles,
        colour=theme.PRIVATE,
        dots=6,
        at_current=quantiles_of(result.outcome.error),
        has_dot=False,
    )
    lowest, _ = _ERROR_RANGE
    epsilon = result.settings.epsilon
    return curve_chart(
        curve,
        current=epsilon,
        levels=levels,
        legend=False,
        title=SAYS["chart.error"],
        finding=SAYS("chart.now", error=result.median_error),
        shapes=[theme.diamond(epsilon, max(result.median_error, lowest))],
        xaxis=_epsilon_axis(),
        yaxis=theme.log_axis("mean square (log scale)", *_ERROR_RANGE),
    )


def _epsilon_axis() -> dict:
    """Return the axis of epsilon, which ends a little beyond its curves."""
    low = EPSILONS[0] / _AXIS_MARGIN
    high = EPSILONS[-1] * _AXIS_MARGIN
    return theme.axis("epsilon (log scale)", low, high, log=True, ticks=_EPSILON_TICKS)


# Accuracy


class MedianAccuracies(NamedTuple):
    """Median accuracies on the target's test rows.

    without_noise: of transfer without noise, NaN until some of its repeats are done.
    """

    transfer: float
    few_labels: float
    without_noise: float

    @property
    def digits(self) -> int:
        """Return the number of decimals with which transfer looks different from the others."""
        others = [self.few_labels]
        if not math.isnan(self.without_noise):
            others.append(self.without_noise)
        return max(distinct_digits(self.transfer, other) for other in others)


def median_accuracies(result: HypothesesResult) -> MedianAccuracies:
    """Return the accuracies that the tiles show."""
    return MedianAccuracies(
        transfer=result.summary["transfer"].median,
        few_labels=result.summary["few_labels"].median,
        without_noise=result.accuracy_without_noise,
    )


def accuracy(result: HypothesesResult) -> dict:
    """Draw the median accuracy of methods over epsilon, and 90 % of transfer's runs."""
    digits = median_accuracies(result).digits
    curves = []
    heights = []
    for method in CURVES:
        summary = result.summary[method]
        points = result.curve(method).over()
        name, colour = STYLES[method]
        curve = quantile_curve(
            name,
            colour,
            points,
            summary,
            band=method == "transfer",
            value=theme.padded(percent(summary.median, digits=digits)),
            dots=4,
            has_dot=True,
        )
        curves.append(curve)
        _, quantiles = points
        heights.extend([*(100 * quantiles[1]), 100 * summary.median])
    for method in ("all_labels", "transfer"):
        heights.append(100 * result.summary[method].high)
    return accuracy_chart(
        *curves,
        current=result.settings.epsilon,
        title=SAYS["chart.epsilon"],
        finding=_accuracy_finding(result),
        xaxis=_epsilon_axis(),
        low=_ACCURACY_STEP * np.floor((min(heights) - _ROOM) / _ACCURACY_STEP),
        high=min(_ACCURACY_STEP * np.ceil((max(heights) + _ROOM) / _ACCURACY_STEP), _HIGHEST_END),
    )


def _accuracy_finding(result: HypothesesResult) -> str:
    """Return the epsilons at which transfer is shown to help, or the progress of the curve."""
    progress = grid_progress(result.curve("transfer"))
    if progress:
        return progress
    cases = result.cases_by_epsilon
    incomplete = list(cases.values()).count(Case.SO_FAR)
    if incomplete > 0:
        return SAYS("chart.so_far", done=len(cases) - incomplete, places=len(cases))
    return finding(SAYS.cases("finding"), list(cases.values()), list(cases))
