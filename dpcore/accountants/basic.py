"""Basic composition: T releases that are (epsilon_t, delta_t)-DP are (sum epsilon_t, sum
delta_t)-DP together.

The module also has the price of a single release, its epsilon, from which advanced composition
starts. A Gaussian release is epsilon-DP except with a small probability of failure, here its slack,
which is chosen: less slack has a larger price. An approximate release fails with its delta.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from scipy.special import ndtri

from dpcore import check
from dpcore.privacy import (
    LAWS,
    Adjacency,
    ApproximateRelease,
    BestOf,
    Event,
    GaussianRelease,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    Release,
    UnsupportedEventError,
    releases,
)


class Failure(NamedTuple):
    """The probability with which releases fail to be pure, ``fixed + per_slack * slack``.

    Attributes:
        fixed: The sum of the deltas of approximate releases.
        per_slack: The number of Gaussian releases, each of which fails with a probability ``slack``
            that is chosen later. One in a sample counts as the sampling rate.
    """

    fixed: float
    per_slack: float


def epsilons(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``counts`` times, by basic composition.

    The epsilons add up, and so do the deltas [dwork2014, Theorem 3.16]. The Gaussian releases share
    equally what approximate releases leave of ``delta``. With ``delta`` 0 only pure releases have a
    finite epsilon.

    >>> from dpcore.privacy import LaplaceRelease
    >>> release = LaplaceRelease(noise_multiplier=10.0)  # epsilon 0.1
    >>> epsilons(release, np.array([1, 30]), delta=0, adjacency=Adjacency.REPLACE_ONE).round(3)
    array([0.1, 3. ])
    """
    check.between(0, 1, delta=delta)
    counts_of = proved(event, adjacency, accountant="basic composition")
    failure = total_failures(counts_of)
    remaining_delta = delta - np.asarray(counts, dtype=float) * failure.fixed
    if failure.per_slack == 0:
        slack = np.ones_like(remaining_delta)
    else:
        slack = remaining_delta / (counts * failure.per_slack)
    epsilon = _sum_of_prices(counts_of, slack)
    return np.where(remaining_delta >= 0, counts * epsilon, math.inf)


def proved(event: Event, adjacency: Adjacency, *, accountant: str) -> dict[Release, int]:
    """Return each release in ``event`` with its count, if its amplification by sampling is proved.

    Amplification by Poisson sampling is proved for add/remove adjacency.

    Raises:
        UnsupportedEventError: If ``event`` has a sample under replace-one.
    """
    counts_of = releases(event)
    for release in counts_of:
        if isinstance(release, PoissonSampled) and adjacency is not Adjacency.ADD_REMOVE:
            raise UnsupportedEventError(
                f"{accountant} has no proof under {adjacency} for {release!r}"
            )
        if isinstance(release, BestOf):
            proved(release.event, adjacency, accountant=accountant)
    return counts_of


def price(release: Release, *, slack: np.ndarray) -> np.ndarray:
    """Return the epsilon of one release.

    A sample of rate q has epsilon' = ln(1 + q (e^epsilon - 1)), delta' = q delta [li2012, Theorem
    1].

    Args:
        release: The release.
        slack: Probability with which each Gaussian release in it may fail, an array of any shape.
    """
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return textbook_epsilon(multiplier, slack)
        case LaplaceRelease(noise_multiplier=multiplier):
            return np.full_like(slack, 1 / multiplier)
        case PureRelease(epsilon=epsilon) | ApproximateRelease(epsilon=epsilon):
            return np.full_like(slack, epsilon)
        case PoissonSampled(rate=rate, event=inner):
            return amplified(rate, _sum_of_prices(releases(inner), slack))
        case BestOf(event=inner, law=law) if _is_pure(inner):
            # (2 + eta) epsilon, whatever the mean; infinite for Poisson [papernot2022, Theorem 2,
            # infinite orders]
            epsilon_of_try = _sum_of_prices(releases(inner), slack)
            return (2 + LAWS[law]) * epsilon_of_try
        case _:
            raise UnsupportedEventError(f"basic composition has no price for {release!r}")


def _is_pure(event: Event) -> bool:
    """Return whether all releases of an event are (epsilon, 0)-DP, so that none can fail."""
    failure = total_failures(releases(event))
    return failure.fixed == 0 and failure.per_slack == 0


def _sum_of_prices(counts_of: dict[Release, int], slack: np.ndarray) -> np.ndarray:
    """Return the sum of ``price`` over all releases, each times its count."""
    total = np.zeros_like(slack)
    for release, times in counts_of.items():
        total = total + times * price(release, slack=slack)
    return total


def pure_price(release: Release) -> float:
    """Return the epsilon of a release without Gaussian noise, which needs no slack."""
    (epsilon,) = price(release, slack=np.ones(1))
    return float(epsilon)


def amplified(rate: float, epsilon: np.ndarray) -> np.ndarray:
    """Return the epsilon of a release from a sample, ln(1 + q (e^epsilon - 1)), without overflow.

    q is the sampling ``rate``; the result is 0 for q = 0. An epsilon above 1 becomes epsilon +
    ln(q + (1 - q) e^-epsilon).
    """
    if rate == 0:
        return np.zeros_like(epsilon, dtype=float)
    small = np.log1p(rate * np.expm1(np.minimum(epsilon, 1)))
    above_1 = np.maximum(epsilon, 1)
    share = rate + (1 - rate) * np.exp(-above_1)
    large = above_1 + np.log(share)
    return np.where(epsilon < 1, small, large)


def failure_of(release: Release) -> Failure:
    """Return the probability with which one release is not pure, as a function of ``slack``.

    A sample fails only if the unit is in it, hence ``rate`` times as often as what it releases. The
    best of several tries has the failures of one try.
    """
    match release:
        case GaussianRelease():
            return Failure(fixed=0.0, per_slack=1.0)
        case ApproximateRelease(delta=delta):
            return Failure(fixed=delta, per_slack=0.0)
        case PoissonSampled(rate=rate, event=inner):
            failure = total_failures(releases(inner))
            return Failure(fixed=rate * failure.fixed, per_slack=rate * failure.per_slack)
        case BestOf(event=inner):
            return total_failures(releases(inner))
        case _:
            return Failure(fixed=0.0, per_slack=0.0)


def total_failures(counts_of: Mapping[Release, int]) -> Failure:
    """Return the sums of `failure_of` over all releases, each times its count."""
    fixed = []
    per_slack = []
    for release, times in counts_of.items():
        failure = failure_of(release)
        fixed.append(times * failure.fixed)
        per_slack.append(times * failure.per_slack)
    return Failure(fixed=math.fsum(fixed), per_slack=math.fsum(per_slack))


def textbook_epsilon(multiplier: float, delta: np.ndarray) -> np.ndarray:
    """Return the textbook epsilon of one Gaussian release, made valid for every epsilon.

    It is sqrt(2 ln(1.25/delta)) / sigma [dwork2014, Theorem A.1]. The theorem's proof covers
    epsilon < 1. In general delta(epsilon) <= Phi(mu/2 - epsilon/mu), mu = 1/sigma, so the larger of
    this value and mu^2/2 - mu Phi^-1(delta) always holds. The textbook value is kept where it is
    larger, because the literature composes it; exact accounting gives less. A delta above 1 counts
    as 1.
    """
    if multiplier == 0:
        return np.full_like(delta, math.inf)
    mu = 1 / multiplier
    delta = np.minimum(delta, 1.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        textbook = mu * np.sqrt(2 * np.log(1.25 / delta))
        valid = mu * mu / 2 - mu * ndtri(delta)
    return np.maximum(textbook, valid)
