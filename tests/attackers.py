"""The best attacker of an event, without the engine.

Each loss is on a grid, and all of them are composed by one Fourier transform.

A loss L = ln(P/Q) is known by P[L > x]. Its mass is put on the two nearest points so that the mean
stays; the total variation distance is E_P[(1 - e^-L)_+]. The grid is so fine that both are off by
less than 1e-4.
"""

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy import fft, stats

from dpcore.privacy import (
    Adjacency,
    ApproximateRelease,
    BoundedRangeRelease,
    Event,
    GaussianRelease,
    Guarantee,
    LaplaceRelease,
    NormExponentialRelease,
    PoissonSampled,
    PureRelease,
    releases,
)
from tests.sentences import Rules

_POINTS = 2**19


@cache
def right(event: Event, adjacency: Adjacency) -> float:
    """Return the accuracy (1 + TV)/2 of the best attacker on the worst neighbours."""
    times_of_release = releases(event)
    if all(isinstance(release, GaussianRelease) for release in times_of_release):
        return float(stats.norm.cdf(_mu(times_of_release) / 2))
    match [*times_of_release.items()]:
        case [(NormExponentialRelease(epsilon=epsilon, dimension=dimension), 1)]:
            return _one_coordinate(epsilon, dimension)
    return (1 + _distance(times_of_release, adjacency)) / 2


def _mu(times_of_release: dict) -> float:
    """Return mu of Gaussian releases together."""
    squared = 0.0
    for release, times in times_of_release.items():
        if not release.noise_multiplier:
            return math.inf
        squared += times / release.noise_multiplier**2
    return math.sqrt(squared)


def _one_coordinate(epsilon: float, dimension: int) -> float:
    """Return the accuracy against norm-exponential noise.

    The attacker is right where the noise along the change is less than half of it:
    1/2 + E[F(epsilon / (2 |u|))] / 2, with the law F of Gamma(d) and a coordinate u of a random
    direction.
    """
    levels = (np.arange(50_000) + 0.5) / 50_000
    u = 1.0
    if dimension > 1:
        u = np.sqrt(stats.beta.ppf(levels, 0.5, (dimension - 1) / 2))
    return 0.5 + float(np.mean(stats.gamma.cdf(epsilon / (2 * u), dimension))) / 2


class Losses(NamedTuple):
    """The privacy loss of a release.

    Attributes:
        values: Losses.
        mass: Their probabilities, which sum to 1.
        revealed: Probability that the release reveals the data.
    """

    values: np.ndarray
    mass: np.ndarray
    revealed: float = 0.0

    @property
    def mean(self) -> float:
        """Return the mean of the losses."""
        return float(self.mass @ self.values)

    @property
    def variance(self) -> float:
        """Return the variance of the losses."""
        return float(self.mass @ (self.values - self.mass @ self.values) ** 2)

    @property
    def reach(self) -> float:
        """Return the largest absolute loss that is not next to impossible."""
        return np.abs(self.values[self.mass > 1e-9]).max()


