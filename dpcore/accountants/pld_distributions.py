"""Put the privacy loss distribution of one release on a grid, as dp-accounting's objects.

A distribution follows from a curve delta(x) = H_{e^x}(P || Q), the integral of max(0, p - e^x q),
where P and Q are the outputs on the worst neighbours. Points of the grid are whole multiples of its
step. The library makes the distribution that has this delta at each point and never less between
them. It has two directions, for a unit that is removed and one that is added.
"""

import math

import numpy as np
from scipy.special import ndtri

from dpcore.accountants import basic, gdp
from dpcore.cache import cached
from dpcore.privacy import (
    Adjacency,
    ApproximateRelease,
    BoundedRangeRelease,
    GaussianRelease,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    Release,
    UnsupportedEventError,
)

# A Gaussian lies within so many standard deviations but for e^-50, where the library cuts it off.
# A loss beyond has no bound.
_REACH = -float(ndtri(math.exp(-50) / 2))


@cached
def distribution(release: Release, step: float, adjacency: Adjacency):
    """Return the library's privacy loss distribution of one release on a grid of ``step`` nats.

    Without sampling, the sensitivity and so the event follow the adjacency. A sample is the mixture
    (1-q) Q + q P against Q under add/remove, both ways [zhu2022, Theorem 11]. Under replace-one the
    library has the Gaussian: (1-q) N(0) + q N(-1) against (1-q) N(0) + q N(1), in units of one
    contribution, half of the sensitivity. The library claims that no two other contributions are
    told apart better, which tests/dpcore/accountants/test_pld.py tries out.

    Raises:
        UnsupportedEventError: the library has no distribution of this release.
    """
    from dp_accounting.pld import privacy_loss_distribution as library

    if isinstance(release, PoissonSampled):
        return _of_sample(release, step, adjacency)
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return library.from_gaussian_mechanism(
                multiplier, value_discretization_interval=step, sampling_prob=1.0
            )
        case LaplaceRelease(noise_multiplier=multiplier):
            return library.from_laplace_mechanism(
                multiplier, value_discretization_interval=step, sampling_prob=1.0
            )
        case BoundedRangeRelease(epsilon=epsilon):
            return _bounded_range(epsilon, step)
        case PureRelease(epsilon=epsilon):
            return _randomised_response(epsilon, 0.0, step)
        case ApproximateRelease(epsilon=epsilon, delta=delta):
            return _randomised_response(epsilon, delta, step)
        case _:
            raise _unsupported(release, adjacency)


def _of_sample(release: PoissonSampled, step: float, adjacency: Adjacency):
    """Return the privacy loss distribution of a release from a Poisson sample."""

    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import privacy_loss_distribution as library

    rate = release.rate
    inner = release.event
    if adjacency is Adjacency.REPLACE_ONE:
        if not isinstance(inner, GaussianRelease):
            raise _unsupported(release, adjacency)
        return library.from_gaussian_mechanism(
            adjacency.contributions * inner.noise_multiplier,
            neighboring_relation=NeighboringRelation.REPLACE_ONE,
            value_discretization_interval=step,
            sampling_prob=rate,
        )
    if gdp.is_gaussian(inner):
        return _sampled_gaussian(gdp.mu_of_event(inner), rate, step)
    if isinstance(inner, LaplaceRelease):
        return library.from_laplace_mechanism(
            inner.noise_multiplier, value_discretization_interval=step, sampling_prob=rate
        )
    failure = basic.failure_of(release)
    if failure.per_slack == 0:
        epsilon = basic.pure_price(release)
        return _randomised_response(epsilon, failure.fixed, step)
    raise _unsupported(release, adjacency)


def _unsupported(release: Release, adjacency: Adjacency) -> UnsupportedEventError:
    """Return the error that the accountant has no distribution for a release."""
    return UnsupportedEventError(
        f"the PLD accountant has no distribution under {adjacency} for {release!r}"
    )


def _sampled_gaussian(mu: float, rate: float, step: float):
    """Return the distribution of a sample of Gaussian releases that together are mu-GDP.

    It has all points of the grid within reach of the losses. The library makes the same, point by
    point, from the same two curves delta(x).
    """
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    outputs = np.array([-_REACH, _REACH + mu])
    ends = sampled_loss(outputs, mu, rate) / step
    low = math.floor(ends[0])
    high = math.ceil(ends[1])
    points = np.arange(low, high + 1)
    remove = with_against_without(points * step, mu=mu, rate=rate)
    reversed_points = np.arange(-high, -low + 1)
    add = without_against_with(reversed_points * step, mu=mu, rate=rate)
    return PrivacyLossDistribution(
        _dense_pmf(step, points, remove), _dense_pmf(step, reversed_points, add)
    )


