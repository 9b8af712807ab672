"""Transfer learning for private regression: simulated public sources, their fits, and private
source detection.

The target's rows are private: x ~ U(-1, 1)^d, y = x.beta + N(0, sd^2). Source k is public: x ~
U(a_k, b_k)^d and y = x.w_k + N(0, sd^2), with the contrast delta_k = beta - w_k. The transferable
sources are A_q = {k : ||delta_k||_q <= h} [li2022, Section 1; zhang2022]. All distributions are
known, so the excess risk is exact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from dpcore import check
from dpcore.cache import cached
from dpcore.streams import stream

# Public: bound on the norm of beta, bound R on residuals, and standard deviation of the label
# noise.
RADIUS, RESIDUAL_BOUND, LABEL_SD = 2.0, 1.0, 0.2
# Number of non-zero coefficients, and number of coordinates in which each source differs, in turn.
SUPPORT, WIDTHS = 10, (16, 4, 8, 2, 12, 6)
# Smallest number of coordinates: an entry of a contrast is at most its L1 norm over this.
NARROWEST = min(WIDTHS)
# Ridge penalty worth about one to three rows, for sources with fewer rows than coefficients.
_RIDGE = 1.0
# A source whose loss is within this of the best source's counts as equally good.
_LOSS_MARGIN = 0.002


def norm_q(contrasts: np.ndarray, q: float) -> np.ndarray:
    """Return ||delta||_q of each row of ``contrasts`` (K, d): (sum_j |delta_j|^q)^(1/q), or the
    support size if q = 0.

    0 <= q <= 1. Values that overflow for a tiny q are capped at 1e30.
    """
    check.between(0, 1, q=q)
    size = np.abs(contrasts)
    if q == 0:
        return (size > 0).sum(axis=1).astype(float)
    largest = np.maximum(size.max(axis=1, initial=0, keepdims=True), 1e-300)
    with np.errstate(over="ignore"):
        return np.minimum(largest[:, 0] * ((size / largest) ** q).sum(axis=1) ** (1 / q), 1e30)


@dataclass(frozen=True, kw_only=True, eq=False)
class Rows:
    """Private X (n, d), y (n,); sources: K functions, m -> the first m public rows (m, d) and
    labels (m,).
    """

    X: np.ndarray
    y: np.ndarray
    sources: tuple[Callable[[int], tuple[np.ndarray, np.ndarray]], ...]


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem(Rows):
    """Simulated rows, whose truth is known: beta (d,); contrasts (K, d); ranges (K, 2) of the
    sources' features.
    """

    beta: np.ndarray
    contrasts: np.ndarray
    ranges: np.ndarray

    def transferable(self, q: float, h: float) -> np.ndarray:
        """Return which sources are in A_q, (K,), for exponent ``q`` and bound ``h``."""
        return norm_q(self.contrasts, q) <= h

    def risk(self, weights: np.ndarray) -> np.ndarray:
        """Return the excess risk of ``weights`` (..., d): E (y - x.w)^2 - E (y - x.beta)^2 = ||w -
        beta||^2 / 3.
        """
        return np.square(weights - self.beta).sum(axis=-1) / 3


@cached
def problem(*, seed: int, rows: int, dimension: int, sources: int, difference: float) -> Problem:
    """Return simulated data for ``seed``; more rows or sources leave the existing ones unchanged.

    A source draws its rows when it is called, because all of them have up to 60 MB.

    difference: L1 norm of the largest contrast, that of the first source. All contrasts point in
    one common direction, on the first coordinates of one fixed order, so that they do not average
    out.
    """
    d, rng = dimension, stream(seed, "data", 0)
    beta, order, signs = np.zeros(d), rng.permutation(d), rng.choice([-1.0, 1.0], d)
    support = min(SUPPORT, d)
    beta[rng.permutation(d)[:support]] = RADIUS / support * rng.choice([-1.0, 1.0], support)
    contrasts = np.zeros((sources, d))
    for k in range(sources):
        width = min(WIDTHS[k % len(WIDTHS)], d)
        contrasts[k, order[:width]] = difference * _share(k) / width * signs[:width]
    ranges = np.array([_range(seed, k) for k in range(sources)])
    X, y = _rows(seed, 1, (-1.0, 1.0), beta, rows)
    public = tuple(
        partial(_rows, seed, 2 + k, tuple(ranges[k]), beta - contrasts[k]) for k in range(sources)
    )
    return Problem(X=X, y=y, beta=beta, contrasts=contrasts, ranges=ranges, sources=public)


def _share(k: int) -> float:
    """Return the relative distance of source k: 1, 0.38, 0.76, 0.15, ..., evenly spread for any
    number.
    """
    return 1 - (k * (5**0.5 - 1) / 2) % 1


def _range(seed: int, k: int) -> tuple[float, float]:
    """Return (a_k, b_k), the range of the features of source k."""
    low, high = stream(seed, "data", 2 + k, 2).uniform(0, 0.4, 2)
    return low - 1, 1 - high


def _rows(seed: int, index: int, ends: tuple[float, float], weights: np.ndarray, n: int):
    X = stream(seed, "data", index).uniform(*ends, size=(n, len(weights)))
    return X, X @ weights + LABEL_SD * stream(seed, "data", index, 1).standard_normal(n)


@dataclass(frozen=True, kw_only=True, eq=False)
class Statistics:
    """Sufficient statistics of each source's first rows, ``rows`` in total: gram (K, d, d) and
    moment (K, d).
    """

    gram: np.ndarray
    moment: np.ndarray
    rows: int

    def fit(self, kept: np.ndarray) -> np.ndarray:
        """Return the ridge regression weights (m, d) of the pooled sources that ``kept`` (m, K)
        selects.
        """
        chosen = kept.astype(float)
        gram = np.tensordot(chosen, self.gram, 1) + _RIDGE * np.eye(self.gram.shape[-1])
        return np.linalg.solve(gram, (chosen @ self.moment)[..., None])[..., 0]

    @cached_property
    def each(self) -> np.ndarray:
        """Return the weights (K, d) fitted to each source alone."""
        return self.fit(np.eye(len(self.gram)))


def statistics(data: Rows, rows: int | tuple[int, ...]) -> Statistics:
    """Return the statistics of the first ``rows`` rows of each source; one number for all sources
    or one for each.
    """
    # Large matrices are stored in single precision, as Frank-Wolfe uses them
    dtype = np.float64 if data.X.shape[1] <= 50 else np.float32
    sources = zip(data.sources, np.broadcast_to(rows, len(data.sources)).tolist(), strict=True)
    taken = (source(count) for source, count in sources)  # one at a time is held
    grams, moments, counts = zip(
        *(((X.T @ X).astype(dtype), X.T @ y, len(y)) for X, y in taken), strict=True
    )
    return Statistics(gram=np.array(grams), moment=np.array(moments), rows=sum(counts))


# Source detection: losses of the sources' weights on the private rows, released with Gaussian
# noise.


def clipped_losses(
    X: np.ndarray, y: np.ndarray, candidates: np.ndarray, *, residual_bound: float
) -> np.ndarray:
    """Return the mean over the rows of min((y - x.w)^2, R^2) / 2 for each of ``candidates`` (m, d):
    (m,).
    """
    residual = np.clip(y - candidates @ X.T, -residual_bound, residual_bound)
    return np.square(residual).mean(axis=1) / 2


def loss_sensitivity(candidates: int, *, residual_bound: float, rows: int) -> float:
    """Return the L2 sensitivity of the losses: each changes by at most R^2 / (2n) under either
    adjacency (n public).
    """
    return candidates**0.5 * residual_bound**2 / (2 * rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class Detection:
    """Detection result: kept (R, K); losses (K + 1,) and noisy (R, K + 1), w = 0 first; sd of the
    noise.
    """

    kept: np.ndarray
    losses: np.ndarray
    noisy: np.ndarray
    sd: float


def detect(
    data: Rows, each: np.ndarray, *, rho: float, seed: int, draws: range, part: int
) -> Detection:
    """Select the sources that are statistically as good as the best one and better than w = 0, for
    ``rho`` (zCDP).

    A source is kept if its noisy loss is at most the smallest one plus two noise standard
    deviations and a margin, and is below that of w = 0. [tian2023] likewise compares each source
    with the target alone, with the spread over folds in place of the noise.
    """
    candidates = np.vstack([np.zeros((1, each.shape[1])), each])
    losses = clipped_losses(data.X, data.y, candidates, residual_bound=RESIDUAL_BOUND)
    sensitivity = loss_sensitivity(len(losses), residual_bound=RESIDUAL_BOUND, rows=len(data.X))
    sd = noise_multiplier(rho) * sensitivity
    unit = np.array(
        [stream(seed, "noise", index, part).standard_normal(len(losses)) for index in draws]
    )
    noisy = losses + sd * unit
    best = noisy[:, 1:].min(axis=1, keepdims=True)
    kept = (noisy[:, 1:] <= best + 2 * sd + _LOSS_MARGIN) & (noisy[:, 1:] < noisy[:, :1])
    return Detection(kept=kept, losses=losses, noisy=noisy, sd=sd)


def noise_multiplier(rho: float) -> float:
    """Return the noise multiplier of a Gaussian release that costs ``rho``: 1 / sqrt(2 rho)."""
    return (2 * check.positive(rho=rho)) ** -0.5
