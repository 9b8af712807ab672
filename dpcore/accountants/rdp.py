"""Rényi differential privacy (RDP): at each order a, the divergences of all releases add up.

(a, r)-RDP: D_a(M(D) || M(D')) <= r for all neighbours; T releases are (a, sum r_t)-RDP
[mironov2017, Proposition 1].
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
ORDERS = tuple(
    float(order)
    for order in (
        *(1 + np.geomspace(0.01, 10, 121)[:-1]),
        *range(11, 65),
        *np.unique(np.geomspace(66, 1024, 40).round()),
    )
)
# Further orders, for releases whose divergences have a closed form. The moments of a sample are
# sums of as many terms as the order, so they end at the largest of ``ORDERS``.
_ORDERS_OF_CLOSED_FORMS = ORDERS + tuple(map(float, np.geomspace(1200, 100_000, 32).round()))
# The step of the quadrature falls to sigma/2, so smaller noise is handled by interpolation.
_LEAST_NOISE = 0.1


def moments(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``counts`` times, by the moments accountant.

    epsilon = min_a r(a) + ln(1/delta)/(a - 1) over the whole orders a from 2 to 33 [abadi2016,
    Theorem 2].
    """
    return _epsilons(event, counts, MOMENTS, delta=delta, adjacency=adjacency, sharp=False)


