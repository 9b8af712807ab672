"""Gaussian differential privacy: exact for Gaussian releases without sampling, and closed under composition.

A release whose noise has standard deviation sigma and whose L2 sensitivity is Delta is mu-GDP with mu = Delta/sigma;
T of them, adaptively chosen, are exactly mu-GDP with mu = sqrt(sum mu_t^2) [dong2022, Theorem 2.7, Corollary 3.3].
"""

import math
from functools import lru_cache

import numpy as np
from scipy.optimize import brentq
from scipy.special import erfcx, ndtr

from dpcore import check
from dpcore.privacy import Adjacency, Event, GaussianRelease, UnsupportedEventError, releases

# Beyond this range of mu every (epsilon, delta) that a page offers is decided.
_LOG_MU_RANGE = (math.log(1e-12), math.log(1e8))
# What a calibration gives away, so that a noise made from mu, and its composition over many steps, count to no more
# than the epsilon that was asked for, whatever their own roundings.
_GIVEN_AWAY = 1e-12


def delta_of(epsilon: float, *, mu: float) -> float:
    """The smallest delta at which a mu-GDP mechanism is (epsilon, delta)-DP [balle2018, Theorem 8].

    delta(epsilon) = Phi(mu/2 - epsilon/mu) - e^epsilon Phi(-mu/2 - epsilon/mu)
    """
    mu = check.positive(mu=mu)
    a = mu / 2 - epsilon / mu
    b = -mu / 2 - epsilon / mu
    # e^epsilon phi(b) = phi(a), so the common Gaussian factor comes out and nothing overflows or cancels early.
    scale = math.exp(-a * a / 2) / 2
    second = scale * erfcx(-b / math.sqrt(2))
    first = scale * erfcx(-a / math.sqrt(2)) if a < 0 else ndtr(a)
    return float(max(first - second, 0.0))


def deltas_of(epsilon: np.ndarray, *, mu: float) -> np.ndarray:
    """``delta_of`` for an array of epsilons, below 0 too, where delta goes to 1 as 1 - e^epsilon.

    That one stays beside it because searches for a root call it a number at a time, which arrays make slow.
    """
    a = mu / 2 - epsilon / mu
    b = a - mu
    scale = np.exp(-a * a / 2) / 2
    first = np.where(a < 0, scale * erfcx(np.abs(a) / math.sqrt(2)), ndtr(a))
    second = np.where(b < 0, scale * erfcx(np.abs(b) / math.sqrt(2)), np.exp(np.minimum(epsilon, 0)) * ndtr(b))
    return np.maximum(first - second, 0.0)


def mu_of(epsilon: float, *, delta: float) -> float:
    """The largest mu whose releases are (epsilon, delta)-DP, less one part in 10^12: the safe side of rounding."""
    return _mu_of(check.positive(epsilon=epsilon), check.between(0, 1, inclusive=False, delta=delta))


@lru_cache(maxsize=1024)
def _mu_of(epsilon: float, delta: float) -> float:
    """Return mu, cached, because one setting asks for it several times."""

    def excess(log_mu: float) -> float:
        found = delta_of(epsilon, mu=math.exp(log_mu))
        return math.log(found / delta) if found > 0 else -1e4

    root = brentq(excess, *_LOG_MU_RANGE, xtol=1e-15, rtol=4 * np.finfo(float).eps)
    mu = math.exp(root) * (1 - _GIVEN_AWAY)
    while delta_of(epsilon, mu=mu) > delta:
        mu = mu * (1 - _GIVEN_AWAY)
    return mu


def epsilon_of(delta: float, *, mu: float) -> float:
    """The smallest epsilon at which a mu-GDP mechanism is (epsilon, delta)-DP, to the safe side of rounding."""
    delta, mu = check.between(0, 1, inclusive=False, delta=delta), check.positive(mu=mu)
    if delta_of(0.0, mu=mu) <= delta:
        return 0.0
    # delta_of(epsilon) <= Phi(mu/2 - epsilon/mu) <= exp(-(epsilon/mu - mu/2)^2 / 2) gives the upper end.
    high = mu * (mu / 2 + math.sqrt(2 * math.log(1 / delta)) + 1)
    root = brentq(lambda e: delta_of(e, mu=mu) - delta, 0.0, high, xtol=1e-14, rtol=4 * np.finfo(float).eps)
    step = 1e-15 * root + 1e-300
    while delta_of(root, mu=mu) > delta:
        root, step = root + step, 2 * step  # the root of a tiny mu may be off by far more than its rounding
    return float(root)


@lru_cache(maxsize=256)
def crossing(scale: float, *, delta: float) -> float:
    """Up to which epsilon noise of sd ``scale``/epsilon times the sensitivity is (epsilon, delta)-DP, and no further.

    The root of delta_of(epsilon, mu=epsilon/scale) = delta: along mu = epsilon/scale its derivative is
    e^epsilon (phi(b)/scale - Phi(b)), b = -epsilon/(2 scale) - scale; Phi(b) < phi(b)/|b|, so it rises.
    """
    check.between(0, 0.1, inclusive=False, delta=delta)
    check.between(math.sqrt(2 * math.log(1 / delta)), math.inf, scale=scale)
    return brentq(lambda e: delta_of(e, mu=e / scale) - delta, 1e-6, 1e3 * scale**2, xtol=1e-12)


def is_gaussian(event: Event) -> bool:
    """Return whether an event consists of Gaussian releases only."""
    return all(isinstance(release, GaussianRelease) for release in releases(event))


def mu_of_event(event: Event) -> float:
    """The mu of an event that consists of Gaussian releases; raises UnsupportedEventError for others, naming them."""
    squares = [times * _mu_of_release(release) ** 2 for release, times in releases(event).items()]
    return math.sqrt(math.fsum(squares))


def _mu_of_release(release: Event) -> float:
    match release:
        case GaussianRelease(noise_multiplier=0):
            return math.inf
        case GaussianRelease(noise_multiplier=multiplier):
            return 1 / multiplier
        case _:
            raise UnsupportedEventError(f"the GDP accountant counts Gaussian releases only, not {release!r}")


def epsilons(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Exact epsilon of Gaussian releases taken each of ``counts`` times [dong2022, Corollary 3.3]."""
    mu = mu_of_event(event) * np.sqrt(np.asarray(counts, dtype=float))
    return np.array([math.inf if math.isinf(one) else epsilon_of(delta, mu=one) for one in mu])
