"""Rényi differential privacy (RDP): at each order a, the divergences of all releases add up.

(a, r)-RDP: D_a(M(D) || M(D')) <= r for all neighbours; T releases are (a, sum r_t)-RDP
[mironov2017, Proposition 1]. The divergence of order a is D_a(P || Q) = ln A_a / (a - 1), with the
moment A_a = E_Q[(P/Q)^a]. Each order gives an epsilon, and the smallest one counts.
"""

import math
from functools import partial

import numpy as np
from scipy.special import gammaln, logsumexp

from dpcore import check
from dpcore.accountants import basic, gdp, selection
from dpcore.cache import cached
from dpcore.privacy import (
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

# Moments lambda = a - 1 from 1 to 32, as in the paper.
MOMENTS = tuple(float(order) for order in range(2, 34))
# A small epsilon is best proved at a large order, a large epsilon at an order close to 1.
_ORDERS_NEAR_ONE = 1 + np.geomspace(0.01, 10, 121)[:-1]
_LARGE_ORDERS = np.unique(np.geomspace(66, 1024, 40).round())
ORDERS = (
    *_ORDERS_NEAR_ONE.tolist(),
    *(float(order) for order in range(11, 65)),
    *_LARGE_ORDERS.tolist(),
)
# Further orders, for releases whose divergences have a closed form. The moments of a sample are
# sums of as many terms as the order, so they end at the largest of ``ORDERS``.
_HUGE_ORDERS = np.geomspace(1200, 100_000, 32).round()
_ORDERS_OF_CLOSED_FORMS = (*ORDERS, *_HUGE_ORDERS.tolist())
# e^700 is still a float.
_LARGEST_EXPONENT = 700
# The largest step of the quadrature, and how far it reaches beyond the largest values of its
# integrands, in standard deviations: the density is below 1e-31 there.
_LARGEST_STEP = 0.25
_REACH = 12
# The step of the quadrature falls to sigma/2, so smaller noise is handled by interpolation.
_LEAST_NOISE = 0.1


def moments(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``counts`` times, by the moments accountant.

    epsilon = min_a r(a) + ln(1/delta)/(a - 1) over the whole orders a from 2 to 33 [abadi2016,
    Theorem 2].

    >>> from dpcore.privacy import GaussianRelease, PoissonSampled
    >>> step = PoissonSampled(rate=0.01, event=GaussianRelease(noise_multiplier=4.0))
    >>> moments(step, np.array([10_000]), delta=1e-5, adjacency=Adjacency.ADD_REMOVE).round(2)
    array([1.26])
    """
    return _epsilons(event, counts, MOMENTS, delta=delta, adjacency=adjacency, improved=False)


def renyi(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``counts`` times, by RDP.

    The improved conversion is epsilon = min_a r(a) + ln((a-1)/a) - (ln delta + ln a)/(a - 1)
    [canonne2020, Proposition 12; balle2020, Theorem 21].

    >>> from dpcore.privacy import GaussianRelease, PoissonSampled
    >>> step = PoissonSampled(rate=0.01, event=GaussianRelease(noise_multiplier=4.0))
    >>> renyi(step, np.array([10_000]), delta=1e-5, adjacency=Adjacency.ADD_REMOVE).round(2)
    array([1.04])
    """
    orders = orders_for(event)
    return _epsilons(event, counts, orders, delta=delta, adjacency=adjacency, improved=True)


def orders_for(event: Event) -> tuple[float, ...]:
    """Return the orders at which the divergences of ``event`` are computed."""
    if _has_sampled_gaussian(event):
        return ORDERS
    return _ORDERS_OF_CLOSED_FORMS


def _has_sampled_gaussian(event: Event) -> bool:
    """Return whether a Gaussian release from a sample is part of ``event``."""
    for release in releases(event):
        if isinstance(release, PoissonSampled) and gdp.is_gaussian(release.event):
            return True
        if isinstance(release, BestOf) and _has_sampled_gaussian(release.event):
            return True
    return False


def _epsilons(
    event: Event,
    counts: np.ndarray,
    orders: tuple[float, ...],
    *,
    delta: float,
    adjacency: Adjacency,
    improved: bool,
) -> np.ndarray:
    """Return the smallest epsilon over ``orders``, by the improved or the classic conversion."""
    check.delta(delta=delta)
    counts_of = basic.proved(event, adjacency, accountant="Renyi accounting")
    counts = np.asarray(counts, dtype=float)[:, None]
    # An (epsilon, delta) release is an (epsilon, 0) release that fails with probability delta. The
    # deltas add up.
    remaining_delta = delta - counts * basic.total_failures(counts_of).fixed
    log_delta = np.log(np.where(remaining_delta > 0, remaining_delta, 1))
    a = np.array(orders)
    total = counts * summed(event, orders)
    if improved:
        log_failure = log_delta + np.log(a)
        conversion = np.log1p(-1 / a) - log_failure / (a - 1)
    else:
        conversion = -log_delta / (a - 1)
    epsilon = np.maximum((total + conversion).min(axis=1), 0)
    return np.where(remaining_delta[:, 0] > 0, epsilon, math.inf)


def summed(event: Event, orders: tuple[float, ...]) -> np.ndarray:
    """Return the RDP r(a) of a whole event at each of ``orders`` [mironov2017, Proposition 1]."""
    total = np.zeros(len(orders))
    for release, times in releases(event).items():
        total = total + times * divergences(release, orders)
    return total


@cached
def divergences(release: Release, orders: tuple[float, ...]) -> np.ndarray:
    """Return the RDP r(a) of one release at each of ``orders`` > 1.

    The failures of an approximate release are counted elsewhere.
    """
    a = np.array(orders)
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            if multiplier == 0:
                return np.full_like(a, math.inf)
            return a / (2 * multiplier**2)
        case LaplaceRelease(noise_multiplier=multiplier):
            return _laplace(1 / multiplier, a)
        case PureRelease(epsilon=epsilon) | ApproximateRelease(epsilon=epsilon):
            return _randomised_response(epsilon, a)
        case PoissonSampled(rate=rate, event=inner) if gdp.is_gaussian(inner):
            return sampled_gaussian(rate, gdp.mu_of_event(inner), orders)
        case PoissonSampled() if basic.failure_of(release).per_slack == 0:
            epsilon = basic.pure_price(release)
            return _randomised_response(epsilon, a)
        case BestOf(event=inner) if basic.total_failures(releases(inner)).fixed == 0:
            return _best_of(release, orders)
        case _:
            raise UnsupportedEventError(f"Renyi accounting has no divergence for {release!r}")


def _best_of(release: BestOf, orders: tuple[float, ...]) -> np.ndarray:
    """Return the RDP of releasing the best of a random number of tries."""
    profile = None
    if gdp.is_gaussian(release.event):
        mu = gdp.mu_of_event(release.event)
        if mu < math.inf:
            profile = partial(gdp.deltas_of, mu=mu)
    return selection.divergences(
        summed(release.event, orders),
        np.array(orders),
        law=release.law,
        tries=release.tries,
        profile=profile,
    )


def _laplace(epsilon: float, a: np.ndarray) -> np.ndarray:
    """Return the RDP of Laplace noise with ``epsilon`` at the orders ``a``.

    1/(a-1) ln( a/(2a-1) e^{(a-1) epsilon} + (a-1)/(2a-1) e^{-a epsilon} ) [mironov2017, Proposition
    6].
    """
    first = np.log(a / (2 * a - 1)) + (a - 1) * epsilon
    second = np.log((a - 1) / (2 * a - 1)) - a * epsilon
    log_moment = np.logaddexp(first, second)
    return np.maximum(log_moment, 0) / (a - 1)


def _randomised_response(epsilon: float, a: np.ndarray) -> np.ndarray:
    """Return the RDP of randomised response with ``epsilon`` at the orders ``a``.

    1/(a-1) ln( p^a (1-p)^{1-a} + (1-p)^a p^{1-a} ), p = e^epsilon/(1 + e^epsilon) [mironov2017,
    Proposition 5]. It bounds that of every epsilon-DP mechanism, as randomised response is the
    worst of them [kairouz2015, Theorem 2.1].
    """
    log_p = -np.logaddexp(0, -epsilon)
    log_rest = -np.logaddexp(0, epsilon)
    first = a * log_p + (1 - a) * log_rest
    second = a * log_rest + (1 - a) * log_p
    log_moment = np.logaddexp(first, second)
    return np.maximum(log_moment, 0) / (a - 1)


def sampled_gaussian(rate: float, mu: float, orders: tuple[float, ...]) -> np.ndarray:
    """Return the RDP r(a) of a Poisson-sampled Gaussian release under add/remove, mu = 1/sigma.

    r(a) = 1/(a-1) ln A_a, A_a = E_{z ~ N(0, sigma^2)} [ (1 - q + q e^{(2z-1)/(2 sigma^2)})^a ]
    [mironov2019, Section 3]: the divergence of the sampled release from the empty one. The reverse
    is smaller [mironov2019, Section 3.1].
    """
    if math.isinf(mu):
        return np.full(len(orders), math.inf)
    a = np.array(orders)
    log_moment = np.empty_like(a)
    is_whole = a == np.floor(a)
    if is_whole.any():
        log_moment[is_whole] = _whole_moments(rate, mu, tuple(a[is_whole]))
    if not is_whole.all():
        if 1 / mu >= _LEAST_NOISE:
            log_moment[~is_whole] = _quadrature(rate, mu, a[~is_whole])
        else:
            log_moment[~is_whole] = _interpolated(rate, mu, a[~is_whole])
    return log_moment / (a - 1)


def _whole_moments(rate: float, mu: float, orders: tuple[float, ...]) -> np.ndarray:
    """Return ln A_a = ln sum_k C(a,k) (1-q)^{a-k} q^k e^{(k^2-k)/(2 sigma^2)} for whole orders a.

    The binomial weights sum to 1, so A_a - 1 is the same sum with e^x - 1 for e^x, whose positive
    terms never cancel.
    """
    rest, k, log_binomial = _binomials(orders)
    growth = (k * k - k) * (mu * mu / 2)
    log_growth = growth + np.log(-np.expm1(-growth))
    log_absent = rest * math.log1p(-rate)
    log_present = k * math.log(rate)
    log_terms = log_binomial + log_absent + log_present + log_growth
    return np.logaddexp(0, _log_sums(log_terms))


def _log_sums(terms: np.ndarray) -> np.ndarray:
    """Return ln sum_k e^terms of each row, and overwrite ``terms``.

    It returns what scipy's ``logsumexp`` does, -inf for a row of nothing else, but faster.
    """
    largest = terms.max(axis=1, keepdims=True)
    is_largest = terms == largest
    # The largest terms are added separately, so that no digit of the others is lost.
    terms[is_largest] = -math.inf
    terms -= np.where(largest > -math.inf, largest, 0)
    others = np.exp(terms, out=terms).sum(axis=1)
    count = is_largest.sum(axis=1)
    return np.log1p(others / count) + np.log(count) + largest[:, 0]


@cached
def _binomials(orders: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return (a - k, k, ln C(a, k)) for the orders a (column) and k = 2 to the largest (row).

    The logarithm is -inf where k > a.
    """
    a = np.array(orders)[:, None]
    k = np.arange(2.0, max(orders) + 1)
    with np.errstate(invalid="ignore"):
        log_factorial_of_rest = gammaln(np.maximum(a - k, 0) + 1)
        table = gammaln(a + 1) - gammaln(k + 1) - log_factorial_of_rest
    return a - k, k, np.where(k <= a, table, -math.inf)


def _quadrature(rate: float, mu: float, a: np.ndarray) -> np.ndarray:
    """Return ln A_a for any orders ``a``, by the trapezoidal rule.

    The integrand is analytic up to a distance of pi sigma (in standard deviations) from the real
    line, so the rule converges exponentially in sigma/step. With x = e^u - 1, of mean 0, the
    integrand (1 + q x)^a - 1 - a q x has the integral A_a - 1, which loses no digits when small.
    """
    step = min(_LARGEST_STEP, 1 / (2 * mu))
    # In standard deviations. At the order a the integrand is largest at most at a mu.
    z = np.arange(-_REACH, a.max() * mu + _REACH, step)
    u = mu * z - mu * mu / 2
    near_one = np.log1p(rate * np.expm1(np.minimum(u, 1)))
    log_ratio = np.where(u < 0.5, near_one, _log_mixture(rate, u))
    log_step = math.log(step / math.sqrt(2 * math.pi))
    log_weight = log_step - z * z / 2
    a = a[:, None]
    power = a * log_ratio  # (orders, points)
    with np.errstate(over="ignore", invalid="ignore"):
        weight = np.exp(log_weight)
        linear = a * rate * np.exp(u + log_weight)
        # The same integrand twice: without loss of digits where (1 + q x)^a is small, without
        # overflow of a difference where it is large.
        x = np.expm1(np.minimum(u, _LARGEST_EXPONENT))
        growth = np.expm1(np.minimum(power, 1))
        small = weight * (growth - a * rate * x)
        large = np.exp(power + log_weight) - weight * (1 - a * rate) - linear
        integral = np.where(power < 1, small, large).sum(axis=1)
        log_moment = np.log1p(np.maximum(integral, 0))
    overflows = ~np.isfinite(log_moment)
    log_moment[overflows] = logsumexp(power[overflows] + log_weight, axis=1)
    return log_moment


def _log_mixture(rate: float, u: np.ndarray) -> np.ndarray:
    """Return ln(1 - q + q e^u), the log ratio of a sampled release to one without the unit."""
    return np.logaddexp(math.log1p(-rate), math.log(rate) + u)


def _interpolated(rate: float, mu: float, a: np.ndarray) -> np.ndarray:
    """Return an upper bound on ln A_a, the chord between the next whole orders.

    ln A_a is convex in a and 0 at 1.
    """
    whole_orders = np.arange(2, np.ceil(a.max()) + 1)
    whole_moments = _whole_moments(rate, mu, tuple(whole_orders))
    return np.interp(a, [1, *whole_orders], [0, *whole_moments])
