"""Private detection of public sources that are near a private target, for a regression.

Each source is fitted alone to its public rows. The losses of these weights on the private rows are
released with Gaussian noise, and the sources with small losses are kept.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore import check
from dpcore.privacy import GaussianRelease
from dpcore.streams import stream

# Public bound R on residuals.
RESIDUAL_BOUND = 1.0
# Ridge penalty worth about one to three rows, for sources with fewer rows than coefficients.
_RIDGE = 1.0
# A source whose loss is within this of the best source's counts as equally good.
_LOSS_MARGIN = 0.002
# The same in standard deviations of the noise.
_NOISE_MARGIN = 2
# Matrices with more columns are stored in single precision, as Frank-Wolfe uses them.
_MOST_DOUBLE_COLUMNS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class SourceStatistics:
    """Sufficient statistics of each source's first rows.

    Attributes:
        gram: X^T X of each source, (K, d, d).
        moment: X^T y of each source, (K, d).
        rows: Number of rows of all sources together.
    """

    gram: np.ndarray
    moment: np.ndarray
    rows: int

    def fit(self, kept: np.ndarray) -> np.ndarray:
        """Return the ridge regression weights of pooled sources, (m, d).

        Args:
            kept: Which sources each of m pools has, (m, K).
        """
        selection = kept.astype(float)
        ridge = _RIDGE * np.eye(self.gram.shape[-1])
        gram = np.tensordot(selection, self.gram, 1) + ridge
        moment = selection @ self.moment
        return np.linalg.solve(gram, moment[..., None])[..., 0]

    @cached_property
    def separate_weights(self) -> np.ndarray:
        """Return the weights fitted to each source alone, (K, d)."""
        return self.fit(np.eye(len(self.gram)))


def source_statistics(
    sources: Sequence[Callable[[int], tuple[np.ndarray, np.ndarray]]],
    rows: int | tuple[int, ...],
) -> SourceStatistics:
    """Return the statistics of the first rows of each source.

    Args:
        sources: Functions that return the first m rows (m, d) and labels (m,) of a source.
        rows: Number of rows, one for all sources or one for each.
    """
    grams = []
    moments = []
    total = 0
    counts = np.broadcast_to(rows, len(sources)).tolist()
    for source, count in zip(sources, counts, strict=True):
        X, y = source(count)
        dtype: type = np.float32
        if X.shape[1] <= _MOST_DOUBLE_COLUMNS:
            dtype = np.float64
        grams.append((X.T @ X).astype(dtype))
        moments.append(X.T @ y)
        total += len(y)
    return SourceStatistics(gram=np.array(grams), moment=np.array(moments), rows=total)


def clipped_losses(
    X: np.ndarray, y: np.ndarray, candidates: np.ndarray, *, residual_bound: float
) -> np.ndarray:
    """Return the mean over the rows of min((y - x.w)^2, R^2) / 2 for each candidate, (m,).

    Args:
        X: (n, d).
        y: (n,).
        candidates: Weights w, (m, d).
        residual_bound: R.
    """
    residuals = np.clip(y - candidates @ X.T, -residual_bound, residual_bound)
    return np.square(residuals).mean(axis=1) / 2


def loss_sensitivity(candidates: int, *, residual_bound: float, rows: int) -> float:
    """Return the L2 sensitivity of the losses of this many candidates.

    Each changes by at most R^2 / (2n) under either adjacency, with n public.
    """
    return candidates**0.5 * residual_bound**2 / (2 * rows)


def noise_multiplier(rho: float) -> float:
    """Return the noise multiplier of a Gaussian release that costs ``rho``, 1 / sqrt(2 rho)."""
    return (2 * check.positive(rho=rho)) ** -0.5


def event(rho: float) -> GaussianRelease:
    """Return the privacy event of a detection that costs ``rho``."""
    return GaussianRelease(noise_multiplier=noise_multiplier(rho))


@dataclass(frozen=True, kw_only=True, eq=False)
class Detection:
    """The sources that R repeats of the detection keep.

    Attributes:
        kept: (R, K).
        losses: Of w = 0 and of each source, without noise, (K + 1,).
        noisy: The released losses, (R, K + 1).
        sd: Standard deviation of the noise.
    """

    kept: np.ndarray
    losses: np.ndarray
    noisy: np.ndarray
    sd: float


def detect(
    X: np.ndarray,
    y: np.ndarray,
    source_weights: np.ndarray,
    *,
    rho: float,
    seed: int,
    draws: range,
    part: int,
) -> Detection:
    """Keep the sources that are statistically as good as the best one and better than w = 0.

    Guarantee: L2 sensitivity `loss_sensitivity(candidates, residual_bound=RESIDUAL_BOUND,
    rows=rows)`; noise `norm(scale=sensitivity / sqrt(2 * rho))` per loss; event
    `GaussianRelease(noise_multiplier=1 / sqrt(2 * rho))`; adjacency replace-one, add/remove.

    The noisy loss of a kept source is at most the smallest one plus two noise standard deviations
    and a margin, and is below that of w = 0. [tian2023] likewise compares each source with the
    target alone, with the spread over folds in place of the noise.

    Args:
        X: Private rows (n, d), of which n is public.
        y: Their labels (n,).
        source_weights: Weights fitted to each source alone, (K, d). With w = 0 there are K + 1
            candidates.
        rho: Cost of a repeat, in zero-concentrated differential privacy.
        seed: Of the noise.
        draws: Numbers of the repeats, each with its own noise.
        part: Of the noise streams.
    """
    nothing = np.zeros((1, source_weights.shape[1]))
    candidates = np.vstack([nothing, source_weights])
    losses = clipped_losses(X, y, candidates, residual_bound=RESIDUAL_BOUND)
    sensitivity = loss_sensitivity(len(losses), residual_bound=RESIDUAL_BOUND, rows=len(X))
    sd = noise_multiplier(rho) * sensitivity
    noise = np.array(
        [stream(seed, "noise", draw, part).standard_normal(len(losses)) for draw in draws]
    )
    noisy = losses + sd * noise
    loss_of_nothing = noisy[:, :1]
    loss_of_sources = noisy[:, 1:]
    best = loss_of_sources.min(axis=1, keepdims=True)
    is_near_best = loss_of_sources <= best + _NOISE_MARGIN * sd + _LOSS_MARGIN
    is_better_than_nothing = loss_of_sources < loss_of_nothing
    return Detection(kept=is_near_best & is_better_than_nothing, losses=losses, noisy=noisy, sd=sd)