def _dense_pmf(step: float, points: np.ndarray, deltas: np.ndarray):
    """Return the library's distribution through ``deltas``, as an array.

    The library makes a dictionary of a few points, whose size the cache takes long to measure.
    """
    from dp_accounting.pld import pld_pmf

    pmf = pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
        step, int(points[0]), int(points[-1]), deltas
    )
    return pmf.to_dense_pmf()


def sampled_loss(z: np.ndarray, mu: float, rate: float) -> np.ndarray:
    """Return the loss ln(1 - q + q e^{mu z - mu^2/2}) of the output z.

    z: in standard deviations of the noise. rate: q, the sampling rate.
    """
    log_absent = math.log1p(-rate)
    log_present = math.log(rate) + mu * z - mu * mu / 2
    return np.logaddexp(log_absent, log_present)


def with_against_without(x: np.ndarray, *, mu: float, rate: float) -> np.ndarray:
    """Return H_{e^x}((1-q) Q + q P || Q) of P = N(mu, 1) and Q = N(0, 1) [zhu2022, Theorem 11].

    It is 1 - e^x where x is at most ln(1-q), and q H_{e^y}(P || Q) above it, with e^y = 1 + (e^x -
    1)/q.
    """
    is_above = x > math.log1p(-rate)
    unsampled = _unsampled(np.where(is_above, x, 0.0), rate)
    above = rate * gdp.deltas_of(unsampled, mu=mu)
    below = -np.expm1(np.minimum(x, 0.0))
    return np.where(is_above, above, below)


def without_against_with(x: np.ndarray, *, mu: float, rate: float) -> np.ndarray:
    """Return H_{e^x}(Q || (1-q) Q + q P) of P = N(mu, 1) and Q = N(0, 1) [zhu2022, Theorem 11].

    It is 0 where x is at least -ln(1-q), and (1 - (1-q) e^x) H_{e^-y}(Q || P) below, with e^y = 1 +
    (e^-x - 1)/q.
    """
    shift = math.log1p(-rate)
    is_below = x < -shift
    x = np.where(is_below, x, 0.0)
    y = _unsampled(-x, rate)
    below = -np.expm1(x + shift) * gdp.deltas_of(-y, mu=mu)
    return np.where(is_below, below, 0.0)


def _unsampled(x: np.ndarray, rate: float) -> np.ndarray:
    """Return y with e^y = 1 + (e^x - 1)/q, for x above ln(1-q); e^x may be too large for floats."""
    small = np.minimum(x, 1.0)
    large = np.maximum(x, 1.0)
    of_small = np.log1p(np.expm1(small) / rate)
    correction = np.log1p((rate - 1) * np.exp(-large))
    of_large = large - math.log(rate) + correction
    return np.where(x < 1, of_small, of_large)


def _randomised_response(epsilon: float, delta: float, step: float):
    """Return the distribution of the worst (epsilon, delta)-DP mechanism [kairouz2015, Theorem
    2.1].

    It reveals everything with probability delta, and else answers rightly with probability p =
    e^epsilon/(1 + e^epsilon). It has the points of the grid around its two losses.
    """
    ends = np.array([-epsilon, epsilon]) / step
    neighbours = np.concatenate([np.floor(ends), np.ceil(ends)])
    points = np.unique(neighbours).astype(int)
    x = points * step
    # The curve delta(x) is 1 - e^x below the two losses, p - e^x (1-p) between them, 0 above.
    one_over_p = 1 + math.exp(-epsilon)
    between = -np.expm1(np.minimum(x - epsilon, 0)) / one_over_p
    below = -np.expm1(np.minimum(x, 0))
    deltas = np.where(x < -epsilon, below, between)
    return _symmetric(points, delta + (1 - delta) * deltas, step)


def _bounded_range(epsilon: float, step: float):
    """Return the distribution of the exponential mechanism.

    delta(x) = (1 - e^{(x-epsilon)/2})^2 / (1 - e^-epsilon) for |x| <= epsilon. It is the largest
    over t, at t = (x + epsilon)/2, of the pairs whose loss is t or t - epsilon, which are the worst
    of bounded range [durfee2019].
    """
    last = math.ceil(epsilon / step)
    points = np.arange(-last, last + 1)
    losses = points * step
    x = np.clip(losses, -epsilon, epsilon)
    squares = np.expm1((x - epsilon) / 2) ** 2
    within = squares / -math.expm1(-epsilon)
    deltas = np.where(losses < -epsilon, -np.expm1(losses), within)
    return _symmetric(points, deltas, step)


def _symmetric(points: np.ndarray, deltas: np.ndarray, step: float):
    """Return the distribution through ``deltas`` at ``points`` of the grid, in both directions."""
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    pmf = pld_pmf.create_pmf_pessimistic_connect_dots(step, points, np.clip(deltas, 0, 1))
    return PrivacyLossDistribution(pmf)
