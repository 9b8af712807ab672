"""Task of the planner that is not a topic's own: the retest of the best configuration."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.experiment.settings import Settings
from lab.statistics.medians import median_run
from lab.sweeps.measurement import measured, split
from lab.sweeps.sweep import best


@dataclass(frozen=True, kw_only=True)
class Again:
    """Measure the best of ``tries`` again, on another split with fresh noise.

    The best is the one with the best median over ``seeds`` splits. place: of the other split, from
    the base's own.
    """

    tries: tuple[Settings, ...]
    measure: str
    repeats: int
    seeds: int
    place: int
    essential: ClassVar[bool] = False

    def run(self) -> np.ndarray:
        """Return the measure of each run, (R,)."""
        medians = []
        for settings in self.tries:
            runs = measured(settings, measure=self.measure, repeats=self.repeats, seeds=self.seeds)
            medians.append(float(median_run(runs, splits=self.seeds)))
        winner = self.tries[best(medians, self.tries[0].experiment.measures[self.measure])]
        other = split(winner, self.place + 1)[-1]
        return measured(other, measure=self.measure, repeats=self.repeats)
