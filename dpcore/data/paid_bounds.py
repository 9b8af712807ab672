"""Differentially private bounds of a column, from a noisy histogram with exponential bins."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.mechanisms import Laplace
from dpcore.privacy import PureRelease

# Bin edges: 0, and plus and minus powers of two from 0.001 to 1e9.
_POWERS = 2.0 ** np.arange(-10, 31)
EDGES = np.concatenate([-_POWERS[::-1], [0.0], _POWERS])
BINS = len(EDGES) - 1
# Probability that noise makes an empty bin seem occupied, and that a bin of ``surely_seen`` rows
# seems empty.
_FAILURE_PROBABILITY = 1e-3
# Bounds are refused if a bin with more than this share of the rows could be overlooked.
_LARGEST_MISSED_SHARE = 0.005


@dataclass(frozen=True, kw_only=True)
class Payment:
    """Epsilon spent on a column's bounds, for each row or for each value of the column ``person``,
    if not "".
    """

    epsilon: float
    person: str = ""

    @property
    def event(self) -> PureRelease:
        return PureRelease(epsilon=self.epsilon)


def histogram(values: np.ndarray) -> np.ndarray:
    """Return the number of ``values`` (n,) in each bin (a, b]; 0 counts as positive, missing values
    nowhere.

    Replacing a value changes two bins by one each (L1 sensitivity 2). Adding or removing one
    changes one bin.
    """
    known = values[~np.isnan(values)]
    places = np.searchsorted(EDGES, known) - 1
    places[known == 0] += 1
    return np.bincount(np.clip(places, 0, BINS - 1), minlength=BINS)


def mechanism(epsilon: float) -> Laplace:
    """Return the Laplace mechanism of the histogram, epsilon-DP for a replaced value, hence also
    under add/remove.
    """
    return Laplace(sensitivity=2.0, epsilon=epsilon)


def threshold(epsilon: float) -> float:
    """Return the noisy count that no empty bin exceeds with probability 0.999, the threshold for
    occupied bins.

    -b ln(2 - 2 (1 - beta)^{1/B}), b = 2/epsilon: the maximum of B draws of Laplace noise.
    """
    return -mechanism(epsilon).scale * math.log(2 - 2 * (1 - _FAILURE_PROBABILITY) ** (1 / BINS))


def surely_seen(epsilon: float) -> float:
    """Return the true count at which a bin counts as occupied with probability 0.9995."""
    return threshold(epsilon) + mechanism(epsilon).scale * math.log(1 / _FAILURE_PROBABILITY)


def least_rows(epsilon: float) -> int:
    """Return the minimum number of rows or people, about 100,000 at epsilon 0.07.

    With fewer, values of more than one in 200 rows could lie outside the bounds.
    """
    return math.ceil(surely_seen(check.positive(epsilon=epsilon)) / _LARGEST_MISSED_SHARE)


def bounds(
    values: np.ndarray, *, epsilon: float, rng: np.random.Generator
) -> tuple[float, float] | None:
    """Return (low, high) of ``values`` (n,), one per person: the ends of the outermost occupied
    bins.

    None if noise hides all bins, which costs epsilon too. Raises RefusedError for too few, whose
    number is public.
    """
    if len(values) < (least := least_rows(epsilon)):
        raise check.RefusedError(
            "rows", f"{len(values):,}", f"at least {least:,} for bounds at epsilon {epsilon:g}"
        )
    return outermost(mechanism(epsilon).release(histogram(values), rng), epsilon=epsilon)


def outermost(counts: np.ndarray, *, epsilon: float) -> tuple[float, float] | None:
    """Return the bounds that noisy ``counts`` (BINS,) imply, the only thing released from them."""
    inhabited = np.flatnonzero(counts > threshold(epsilon))
    if not len(inhabited):
        return None
    return float(EDGES[inhabited[0]]), float(EDGES[inhabited[-1] + 1])
