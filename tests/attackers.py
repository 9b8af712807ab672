"""The best attacker of an event, found without the engine: each loss on a grid, all of them by one
Fourier transform.

A loss L = ln(P/Q) is known by P[L > x]. Its mass is put on the two nearest points so that the mean
stays; the total variation distance is E_P[(1 - e^-L)_+]. The grid is so fine that both are off by
less than 1e-4.
"""

import math
import re
from collections.abc import Callable
from functools import cache
from typing import Any

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
    """(1 + TV)/2 of the worst neighbours."""
    found = releases(event)
    if all(isinstance(one, GaussianRelease) for one in found):
        return float(stats.norm.cdf(_mu(found) / 2))
    match [*found.items()]:
        case [(NormExponentialRelease(epsilon=epsilon, dimension=dimension), 1)]:
            return _one_coordinate(epsilon, dimension)
    return (1 + _distance(found, adjacency)) / 2


def _mu(found: dict) -> float:
    squared = 0.0
    for release, times in found.items():
        if not release.noise_multiplier:
            return math.inf
        squared += times / release.noise_multiplier**2
    return math.sqrt(squared)


def _one_coordinate(epsilon: float, dimension: int) -> float:
    """Right where the noise along the change is less than half of it: 1/2 + E[F(epsilon / (2 |u|))]
    / 2, F the law of Gamma(d), u a coordinate of a random direction.
    """
    places = (np.arange(50_000) + 0.5) / 50_000
    u = 1.0
    if dimension > 1:
        u = np.sqrt(stats.beta.ppf(places, 0.5, (dimension - 1) / 2))
    return 0.5 + float(np.mean(stats.gamma.cdf(epsilon / (2 * u), dimension))) / 2


def _distance(found: dict, adjacency: Adjacency) -> float:
    losses = [(*_loss(one, adjacency), times) for one, times in found.items()]
    mean = sum(times * float(mass @ x) for x, mass, _, times in losses)
    sd = math.sqrt(sum(times * float(mass @ (x - mass @ x) ** 2) for x, mass, _, times in losses))
    widest = max(np.abs(x[mass > 1e-9]).max() for x, mass, _, _ in losses)
    reach = max(14 * sd, 1.05 * (widest + abs(mean)))
    step = 2 * reach / _POINTS
    product, told = np.ones(_POINTS // 2 + 1, dtype=complex), 0.0
    for x, mass, surely, times in losses:
        product *= fft.rfft(_placed(x, mass, step)) ** times
        told += times * math.log1p(-surely)
    pmf = fft.irfft(product, _POINTS)
    # On the circle each place stands for the loss that is nearest to the mean.
    x = np.arange(_POINTS) * step
    x -= np.round((x - mean) / (2 * reach)) * 2 * reach
    return 1 - math.exp(told) * (1 - float(pmf @ -np.expm1(-np.maximum(x, 0))))


def _placed(x: np.ndarray, mass: np.ndarray, step: float) -> np.ndarray:
    """The masses on the circle, each divided among the two points beside it."""
    low = np.floor(x / step)
    above = x / step - low
    placed = np.zeros(_POINTS)
    for place, part in ((low, 1 - above), (low + 1, above)):
        np.add.at(placed, place.astype(int) % _POINTS, mass * part)
    return placed


def _loss(one: Any, adjacency: Adjacency) -> tuple[np.ndarray, np.ndarray, float]:
    """(losses, their probabilities, the probability that all is told)."""
    match one:
        case GaussianRelease(noise_multiplier=multiplier):
            z = np.linspace(-9, 9, 20_001)
            return z / multiplier + 0.5 / multiplier**2, _weights(stats.norm.pdf(z)), 0.0
        case LaplaceRelease(noise_multiplier=scale):
            z = (np.arange(20_000) + 0.5) / 20_000
            output = stats.laplace.ppf(z)
            return np.abs(output + 1 / scale) - np.abs(output), _weights(np.ones_like(z)), 0.0
        case BoundedRangeRelease(epsilon=epsilon):
            x = np.linspace(-epsilon, epsilon, 20_001)
            survival = np.expm1((x - epsilon) / 2) / math.expm1(-epsilon)
            return (x[1:] + x[:-1]) / 2, survival[:-1] - survival[1:], 0.0
        case NormExponentialRelease(epsilon=epsilon, dimension=dimension):
            rng = np.random.default_rng(0)
            r, u = rng.gamma(dimension, 1 / epsilon, 10**6), rng.normal(size=10**6)
            u /= np.sqrt(u**2 + rng.chisquare(max(dimension - 1, 1e-9), 10**6))
            x = epsilon * (np.sqrt(r**2 - 2 * r * u + 1) - r)
            return x, _weights(np.ones_like(x)), 0.0
        case PureRelease(epsilon=epsilon):
            return (
                np.array([epsilon, -epsilon]),
                np.array([1, math.exp(-epsilon)]) / (1 + math.exp(-epsilon)),
                0.0,
            )
        case ApproximateRelease(epsilon=epsilon, delta=delta):
            return *_loss(PureRelease(epsilon=max(epsilon, 1e-12)), adjacency)[:2], delta
        case PoissonSampled(rate=rate, event=inner):
            mu = _mu(releases(inner))
            if adjacency is Adjacency.REPLACE_ONE:
                return _replaced_in_a_sample(rate, mu / 2)
            z = np.linspace(-9, 9 + mu, 40_001)
            mixture = (1 - rate) * stats.norm.pdf(z) + rate * stats.norm.pdf(z - mu)
            return (
                np.logaddexp(math.log1p(-rate), math.log(rate) + mu * z - mu * mu / 2),
                _weights(mixture),
                0.0,
            )
    raise TypeError(one)


def _replaced_in_a_sample(rate: float, mu: float) -> tuple[np.ndarray, np.ndarray, float]:
    """As ``_loss``. mu: of one contribution; the other one that is sampled is opposite to it."""
    z = np.linspace(-9 - mu, 9 + mu, 40_001)
    none = math.log1p(-rate) - z**2 / 2
    one, other = (math.log(rate) - (z - shift) ** 2 / 2 for shift in (mu, -mu))
    likely, unlikely = np.logaddexp(none, one), np.logaddexp(none, other)
    return likely - unlikely, _weights(np.exp(likely)), 0.0


def _weights(density: np.ndarray) -> np.ndarray:
    return density / density.sum()


def close(held: Guarantee, said: str) -> bool:
    """Whether a page says the number, rounded up to a whole one: its own may be .1 off."""
    return -0.1 <= float(said) - 100 * right(held.event, held.adjacency) <= 1.1


def rules(held: Callable[[Any], Guarantee]) -> Rules:
    """What a page may say of the best attacker, where ``held`` gives what a result guarantees."""

    def known(result: Any, match: re.Match) -> bool:
        return close(held(result), match[1])

    def above(share: float) -> Callable[[Any, re.Match], bool]:
        return lambda r, _: right(held(r).event, held(r).adjacency) > share - 0.001

    def alone(result: Any, match: re.Match) -> bool:
        percent = 100.0
        if not match[1].startswith("practically"):
            percent = float(match[1])
        return -0.05 <= percent - 100 * held(result).attacker_accuracy < 1 + 1e-6

    return {
        r"(?:best attacker|an attacker deciding [^.]*) is right (?:at most |only )?([\d.]*\d) %": (
            known
        ),
        r"with this epsilon(?: and delta)? is (practically 100|[\d.]+) %": alone,
        r"(?<!become right )practically every time": above(0.9995),
    }
