"""Compose privacy loss distributions numerically, with the library dp-accounting.

The privacy loss of an output is the logarithm of the ratio of its densities on two neighbouring
data sets. The losses of several releases add up. The library rounds losses to a grid so that no
epsilon comes out too small ("connect the dots" [doroshenko2022]) and adds them by Fourier
transforms. This module chooses the grid and bounds what the rounding of a transform may hide.
`pld_distributions` has the distribution of one release, and `pld_composition` adds it to itself.
"""

import math
from collections.abc import Mapping
from functools import lru_cache

import numpy as np

from dpcore import check
from dpcore.accountants import basic, gdp, rdp
from dpcore.accountants.pld_composition import self_composed
from dpcore.accountants.pld_distributions import distribution, sampled_loss
from dpcore.privacy import (
    Adjacency,
    Composed,
    Event,
    GaussianRelease,
    LaplaceRelease,
    PoissonSampled,
    Release,
    Sequence,
    releases,
)

Resolution = tuple[float, int]

# (step of the grid over the root mean square of one step's loss, most points of one release).
# Rounding adds at most about step^2/6 to the variance of a loss. The first adds 2 in 1,000 to it,
# the second 1 in 10,000, and about half as much to epsilon.
COARSE: Resolution = (0.1, 20_000)
FINE: Resolution = (0.02, 200_000)
# The library's transform may hide this much of delta in each step by rounding. Seen are 1.2e-16 at
# worst and mostly 3.3e-17, and not the same on every processor.
_ROUNDING = 1.5e-16
# At most half of delta is set aside for rounding. Where even this usual amount takes more, there
# is no bound.
_USUAL_ROUNDING = 5e-17
# The largest epsilon of a curve, because e^epsilon must be a float.
_LARGEST_EPSILON = 700.0
# The largest share of delta that rounding may hide at the end of a curve. It moves the end as much
# as a mu that is 0.1 % larger.
_LARGEST_HIDDEN_SHARE = 0.05
# The largest step of a grid, and the largest loss of a sample of Laplace noise, because e^step must
# be a float.
_LARGEST_STEP = 700.0
# Gaussian releases are merged up to this mu, because its square must be a float.
_LARGEST_MU = 1e90
# The smallest step of a grid.
_SMALLEST_STEP = 1e-9
# Makes the step a little larger, so that the loss of a single pure release falls on a point of the
# grid and not just beyond it.
_STEP_MARGIN = 1 + 1e-10
# Gaussian noise beyond this many standard deviations is ignored where the size of a loss is
# estimated, and a sampled loss is estimated from this many points.
_REACH = 10
_POINTS_OF_SIZE = 400


def coarse(event: Event, counts: np.ndarray, *, delta: float, adjacency: Adjacency) -> np.ndarray:
    """Return `epsilons` on a coarse grid, for a slider that moves.

    They are upper bounds too, mostly less than 0.2 % above the fine ones.

    >>> from dpcore.privacy import GaussianRelease, PoissonSampled
    >>> step = PoissonSampled(rate=0.01, event=GaussianRelease(noise_multiplier=4.0))
    >>> coarse(step, np.array([10_000]), delta=1e-5, adjacency=Adjacency.ADD_REMOVE).round(2)
    array([0.95])
    """
    return epsilons(event, counts, delta=delta, adjacency=adjacency, resolution=COARSE)


def epsilons(
    event: Event,
    counts: np.ndarray,
    *,
    delta: float,
    adjacency: Adjacency,
    resolution: Resolution = FINE,
) -> np.ndarray:
    """Return the epsilon of ``event`` composed each of ``counts`` times.

    delta(epsilon) = E_{L ~ P-loss} [ (1 - e^{epsilon - L})_+ ], where the loss of a composition is
    the sum of the losses, and P and Q dominate every neighbouring pair of outputs [zhu2022, Theorem
    10]. Each epsilon is an upper bound on any grid: the delta that rounding may hide is subtracted
    first, and Renyi orders take over where rounding could hide all of it.

    >>> from dpcore.privacy import GaussianRelease, PoissonSampled
    >>> step = PoissonSampled(rate=0.01, event=GaussianRelease(noise_multiplier=4.0))
    >>> epsilons(step, np.array([10_000]), delta=1e-5, adjacency=Adjacency.ADD_REMOVE).round(3)
    array([0.947])
    """
    check.delta(delta=delta)
    counts_of = releases(event)
    if any(is_noiseless(release) for release in counts_of):
        return np.full(len(counts), math.inf)
    values = []
    for count in counts:
        composed = {release: int(count) * times for release, times in counts_of.items()}
        composed = merged(composed)
        if _needs_orders(composed, delta, adjacency, resolution):
            values.append(_epsilon_by_orders(composed, delta, adjacency))
        else:
            step = interval(composed, adjacency, resolution)
            values.append(_epsilon(composed, step, delta, adjacency))
    return np.array(values)


