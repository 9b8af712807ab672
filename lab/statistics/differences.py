"""The difference of the median runs of two settings, with its confidence interval.

Medians are compared, since an error without a bound need not have a mean: that of a nearly singular
noisy fit has none. The intervals of pairs and of two groups are exact for any distribution of the
runs.

If repeat r of both settings saw the same rows and drew the same noise (``Experiment.pairs_with``),
the differences of the pairs vary less than the repeats do, and their interval is narrower than that
of two groups.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from dpcore import check
from lab.statistics.medians import median_interval, split_interval

_CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The median of A minus B, and its interval, in the unit of the compared measure.

    Attributes:
        median: The estimate.
        low: Lower end of the interval; infinite, as ``high``, if there are too few repeats for any
            interval at this confidence.
        high: Upper end of the interval, equal to the lower one if no repeat differs from another.
        pairs: Number of pairs of repeats, or of splits; 0 if A and B are two groups.
    """

    median: float
    low: float
    high: float
    pairs: int = 0

    @property
    def paired(self) -> bool:
        """Return whether repeats, or splits, were compared in pairs."""
        return self.pairs > 0

    @property
    def bounded(self) -> bool:
        """Return whether there are enough repeats for an interval."""
        return math.isfinite(self.low) and math.isfinite(self.high)

    @property
    def shown(self) -> bool:
        """Return whether the interval excludes 0."""
        return self.low > 0 or self.high < 0

    @property
    def sure(self) -> bool:
        """Return whether all repeats have the same difference."""
        return self.low == self.high


def of_pairs(a: np.ndarray, b: np.ndarray, *, confidence: float = _CONFIDENCE) -> Difference:
    """Return the median paired difference of repeats (R,) with common random numbers.

    Its interval is that of the sign test. Two repeats at least are needed; 95 % confidence takes
    six, with fewer the interval is unbounded.

    >>> of_pairs(np.array([3.0, 4.0, 6.0, 5.0, 4.0, 7.0]), np.array([2.0, 4.0, 5.0, 3.0, 1.0, 5.0]))
    Difference(median=1.5, low=0.0, high=3.0, pairs=6)
    """
    a = _checked_repeats(a=a)
    b = _checked_repeats(b=b)
    gaps = a - check.numbers(a.shape, b=b)
    low, high = median_interval(gaps, confidence=confidence)
    return Difference(
        median=float(np.median(gaps)), low=float(low), high=float(high), pairs=len(gaps)
    )


def of_groups(a: np.ndarray, b: np.ndarray, *, confidence: float = _CONFIDENCE) -> Difference:
    """Return the difference of the medians of independent repeats (R_a,) and (R_b,).

    The interval holds all differences between the exact intervals of the two medians. These are
    independent, so both hold together with ``confidence`` if each does with its square root. 95 %
    takes seven repeats of each.

    >>> of_groups(np.arange(7.0), np.array([10.0] * 7))
    Difference(median=-7.0, low=-10.0, high=-4.0, pairs=0)
    """
    a = _checked_repeats(a=a)
    b = _checked_repeats(b=b)
    check.between(0, 1, inclusive=False, confidence=confidence)
    confidence_of_each = math.sqrt(confidence)
    low_a, high_a = median_interval(a, confidence=confidence_of_each)
    low_b, high_b = median_interval(b, confidence=confidence_of_each)
    median = np.median(a) - np.median(b)
    return Difference(median=float(median), low=float(low_a - high_b), high=float(high_a - low_b))


def of_splits(
    a: np.ndarray, b: np.ndarray, *, common_variance: float = 0.0, confidence: float = _CONFIDENCE
) -> Difference:
    """Return the median over S splits of the difference of the medians of R repeats on each.

    Repeats on one split are not independent, so all S R of them together would give an interval
    that is far too narrow. The interval is that of ``medians.split_interval``.

    Args:
        a: Repeats (S, R).
        b: Repeats (S, R).
        common_variance: Variance that the medians of all splits have in common, over that of one.
            It is 0 if each split is a fresh draw of rows; n_test / n_train if they are splits of
            one file, whose medians vary together. It widens the interval, and does not change the
            median.
        confidence: Confidence of the interval.

    >>> of_splits(np.array([[3.0, 4.0], [6.0, 7.0]]), np.array([[2.0, 4.0], [5.0, 5.0]]))
    Difference(median=1.0, low=-5.353, high=7.353, pairs=2)
    """
    a = np.asarray(a)
    b = check.numbers(a.shape, b=np.asarray(b))
    gaps = np.median(a, axis=1) - np.median(b, axis=1)
    low, high = split_interval(gaps, common_variance=common_variance, confidence=confidence)
    return Difference(
        median=float(np.median(gaps)), low=float(low), high=float(high), pairs=len(gaps)
    )


def _checked_repeats(**named: Any) -> np.ndarray:
    """Return the one argument as an array of at least two numbers; raise RefusedError with its
    name.
    """
    (values,) = named.values()
    return check.numbers((max(2, np.size(values)),), **named)
