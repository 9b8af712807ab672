"""How far two settings lie apart: the difference of their median runs, with a 95 % confidence
interval, or one of another level where many are looked at.

Medians, since an error without a bound need not have a mean: that of a nearly singular noisy fit
has none. The intervals of pairs and of two groups are exact for any distribution of the runs.

Where repeat r of both saw the same rows and drew the same noise (``Settings.pairs_with``), the
differences of the pairs vary less than the repeats do, and the interval is narrower than that of
two groups by as much as the noise is common.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import check
from lab.statistics.medians import Splits, median_interval

_CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Difference:
    """By how much the median run of A lies above that of B, and the ends of its interval, in the
    unit of what is compared.

    pairs: how many pairs of repeats, or of splits; 0 where A and B are two groups. The ends are
    infinite where there are too few repeats for any interval at this confidence, and meet where no
    repeat differs from another.
    """

    median: float
    low: float
    high: float
    pairs: int = 0

    @property
    def paired(self) -> bool:
        return self.pairs > 0

    @property
    def bounded(self) -> bool:
        """Return whether there are enough repeats for an interval at all."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def shown(self) -> bool:
        """Return whether 0 lies outside of the interval."""
        return self.low > 0 or self.high < 0

    @property
    def sure(self) -> bool:
        """Return whether every repeat says the same."""
        return self.low == self.high


def of_pairs(a: np.ndarray, b: np.ndarray, *, confidence: float = _CONFIDENCE) -> Difference:
    """Return the median paired difference of repeats (R,) with common random numbers, with its sign
    test interval.

    Two repeats at least are needed; 95 % confidence takes six, with fewer the interval is
    unbounded.

    >>> of_pairs(np.array([3.0, 4.0, 6.0, 5.0, 4.0, 7.0]), np.array([2.0, 4.0, 5.0, 3.0, 1.0, 5.0]))
    Difference(median=1.5, low=0.0, high=3.0, pairs=6)
    """
    a, b = _repeats(a=a), _repeats(b=b)
    apart = a - check.numbers(a.shape, b=b)
    low, high = map(float, median_interval(apart, confidence=confidence))
    return Difference(median=float(np.median(apart)), low=low, high=high, pairs=len(apart))


def of_groups(a: np.ndarray, b: np.ndarray, *, confidence: float = _CONFIDENCE) -> Difference:
    """Return the difference of the medians of repeats (R_a,) and (R_b,) that have nothing in
    common.

    The interval holds all differences between the exact intervals of the two medians. These are
    independent, so both hold together with ``confidence`` if each does with its square root. 95 %
    takes seven repeats of each.

    >>> of_groups(np.arange(7.0), np.array([10.0] * 7))
    Difference(median=-7.0, low=-10.0, high=-4.0, pairs=0)
    """
    a, b = _repeats(a=a), _repeats(b=b)
    each = math.sqrt(check.between(0, 1, inclusive=False, confidence=confidence))
    (low_a, high_a), (low_b, high_b) = (median_interval(runs, confidence=each) for runs in (a, b))
    middle, ends = np.median(a) - np.median(b), (low_a - high_b, high_a - low_b)
    return Difference(median=float(middle), low=float(ends[0]), high=float(ends[1]))


def of_splits(
    a: np.ndarray, b: np.ndarray, *, overlap: float = 0.0, confidence: float = _CONFIDENCE
) -> Difference:
    """Return, of R repeats on each of S splits of the rows, (S, R), the median over the splits of
    the difference of their medians, with the interval of ``repeats.Splits``.

    Repeats on one split have it in common, so that S R of them together would look far surer than
    they are. overlap: as ``repeats.over_splits`` has it.

    >>> of_splits(np.array([[3.0, 4.0], [6.0, 7.0]]), np.array([[2.0, 4.0], [5.0, 5.0]]))
    Difference(median=1.0, low=-5.353, high=7.353, pairs=2)
    """
    a, b = np.asarray(a), np.asarray(b)
    gaps = np.median(a, axis=1) - np.median(check.numbers(a.shape, b=b), axis=1)
    low, high = Splits(medians=gaps, overlap=overlap).interval(confidence)
    return Difference(
        median=float(np.median(gaps)), low=float(low), high=float(high), pairs=len(gaps)
    )


def _repeats(**named: Any) -> np.ndarray:
    (values,) = named.values()
    return check.numbers((max(2, np.size(values)),), **named)
