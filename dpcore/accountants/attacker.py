"""Bound the accuracy of the best attacker, who tells which of two neighbouring data sets was used.

An attacker who sees everything that is released, and holds both to be equally likely, is right in a
share of at most (1 + TV)/2. TV, the total variation distance of the outputs, is delta at epsilon 0.
"""

import math
from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.special import betainc, gammaincinv

from dpcore import privacy
from dpcore.accountants import gdp, pld
from dpcore.cache import cached

# Without a closed form, the result for one kind of release is within .05 points of exact. The grid
# follows the largest losses, so several kinds of releases need a finer one.
_GRID = (0.05, 100_000)
_MARGIN = 5e-5
# Equally likely parts of the length of the noise.
_PARTS = 2000
# Stands for the shape 0 of the directions in one dimension.
_TINY_SHAPE = 1e-9


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
    match list(others.items()):
        case [(privacy.GaussianRelease(noise_multiplier=multiplier), _)] if sum(pure.values()) < 2:
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
