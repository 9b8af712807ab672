"""Public sources for a private regression: which are near enough, what they say, and how to correct it privately.

The target's rows are private: x ~ U(-1, 1)^d, y = x.beta + N(0, sd^2). Source k is public: x ~ U(a_k, b_k)^d and
y = x.w_k + N(0, sd^2), with the contrast delta_k = beta - w_k. Transferable are A_q = {k : ||delta_k||_q <= h}
[li2022, Section 1; zhang2022]. All that is made up here is known exactly, so the excess risk is, too.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore import check
from dpcore.cache import cached
from dpcore.streams import stream

# Public: a bound on the norm of beta, the residuals' bound R, and the standard deviation of the labels' noise.
RADIUS, RESIDUAL_BOUND, LABEL_SD = 2.0, 1.0, 0.2
# How many coefficients are not 0, and on how many coordinates a source differs, one source after another.
SUPPORT, WIDTHS = 10, (16, 4, 8, 2, 12, 6)
# The least number of coordinates: a contrast's entry is at most its L1 norm over this.
NARROWEST = min(WIDTHS)
# A little ridge, as of one row or three, for sources with fewer rows than coefficients.
_RIDGE = 1.0
# A source whose loss lies this near to the best one's is as good as it.
_AS_GOOD = 0.002


def norm_q(contrasts: np.ndarray, q: float) -> np.ndarray:
    """||delta||_q of each row (K, d): (sum_j |delta_j|^q)^(1/q) for q in (0, 1], the number of entries for q = 0.

    For a tiny q this grows beyond all numbers; 1e30 stands for what is larger.
    """
    check.between(0, 1, q=q)
    size = np.abs(contrasts)
    if q == 0:
        return (size > 0).sum(axis=1).astype(float)
    largest = np.maximum(size.max(axis=1, initial=0, keepdims=True), 1e-300)
    with np.errstate(over="ignore"):
        return np.minimum(largest[:, 0] * ((size / largest) ** q).sum(axis=1) ** (1 / q), 1e30)


@dataclass(frozen=True, kw_only=True, eq=False)
class Problem:
    """X (n, d), y (n,) private; beta (d,); contrasts (K, d); ranges (K, 2); sources: K pairs of rows and labels."""

    X: np.ndarray
    y: np.ndarray
    beta: np.ndarray
    contrasts: np.ndarray
    ranges: np.ndarray
    sources: tuple[tuple[np.ndarray, np.ndarray], ...]

    def transferable(self, q: float, h: float) -> np.ndarray:
        """(K,): which sources are in A_q."""
        return norm_q(self.contrasts, q) <= h

    def risk(self, weights: np.ndarray) -> np.ndarray:
        """Excess risk E (y - x.w)^2 - E (y - x.beta)^2 = ||w - beta||^2 / 3 for x ~ U(-1, 1)^d, of weights (..., d)."""
        return np.square(weights - self.beta).sum(axis=-1) / 3


@cached
def problem(*, seed: int, rows: int, dimension: int, sources: int, difference: float, source_rows: int) -> Problem:
    """Made-up data, the same for the same seed; more rows or more sources leave the others as they are.

    difference: L1 norm of the first source's contrast, the largest. The contrasts go into one common direction, on the
    first few coordinates of one order of them, so that they do not average out.
    """
    d, nature = dimension, stream(seed, "data", 0)
    beta, order, signs = np.zeros(d), nature.permutation(d), nature.choice([-1.0, 1.0], d)
    support = min(SUPPORT, d)
    beta[nature.permutation(d)[:support]] = RADIUS / support * nature.choice([-1.0, 1.0], support)
    contrasts = np.zeros((sources, d))
    for k in range(sources):
        width = min(WIDTHS[k % len(WIDTHS)], d)
        contrasts[k, order[:width]] = difference * _share(k) / width * signs[:width]
    ranges = np.array([_range(seed, k) for k in range(sources)])
    X, y = _rows(seed, 1, rows, (-1.0, 1.0), beta)
    public = tuple(_rows(seed, 2 + k, source_rows, tuple(ranges[k]), beta - contrasts[k]) for k in range(sources))
    return Problem(X=X, y=y, beta=beta, contrasts=contrasts, ranges=ranges, sources=public)


def _share(k: int) -> float:
    """How far source k lies, of the farthest: 1, 0.38, 0.76, 0.15, ..., evenly spread for any number of sources."""
    return 1 - (k * (5**0.5 - 1) / 2) % 1


def _range(seed: int, k: int) -> tuple[float, float]:
    """(a_k, b_k): where the rows of source k lie."""
    low, high = stream(seed, "data", 2 + k, 2).uniform(0, 0.4, 2)
    return low - 1, 1 - high


def _rows(seed: int, index: int, n: int, ends: tuple[float, float], weights: np.ndarray):
    X = stream(seed, "data", index).uniform(*ends, size=(n, len(weights)))
    return X, X @ weights + LABEL_SD * stream(seed, "data", index, 1).standard_normal(n)


@dataclass(frozen=True, kw_only=True, eq=False)
class Statistics:
    """What least squares needs of each source's first rows, ``rows`` of all: gram (K, d, d) and moment (K, d)."""

    gram: np.ndarray
    moment: np.ndarray
    rows: int

    def fit(self, kept: np.ndarray) -> np.ndarray:
        """Weights (m, d) of the sources ``kept`` (m, K) together, by least squares with a little ridge."""
        chosen = kept.astype(float)
        gram = np.tensordot(chosen, self.gram, 1) + _RIDGE * np.eye(self.gram.shape[-1])
        return np.linalg.solve(gram, (chosen @ self.moment)[..., None])[..., 0]

    @cached_property
    def each(self) -> np.ndarray:
        """Weights (K, d) of each source alone."""
        return self.fit(np.eye(len(self.gram)))