def is_by_orders(
    event: Event, *, delta: float, adjacency: Adjacency, resolution: Resolution = FINE
) -> bool:
    """Return whether `epsilons` takes the epsilon of ``event`` from Renyi orders."""
    counts_of = releases(event)
    if any(is_noiseless(release) for release in counts_of):
        return False
    if not _orders_are_proved(counts_of, adjacency):
        return False
    return _needs_orders(merged(counts_of), delta, adjacency, resolution)


def delta_at_zero(
    counts_of: Mapping[Release, int], adjacency: Adjacency, resolution: Resolution
) -> float:
    """Return an upper bound on delta at epsilon 0, the larger one of both directions.

    counts_of: release -> how often it is made.
    """
    if not _is_representable(counts_of, adjacency, resolution):
        return 1.0
    with np.errstate(over="ignore"):  # losses beyond 709 have infinite odds
        step = interval(counts_of, adjacency, resolution)
        total = _composed(counts_of, step, adjacency)
    delta = float(total.get_delta_for_epsilon(0.0))
    return min(delta + _ROUNDING * _count_of_transformed(counts_of), 1.0)


def curve(
    event: Event, *, delta: float, points: int, adjacency: Adjacency
) -> tuple[np.ndarray, np.ndarray] | None:
    """Return (epsilons, deltas), upper bounds on the curve delta(epsilon) of ``event``.

    The ``points`` go from epsilon 0 to the epsilon at ``delta``. The result is None where that
    epsilon is 0 or too large for a float, or where rounding may hide too much of delta.
    """
    counts_of = releases(event)
    if any(is_noiseless(release) for release in counts_of):
        return None
    counts_of = merged(counts_of)
    if not _is_representable(counts_of, adjacency, FINE):
        return None
    total = _composed(counts_of, interval(counts_of, adjacency, FINE), adjacency)
    hidden = _ROUNDING * _count_of_transformed(counts_of)
    if hidden > _LARGEST_HIDDEN_SHARE * delta:
        return None
    last = _epsilon_of(total, delta - hidden)
    if not 0 < last <= _LARGEST_EPSILON:
        return None
    epsilon = np.linspace(0, last, points)
    of_removal = _deltas(total._pmf_remove, epsilon)
    of_addition = _deltas(total._pmf_add, epsilon)
    deltas = np.maximum(of_removal, of_addition)
    return epsilon, deltas + hidden


def merged(counts_of: Mapping[Release, int]) -> dict[Release, int]:
    """Return the same releases with all Gaussian ones merged, exactly, into a single one."""
    gaussian: dict[GaussianRelease, int] = {}
    others: dict[Release, int] = {}
    for release, times in counts_of.items():
        if isinstance(release, GaussianRelease):
            gaussian[release] = times
        else:
            others[release] = times
    if not gaussian:
        return others
    squares = [times / release.noise_multiplier**2 for release, times in gaussian.items()]
    mu = math.sqrt(math.fsum(squares))
    if not 1 / _LARGEST_MU < mu < _LARGEST_MU:
        return dict(counts_of)
    return {GaussianRelease(noise_multiplier=1 / mu): 1, **others}


def is_noiseless(release: Release) -> bool:
    """Return whether a release, or one of those that it samples for, has no noise."""
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return multiplier == 0
        case PoissonSampled(event=inner):
            return any(is_noiseless(part) for part in releases(inner))
        case _:
            return False


def interval(
    counts_of: Mapping[Release, int], adjacency: Adjacency, resolution: Resolution
) -> float:
    """Return the step of the grid for a composition, in nats.

    It is the first number of ``resolution`` times the root mean square of the sizes of all losses,
    with few enough digits that equal releases find each other in the cache.
    """
    relative, most_points = resolution
    squares = []
    least_steps = [_SMALLEST_STEP]
    for release, times in counts_of.items():
        size, reach = _size(release, adjacency)
        squares.append(times * size**2)
        least_steps.append(reach / most_points)
    mean_square = math.fsum(squares) / sum(counts_of.values())
    step = max(relative * math.sqrt(mean_square), *least_steps)
    return float(f"{step * _STEP_MARGIN:.12e}")


@lru_cache(maxsize=256)
def _size(release: Release, adjacency: Adjacency) -> tuple[float, float]:
    """Return (standard deviation of the loss of one release, roughly; its range)."""
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return 1 / multiplier, 2 * _REACH / multiplier + 1 / multiplier**2
        case LaplaceRelease(noise_multiplier=multiplier):
            return min(1 / multiplier, 1.0), 2 / multiplier
        case PoissonSampled(rate=rate, event=inner) if gdp.is_gaussian(inner):
            mu = gdp.mu_of_event(inner) / adjacency.contributions
            return _size_of_sampled_gaussian(mu, rate)
        case _:
            epsilon = basic.pure_price(release)
            return epsilon, 0.0


