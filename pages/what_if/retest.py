"""Task of the planner that no topic has: the retest of the best configuration."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab.experiment.settings import Settings
from lab.sweeps.measurement import measured, split
from lab.sweeps.sweep import best

# The best configuration is retested on so many other splits.
OTHER_SEEDS = 4


@dataclass(frozen=True, kw_only=True)
class Retest:
    """Measure the best of some configurations again, on another split with fresh noise.

    candidates: the configurations, of which the one with the best median is retested.
    split: number of the other split, counted from the one of the topic's settings.
    """

    candidates: tuple[Settings, ...]
    measure: str
    repeats: int
    split: int
    essential: ClassVar[bool] = False

    def run(self) -> np.ndarray:
        """Choose the best configuration, and return its measure in each run of the retest, (R,).

        The measurements by which it is chosen are cached.
        """
        medians = []
        for settings in self.candidates:
            runs = measured(settings, measure=self.measure, repeats=self.repeats)
            medians.append(float(np.median(runs)))
        measures = self.candidates[0].experiment.measures
        winner = self.candidates[best(medians, measures[self.measure])]
        on_splits = split(winner, self.split + 1)
        on_other_split = on_splits[self.split]
        return measured(on_other_split, measure=self.measure, repeats=self.repeats)
