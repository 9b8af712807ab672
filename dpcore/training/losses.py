"""Losses of linear classifiers, for stacks of models at once.

Weights are ``(..., k, p)``: k = 1 output for two classes (logistic), k = K outputs for K classes
(softmax); p includes the appended constant. Inputs are ``(n, p)``, labels ``(n,)`` whole numbers
from 0, and logits ``(..., k, n)``.

    logistic:  log(1 + exp(-s z)),  s = 2y - 1
               |d/dz| <= 1 (Lipschitz), second derivative <= 1/4 (smoothness)
    softmax:   log(sum_j exp(z_j)) - z_y
               ||d/dz||_2 <= sqrt(2), Hessian eigenvalues <= 1/2
"""

import math

import numpy as np
from numpy.typing import DTypeLike
from scipy.special import expit

# Number of logits computed at once: 400 kB in single precision.
_LOGITS_AT_ONCE = 100_000
LIPSCHITZ = {"logistic": 1.0, "softmax": math.sqrt(2.0)}


def outputs(n_classes: int) -> int:
    """Return the number of linear outputs: one for two classes, else one per class."""
    if n_classes == 2:
        return 1
    return n_classes


def with_constant(X: np.ndarray) -> np.ndarray:
    """Append the constant 1 to rows (n, d), so that the intercept is a weight: (n, d + 1)."""
    constant = np.ones(len(X), dtype=X.dtype)
    return np.column_stack([X, constant])


def examples(X: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return (inputs (n, d + 1), classes (n,)) for rows of which some may have no class (-1).

    A row without a class becomes all zeros, including the constant. For any weights its gradient is
    0 and its loss that of a guess. Dropping the row would change n.
    """
    inputs = with_constant(X)
    unlabelled = y < 0
    inputs[unlabelled] = 0
    return inputs, np.where(unlabelled, 0, y)


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
    """Return the loss of each example (..., n) in nats.

    Args:
        z: Logits, (..., k, n).
        y: Classes from 0, (n,) or (..., n).
    """
    if z.shape[-2] == 1:
        signs = (1 - 2 * y).astype(z.dtype)
        return _softplus(z[..., 0, :] * signs)
    largest = z.max(axis=-2)
    exponentials = np.exp(z - largest[..., None, :])
    log_sum = np.log(exponentials.sum(axis=-2)) + largest
    one_row = (*z.shape[:-2], 1, z.shape[-1])
    class_index = np.broadcast_to(y, one_row)
    true_logits = np.take_along_axis(z, class_index, axis=-2)
    return log_sum - true_logits[..., 0, :]


def _softplus(z: np.ndarray) -> np.ndarray:
    """Return log(1 + e^z), overwriting ``z``.

    log(1 + e^z) = max(z, 0) + log(1 + e^-|z|) does not overflow and is far faster than logaddexp.
    """
    log_term = np.abs(z)
    np.negative(log_term, out=log_term)
    np.exp(log_term, out=log_term)
    # Accurate to 6e-8 in single precision. log1p would take up to seven times as long.
    log_term += 1
    np.log(log_term, out=log_term)
    return np.maximum(z, 0, out=z) + log_term


def expected_values(z: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Return the expected loss of each example (..., n) in nats.

    Args:
        z: Logits, (..., k, n).
        shares: Probability of each class for each example, (K, n).
    """
    if z.shape[-2] == 1:
        logit = z[..., 0, :]
        return np.logaddexp(0, logit) - shares[1] * logit
    largest = z.max(axis=-2, keepdims=True)
    sums = np.exp(z - largest).sum(axis=-2)
    log_sum = largest[..., 0, :] + np.log(sums)
    expected_logit = (shares * z).sum(axis=-2)
    return log_sum - expected_logit


def residuals(z: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return d loss / d logit of each example (..., k, n): sigma(z) - y, or p - onehot(y)."""
    if z.shape[-2] == 1:
        return expit(z) - y
    classes = np.arange(z.shape[-2])
    return probabilities(z) - (classes[:, None] == y)


def mean_loss(
    weights: np.ndarray, X: np.ndarray, y: np.ndarray, *, shares: np.ndarray | None = None
) -> np.ndarray:
    """Return the mean loss of each model (...,) in nats.

    The models are evaluated in parts whose logits fit into the cache.

    Args:
        weights: (..., k, p).
        X: Inputs, (n, p).
        y: Classes from 0, (n,).
        shares: Weight of each example, (n,), summing to 1; None for equal weights.
    """
    k, p = weights.shape[-2:]
    n = len(X)
    flat_weights = weights.reshape(-1, p)
    models_at_once = max(1, _LOGITS_AT_ONCE // (k * n))
    width = k * models_at_once
    means = []
    for first in range(0, len(flat_weights), width):
        z = flat_weights[first : first + width] @ X.T
        losses = values(z.reshape(-1, k, n), y)
        if shares is None:
            means.append(losses.mean(axis=-1))
        else:
            means.append(losses @ shares.astype(losses.dtype))
    return np.concatenate(means).reshape(weights.shape[:-2])


def gradient_norms(weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the L2 norm of each example's gradient (..., n) without forming the gradient.

    It is ||residual|| ||x||.
    """
    errors = residuals(logits(weights, X), y)
    residual_norms = np.linalg.norm(errors, axis=-2)
    return residual_norms * np.linalg.norm(X, axis=1)


def predict(weights: np.ndarray, X: np.ndarray) -> np.ndarray:
    """Return the predicted class of each example (..., n)."""
    return likeliest(logits(weights, X))


def likeliest(z: np.ndarray, *, dtype: DTypeLike = np.intp) -> np.ndarray:
    """Return the class with the largest logit or probability, (..., n); the first if tied.

    Args:
        z: Logits (..., k, n), or probabilities (..., K, n).
        dtype: Type of the returned classes.
    """
    if z.shape[-2] == 1:
        return (z[..., 0, :] > 0).astype(dtype)
    # Class by class, which is several times faster than argmax.
    largest = z[..., 0, :].copy()
    classes = np.zeros(largest.shape, dtype)
    for label in range(1, z.shape[-2]):
        np.copyto(classes, label, where=z[..., label, :] > largest)
        np.maximum(largest, z[..., label, :], out=largest)
    return classes


def accuracy(weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the accuracy of each model (...,)."""
    return (predict(weights, X) == y).mean(axis=-1)
