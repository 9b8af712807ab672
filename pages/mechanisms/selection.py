"""Private selection: the probability that each option wins report-noisy-max, exactly."""

from itertools import pairwise
from typing import Literal

import numpy as np
from scipy.special import log_softmax

from dpcore.cache import cached
from dpcore.mechanisms import NoisyMax

# An interval of at most this many scales of noise is integrated by so many nodes, to rounding.
_INTERVAL = 4.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
# Beyond this many scales the density is nothing beside 1, and further out no float at all.
_NEGLIGIBLE_BEYOND = 45.0
_UNDERFLOW_BEYOND = 700.0


@cached
def log_win_probabilities(
    counts: tuple[float, ...],
    voted: int,
    *,
    sensitivity: float,
    epsilon: float,
    noise: str,
) -> np.ndarray:
    """Return ln P(i wins) without you and with you, (2, k).

    The counts of people who come or go all move one way, so ``NoisyMax`` needs half the noise.

    counts: of the k options without you.
    voted: the option whose count is larger by ``sensitivity`` with you.
    noise: "gumbel" or "laplace".
    """
    kind: Literal["gumbel", "laplace"] = "laplace"
    if noise == "gumbel":
        kind = "gumbel"
    mechanism = NoisyMax(sensitivity=sensitivity, epsilon=epsilon, noise=kind, monotone=True)
    without_you = np.array(counts)
    with_you = np.array(counts)
    with_you[voted] += sensitivity
    return np.array(
        [
            log_chances(without_you, scale=mechanism.scale, noise=kind),
            log_chances(with_you, scale=mechanism.scale, noise=kind),
        ]
    )


def log_chances(counts: np.ndarray, *, scale: float, noise: str) -> np.ndarray:
    """Return ln P(i wins) for each of ``counts`` (k,), or -inf if P(i wins) is no float.

    With Gumbel noise this is the exponential mechanism, e^{c_i/scale} / sum_j e^{c_j/scale}
    [mcsherry2007, Theorem 6]. With Laplace noise it is the logarithm of
    integral f(t - c_i) prod_{j != i} F(t - c_j) dt.
    """
    centres = np.asarray(counts, dtype=float) / scale
    if noise == "gumbel":
        return log_softmax(centres)
    chances = [_laplace_chance(centres, index) for index in range(len(centres))]
    with np.errstate(divide="ignore"):
        return np.log(chances)


def _laplace_chance(centres: np.ndarray, index: int) -> float:
    """Return P(i wins) with Laplace noise, by Gauss and Legendre between the kinks.

    centres: the counts in scales of noise, where the densities have their kinks.
    """
    centre = centres[index]
    low = centre - _NEGLIGIBLE_BEYOND
    high = centres.max() + _NEGLIGIBLE_BEYOND
    if high > centre + _UNDERFLOW_BEYOND:
        # Most of the integral lies where the density is no float.
        return 0.0
    starts, ends = _intervals(centres, low, high)
    half_widths = (ends - starts)[:, None] / 2
    t = (starts[:, None] + half_widths + half_widths * _NODES).ravel()
    weights = (half_widths * _WEIGHTS).ravel()
    density = np.exp(-np.abs(t - centre)) / 2
    distances = t[:, None] - np.delete(centres, index)
    tails = np.exp(-np.abs(distances)) / 2
    others_below = np.where(distances < 0, tails, 1 - tails).prod(axis=1)
    return float(weights @ (density * others_below))


def _intervals(centres: np.ndarray, low: float, high: float) -> tuple[np.ndarray, np.ndarray]:
    """Return the starts and ends of short intervals from ``low`` to ``high`` without a kink."""
    inner_kinks = centres[(centres > low) & (centres < high)]
    kinks = np.unique(np.concatenate([[low], inner_kinks, [high]]))
    edges = []
    for left, right in pairwise(kinks):
        intervals = int(np.ceil((right - left) / _INTERVAL))
        edges.append(np.linspace(left, right, intervals + 1)[:-1])
    edges.append(np.array([high]))
    all_edges = np.concatenate(edges)
    return all_edges[:-1], all_edges[1:]
