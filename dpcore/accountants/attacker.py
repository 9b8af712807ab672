"""The best attacker: the largest share of right answers to "which of two neighbouring data sets was
used?".

An attacker who sees everything that is released, and holds both to be equally likely, is right (1 +
TV)/2 of the time at most. TV, the total variation distance of what is released, is delta at epsilon
0.
"""

import math
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


class Attacker(NamedTuple):
    """right: the largest share of right answers. known: what it holds for: this "noise"; several
    "parts", of some of which only epsilon is known; or any mechanism with this "epsilon" and delta.
    """

    right: float
    known: str


def best_attacker(held: privacy.Guarantee) -> Attacker:
    """The best attacker against ``held.event``; where no accountant has its loss, what ``held``
    allows.
    """
    try:
        right = (1 + _distance(held.event, held.adjacency)) / 2
    except privacy.UnsupportedEventError:
        return Attacker(held.attacker_accuracy, "epsilon")
    found = privacy.releases(held.event)
    alone = sum(found.values()) == 1
    if not any(_by_epsilon(one, alone) for one in found):
        return Attacker(right, "noise")
    return Attacker(min(right, held.attacker_accuracy), "epsilon" if alone else "parts")


def _by_epsilon(one: privacy.Release, alone: bool) -> bool:
    """Return whether a release counts by its epsilon and delta only."""
    if isinstance(one, privacy.PoissonSampled):
        return not (gdp.is_gaussian(one.event) or isinstance(one.event, privacy.LaplaceRelease))
    vector = alone and isinstance(one, privacy.NormExponentialRelease)
    return isinstance(one, privacy.PureRelease | privacy.ApproximateRelease) and not vector


@cached
def _distance(event: privacy.Event, adjacency: privacy.Adjacency) -> float:
    """TV of the worst neighbours, on the safe side of rounding.

    A pure release tells the truth with probability p = e^epsilon/(1 + e^epsilon) at most
    [kairouz2015]; where H_{e^x} is the profile of all others, TV is p H_{e^-epsilon} + (1-p)
    H_{e^epsilon}.
    """
    found = privacy.releases(event)
    if any(map(pld.silent, found)):
        return 1.0
    found = pld.merged(found)
    pure = {one: times for one, times in found.items() if type(one) is privacy.PureRelease}
    match [one for one in found.items() if one[0] not in pure]:
        case [(privacy.GaussianRelease(noise_multiplier=multiplier), _)] if sum(pure.values()) < 2:
            profile = lambda x: gdp.deltas_of(x, mu=1 / multiplier)  # noqa: E731
        case [(privacy.LaplaceRelease(noise_multiplier=multiplier), 1)] if not pure:
            return -math.expm1(-0.5 / multiplier)
        case [(privacy.NormExponentialRelease(epsilon=noise, dimension=dimension), 1)]:
            profile = lambda x: _norm_exponential(x, noise, dimension)  # noqa: E731
        case _:
            return pld.delta_at_zero(found, adjacency, _GRID if len(found) == 1 else pld.FINE)
    epsilon = math.fsum(one.epsilon * times for one, times in pure.items())
    p = 1 / (1 + math.exp(-epsilon))
    return float(np.array([p, 1 - p]) @ profile(np.array([-epsilon, epsilon])))


def _norm_exponential(x: np.ndarray, epsilon: float, dimension: int) -> np.ndarray:
    """P[L > x] - e^x P[L < -x], L = epsilon (||b - e|| - ||b||) of noise b and a change e of length
    1.

    ||b|| = r ~ Gamma(d, 1/epsilon), at the middles of 2,000 equal parts; of its direction, u_1^2 ~
    Beta(1/2, (d-1)/2). Within 4e-5 of exact, which ``_MARGIN`` puts on the safe side.
    """
    r = gammaincinv(dimension, (np.arange(2000) + 0.5) / 2000) / epsilon

    def beyond(loss: np.ndarray) -> np.ndarray:
        far = r + loss[:, None] / epsilon
        end = np.where(far > 0, (r**2 + 1 - far**2) / (2 * r), 1)  # of u_1
        within = betainc(0.5, max(dimension - 1, 1e-9) / 2, np.minimum(end**2, 1))
        return ((1 + np.sign(end) * within) / 2).mean(axis=1)

    return np.clip(beyond(x) - np.exp(x) * (1 - beyond(-x)) + _MARGIN, 0, 1)
