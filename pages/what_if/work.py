"""The pieces of work of the questions that are no topic's own: the winner measured again, and exact answers."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from lab import crossing
from lab.repeats import median_run
from lab.settings import Settings
from lab.sweep import best, measured, split


@dataclass(frozen=True, kw_only=True)
class Again:
    """The best of some ``tries``, by its median run, measured with the seed that lies ``place`` further: (R,), fresh
    noise on another split.
    """

    tries: tuple[Settings, ...]
    measure: str
    repeats: int
    seeds: int
    place: int
    essential: ClassVar[bool] = False

    def run(self) -> np.ndarray:
        tried = (measured(one, measure=self.measure, repeats=self.repeats, seeds=self.seeds) for one in self.tries)
        medians = [float(median_run(runs, splits=self.seeds)) for runs in tried]
        winner = self.tries[best(medians, self.tries[0].measures[self.measure])]
        return measured(split(winner, self.place + 1)[-1], measure=self.measure, repeats=self.repeats)


@dataclass(frozen=True, kw_only=True)
class Solved:
    """From which value of a knob on a measure that is computed, not drawn, keeps ``target``, by bisection.

    falls: whether the measure gets worse along the knob, so that the largest value is looked for.
    """

    settings: Settings
    knob: str
    measure: str
    target: float
    falls: bool
    essential: ClassVar[bool] = False

    def run(self) -> crossing.Crossing:
        low, high = self.settings.limits[self.knob]
        asked = self.settings.measures[self.measure]

        def number(value: float) -> float:
            there = self.settings.change(**{self.knob: min(max(value, low), high)})  # rounding may leave the ends
            return float(measured(there, measure=self.measure, repeats=1)[0])

        rising = (asked.better == "higher") != self.falls
        return crossing.exact(
            number, low, high, self.target, better=asked.better, whole=isinstance(low, int), increasing=rising
        )
