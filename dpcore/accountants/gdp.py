"""Gaussian differential privacy (GDP): exact for Gaussian releases without sampling.

A release whose noise has standard deviation sigma and whose L2 sensitivity is Delta is mu-GDP with
mu = Delta / sigma. Adaptively chosen releases compose exactly: together they are mu-GDP with mu =
sqrt(sum_t mu_t^2) [dong2022, Theorem 2.7, Corollary 3.3].
"""

import math
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, ndtr

from dpcore import check
from dpcore.privacy import Adjacency, Event, GaussianRelease, UnsupportedEventError, releases

# Every (epsilon, delta) that a page offers has its mu in this range, and every other one of
# ``check.EPSILONS`` has a mu above the second number.
_LOG_MU_RANGE = (math.log(1e-12), math.log(1e8))
_LEAST_LOG_MU = math.log(1e-20)
# Relative reduction of a calibrated mu. The noise made from it, and its composition over many
# steps, then cost no more than the requested epsilon in spite of rounding.
_SAFETY_MARGIN = 1e-12
# Stands for the logarithm of a ratio that underflows to 0, which is about -745 at most.
_LOG_OF_UNDERFLOW = -1e4
# The smallest relative tolerance that brentq accepts.
_RELATIVE_TOLERANCE = 4 * np.finfo(float).eps
# The first step towards a safe epsilon is this share of it, and never 0.
_FIRST_STEP = 1e-15
_LEAST_STEP = 1e-300
_SQRT_2 = math.sqrt(2)


def delta_of(epsilon: float, *, mu: float) -> float:
    """Return the smallest delta at which a mu-GDP mechanism is (epsilon, delta)-DP.

    delta(epsilon) = Phi(a) - e^epsilon Phi(b), a = mu/2 - epsilon/mu, b = -mu/2 - epsilon/mu
    [balle2018, Theorem 8].
    """
    mu = check.positive(mu=mu)
    a = mu / 2 - epsilon / mu
    b = -mu / 2 - epsilon / mu
    # Both terms share the factor phi(a) = e^epsilon phi(b). Taking it out, as erfcx does, avoids
    # overflow and early cancellation.
    scale = math.exp(-a * a / 2) / 2
    if a < 0:
        first_term = scale * erfcx(-a / _SQRT_2)
    else:
        first_term = ndtr(a)
    second_term = scale * erfcx(-b / _SQRT_2)
    return float(max(first_term - second_term, 0.0))


def deltas_of(epsilon: np.ndarray, *, mu: float) -> np.ndarray:
    """Return ``delta_of`` for an array of epsilons, which may be negative.

    Root searches use ``delta_of`` instead, because arrays of one number are slow.
    """
    # As in ``delta_of``, delta = Phi(a) - e^epsilon Phi(b).
    a = mu / 2 - epsilon / mu
    b = a - mu
    # Phi(-x) = e^(-x^2/2) erfcx(x / sqrt 2) / 2 for x > 0. Both terms have the same factor, because
    # b^2 = a^2 + 2 epsilon, hence e^epsilon e^(-b^2/2) = e^(-a^2/2).
    scale = np.exp(-a * a / 2) / 2
    small_first_term = scale * erfcx(np.abs(a) / _SQRT_2)
    first_term = np.where(a < 0, small_first_term, ndtr(a))
    # b > 0 only if epsilon < 0, so the exponential cannot overflow.
    exact_second_term = np.exp(np.minimum(epsilon, 0)) * ndtr(b)
    small_second_term = scale * erfcx(np.abs(b) / _SQRT_2)
    second_term = np.where(b < 0, small_second_term, exact_second_term)
    return np.maximum(first_term - second_term, 0.0)


def mu_of(epsilon: float, *, delta: float) -> float:
    """Return the largest mu whose releases are (epsilon, delta)-DP, rounded to the safe side."""
    epsilon = check.epsilon(epsilon=epsilon)
    delta = check.delta(delta=delta)
    # The cache is behind the checks, because a cache key does not distinguish True from 1.
    return _mu_of(epsilon, delta)


@lru_cache(maxsize=1024)
def _mu_of(epsilon: float, delta: float) -> float:
    """Return the largest mu with delta(epsilon) <= ``delta``, on the safe side."""

    def excess(log_mu: float) -> float:
        """Return log(delta(epsilon) / delta), or a large negative number if it underflows."""
        delta_of_mu = delta_of(epsilon, mu=math.exp(log_mu))
        if delta_of_mu == 0:
            return _LOG_OF_UNDERFLOW
        return math.log(delta_of_mu / delta)

    low, high = _LOG_MU_RANGE
    if excess(low) > 0:
        low = _LEAST_LOG_MU
    log_mu = brentq(excess, low, high, xtol=1e-15, rtol=_RELATIVE_TOLERANCE)
    mu = math.exp(log_mu) * (1 - _SAFETY_MARGIN)
    while delta_of(epsilon, mu=mu) > delta:
        mu = mu * (1 - _SAFETY_MARGIN)
    return mu


