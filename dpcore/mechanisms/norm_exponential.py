"""Noise with a uniform direction and a gamma-distributed norm, for L2 sensitivity."""

from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.privacy import PureRelease


@dataclass(frozen=True, kw_only=True)
class NormExponential:
    """value + b with density proportional to exp(-epsilon ||b||_2 / sensitivity); (epsilon, 0)-DP.

    In d dimensions ||b|| ~ Gamma(d, sensitivity/epsilon) and the direction is uniform
    [chaudhuri2011, Algorithm 1].
    sensitivity: **L2** norm. Independent Laplace coordinates with this sensitivity would spend up
    to sqrt(d) epsilon.
    """

    sensitivity: float
    epsilon: float

    def __post_init__(self) -> None:
        sensitivity = check.positive(sensitivity=self.sensitivity)
        check.set_floats(self, sensitivity=sensitivity, epsilon=check.epsilon(epsilon=self.epsilon))

    @property
    def event(self) -> PureRelease:
        return PureRelease(epsilon=self.epsilon)

    def noise(self, dimension: int, rng: np.random.Generator, *, size: int = 1) -> np.ndarray:
        """Return ``size`` draws of noise in ``dimension`` dimensions, (size, dimension)."""
        direction = rng.normal(size=(size, dimension))
        direction /= np.linalg.norm(direction, axis=1, keepdims=True)
        return direction * rng.gamma(dimension, self.sensitivity / self.epsilon, size=(size, 1))

    def release(self, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return ``value``, of any shape, plus one draw in as many dimensions as it has
        coordinates.

        Raises RefusedError for values that are not finite numbers.
        """
        value = check.numbers(value=value)
        return value + self.noise(value.size, rng)[0].reshape(value.shape)
