"""Local classifiers that parties train on their own few rows, for many parties at once.

A party without rows of some class may still vote for it. Votes (m,) are class numbers; shares
(K, m) are class probabilities that sum to 1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dpcore.parties import aggregation
from dpcore.training.losses import likeliest, probabilities

# Local models need not be exact minimisers, because no sensitivity depends on their solver.
_TOLERANCE = 1e-4
# Numbers (parties, K or d, m) processed at once, which fit into the processor's caches.
_CELLS_AT_ONCE = 400_000


class Votes(NamedTuple):
    """Predictions of parties.

    Attributes:
        votes: Class numbers, (parties, m).
        shares: Class probabilities, (parties, K, m).
        weights: Of the local models, (parties, k, d), with k = 1 for two classes.
    """

    votes: np.ndarray
    shares: np.ndarray
    weights: np.ndarray


def votes(
    X: np.ndarray, y: np.ndarray, rows: np.ndarray, *, classes: int, regularisation: float
) -> Iterator[Votes]:
    """Train a model for each party and yield their predictions, for some parties at a time.

    Args:
        X: Inputs of the parties, (parties, n, d).
        y: Classes of the parties' rows, (parties, n).
        rows: Inputs that are classified, (m, d).
        classes: Number of classes K.
        regularisation: As in ``logistic``.
    """
    weights = logistic(X, y, classes=classes, regularisation=regularisation)
    rows = rows.astype(np.float32)
    cells_per_party = len(rows) * max(classes, X.shape[1])
    parties_at_once = max(1, _CELLS_AT_ONCE // cells_per_party)
    for start in range(0, len(X), parties_at_once):
        some_weights = weights[start : start + parties_at_once]
        logits = some_weights.astype(np.float32) @ rows.T
        yield Votes(likeliest(logits, dtype=np.uint8), probabilities(logits), some_weights)


def logistic(X: np.ndarray, y: np.ndarray, *, classes: int, regularisation: float) -> np.ndarray:
    """Return the weights (parties, k, d) of each party's regularised logistic regression.

    They minimise (1/n) sum of losses + (regularisation / 2) ||w||^2.
    """
    targets = aggregation.one_hot(y, classes)
    fit = aggregation.fit(X, targets, regularisation=regularisation, tolerance=_TOLERANCE)
    return fit.weights
