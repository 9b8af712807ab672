"""What runs cost, and which noise or how many steps a budget allows, as pieces of work that can be kept."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.accountants import calibrate, curve, most_steps, naive, strong
from dpcore.privacy import Adjacency, Composed, GaussianRelease, PoissonSampled

# What the literature prints beside the accountants; no guarantee (``strong.as_published``).
PUBLISHED = "published"
# The most steps that a search looks at, and that the privacy loss distribution counts: it takes a second for a million.
MOST_STEPS, MOST_COUNTED = 100_000, 200_000
# Where a search for the noise multiplier looks.
_NOISES = (0.2, 1e9)
# The privacy loss distribution needs a little less noise than Renyi orders; this much of it is searched first.
_NEAR = (0.7, 1.03)


def step(sampling_rate: float, noise_multiplier: float) -> PoissonSampled:
    """One step: Gaussian noise on the sum over a Poisson sample."""
    return PoissonSampled(rate=sampling_rate, event=GaussianRelease(noise_multiplier=noise_multiplier))


@dataclass(frozen=True, kw_only=True)
class Price:
    """Epsilon (N, S) of N noise multipliers over S numbers of steps, by one accountant."""

    accountant: str
    sampling_rate: float
    noise_multipliers: tuple[float, ...]
    steps: tuple[int, ...]
    delta: float
    adjacency: Adjacency = Adjacency.ADD_REMOVE
    essential: bool = False

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.noise_multipliers), len(self.steps)

    def run(self) -> np.ndarray:
        return np.array([self._row(step(self.sampling_rate, one)) for one in self.noise_multipliers])

    def _row(self, event: PoissonSampled) -> np.ndarray:
        if self.accountant == PUBLISHED:
            return strong.as_published(event, np.array(self.steps), delta=self.delta)
        return curve(event, self.steps, delta=self.delta, adjacency=self.adjacency, accountant=self.accountant)


@dataclass(frozen=True, kw_only=True)
class NoiseFor:
    """The least noise multiplier that keeps ``steps`` steps within ``epsilon``; infinite where none does."""

    accountant: str
    sampling_rate: float
    steps: int
    epsilon: float
    delta: float
    essential: bool = False

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
        def run_of(noise_multiplier: float) -> Composed:
            return Composed(event=step(self.sampling_rate, noise_multiplier), count=self.steps)

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

    The textbook's epsilon, amplified by ln(1 + q (e^epsilon - 1)): see ``dpcore.accountants.naive.price``.
    """
    slack = np.array([min(delta / (2 * steps * sampling_rate), 0.5)])
    return float(naive.price(step(sampling_rate, noise_multiplier), slack=slack)[0])
