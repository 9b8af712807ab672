"""Tasks that compute the cost of runs, and the noise or the steps that a budget allows."""

import math
from dataclasses import dataclass, field, replace
from functools import partial
from typing import ClassVar

import numpy as np

from dpcore import check, schedules
from dpcore.accountants import account, advanced, basic, calibrate, curve, most_steps
from dpcore.privacy import Adjacency
from dpcore.schedules import Schedule, step

# The value that papers report beside the accountants; not a guarantee (``advanced.as_published``).
PUBLISHED = "published"
# Most steps that a search considers.
MOST_STEPS = 100_000
# Most steps that PLD accounting composes. A million takes it one second.
MOST_COUNTED = 200_000
# Bracket of searches for the noise multiplier.
_NOISE_BRACKET = (0.2, 1e9)
# PLD accounting needs slightly less noise than Rényi accounting; this range around the latter is
# searched first.
_NEAR_RDP = (0.7, 1.03)
# A result so close to an end of that range, relatively, means that the root lies outside.
_AT_AN_END = 1e-3
# A larger multiplier is not doubled for the last search.
_LARGEST_NEAR = 1e5
# How near the root a search ends, relatively.
_TOLERANCE = 1e-4
# The bracket of a search with a ramp is so much wider than the multipliers at constant noise.
_WIDER = 0.01


@dataclass(frozen=True, kw_only=True)
class Price:
    """Compute the epsilon (N, S) of N noise multipliers and S numbers of steps, by one accountant.

    Attributes:
        accountant: A key of ``dpcore.accountants.ACCOUNTANTS``, or ``PUBLISHED``.
        sampling_rate: Of each step.
        noise_multipliers: (N,), with a ramp those of the first step.
        steps: Numbers of steps, (S,).
        delta: Of all guarantees.
        adjacency: The relation between neighbouring data sets.
        essential: Whether the page needs the task at once. It does not distinguish tasks.
        ramp: The noise schedule; None for constant noise.
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
        """Return (N, S), the shape of the result."""
        return len(self.noise_multipliers), len(self.steps)

    def run(self) -> np.ndarray:
        """Return the epsilons (N, S) of each noise multiplier after each number of steps."""
        return np.array(
            [self._row(noise_multiplier) for noise_multiplier in self.noise_multipliers]
        )

    def _row(self, noise_multiplier: float) -> np.ndarray | list[float]:
        """Return the epsilons (S,) of one noise multiplier."""
        if self.ramp is not None:
            return self._row_of_ramp(self.ramp, noise_multiplier)
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

    def _row_of_ramp(self, ramp: Schedule, noise_multiplier: float) -> list[float]:
        """Return the epsilons (S,) of noise that follows a schedule from this multiplier on."""
        epsilons = []
        for until in self.steps:
            event = schedules.event(ramp, noise_multiplier, rate=self.sampling_rate, until=until)
            guarantee = account(
                event, delta=self.delta, adjacency=self.adjacency, accountant=self.accountant
            )
            epsilons.append(guarantee.epsilon)
        return epsilons


@dataclass(frozen=True, kw_only=True)
class NoiseFor:
    """Find the smallest noise multiplier at which ``steps`` steps cost at most ``epsilon``.

    The result is infinite if there is none.

    Attributes:
        accountant: A key of ``dpcore.accountants.ACCOUNTANTS``.
        sampling_rate: Of each step.
        steps: Number of steps.
        epsilon: The budget.
        delta: Of the guarantee.
        essential: Whether the page needs the task at once.
        ramp_end: Ratio of the last multiplier to the first, which is the result.
        ramp_shape: Shape of the schedule.
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
        """Return the noise multiplier; infinite if none is enough."""
        if not self.accountant.startswith("pld"):
            return self._search(self.accountant, _NOISE_BRACKET)
        by_renyi = self._search("renyi", _NOISE_BRACKET)
        if by_renyi < math.inf:
            low = _NEAR_RDP[0] * by_renyi
            high = _NEAR_RDP[1] * by_renyi
            multiplier = self._search(self.accountant, (low, high))
            if low * (1 + _AT_AN_END) < multiplier < high:
                return multiplier
        widest = _NOISE_BRACKET[0], 2 * min(by_renyi, _LARGEST_NEAR)
        return self._search(self.accountant, widest)

    def _search(self, accountant: str, bracket: tuple[float, float]) -> float:
        """Return the noise multiplier within ``bracket``; infinite if none is enough."""
        ramp = Schedule(self.ramp_end, self.steps, self.ramp_shape)
        if self.ramp_end != 1 and bracket == _NOISE_BRACKET:
            # The steps cannot all have less noise than the constant multiplier, and need not all
            # have more.
            constant = replace(self, ramp_end=1.0)._search(accountant, bracket)
            if constant == math.inf:
                return constant
            low = constant / max(1, self.ramp_end) * (1 - _WIDER)
            high = constant / min(1, self.ramp_end) * (1 + _WIDER)
            bracket = (low, high)
        try:
            return calibrate(
                partial(schedules.event, ramp, rate=self.sampling_rate),
                epsilon=self.epsilon,
                delta=self.delta,
                adjacency=Adjacency.ADD_REMOVE,
                accountant=accountant,
                bracket=bracket,
                tolerance=_TOLERANCE,
            )
        except check.RefusedError:
            return math.inf


@dataclass(frozen=True, kw_only=True)
class StepsWithin:
    """Find the number of steps that cost at most ``epsilon``, up to ``MOST_STEPS``."""

    accountant: str
    sampling_rate: float
    noise_multiplier: float
    epsilon: float
    delta: float
    essential: bool = False
    shape: ClassVar[tuple[int, ...]] = ()  # one number

    def run(self) -> int:
        """Return the number of steps."""
        return most_steps(
            step(self.sampling_rate, self.noise_multiplier),
            epsilon=self.epsilon,
            delta=self.delta,
            adjacency=Adjacency.ADD_REMOVE,
            accountant=self.accountant,
            limit=MOST_STEPS,
        )


def one_step(sampling_rate: float, noise_multiplier: float, steps: int, *, delta: float) -> float:
    """Return the epsilon of one of ``steps`` steps, which share half of ``delta``.

    It is the textbook epsilon of Gaussian noise, amplified by ln(1 + q (e^epsilon - 1)); see
    ``dpcore.accountants.basic.price``.
    """
    slack = np.array([min(delta / (2 * steps * sampling_rate), 0.5)])
    return float(basic.price(step(sampling_rate, noise_multiplier), slack=slack)[0])