def _distance(times_of_release: dict, adjacency: Adjacency) -> float:
    """Return the total variation distance of all releases together."""
    losses = [(_losses(release, adjacency), times) for release, times in times_of_release.items()]
    mean = sum(times * loss.mean for loss, times in losses)
    sd = math.sqrt(sum(times * loss.variance for loss, times in losses))
    widest = max(loss.reach for loss, _ in losses)
    reach = max(14 * sd, 1.05 * (widest + abs(mean)))
    step = 2 * reach / _POINTS
    transform = np.ones(_POINTS // 2 + 1, dtype=complex)
    log_not_revealed = 0.0
    for loss, times in losses:
        transform *= fft.rfft(_on_circle(loss.values, loss.mass, step)) ** times
        log_not_revealed += times * math.log1p(-loss.revealed)
    pmf = fft.irfft(transform, _POINTS)
    # On the circle each point stands for the loss that is nearest to the mean.
    x = np.arange(_POINTS) * step
    x -= np.round((x - mean) / (2 * reach)) * 2 * reach
    distance = float(pmf @ -np.expm1(-np.maximum(x, 0)))
    return 1 - math.exp(log_not_revealed) * (1 - distance)


def _on_circle(x: np.ndarray, mass: np.ndarray, step: float) -> np.ndarray:
    """Return the masses on the points of a circle, each divided among the two nearest ones."""
    below = np.floor(x / step)
    share_above = x / step - below
    on_circle = np.zeros(_POINTS)
    np.add.at(on_circle, below.astype(int) % _POINTS, mass * (1 - share_above))
    np.add.at(on_circle, (below + 1).astype(int) % _POINTS, mass * share_above)
    return on_circle


def _losses(release: Any, adjacency: Adjacency) -> Losses:
    """Return the losses of one release under the first of the worst neighbours."""
    match release:
        case GaussianRelease(noise_multiplier=multiplier):
            return _of_gaussian(multiplier)
        case LaplaceRelease(noise_multiplier=scale):
            return _of_laplace(scale)
        case BoundedRangeRelease(epsilon=epsilon):
            return _of_bounded_range(epsilon)
        case NormExponentialRelease(epsilon=epsilon, dimension=dimension):
            return _of_norm_exponential(epsilon, dimension)
        case PureRelease(epsilon=epsilon):
            return _of_randomised_response(epsilon)
        case ApproximateRelease(epsilon=epsilon, delta=delta):
            return _of_randomised_response(max(epsilon, 1e-12))._replace(revealed=delta)
        case PoissonSampled(rate=rate, event=inner):
            mu = _mu(releases(inner))
            if adjacency is Adjacency.REPLACE_ONE:
                return _replaced_in_a_sample(rate, mu / 2)
            return _added_to_a_sample(rate, mu)
    raise TypeError(release)


def _of_gaussian(multiplier: float) -> Losses:
    """Return the losses of a release with Gaussian noise of this multiplier."""
    z = np.linspace(-9, 9, 20_001)
    return Losses(z / multiplier + 0.5 / multiplier**2, _weights(stats.norm.pdf(z)))


def _of_laplace(scale: float) -> Losses:
    """Return the losses of a Laplace release, with noise of ``scale`` times the sensitivity."""
    levels = (np.arange(20_000) + 0.5) / 20_000
    output = stats.laplace.ppf(levels)
    return Losses(np.abs(output + 1 / scale) - np.abs(output), _weights(np.ones_like(levels)))


def _of_bounded_range(epsilon: float) -> Losses:
    """Return losses with the largest delta(x) that epsilon-bounded range allows, at every x."""
    x = np.linspace(-epsilon, epsilon, 20_001)
    survival = np.expm1((x - epsilon) / 2) / math.expm1(-epsilon)
    middles = (x[1:] + x[:-1]) / 2
    return Losses(middles, survival[:-1] - survival[1:])


def _of_norm_exponential(epsilon: float, dimension: int) -> Losses:
    """Return the losses of a million draws of the noise."""
    rng = np.random.default_rng(0)
    r = rng.gamma(dimension, 1 / epsilon, 10**6)
    u = rng.normal(size=10**6)
    u /= np.sqrt(u**2 + rng.chisquare(max(dimension - 1, 1e-9), 10**6))
    x = epsilon * (np.sqrt(r**2 - 2 * r * u + 1) - r)
    return Losses(x, _weights(np.ones_like(x)))


def _of_randomised_response(epsilon: float) -> Losses:
    """Return the losses of a randomised answer to a yes-no question, epsilon and -epsilon."""
    odds = np.array([1, math.exp(-epsilon)])
    return Losses(np.array([epsilon, -epsilon]), odds / (1 + math.exp(-epsilon)))


def _added_to_a_sample(rate: float, mu: float) -> Losses:
    """Return the losses of a sampled sum with one more contribution of this mu."""
    z = np.linspace(-9, 9 + mu, 40_001)
    mixture = (1 - rate) * stats.norm.pdf(z) + rate * stats.norm.pdf(z - mu)
    loss = np.logaddexp(math.log1p(-rate), math.log(rate) + mu * z - mu * mu / 2)
    return Losses(loss, _weights(mixture))


def _replaced_in_a_sample(rate: float, mu: float) -> Losses:
    """Return the losses of a sampled sum in which a contribution becomes its opposite."""
    z = np.linspace(-9 - mu, 9 + mu, 40_001)
    not_sampled = math.log1p(-rate) - z**2 / 2
    sampled = math.log(rate) - (z - mu) ** 2 / 2
    opposite_sampled = math.log(rate) - (z + mu) ** 2 / 2
    likely = np.logaddexp(not_sampled, sampled)
    unlikely = np.logaddexp(not_sampled, opposite_sampled)
    return Losses(likely - unlikely, _weights(np.exp(likely)))


def _weights(density: np.ndarray) -> np.ndarray:
    """Return a density on a grid as masses that sum to 1."""
    return density / density.sum()


def close(guarantee: Guarantee, percent: str) -> bool:
    """Return whether a page says the accuracy, rounded up to a whole number that may be 0.1 off."""
    excess = float(percent) - 100 * right(guarantee.event, guarantee.adjacency)
    return -0.1 <= excess <= 1.1


def rules(guarantee_of: Callable[[Any], Guarantee]) -> Rules:
    """Return what a page may say of the best attacker against the guarantee of a result."""

    def is_accuracy_of_event(result: Any, match: re.Match) -> bool:
        """Return whether the percentage is that of the event's best attacker, rounded up."""
        return close(guarantee_of(result), match[1])

    def is_certain(result: Any, match: re.Match) -> bool:
        """Return whether the best attacker on the event is right practically every time."""
        guarantee = guarantee_of(result)
        return right(guarantee.event, guarantee.adjacency) > 0.9995 - 0.001

    def is_accuracy_of_epsilon(result: Any, match: re.Match) -> bool:
        """Return whether the percentage is the largest one of the guarantee, rounded up."""
        percent = 100.0
        if not match[1].startswith("practically"):
            percent = float(match[1])
        return -0.05 <= percent - 100 * guarantee_of(result).attacker_accuracy < 1 + 1e-6

    return {
        r"(?:best attacker|an attacker deciding [^.]*) is right (?:at most |only )?([\d.]*\d) %": (
            is_accuracy_of_event
        ),
        r"with this epsilon(?: and delta)? is (practically 100|[\d.]+) %": is_accuracy_of_epsilon,
        r"(?<!become right )practically every time": is_certain,
    }
