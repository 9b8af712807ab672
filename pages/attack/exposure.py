"""How far each person moves a step: their gradient with their own classes, against that with others in their place."""

import numpy as np

from dpcore.training import losses
from pages.attack.inputs import Training


def gradient_moves(
    recipe: Training, weights: np.ndarray, X: np.ndarray, y: np.ndarray, other: np.ndarray
) -> np.ndarray:
    """Return ||g - g'|| of each row with its own class ``y`` (n,) and with the ``other``, at weights (m, k, p): (m, n);
    clipped one by one where the recipe does so. A row of class -1, which is none, has no gradient."""
    z = losses.logits(weights.astype(float), X)
    lengths = np.linalg.norm(X, axis=1)
    residuals = [_residuals(z, labels) for labels in (y, other)]
    if recipe.version == "sound":
        norms = [np.linalg.norm(each, axis=-2, keepdims=True) * lengths for each in residuals]
        residuals = [
            each * np.minimum(1, recipe.clip_norm / np.maximum(norm, 1e-30))
            for each, norm in zip(residuals, norms, strict=True)
        ]
    return np.linalg.norm(residuals[0] - residuals[1], axis=-2) * lengths


def people_moves(
    recipe: Training, weights: np.ndarray, X: np.ndarray, y: np.ndarray, other: np.ndarray, people: np.ndarray
) -> np.ndarray:
    """Return the same of people (m, M), where ``people`` (n,) says whose each row is.

    Clipped is the average of a person's gradients (``dpcore.training.people``).
    """
    order, counts = np.argsort(people, kind="stable"), np.bincount(people)
    X, y, other, people = X[order], y[order], other[order], people[order]
    starts = np.cumsum(counts) - counts
    shares = [_shares(labels, people) for labels in (y, other)]
    found = []
    for one in weights.astype(float):
        z = losses.logits(one, X)
        mine, others = (_residuals(z, labels) * each for labels, each in zip((y, other), shares, strict=True))
        products = np.zeros((3, len(counts)))  # g.g, g'.g' and g.g', output by output
        for pair in zip(mine, others, strict=True):
            g, h = (np.add.reduceat(each[:, None] * X, starts) for each in pair)
            products += [(a * b).sum(axis=1) for a, b in ((g, g), (h, h), (g, h))]
        a, b = (np.minimum(1, recipe.clip_norm / np.maximum(np.sqrt(square), 1e-30)) for square in products[:2])
        squares = a**2 * products[0] + b**2 * products[1] - 2 * a * b * products[2]
        found.append(np.sqrt(np.maximum(squares, 0)))
    return np.stack(found)


def _residuals(z: np.ndarray, labels: np.ndarray) -> np.ndarray:
    return np.where(labels < 0, 0, losses.residuals(z, np.maximum(labels, 0)))


def _shares(labels: np.ndarray, people: np.ndarray) -> np.ndarray:
    """Return what each row (n,) counts in its person's average."""
    known = labels >= 0
    return known / np.maximum(np.bincount(people, weights=known), 1)[people]
