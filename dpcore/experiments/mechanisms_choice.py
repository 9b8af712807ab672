"""Who wins report-noisy-max, exactly: no simulation."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.special import log_softmax

from dpcore.mechanisms import NoisyMax

# An interval of at most this many scales of noise is integrated by 20 nodes, to rounding.
_PIECE = 4.0
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
# Beyond this many scales nothing is left that a double can hold beside 1; beyond _FAR not even by itself.
_REACH, _FAR = 45.0, 700.0


def log_chances(counts: np.ndarray, *, scale: float, noise: str) -> np.ndarray:
    """ln P(i wins) for each of ``counts`` (k,) with noise of this scale; -inf where no double can hold it.

    gumbel: the exponential mechanism, e^{c_i/scale} / sum_j e^{c_j/scale} [mcsherry2007, Theorem 6].
    laplace: ln of integral f(t - c_i) prod_{j != i} F(t - c_j) dt.
    """
    centres = np.asarray(counts, dtype=float) / scale
    if noise == "gumbel":
        return log_softmax(centres)
    with np.errstate(divide="ignore"):
        return np.log([_laplace(centres, place) for place in range(len(centres))])


def _laplace(centres: np.ndarray, place: int) -> float:
    """The integral by Gauss and Legendre between the kinks of the densities, which lie at the centres."""
    low = centres[place] - _REACH
    high = min(centres.max() + _REACH, centres[place] + _FAR)
    kinks = np.unique(np.concatenate([[low], centres[(centres > low) & (centres < high)], [high]]))
    ends = np.concatenate(
        [np.linspace(a, b, int(np.ceil((b - a) / _PIECE)) + 1)[:-1] for a, b in pairwise(kinks)] + [[high]]
    )
    half = np.diff(ends)[:, None] / 2
    t = (ends[:-1, None] + half + half * _NODES).ravel()
    weights = (half * _WEIGHTS).ravel()
    density = np.exp(-np.abs(t - centres[place])) / 2
    others = t[:, None] - np.delete(centres, place)
    tails = np.exp(-np.abs(others)) / 2
    return float(weights @ (density * np.where(others < 0, tails, 1 - tails).prod(axis=1)))


@dataclass(frozen=True, kw_only=True)
class Choice:
    """The winner among ``counts`` without you, and with you: you add ``sensitivity`` to count ``vote``.

    Counts of people who come or go move one way only, so NoisyMax needs half the noise.
    """

    counts: tuple[float, ...]
    vote: int
    sensitivity: float
    epsilon: float
    noise: str
    essential: bool = True

    def run(self) -> np.ndarray:
        """ln P(i wins), (2, k): without you, with you."""
        mechanism = NoisyMax(sensitivity=self.sensitivity, epsilon=self.epsilon, noise=self.noise, monotone=True)
        worlds = np.array([self.counts, self.counts])
        worlds[1, self.vote] += self.sensitivity
        return np.array([log_chances(counts, scale=mechanism.scale, noise=self.noise) for counts in worlds])
