"""Simulated rows of a private regression and of public sources that may be near it.

The target's rows are private: x ~ U(-1, 1)^d, y = x.beta + N(0, sd^2). Source k is public: x ~
U(a_k, b_k)^d and y = x.w_k + N(0, sd^2), with the contrast delta_k = beta - w_k. The transferable
sources are A_q = {k : ||delta_k||_q <= h} [li2022, Section 1; zhang2022]. All distributions are
known, so the excess risk is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from dpcore import check
from dpcore.cache import cached
from dpcore.streams import stream

# Public bound on the norm of beta, and standard deviation of the label noise.
RADIUS = 2.0
LABEL_SD = 0.2
# Number of non-zero coefficients.
SUPPORT = 10
# Number of coordinates in which each source differs, in turn.
WIDTHS = (16, 4, 8, 2, 12, 6)
# Smallest number of coordinates: an entry of a contrast is at most its L1 norm over this.
NARROWEST = min(WIDTHS)
# Multiples of it modulo 1 are evenly spread for any number of them.
_GOLDEN_RATIO = (5**0.5 - 1) / 2
# The ends of a source's features are at most this much nearer to 0 than those of the target.
_LARGEST_SHIFT = 0.4
# Norms to the power 1 / q overflow for a tiny q.
_LARGEST_NORM = 1e30
# Norms below this count as 0, so that nothing is divided by 0.
_LEAST_NORM = 1e-300
# Indices of the noise streams of the truth, of the target's rows and of the first source's rows.
_TRUTH = 0
_TARGET = 1
_FIRST_SOURCE = 2
# Parts of the stream of some rows, for the label noise and for the range of the features.
_LABELS = 1
_RANGE = 2


def norm_q(contrasts: np.ndarray, q: float) -> np.ndarray:
    """Return ||delta||_q of each row of ``contrasts`` (K, d), at most 1e30.

    It is (sum_j |delta_j|^q)^(1/q), or the support size if q = 0.

    Raises:
        RefusedError: If q is not from 0 to 1.
    """
    check.between(0, 1, q=q)
    sizes = np.abs(contrasts)
    if q == 0:
        return (sizes > 0).sum(axis=1).astype(float)
    largest = np.maximum(sizes.max(axis=1, initial=0, keepdims=True), _LEAST_NORM)
    with np.errstate(over="ignore"):
        norms = largest[:, 0] * ((sizes / largest) ** q).sum(axis=1) ** (1 / q)
    return np.minimum(norms, _LARGEST_NORM)


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """Simulated rows, whose truth is known.

    Attributes:
        X: Private rows (n, d).
        y: Their labels (n,).
        sources: K functions that return the first m public rows (m, d) and labels (m,).
        beta: True coefficients of the target, (d,).
        contrasts: Differences of the sources' coefficients from it, (K, d).
        ranges: Ends of the sources' features, (K, 2).
    """

    X: np.ndarray
    y: np.ndarray
    sources: tuple[Callable[[int], tuple[np.ndarray, np.ndarray]], ...]
    beta: np.ndarray
    contrasts: np.ndarray
    ranges: np.ndarray

    def transferable(self, q: float, h: float) -> np.ndarray:
        """Return which sources are in A_q, (K,), for exponent ``q`` and bound ``h``."""
        return norm_q(self.contrasts, q) <= h

    def risk(self, weights: np.ndarray) -> np.ndarray:
        """Return the excess risk of ``weights`` (..., d).

        E (y - x.w)^2 - E (y - x.beta)^2 = ||w - beta||^2 / 3.
        """
        return np.square(weights - self.beta).sum(axis=-1) / 3


@cached
def problem(*, seed: int, rows: int, dimension: int, sources: int, difference: float) -> Problem:
    """Return simulated data; more rows or sources leave the existing ones unchanged.

    A source draws its rows when it is called, because all of them have up to 60 MB.

    Args:
        seed: Of all rows.
        rows: n, of the target.
        dimension: d.
        sources: K.
        difference: L1 norm of the largest contrast, that of the first source. All contrasts point
            in one common direction, on the first coordinates of one fixed order, so that they do
            not average out.
    """
    rng = stream(seed, "data", _TRUTH)
    order = rng.permutation(dimension)
    signs = rng.choice([-1.0, 1.0], dimension)
    support = min(SUPPORT, dimension)
    coefficients = RADIUS / support * rng.choice([-1.0, 1.0], support)
    beta = np.zeros(dimension)
    beta[rng.permutation(dimension)[:support]] = coefficients

    contrasts = np.zeros((sources, dimension))
    for k in range(sources):
        width = min(WIDTHS[k % len(WIDTHS)], dimension)
        contrasts[k, order[:width]] = difference * _relative_distance(k) / width * signs[:width]
    ranges = np.array([_range(seed, k) for k in range(sources)])

    X, y = draw_rows(seed, _TARGET, (-1.0, 1.0), beta, rows)
    source_rows = tuple(
        partial(draw_rows, seed, _FIRST_SOURCE + k, tuple(ranges[k]), beta - contrasts[k])
        for k in range(sources)
    )
    return Problem(X=X, y=y, beta=beta, contrasts=contrasts, ranges=ranges, sources=source_rows)


def _relative_distance(k: int) -> float:
    """Return the distance of source k over that of the first, 1, 0.38, 0.76, 0.15, ..."""
    return 1 - (k * _GOLDEN_RATIO) % 1


def _range(seed: int, k: int) -> tuple[float, float]:
    """Return (a_k, b_k), the range of the features of source k."""
    rng = stream(seed, "data", _FIRST_SOURCE + k, _RANGE)
    low, high = rng.uniform(0, _LARGEST_SHIFT, 2)
    return low - 1, 1 - high


def draw_rows(
    seed: int, index: int, ends: tuple[float, float], weights: np.ndarray, rows: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return rows X (n, d) and labels x.w + N(0, sd^2) (n,).

    Args:
        seed: Of all rows.
        index: Of the stream of these rows.
        ends: Of the uniform features.
        weights: w, (d,).
        rows: n.
    """
    X = stream(seed, "data", index).uniform(*ends, size=(rows, len(weights)))
    noise = stream(seed, "data", index, _LABELS).standard_normal(rows)
    return X, X @ weights + LABEL_SD * noise
