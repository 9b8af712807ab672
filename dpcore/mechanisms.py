"""Mechanisms: each knows its sensitivity and its noise, draws it, and leaves an event behind.

All noise here is floating-point noise; releases to an adversary who reads the last bits need a discrete sampler
instead [mironov2012].
"""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpcore import check
from dpcore.accountants import gdp
from dpcore.privacy import GaussianRelease, LaplaceRelease, PureRelease


@dataclass(frozen=True, kw_only=True)
class Laplace:
    """value + Lap(sensitivity/epsilon) per coordinate; (epsilon, 0)-DP [dwork2014, Theorem 3.6].

    sensitivity: **L1** norm of the largest change of the value between neighbours.
    """

    sensitivity: float
    epsilon: float

    def __post_init__(self) -> None:
        check.positive(sensitivity=self.sensitivity)
        check.positive(epsilon=self.epsilon)

    @property
    def scale(self) -> float:
        return self.sensitivity / self.epsilon

    @property
    def event(self) -> LaplaceRelease:
        return LaplaceRelease(noise_multiplier=1 / self.epsilon)

    def release(self, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``value`` of any shape, with one independent draw a coordinate."""
        return value + rng.laplace(scale=self.scale, size=np.shape(value))


@dataclass(frozen=True, kw_only=True)
class Gaussian:
    """value + N(0, sd^2) per coordinate, calibrated to (epsilon, delta).

    sensitivity: **L2** norm of the largest change of the value between neighbours.
    calibration: "analytic" is exact for every epsilon [balle2018, Algorithm 1]; "classical" is
    sd = sensitivity sqrt(2 ln(1.25/delta))/epsilon [dwork2014, Theorem A.1], proved for epsilon < 1, wasteful there,
    and too little noise from epsilon of about 8 on (8.42 at delta 1e-5).
    """

    sensitivity: float
    epsilon: float
    delta: float
    calibration: Literal["analytic", "classical"] = "analytic"

    def __post_init__(self) -> None:
        check.positive(sensitivity=self.sensitivity)
        check.positive(epsilon=self.epsilon)
        check.between(0, 1, inclusive=False, delta=self.delta)
        check.choice(("analytic", "classical"), calibration=self.calibration)

    @property
    def noise_multiplier(self) -> float:
        if self.calibration == "classical":
            return classical_noise_multiplier(self.epsilon, delta=self.delta)
        return 1 / gdp.mu_of(self.epsilon, delta=self.delta)

    @property
    def sd(self) -> float:
        return self.sensitivity * self.noise_multiplier

    @property
    def event(self) -> GaussianRelease:
        return GaussianRelease(noise_multiplier=self.noise_multiplier)

    def release(self, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``value`` of any shape, with one independent draw a coordinate."""
        return value + rng.normal(scale=self.sd, size=np.shape(value))


def classical_noise_multiplier(epsilon: float, *, delta: float) -> float:
    """sqrt(2 ln(1.25/delta)) / epsilon: the textbook's formula, without its condition epsilon < 1."""
    return math.sqrt(2 * math.log(1.25 / delta)) / epsilon


@dataclass(frozen=True, kw_only=True)
class NormExponential:
    """value + b with density proportional to exp(-epsilon ||b||_2 / sensitivity); (epsilon, 0)-DP.

    In d dimensions ||b|| ~ Gamma(d, sensitivity/epsilon) and the direction is uniform [chaudhuri2011, Algorithm 1].
    sensitivity: **L2** norm. Independent Laplace coordinates with this sensitivity would spend up to sqrt(d) epsilon.
    """

    sensitivity: float
    epsilon: float

    def __post_init__(self) -> None:
        check.positive(sensitivity=self.sensitivity)
        check.positive(epsilon=self.epsilon)

    @property
    def event(self) -> PureRelease:
        return PureRelease(epsilon=self.epsilon)

    def noise(self, dimension: int, rng: np.random.Generator, *, size: int = 1) -> np.ndarray:
        """Draws of shape (size, dimension)."""
        direction = rng.normal(size=(size, dimension))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        return direction * rng.gamma(dimension, self.sensitivity / self.epsilon, size=(size, 1))

    def release(self, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``value`` of any shape; all its coordinates together are the d dimensions."""
        value = np.asarray(value, dtype=float)
        return value + self.noise(value.size, rng)[0].reshape(value.shape)


@dataclass(frozen=True, kw_only=True)
class NoisyMax:
    """The index of the largest score after noise; (epsilon, 0)-DP.

    sensitivity: the largest change of any one score between neighbours. One score may rise while the others fall, so
    the scale is 2 sensitivity/epsilon; ``monotone`` scores (all move the same way, counts under add/remove) need half.
    noise: "gumbel" is the exponential mechanism [mcsherry2007, Theorem 6], "laplace" report-noisy-max
    [dwork2014, Claim 3.9].
    """

    sensitivity: float
    epsilon: float
    noise: Literal["gumbel", "laplace"] = "gumbel"
    monotone: bool = False

    def __post_init__(self) -> None:
        check.positive(sensitivity=self.sensitivity)
        check.positive(epsilon=self.epsilon)
        check.choice(("gumbel", "laplace"), noise=self.noise)

    @property
    def scale(self) -> float:
        return (1 if self.monotone else 2) * self.sensitivity / self.epsilon

    @property
    def event(self) -> PureRelease:
        return PureRelease(epsilon=self.epsilon)

    def release(self, scores: np.ndarray, rng: np.random.Generator, *, size: int | None = None) -> np.ndarray | int:
        """Index of the winner among ``scores`` (k,); with ``size``, that many independent winners.

        Raises RefusedError for scores of another shape.
        """
        scores = np.asarray(scores, dtype=float)
        if scores.ndim != 1 or not scores.size:
            raise check.RefusedError("scores", scores.shape, "an array (k,) of at least one score")
        draw = rng.gumbel if self.noise == "gumbel" else rng.laplace
        noisy = scores + draw(scale=self.scale, size=(1 if size is None else size, scores.size))
        winners = noisy.argmax(axis=1)
        return int(winners[0]) if size is None else winners


MECHANISMS = {
    "laplace": Laplace,
    "gaussian": Gaussian,
    "norm-exponential": NormExponential,
    "noisy-max": NoisyMax,
}
