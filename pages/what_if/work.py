"""The pieces of work of the questions that are no topic's own: the winner measured again, and exact answers."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from dpcore import crossing
from dpcore.accountants import calibrate, tuning
from dpcore.experiment import Settings
from dpcore.kept import kept
from dpcore.privacy import Adjacency, ApproximateRelease, Event, GaussianRelease, Guarantee, PureRelease
from dpcore.sweep import best, measured, split

# Choices with which a run of a topic keeps no such promise as its epsilon says.
UNSOUND: Mapping[str, tuple[str, ...]] = {
    "version": ("published", "none"),
    "variant": ("inside", "realised", "shuffled"),
    "mechanism": ("published",),
}
_NOISES = (0.01, 1e6)


def one_run(settings: Settings) -> Event | None:
    """What a run does to the private rows: Gaussian where that is all of it, else what its epsilon and delta say; None
    where they promise nothing.
    """
    if any(getattr(settings, name, "") in bad for name, bad in UNSOUND.items()):
        return None
    delta = getattr(settings, "delta", 0.0)
    if not delta:
        return PureRelease(epsilon=settings.epsilon)
    if not hasattr(settings, "clip_norm") or hasattr(settings, "lot_size"):
        return ApproximateRelease(epsilon=settings.epsilon, delta=delta)
    promise = {"epsilon": settings.epsilon, "delta": delta, "adjacency": Adjacency.ADD_REMOVE}
    noise = calibrate(lambda noise: GaussianRelease(noise_multiplier=noise), bracket=_NOISES, **promise)
    return GaussianRelease(noise_multiplier=noise)


@kept
def prices(settings: Settings, tries: int) -> dict[str, Guarantee]:
    """Way to release what a search of so many ``tries`` has found -> what that costs; none where a run promises
    nothing.
    """
    event = one_run(settings)
    if event is None:
        return {}
    delta = getattr(settings, "delta", 0.0) or 1e-6
    return tuning.prices(event, tries=tries, delta=delta, adjacency=Adjacency.ADD_REMOVE)


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
            there = self.settings.change(**{self.knob: min(max(value, low), high)})  # rounding may leave the ends
            return float(measured(there, measure=self.measure, repeats=1)[0])

        rising = (asked.better == "higher") != self.falls
        return crossing.exact(
            number, low, high, self.target, better=asked.better, whole=isinstance(low, int), increasing=rising
        )
