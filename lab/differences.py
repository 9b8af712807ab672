"""How far two settings lie apart: the difference of the means of their repeats, with an interval of 95 % confidence,
or of another where many are looked at.

Where repeat r of both saw the same rows and drew the same noise (``Settings.pairs_with``), the differences of the pairs
vary less than the repeats do, and the interval is narrower than that of two groups by as much as the noise is common.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtrit

from dpcore import check
from lab.repeats import over_splits, standard_error

_CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Difference:
    """The mean of A less the mean of B, and the ends of its interval, in the unit of what is compared.

    pairs: how many pairs of repeats, or of splits; 0 where A and B are two groups. The ends meet where no repeat
    differs from another by chance: there is nothing to be unsure of.
    """

    mean: float
    low: float
    high: float
    pairs: int = 0

    @property
    def paired(self) -> bool:
        return self.pairs > 0

    @property
    def shown(self) -> bool:
        """Whether 0 lies outside of the interval."""
        return self.low > 0 or self.high < 0

    @property
    def sure(self) -> bool:
        """Whether every repeat says the same."""
        return self.low == self.high


def of_pairs(a: np.ndarray, b: np.ndarray, *, confidence: float = _CONFIDENCE) -> Difference:
    """Of repeats (R,) with common random numbers: Student's interval of the mean of a_r - b_r, R at least 2.

    >>> of_pairs(np.array([3.0, 4.0, 6.0]), np.array([2.0, 4.0, 5.0]))
    Difference(mean=0.667, low=-0.768, high=2.101, pairs=3)
    """
    a, b = _repeats(a=a), _repeats(b=b)
    differences = a - check.numbers(a.shape, b=b)
    error, freedom = float(standard_error(differences)), len(a) - 1
    return _interval(float(differences.mean()), error, freedom, pairs=len(a), confidence=confidence)


def of_groups(a: np.ndarray, b: np.ndarray, *, confidence: float = _CONFIDENCE) -> Difference:
    """Of repeats (R_a,) and (R_b,) that have nothing in common: Welch's interval, two repeats each at least.

    >>> of_groups(np.array([3.0, 4.0, 6.0]), np.array([2.0, 4.0]))
    Difference(mean=1.333, low=-3.538, high=6.204, pairs=0)
    """
    a, b = _repeats(a=a), _repeats(b=b)
    errors = np.array([standard_error(a), standard_error(b)])
    freedoms = np.array([len(a) - 1, len(b) - 1])
    error = math.hypot(*errors)
    freedom = error**4 / float((errors**4 / freedoms).sum()) if error else 1.0
    return _interval(float(a.mean() - b.mean()), error, freedom, confidence=confidence)


def of_splits(a: np.ndarray, b: np.ndarray, *, overlap: float = 0.0, confidence: float = _CONFIDENCE) -> Difference:
    """Of R repeats on each of S splits of the rows, (S, R): Student's interval of the S differences of their means.

    Repeats on one split have it in common, so that S R of them together would look far surer than they are. overlap: as
    ``repeats.over_splits`` has it.

    >>> of_splits(np.array([[3.0, 4.0], [6.0, 7.0]]), np.array([[2.0, 4.0], [5.0, 5.0]]))
    Difference(mean=1.0, low=-5.353, high=7.353, pairs=2)
    """
    a, b = np.asarray(a), np.asarray(b)
    gaps = a.mean(axis=1) - check.numbers(a.shape, b=b).mean(axis=1)
    means = over_splits(gaps[:, None, None], overlap=overlap)
    mean, error = float(means.mean[0]), float(means.error[0])
    return _interval(mean, error, means.freedom, pairs=len(a), confidence=confidence)


def _repeats(**named: np.ndarray) -> np.ndarray:
    ((name, values),) = named.items()
    values = np.asarray(values)
    return check.numbers((max(2, values.size),), **{name: values})


def _interval(mean: float, error: float, freedom: float, *, confidence: float, pairs: int = 0) -> Difference:
    half = float(stdtrit(freedom, (1 + confidence) / 2)) * error
    return Difference(mean=mean, low=mean - half, high=mean + half, pairs=pairs)
