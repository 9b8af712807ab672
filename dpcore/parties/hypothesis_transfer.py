"""Hypothesis transfer, Steps 4 to 6 [wang2019], from the sources' releases to the target's weights.

The inputs are ``Release`` values, public rows and the target's own rows, which are not protected;
no source row is used. Leading axes are repeats.
"""

from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.parties.source_releases import Release, importance_weights
from dpcore.training import dense_or_sparse, erm
from dpcore.training.dense_or_sparse import Rows

# Lower bound on the prior's spread, needed even if all of its weight is on one source.
LEAST_SD = 0.05
# EM stops after this many steps, or if no mixture is nearer by more than about this divergence.
_EM_STEPS = 400
_EM_GAP = 1e-4
# Densities below this count as 0, so that nothing is divided by 0.
_LEAST_DENSITY = 1e-300


def stacked(releases: list[Release]) -> tuple[np.ndarray, np.ndarray]:
    """Return the hypotheses and the tilts of the sources, both (..., K, d)."""
    hypotheses = np.stack([release.hypothesis for release in releases], axis=-2)
    tilts = np.stack([release.tilt for release in releases], axis=-2)
    return hypotheses, tilts


def source_weights(releases: list[Release], public: Rows) -> np.ndarray:
    """Return each source's importance weights on the public rows, (..., K, m).

    Args:
        releases: K of them, one from each source.
        public: (m, d) or (..., m, d); sparse rows as in ``dense_or_sparse``.
    """
    _, tilts = stacked(releases)
    # Sparse rows have no axis to add, and are the same for all sources.
    if isinstance(public, np.ndarray):
        # (..., 1, m, d), for the axis of the sources.
        public = public[..., None, :, :]
    return importance_weights(tilts, public)


def hypothesis_weights(target: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Return the weights h (..., K) of the mixture of sources nearest to the target (Step 4).

    The distance is KL(target || h.sources). It is minimised by EM: h_k <- h_k mean_i(target_i
    sources_ki / mixture_i). Each step lowers the divergence. Its factors g_k are a certificate: no
    mixture is nearer by more than ln max_k g_k.

    Args:
        target: Importance weights of the target on the public rows, (..., m).
        sources: Those of the sources, (..., K, m).
    """
    # Matrix products are faster with rows (m, K) in memory.
    columns = np.ascontiguousarray(np.swapaxes(sources, -1, -2))
    count = columns.shape[-1]
    # (..., 1, m) and (..., 1, K).
    shares = target / target.sum(axis=-1, keepdims=True)
    target_share = shares[..., None, :]
    h = np.full((*columns.shape[:-2], 1, count), 1 / count)
    for _ in range(_EM_STEPS):
        mixture = np.maximum(h @ np.swapaxes(columns, -1, -2), _LEAST_DENSITY)
        factors = (target_share / mixture) @ columns
        h = h * factors
        h /= h.sum(axis=-1, keepdims=True)
        if factors.max() < 1 + _EM_GAP:
            break
    return h[..., 0, :]


@dataclass(frozen=True, kw_only=True, eq=False)
class Prior:
    """An independent Gaussian prior per coordinate, with mean and sd (..., d)."""

    mean: np.ndarray
    sd: np.ndarray


def prior(releases: list[Release], weights: np.ndarray, *, least_sd: float = LEAST_SD) -> Prior:
    """Return mean and spread of the sources' hypotheses, weighted by h (Step 5) [marx2005].

    mu_j = sum_k h_k theta_kj, s_j^2 = sum_k h_k (theta_kj - mu_j)^2, and s_j at least ``least_sd``,
    because sources that agree, or one source with all the weight, would have no spread. s also
    includes the sources' noise.

    Args:
        releases: K of them, one from each source.
        weights: h, (..., K).
        least_sd: Lower bound on s.
    """
    check.positive(least_sd=least_sd)
    hypotheses, _ = stacked(releases)
    h = weights[..., :, None]
    mean = (h * hypotheses).sum(axis=-2)
    deviations = hypotheses - mean[..., None, :]
    sd = np.sqrt((h * deviations**2).sum(axis=-2))
    return Prior(mean=mean, sd=np.maximum(sd, least_sd))


def posterior(X: Rows, y: np.ndarray, prior: Prior) -> np.ndarray:
    """Return the weights (..., d) of largest posterior density (Step 6).

    They minimise the *sum* of the target's losses + sum_j (w_j - mu_j)^2 / (2 s_j^2).

    Args:
        X: Labelled rows of the target, (..., n, d).
        y: Their labels, (..., n), 0 or 1.
        prior: mu and s.
    """
    minimum = erm.logistic(
        X,
        y,
        regularisation=prior.sd**-2.0,
        centre=prior.mean,
        row_weights=np.ones(dense_or_sparse.row_count(X)),
    )
    return minimum.weights


def informed(releases: list[Release], weights: np.ndarray, X: Rows, y: np.ndarray) -> np.ndarray:
    """Return the target's hypothesis (..., d), by Steps 5 and 6."""
    return posterior(X, y, prior(releases, weights))


def equal(releases: list[Release], X: Rows, y: np.ndarray) -> np.ndarray:
    """Return the hypothesis of the baseline AVERAGE, Steps 5 and 6 with equal source weights."""
    count = len(releases)
    return informed(releases, np.full(count, 1 / count), X, y)


def soft(
    releases: list[Release], X: Rows, y: np.ndarray, unlabelled: Rows, *, lambda_lr: float
) -> np.ndarray:
    """Return the hypothesis of the baseline SOFT, which labels rows with the sources' votes.

    Args:
        releases: K of them, one from each source.
        X: Labelled rows of the target, (..., n, d).
        y: Their labels, (..., n), 0 or 1.
        unlabelled: Further rows of the target, whose label is the share of votes for 1.
        lambda_lr: Regularisation.
    """
    hypotheses, _ = stacked(releases)
    votes = dense_or_sparse.products(unlabelled, hypotheses) > 0
    targets = np.concatenate([y, votes.mean(axis=-1)], axis=-1)
    minimum = erm.logistic(
        dense_or_sparse.concat_pairs(X, unlabelled), targets, regularisation=lambda_lr
    )
    return minimum.weights
