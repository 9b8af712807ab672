"""Differentially private bounds of a column, from a noisy histogram with exponential bins.

The bins end at powers of two, so that few of them cover numbers of any size. A bin counts as
occupied if its noisy count exceeds a threshold that empty bins hardly reach. The bounds are the
ends of the outermost occupied bins.
"""

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
    """A release of a column's ``bounds`` at a cost of ``epsilon``.

    Guarantee: L1 sensitivity `adjacency.contributions`; noise `laplace(scale=2 / epsilon)` per bin;
    event `PureRelease(epsilon=epsilon)`; adjacency replace-one, add/remove.

    Attributes:
        epsilon: Of the guarantee, in nats.
        person: Name of the column that tells whose a row is. The guarantee is then for each of its
            values, and otherwise, if it is "", for each row.

    >>> Payment(epsilon=0.5, person="patient").event
    PureRelease(epsilon=0.5)
    """

    epsilon: float
    person: str = ""

    @property
    def event(self) -> PureRelease:
        """Return the privacy event of the release."""
        return PureRelease(epsilon=self.epsilon)


def histogram(values: np.ndarray) -> np.ndarray:
    """Return the number of ``values`` (n,) in each bin (a, b], (BINS,).

    0 counts as positive, values beyond the outermost edges count in the outermost bins, and missing
    values count nowhere. Replacing a value changes two bins by one each (L1 sensitivity 2). Adding
    or removing one changes one bin.
    """
    known = values[~np.isnan(values)]
    bins = np.searchsorted(EDGES, known) - 1
    bins[known == 0] += 1
    return np.bincount(np.clip(bins, 0, BINS - 1), minlength=BINS)


def mechanism(epsilon: float) -> Laplace:
    """Return the Laplace mechanism of the histogram.

    It is epsilon-DP for a replaced value, hence also under add/remove.
    """
    return Laplace(sensitivity=2.0, epsilon=epsilon)


def threshold(epsilon: float) -> float:
    """Return the noisy count from which a bin counts as occupied.

    With probability 0.999 no empty bin exceeds it. It is -b ln(2 - 2 (1 - beta)^{1/B}) with
    b = 2/epsilon and beta = 0.001, from the maximum of B draws of Laplace noise.
    """
    no_failure_per_bin = (1 - _FAILURE_PROBABILITY) ** (1 / BINS)
    return -mechanism(epsilon).scale * math.log(2 - 2 * no_failure_per_bin)


def surely_seen(epsilon: float) -> float:
    """Return the true count at which a bin counts as occupied with probability 0.9995."""
    return threshold(epsilon) + mechanism(epsilon).scale * math.log(1 / _FAILURE_PROBABILITY)


def least_rows(epsilon: float) -> int:
    """Return the minimum number of rows or people, about 100,000 at epsilon 0.07.

    With fewer, values of more than one in 200 rows could lie outside the bounds.
    """
    epsilon = check.positive(epsilon=epsilon)
    return math.ceil(surely_seen(epsilon) / _LARGEST_MISSED_SHARE)


def bounds(
    values: np.ndarray, *, epsilon: float, rng: np.random.Generator
) -> tuple[float, float] | None:
    """Return the ends (low, high) of the outermost occupied bins.

    Guarantee: L1 sensitivity `adjacency.contributions`; noise `laplace(scale=2 / epsilon)` per bin;
    event `PureRelease(epsilon=epsilon)`; adjacency replace-one, add/remove.

    Args:
        values: One value per person, (n,).
        epsilon: Of the guarantee, in nats.
        rng: Source of the noise.

    Returns:
        None if noise hides all bins, which costs epsilon too.

    Raises:
        RefusedError: For too few values, whose number is public.

    >>> rng = np.random.default_rng(0)
    >>> low, high = bounds(rng.uniform(10, 60, 10_000), epsilon=1.0, rng=rng)
    >>> low <= 11 and high >= 59
    True
    """
    least = least_rows(epsilon)
    if len(values) < least:
        raise check.RefusedError(
            "rows", f"{len(values):,}", f"at least {least:,} for bounds at epsilon {epsilon:g}"
        )
    noisy_counts = mechanism(epsilon).release(histogram(values), rng)
    return outermost(noisy_counts, epsilon=epsilon)


def outermost(counts: np.ndarray, *, epsilon: float) -> tuple[float, float] | None:
    """Return the bounds that noisy ``counts`` (BINS,) imply, the only thing released from them."""
    occupied = np.flatnonzero(counts > threshold(epsilon))
    if len(occupied) == 0:
        return None
    low = EDGES[occupied[0]]
    high = EDGES[occupied[-1] + 1]
    return float(low), float(high)
