"""AdaSSP: linear regression from noisy sufficient statistics with a data-dependent ridge
[wang2018].
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import accountants, check
from dpcore.privacy import Adjacency, Event, GaussianRelease, Guarantee, Sequence
from dpcore.regression.functional import Fit
from dpcore.regression.gaussian_statistics import (
    eigenvalue_sensitivity,
    gram_sensitivity,
    moment_sensitivity,
    noise_multipliers,
    symmetric,
)
from dpcore.regression.least_squares import Statistics, Unit, repaired, standard


@dataclass(frozen=True, kw_only=True)
class AdaSSP(Unit):
    """Adaptive sufficient statistics perturbation [wang2018, Algorithm 2]: less certain least
    eigenvalue, larger ridge.

    Three Gaussian releases: least eigenvalue, X^T X, X^T y. The published constants, noise
    sqrt(ln(6/delta)) Delta over epsilon / 3 in each, are replaced by exact joint calibration: mu /
    sqrt 3 in each. With sd the noise of each,

        l = max(least + sd_l Z - sd_l sqrt(ln(6/delta)), 0),
        ridge = max(0, sd_G sqrt(p ln(2 p^2 / rho)) - l).
    """

    delta: float = 1e-6
    rho: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, delta=self.delta)
        check.between(0, 1, inclusive=False, rho=self.rho)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard normal noise: for the upper triangle, then X^T y, then the least
        eigenvalue.
        """
        return rng.standard_normal(inputs * (inputs + 1) // 2 + inputs + 1)

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        p = statistics.inputs
        noise, epsilons = standard(noise, epsilons, width=p * (p + 1) // 2 + p + 1)
        multiplier = (
            self.rows_each * noise_multipliers(epsilons, delta=self.delta, releases=3)[:, None]
        )
        on_gram, on_least = gram_sensitivity(p) * multiplier, eigenvalue_sensitivity(p) * multiplier
        gram = statistics.gram + symmetric(noise[:, : -p - 1], p) * on_gram[..., None, None]
        moment = (
            statistics.moment
            + noise[:, -p - 1 : -1] * (moment_sensitivity(p) * multiplier)[..., None]
        )
        least = np.linalg.eigvalsh(statistics.gram)[0]
        doubt = math.sqrt(math.log(6 / self.delta))
        bound = np.maximum(least + on_least * (noise[:, -1] - doubt), 0)
        extra = np.maximum(on_gram * math.sqrt(p * math.log(2 * p**2 / self.rho)) - bound, 0)
        # The ridge nearly always makes the noisy matrix positive definite; else, drop its negative
        # directions.
        weights = repaired(
            gram + extra[..., None, None] * np.eye(p),
            moment,
            repair="spectral",
            noise_sd=np.zeros(1),
        )
        return Fit(weights, gram, moment)

    def event(self, epsilon: float) -> Event:
        multiplier = float(noise_multipliers(np.array([epsilon]), delta=self.delta, releases=3)[0])
        return Sequence(events=(GaussianRelease(noise_multiplier=multiplier),) * 3)

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        return accountants.account(
            self.event(epsilon), delta=self.delta, adjacency=Adjacency.REPLACE_ONE
        )
