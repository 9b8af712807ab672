"""The Laplace mechanism."""

from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.privacy import LaplaceRelease


@dataclass(frozen=True, kw_only=True)
class Laplace:
    """Add independent Laplace noise to each coordinate, for (epsilon, 0) [dwork2014, Theorem 3.6].

    Guarantee: L1 sensitivity `sensitivity`; noise `laplace(scale=sensitivity / epsilon)` per
    coordinate; event `LaplaceRelease(noise_multiplier=scale / sensitivity)`; adjacency of the
    sensitivity.

    Attributes:
        sensitivity: L1 norm of the largest change of the value between neighbours.
        epsilon: Of the guarantee, in nats.

    >>> mechanism = Laplace(sensitivity=1.0, epsilon=0.5)
    >>> mechanism.scale
    2.0
    >>> noisy_count = mechanism.release(np.array(100.0), np.random.default_rng())
    >>> mechanism.event
    LaplaceRelease(noise_multiplier=2.0)
    """

    sensitivity: float
    epsilon: float

    def __post_init__(self) -> None:
        sensitivity = check.positive(sensitivity=self.sensitivity)
        epsilon = check.epsilon(epsilon=self.epsilon)
        check.set_floats(self, sensitivity=sensitivity, epsilon=epsilon)

    @property
    def scale(self) -> float:
        """Return the scale of the noise, in units of the value."""
        return self.sensitivity / self.epsilon

    @property
    def event(self) -> LaplaceRelease:
        """Return the privacy event of one release."""
        return LaplaceRelease(noise_multiplier=1 / self.epsilon)

    def release(self, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return ``value``, of any shape, with fresh noise.

        Raises:
            RefusedError: If ``value`` is not made of finite numbers.
        """
        value = check.numbers(value=value)
        noise = rng.laplace(scale=self.scale, size=np.shape(value))
        return value + noise
