"""Medians of repeats at several values of a parameter, with their confidence intervals and the
number of repeats that these need.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, stdtrit

from dpcore import check

_USUAL_CONFIDENCE = 0.95
# Below a whole number by this part, a number of repeats is a rounding error.
_ROUNDING_ERROR = 1e-12


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


def median_run(runs: np.ndarray, *, splits: int = 1) -> np.ndarray:
    """Return the medians of ``runs`` (..., splits x R); for several splits of the rows, the median
    of their medians.

    >>> median_run(np.array([1.0, 2.0, 9.0, 3.0, 4.0, 5.0]), splits=2).item()
    3.0
    """
    runs = np.asarray(runs)
    by_split = runs.reshape(*runs.shape[:-1], splits, -1)
    return np.median(np.median(by_split, axis=-1), axis=-1)


def standard_error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of the means of ``values`` (..., R); exactly 0 if all values are
    the same.
    """
    values = np.asarray(values)
    deviations = np.where(np.ptp(values, axis=-1) > 0, values.std(axis=-1, ddof=1), 0.0)
    return deviations / math.sqrt(values.shape[-1])


@dataclass(frozen=True, kw_only=True, eq=False)
class Medians:
    """Medians of repeats at V values of a parameter; NaN at a value that is not trained yet.

    Attributes:
        median: The estimates (V,).
        repeats: The repeats themselves (V, N).
        splits: The medians by split of the rows; None if all repeats are independent.
    """

    median: np.ndarray
    repeats: np.ndarray
    splits: "Splits | None" = None

    @classmethod
    def of(cls, runs: "np.ndarray | Medians") -> "Medians":
        """Return the median at each of V values of ``runs`` (V, R), with the runs as ``repeats``.

        There are R >= 2 independent repeats at each value. ``Medians`` are returned as they are.
        """
        if isinstance(runs, Medians):
            return runs
        repeats = _checked_runs(runs, 2)
        return cls(median=np.median(repeats, axis=-1), repeats=repeats)


@dataclass(frozen=True, kw_only=True, eq=False)
class Splits:
    """Medians of S splits of the rows at V values of a parameter.

    Attributes:
        medians: The medians (V, S), or (S,) for one value.
        overlap: The variance that remains however many splits there are, as a share of that of one
            split.
    """

    medians: np.ndarray
    overlap: float = 0.0

    def __post_init__(self) -> None:
        check.whole(2, splits=self.count)
        check.at_least(0, overlap=self.overlap)

    @property
    def count(self) -> int:
        """Return the number of splits S."""
        return self.medians.shape[-1]

    @property
    def error(self) -> np.ndarray:
        """Return the standard error (V,) of the mean split."""
        return standard_error(self.medians) * math.sqrt(1 + self.count * self.overlap)

    def interval(self, confidence: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the (lower, upper) ends (V,) of the interval of the median split.

        If splits are independent and enough for 95 % confidence, it is exact, and unbounded if they
        are too few for ``confidence``. Otherwise it is that of Student's distribution, around the
        mean in place of the median, because no useful one without assumptions exists.
        """
        are_independent = self.overlap == 0
        are_enough = _order_of_bound(self.count, _USUAL_CONFIDENCE) > 0
        if are_independent and are_enough:
            return median_interval(self.medians, confidence=confidence)
        mean = _mean(self.medians)
        half_width = stdtrit(self.count - 1, (1 + confidence) / 2) * self.error
        return mean - half_width, mean + half_width

    def needed(self, index: int, gap: float) -> int | None:
        """Return about how many splits would distinguish the median at ``index`` from a value that
        is ``gap`` below; None if no number would.
        """
        if not gap > 0:
            return None
        variance_of_one = self.error[index] ** 2 / (1 / self.count + self.overlap)
        if variance_of_one == 0:
            return self.count + 1
        # The variance over S splits, in units of that of one, is 1/S + overlap. It must be at most
        # a quarter of the squared gap.
        share = gap**2 / (4 * variance_of_one) - self.overlap
        # Also for NaN.
        if not share > 0:
            return None
        return max(self.count + 1, math.ceil(1 / share))


def over_splits(runs: np.ndarray, *, overlap: float = 0.0) -> Medians:
    """Return the median over S splits of the medians of ``runs`` (S, V, R), R repeats on each
    split.

    Repeats on one split are not independent, so all S R of them together would give an interval
    that is far too narrow. With one repeat on each fresh draw of rows, the repeats are independent.

    Args:
        runs: The repeats.
        overlap: 0 if each split is a fresh draw of rows; n_test / n_train if they are splits of one
            file, whose medians vary together. The variance factor is then 1/S + overlap in place of
            1/S, and the claim is about files like this one.
    """
    runs = _checked_runs(runs, 3)
    # (S, V, R) -> (V, S, R) -> (V, S R)
    repeats = np.moveaxis(runs, 0, 1).reshape(runs.shape[1], -1)
    if runs.shape[-1] == 1 and overlap == 0:
        return Medians.of(repeats)
    # (S, V) -> (V, S)
    medians = np.moveaxis(np.median(runs, axis=-1), 0, -1)
    splits = Splits(medians=medians, overlap=overlap)
    return Medians(median=np.median(medians, axis=-1), repeats=repeats, splits=splits)


def all_succeed_minimum(share: float, *, confidence: float = _USUAL_CONFIDENCE) -> int:
    """Return the fewest repeats that can show that at least ``share`` of all succeed.

    All of them must succeed, and share^R <= 1 - confidence.

    >>> [all_succeed_minimum(share) for share in (0.8, 0.9, 0.95)]
    [14, 29, 59]
    """
    check.between(0, 1, inclusive=False, share=share)
    check.between(0, 1, inclusive=False, confidence=confidence)
    repeats = math.log1p(-confidence) / math.log(share)
    return math.ceil(repeats * (1 - _ROUNDING_ERROR))


def _checked_runs(runs: np.ndarray, dimensions: int) -> np.ndarray:
    """Return runs (V, R) or (S, V, R) as floats. Where one repeat at a value is NaN, all are."""
    runs = np.asarray(runs, dtype=float)
    if dimensions == 2:
        least_repeats = 2
        shape = "values and repeats, two at least"
    else:
        least_repeats = 1
        shape = "splits, values and repeats"
    if runs.ndim != dimensions or runs.shape[-1] < least_repeats or np.isinf(runs).any():
        raise check.RefusedError(
            "runs", runs.shape, f"numbers, by {shape}; NaN where still to be trained"
        )
    missing = np.isnan(runs).any(axis=-1)
    if dimensions == 3:
        missing = missing.any(axis=0)
    if not missing.any():
        return runs
    return np.where(missing[:, None], np.nan, runs)


def _mean(values: np.ndarray) -> np.ndarray:
    """Return the mean along the last axis; exactly the value if all are the same."""
    return np.where(np.ptp(values, axis=-1) > 0, values.mean(axis=-1), values[..., 0])
