"""Privacy loss distributions: numerically exact composition, by the library dp-accounting.

The library rounds losses to a grid so that no epsilon comes out too small ("connect the dots"
[doroshenko2022]) and composes by Fourier transforms. What is ours is the grid, and which of its
distributions an event has.
"""

import math
from functools import lru_cache, reduce

import numpy as np
from scipy import fft
from scipy.special import ndtri

from dpcore import check
from dpcore.accountants import basic, gdp, rdp
from dpcore.cache import cached
from dpcore.privacy import (
    Adjacency,
    ApproximateRelease,
    BoundedRangeRelease,
    Composed,
    Event,
    GaussianRelease,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    Release,
    Sequence,
    UnsupportedEventError,
    releases,
)

# Grid over the size of one step's loss. Rounding adds at most about grid^2/6 to a step's variance,
# so these add 2 in 1,000 and 1 in 10,000, and about half as much to epsilon; and the most points
# that one release may have.
COARSE, FINE = (0.1, 20_000), (0.02, 200_000)
# What rounding in the library's transform may hide of delta, a step: 1.2e-16 seen at worst, mostly
# 3.3e-17, and not the same on every processor. Half of delta at most is set aside; where even the
# second is more, there is no bound.
_ROUNDING, _USUAL = 1.5e-16, 5e-17
# A composition that may have at most so many points is made by the library without a transform.
_SMALL = 1000
# The largest epsilon of a curve: beyond, e^epsilon is beyond the range of a float.
_LARGEST = 700.0
# A larger share of delta would bend the end of a curve: 5 % moves it by as much as a mu that is 0.1
# % larger.
_BLUR = 0.05
# The largest grid, and the largest loss of a sample of Laplace noise, whose exponential is a float.
_LARGEST_STEP = 700.0
# Beyond this mu of all Gaussian releases together they are not merged: its square leaves the range
# of a float.
_LARGEST_MU = 1e90
# Mass outside of a composition's truncation bounds, which counts as an infinite loss: the
# library's.
_TAIL = 1e-15


