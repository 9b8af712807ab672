"""The pieces of work of the questions that are no topic's own: the winner measured again, and exact answers."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore import crossing
from dpcore.experiment import Settings
from dpcore.sweep import best, measured, split


@dataclass(frozen=True, kw_only=True)
class Again:
    """The best of some ``tries``, by its mean, measured with the seed that lies ``place`` further: (R,), fresh noise on
    another split.
    """

    tries: tuple[Settings, ...]
    measure: str
    repeats: int
    seeds: int
    place: int
    essential: ClassVar[bool] = False

    def run(self) -> np.ndarray:
        how = {"measure": self.measure, "repeats": self.repeats}
        means = [measured(one, seeds=self.seeds, **how).mean() for one in self.tries]
        winner = self.tries[best(means, self.tries[0].measures[self.measure])]
        return measured(split(winner, self.place + 1)[-1], **how)


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
            return float(measured(self.settings.change(**{self.knob: value}), measure=self.measure, repeats=1)[0])

        rising = (asked.better == "higher") != self.falls
        return crossing.exact(
            number, low, high, self.target, better=asked.better, whole=isinstance(low, int), increasing=rising
        )
