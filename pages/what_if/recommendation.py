"""The value of a parameter with which nine runs in ten reach the target, and the reasons for it."""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from dpcore.privacy import Guarantee
from lab.experiment.settings import Measure, Settings
from lab.statistics.claims import LEAST
from lab.statistics.crossing import Solution
from pages.what_if.result_curve import CurveResult, reaches

# Losses that fall short of a point by so little are rounding errors.
_ROUNDING_ERROR = 1e-7
# Keeps a ratio finite whose denominator is 0.
_LEAST_POSITIVE = 1e-300


class Recommendation(NamedTuple):
    """The smallest value tested with which 90 % of runs are shown to reach the target.

    settings: the topic's settings with that value.
    hits: number of runs that reach the target there.
    median: of the measure there.
    median_value: the smallest value tested from which on the median run reaches the target.
    median_hits: number of runs that reach it there.
    last_value: the largest value tested.
    last_median: of the measure there.
    close_value: from this one on, the median is less than a point worse than at the largest value
        or, if the measure is not in percent, less than 1 % worse.
    """

    settings: Settings
    value: float
    hits: int
    median: float
    median_value: float
    median_hits: int
    last_value: float
    last_median: float
    close_value: float

    @property
    def guarantee(self) -> Guarantee | None:
        """Return the guarantee of a run with that value, or None if it has none."""
        if self.settings.void:
            return None
        return self.settings.guarantee


def recommend(
    curve: CurveResult, settings_by_value: Mapping[float, Settings]
) -> Recommendation | None:
    """Return the value to take and what is known of it.

    Return None if no value is shown to be enough for 90 % of runs.
    """
    if not isinstance(curve.crossing_for_most, Solution):
        return None
    values = curve.measured.values.tolist()
    value = curve.crossing_for_most.safe
    index = values.index(value)
    medians = curve.measured.medians
    hits = reaches(curve.settings, curve.measured.runs).sum(axis=1)
    median_index = _start_of_true_tail(reaches(curve.settings, medians))
    # Less than one point, or one percent, is lost against the largest value.
    is_close = _losses(medians, curve.settings.asked_measure) < 1 - _ROUNDING_ERROR
    close_index = _start_of_true_tail(is_close)
    return Recommendation(
        settings=settings_by_value[value],
        value=value,
        hits=int(hits[index]),
        median=float(medians[index]),
        median_value=values[median_index],
        median_hits=int(hits[median_index]),
        last_value=values[-1],
        last_median=float(medians[-1]),
        close_value=values[close_index],
    )


def _losses(medians: np.ndarray, measure: Measure) -> np.ndarray:
    """Return how much worse medians are than the last one, in points or percent of it."""
    losses = medians - medians[-1]
    if measure.better == "higher":
        losses = -losses
    if measure.unit == "%":
        return losses / LEAST
    return losses / max(LEAST * abs(medians[-1]), _LEAST_POSITIVE)


def _start_of_true_tail(flags: np.ndarray) -> int:
    """Return the index from which on all flags are true; that of the last one if it is not."""
    first = len(flags) - 1
    while first > 0 and flags[first - 1]:
        first -= 1
    return first