def coarse(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """``epsilons`` on a grid for a slider that moves: an upper bound too, mostly less than 0.2 %
    above.
    """
    return epsilons(event, counts, delta=delta, adjacency=adjacency, resolution=COARSE)


def epsilons(
    event: Event,
    counts: np.ndarray,
    *,
    delta: float,
    adjacency: Adjacency,
    value_discretization_interval: float | None = None,
    resolution: tuple[float, int] = FINE,
) -> np.ndarray:
    """Epsilon of ``event`` taken each of ``counts`` times, by composing its pair of worst outputs.

    delta(epsilon) = E_{L ~ P-loss} [ (1 - e^{epsilon - L})_+ ], where the loss of a composition is
    the sum of the losses and P, Q dominate every neighbouring pair of outputs [zhu2022, Theorem
    10]. An upper bound on any grid: what the transform's rounding may hide is taken off delta, and
    a delta that it could hide whole is left to Renyi orders.
    value_discretization_interval: the grid, in nats; without it the ``resolution`` decides.
    """
    check.delta(delta=delta)
    if value_discretization_interval is not None:
        check.positive(value_discretization_interval=value_discretization_interval)
    found = releases(event)
    if any(silent(release) for release in found):
        return np.full(len(counts), math.inf)
    found_epsilons = []
    for count in counts:
        part = merged({release: int(count) * times for release, times in found.items()})
        if _needs_orders(part, delta, adjacency, resolution):
            found_epsilons.append(_by_orders(part, delta, adjacency))
        else:
            grid = value_discretization_interval or interval(part, adjacency, resolution)
            found_epsilons.append(_epsilon(part, grid, delta, adjacency))
    return np.array(found_epsilons)


def is_by_orders(
    event: Event, *, delta: float, adjacency: Adjacency, resolution: tuple[float, int] = FINE
) -> bool:
    """Return whether the epsilon of ``event`` is that of Renyi orders, not of a privacy loss
    distribution.
    """
    found = releases(event)
    if any(map(silent, found)) or not _orders_are_proved(found, adjacency):
        return False
    return _needs_orders(merged(found), delta, adjacency, resolution)


def _needs_orders(
    found: dict[Release, int], delta: float, adjacency: Adjacency, resolution: tuple[float, int]
) -> bool:
    """Return whether rounding may hide as much as ``delta``, or the losses are too large for the
    library.
    """
    return _USUAL * _transformed(found) > delta / 2 or not _is_representable(
        found, adjacency, resolution
    )


def _transformed(found: dict[Release, int]) -> int:
    """Return how many releases are composed by a transform, which rounds."""
    return sum(times for times in found.values() if times > 1)


def _is_representable(
    found: dict[Release, int], adjacency: Adjacency, resolution: tuple[float, int]
) -> bool:
    """Return whether the exponential of a step of the grid is a float."""
    if basic.total_failures(found)[0] >= 1:
        return False
    for release in found:
        match release:
            case PoissonSampled(event=LaplaceRelease(noise_multiplier=multiplier)) if (
                1 / multiplier > _LARGEST_STEP
            ):
                return False
        size, reach = _size(release, adjacency)
        # Neither a number beyond the limit nor one that is not a number passes.
        if not max(size * resolution[0], reach / resolution[1]) <= _LARGEST_STEP:
            return False
    return True


def _epsilon(found: dict[Release, int], grid: float, delta: float, adjacency: Adjacency) -> float:
    """Epsilon of releases, each as often as it says."""
    total, transformed = _composed(found, grid, adjacency)
    hidden = min(_ROUNDING * transformed, delta / 2)
    with np.errstate(
        over="ignore"
    ):  # the library's next quotient is infinite where it ends its search: no fault
        return float(total.get_epsilon_for_delta(delta - hidden))


def delta_at_zero(
    found: dict[Release, int], adjacency: Adjacency, resolution: tuple[float, int]
) -> float:
    """Delta at epsilon 0 of releases, each as often as it says: an upper bound too, the larger of
    both directions.
    """
    if not _is_representable(found, adjacency, resolution):
        return 1.0
    with np.errstate(over="ignore"):  # of losses beyond 709, whose odds are infinite
        total, transformed = _composed(found, interval(found, adjacency, resolution), adjacency)
    return min(float(total.get_delta_for_epsilon(0.0)) + _ROUNDING * transformed, 1.0)


def _composed(found: dict[Release, int], grid: float, adjacency: Adjacency):
    """(the library's distribution of releases, each as often as it says; how many of them a
    transform has rounded).
    """
    parts = [
        self_composed(distribution(one, grid, adjacency), times) for one, times in found.items()
    ]
    return reduce(lambda one, other: one.compose(other), parts), _transformed(found)


def curve(
    event: Event, *, delta: float, points: int, adjacency: Adjacency
) -> tuple[np.ndarray, np.ndarray] | None:
    """Upper bounds on delta(epsilon) of ``event``, at ``points`` from 0 to its epsilon at
    ``delta``: (epsilon, delta).

    None where that epsilon is 0 or beyond ``_LARGEST``, or where rounding may hide more than
    ``_BLUR`` of delta.
    """
    found = releases(event)
    if any(map(silent, found)):
        return None
    found = merged(found)
    if not _is_representable(found, adjacency, FINE):
        return None
    total, transformed = _composed(found, interval(found, adjacency, FINE), adjacency)
    hidden = _ROUNDING * transformed
    if hidden > _BLUR * delta:
        return None
    with np.errstate(over="ignore"):  # as above
        last = total.get_epsilon_for_delta(delta - hidden)
    if not 0 < last <= _LARGEST:
        return None
    epsilon = np.linspace(0, last, points)
    return epsilon, np.maximum(
        *(_deltas(part, epsilon) for part in (total._pmf_remove, total._pmf_add))
    ) + hidden


def _deltas(part, epsilon: np.ndarray) -> np.ndarray:
    """P[L > epsilon] - e^epsilon E[e^-L; L > epsilon], which the library adds up one point at a
    time.
    """
    dense = part.to_dense_pmf()
    first = max(-dense._lower_loss, 0)  # the point of loss 0, or the lowest
    losses = (dense._lower_loss + np.arange(first, dense.size)) * dense._discretization
    probs = dense._probs[first:]
    above, below = (
        np.append(np.cumsum(one[::-1])[::-1], 0.0) for one in (probs, probs * np.exp(-losses))
    )
    place = np.searchsorted(losses, epsilon, side="right")
    return dense._infinity_mass + above[place] - np.exp(epsilon) * below[place]


def _by_orders(found: dict[Release, int], delta: float, adjacency: Adjacency) -> float:
    """The Renyi bound; infinite for samples under replace-one, for which there is none."""
    if not _orders_are_proved(found, adjacency):
        return math.inf
    event = Sequence(
        events=tuple(Composed(event=release, count=times) for release, times in found.items())
    )
    return float(rdp.renyi(event, np.ones(1), delta=delta, adjacency=adjacency)[0])


def _orders_are_proved(found: dict[Release, int], adjacency: Adjacency) -> bool:
    has_sample = any(isinstance(release, PoissonSampled) for release in found)
    return adjacency is Adjacency.ADD_REMOVE or not has_sample


def merged(found: dict[Release, int]) -> dict[Release, int]:
    """The same, with all Gaussian releases as the one that they are together, exactly."""
    gaussian = {
        release: times for release, times in found.items() if isinstance(release, GaussianRelease)
    }
    if not gaussian:
        return found
    mu = math.sqrt(
        math.fsum(times / release.noise_multiplier**2 for release, times in gaussian.items())
    )
    if not 1 / _LARGEST_MU < mu < _LARGEST_MU:
        return found
    others = {release: times for release, times in found.items() if release not in gaussian}
    return {GaussianRelease(noise_multiplier=1 / mu): 1, **others}


def silent(release: Release) -> bool:
    """Return whether a release, or one inside of it, has no noise."""
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return multiplier == 0
        case PoissonSampled(event=inner):
            return any(silent(one) for one in releases(inner))
        case _:
            return False


@cached
def distribution(release: Release, grid: float, adjacency: Adjacency):
    """The library's privacy loss distribution of one release.

    Without sampling the sensitivity, and so the event, is that of the adjacency. A sample is the
    mixture (1-q) Q + q P against Q under add/remove, both ways [zhu2022, Theorem 11]. Under
    replace-one the library has it for the Gaussian: (1-q) N(0) + q N(-1) against (1-q) N(0) + q
    N(1), in units of one contribution, half of the sensitivity; that no other two contributions are
    told apart better is the library's claim, and tried out in tests/dpcore/accountants/test_pld.py.
    """
    from dp_accounting import NeighboringRelation
    from dp_accounting.pld import privacy_loss_distribution as library

    sampled = {
        "value_discretization_interval": grid,
        "sampling_prob": getattr(release, "rate", 1.0),
    }
    replaced = adjacency is Adjacency.REPLACE_ONE
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return library.from_gaussian_mechanism(multiplier, **sampled)
        case LaplaceRelease(noise_multiplier=multiplier):
            return library.from_laplace_mechanism(multiplier, **sampled)
        case BoundedRangeRelease(epsilon=epsilon):
            return _bounded_range(epsilon, grid)
        case PureRelease(epsilon=epsilon):
            return _randomised_response(epsilon, 0.0, grid)
        case ApproximateRelease(epsilon=epsilon, delta=delta):
            return _randomised_response(epsilon, delta, grid)
        case PoissonSampled(event=GaussianRelease(noise_multiplier=multiplier)) if replaced:
            sd = adjacency.contributions * multiplier
            return library.from_gaussian_mechanism(
                sd, neighboring_relation=NeighboringRelation.REPLACE_ONE, **sampled
            )
        case PoissonSampled(rate=rate, event=inner) if gdp.is_gaussian(inner) and not replaced:
            return _sampled_gaussian(gdp.mu_of_event(inner), rate, grid)
        case PoissonSampled(event=LaplaceRelease(noise_multiplier=multiplier)) if not replaced:
            return library.from_laplace_mechanism(multiplier, **sampled)
        case PoissonSampled() if not replaced and basic.failures(release)[1] == 0:
            epsilon = float(basic.price(release, slack=np.ones(1))[0])
            return _randomised_response(epsilon, basic.failures(release)[0], grid)
        case _:
            raise UnsupportedEventError(
                f"the PLD accountant has no distribution under {adjacency} for {release!r}"
            )


def _sampled_gaussian(mu: float, rate: float, grid: float):
    """A sample of Gaussian releases that together are mu-GDP, on the points of the grid within
    reach of its losses.

    What the library makes of it point by point, from the same two curves delta(x).
    """
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    ends = _sampled_loss(np.array([-_REACH, _REACH + mu]), mu, rate) / grid
    low, high = math.floor(ends[0]), math.ceil(ends[1])
    parts = [
        pld_pmf.create_pmf_pessimistic_connect_dots_fixed_gap(
            grid, first, last, curve(np.arange(first, last + 1) * grid, mu=mu, rate=rate)
        ).to_dense_pmf()  # a dictionary of a thousand numbers would take the cache long to measure
        for first, last, curve in (
            (low, high, with_against_without),
            (-high, -low, without_against_with),
        )
    ]
    return PrivacyLossDistribution(*parts)


# Standard deviations within which all of a Gaussian lies but e^-50, the library's cut: beyond, a
# loss has no bound.
_REACH = -float(ndtri(math.exp(-50) / 2))


def _sampled_loss(z: np.ndarray, mu: float, rate: float) -> np.ndarray:
    """The loss ln((1 - q + q e^{mu z - mu^2/2})) of the output z, in standard deviations of the
    noise.
    """
    return np.logaddexp(math.log1p(-rate), math.log(rate) + mu * z - mu * mu / 2)


def with_against_without(x: np.ndarray, *, mu: float, rate: float) -> np.ndarray:
    """H_{e^x}((1-q) Q + q P || Q) of N(mu, 1) = P and N(0, 1) = Q [zhu2022, Theorem 11].

    It is 1 - e^x where x is at most ln(1-q), and q H_{e^y}(P || Q) above it, with e^y = 1 + (e^x -
    1)/q.
    """
    above = x > math.log1p(-rate)
    inside = rate * gdp.deltas_of(_unsampled(np.where(above, x, 0.0), rate), mu=mu)
    return np.where(above, inside, -np.expm1(np.minimum(x, 0.0)))


def without_against_with(x: np.ndarray, *, mu: float, rate: float) -> np.ndarray:
    """H_{e^x}(Q || (1-q) Q + q P) of N(mu, 1) = P and N(0, 1) = Q [zhu2022, Theorem 11].

    It is 0 where x is at least -ln(1-q), and (1 - (1-q) e^x) H_{e^-y}(Q || P) below, with e^y = 1 +
    (e^-x - 1)/q.
    """
    shift = math.log1p(-rate)
    below = np.where(x < -shift, x, 0.0)
    return np.where(
        x < -shift, -np.expm1(below + shift) * gdp.deltas_of(-_unsampled(-below, rate), mu=mu), 0.0
    )


def _unsampled(x: np.ndarray, rate: float) -> np.ndarray:
    """y with e^y = 1 + (e^x - 1)/q, for x above ln(1-q); e^x may be beyond the range of a float."""
    small, large = np.minimum(x, 1.0), np.maximum(x, 1.0)
    beyond = large - math.log(rate) + np.log1p((rate - 1) * np.exp(-large))
    return np.where(x < 1, np.log1p(np.expm1(small) / rate), beyond)


def _randomised_response(epsilon: float, delta: float, grid: float):
    """The worst mechanism that is (epsilon, delta)-DP [kairouz2015, Theorem 2.1], on the grid
    points around its losses.

    It tells all with probability delta, and else answers rightly with probability p = e^epsilon/(1
    + e^epsilon).
    """
    ends = np.array([-epsilon, epsilon]) / grid
    points = np.unique(np.concatenate([np.floor(ends), np.ceil(ends)])).astype(int)
    x = points * grid
    # (p - e^x (1-p)) between the two losses, 1 - e^x below, 0 above: the curve delta(x) that the
    # dots are put on.
    inside = -np.expm1(np.minimum(x - epsilon, 0)) / (1 + math.exp(-epsilon))
    curve = np.where(x < -epsilon, -np.expm1(np.minimum(x, 0)), inside)
    return _dotted(points, delta + (1 - delta) * curve, grid)


def _bounded_range(epsilon: float, grid: float):
    """The exponential mechanism: delta(x) = (1 - e^{(x-epsilon)/2})^2 / (1 - e^-epsilon) for |x| <=
    epsilon.

    The largest over t, at t = (x + epsilon)/2, of the pairs whose loss is t or t - epsilon, the
    worst of bounded range [durfee2019].
    """
    points = np.arange(-math.ceil(epsilon / grid), math.ceil(epsilon / grid) + 1)
    x = np.clip(points * grid, -epsilon, epsilon)
    inside = np.expm1((x - epsilon) / 2) ** 2 / -math.expm1(-epsilon)
    return _dotted(
        points, np.where(points * grid < -epsilon, -np.expm1(points * grid), inside), grid
    )


def _dotted(points: np.ndarray, curve: np.ndarray, grid: float):
    """The distribution whose delta at ``points`` of the grid is that of the curve: the same in both
    directions.
    """
    from dp_accounting.pld import pld_pmf
    from dp_accounting.pld.privacy_loss_distribution import PrivacyLossDistribution

    return PrivacyLossDistribution(
        pld_pmf.create_pmf_pessimistic_connect_dots(grid, points, np.clip(curve, 0, 1))
    )


# Of the Chernoff bounds: times the number of points, as the library has them.
_ORDERS = np.concatenate([np.arange(-20, 0), np.arange(1, 21)])


def truncation_bounds(probs, times: int, tail: float = 0, orders=None) -> tuple[int, int]:
    """Between which points a sum of ``times`` draws from ``probs`` lies, but for a mass of
    ``tail``: Chernoff's bounds.

    P[S >= s] <= E[e^(t L)]^times e^(-t s). In place of the library's own function, whose general
    logarithm of sums is three quarters of what a composition costs: here no exponent leaves [-20,
    20], and a plain sum is as exact.
    """
    lowest, highest = 0, (len(probs) - 1) * times
    if tail == 0:
        return lowest, highest
    probs = np.asarray(probs)
    orders = _ORDERS / len(probs) if orders is None else np.asarray(orders)
    places = np.arange(len(probs))
    with np.errstate(all="ignore"):
        moments = np.array([np.log(np.exp(order * places) @ probs) for order in orders])
        ends = (times * moments + math.log(2 / tail)) / orders
    below, above = ends[np.isfinite(ends) & (orders < 0)], ends[np.isfinite(ends) & (orders > 0)]
    return max(lowest, *map(math.floor, below)), min(highest, *map(math.ceil, above))


def self_composed(single, times: int):
    """``single`` composed with itself, as the library does it, but for who finds the truncation
    bounds.

    Left to itself the library first takes the size to the power of the count, a whole number of up
    to a million digits, to learn that a distribution is large.
    """
    if times == 1:
        return single
    parts = [single._pmf_remove] if single._symmetric else [single._pmf_remove, single._pmf_add]
    if min(part.size for part in parts) ** 2 <= _SMALL:
        return single.self_compose(times)
    return type(single)(*(_power(part.to_dense_pmf(), times) for part in parts))


def _power(part, times: int):
    """Return the distribution of a sum of ``times`` losses: F^-1[F[p]^times], on a circle as long
    as what is left of it.
    """
    low, high = truncation_bounds(part._probs, times, _TAIL)
    length = fft.next_fast_len(max(high - low + 1, len(part._probs)))
    circle = np.real(fft.ifft(fft.fft(part._probs, length) ** times))
    infinite = _TAIL - math.expm1(times * math.log1p(-part._infinity_mass))
    shape = part._discretization, part._lower_loss * times + low
    return type(part)(
        *shape, np.roll(circle, -low)[: high - low + 1], infinite, part._pessimistic_estimate
    )


def interval(
    found: dict[Release, int], adjacency: Adjacency, resolution: tuple[float, int]
) -> float:
    """The grid for a composition: ``resolution`` times the root mean square of the losses' sizes.

    A little more, so that the loss of a single pure release falls on a grid point and not just
    beyond it; and cut to a few digits, so that equal releases find each other in the cache.
    """
    relative, most = resolution
    sizes = {release: _size(release, adjacency) for release in found}
    total = math.fsum(times * sizes[release][0] ** 2 for release, times in found.items())
    grid = relative * math.sqrt(total / sum(found.values()))
    return float(
        f"{max(grid, *(reach / most for _, reach in sizes.values()), 1e-9) * (1 + 1e-10):.12e}"
    )


@lru_cache(maxsize=256)
def _size(release: Release, adjacency: Adjacency) -> tuple[float, float]:
    """Return how much the loss of one release varies, and how far it reaches."""
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return 1 / multiplier, 20 / multiplier + 1 / multiplier**2
        case LaplaceRelease(noise_multiplier=multiplier):
            return min(1 / multiplier, 1.0), 2 / multiplier
        case PoissonSampled(rate=rate, event=inner) if gdp.is_gaussian(inner):
            mu = gdp.mu_of_event(inner) / adjacency.contributions
            z = np.linspace(-10, 10 + mu, 400)
            loss = _sampled_loss(z, mu, rate)
            with np.errstate(over="ignore", invalid="ignore"):
                weight = np.exp(loss - z * z / 2)
                weight /= weight.sum()
                mean = weight @ loss
                return math.sqrt(weight @ (loss - mean) ** 2), loss[-1] - loss[0]
        case _:
            epsilon = float(basic.price(release, slack=np.ones(1))[0])
            return epsilon, 0.0