def _size_of_sampled_gaussian(mu: float, rate: float) -> tuple[float, float]:
    """Return (standard deviation, range) of the privacy loss of a sampled Gaussian release."""
    z = np.linspace(-_REACH, _REACH + mu, _POINTS_OF_SIZE)
    loss = sampled_loss(z, mu, rate)
    with np.errstate(over="ignore", invalid="ignore"):
        weight = np.exp(loss - z * z / 2)
        weight /= weight.sum()
        mean = weight @ loss
        sd = math.sqrt(weight @ (loss - mean) ** 2)
    return sd, loss[-1] - loss[0]


def _composed(counts_of: Mapping[Release, int], step: float, adjacency: Adjacency):
    """Return the library's distribution of all releases together."""
    total = None
    for release, times in counts_of.items():
        part = self_composed(distribution(release, step, adjacency), times)
        if total is None:
            total = part
        else:
            total = total.compose(part)
    return total


def _epsilon(
    counts_of: Mapping[Release, int], step: float, delta: float, adjacency: Adjacency
) -> float:
    """Return the epsilon on a grid of ``step``, with what rounding may hide taken off ``delta``."""
    total = _composed(counts_of, step, adjacency)
    hidden = min(_ROUNDING * _count_of_transformed(counts_of), delta / 2)
    return _epsilon_of(total, delta - hidden)


def _epsilon_of(total, delta: float) -> float:
    """Return the smallest epsilon at which a distribution of losses has at most ``delta``."""
    # Where the library ends its search, its next quotient is infinite, which is no fault.
    with np.errstate(over="ignore"):
        return float(total.get_epsilon_for_delta(delta))


def _deltas(pmf, epsilon: np.ndarray) -> np.ndarray:
    """Return P[L > epsilon] - e^epsilon E[e^-L; L > epsilon] at each epsilon.

    The library computes the same for one epsilon at a time.
    """
    dense = pmf.to_dense_pmf()
    first = max(-dense._lower_loss, 0)  # the point of loss 0, or the lowest
    losses = (dense._lower_loss + np.arange(first, dense.size)) * dense._discretization
    probabilities = dense._probs[first:]
    above = _sums_from_each_point_on(probabilities)
    below = _sums_from_each_point_on(probabilities * np.exp(-losses))
    index = np.searchsorted(losses, epsilon, side="right")
    return dense._infinity_mass + above[index] - np.exp(epsilon) * below[index]


def _sums_from_each_point_on(values: np.ndarray) -> np.ndarray:
    """Return the sums of ``values[i:]``, of which the last one, of nothing, is 0."""
    sums = np.cumsum(values[::-1])[::-1]
    return np.append(sums, 0.0)


def _needs_orders(
    counts_of: Mapping[Release, int], delta: float, adjacency: Adjacency, resolution: Resolution
) -> bool:
    """Return whether rounding may hide all of ``delta``, or the losses are too large for floats."""
    if _USUAL_ROUNDING * _count_of_transformed(counts_of) > delta / 2:
        return True
    return not _is_representable(counts_of, adjacency, resolution)


def _count_of_transformed(counts_of: Mapping[Release, int]) -> int:
    """Return how many releases are composed by a transform, which rounds."""
    return sum(times for times in counts_of.values() if times > 1)


def _is_representable(
    counts_of: Mapping[Release, int], adjacency: Adjacency, resolution: Resolution
) -> bool:
    """Return whether e^step of the grid, and each loss that the library needs, is a float."""
    if basic.total_failures(counts_of).fixed >= 1:
        return False
    relative, most_points = resolution
    for release in counts_of:
        match release:
            case PoissonSampled(event=LaplaceRelease(noise_multiplier=multiplier)):
                if 1 / multiplier > _LARGEST_STEP:
                    return False
        size, reach = _size(release, adjacency)
        step = max(size * relative, reach / most_points)
        if not step <= _LARGEST_STEP:  # nor is NaN representable
            return False
    return True


def _epsilon_by_orders(
    counts_of: Mapping[Release, int], delta: float, adjacency: Adjacency
) -> float:
    """Return the epsilon by Renyi orders; infinite where they have no proof."""
    if not _orders_are_proved(counts_of, adjacency):
        return math.inf
    events = []
    for release, times in counts_of.items():
        events.append(Composed(event=release, count=times))
    event = Sequence(events=tuple(events))
    (epsilon,) = rdp.renyi(event, np.ones(1), delta=delta, adjacency=adjacency)
    return float(epsilon)


def _orders_are_proved(counts_of: Mapping[Release, int], adjacency: Adjacency) -> bool:
    """Return whether Renyi orders have a proof; they have none for samples under replace-one."""
    if adjacency is Adjacency.ADD_REMOVE:
        return True
    return not any(isinstance(release, PoissonSampled) for release in counts_of)
