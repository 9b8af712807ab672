"""Zero-concentrated differential privacy (zCDP): each release has one number rho, and these add up.

rho-zCDP: D_a(M(D) || M(D')) <= rho a for all orders a > 1 and all neighbours [bun2016, Definition
1.1]; rho adds up over adaptive releases [bun2016, Lemma 1.7]. A selection by the exponential
mechanism costs a quarter of what its epsilon alone implies, because of its bounded range
[cesar2021].
"""

import math
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq

from dpcore import check
from dpcore.privacy import (
    Adjacency,
    BoundedRangeRelease,
    Event,
    GaussianRelease,
    LaplaceRelease,
    PureRelease,
    Release,
    UnsupportedEventError,
    releases,
)

# Every order gives a valid epsilon. The best lies near 1 + sqrt(ln(1/delta)/rho); these are
# fractions of that distance.
_ORDER_FRACTIONS = np.geomspace(0.2, 1.2, 200)
# The search for rho starts in the first range, which has that of every (epsilon, delta) that a page
# offers. The second has all of ``check.EPSILONS``.
_LOG_RHO = (math.log(1e-16), math.log(1e8))
_WIDEST_LOG_RHO = (math.log(1e-35), math.log(1e13))
# Relative reduction of the rho that is found, so that rounding costs no epsilon.
_SAFETY_MARGIN = 1e-12
# Stands for an epsilon of 0, which has no logarithm.
_LEAST_EPSILON = 1e-300
# The square of a larger epsilon is no float.
_LARGEST_EPSILON = 1e150


def rho_of_event(event: Event) -> float:
    """Return the total rho of ``event``.

    Raises:
        UnsupportedEventError: a release is a sample or approximate, and so has no rho.
    """
    rhos = [times * _rho(release) for release, times in releases(event).items()]
    return math.fsum(rhos)


def _rho(release: Release) -> float:
    """Return the rho of one release."""
    match release:
        case GaussianRelease(noise_multiplier=multiplier):  # [bun2016, Proposition 1.6]
            if multiplier == 0:
                return math.inf
            return 1 / (2 * multiplier**2)
        case PureRelease(epsilon=epsilon) if epsilon > _LARGEST_EPSILON:
            return math.inf
        case BoundedRangeRelease(epsilon=epsilon):  # [cesar2021]
            return epsilon**2 / 8
        case PureRelease(epsilon=epsilon):  # [bun2016, Proposition 1.4]
            return epsilon**2 / 2
        case LaplaceRelease(noise_multiplier=multiplier):
            return 1 / (2 * multiplier**2)
        case _:
            raise UnsupportedEventError(f"concentrated privacy has no rho for {release!r}")


def classic_epsilon(rho: float, *, delta: float) -> float:
    """Return rho + 2 sqrt(rho ln(1/delta)) [bun2016, Proposition 1.3]."""
    check.delta(delta=delta)
    return rho + 2 * math.sqrt(rho * math.log(1 / delta))


def epsilon_of(rho: float, *, delta: float) -> float:
    """Return the epsilon of rho-zCDP at delta by the improved conversion.

    It is the smaller one of ``classic_epsilon`` and min_a rho a + ln((a-1)/a) - (ln delta + ln
    a)/(a - 1) [canonne2020, Proposition 12; balle2020, Theorem 21]
    """
    classic = classic_epsilon(rho, delta=delta)
    if rho == 0 or math.isinf(rho):
        return classic
    above = math.sqrt(math.log(1 / delta) / rho) * _ORDER_FRACTIONS  # a - 1
    a = 1 + above
    log_failure = math.log(delta) + np.log(a)
    epsilons = rho * a + np.log(above / a) - log_failure / above
    improved = max(epsilons.min(), 0.0)
    return float(min(improved, classic))


def rho_of(epsilon: float, *, delta: float) -> float:
    """Return the largest rho that is (epsilon, delta)-DP by ``epsilon_of``.

    It is rounded down by one part in 10^12.
    """
    return _rho_of(check.epsilon(epsilon=epsilon), check.delta(delta=delta))


@lru_cache(maxsize=1024)
def _rho_of(epsilon: float, delta: float) -> float:
    """Return ``rho_of`` from a cache behind the checks, which tell True from 1."""

    def excess(log_rho: float) -> float:
        """Return ln(epsilon of rho / epsilon)."""
        reached = epsilon_of(math.exp(log_rho), delta=delta)
        return math.log(max(reached, _LEAST_EPSILON) / epsilon)

    low, high = _LOG_RHO
    if excess(low) > 0 or excess(high) < 0:
        low, high = _WIDEST_LOG_RHO
    log_rho = brentq(excess, low, high, xtol=1e-14)
    rho = math.exp(log_rho) * (1 - _SAFETY_MARGIN)
    while epsilon_of(rho, delta=delta) > epsilon:
        rho *= 1 - _SAFETY_MARGIN
    return rho


def epsilons(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``counts`` times.

    rho adds up [bun2016, Lemma 1.7]. The adjacency is that of the noise multipliers.

    >>> from dpcore.privacy import GaussianRelease
    >>> release = GaussianRelease(noise_multiplier=10.0)
    >>> epsilons(release, np.array([1, 100]), delta=1e-5, adjacency=Adjacency.REPLACE_ONE).round(3)
    array([0.375, 4.728])
    """
    rho = rho_of_event(event)
    values = [epsilon_of(int(count) * rho, delta=delta) for count in counts]
    return np.array(values)
