"""Noise with a uniform direction and a gamma-distributed norm, for L2 sensitivity."""

from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.privacy import PureRelease


@dataclass(frozen=True, kw_only=True)
class NormExponential:
    """Add noise b of density proportional to exp(-epsilon ||b||_2 / sensitivity), for (epsilon, 0).

    Guarantee: L2 sensitivity `sensitivity`; noise `gamma(dimension, scale=sensitivity / epsilon)`
    per norm; event `PureRelease(epsilon=epsilon)`; adjacency of the sensitivity.

    The direction of b is uniform [chaudhuri2011, Algorithm 1]. Independent Laplace coordinates with
    this sensitivity would spend up to sqrt(dimension) epsilon.

    Attributes:
        sensitivity: L2 norm of the largest change of the value between neighbours.
        epsilon: Of the guarantee, in nats.

    >>> mechanism = NormExponential(sensitivity=1.0, epsilon=2.0)
    >>> noisy_mean = mechanism.release(np.zeros(3), np.random.default_rng())
    >>> noisy_mean.shape
    (3,)
    >>> mechanism.event
    PureRelease(epsilon=2.0)
    """

    sensitivity: float
    epsilon: float

    def __post_init__(self) -> None:
        sensitivity = check.positive(sensitivity=self.sensitivity)
        epsilon = check.epsilon(epsilon=self.epsilon)
        check.set_floats(self, sensitivity=sensitivity, epsilon=epsilon)

    @property
    def event(self) -> PureRelease:
        """Return the privacy event of one release."""
        return PureRelease(epsilon=self.epsilon)

    def noise(self, dimension: int, rng: np.random.Generator, *, size: int = 1) -> np.ndarray:
        """Return ``size`` draws of the noise, (size, dimension)."""
        directions = rng.normal(size=(size, dimension))
        directions /= np.linalg.norm(directions, axis=1, keepdims=True)
        scale = self.sensitivity / self.epsilon
        norms = rng.gamma(dimension, scale, size=(size, 1))
        return directions * norms

    def release(self, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return ``value``, of any shape, with one draw of noise for all of its coordinates.

        Raises:
            RefusedError: If ``value`` is not made of finite numbers.
        """
        value = check.numbers(value=value)
        noise = self.noise(value.size, rng)
        return value + noise[0].reshape(value.shape)
