"""Result of the curve: where the target is reached along a parameter."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lab.experiment.settings import Measure
from lab.statistics.crossing import Crossing, Solution, smallest
from lab.statistics.medians import Medians, over_splits
from lab.sweeps.sweep import best
from pages.what_if.measurements import MOST, SHARES, Curve, Peak
from pages.what_if.settings import WhatIfSettings

# More epsilon has no visible effect if the measure gains less than this.
_VISIBLE_GAIN = 0.01


def reaches(settings: WhatIfSettings, numbers: np.ndarray) -> np.ndarray:
    """Compare numbers of the measure with the target. True stands for a number that reaches it."""
    if settings.asked_measure.better == "higher":
        return numbers >= settings.goal
    return numbers <= settings.goal


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveResult:
    """Result of the curve, as far as it is done.

    planned_values, planned_estimates: values of the parameter at which there will be runs, (V,),
        and estimates.
    measured: the runs that are done. Until all of the topic's settings are, it has theirs alone.
    estimated: estimates for more people than there are. They are no measurements.
    """

    settings: WhatIfSettings
    planned_values: np.ndarray
    planned_estimates: np.ndarray
    measured: Curve
    estimated: Curve

    @property
    def _measure(self) -> Measure:
        return self.settings.asked_measure

    @property
    def share_done(self) -> float:
        """Return the share of the values that are done."""
        return len(self.measured.values) / len(self.planned_values)

    @property
    def complete(self) -> bool:
        return self.share_done == 1

    @property
    def estimates_complete(self) -> bool:
        """Return whether there are estimates, and all are done."""
        done = len(self.estimated.values)
        return done > 0 and done == len(self.planned_estimates)

    @property
    def peak(self) -> Peak:
        """Return the best median so far. As the best of many, it is partly luck."""
        index = best(self.measured.medians.tolist(), self._measure)
        hits = int(reaches(self.settings, self.measured.runs[index]).sum())
        return Peak(
            value=float(self.measured.values[index]),
            median=float(self.measured.medians[index]),
            hits=hits,
        )

    @property
    def saturation(self) -> float | None:
        """Return the smallest value from which on no median gains a point.

        Return None if that is the largest value alone, or until all of the curve is done.
        """
        if not self.complete:
            return None
        medians = self.measured.medians
        # The largest median at or after each value.
        largest_ahead = np.maximum.accumulate(medians[::-1])[::-1]
        gains = largest_ahead - medians >= _VISIBLE_GAIN
        return _first_after(self.measured.values, gains, fewest=2)

    @property
    def enough_people(self) -> float | None:
        """Return the fewest people from whom on all estimates reach the target.

        Return None if none do, or while estimates are missing.
        """
        if not self.estimates_complete:
            return None
        if self.settings.reached == "most":
            shares = reaches(self.settings, self.estimated.runs).mean(axis=1)
            reached = shares >= MOST
        else:
            reached = reaches(self.settings, self.estimated.medians)
        return _first_after(self.estimated.values, ~reached, fewest=1)

    # Crossing

    @cached_property
    def crossings(self) -> Mapping[str, Crossing]:
        """Return the values from which on the "median" run, and "most" runs, reach the target.

        It is empty if the measure may get better and worse along the parameter. There is no
        smallest value then.
        """
        if not self.settings.only_improves:
            return {}
        return {reached: self._crossing(reached) for reached in SHARES}

    @property
    def crossing(self) -> Crossing | None:
        """Return the crossing that is asked for, or None if there is none."""
        return self.crossings.get(self.settings.reached)

    def _crossing(self, reached: str) -> Crossing:
        return smallest(
            self.planned_values,
            self._crossing_runs(reached),
            self.settings.goal,
            better=self._measure.better,
            log=self.settings.axis(self.settings.x_field).log,
            share=SHARES[reached],
        )

    def _crossing_runs(self, reached: str) -> np.ndarray | Medians:
        """Return the runs of the whole curve (V, R), NaN where they are missing.

        Runs on several splits are not independent. A median is then that of the splits, and a share
        is counted on the first split.
        """
        measured = self.measured
        runs = np.full((len(self.planned_values), measured.runs.shape[1]), np.nan)
        runs[np.searchsorted(self.planned_values, measured.values)] = measured.runs
        # (V, splits, R).
        by_split = runs.reshape(len(runs), measured.splits, -1)
        if measured.splits > 1 and reached == "median":
            overlap = self.settings.topic_settings.overlap
            return over_splits(by_split.swapaxes(0, 1), overlap=overlap)
        return by_split[:, 0]

    @property
    def solution(self) -> Solution | None:
        """Return the crossing that answers the question, or None if there is none."""
        crossing = self.crossing
        if self.settings.is_solving and isinstance(crossing, Solution):
            return crossing
        return None

    @property
    def answer(self) -> float | None:
        """Return the value that answers the question, or None if there is none."""
        if self.solution is None:
            return None
        if self.settings.reached == "most":
            return self.solution.safe
        return self.solution.point

    @property
    def answer_for_most(self) -> float | None:
        """Return the value from which on 90 % of runs reach the target, if the median is asked."""
        if not self.settings.is_solving or self.settings.reached != "median":
            return None
        crossing = self.crossings.get("most")
        if isinstance(crossing, Solution):
            return crossing.safe
        return None

    @property
    def interval(self) -> tuple[float, float] | None:
        """Return the confidence interval of the crossing within the axis, or None without one."""
        if self.solution is None:
            return None
        low = self.solution.low
        if low is None:
            low = self.planned_values[0]
        high = self.solution.high
        if high is None:
            high = self.planned_values[-1]
        return float(low), float(high)


def _first_after(values: np.ndarray, failing: np.ndarray, *, fewest: int) -> float | None:
    """Return the first value after the last failing one.

    Return None if fewer than ``fewest`` values are left.
    """
    indices = np.flatnonzero(failing)
    first = 0
    if len(indices) > 0:
        first = indices[-1] + 1
    if len(values) - first < fewest:
        return None
    return float(values[first])
