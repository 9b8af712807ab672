"""What repeats say of their median, at each of some values of a knob, and how many repeats it takes
to say it.
"""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, stdtrit

from dpcore import check

_USUAL = 0.95


def median_interval(
    runs: np.ndarray, *, confidence: float = _USUAL
) -> tuple[np.ndarray, np.ndarray]:
    """Return the exact interval of the medians of ``runs`` (..., R): between two of their order
    statistics, by the sign test. It holds for any distribution; the ends are infinite where there
    are too few runs for this confidence.

    >>> [float(end) for runs in (24, 5) for end in median_interval(np.arange(runs))]
    [6.0, 17.0, -inf, inf]
    """
    runs = np.sort(runs, axis=-1)
    outside = _outside(runs.shape[-1], confidence)
    if not outside:
        return np.full(runs.shape[:-1], -np.inf), np.full(runs.shape[:-1], np.inf)
    return runs[..., outside - 1], runs[..., -outside]


@lru_cache(maxsize=256)
def _outside(runs: int, confidence: float) -> int:
    """Return which order statistic, from either end, bounds the median: the largest k with P(fewer
    than k of R fair coins show heads) <= (1 - confidence) / 2; 0 if none does.
    """
    check.between(0, 1, inclusive=False, confidence=confidence)
    return int(np.count_nonzero(bdtr(np.arange(runs // 2), runs, 0.5) <= (1 - confidence) / 2))


def median_run(runs: np.ndarray, *, splits: int = 1) -> np.ndarray:
    """Return the medians of ``runs`` (..., splits x R); of several splits of the rows, the median
    of theirs.

    >>> median_run(np.array([1.0, 2.0, 9.0, 3.0, 4.0, 5.0]), splits=2).item()
    3.0
    """
    runs = np.asarray(runs)
    return np.median(np.median(runs.reshape(*runs.shape[:-1], splits, -1), axis=-1), axis=-1)


def standard_error(values: np.ndarray) -> np.ndarray:
    """Return the standard error of the means of ``values`` (..., R); exactly 0 where all values are
    the same.
    """
    values = np.asarray(values)
    return np.where(np.ptp(values, axis=-1) > 0, values.std(axis=-1, ddof=1), 0.0) / math.sqrt(
        values.shape[-1]
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Medians:
    """Medians of repeats at V values of a knob; NaN at a value that still has to be trained.

    median (V,): the estimate. single (V, N): the repeats themselves.
    splits: None where all repeats are independent, and may be counted one by one.
    """

    median: np.ndarray
    single: np.ndarray
    splits: "Splits | None" = None

    @classmethod
    def of(cls, runs: "np.ndarray | Medians") -> "Medians":
        """Return those of ``runs`` (V, R), two independent repeats each at least; ``Medians`` are
        what they are.
        """
        if isinstance(runs, Medians):
            return runs
        runs = _trained(runs, 2)
        return cls(median=np.median(runs, axis=-1), single=runs)


@dataclass(frozen=True, kw_only=True, eq=False)
class Splits:
    """The medians (V, S) of S splits of the rows at V values, and how sure the median split is.

    overlap: what the variance keeps however many splits there are, as a share of that of one split.
    """

    medians: np.ndarray
    overlap: float = 0.0

    def __post_init__(self) -> None:
        check.whole(2, splits=self.medians.shape[-1])
        check.at_least(0, overlap=self.overlap)

    @property
    def error(self) -> np.ndarray:
        """Return the standard error (V,) of the mean split."""
        return standard_error(self.medians) * math.sqrt(1 + self.medians.shape[-1] * self.overlap)

    def interval(self, confidence: float) -> tuple[np.ndarray, np.ndarray]:
        """Return the ends (V,) of the interval of the median split: exact where splits are
        independent and enough for 95 % confidence; else by Student's distribution, as no interval
        without assumptions is left.
        """
        if not self.overlap and _outside(self.medians.shape[-1], _USUAL):
            return median_interval(self.medians, confidence=confidence)
        middle = _mean(self.medians)
        half = stdtrit(self.medians.shape[-1] - 1, (1 + confidence) / 2) * self.error
        return middle - half, middle + half

    def needed(self, place: int, gap: float) -> int | None:
        """Return about how many splits would tell a median ``gap`` away; None where no number
        would.
        """
        one = self.error[place] ** 2 / (1 / self.medians.shape[-1] + self.overlap)
        if not gap > 0:
            return None
        share = gap**2 / (4 * one) - self.overlap if one else math.inf
        return max(self.medians.shape[-1] + 1, math.ceil(1 / share)) if share > 0 else None


def over_splits(runs: np.ndarray, *, overlap: float = 0.0) -> Medians:
    """Return the median over S splits of the medians of ``runs`` (S, V, R), R repeats on each
    split.

    Pooled, the S R repeats would look far surer than they are, since those on one split have it in
    common. overlap: 0 where each split is a fresh draw of rows; n_test / n_train where they are
    splits of one file, whose medians
    vary together: the variance factor is 1/S + overlap in place of 1/S, and the claim is about
    files like this one. With one repeat on each fresh draw of rows, the repeats are independent.
    """
    runs = _trained(runs, 3)
    single = np.moveaxis(runs, 0, 1).reshape(runs.shape[1], -1)
    if runs.shape[-1] == 1 and not overlap:
        return Medians.of(single)
    splits = Splits(medians=np.moveaxis(np.median(runs, axis=-1), 0, -1), overlap=overlap)
    return Medians(median=np.median(splits.medians, axis=-1), single=single, splits=splits)


def all_succeed_minimum(share: float, *, confidence: float = _USUAL) -> int:
    """Return the fewest repeats that can show that at least ``share`` of all succeed: share^R <= 1
    - confidence.

    >>> [all_succeed_minimum(share) for share in (0.8, 0.9, 0.95)]
    [14, 29, 59]
    """
    check.between(0, 1, inclusive=False, share=share)
    check.between(0, 1, inclusive=False, confidence=confidence)
    return math.ceil(math.log1p(-confidence) / math.log(share) * (1 - 1e-12))


def _trained(runs: np.ndarray, dimensions: int) -> np.ndarray:
    """Return runs as floats, where the repeats at a value are all there or all NaN."""
    runs = np.asarray(runs, dtype=float)
    if runs.ndim != dimensions or runs.shape[-1] < 4 - dimensions or np.isinf(runs).any():
        shape = (
            "values and repeats, two at least" if dimensions == 2 else "splits, values and repeats"
        )
        raise check.RefusedError(
            "runs", runs.shape, f"numbers, by {shape}; NaN where still to be trained"
        )
    others = tuple(axis for axis in range(dimensions) if axis != dimensions - 2)
    missing = np.isnan(runs).any(axis=others)
    return np.where(missing[:, None], np.nan, runs) if missing.any() else runs


def _mean(values: np.ndarray) -> np.ndarray:
    """Return the mean along the last axis; exactly what they are where all are the same."""
    return np.where(np.ptp(values, axis=-1) > 0, values.mean(axis=-1), values[..., 0])
