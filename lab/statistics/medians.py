"""Medians of repeats, with their confidence intervals."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, stdtrit

from dpcore import check

_USUAL_CONFIDENCE = 0.95


def median_interval(
    runs: np.ndarray, *, confidence: float = _USUAL_CONFIDENCE
) -> tuple[np.ndarray, np.ndarray]:
    """Return the exact interval of the medians of ``runs`` (..., R), between two of their order
    statistics, by the sign test.

    It holds for any distribution. The ends are infinite if there are too few runs for this
    confidence.

    >>> [float(end) for runs in (24, 5) for end in median_interval(np.arange(runs))]
    [6.0, 17.0, -inf, inf]
    """
    runs = np.sort(runs, axis=-1)
    order = _order_of_bound(runs.shape[-1], confidence)
    if order == 0:
        return np.full(runs.shape[:-1], -np.inf), np.full(runs.shape[:-1], np.inf)
    return runs[..., order - 1], runs[..., -order]


@lru_cache(maxsize=256)
def _order_of_bound(runs: int, confidence: float) -> int:
    """Return the order statistic, counted from 1 at either end, that bounds the median.

    It is the largest k with P(fewer than k of R fair coins show heads) <= (1 - confidence) / 2; 0
    if there is none.
    """
    check.between(0, 1, inclusive=False, confidence=confidence)
    tails = bdtr(np.arange(runs // 2), runs, 0.5)
    return int(np.count_nonzero(tails <= (1 - confidence) / 2))


def standard_error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of the means of ``values`` (..., R); exactly 0 if all values are
    the same.
    """
    values = np.asarray(values)
    deviations = np.where(np.ptp(values, axis=-1) > 0, values.std(axis=-1, ddof=1), 0.0)
    return deviations / math.sqrt(values.shape[-1])


@dataclass(frozen=True, kw_only=True, eq=False)
class Splits:
    """Medians of S splits of the rows at V values of a parameter.

    Attributes:
        medians: The medians (V, S), or (S,) for one value.
        common_variance: The variance that remains however many splits there are, because they have
            rows in common, over that of one split.
    """

    medians: np.ndarray
    common_variance: float = 0.0

    def __post_init__(self) -> None:
        check.whole(2, splits=self.count)
        check.at_least(0, common_variance=self.common_variance)

    @property
    def count(self) -> int:
        """Return the number of splits S."""
        return self.medians.shape[-1]

    @property
    def error(self) -> np.ndarray:
        """Return the standard error (V,) of the mean split."""
        return standard_error(self.medians) * math.sqrt(1 + self.count * self.common_variance)

    def interval(self, confidence: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the (lower, upper) ends (V,) of the interval of the median split.

        If splits are independent and enough for 95 % confidence, it is exact, and unbounded if they
        are too few for ``confidence``. Otherwise it is that of Student's distribution, around the
        mean in place of the median, because no useful one without assumptions exists.
        """
        are_independent = self.common_variance == 0
        are_enough = _order_of_bound(self.count, _USUAL_CONFIDENCE) > 0
        if are_independent and are_enough:
            return median_interval(self.medians, confidence=confidence)
        mean = _mean(self.medians)
        half_width = stdtrit(self.count - 1, (1 + confidence) / 2) * self.error
        return mean - half_width, mean + half_width


def _mean(values: np.ndarray) -> np.ndarray:
    """Return the mean along the last axis; exactly the value if all are the same."""
    return np.where(np.ptp(values, axis=-1) > 0, values.mean(axis=-1), values[..., 0])
