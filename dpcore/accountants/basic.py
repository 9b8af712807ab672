"""Basic composition: T releases that are (epsilon_t, delta_t)-DP are (sum epsilon_t, sum
delta_t)-DP together.

The module also computes the cost of a single release, from which advanced composition starts.
"""

import math

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


def epsilons(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the epsilon of ``event`` composed ``counts`` times by basic composition [dwork2014,
    Theorem 3.16].

    The delta left by approximate releases is shared equally among the Gaussian ones. With ``delta``
    0 only pure releases have a finite epsilon.
    """
    check.between(0, 1, delta=delta)
    found = proved(event, adjacency, accountant="basic composition")
    fixed, shares = total_failures(found)
    left = delta - np.asarray(counts, dtype=float) * fixed
    slack = left / (counts * shares) if shares else np.ones_like(left)
    return np.where(
        left >= 0,
        counts * sum(n * price(release, slack=slack) for release, n in found.items()),
        math.inf,
    )


def proved(event: Event, adjacency: Adjacency, *, accountant: str) -> dict[Release, int]:
    """Return the releases in ``event``; raise UnsupportedEventError for samples under replace-one.

    Amplification by Poisson sampling is proved for add/remove adjacency.
    """
    found = releases(event)
    for release in found:
        if isinstance(release, PoissonSampled) and adjacency is not Adjacency.ADD_REMOVE:
            raise UnsupportedEventError(
                f"{accountant} has no proof under {adjacency} for {release!r}"
            )
        if isinstance(release, BestOf):
            proved(release.event, adjacency, accountant=accountant)
    return found


def price(release: Release, *, slack: np.ndarray) -> np.ndarray:
    """Return the epsilon of one release if each Gaussian release in it may fail with probability
    ``slack``.

    A sample of rate q: epsilon' = ln(1 + q (e^epsilon - 1)), delta' = q delta [li2012, Theorem 1].
    """
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return textbook_epsilon(multiplier, slack)
        case LaplaceRelease(noise_multiplier=multiplier):
            return np.full_like(slack, 1 / multiplier)
        case PureRelease(epsilon=epsilon) | ApproximateRelease(epsilon=epsilon):
            return np.full_like(slack, epsilon)
        case PoissonSampled(rate=rate, event=inner):
            return amplified(rate, _together(inner, slack))
        case BestOf(event=inner, law=law) if not any(total_failures(releases(inner))):
            # (2 + eta) epsilon, whatever the mean; infinite for Poisson [papernot2022, Theorem 2,
            # infinite orders]
            return (2 + LAWS[law]) * _together(inner, slack)
        case _:
            raise UnsupportedEventError(f"basic composition has no price for {release!r}")


def _together(event: Event, slack: np.ndarray) -> np.ndarray:
    """Return the sum of the prices of all releases in ``event``."""
    return sum(
        (n * price(one, slack=slack) for one, n in releases(event).items()), np.zeros_like(slack)
    )


def amplified(rate: float, epsilon: np.ndarray) -> np.ndarray:
    """Return ln(1 + q (e^epsilon - 1)) without overflow."""
    small = np.log1p(rate * np.expm1(np.minimum(epsilon, 1)))
    return np.where(epsilon < 1, small, epsilon + np.log(rate + (1 - rate) * np.exp(-epsilon)))


def failures(release: Release) -> tuple[float, float]:
    """Return (a, b) such that ``release`` fails with probability a + b slack; see ``price``."""
    match release:
        case GaussianRelease():
            return 0.0, 1.0
        case ApproximateRelease(delta=delta):
            return delta, 0.0
        case PoissonSampled(rate=rate, event=inner):
            fixed, shares = total_failures(releases(inner))
            return rate * fixed, rate * shares
        case BestOf(event=inner):
            return total_failures(releases(inner))
        case _:
            return 0.0, 0.0


def total_failures(found: dict[Release, int]) -> tuple[float, float]:
    """Return the sums of ``failures`` over the releases in ``found``, each times its count."""
    fixed, shares = zip(
        *((n * a, n * b) for (a, b), n in ((failures(r), n) for r, n in found.items())), strict=True
    )
    return math.fsum(fixed), math.fsum(shares)


def textbook_epsilon(multiplier: float, delta: np.ndarray) -> np.ndarray:
    """Return the epsilon of one Gaussian release, sqrt(2 ln(1.25/delta)) / sigma [dwork2014,
    Theorem A.1], made valid.

    The theorem's proof covers epsilon < 1. In general delta(epsilon) <= Phi(mu/2 - epsilon/mu), mu
    = 1/sigma, so the larger of this value and mu^2/2 - mu Phi^-1(delta) always holds. The textbook
    value is kept where it is larger, because the literature composes it; exact accounting gives
    less. A delta above 1 counts as 1.
    """
    if multiplier == 0:
        return np.full_like(delta, math.inf)
    mu, delta = 1 / multiplier, np.minimum(delta, 1.0)
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        return np.maximum(mu * np.sqrt(2 * np.log(1.25 / delta)), mu * mu / 2 - mu * ndtri(delta))
