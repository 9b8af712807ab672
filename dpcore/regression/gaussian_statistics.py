"""Linear regression from sufficient statistics with Gaussian noise, in one joint release.

Inputs x = (1, features) with p coordinates in [-1, 1], labels in [-1, 1], one row replaced, n
public: ||x||^2 <= p. A symmetric matrix is released by its upper triangle. Off-diagonal entries
have the noise sd over sqrt 2, so that each counts in the L2 norm like its two matrix entries, and
the Frobenius norm is the sensitivity.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import accountants, check
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency, Event, GaussianRelease, Guarantee
from dpcore.regression.functional import Fit
from dpcore.regression.least_squares import REPAIRS, Statistics, Unit, mirrored, repaired, standard


def gram_sensitivity(inputs: int) -> float:
    """Return the sensitivity of X^T X in Frobenius norm: ||u u^T - v v^T||^2 = |u|^4 + |v|^4 - 2
    (u.v)^2 <= 2 p^2.
    """
    return math.sqrt(2) * inputs


def moment_sensitivity(inputs: int) -> float:
    """Return the L2 sensitivity 2 sqrt p of X^T y."""
    return 2 * math.sqrt(inputs)


def eigenvalue_sensitivity(inputs: int) -> float:
    """Return the sensitivity p of the least eigenvalue of X^T X: u u^T - v v^T has eigenvalues in
    [-|v|^2, |u|^2].
    """
    return float(inputs)


def joint_sensitivity(inputs: int, weight: float = 1.0) -> float:
    """Return the L2 sensitivity of X^T X and, twice, ``weight`` X^T y: sqrt 2 (p + c^2), for c^2 <=
    p.

    2 p^2 - 2 g^2 + 2 c^2 (2 p + 2 g) with g = u.v and opposite labels is largest at g = c^2. A row
    that goes missing
    changes it by less: sqrt(p^2 + 2 c^2 p).
    """
    return math.sqrt(2) * (inputs + weight**2)


def best_weight(inputs: int) -> float:
    """Return the weight c with the least total variance, from the root of the derivative in c^2."""
    entries = inputs - 1 + inputs * (inputs - 1) / 4
    return math.sqrt(inputs * (math.sqrt(0.25 + 4 * entries) - 0.5) / (4 * entries))


def noise_multipliers(epsilons: np.ndarray, *, delta: float, releases: int = 1) -> np.ndarray:
    """Return the noise multiplier of each of ``releases`` jointly (epsilon, delta)-DP releases
    [dong2022, Cor. 3.3].
    """
    epsilons = check.numbers(low=0, inclusive=False, epsilons=epsilons)
    return np.array([math.sqrt(releases) / gdp.mu_of(float(one), delta=delta) for one in epsilons])


def symmetric(noise: np.ndarray, inputs: int) -> np.ndarray:
    """Return symmetric noise (..., p, p), off-diagonal variance 1/2, from standard draws (..., p (p
    + 1) / 2).
    """
    matrix = mirrored(noise, inputs) / math.sqrt(2)
    places = np.arange(inputs)
    matrix[..., places, places] *= math.sqrt(2)
    return matrix


@dataclass(frozen=True, kw_only=True)
class GaussianStatistics(Unit):
    """One joint Gaussian release of X^T X and X^T y, calibrated exactly, then a repair."""

    delta: float = 1e-6
    repair: str = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, delta=self.delta)
        check.choice(REPAIRS, repair=self.repair)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard normal noise: the upper triangle, then X^T y."""
        return rng.standard_normal(inputs * (inputs + 1) // 2 + inputs)

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        p = statistics.inputs
        noise, epsilons = standard(noise, epsilons, width=p * (p + 1) // 2 + p)
        weight = best_weight(p)
        sd = (
            self.rows_each
            * joint_sensitivity(p, weight)
            * noise_multipliers(epsilons, delta=self.delta)
        )
        triangle = np.array(noise[:, :-p])
        triangle[:, 0] *= self.gaps  # without gaps n is public
        gram = statistics.gram + symmetric(triangle, p) * sd[:, None, None, None]
        moment = statistics.moment + noise[:, -p:] * (sd / (math.sqrt(2) * weight))[:, None, None]
        weights = repaired(gram, moment, repair=self.repair, noise_sd=sd[:, None] / math.sqrt(2))
        return Fit(weights, gram, moment)

    def event(self, epsilon: float) -> Event:
        return GaussianRelease(
            noise_multiplier=float(noise_multipliers(np.array([epsilon]), delta=self.delta)[0])
        )

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        return accountants.account(
            self.event(epsilon), delta=self.delta, adjacency=Adjacency.REPLACE_ONE
        )
