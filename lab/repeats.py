"""What repeats say of their mean, at each of some values of a knob, and how many repeats it takes to say it."""

import math
from dataclasses import dataclass

import numpy as np

from dpcore import check


def standard_error(values: np.ndarray) -> np.ndarray:
    """Of the means of ``values`` (..., R); exactly 0 where all are the same, whatever rounding makes of it."""
    values = np.asarray(values)
    return np.where(np.ptp(values, axis=-1) > 0, values.std(axis=-1, ddof=1), 0.0) / math.sqrt(values.shape[-1])


@dataclass(frozen=True, kw_only=True, eq=False)
class Means:
    """Means at V values of a knob, and how sure they are; NaN at a value that still has to be trained.

    mean, error (V,): the estimate and its standard error, of as many degrees of freedom as ``freedom`` says.
    single (V, N): the repeats themselves.
    overlap: what the variance keeps however many splits there are, as a share of that of one split.
    independent: whether the repeats are, so that they may be counted one by one.
    """

    mean: np.ndarray
    error: np.ndarray
    freedom: int
    single: np.ndarray
    overlap: float = 0.0
    independent: bool = True

    @classmethod
    def of(cls, runs: "np.ndarray | Means") -> "Means":
        """Of ``runs`` (V, R), two independent repeats each at least; ``Means`` are what they are."""
        if isinstance(runs, Means):
            return runs
        runs = _trained(runs, 2)
        return cls(mean=_mean(runs), error=standard_error(runs), freedom=runs.shape[-1] - 1, single=runs)

    def needed(self, place: int, gap: float) -> int | None:
        """How many repeats (splits) would tell a mean ``gap`` away, about; None where no number would."""
        one = self.error[place] ** 2 / (1 / (self.freedom + 1) + self.overlap)
        if not gap > 0:
            return None
        share = gap**2 / (4 * one) - self.overlap if one else math.inf
        return math.ceil(1 / share) if share > 0 else None


def over_splits(runs: np.ndarray, *, overlap: float = 0.0) -> Means:
    """Of ``runs`` (S, V, R), R repeats on each of S splits: Student's interval on the S means of the splits.

    Pooled, the S R repeats would look far surer than they are, since those on one split have it in common. overlap: 0
    where each split is a fresh draw of rows; n_test / n_train where they are splits of one file, whose means
    vary together: the variance factor is 1/S + overlap in place of 1/S, and the claim is about files like this one.
    """
    runs = _trained(runs, 3)
    by_split = np.moveaxis(_mean(runs), 0, -1)
    splits, values, repeats = runs.shape
    check.whole(2, splits=splits)
    factor = math.sqrt(1 + splits * check.at_least(0, overlap=overlap))
    return Means(
        mean=_mean(by_split),
        error=standard_error(by_split) * factor,
        freedom=splits - 1,
        single=np.moveaxis(runs, 0, 1).reshape(values, -1),
        overlap=overlap,
        independent=repeats == 1 and not overlap,
    )


def repeats_needed(sd: float, half_width: float) -> int:
    """(2 sd / half_width)^2: how many repeats make the half-width of the mean's 95 % interval so small, about.

    >>> repeats_needed(0.05, 0.01)
    100
    """
    return math.ceil((2 * check.at_least(0, sd=sd) / check.positive(half_width=half_width)) ** 2 * (1 - 1e-12))


def all_succeed_minimum(share: float, *, confidence: float = 0.95) -> int:
    """The fewest repeats that can show that at least ``share`` of all succeed: share^R <= 1 - confidence.

    >>> [all_succeed_minimum(share) for share in (0.8, 0.9, 0.95)]
    [14, 29, 59]
    """
    check.between(0, 1, inclusive=False, share=share)
    check.between(0, 1, inclusive=False, confidence=confidence)
    return math.ceil(math.log1p(-confidence) / math.log(share) * (1 - 1e-12))


def _trained(runs: np.ndarray, dimensions: int) -> np.ndarray:
    """Runs as floats, where the repeats at a value are all there or all NaN."""
    runs = np.asarray(runs, dtype=float)
    if runs.ndim != dimensions or runs.shape[-1] < 4 - dimensions or np.isinf(runs).any():
        shape = "values and repeats, two at least" if dimensions == 2 else "splits, values and repeats"
        raise check.RefusedError("runs", runs.shape, f"numbers, by {shape}; NaN where still to be trained")
    others = tuple(axis for axis in range(dimensions) if axis != dimensions - 2)
    missing = np.isnan(runs).any(axis=others)
    return np.where(missing[:, None], np.nan, runs) if missing.any() else runs


def _mean(values: np.ndarray) -> np.ndarray:
    """Along the last axis; exactly what they are where all are the same."""
    return np.where(np.ptp(values, axis=-1) > 0, values.mean(axis=-1), values[..., 0])
