"""Result of the curve: where the target is reached along a parameter."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lab.statistics.crossing import Crossing, Solution, smallest
from lab.sweeps.sweep import best
from pages.what_if.measurements import MOST, Answer, Curve, Peak
from pages.what_if.settings import WhatIfSettings

# The first task of slow settings has one run, from which nothing can be said about others.
_FEWEST_RUNS = 2


def reaches(settings: WhatIfSettings, numbers: np.ndarray) -> np.ndarray:
    """Compare numbers of the measure with the target. True stands for a number that reaches it."""
    if settings.asked_measure.better == "higher":
        return numbers >= settings.goal
    return numbers <= settings.goal


@dataclass(frozen=True, kw_only=True, eq=False)
class CurveResult:
    """Result of the curve, as far as it is done.

    planned_values: values of the parameter at which there will be runs, (V,).
    measured: the runs that are done. Until all of the topic's settings are, it has theirs alone.
    """

    settings: WhatIfSettings
    planned_values: np.ndarray
    measured: Curve

    @property
    def complete(self) -> bool:
        """Return whether all values are done."""
        return len(self.measured.values) == len(self.planned_values)

    @property
    def peak(self) -> Peak:
        """Return the best median so far. As the best of many, it is partly luck."""
        index = best(self.measured.medians.tolist(), self.settings.asked_measure)
        hits = int(reaches(self.settings, self.measured.runs[index]).sum())
        return Peak(
            value=float(self.measured.values[index]),
            median=float(self.measured.medians[index]),
            hits=hits,
        )

    # Crossing

    @cached_property
    def crossing(self) -> Crossing | None:
        """Return the value from which on the median run reaches the target.

        It is None if the measure may get better and worse along the parameter, where there is no
        smallest value, and while there are too few runs.
        """
        return self._crossing(share=None)

    @cached_property
    def crossing_for_most(self) -> Crossing | None:
        """Return the value from which on 90 % of runs reach the target, or None as above."""
        return self._crossing(share=MOST)

    def _crossing(self, *, share: float | None) -> Crossing | None:
        """Return the value from which on a share of runs, or the median, reaches the target."""
        _, count = self.measured.runs.shape
        if not self.settings.only_improves or count < _FEWEST_RUNS:
            return None
        # (V, R), NaN where runs are missing.
        runs = np.full((len(self.planned_values), count), np.nan)
        runs[np.searchsorted(self.planned_values, self.measured.values)] = self.measured.runs
        return smallest(
            self.planned_values,
            runs,
            self.settings.goal,
            better=self.settings.asked_measure.better,
            log=self.settings.axis(self.settings.x_field).log,
            share=share,
        )

    @property
    def answer(self) -> Answer | None:
        """Return the tested value with which 90 % of runs reach the target.

        Without one, it is the first tested value after the estimate for the median, or None.
        """
        if isinstance(self.crossing_for_most, Solution):
            crossing = self.crossing_for_most
            return Answer(crossing.safe, crossing.low, crossing.safe)
        if isinstance(self.crossing, Solution):
            return Answer(self.crossing.tested, self.crossing.low, self.crossing.safe)
        return None
