"""Bound the best attacker, by the curve delta(epsilon) of everything that is released.

An attacker who tells which of two neighbouring data sets was used, and holds both to be equally
likely, is right in a share of at most (1 + TV)/2. TV, the total variation distance of the outputs,
is delta at epsilon 0.

An attacker who identifies a person or infers a value has a base rate, the success without that
person's data. The success with them is bounded by the whole curve: its tangents bound the trade-off
curve f, the least false negative rate f(a) of any test of the two data sets whose false positive
rate is a [dong2022, Sec. 2.3].
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, gammaincinv, ndtr, ndtri

from dpcore import check, privacy
from dpcore.accountants import basic, gdp, pld
from dpcore.cache import cached

# Without a closed form, the result for one kind of release is within .05 points of exact. The grid
# follows the largest losses, so several kinds of releases need a finer one.
_GRID = (0.05, 100_000)
_MARGIN = 5e-5
# Equally likely parts of the length of the noise.
_PARTS = 2000
# Stands for the shape 0 of the directions in one dimension.
_TINY_SHAPE = 1e-9
# Number of epsilons at which a curve is computed. Between them the bound rises by less than 1 part
# in 1,000.
_POINTS = 2000
# The curve ends where delta is so much above its limit. Base rates from one in a million on are
# bounded by points before the end.
_LAST_DELTA = 1e-9
# Larger exponents overflow a float.
_LARGEST_EXPONENT = 700.0


class Attacker(NamedTuple):
    """The best attacker.

    right: the largest share of right answers. known: what it holds for: this "noise"; several
    "parts", of some of which only epsilon is known; or any mechanism with this "epsilon" and delta.
    """

    right: float
    known: str


def best_attacker(guarantee: privacy.Guarantee) -> Attacker:
    """Return the best attacker against the event of a guarantee.

    Where no accountant has the loss of the event, it is what epsilon and delta allow.

    >>> from dpcore.accountants import account
    >>> event = privacy.GaussianRelease(noise_multiplier=1.0)
    >>> guarantee = account(event, delta=1e-5, adjacency=privacy.Adjacency.REPLACE_ONE)
    >>> round(best_attacker(guarantee).right, 3), round(guarantee.attacker_accuracy, 3)
    (0.691, 0.988)
    """
    try:
        right = (1 + _distance(guarantee.event, guarantee.adjacency)) / 2
    except privacy.UnsupportedEventError:
        return Attacker(guarantee.attacker_accuracy, "epsilon")
    counts_of = privacy.releases(guarantee.event)
    is_single = sum(counts_of.values()) == 1
    if not any(_is_known_by_epsilon(release, is_single) for release in counts_of):
        return Attacker(right, "noise")
    known = "parts"
    if is_single:
        known = "epsilon"
    return Attacker(min(right, guarantee.attacker_accuracy), known)


def largest_success(guarantee: privacy.Guarantee, *, base_rate: float) -> float:
    """Return the largest success of an attack whose success is ``base_rate`` without the unit.

    The attack identifies a unit, or infers or reconstructs its data. Without the unit means on
    releases from neighbouring data that are independent of the unit's. The success is at most
    1 - f(base_rate) [kulynych2025]. For mu-GDP that is Phi(mu + Phi^-1(base_rate)). Otherwise it is
    the least of what all points (epsilon, delta) of the event's curve allow, and the guarantee too.

    >>> from dpcore.accountants import account
    >>> event = privacy.GaussianRelease(noise_multiplier=1.081)  # epsilon 4 at delta 1e-5
    >>> guarantee = account(event, delta=1e-5, adjacency=privacy.Adjacency.REPLACE_ONE)
    >>> [round(largest_success(guarantee, base_rate=rate), 4) for rate in (0.1, 0.01, 0.001)]
    [0.3607, 0.0806, 0.0152]
    """
    base_rate = check.between(0, 1, base_rate=base_rate)
    if gdp.is_gaussian(guarantee.event):
        mu = gdp.mu_of_event(guarantee.event)
        if math.isinf(mu):
            return 1.0
        return float(ndtr(mu + ndtri(base_rate)))
    epsilon = np.array([guarantee.epsilon])
    delta = np.array([guarantee.delta])
    by_guarantee = _success(epsilon, delta, base_rate)
    try:
        epsilons, deltas = _curve(guarantee.event, guarantee.adjacency)
    except privacy.UnsupportedEventError:
        return by_guarantee
    return min(by_guarantee, _success(epsilons, deltas, base_rate))


def _success(epsilons: np.ndarray, deltas: np.ndarray, base_rate: float) -> float:
    """Return the largest success a' that all points (epsilon, delta) of a curve allow.

    Each demands a' <= e^epsilon a + delta and 1 - a <= e^epsilon (1 - a') + delta, for the base
    rate a.
    """
    odds = np.exp(np.minimum(epsilons, _LARGEST_EXPONENT))
    by_success = odds * base_rate + deltas
    by_failure = 1 - (1 - base_rate - deltas) / odds
    least = min(by_success.min(), by_failure.min())
    return float(np.clip(least, base_rate, 1))


@cached
def _curve(event: privacy.Event, adjacency: privacy.Adjacency) -> tuple[np.ndarray, np.ndarray]:
    """Return (epsilons, deltas) of the worst neighbours, on the safe side of rounding.

    Where the curve cannot be computed, it is its point at epsilon 0. Elsewhere than there, a vector
    with noise by its norm counts by its epsilon alone.
    """
    delta_at_zero = _distance(event, adjacency)
    last_delta = _probability_of_failure(event) + _LAST_DELTA
    with np.errstate(over="ignore"):  # losses beyond 709 have infinite odds
        curve = pld.curve(event, delta=last_delta, points=_POINTS, adjacency=adjacency)
    if curve is None:
        return np.zeros(1), np.array([delta_at_zero])
    epsilons, deltas = curve
    return epsilons, np.minimum(deltas, delta_at_zero)


def _probability_of_failure(event: privacy.Event) -> float:
    """Return the probability that an approximate release of an event fails, the limit of delta."""
    log_success = 0.0
    for release, times in privacy.releases(event).items():
        failure = basic.failure_of(release).fixed
        if failure >= 1:
            return 1.0
        log_success += times * math.log1p(-failure)
    return -math.expm1(log_success)


def _is_known_by_epsilon(release: privacy.Release, is_single: bool) -> bool:
    """Return whether only epsilon and delta of a release enter the distance."""
    if isinstance(release, privacy.PoissonSampled):
        inner = release.event
        return not (gdp.is_gaussian(inner) or isinstance(inner, privacy.LaplaceRelease))
    if is_single and isinstance(release, privacy.NormExponentialRelease):
        return False
    return isinstance(release, privacy.PureRelease | privacy.ApproximateRelease)


@cached
def _distance(event: privacy.Event, adjacency: privacy.Adjacency) -> float:
    """Return TV of the worst neighbours, on the safe side of rounding.

    A pure release tells the truth with probability p = e^epsilon/(1 + e^epsilon) at most
    [kairouz2015]. Where H_{e^x} is the profile of all others, TV is p H_{e^-epsilon} + (1-p)
    H_{e^epsilon}.
    """
    counts_of = privacy.releases(event)
    if any(pld.is_noiseless(release) for release in counts_of):
        return 1.0
    counts_of = pld.merged(counts_of)
    pure = {}
    others = {}
    for release, times in counts_of.items():
        if type(release) is privacy.PureRelease:
            pure[release] = times
        else:
            others[release] = times
    at_most_one_pure = sum(pure.values()) < 2
    match list(others.items()):
        case [(privacy.GaussianRelease(noise_multiplier=multiplier), _)] if at_most_one_pure:
            profile = partial(gdp.deltas_of, mu=1 / multiplier)
        case [(privacy.LaplaceRelease(noise_multiplier=multiplier), 1)] if not pure:
            return -math.expm1(-0.5 / multiplier)
        case [(privacy.NormExponentialRelease(epsilon=noise, dimension=dimension), 1)]:
            profile = partial(_norm_exponential, epsilon=noise, dimension=dimension)
        case _:
            resolution = pld.FINE
            if len(counts_of) == 1:
                resolution = _GRID
            return pld.delta_at_zero(counts_of, adjacency, resolution)
    epsilon = math.fsum(release.epsilon * times for release, times in pure.items())
    p = 1 / (1 + math.exp(-epsilon))
    profiles = profile(np.array([-epsilon, epsilon]))
    return float(np.array([p, 1 - p]) @ profiles)


def _norm_exponential(x: np.ndarray, epsilon: float, dimension: int) -> np.ndarray:
    """Return P[L > x] - e^x P[L < -x], at most 4e-5 below the truth before the margin.

    L = epsilon (||b - e|| - ||b||) for noise b and a change e of length 1. The length r = ||b|| ~
    Gamma(d, 1/epsilon) is taken at the middles of equally likely parts; the coordinate u_1 of its
    direction has u_1^2 ~ Beta(1/2, (d-1)/2).
    """
    quantiles = (np.arange(_PARTS) + 0.5) / _PARTS
    r = gammaincinv(dimension, quantiles) / epsilon
    shape = max(dimension - 1, _TINY_SHAPE) / 2

    def share_beyond(loss: np.ndarray) -> np.ndarray:
        """Return P[L > loss]: the mean over r of the share of directions below an end of u_1."""
        distance = r + loss[:, None] / epsilon  # (losses, parts)
        cosine = (r**2 + 1 - distance**2) / (2 * r)
        end = np.where(distance > 0, cosine, 1)
        within = betainc(0.5, shape, np.minimum(end**2, 1))
        shares = (1 + np.sign(end) * within) / 2
        return shares.mean(axis=1)

    deltas = share_beyond(x) - np.exp(x) * (1 - share_beyond(-x))
    return np.clip(deltas + _MARGIN, 0, 1)
