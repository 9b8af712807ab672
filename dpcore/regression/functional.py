"""Linear regression by noise on the quadratic that it minimises: as a student report published it, and sharp.

Follows the report [jiang2018, Section 4]; to perturb the objective is the functional mechanism of [zhang2012]. Inputs
x = (1, features) have p = d + 1 coordinates in [-1, 1], labels lie in [-1, 1], and one row is replaced; n is public.

Exact sensitivities, all in the L1 norm. With a = |u - v| and b = |u + v| coordinate by coordinate, a + b <= 2 and
u u^T - v v^T = ((u - v)(u + v)^T + (u + v)(u - v)^T) / 2, so the p^2 entries of X^T X change by at most
sum(a) sum(b) <= p^2 in all, half of the published 2 p^2; and each bound below is the largest value of such a product,
attained by rows that the tests name.

Under add/remove the quadratic's figure is p^2 too, the linear one's half of that here, 2p, and n is no longer public.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize_scalar

from dpcore import check
from dpcore.privacy import Adjacency, Event, Guarantee, LaplaceRelease, Sequence
from dpcore.regression.least_squares import REPAIRS, Statistics, Unit, mirrored, repaired, standard, stationary


class Fit(NamedTuple):
    """weights (E, R, p) at E epsilons and R repeats; gram (E, R, p, p) and moment (E, R, p) where they are released."""

    weights: np.ndarray
    gram: np.ndarray | None = None
    moment: np.ndarray | None = None


def linear_sensitivity(inputs: int) -> float:
    """Of -2 X^T y: exactly 4p, as published; of X^T y half of it."""
    return 4.0 * inputs


def joint_sensitivity(inputs: int) -> float:
    """Of X^T X and -2 X^T y together: exactly (p + 1)^2, less than the sum of both."""
    return float((inputs + 1) ** 2)


def triangle_sensitivity(inputs: int) -> float:
    """Of the upper triangle of X^T X with its diagonal: exactly d (d + 2)^2 / (2 (d + 1))."""
    d = inputs - 1
    return d * (d + 2) ** 2 / (2 * (d + 1))


def joint_triangle_sensitivity(inputs: int, weight: float = 1.0) -> float:
    """Of the upper triangle and ``weight`` X^T y together: d (d + 2 - c)^2 / (2 (d + 1)) + 2c (d + 1) for c <= d + 2.

    (d + 1)(d + 4) / 2 for c = 1. The largest value has the label turn from 1 to -1 and each feature from 1 to s, with
    s = 1 - (d + 2 - c) / (d + 1).
    """
    d = inputs - 1
    return d * max(d + 2 - weight, 0) ** 2 / (2 * (d + 1)) + 2 * weight * (d + 1)


def missing_triangle_sensitivity(inputs: int, weight: float = 1.0) -> float:
    """The same where a row is there or missing: exactly p (p + 1) / 2 + c p, by a row of ones."""
    return inputs * (inputs + 1) / 2 + weight * inputs


def published_epsilon(epsilon: float, *, share: float) -> float:
    """What the published noise, Lap(2 p^2 / e1) and Lap(4p / e2), really gives: (e1 + e2) / 2 + e2^2 / (8 e1).

    The largest sum of both changes, each over its scale, for e2 <= 2 e1; e2 beyond. Whatever p is.
    """
    check.positive(epsilon=epsilon)
    first, second = check.between(0, 1, inclusive=False, share=share) * epsilon, (1 - share) * epsilon
    if second > 2 * first:
        return second
    return (first + second) / 2 + second**2 / (8 * first)


def published_best_share(inputs: int) -> float:
    """e1 / (e1 + e2) of least total variance for the published noise: e_i in proportion to (m_i Delta_i^2)^(1/3)."""
    first = (inputs**2 * (2 * inputs**2) ** 2) ** (1 / 3)
    second = (inputs * linear_sensitivity(inputs) ** 2) ** (1 / 3)
    return first / (first + second)


def weight_of(share: float, inputs: int) -> float:
    """The weight c of X^T y in one joint release whose noise is split as e1 : e2 = share : 1 - share would split it."""
    return triangle_sensitivity(inputs) / share * (1 - share) / (2 * inputs)


@lru_cache(maxsize=256)
def best_share(inputs: int) -> float:
    """The share of least total variance over the released entries, for one joint release."""
    entries = inputs * (inputs + 1) / 2 - 1

    def variance(share: float) -> float:
        weight = weight_of(share, inputs)
        return math.log(joint_triangle_sensitivity(inputs, weight) ** 2 * (entries + inputs / weight**2))

    return float(minimize_scalar(variance, bounds=(0.01, 0.99), method="bounded", options={"xatol": 1e-9}).x)


@dataclass(frozen=True, kw_only=True)
class Published(Unit):
    """As the report prints it: Lap(2 p^2 / e1) on each of the p^2 entries, Lap(4p / e2) on -2 X^T y, and -b / 2a.

    e1 = share * epsilon. The noisy quadratic may have no minimum; its stationary point, then a saddle, is the answer
    all the same. The guarantee holds, and better than claimed: both sensitivities cannot be reached at once, and the
    first is twice what it need be.
    """

    share: float = 0.9

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, share=self.share)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Standard Laplace noise, (p^2 + p,): the whole matrix, then the linear part."""
        return rng.laplace(size=inputs**2 + inputs)

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Of draws (R, p^2 + p) at each of ``epsilons`` (E,)."""
        p = statistics.inputs
        noise, epsilons = standard(noise, epsilons, width=p**2 + p)
        first, second = (part * epsilons / self.rows_each for part in (self.share, 1 - self.share))
        on_gram = noise[:, : p * p].reshape(-1, p, p) * (2 * p**2 / first)[:, None, None, None]
        on_linear = noise[:, p * p :] * (linear_sensitivity(p) / second)[:, None, None]
        # w^T A w knows the symmetric part of A alone.
        gram = statistics.gram + (on_gram + np.swapaxes(on_gram, -1, -2)) / 2
        moment = statistics.moment - on_linear / 2
        return Fit(stationary(gram, moment), gram, moment)

    def event(self, epsilon: float) -> Event:
        first, second = self.share * check.positive(epsilon=epsilon), (1 - self.share) * epsilon
        return Sequence(
            events=(LaplaceRelease(noise_multiplier=1 / first), LaplaceRelease(noise_multiplier=1 / second))
        )

    def guarantee(self, epsilon: float, *, inputs: int, rows: int) -> Guarantee:
        """What is claimed, and holds; ``published_epsilon`` says what the noise really gives."""
        return pure(epsilon, self.event(epsilon), basis="basic composition of two Laplace releases, as published")


@dataclass(frozen=True, kw_only=True)
class Functional(Unit):
    """One Laplace release of the upper triangle and X^T y, then a repair. Without the constant's n where it is public.

    Each pair of symmetric entries shares one draw. ``share`` says how the noise is split, as in ``Published``; the
    exact joint sensitivity then makes both parts smaller.
    """

    share: float = 0.8
    repair: str = "both"

    def __post_init__(self) -> None:
        super().__post_init__()
        check.between(0, 1, inclusive=False, share=self.share)
        check.choice(REPAIRS, repair=self.repair)

    def draws(self, inputs: int, rng: np.random.Generator) -> np.ndarray:
        """Standard Laplace noise, (p (p + 1) / 2 + p,): the triangle, then X^T y; the first, for n, only with gaps."""
        return rng.laplace(size=inputs * (inputs + 1) // 2 + inputs)

    def scales(self, inputs: int, epsilon: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Laplace scales on an entry of the triangle and on one of X^T y."""
        weight = weight_of(self.share, inputs)
        sensitivity = joint_triangle_sensitivity(inputs, weight)
        if self.gaps:
            sensitivity = max(sensitivity, missing_triangle_sensitivity(inputs, weight))
        scale = self.rows_each * sensitivity / epsilon
        return scale, scale / weight

    def fit(self, statistics: Statistics, noise: np.ndarray, epsilons: np.ndarray) -> Fit:
        """Of draws (R, p (p + 1) / 2 + p) at each of ``epsilons`` (E,)."""
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
        return pure(epsilon, self.event(epsilon), basis="Laplace mechanism, exact joint sensitivity")


def pure(epsilon: float, event: Event, *, basis: str) -> Guarantee:
    """An (epsilon, 0) guarantee for one replaced record."""
    return Guarantee(
        epsilon=check.positive(epsilon=epsilon),
        delta=0.0,
        adjacency=Adjacency.REPLACE_ONE,
        unit="record",
        basis=basis,
        event=event,
    )
