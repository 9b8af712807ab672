"""What runs cost, and which noise or how many steps a budget allows, as pieces of work that can be kept."""

import math
from dataclasses import dataclass, replace

import numpy as np

from dpcore import check
from dpcore.accountants import account, advanced, basic, calibrate, curve, most_steps
from dpcore.privacy import Adjacency, Event, PoissonSampled
from dpcore.schedules import Schedule, step

# What the literature prints beside the accountants; no guarantee (``advanced.as_published``).
PUBLISHED = "published"
# The most steps that a search looks at, and that the privacy loss distribution counts: it takes a second for a million.
MOST_STEPS, MOST_COUNTED = 100_000, 200_000
# Where a search for the noise multiplier looks.
_NOISES = (0.2, 1e9)
# The privacy loss distribution needs a little less noise than Renyi orders; this much of it is searched first.
_NEAR = (0.7, 1.03)


@dataclass(frozen=True, kw_only=True)
class Price:
    """Epsilon (N, S) of N noise multipliers over S numbers of steps, by one accountant.

    ramp: how the noise changes; then the multipliers are those of its first step.
    """

    accountant: str
    sampling_rate: float
    noise_multipliers: tuple[float, ...]
    steps: tuple[int, ...]
    delta: float
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    essential: bool = False
    ramp: Schedule | None = None

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.noise_multipliers), len(self.steps)

    def run(self) -> np.ndarray:
        if self.ramp:
            return np.array([[self._ramped(one, until) for until in self.steps] for one in self.noise_multipliers])
        return np.array([self._row(step(self.sampling_rate, one)) for one in self.noise_multipliers])

    def _ramped(self, noise_multiplier: float, until: int) -> float:
        event = self.ramp.event(noise_multiplier, rate=self.sampling_rate, until=until)
        return account(event, delta=self.delta, adjacency=self.adjacency, accountant=self.accountant).epsilon

    def _row(self, event: PoissonSampled) -> np.ndarray:
        if self.accountant == PUBLISHED:
            return advanced.as_published(event, np.array(self.steps), delta=self.delta)
        return curve(event, self.steps, delta=self.delta, adjacency=self.adjacency, accountant=self.accountant)


@dataclass(frozen=True, kw_only=True)
class NoiseFor:
    """The least noise multiplier that keeps ``steps`` steps within ``epsilon``; infinite where none does.

    ramp_end, ramp_shape: the last step's multiplier over the first one's, which is the answer, and how it gets there.
    """

    accountant: str
    sampling_rate: float
    steps: int
    epsilon: float
    delta: float
    essential: bool = False
    ramp_end: float = 1.0
    ramp_shape: str = "geometric"

    def run(self) -> float:
        if not self.accountant.startswith("pld"):
            return self._search(self.accountant, _NOISES)
        near = self._search("renyi", _NOISES)
        ends = tuple(part * near for part in _NEAR)
        found = self._search(self.accountant, ends) if near < math.inf else math.inf
        # At an end of its part the search has not met the root.
        inside = ends[0] * 1.001 < found < ends[1]
        return found if inside else self._search(self.accountant, (_NOISES[0], 2 * min(near, 1e5)))

    def _search(self, accountant: str, bracket: tuple[float, float]) -> float:
        ramp = Schedule(self.ramp_end, self.steps, self.ramp_shape)
        if self.ramp_end != 1 and bracket == _NOISES:
            # No step may have less noise than what is enough for all of them, nor need all have more
            near = replace(self, ramp_end=1.0)._search(accountant, bracket)
            bracket = near / max(1, self.ramp_end) * 0.99, near / min(1, self.ramp_end) * 1.01
            if near == math.inf:
                return near

        def run_of(noise_multiplier: float) -> Event:
            return ramp.event(noise_multiplier, rate=self.sampling_rate)

        promise = {"epsilon": self.epsilon, "delta": self.delta, "adjacency": Adjacency.ADD_REMOVE}
        try:
            return calibrate(run_of, accountant=accountant, bracket=bracket, tolerance=1e-4, **promise)
        except check.RefusedError:
            return math.inf


@dataclass(frozen=True, kw_only=True)
class StepsWithin:
    """How many steps stay within ``epsilon``, up to ``MOST_STEPS``."""

    accountant: str
    sampling_rate: float
    noise_multiplier: float
    epsilon: float
    delta: float
    essential: bool = False

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
    """What the classical theorems charge for one of ``steps`` steps, where these share half of delta.

    The textbook's epsilon, amplified by ln(1 + q (e^epsilon - 1)): see ``dpcore.accountants.basic.price``.
    """
    slack = np.array([min(delta / (2 * steps * sampling_rate), 0.5)])
    return float(basic.price(step(sampling_rate, noise_multiplier), slack=slack)[0])
