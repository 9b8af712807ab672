"""Local classifiers that parties train on their own few rows, in stacks of parties.

A party without rows of some class may still vote for it. Votes (m,) are class numbers; shares (K,
m) are class probabilities that sum to 1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from dpcore.parties import aggregation
from dpcore.training.losses import chosen, probabilities

# Local models need not be exact minimisers, because no sensitivity depends on their solver.
_TOLERANCE = 1e-4
# Numbers (parties, K or d, m) processed at once, which fit into the processor's caches
_CELLS_AT_ONCE = 400_000


class Votes(NamedTuple):
    """Predictions of parties: class numbers votes (parties, m), shares (parties, K, m), and their
    weights.

    weights (parties, k, d): k = 1 for two classes.
    """

    votes: np.ndarray
    shares: np.ndarray
    weights: np.ndarray


def votes(
    X: np.ndarray, y: np.ndarray, rows: np.ndarray, *, classes: int, regularisation: float
) -> Iterator[Votes]:
    """Yield the predictions for ``rows`` (m, d) of parties trained on X (parties, n, d), y
    (parties, n), in chunks.
    """
    weights = logistic(X, y, classes=classes, regularisation=regularisation)
    rows = rows.astype(np.float32)
    width = max(1, _CELLS_AT_ONCE // (len(rows) * max(classes, X.shape[1])))
    for start in range(0, len(X), width):
        some = weights[start : start + width]
        z = some.astype(np.float32) @ rows.T
        yield Votes(chosen(z, dtype=np.uint8), probabilities(z), some)


def logistic(X: np.ndarray, y: np.ndarray, *, classes: int, regularisation: float) -> np.ndarray:
    """Return weights (parties, k, d) that minimise each party's (1/n) sum of losses + (lambda/2)
    ||w||^2.
    """
    targets = aggregation.one_hot(y, classes)
    return aggregation.fit(X, targets, regularisation=regularisation, tolerance=_TOLERANCE).weights
