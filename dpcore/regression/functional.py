"""Linear regression by the functional mechanism (a noisy quadratic objective), as published and
calibrated exactly.

Follows the report [jiang2018, Section 4]; the functional mechanism is from [zhang2012]. Inputs x =
(1, features) have p = d + 1 coordinates in [-1, 1], labels lie in [-1, 1], and one row is replaced;
n is public.

Exact sensitivities, all in the L1 norm. With a = |u - v| and b = |u + v| per coordinate, a + b <= 2
and u u^T - v v^T = ((u - v)(u + v)^T + (u + v)(u - v)^T) / 2, so the p^2 entries of X^T X change by
at most sum(a) sum(b) <= p^2 in total, half of the published 2 p^2. Each bound below is the maximum
of such a product, attained by rows that the tests name. Under add/remove the quadratic part's is
p^2 too, the linear part's is halved to 2p, and n is not public.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore import check
from dpcore.privacy import Adjacency, Event, Guarantee, LaplaceRelease, Sequence
from dpcore.regression.least_squares import (
    REPAIRS,
    Statistics,
    Unit,
    mirrored,
    repaired,
    standard,
    stationary,
)


class Fit(NamedTuple):
    """weights (E, R, p) at E epsilons and R repeats; gram (E, R, p, p) and moment (E, R, p) if they
    are released.
    """

    weights: np.ndarray
    gram: np.ndarray | None = None
    moment: np.ndarray | None = None


def linear_sensitivity(inputs: int) -> float:
    """Return the sensitivity of -2 X^T y, exactly 4p, as published; that of X^T y is half of it."""
    return 4.0 * inputs


def joint_sensitivity(inputs: int) -> float:
    """Return the sensitivity of X^T X and -2 X^T y jointly, exactly (p + 1)^2, less than the sum of
    both.
    """
    return float((inputs + 1) ** 2)


def triangle_sensitivity(inputs: int) -> float:
    """Return the sensitivity of the upper triangle of X^T X with diagonal, exactly d (d + 2)^2 / (2
    (d + 1)).
    """
    d = inputs - 1
    return d * (d + 2) ** 2 / (2 * (d + 1))


def joint_triangle_sensitivity(inputs: int, weight: float = 1.0) -> float:
    """Return the sensitivity of the upper triangle and ``weight`` X^T y jointly.

    d (d + 2 - c)^2 / (2 (d + 1)) + 2c (d + 1) for c <= d + 2, which is (d + 1)(d + 4) / 2 for c =
    1. The maximum has the label change from 1 to -1 and each feature from 1 to s = 1 - (d + 2 - c)
    / (d + 1).
    """
    d = inputs - 1
    return d * max(d + 2 - weight, 0) ** 2 / (2 * (d + 1)) + 2 * weight * (d + 1)


def missing_triangle_sensitivity(inputs: int, weight: float = 1.0) -> float:
    """Return the same sensitivity for a present or missing row, exactly p (p + 1) / 2 + c p,
    attained by ones.
    """
    return inputs * (inputs + 1) / 2 + weight * inputs


def published_epsilon(epsilon: float, *, share: float) -> float:
    """Return the true epsilon of the published noise, Lap(2 p^2 / e1) and Lap(4p / e2): (e1 + e2) /
    2 + e2^2 / (8 e1).

    This is the maximum of the sum of both changes over their scales for e2 <= 2 e1, and e2
    otherwise, for any p.
    """
    check.positive(epsilon=epsilon)
    first, second = (
        check.between(0, 1, inclusive=False, share=share) * epsilon,
        (1 - share) * epsilon,
    )
    if second > 2 * first:
        return second
    return (first + second) / 2 + second**2 / (8 * first)


def published_best_share(inputs: int) -> float:
    """Return the share e1 / (e1 + e2) that minimises the total variance of the published noise."""
    first = (inputs**2 * (2 * inputs**2) ** 2) ** (1 / 3)
    second = (inputs * linear_sensitivity(inputs) ** 2) ** (1 / 3)
    return first / (first + second)


def weight_of(share: float, inputs: int) -> float:
    """Return the weight c of X^T y in a joint release that splits the noise like e1 : e2 = share :
    1 - share.
    """
    return triangle_sensitivity(inputs) / share * (1 - share) / (2 * inputs)


@lru_cache(maxsize=256)
def best_share(inputs: int) -> float:
    """Return the share that minimises the total variance over the entries of one joint release."""
    entries = inputs * (inputs + 1) / 2 - 1

    def variance(share: float) -> float:
        weight = weight_of(share, inputs)
        return math.log(
            joint_triangle_sensitivity(inputs, weight) ** 2 * (entries + inputs / weight**2)
        )

    return float(
        minimize_scalar(variance, bounds=(0.01, 0.99), method="bounded", options={"xatol": 1e-9}).x
    )


@dataclass(frozen=True, kw_only=True)
class Published(Unit):
    """The published mechanism: Lap(2 p^2 / e1) on all p^2 entries, Lap(4p / e2) on -2 X^T y,
    solution -b / 2a.

    e1 = share * epsilon. The noisy quadratic may have no minimum; the solution is then its
    stationary point, a saddle.
    The guarantee holds with slack: both sensitivities cannot be reached together, and the first is
    twice the exact one.
    """

    share: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, share=self.share)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard Laplace noise (p^2 + p,): the whole matrix, then the linear part."""
        return rng.laplace(size=inputs**2 + inputs)

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Fit with draws ``noise`` (R, p^2 + p) at each of ``epsilons`` (E,)."""
        p = statistics.inputs
        noise, epsilons = standard(noise, epsilons, width=p**2 + p)
        first, second = (part * epsilons / self.rows_each for part in (self.share, 1 - self.share))
        on_gram = noise[:, : p * p].reshape(-1, p, p) * (2 * p**2 / first)[:, None, None, None]
        on_linear = noise[:, p * p :] * (linear_sensitivity(p) / second)[:, None, None]
        # w^T A w depends only on the symmetric part of A.
        gram = statistics.gram + (on_gram + np.swapaxes(on_gram, -1, -2)) / 2
        moment = statistics.moment - on_linear / 2
        return Fit(stationary(gram, moment), gram, moment)

    def event(self, epsilon: float) -> Event:
        first, second = self.share * check.positive(epsilon=epsilon), (1 - self.share) * epsilon
        return Sequence(
            events=(
                LaplaceRelease(noise_multiplier=1 / first),
                LaplaceRelease(noise_multiplier=1 / second),
            )
        )

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """Return the claimed guarantee, which holds; ``published_epsilon`` gives the true
        epsilon.
        """
        return pure(
            epsilon,
            self.event(epsilon),
            basis="basic composition of two Laplace releases, as published",
        )


@dataclass(frozen=True, kw_only=True)
class Functional(Unit):
    """One joint Laplace release of the upper triangle (without n if n is public) and X^T y, then a
    repair.

    The two entries of a symmetric pair share one draw. ``share`` splits the noise as in
    ``Published``; the exact joint sensitivity then makes both parts smaller.
    """

    share: float = 0.8
    repair: str = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, share=self.share)
        check.choice(REPAIRS, repair=self.repair)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Return standard Laplace noise (p (p + 1) / 2 + p,): triangle (its first entry for gaps
        only), then X^T y.
        """
        return rng.laplace(size=inputs * (inputs + 1) // 2 + inputs)

    def scales(self, inputs: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the Laplace scales for an entry of the triangle and for one of X^T y."""
        weight = weight_of(self.share, inputs)
        sensitivity = joint_triangle_sensitivity(inputs, weight)
        if self.gaps:
            sensitivity = max(sensitivity, missing_triangle_sensitivity(inputs, weight))
        scale = self.rows_each * sensitivity / epsilon
        return scale, scale / weight

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Fit with draws ``noise`` (R, p (p + 1) / 2 + p) at each of ``epsilons`` (E,)."""
        p = statistics.inputs
        noise, epsilons = standard(noise, epsilons, width=p * (p + 1) // 2 + p)
        on_gram, on_moment = self.scales(p, epsilons)
        triangle = np.array(noise[:, :-p])
        triangle[:, 0] *= self.gaps
        gram = statistics.gram + mirrored(triangle, p) * on_gram[:, None, None, None]
        moment = statistics.moment + noise[:, -p:] * on_moment[:, None, None]
        sd = math.sqrt(2) * on_gram[:, None]
        return Fit(repaired(gram, moment, repair=self.repair, noise_sd=sd), gram, moment)

    def event(self, epsilon: float) -> Event:
        return LaplaceRelease(noise_multiplier=1 / check.positive(epsilon=epsilon))

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        return pure(
            epsilon, self.event(epsilon), basis="Laplace mechanism, exact joint sensitivity"
        )


def pure(epsilon: float, event: Event, *, basis: str) -> Guarantee:
    """Return an (epsilon, 0) guarantee for one replaced record."""
    return Guarantee(
        epsilon=check.positive(epsilon=epsilon),
        delta=0.0,
        adjacency=Adjacency.REPLACE_ONE,
        unit="record",
        basis=basis,
        event=event,
    )