def statistics(data: Problem, rows: int | tuple[int, ...]) -> Statistics:
    """Of the first ``rows`` rows of each source: one number for all, or one each."""
    counts = np.broadcast_to(rows, len(data.sources))
    cut = [(X[:count], y[:count]) for (X, y), count in zip(data.sources, counts, strict=True)]
    # A matrix in the hundreds is held in single precision, the walk's own
    dtype = np.float64 if data.X.shape[1] <= 50 else np.float32
    return Statistics(
        gram=np.array([(X.T @ X).astype(dtype) for X, _ in cut]),
        moment=np.array([X.T @ y for X, y in cut]),
        rows=sum(len(y) for _, y in cut),
    )


# Detection: the sources' losses on the private rows, released with Gaussian noise.


def clipped_losses(X: np.ndarray, y: np.ndarray, candidates: np.ndarray, *, residual_bound: float) -> np.ndarray:
    """Mean of min((y - x.w)^2, R^2) / 2 over the rows, of candidates (m, d): (m,)."""
    residual = np.clip(y - candidates @ X.T, -residual_bound, residual_bound)
    return np.square(residual).mean(axis=1) / 2


def loss_sensitivity(candidates: int, *, residual_bound: float, rows: int) -> float:
    """L2: each of the losses may move by R^2 / (2n), whether a row is replaced, or there or not (n public)."""
    return candidates**0.5 * residual_bound**2 / (2 * rows)


@dataclass(frozen=True, kw_only=True, eq=False)
class Detection:
    """kept (R, K); losses (K + 1,) and noisy (R, K + 1), first that of w = 0; sd of the noise on each."""

    kept: np.ndarray
    losses: np.ndarray
    noisy: np.ndarray
    sd: float


def detect(data: Problem, each: np.ndarray, *, rho: float, seed: int, draws: range, part: int) -> Detection:
    """Keep what cannot be told from the best source, and is better than none; costs ``rho`` (zCDP).

    A source is kept if its noisy loss is at most the least one's plus two standard deviations of the noise (and a
    little more), and below that of w = 0: as [tian2023] compares each with the target alone, with the noise's spread in
    place of that over folds.
    """
    candidates = np.vstack([np.zeros((1, each.shape[1])), each])
    losses = clipped_losses(data.X, data.y, candidates, residual_bound=RESIDUAL_BOUND)
    sensitivity = loss_sensitivity(len(losses), residual_bound=RESIDUAL_BOUND, rows=len(data.X))
    sd = noise_multiplier(rho) * sensitivity
    unit = np.array([stream(seed, "noise", index, part).standard_normal(len(losses)) for index in draws])
    noisy = losses + sd * unit
    best = noisy[:, 1:].min(axis=1, keepdims=True)
    kept = (noisy[:, 1:] <= best + 2 * sd + _AS_GOOD) & (noisy[:, 1:] < noisy[:, :1])
    return Detection(kept=kept, losses=losses, noisy=noisy, sd=sd)


def noise_multiplier(rho: float) -> float:
    """Of a Gaussian release that costs ``rho``: 1 / sqrt(2 rho)."""
    return (2 * check.positive(rho=rho)) ** -0.5
