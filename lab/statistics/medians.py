"""Medians of repeats, with their confidence intervals."""

import math
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


def split_interval(
    medians: np.ndarray, *, common_variance: float, confidence: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the (lower, upper) ends (V,) of the interval of the median of S splits of the rows.

    If splits are independent and enough for 95 % confidence, it is exact, and unbounded if they are
    too few for ``confidence``. Otherwise it is that of Student's distribution, around the mean in
    place of the median, because no useful one without assumptions exists.

    Args:
        medians: The medians of the splits (V, S), or (S,).
        common_variance: The variance that remains however many splits there are, because they have
            rows in common, over that of one split.
        confidence: Confidence of the interval.
    """
    splits = check.whole(2, splits=medians.shape[-1])
    check.at_least(0, common_variance=common_variance)
    if common_variance == 0 and _order_of_bound(splits, _USUAL_CONFIDENCE) > 0:
        return median_interval(medians, confidence=confidence)
    # Rounding errors must not part values that are the same.
    differs = np.ptp(medians, axis=-1) > 0
    mean = np.where(differs, medians.mean(axis=-1), medians[..., 0])
    deviations = np.where(differs, medians.std(axis=-1, ddof=1), 0.0)
    error = deviations / math.sqrt(splits) * math.sqrt(1 + splits * common_variance)
    half_width = stdtrit(splits - 1, (1 + confidence) / 2) * error
    return mean - half_width, mean + half_width
