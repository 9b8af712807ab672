"""Noise in a random direction with an exponential-like norm."""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import betainc, gammaincinv

from dpcore import check
from dpcore.privacy import PureRelease


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

    def attacker_accuracy(self, dimension: int) -> float:
        """The best share of right answers to "which of two values?", a sensitivity apart, from 50:50 on.

        The likelier value is the nearer one, so the answer is right where b, along the line from one to the other, is
        below s = sensitivity/2: 1/2 + P[||b|| |u| < s]/2, with u one coordinate of a uniform direction, u^2 ~
        Beta(1/2, (d-1)/2). The mean over ||b|| is taken at the middles of 2,000 equal parts of its law. In one
        dimension 1 - exp(-epsilon/2)/2; the more dimensions, the less the attacker sees.
        """
        if dimension == 1:
            return 1 - math.exp(-self.epsilon / 2) / 2
        lengths = gammaincinv(dimension, (np.arange(2000) + 0.5) / 2000)  # in units of sensitivity/epsilon
        within = betainc(0.5, (dimension - 1) / 2, np.minimum(self.epsilon / 2 / lengths, 1) ** 2)
        return float(0.5 + within.mean() / 2)

    def release(self, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """``value`` of any shape; all its coordinates together are the d dimensions."""
        value = np.asarray(value, dtype=float)
        return value + self.noise(value.size, rng)[0].reshape(value.shape)
