"""Hypothesis transfer, Steps 4 to 6 [wang2019]: from the sources' releases to the target's
hypothesis.

The inputs are ``Release`` values, public rows and the target's own rows, which are not protected;
no source row is used. Leading axes are repeats.
"""

from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.parties import importance
from dpcore.parties.source_releases import Release
from dpcore.training import dense_or_sparse, erm
from dpcore.training.dense_or_sparse import Rows

# Lower bound on the prior's spread, needed even if all of its weight is on one source
LEAST_SD = 0.05
_EM_STEPS, _EM_GAP = 400, 1e-4


def stacked(releases: list[Release]) -> tuple[np.ndarray, np.ndarray]:
    """Return (hypotheses, tilts) of the sources, both (..., K, d)."""
    return (
        np.stack([one.hypothesis for one in releases], axis=-2),
        np.stack([one.tilt for one in releases], axis=-2),
    )


def source_weights(releases: list[Release], public: Rows) -> np.ndarray:
    """Return each source's importance weights (..., K, m) on the public rows (m, d) or
    (..., m, d).
    """
    _, tilts = stacked(releases)
    return importance.weights(
        tilts, public[..., None, :, :] if isinstance(public, np.ndarray) else public
    )


def hypothesis_weights(target: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Return the weights h (..., K) of the mixture of ``sources`` (..., K, m) nearest to ``target``
    (..., m) (Step 4).

    The distance is KL(target || h.sources). It is minimised by EM: h_k <- h_k mean_i(target_i
    sources_ki / mixture_i). Each step lowers the divergence. Its factors g_k are a certificate: no
    mixture is nearer by more than ln max_k g_k.
    """
    W = np.ascontiguousarray(np.swapaxes(sources, -1, -2))
    share = (target / target.sum(axis=-1, keepdims=True))[..., None, :]
    h = np.full((*W.shape[:-2], 1, W.shape[-1]), 1 / W.shape[-1])
    for _ in range(_EM_STEPS):
        mixture = np.maximum(h @ np.swapaxes(W, -1, -2), 1e-300)
        factors = (share / mixture) @ W
        h = h * factors
        h /= h.sum(axis=-1, keepdims=True)
        if factors.max() < 1 + _EM_GAP:
            break
    return h[..., 0, :]


@dataclass(frozen=True, kw_only=True, eq=False)
class Prior:
    """An independent Gaussian prior per coordinate: mean and sd, both (..., d)."""

    mean: np.ndarray
    sd: np.ndarray


def prior(releases: list[Release], weights: np.ndarray, *, least_sd: float = LEAST_SD) -> Prior:
    """Return the prior of Step 5: mean and spread of the sources' hypotheses, weighted by h (...,
    K) [marx2005].

    mu_j = sum_k h_k theta_kj, s_j^2 = sum_k h_k (theta_kj - mu_j)^2, and s_j at least ``least_sd``,
    because sources that agree, or one source with all the weight, would have no spread. s also
    includes the sources' noise.
    """
    check.positive(least_sd=least_sd)
    found, _ = stacked(releases)
    h = weights[..., :, None]
    mean = (h * found).sum(axis=-2)
    spread = np.sqrt((h * (found - mean[..., None, :]) ** 2).sum(axis=-2))
    return Prior(mean=mean, sd=np.maximum(spread, least_sd))


def posterior(X: Rows, y: np.ndarray, prior: Prior) -> np.ndarray:
    """Return the minimiser (..., d) of the *sum* of the target's losses + sum_j (w_j - mu_j)^2 / (2
    s_j^2) (Step 6).

    The target's labelled rows are X (..., n, d), y (..., n) in {0, 1}.
    """
    ones = np.ones(dense_or_sparse.count(X))
    return erm.logistic(
        X, y, regularisation=prior.sd**-2.0, centre=prior.mean, row_weights=ones
    ).weights


def informed(releases: list[Release], weights: np.ndarray, X: Rows, y: np.ndarray) -> np.ndarray:
    """Return the target's hypothesis, by Steps 5 and 6."""
    return posterior(X, y, prior(releases, weights))


def equal(releases: list[Release], X: Rows, y: np.ndarray) -> np.ndarray:
    """Return the hypothesis of the baseline AVERAGE: Steps 5 and 6 with equal weights for all
    sources.
    """
    count = len(releases)
    return informed(releases, np.full(count, 1 / count), X, y)


def soft(
    releases: list[Release], X: Rows, y: np.ndarray, unlabelled: Rows, *, lambda_lr: float
) -> np.ndarray:
    """Return the hypothesis of the baseline SOFT, which labels rows with the sources' share of
    votes for 1.
    """
    found, _ = stacked(releases)
    share = (dense_or_sparse.products(unlabelled, found) > 0).mean(axis=-1)
    targets = np.concatenate([y, share], axis=-1)
    return erm.logistic(
        dense_or_sparse.both(X, unlabelled), targets, regularisation=lambda_lr
    ).weights