def renyi(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``counts`` times, by RDP with the improved
    conversion.

    epsilon = min_a r(a) + ln((a-1)/a) - (ln delta + ln a)/(a - 1) [canonne2020, Proposition 12;
    balle2020, Theorem 21]
    """
    return _epsilons(event, counts, orders_for(event), delta=delta, adjacency=adjacency, sharp=True)


def orders_for(event: Event) -> tuple[float, ...]:
    """Return the orders at which the divergences of ``event`` are computed."""
    if _has_sampled_gaussian(event):
        return ORDERS
    return _ORDERS_OF_CLOSED_FORMS


def _has_sampled_gaussian(event: Event) -> bool:
    for release in releases(event):
        if isinstance(release, PoissonSampled) and gdp.is_gaussian(release.event):
            return True
        if isinstance(release, BestOf) and _has_sampled_gaussian(release.event):
            return True
    return False


def _epsilons(event, counts, orders, *, delta, adjacency, sharp) -> np.ndarray:
    check.delta(delta=delta)
    found = basic.proved(event, adjacency, accountant="Renyi accounting")
    counts = np.asarray(counts, dtype=float)[:, None]
    # An (epsilon, delta) release is an (epsilon, 0) release that fails with probability delta;
    # these deltas add up.
    left = delta - counts * basic.total_failures(found)[0]
    log_delta = np.log(np.where(left > 0, left, 1))
    a = np.array(orders)
    total = counts * summed(event, orders)
    conversion = (
        np.log1p(-1 / a) - (log_delta + np.log(a)) / (a - 1) if sharp else -log_delta / (a - 1)
    )
    return np.where(left[:, 0] > 0, np.maximum((total + conversion).min(axis=1), 0), math.inf)


def summed(event: Event, orders: tuple[float, ...]) -> np.ndarray:
    """Return the RDP r(a) of a whole event at each of ``orders`` [mironov2017, Proposition 1]."""
    found = (n * divergences(release, orders) for release, n in releases(event).items())
    return sum(found, np.zeros(len(orders)))


@cached
def divergences(release: Release, orders: tuple[float, ...]) -> np.ndarray:
    """Return the RDP r(a) of one release at each of ``orders`` > 1, without the failures of an
    approximate release.
    """
    a = np.array(orders)
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return a / (2 * multiplier**2) if multiplier else np.full_like(a, math.inf)
        case LaplaceRelease(noise_multiplier=multiplier):
            return _laplace(1 / multiplier, a)
        case PureRelease(epsilon=epsilon) | ApproximateRelease(epsilon=epsilon):
            return _randomised_response(epsilon, a)
        case PoissonSampled(rate=rate, event=inner) if gdp.is_gaussian(inner):
            return sampled_gaussian(rate, gdp.mu_of_event(inner), orders)
        case PoissonSampled() if basic.failures(release)[1] == 0:
            return _randomised_response(float(basic.price(release, slack=np.ones(1))[0]), a)
        case BestOf(event=inner, law=law, tries=tries) if (
            basic.total_failures(releases(inner))[0] == 0
        ):
            mu = gdp.mu_of_event(inner) if gdp.is_gaussian(inner) else math.inf
            profile = partial(gdp.deltas_of, mu=mu) if mu < math.inf else None
            return selection.divergences(
                summed(inner, orders), a, law=law, tries=tries, profile=profile
            )
        case _:
            raise UnsupportedEventError(f"Renyi accounting has no divergence for {release!r}")


def _laplace(epsilon: float, a: np.ndarray) -> np.ndarray:
    """Return 1/(a-1) ln( a/(2a-1) e^{(a-1) epsilon} + (a-1)/(2a-1) e^{-a epsilon} ) [mironov2017,
    Proposition 6].
    """
    first = np.log(a / (2 * a - 1)) + (a - 1) * epsilon
    return np.maximum(np.logaddexp(first, np.log((a - 1) / (2 * a - 1)) - a * epsilon), 0) / (a - 1)


def _randomised_response(epsilon: float, a: np.ndarray) -> np.ndarray:
    """Return the RDP of randomised response with ``epsilon`` at the orders ``a``.

    1/(a-1) ln( p^a (1-p)^{1-a} + (1-p)^a p^{1-a} ), p = e^epsilon/(1 + e^epsilon) [mironov2017,
    Proposition 5]. It bounds that of every epsilon-DP mechanism, as randomised response is the
    worst of them [kairouz2015, Theorem 2.1].
    """
    p, rest = -np.logaddexp(0, -epsilon), -np.logaddexp(0, epsilon)
    return np.maximum(np.logaddexp(a * p + (1 - a) * rest, a * rest + (1 - a) * p), 0) / (a - 1)


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
    whole = a == np.floor(a)
    if whole.any():
        log_moment[whole] = _whole_moments(rate, mu, tuple(a[whole]))
    if (~whole).any() and 1 / mu >= _LEAST_NOISE:
        log_moment[~whole] = _quadrature(rate, mu, a[~whole])
    elif (~whole).any():
        log_moment[~whole] = _interpolated(rate, mu, a[~whole])
    return log_moment / (a - 1)


def _whole_moments(rate: float, mu: float, orders: tuple[float, ...]) -> np.ndarray:
    """Return ln A_a = ln sum_k C(a,k) (1-q)^{a-k} q^k e^{(k^2-k)/(2 sigma^2)} for whole orders a.

    The binomial weights sum to 1, so A_a - 1 is the same sum with e^x - 1 for e^x, whose positive
    terms never cancel.
    """
    rest, k, log_binomial = _binomials(orders)
    growth = (k * k - k) * (mu * mu / 2)
    log_growth = growth + np.log(-np.expm1(-growth))
    return np.logaddexp(
        0, _log_sums(log_binomial + rest * math.log1p(-rate) + k * math.log(rate) + log_growth)
    )


def _log_sums(terms: np.ndarray) -> np.ndarray:
    """Return ln sum_k e^terms of each row, overwriting ``terms``; equals scipy's ``logsumexp``, but
    faster.
    """
    top = terms.max(axis=1, keepdims=True)
    at = terms == top
    terms[
        at
    ] = -math.inf  # the largest terms are added separately, so no digit of the others is lost
    terms -= top
    others, count = np.exp(terms, out=terms).sum(axis=1), at.sum(axis=1)
    return np.log1p(others / count) + np.log(count) + top[:, 0]


@cached
def _binomials(orders: tuple[float, ...]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return a - k for orders a (column) and k = 2 to the largest (row), that row, and ln C(a, k),
    -inf where k > a.
    """
    a, k = np.array(orders)[:, None], np.arange(2.0, max(orders) + 1)
    with np.errstate(invalid="ignore"):
        table = gammaln(a + 1) - gammaln(k + 1) - gammaln(np.maximum(a - k, 0) + 1)
    return a - k, k, np.where(k <= a, table, -math.inf)


def _quadrature(rate: float, mu: float, a: np.ndarray) -> np.ndarray:
    """Return ln A_a for any orders ``a``, by the trapezoidal rule.

    The integrand is analytic up to a distance of pi sigma (in standard deviations) from the real
    line, so the rule converges exponentially in sigma/step. With x = e^u - 1, of mean 0, the
    integrand (1 + q x)^a - 1 - a q x has the integral A_a - 1, which loses no digits when small.
    """
    step = min(0.25, 1 / (2 * mu))
    z = np.arange(-12, a.max() * mu + 12, step)  # in standard deviations
    u = mu * z - mu * mu / 2
    log_ratio = np.where(
        u < 0.5, np.log1p(rate * np.expm1(np.minimum(u, 1))), _log_mixture(rate, u)
    )
    log_weight = math.log(step / math.sqrt(2 * math.pi)) - z * z / 2
    power = a[:, None] * log_ratio
    with np.errstate(over="ignore", invalid="ignore"):
        weight, linear = np.exp(log_weight), a[:, None] * rate * np.exp(u + log_weight)
        near = weight * (
            np.expm1(np.minimum(power, 1)) - a[:, None] * rate * np.expm1(np.minimum(u, 700))
        )
        far = np.exp(power + log_weight) - weight * (1 - a[:, None] * rate) - linear
        moment = np.log1p(np.maximum(np.where(power < 1, near, far).sum(axis=1), 0))
    huge = ~np.isfinite(moment)
    moment[huge] = logsumexp(power[huge] + log_weight, axis=1)
    return moment


def _log_mixture(rate: float, u: np.ndarray) -> np.ndarray:
    """Return ln(1 - q + q e^u)."""
    return np.logaddexp(math.log1p(-rate), math.log(rate) + u)


def _interpolated(rate: float, mu: float, a: np.ndarray) -> np.ndarray:
    """Return an upper bound on ln A_a, which is convex in a and 0 at 1: the chord between the next
    whole orders.
    """
    ends = np.arange(2, np.ceil(a.max()) + 1)
    return np.interp(a, [1, *ends], [0, *_whole_moments(rate, mu, tuple(ends))])
