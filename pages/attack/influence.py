"""How far each person moves a step: their gradient with their own classes, against that with others
in their place.
"""

import numpy as np

from dpcore.training import losses
from pages.attack.inputs import Training


def gradient_moves(
    recipe: Training, weights: np.ndarray, X: np.ndarray, y: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """Return ||g - g'|| of each row with its own class ``y`` (n,) and with the ``other``, at
    weights (m, k, p): (m, n); clipped one by one where the recipe does so. A row of class -1, which
    is none, has no gradient.
    """
    z = losses.logits(weights.astype(float), X)
    lengths = np.linalg.norm(X, axis=1)
    residuals = [_residuals(z, labels) for labels in (y, other)]
    if recipe.version == "correct":
        norms = [np.linalg.norm(each, axis=-2, keepdims=True) * lengths for each in residuals]
        residuals = [
            each * np.minimum(1, recipe.clip_norm / np.maximum(norm, 1e-30))
            for each, norm in zip(residuals, norms, strict=True)
        ]
    return np.linalg.norm(residuals[0] - residuals[1], axis=-2) * lengths


def _residuals(z: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.where(labels < 0, 0, losses.residuals(z, np.maximum(labels, 0)))
