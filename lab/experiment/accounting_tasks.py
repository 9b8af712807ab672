"""Tasks, whose results can be cached, that compute the cost of runs and the noise or steps that a
budget allows.
"""

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from dpcore import check, schedules
from dpcore.accountants import account, advanced, basic, calibrate, curve, most_steps
from dpcore.privacy import Adjacency, Event
from dpcore.schedules import Schedule, step

# The value that papers report beside the accountants; not a guarantee (``advanced.as_published``).
PUBLISHED = "published"
# Most steps that a search considers, and that PLD accounting composes (a million takes it one
# second).
MOST_STEPS, MOST_COUNTED = 100_000, 200_000
# Bracket of searches for the noise multiplier.
_NOISE_BRACKET = (0.2, 1e9)
# PLD accounting needs slightly less noise than Rényi accounting; this range around the latter is
# searched first.
_NEAR_RDP = (0.7, 1.03)


@dataclass(frozen=True, kw_only=True)
class Price:
    """Epsilon (N, S) of N noise multipliers and S numbers of steps, by one accountant.

    ramp: the noise schedule; ``noise_multipliers`` are then those of the first step. Two that
    differ in ``essential`` only are equal.
    """

    accountant: str
    sampling_rate: float
    noise_multipliers: tuple[float, ...]
    steps: tuple[int, ...]
    delta: float
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    essential: bool = field(default=False, compare=False)
    ramp: Schedule | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.noise_multipliers), len(self.steps)

    def run(self) -> np.ndarray:
        return np.array(
            [self._row(noise_multiplier) for noise_multiplier in self.noise_multipliers]
        )

    def _row(self, noise_multiplier: float) -> np.ndarray | list[float]:
        if self.ramp:
            events = (
                schedules.event(self.ramp, noise_multiplier, rate=self.sampling_rate, until=until)
                for until in self.steps
            )
            return [self._epsilon(event) for event in events]
        event = step(self.sampling_rate, noise_multiplier)
        if self.accountant == PUBLISHED:
            return advanced.as_published(event, np.array(self.steps), delta=self.delta)
        return curve(
            event,
            self.steps,
            delta=self.delta,
            adjacency=self.adjacency,
            accountant=self.accountant,
        )

    def _epsilon(self, event: Event) -> float:
        return account(
            event, delta=self.delta, adjacency=self.adjacency, accountant=self.accountant
        ).epsilon


@dataclass(frozen=True, kw_only=True)
class NoiseFor:
    """The smallest noise multiplier at which ``steps`` steps cost at most ``epsilon``; infinite if
    there is none.

    ramp_end, ramp_shape: ratio of the last multiplier to the first, which is the result, and shape
    of the schedule.
    """

    accountant: str
    sampling_rate: float
    steps: int
    epsilon: float
    delta: float
    essential: bool = False
    ramp_end: float = 1.0
    ramp_shape: str = "geometric"
    shape: ClassVar[tuple[int, ...]] = ()  # one number

    def run(self) -> float:
        if not self.accountant.startswith("pld"):
            return self._search(self.accountant, _NOISE_BRACKET)
        near = self._search("renyi", _NOISE_BRACKET)
        ends = _NEAR_RDP[0] * near, _NEAR_RDP[1] * near
        found = self._search(self.accountant, ends) if near < math.inf else math.inf
        # A result at an end of the range means that the root lies outside.
        inside = ends[0] * 1.001 < found < ends[1]
        return (
            found
            if inside
            else self._search(self.accountant, (_NOISE_BRACKET[0], 2 * min(near, 1e5)))
        )

    def _search(self, accountant: str, bracket: tuple[float, float]) -> float:
        ramp = Schedule(self.ramp_end, self.steps, self.ramp_shape)
        if self.ramp_end != 1 and bracket == _NOISE_BRACKET:
            # The steps cannot all have less noise than the constant multiplier, and need not all
            # have more
            near = replace(self, ramp_end=1.0)._search(accountant, bracket)
            bracket = near / max(1, self.ramp_end) * 0.99, near / min(1, self.ramp_end) * 1.01
            if near == math.inf:
                return near
        try:
            return calibrate(
                partial(schedules.event, ramp, rate=self.sampling_rate),
                epsilon=self.epsilon,
                delta=self.delta,
                adjacency=Adjacency.ADD_REMOVE,
                accountant=accountant,
                bracket=bracket,
                tolerance=1e-4,
            )
        except check.RefusedError:
            return math.inf


@dataclass(frozen=True, kw_only=True)
class StepsWithin:
    """The number of steps that cost at most ``epsilon``, up to ``MOST_STEPS``."""

    accountant: str
    sampling_rate: float
    noise_multiplier: float
    epsilon: float
    delta: float
    essential: bool = False
    shape: ClassVar[tuple[int, ...]] = ()  # one number

    def run(self) -> int:
        return most_steps(
            step(self.sampling_rate, self.noise_multiplier),
            epsilon=self.epsilon,
            delta=self.delta,
            adjacency=Adjacency.ADD_REMOVE,
            accountant=self.accountant,
            limit=MOST_STEPS,
        )


def one_step(sampling_rate: float, noise_multiplier: float, steps: int, *, delta: float) -> float:
    """Return the epsilon of one of ``steps`` steps by the classical theorems, which share half of
    ``delta``.

    The textbook epsilon, amplified by ln(1 + q (e^epsilon - 1)); see
    ``dpcore.accountants.basic.price``.
    """
    slack = np.array([min(delta / (2 * steps * sampling_rate), 0.5)])
    return float(basic.price(step(sampling_rate, noise_multiplier), slack=slack)[0])
