"""The pieces of work of the questions that are no topic's own: the winner measured again, and exact answers."""

from contextlib import suppress
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from dpcore.accountants import tuning
from dpcore.cache import cached
from dpcore.privacy import ApproximateRelease, Composed, Guarantee, PureRelease, Sequence, UnsupportedEventError
from lab import crossing
from lab.repeats import median_run
from lab.settings import Settings
from lab.sweep import best, measured, split

# What several runs together are counted at, where one of them has no delta.
DELTA = 1e-6


@cached
def prices(settings: Settings, tries: int) -> dict[str, Guarantee]:
    """Way to release what a search of so many ``tries`` has found -> what that costs; none where a run promises
    nothing.
    """
    one = settings.promise
    if one is None:
        return {}
    for event in (one.event, _pair(one)):
        delta, adjacency, unit = one.delta or DELTA, one.adjacency, one.unit
        if found := tuning.prices(event, tries=tries, delta=delta, adjacency=adjacency, unit=unit):
            break
    return found | {"public": replace(one, assumes=found["public"].assumes)}


@cached
def together(runs: tuple[tuple[Settings, int], ...]) -> Guarantee | None:
    """Return what so many runs of each of some settings promise together; None where one of them promises nothing, or
    they have different neighbours or units."""
    each = [(promise, count) for one, count in runs if (promise := one.promise) is not None]
    if len(each) < len(runs) or len({(one.adjacency, one.unit) for one, _ in each}) > 1:
        return None
    (first, _), delta = each[0], max(one.delta for one, _ in each) or DELTA
    whole = Sequence(events=tuple(Composed(event=one.event, count=count) for one, count in each))
    pairs = Sequence(events=tuple(Composed(event=_pair(one), count=count) for one, count in each))
    for events in (whole, pairs):
        with suppress(UnsupportedEventError):
            return tuning.price(events, way="all", tries=1, delta=delta, adjacency=first.adjacency, unit=first.unit)
    return None


def _pair(one: Guarantee) -> ApproximateRelease | PureRelease:
    """A release of which nothing but the guarantee is known."""
    return ApproximateRelease(epsilon=one.epsilon, delta=one.delta) if one.delta else PureRelease(epsilon=one.epsilon)


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
