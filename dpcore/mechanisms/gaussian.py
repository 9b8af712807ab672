"""Gaussian mechanism, calibrated exactly or by the textbook formula."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from dpcore import check
from dpcore.accountants import gdp
from dpcore.privacy import GaussianRelease


@dataclass(frozen=True, kw_only=True)
class Gaussian:
    """value + N(0, sd^2) per coordinate, calibrated to (epsilon, delta).

    sensitivity: **L2** norm of the largest change of the value between neighbours.
    calibration: "analytic" is exact for every epsilon [balle2018, Algorithm 1]. "classical" is
    sd = sensitivity sqrt(2 ln(1.25/delta))/epsilon [dwork2014, Theorem A.1], which is proved for epsilon < 1, where it
    adds more noise than needed. From an epsilon of about 8 (8.42 at delta 1e-5) it adds too little.
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
        """Return ``value``, of any shape, plus an independent draw per coordinate."""
        return value + rng.normal(scale=self.sd, size=np.shape(value))


def classical_noise_multiplier(epsilon: float, *, delta: float, constant: float = 1.25) -> float:
    """Return sqrt(2 ln(constant/delta)) / epsilon, the textbook formula without its condition epsilon < 1.

    constant: 2 on a slide of [hoseinpour2023], which multiplies by the sensitivity in the *L1* norm. That is never too
    little noise, since the L2 norm suffices, but sqrt(k) times too much for k equal changes.
    """
    check.numbers(low=0, inclusive=False, epsilon=epsilon)
    return math.sqrt(2 * math.log(constant / check.between(0, 1, inclusive=False, delta=delta))) / epsilon