def epsilon_of(delta: float, *, mu: float) -> float:
    """Return the smallest epsilon at which a mu-GDP mechanism is (epsilon, delta)-DP.

    The result is rounded to the safe side.
    """
    delta = check.delta(delta=delta)
    mu = check.positive(mu=mu)
    if delta_of(0.0, mu=mu) <= delta:
        return 0.0

    def excess(epsilon: float) -> float:
        """Return how much delta at this epsilon exceeds the allowed one."""
        return delta_of(epsilon, mu=mu) - delta

    # delta(epsilon) <= Phi(a) <= exp(-a^2 / 2) gives an upper end.
    least_size_of_a = math.sqrt(2 * math.log(1 / delta))
    high = mu * (mu / 2 + least_size_of_a + 1)
    if excess(high) > 0:
        # Beyond a mu of about 1e16 the two last summands are lost in rounding.
        high = high * (1 + _SAFETY_MARGIN)
    epsilon = brentq(excess, 0.0, high, xtol=1e-14, rtol=_RELATIVE_TOLERANCE)
    # For a tiny mu the root may be off by far more than its rounding, so the steps grow.
    step = _FIRST_STEP * epsilon + _LEAST_STEP
    while delta_of(epsilon, mu=mu) > delta:
        epsilon = epsilon + step
        step = 2 * step
    return float(epsilon)


@lru_cache(maxsize=256)
def crossing(scale: float, *, delta: float) -> float:
    """Return the largest epsilon that noise of sd ``scale`` / epsilon supports.

    Noise of standard deviation scale Delta / epsilon is (epsilon, delta)-DP up to this epsilon and
    not beyond. It is the root of delta_of(epsilon, mu=epsilon / scale) = delta, and the only one:
    the derivative is e^epsilon (phi(b) / scale - Phi(b)), b = -epsilon / (2 scale) - scale, which
    is positive because Phi(b) < phi(b) / |b|.

    Args:
        scale: Noise multiplier at epsilon 1, larger than sqrt(2 ln(1/delta)).
        delta: At most 0.1.
    """
    check.between(0, 0.1, inclusive=False, delta=delta)
    least_scale = math.sqrt(2 * math.log(1 / delta))
    check.between(least_scale, math.inf, scale=scale)

    def excess(epsilon: float) -> float:
        """Return how much the noise for this epsilon misses its claim, in delta."""
        return delta_of(epsilon, mu=epsilon / scale) - delta

    # delta_of is 0 in floating point at the lower end, and exceeds any delta at the upper one.
    low = 1e-6
    high = 1e3 * scale**2
    return brentq(excess, low, high, xtol=1e-12)


def is_gaussian(event: Event) -> bool:
    """Return whether ``event`` consists of Gaussian releases only."""
    return all(isinstance(release, GaussianRelease) for release in releases(event))


def mu_of_event(event: Event) -> float:
    """Return the mu of an event that consists of Gaussian releases; infinite without noise.

    Raises:
        UnsupportedEventError: For any other release, which it names.
    """
    squares = []
    for release, times in releases(event).items():
        mu = _mu_of_release(release)
        squares.append(times * mu**2)
    return math.sqrt(math.fsum(squares))


def _mu_of_release(release: Event) -> float:
    """Return 1/sigma of a Gaussian release, infinite without noise."""
    match release:
        case GaussianRelease(noise_multiplier=0):
            return math.inf
        case GaussianRelease(noise_multiplier=noise_multiplier):
            return 1 / noise_multiplier
        case _:
            raise UnsupportedEventError(
                f"the GDP accountant counts Gaussian releases only, not {release!r}"
            )


def epsilons(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the exact epsilon of ``event`` composed each of ``counts`` times.

    mu sqrt(count) by [dong2022, Corollary 3.3]. The adjacency is that of the noise multipliers.

    >>> from dpcore.privacy import GaussianRelease
    >>> release = GaussianRelease(noise_multiplier=10.0)
    >>> epsilons(release, np.array([1, 100]), delta=1e-5, adjacency=Adjacency.REPLACE_ONE).round(3)
    array([0.341, 4.377])
    """
    one_run = mu_of_event(event)
    mus = one_run * np.sqrt(np.asarray(counts, dtype=float))
    if math.isinf(one_run):
        return np.full(len(mus), math.inf)
    return np.array([epsilon_of(delta, mu=mu) for mu in mus])
