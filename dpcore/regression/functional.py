"""Linear regression by the functional mechanism, as published and calibrated exactly.

The functional mechanism adds noise to a quadratic objective [zhang2012]; this follows the report
[jiang2018, Section 4]. Inputs x = (1, features) have p = d + 1 coordinates in [-1, 1], labels lie
in [-1, 1], and one row is replaced; n is public.

Exact sensitivities, all in the L1 norm. With a = |u - v| and b = |u + v| per coordinate, a + b <= 2
and u u^T - v v^T = ((u - v)(u + v)^T + (u + v)(u - v)^T) / 2, so the p^2 entries of X^T X change by
at most sum(a) sum(b) <= p^2 in total, half of the published 2 p^2. Each bound below is the maximum
of such a product, attained by rows that the tests name. Under add/remove the quadratic part's is
p^2 too, the linear part's is halved to 2p, and n is not public.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore import check
from dpcore.privacy import Adjacency, Event, Guarantee, LaplaceRelease, Sequence
from dpcore.regression.least_squares import (
    RIDGE_SDS,
    Fit,
    Statistics,
    Unit,
    repaired,
    stationary,
    symmetric_matrices,
    triangle_size,
    validated,
)

# The search for the best share ends this near to it, within these bounds.
_SHARES = (0.01, 0.99)
_SHARE_TOLERANCE = 1e-9


def linear_sensitivity(inputs: int) -> float:
    """Return the sensitivity of -2 X^T y, exactly 4p, as published; that of X^T y is half of it."""
    return 4.0 * inputs


def triangle_sensitivity(inputs: int) -> float:
    """Return the sensitivity of the upper triangle of X^T X with its diagonal.

    It is exactly d (d + 2)^2 / (2 (d + 1)) for d features.

    Args:
        inputs: p = d + 1.
    """
    d = inputs - 1
    return d * (d + 2) ** 2 / (2 * (d + 1))


def joint_triangle_sensitivity(inputs: int, weight: float = 1.0) -> float:
    """Return the sensitivity of the upper triangle and c X^T y jointly.

    It is d (d + 2 - c)^2 / (2 (d + 1)) + 2c (d + 1) for a weight c <= d + 2, which is
    (d + 1)(d + 4) / 2 for c = 1. The maximum has the label change from 1 to -1 and each feature
    from 1 to s = 1 - (d + 2 - c) / (d + 1).

    Args:
        inputs: p = d + 1.
        weight: c.
    """
    d = inputs - 1
    of_triangle = d * max(d + 2 - weight, 0) ** 2 / (2 * (d + 1))
    of_moment = 2 * weight * (d + 1)
    return of_triangle + of_moment


def missing_triangle_sensitivity(inputs: int, weight: float = 1.0) -> float:
    """Return the sensitivity of the upper triangle and c X^T y to a row that is added or removed.

    It is the L1 norm for inputs and labels in [-1, 1]: exactly p (p + 1) / 2 + c p, which a row of
    ones attains.

    Args:
        inputs: p.
        weight: c.
    """
    return inputs * (inputs + 1) / 2 + weight * inputs


def published_epsilon(epsilon: float, *, share: float) -> float:
    """Return the true epsilon of the published noise, Lap(2 p^2 / e1) and Lap(4p / e2).

    It is the maximum of the sum of both changes over their scales, for any p:
    (e1 + e2) / 2 + e2^2 / (8 e1) for e2 <= 2 e1, and e2 otherwise.

    Args:
        epsilon: The claimed one, e1 + e2.
        share: e1 over epsilon.
    """
    check.positive(epsilon=epsilon)
    check.between(0, 1, inclusive=False, share=share)
    first = share * epsilon
    second = (1 - share) * epsilon
    if second > 2 * first:
        return second
    return (first + second) / 2 + second**2 / (8 * first)


def published_best_share(inputs: int) -> float:
    """Return the share e1 / (e1 + e2) that minimises the total variance of the published noise.

    A release of n entries with sensitivity D has the total variance 2 n D^2 / e^2. The sum of two
    is least if each e is in proportion to the cube root of its n D^2.
    """
    quadratic = inputs**2 * (2 * inputs**2) ** 2
    linear = inputs * linear_sensitivity(inputs) ** 2
    first = quadratic ** (1 / 3)
    second = linear ** (1 / 3)
    return first / (first + second)


def moment_weight(share: float, inputs: int) -> float:
    """Return the weight c of X^T y in a joint release of the upper triangle and c X^T y.

    Noise of one scale b is added to both, so X^T y has noise of scale b / c. The ratio of the two
    scales is that of separate releases which spend ``share`` epsilon on the triangle, and the rest
    on X^T y.

    Args:
        share: Of the triangle, between 0 and 1.
        inputs: p.
    """
    triangle_scale = triangle_sensitivity(inputs) / share
    return triangle_scale * (1 - share) / (2 * inputs)


@lru_cache(maxsize=256)
def best_share(inputs: int) -> float:
    """Return the share that minimises the total variance over the entries of one joint release."""
    entries = inputs * (inputs + 1) / 2 - 1

    def log_variance(share: float) -> float:
        weight = moment_weight(share, inputs)
        sensitivity = joint_triangle_sensitivity(inputs, weight)
        return math.log(sensitivity**2 * (entries + inputs / weight**2))

    result = minimize_scalar(
        log_variance, bounds=_SHARES, method="bounded", options={"xatol": _SHARE_TOLERANCE}
    )
    return float(result.x)


@dataclass(frozen=True, kw_only=True)
class Published(Unit):
    """The published mechanism, Lap(2 p^2 / e1) on X^T X and Lap(4p / e2) on -2 X^T y.

    Guarantee: L1 sensitivity `rows_each`; noise `laplace(scale=sensitivity / part_epsilon)` per
    entry; event `Sequence(events=(LaplaceRelease(noise_multiplier=1 / (share * epsilon)),
    LaplaceRelease(noise_multiplier=1 / ((1 - share) * epsilon))))`; adjacency replace-one.

    Both parts are in units of their published sensitivity to one row, 2 p^2 and 4p, and have the
    epsilons e1 = share epsilon and e2 = (1 - share) epsilon. The guarantee holds with slack,
    because both sensitivities cannot be reached together and the first is twice the exact one.

    The noisy quadratic may have no minimum. The solution is then its stationary point, a saddle.

    Attributes:
        share: e1 over epsilon.

    >>> mechanism = Published(share=0.5)
    >>> mechanism.event(1.0)
    Sequence(events=(LaplaceRelease(noise_multiplier=2.0), LaplaceRelease(noise_multiplier=2.0)))
    """

    share: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, share=self.share)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard Laplace noise (p^2 + p,), for the whole matrix and the linear part."""
        return rng.laplace(size=inputs**2 + inputs)

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Fit with each row of ``noise`` (R, p^2 + p), as ``draws`` returns, at each epsilon."""
        p = statistics.inputs
        noise, epsilons = validated(noise, epsilons, width=p**2 + p)
        first = self.share * epsilons / self.rows_each
        second = (1 - self.share) * epsilons / self.rows_each
        gram_scale = (2 * p**2 / first)[:, None, None, None]
        linear_scale = (linear_sensitivity(p) / second)[:, None, None]
        gram_noise = noise[:, : p * p].reshape(-1, p, p) * gram_scale
        linear_noise = noise[:, p * p :] * linear_scale
        # w^T A w depends only on the symmetric part of A.
        transposed_noise = np.swapaxes(gram_noise, -1, -2)
        gram = statistics.gram + (gram_noise + transposed_noise) / 2
        moment = statistics.moment - linear_noise / 2
        return Fit(stationary(gram, moment), gram, moment)

    def event(self, epsilon: float) -> Event:
        """Return the event of both releases."""
        first = self.share * check.positive(epsilon=epsilon)
        second = (1 - self.share) * epsilon
        gram_release = LaplaceRelease(noise_multiplier=1 / first)
        linear_release = LaplaceRelease(noise_multiplier=1 / second)
        return Sequence(events=(gram_release, linear_release))

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """Return the claimed guarantee, which holds; ``published_epsilon`` gives the true epsilon.

        It depends neither on ``inputs`` nor on ``rows``, which all mechanisms are given.
        """
        return pure_guarantee(
            epsilon,
            self.event(epsilon),
            basis="basic composition of two Laplace releases, as published",
        )


@dataclass(frozen=True, kw_only=True)
class Functional(Unit):
    """One joint Laplace release of the upper triangle of X^T X and of X^T y, then a repair.

    Guarantee: L1 sensitivity `l1_sensitivity(inputs)`; noise `laplace(scale=sensitivity / epsilon)`
    per entry; event `LaplaceRelease(noise_multiplier=1 / epsilon)`; adjacency replace-one.

    Entries are those of the triangle, and those of X^T y times ``moment_weight(share, inputs)``.
    The corner of the triangle is n, and gets no noise where n is public. The two entries of a
    symmetric pair share one draw.

    Attributes:
        share: Splits the noise as in ``Published``. The exact joint sensitivity then makes both
            parts smaller.

    >>> mechanism = Functional(share=0.8)
    >>> round(mechanism.l1_sensitivity(inputs=3), 3)
    6.091
    >>> mechanism.event(0.5)
    LaplaceRelease(noise_multiplier=2.0)
    """

    share: float = 0.8

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, share=self.share)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard Laplace noise (p (p + 1) / 2 + p,), for the triangle and X^T y.

        The first draw, for the corner, is used only if rows may be missing.
        """
        return rng.laplace(size=triangle_size(inputs) + inputs)

    def l1_sensitivity(self, inputs: int) -> float:
        """Return the joint sensitivity of the triangle and the weighted X^T y to one person."""
        weight = moment_weight(self.share, inputs)
        sensitivity = joint_triangle_sensitivity(inputs, weight)
        if self.gaps:
            sensitivity = max(sensitivity, missing_triangle_sensitivity(inputs, weight))
        return self.rows_each * sensitivity

    def scales(self, inputs: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the Laplace scales for an entry of the triangle and for one of X^T y."""
        scale = self.l1_sensitivity(inputs) / epsilon
        return scale, scale / moment_weight(self.share, inputs)

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Fit with each row of ``noise``, as ``draws`` returns, at each epsilon."""
        p = statistics.inputs
        noise, epsilons = validated(noise, epsilons, width=triangle_size(p) + p)
        gram_scale, moment_scale = self.scales(p, epsilons)
        triangles = np.array(noise[:, :-p])
        if not self.gaps:
            # The entry of the constant with itself is the public number of rows.
            triangles[:, 0] = 0
        gram_noise = symmetric_matrices(triangles, p) * gram_scale[:, None, None, None]
        moment_noise = noise[:, -p:] * moment_scale[:, None, None]
        gram = statistics.gram + gram_noise
        moment = statistics.moment + moment_noise
        # Of Laplace noise; the ridge is a multiple of it.
        sd = math.sqrt(2) * gram_scale[:, None]
        weights = repaired(gram, moment, ridge=RIDGE_SDS * sd)
        return Fit(weights, gram, moment)

    def event(self, epsilon: float) -> Event:
        """Return the event of the joint release."""
        return LaplaceRelease(noise_multiplier=1 / check.positive(epsilon=epsilon))

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """Return the guarantee, which depends neither on ``inputs`` nor on ``rows``."""
        return pure_guarantee(
            epsilon, self.event(epsilon), basis="Laplace mechanism, exact joint sensitivity"
        )


def pure_guarantee(epsilon: float, event: Event, *, basis: str) -> Guarantee:
    """Return an (epsilon, 0) guarantee for one replaced record."""
    return Guarantee(
        epsilon=check.positive(epsilon=epsilon),
        delta=0.0,
        adjacency=Adjacency.REPLACE_ONE,
        unit="record",
        basis=basis,
        event=event,
    )
