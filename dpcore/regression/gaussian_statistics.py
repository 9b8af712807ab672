"""Linear regression from sufficient statistics with Gaussian noise, in one release or in three.

``GaussianStatistics`` releases X^T X and X^T y together. ``AdaSSP`` [wang2018] also releases the
least eigenvalue, on which its ridge penalty depends.

Inputs x = (1, features) have p coordinates in [-1, 1], labels lie in [-1, 1], one row is replaced,
and n is public, so ||x||^2 <= p. A symmetric matrix is released by its upper triangle. Off-diagonal
entries have the noise sd over sqrt 2, so that each counts in the L2 norm like its two matrix
entries, and the Frobenius norm is the sensitivity.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import accountants, check
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency, Event, GaussianRelease, Guarantee, Sequence
from dpcore.regression.least_squares import (
    RIDGE_SDS,
    Fit,
    Statistics,
    Unit,
    repaired,
    symmetric_matrices,
    triangle_size,
    validated,
)


def gram_sensitivity(inputs: int) -> float:
    """Return the sensitivity sqrt 2 p of X^T X in Frobenius norm.

    ||u u^T - v v^T||^2 = |u|^4 + |v|^4 - 2 (u.v)^2 <= 2 p^2.
    """
    return math.sqrt(2) * inputs


def moment_sensitivity(inputs: int) -> float:
    """Return the L2 sensitivity 2 sqrt p of X^T y."""
    return 2 * math.sqrt(inputs)


def eigenvalue_sensitivity(inputs: int) -> float:
    """Return the sensitivity p of the least eigenvalue of X^T X.

    The eigenvalues of u u^T - v v^T lie in [-|v|^2, |u|^2].
    """
    return float(inputs)


def joint_sensitivity(inputs: int, weight: float = 1.0) -> float:
    """Return the L2 sensitivity sqrt 2 (p + c^2) of X^T X together with two copies of c X^T y.

    These are the entries of the symmetric matrix Z^T Z for rows z = (x, c y), without that of y^2.
    It holds for a weight c with c^2 <= p. With g = u.v and opposite labels, the squared change
    2 p^2 - 2 g^2 + 2 c^2 (2 p + 2 g) is largest at g = c^2. A row that goes missing changes the
    statistics by less, sqrt(p^2 + 2 c^2 p).

    Args:
        inputs: p.
        weight: c.
    """
    return math.sqrt(2) * (inputs + weight**2)


def best_weight(inputs: int) -> float:
    """Return the weight c with the least total variance, from the root of the derivative in c^2."""
    entries = inputs - 1 + inputs * (inputs - 1) / 4
    return math.sqrt(inputs * (math.sqrt(0.25 + 4 * entries) - 0.5) / (4 * entries))


def noise_multipliers(epsilons: np.ndarray, *, delta: float, releases: int = 1) -> np.ndarray:
    """Return the noise multiplier of each of several jointly (epsilon, delta)-DP releases.

    The calibration is exact [dong2022, Corollary 3.3].

    Args:
        epsilons: (E,).
        delta: Of the joint guarantee.
        releases: Number of Gaussian releases with equal noise multipliers.
    """
    epsilons = check.numbers(low=0, inclusive=False, epsilons=epsilons)
    multipliers = [
        math.sqrt(releases) / gdp.mu_of(float(epsilon), delta=delta) for epsilon in epsilons
    ]
    return np.array(multipliers)


def symmetric_noise(draws: np.ndarray, inputs: int) -> np.ndarray:
    """Return symmetric noise (..., p, p) with variance 1 on the diagonal and 1/2 elsewhere.

    Args:
        draws: Standard normal draws for the upper triangles, (..., p (p + 1) / 2).
        inputs: p.
    """
    matrices = symmetric_matrices(draws, inputs) / math.sqrt(2)
    diagonal = np.arange(inputs)
    matrices[..., diagonal, diagonal] *= math.sqrt(2)
    return matrices


@dataclass(frozen=True, kw_only=True)
class GaussianStatistics(Unit):
    """One joint Gaussian release of X^T X and X^T y, calibrated exactly, then a repair.

    Guarantee: L2 sensitivity `rows_each * joint_sensitivity(inputs, best_weight(inputs))`; noise
    `norm(scale=sensitivity / mu)` per entry; event `GaussianRelease(noise_multiplier=1 / mu)`;
    adjacency replace-one.

    Entries are those of the diagonal of X^T X, those above it times sqrt 2, and those of X^T y
    times sqrt 2 ``best_weight(inputs)``. The corner of X^T X is n, and gets no noise where n is
    public. mu is that of Gaussian differential privacy at (epsilon, delta) [dong2022].

    Attributes:
        delta: Of the guarantee.

    >>> mechanism = GaussianStatistics(delta=1e-6)
    >>> round(mechanism.event(1.0).noise_multiplier, 3)
    4.225
    """

    delta: float = 1e-6

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, delta=self.delta)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard normal noise (p (p + 1) / 2 + p,), for the upper triangle and X^T y."""
        return rng.standard_normal(triangle_size(inputs) + inputs)

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Fit with each row of ``noise``, as ``draws`` returns, at each epsilon."""
        p = statistics.inputs
        noise, epsilons = validated(noise, epsilons, width=triangle_size(p) + p)
        weight = best_weight(p)
        sensitivity = self.rows_each * joint_sensitivity(p, weight)
        sd = sensitivity * noise_multipliers(epsilons, delta=self.delta)
        moment_sd = sd / (math.sqrt(2) * weight)
        triangles = np.array(noise[:, :-p])
        if not self.gaps:
            triangles[:, 0] = 0
        gram_noise = symmetric_noise(triangles, p) * sd[:, None, None, None]
        moment_noise = noise[:, -p:] * moment_sd[:, None, None]
        gram = statistics.gram + gram_noise
        moment = statistics.moment + moment_noise
        ridge = RIDGE_SDS * (sd[:, None] / math.sqrt(2))
        weights = repaired(gram, moment, ridge=ridge)
        return Fit(weights, gram, moment)

    def event(self, epsilon: float) -> Event:
        """Return the event of the joint release."""
        multipliers = noise_multipliers(np.array([epsilon]), delta=self.delta)
        return GaussianRelease(noise_multiplier=float(multipliers[0]))

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """Return the guarantee, which depends neither on ``inputs`` nor on ``rows``."""
        return accountants.account(
            self.event(epsilon), delta=self.delta, adjacency=Adjacency.REPLACE_ONE
        )


@dataclass(frozen=True, kw_only=True)
class AdaSSP(Unit):
    """Adaptive sufficient statistics perturbation [wang2018, Algorithm 2].

    Guarantee: L2 sensitivity `rows_each`; noise `norm(scale=sensitivity * sqrt(3) / mu)` per entry;
    event `Sequence(events=(GaussianRelease(noise_multiplier=sqrt(3) / mu),) * 3)`; adjacency
    replace-one.

    The three Gaussian releases are the least eigenvalue of X^T X, X^T X and X^T y, each in units of
    its sensitivity to one row. Entries of X^T X are those of the diagonal, and those above it times
    sqrt 2. The published constants, noise sqrt(ln(6/delta)) Delta over epsilon / 3 in each, are
    replaced by exact joint calibration, mu / sqrt 3 in each [dong2022].

    The ridge penalty is larger where the least eigenvalue is less certain. With sd the noise of
    each release,

        l = max(least + sd_l Z - sd_l sqrt(ln(6/delta)), 0),
        ridge = max(0, sd_G sqrt(p ln(2 p^2 / rho)) - l).

    Attributes:
        delta: Of the guarantee.
        rho: Probability that the ridge may be smaller than the noise requires.

    >>> mechanism = AdaSSP(delta=1e-6)
    >>> len(mechanism.event(1.0).events)
    3
    """

    delta: float = 1e-6
    rho: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, delta=self.delta)
        check.between(0, 1, inclusive=False, rho=self.rho)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard normal noise (p (p + 1) / 2 + p + 1,).

        It is for the upper triangle, then X^T y, then the least eigenvalue.
        """
        return rng.standard_normal(triangle_size(inputs) + inputs + 1)

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Fit with each row of ``noise``, as ``draws`` returns, at each epsilon."""
        p = statistics.inputs
        noise, epsilons = validated(noise, epsilons, width=triangle_size(p) + p + 1)
        triangles = noise[:, : -p - 1]
        moment_draws = noise[:, -p - 1 : -1]
        eigenvalue_draws = noise[:, -1]
        multipliers = noise_multipliers(epsilons, delta=self.delta, releases=3)
        person_multipliers = self.rows_each * multipliers[:, None]
        gram_sd = gram_sensitivity(p) * person_multipliers
        moment_sd = moment_sensitivity(p) * person_multipliers
        eigenvalue_sd = eigenvalue_sensitivity(p) * person_multipliers

        gram = statistics.gram + symmetric_noise(triangles, p) * gram_sd[..., None, None]
        moment = statistics.moment + moment_draws * moment_sd[..., None]
        least = self._least_eigenvalue(statistics, eigenvalue_draws, eigenvalue_sd)
        needed = gram_sd * math.sqrt(p * math.log(2 * p**2 / self.rho))
        penalty = np.maximum(needed - least, 0)
        # The ridge nearly always makes the noisy matrix positive definite. If it does not, its
        # negative directions are dropped.
        gram_with_ridge = gram + penalty[..., None, None] * np.eye(p)
        weights = repaired(gram_with_ridge, moment, ridge=np.zeros(1))
        return Fit(weights, gram, moment)

    def _least_eigenvalue(
        self, statistics: Statistics, draws: np.ndarray, sd: np.ndarray
    ) -> np.ndarray:
        """Return a noisy lower bound (E, R) on the least eigenvalue, at least 0.

        Args:
            statistics: Without noise.
            draws: Standard normal draws, (R,).
            sd: Standard deviation of the noise, (E, 1).
        """
        least = np.linalg.eigvalsh(statistics.gram)[0]
        quantile = math.sqrt(math.log(6 / self.delta))
        return np.maximum(least + sd * (draws - quantile), 0)

    def event(self, epsilon: float) -> Event:
        """Return the event of the three releases."""
        multipliers = noise_multipliers(np.array([epsilon]), delta=self.delta, releases=3)
        release = GaussianRelease(noise_multiplier=float(multipliers[0]))
        return Sequence(events=(release, release, release))

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """Return the guarantee, which depends neither on ``inputs`` nor on ``rows``."""
        return accountants.account(
            self.event(epsilon), delta=self.delta, adjacency=Adjacency.REPLACE_ONE
        )
