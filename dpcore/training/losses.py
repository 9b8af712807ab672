"""Losses of linear classifiers, for stacks of models at once.

Weights are ``(..., k, p)``: k = 1 output for two classes (logistic), k = K outputs for K classes
(softmax); p includes the appended constant. Inputs are ``(n, p)``, labels ``(n,)`` whole numbers
from 0, and logits ``(..., k, n)``.

    logistic:  log(1 + exp(-s z)),  s = 2y - 1     |d/dz| <= 1 (Lipschitz), second derivative <= 1/4
        (smoothness)
    softmax:   log(sum_j exp(z_j)) - z_y           ||d/dz||_2 <= sqrt(2),   Hessian eigenvalues <=
1/2
"""

import math

import numpy as np
from numpy.typing import DTypeLike
from scipy.special import expit

# Number of logits computed at once: 400 kB in single precision.
_CELLS_AT_ONCE = 100_000
LIPSCHITZ = {"logistic": 1.0, "softmax": math.sqrt(2.0)}


def outputs(n_classes: int) -> int:
    """Return the number of linear outputs for ``n_classes``: one for two classes, else one per
    class.
    """
    return 1 if n_classes == 2 else n_classes


def with_constant(X: np.ndarray) -> np.ndarray:
    """Append the constant 1 to rows (n, d), so that the intercept is a weight: (n, d + 1)."""
    return np.column_stack([X, np.ones(len(X), dtype=X.dtype)])


def examples(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (inputs (n, d + 1), classes (n,)) for rows of which some may have no class (-1).

    A row without a class becomes all zeros, including the constant. For any weights its gradient is
    0 and its loss that of a guess. Dropping the row would change n.
    """
    inputs, absent = with_constant(X), y < 0
    inputs[absent] = 0
    return inputs, np.where(absent, 0, y)


def logits(weights: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return ``weights @ X.T``: (..., k, p), (n, p) -> (..., k, n)."""
    return weights @ X.T


def probabilities(z: np.ndarray) -> np.ndarray:
    """Return class probabilities (..., K, n) from logits (..., k, n)."""
    if z.shape[-2] == 1:
        return np.concatenate([expit(-z), expit(z)], axis=-2)
    e = z - z.max(axis=-2, keepdims=True)
    np.exp(e, out=e)
    e /= e.sum(axis=-2, keepdims=True)
    return e


def values(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the loss of each example (..., n), in nats."""
    if z.shape[-2] == 1:
        wrong = z[..., 0, :] * (1 - 2 * y).astype(z.dtype)
        # log(1 + e^wrong) = max(wrong, 0) + log(1 + e^-|wrong|): no overflow, and far faster than
        # logaddexp
        rest = np.abs(wrong)
        np.exp(np.negative(rest, out=rest), out=rest)
        rest += (
            1  # accurate to 6e-8 in single precision; log1p would take up to seven times as long
        )
        np.log(rest, out=rest)
        return np.maximum(wrong, 0, out=wrong) + rest
    top = z.max(axis=-2)
    total = np.log(np.exp(z - top[..., None, :]).sum(axis=-2)) + top
    return total - np.take_along_axis(z, _rows(y, z), axis=-2)[..., 0, :]


def expected_values(z: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the expected loss of each example (..., n), in nats, under class probabilities
    ``shares`` (K, n).
    """
    if z.shape[-2] == 1:
        return np.logaddexp(0, z[..., 0, :]) - shares[1] * z[..., 0, :]
    top = z.max(axis=-2, keepdims=True)
    total = top[..., 0, :] + np.log(np.exp(z - top).sum(axis=-2))
    return total - (shares * z).sum(axis=-2)


def residuals(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return d loss / d logit of each example (..., k, n): sigma(z) - y, or p - onehot(y)."""
    if z.shape[-2] == 1:
        return expit(z) - y
    p = probabilities(z)
    return p - (np.arange(z.shape[-2])[:, None] == y)


def mean_loss(
    weights: np.ndarray, X: np.ndarray, y: np.ndarray, *, shares: np.ndarray | None = None
) -> np.ndarray:
    """Return the mean loss of each model (...,), in nats, computed for as many models at once as
    fit into the cache.

    shares: weight of each example (n,), summing to 1; None: equal weights.
    """
    (k, p), n = weights.shape[-2:], len(X)
    flat, width = weights.reshape(-1, p), k * max(1, _CELLS_AT_ONCE // (k * n))
    parts = (flat[first : first + width] @ X.T for first in range(0, len(flat), width))
    found = (values(z.reshape(-1, k, n), y) for z in parts)
    means = [
        each.mean(axis=-1) if shares is None else each @ shares.astype(each.dtype) for each in found
    ]
    return np.concatenate(means).reshape(weights.shape[:-2])


def gradient_norms(weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the L2 norm of each example's gradient (..., n), ||residual|| ||x||, without forming
    the gradient.
    """
    return np.linalg.norm(residuals(logits(weights, X), y), axis=-2) * np.linalg.norm(X, axis=1)


def predict(weights: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the predicted class of each example (..., n)."""
    return chosen(logits(weights, X))


def chosen(z: np.ndarray, *, dtype: DTypeLike = np.intp) -> np.ndarray:
    """Return the class (..., n) of the largest logit or probability ``z`` (..., k, n); the first if
    tied.
    """
    if z.shape[-2] == 1:
        return (z[..., 0, :] > 0).astype(dtype)
    # Class by class, which is several times faster than argmax
    best, said = z[..., 0, :].copy(), np.zeros((*z.shape[:-2], z.shape[-1]), dtype)
    for label in range(1, z.shape[-2]):
        np.copyto(said, label, where=z[..., label, :] > best)
        np.maximum(best, z[..., label, :], out=best)
    return said


def accuracy(weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the accuracy of each model (...,)."""
    return (predict(weights, X) == y).mean(axis=-1)


def _rows(y: np.ndarray, z: np.ndarray) -> np.ndarray:
    """Return ``y`` as an index into the class axis of ``z``."""
    return np.broadcast_to(y, (*z.shape[:-2], 1, z.shape[-1]))
