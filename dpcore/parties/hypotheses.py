"""Hypothesis transfer [wang2019]: from what the sources released to a hypothesis of the target (Steps 4 to 6).

Nothing here sees a row of a source: what comes in are ``Release`` values, public rows and the target's own rows, which
are not protected. Leading axes are repeats.
"""

from dataclasses import dataclass

import numpy as np

from dpcore import check
from dpcore.parties import importance
from dpcore.parties.sources import Release
from dpcore.training import erm, sparse_erm, stacks
from dpcore.training.stacks import Rows

DIVERGENCES = ("kl", "squares")
# A prior needs a spread, even where all of its weight is on one source
LEAST_SD = 0.05
_EM_STEPS, _EM_GAP = 400, 1e-4
_SQUARES_STEPS = 300


def stacked(releases: list[Release]) -> tuple[np.ndarray, np.ndarray]:
    """(hypotheses, tilts) of the sources, both (..., K, d)."""
    return (
        np.stack([one.hypothesis for one in releases], axis=-2),
        np.stack([one.tilt for one in releases], axis=-2),
    )


def source_weights(releases: list[Release], public: Rows) -> np.ndarray:
    """Each source's importance weights (..., K, m) on the public rows (m, d) or (..., m, d)."""
    _, tilts = stacked(releases)
    return importance.weights(tilts, public if stacks.is_sparse(public) else public[..., None, :, :])


def hypothesis_weights(target: np.ndarray, sources: np.ndarray, *, divergence: str) -> np.ndarray:
    """Step 4: the mixture h (..., K) of ``sources`` (..., K, m) that comes nearest to ``target`` (..., m).

    "kl": least KL(target || h.sources). "squares": least squared distance.
    """
    check.choice(DIVERGENCES, divergence=divergence)
    return nearest_by_kl(target, sources) if divergence == "kl" else nearest_by_squares(target, sources)


def nearest_by_kl(target: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """EM: h_k <- h_k mean_i(target_i sources_ki / mixture_i), each step of which lowers the divergence.

    The factors g_k of a step certify it: no mixture is nearer by more than ln max_k g_k.
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


def nearest_by_squares(target: np.ndarray, sources: np.ndarray) -> np.ndarray:
    """Accelerated projected gradient on ||target - h.sources||^2, in the K x K matrix of the sources' products."""
    m = target.shape[-1]
    gram = sources @ np.swapaxes(sources, -1, -2) / m
    pull = (sources @ target[..., None])[..., 0] / m
    step = 1 / np.linalg.eigvalsh(gram)[..., -1:]
    h = ahead = np.full(pull.shape, 1 / pull.shape[-1])
    for turn in range(_SQUARES_STEPS):
        gradient = (gram @ ahead[..., None])[..., 0] - pull
        new = on_simplex(ahead - step * gradient)
        ahead = new + turn / (turn + 3) * (new - h)
        h = new
    return h


def on_simplex(points: np.ndarray) -> np.ndarray:
    """The nearest point (..., K) with entries that are not negative and sum to 1: one threshold on all entries."""
    falling = -np.sort(-points, axis=-1)
    above = (np.cumsum(falling, axis=-1) - 1) / np.arange(1, points.shape[-1] + 1)
    count = (falling > above).sum(axis=-1, keepdims=True)
    return np.maximum(points - np.take_along_axis(above, count - 1, axis=-1), 0)


@dataclass(frozen=True, kw_only=True, eq=False)
class Prior:
    """Independent Gaussians, one a coordinate: mean and sd, both (..., d)."""

    mean: np.ndarray
    sd: np.ndarray


def prior(releases: list[Release], weights: np.ndarray, *, least_sd: float = LEAST_SD) -> Prior:
    """Step 5: mean and spread of the sources' hypotheses, weighted by h (..., K) [marx2005].

    mu_j = sum_k h_k theta_kj, s_j^2 = sum_k h_k (theta_kj - mu_j)^2, and s_j at least ``least_sd``: sources that agree,
    or one that has all the weight, would leave no spread at all. The sources' noise is in s too, and rightly so.
    """
    check.positive(least_sd=least_sd)
    found, _ = stacked(releases)
    h = weights[..., :, None]
    mean = (h * found).sum(axis=-2)
    spread = np.sqrt((h * (found - mean[..., None, :]) ** 2).sum(axis=-2))
    return Prior(mean=mean, sd=np.maximum(spread, least_sd))


def posterior(X: Rows, y: np.ndarray, prior: Prior) -> np.ndarray:
    """Step 6: argmin over the target's labelled rows of the *sum* of losses + sum_j (w_j - mu_j)^2 / (2 s_j^2).

    X (..., n, d), y (..., n) in {0, 1} -> (..., d).
    """
    ones = np.ones(stacks.count(X))
    return erm.logistic(X, y, regularisation=prior.sd**-2.0, centre=prior.mean, row_weights=ones).weights


def posterior_sd(X: Rows, weights: np.ndarray, prior: Prior, coordinates: np.ndarray) -> np.ndarray:
    """Spread of some of the posterior's coordinates where it is taken for a Gaussian (Laplace's approximation)."""
    p = 1 / (1 + np.exp(-np.clip(stacks.products(X, weights[..., None, :])[..., 0], -500, 500)))
    if isinstance(X, tuple):
        cases = zip(X, p * (1 - p), prior.sd**-2.0, strict=True)
        found = [sparse_erm.variances(*one, regularisation=own, coordinates=coordinates) for *one, own in cases]
        return np.sqrt(found)
    hessian = np.swapaxes(X, -1, -2) @ ((p * (1 - p))[..., None] * X)
    d = X.shape[-1]
    hessian[..., np.arange(d), np.arange(d)] += prior.sd**-2.0
    return np.sqrt(np.diagonal(np.linalg.inv(hessian), axis1=-2, axis2=-1)[..., coordinates])


def informed(releases: list[Release], weights: np.ndarray, X: Rows, y: np.ndarray) -> tuple[Prior, np.ndarray]:
    """Steps 5 and 6: (prior, the target's hypothesis)."""
    believed = prior(releases, weights)
    return believed, posterior(X, y, believed)


def equal(releases: list[Release], X: Rows, y: np.ndarray) -> np.ndarray:
    """The baseline AVERAGE: Steps 5 and 6 with the same weight for each source."""
    count = len(releases)
    return informed(releases, np.full(count, 1 / count), X, y)[1]


def soft(releases: list[Release], X: Rows, y: np.ndarray, unlabelled: Rows, *, lambda_lr: float) -> np.ndarray:
    """The baseline SOFT: unlabelled target rows take the share of the sources' hypotheses that vote for 1 as label."""
    found, _ = stacked(releases)
    share = (stacks.products(unlabelled, found) > 0).mean(axis=-1)
    targets = np.concatenate([y, share], axis=-1)
    return erm.logistic(stacks.both(X, unlabelled), targets, regularisation=lambda_lr).weights
