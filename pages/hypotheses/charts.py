"""Charts of hypothesis transfer: weights and their error, accuracy, and gain."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from lab.number_text import with_minus
from lab.statistics.claims import Case
from pages.hypotheses.result import DIMENSIONS, EPSILONS, SHARES, HypothesesResult
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


class Parameter(NamedTuple):
    """A parameter of the curves, as drawn.

    values: where the curves are computed.
    title: of its log axis.
    text: of a value that is named, with a hole.
    ticks: of the axis.
    scale: factor of the values.
    """

    values: tuple[float, ...]
    title: str
    text: str
    ticks: tuple[float, ...]
    scale: float = 1.0

    def axis(self, set_value: float) -> dict:
        """Return the axis, which ends a little beyond all values and the set one."""
        low = self.scale * self.values[0]
        high = self.scale * max(self.values[-1], set_value)
        return theme.axis(
            self.title, low / _AXIS_MARGIN, high * _AXIS_MARGIN, log=True, ticks=self.ticks
        )


PARAMETERS = {
    "epsilon": Parameter(
        EPSILONS, "epsilon (log scale)", "epsilon {:g}", ticks=(0.1, 1, 10, 100, 1000)
    ),
    "share": Parameter(
        SHARES,
        "target rows with a label, % (log scale)",
        "{:g} %",
        ticks=(1, 2, 5, 10, 20, 50),
        scale=100,
    ),
    "dimension": Parameter(
        DIMENSIONS, "features d' (log scale)", "{:,} features", ticks=(2, 5, 20, 60, 1000)
    ),
}


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
        return SAYS("finding.runs", done=result.repeats, runs=result.settings.repeats)
    if case == Case.FEW:
        return SAYS["finding.few"]
    if case == Case.AHEAD:
        return SAYS["finding.nearer"]
    return SAYS["finding.unsure"]


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

    lowest, _ = _ERROR_RANGE
    epsilon = result.settings.epsilon
    return curve_chart(
        Curve(name="error", x=epsilons, y=quantiles, colour=theme.PRIVATE, dots=6),
        current=epsilon,
        levels=levels,
        legend=False,
        title=SAYS["chart.error"],
        finding=SAYS("chart.now", error=error_now),
        shapes=[theme.diamond(epsilon, max(error_now, lowest))],
        xaxis=PARAMETERS["epsilon"].axis(epsilon),
        yaxis=theme.log_axis("mean square (log scale)", *_ERROR_RANGE),
    )


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
        without_noise=result.without_noise.median_accuracy("transfer"),
    )


def accuracy(result: HypothesesResult, along: str) -> dict:
    """Draw the median accuracy of methods over a parameter, and 90 % of transfer's runs.

    along: one of ``PARAMETERS``.
    """
    parameter = PARAMETERS[along]
    set_value = result.set_value(along)
    digits = median_accuracies(result).digits
    curves = []
    heights = []
    for method in CURVES:
        summary = result.summary[method]
        at, quantiles = result.curve(method, along)
        name, colour = STYLES[method]
        curve = quantile_curve(
            name,
            colour,
            (parameter.scale * at, quantiles),
            summary,
            band=method == "transfer",
            value=theme.padded(percent(summary.median, digits=digits)),
            dots=4,
            has_dot=True,
        )
        curves.append(curve)
        heights.extend(100 * quantiles[1])
    for method in ("all_labels", "transfer"):
        heights.append(100 * result.summary[method].high)
    # Steps of 5, with a little room.
    return accuracy_chart(
        *curves,
        current=parameter.scale * set_value,
        title=SAYS[f"chart.{along}"],
        finding=_accuracy_finding(result, along),
        xaxis=parameter.axis(set_value),
        low=5 * np.floor((min(heights) - 1) / 5),
        high=min(5 * np.ceil(max(heights) / 5 + 0.2), 101),
    )


def _accuracy_finding(result: HypothesesResult, along: str) -> str:
    """Return the values at which transfer is shown to help, or the progress of the curves."""
    runs = result.runs_along(along)
    values = PARAMETERS[along].values
    values_begun = [value for value in values if value in runs]
    progress = count_progress(len(values_begun), len(values))
    if progress:
        return progress
    return helps_finding([*runs], [at.compare() for at in runs.values()], along)


def helps_finding(values: Sequence[float], cases: Sequence[Case], along: str) -> str:
    """Return at which values of a parameter transfer is shown to help."""
    if Case.SO_FAR in cases:
        incomplete = cases.count(Case.SO_FAR)
        return SAYS("chart.so_far", done=len(cases) - incomplete, places=len(cases))
    parameter = PARAMETERS[along]
    texts = [parameter.text.format(parameter.scale * value) for value in values]
    return finding(SAYS.cases("finding"), cases, texts)


# Gain


def gain(result: HypothesesResult) -> dict:
    """Draw each method's gain over the target's few labels, run by run. Below 0 it harms."""
    methods = [method for method in METHODS if method != "few_labels"]
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
        shapes=[theme.vertical_area(-100, 0, colour=theme.BOUND)],
        annotations=[theme.note("harm", "upper left"), *numbers],
        xaxis={**xaxis, "zeroline": True},
    )


def _signed(points: float) -> str:
    """Return points with their sign."""
    text = with_minus(f"{points:.1f}")
    if points > 0:
        return f"+{text}"
    return text
