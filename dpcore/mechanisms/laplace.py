"""Laplace mechanism."""

from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.privacy import LaplaceRelease


@dataclass(frozen=True, kw_only=True)
class Laplace:
    """value + Lap(sensitivity/epsilon) per coordinate; (epsilon, 0)-DP [dwork2014, Theorem 3.6].

    sensitivity: **L1** norm of the largest change of the value between neighbours.
    """

    sensitivity: float
    epsilon: float

    def __post_init__(self) -> None:
        sensitivity = check.positive(sensitivity=self.sensitivity)
        check.set_floats(self, sensitivity=sensitivity, epsilon=check.epsilon(epsilon=self.epsilon))

    @property
    def scale(self) -> float:
        return self.sensitivity / self.epsilon

    @property
    def event(self) -> LaplaceRelease:
        return LaplaceRelease(noise_multiplier=1 / self.epsilon)

    def release(self, value: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        """Return ``value``, of any shape, plus an independent draw per coordinate.

        Raises RefusedError for values that are not finite numbers.
        """
        value = check.numbers(value=value)
        return value + rng.laplace(scale=self.scale, size=np.shape(value))
