"""The influence of each row on a training step."""

import numpy as np

from dpcore.privacy import Adjacency
from dpcore.training import losses
from pages.attack.training import VersionTraining

# A norm of zero is divided by as this.
_LEAST_NORM = 1e-30


def gradient_changes(
    training: VersionTraining,
    weights: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    other_classes: np.ndarray,
) -> np.ndarray:
    """Return how far the gradient of each row moves, ||g - g'||, (m, n).

    g' has the other class, or is 0 if the row is removed. The correct version clips both gradients.

    weights: of m models, (m, k, p).
    X, y, other_classes: inputs (n, p), and both classes (n,) of each row.
    """
    logits = losses.logits(weights.astype(float), X)
    row_norms = np.linalg.norm(X, axis=1)
    residuals = losses.residuals(logits, y)
    other_residuals = losses.residuals(logits, other_classes)
    if training.version == "correct":
        residuals = _clipped(residuals, row_norms, training.clip_norm)
        other_residuals = _clipped(other_residuals, row_norms, training.clip_norm)
    if training.adjacency == Adjacency.ADD_REMOVE:
        return np.linalg.norm(residuals, axis=-2) * row_norms
    return np.linalg.norm(residuals - other_residuals, axis=-2) * row_norms


def _clipped(residuals: np.ndarray, row_norms: np.ndarray, clip_norm: float) -> np.ndarray:
    """Return residuals (m, k, n) whose gradients have at most the L2 norm ``clip_norm``."""
    gradient_norms = np.linalg.norm(residuals, axis=-2, keepdims=True) * row_norms
    return residuals * np.minimum(1, clip_norm / np.maximum(gradient_norms, _LEAST_NORM))
