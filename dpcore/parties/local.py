"""Local classifiers that parties train on their own few rows, in stacks of parties where possible.

A party without rows of some class may still vote for it. Votes (m,) are class numbers; shares (K, m) are class
probabilities that sum to 1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from sklearn.tree import DecisionTreeClassifier

from dpcore.parties import aggregation
from dpcore.training.losses import chosen, probabilities

LEARNERS = ("logistic", "bayes", "tree", "neighbours", "mixed")
# Learners that train one party at a time are slower, so there are fewer parties.
ONE_BY_ONE = ("tree", "mixed")
# Local models need not be exact minimisers, because no sensitivity depends on their solver.
_TOLERANCE = 1e-4
_NEIGHBOURS, _DEPTH = 3, 4
# Variance added to each class's features by naive Bayes, as if every party knew the measurement precision.
_LEAST_SD = 0.06
# Numbers (parties, K or n, m) processed at once, which fit into the processor's caches
_CELLS_AT_ONCE = 400_000


class Votes(NamedTuple):
    """Predictions of parties: class numbers votes (parties, m), shares (parties, K, m), weights or None.

    weights (parties, k, d) of logistic parties: k = 1 for two classes.
    """

    votes: np.ndarray
    shares: np.ndarray
    weights: np.ndarray | None


def votes(
    learner: str, X: np.ndarray, y: np.ndarray, rows: np.ndarray, *, classes: int, regularisation: float, first: int = 0
) -> Iterator[Votes]:
    """Yield the predictions for ``rows`` (m, d) of parties trained on X (parties, n, d), y (parties, n), in chunks.

    regularisation: lambda of a logistic party. first: number of the first party (mixed learners alternate by number).
    """
    weights = None
    if learner == "logistic":
        weights = logistic(X, y, classes=classes, regularisation=regularisation)
    width = max(1, _CELLS_AT_ONCE // (len(rows) * max(classes, X.shape[1])))
    for start in range(0, len(X), width):
        some = slice(start, start + width)
        if weights is not None:
            z = weights[some].astype(np.float32) @ rows.T.astype(np.float32)
            yield Votes(chosen(z, dtype=np.uint8), probabilities(z), weights[some])
        elif learner == "mixed":
            yield _mixed(X[some], y[some], rows, classes, regularisation, first + start)
        else:
            yield _others(learner, X[some], y[some], rows, classes)


def _mixed(X, y, rows, classes, regularisation, first) -> Votes:
    said = np.empty((len(X), len(rows)), np.uint8)
    shares = np.empty((len(X), classes, len(rows)), np.float32)
    kinds = LEARNERS[:-1]
    for place, kind in enumerate(kinds):
        own = (first + np.arange(len(X))) % len(kinds) == place
        if own.any():
            options = {"classes": classes, "regularisation": regularisation}
            found = [*votes(kind, X[own], y[own], rows, **options)]
            said[own], shares[own] = (np.concatenate([some[part] for some in found]) for part in (0, 1))
    return Votes(said, shares, None)


def _others(learner, X, y, rows, classes) -> Votes:
    of = {"bayes": _bayes, "tree": _trees, "neighbours": _neighbours}[learner]
    shares = of(X[..., :-1], y, rows[:, :-1], classes)
    return Votes(chosen(shares, dtype=np.uint8), shares, None)


def logistic(X: np.ndarray, y: np.ndarray, *, classes: int, regularisation: float) -> np.ndarray:
    """Return weights (parties, k, d) that minimise each party's (1/n) sum of losses + (lambda/2) ||w||^2."""
    targets = aggregation.one_hot(y, classes)
    return aggregation.fit(X, targets, regularisation=regularisation, tolerance=_TOLERANCE).weights


def _bayes(X: np.ndarray, y: np.ndarray, rows: np.ndarray, classes: int) -> np.ndarray:
    """Return the shares (parties, K, m) of Gaussian naive Bayes.

    A class without rows gets the prior of half a row, and the mean and variance of all of the party's rows.
    """
    member = aggregation.one_hot(y, classes)
    count = member.sum(axis=-1)[..., None]
    every, spread = X.mean(axis=1)[:, None], X.var(axis=1)[:, None]
    mean = np.where(count > 0, member @ X / np.maximum(count, 1), every)
    variance = np.where(count > 1, member @ X**2 / np.maximum(count, 1) - mean**2, spread) + _LEAST_SD**2
    # sum_j (x_j - m_j)^2 / v_j, expanded into matrix products
    precision = 1 / variance
    distance = precision @ (rows.T**2) - 2 * (precision * mean) @ rows.T + (precision * mean**2).sum(-1)[..., None]
    prior = np.log(count + 0.5) - 0.5 * np.log(variance).sum(axis=-1, keepdims=True)
    return probabilities((prior - distance / 2).astype(np.float32))


def _trees(X, y, rows, classes) -> np.ndarray:
    """Return the shares (parties, K, m) of small scikit-learn decision trees, trained one party at a time."""
    X, rows = X.astype(np.float32), np.ascontiguousarray(rows, dtype=np.float32)
    shares = np.zeros((len(X), classes, len(rows)), np.float32)
    model = DecisionTreeClassifier(max_depth=_DEPTH, random_state=0)
    for party, (own, labels) in enumerate(zip(X, y, strict=True)):
        model.fit(own, labels, check_input=False)
        # Call the fitted tree directly: scikit-learn's input checks would take most of the time
        counts = model.tree_.predict(rows).reshape(len(rows), -1)
        shares[party, model.classes_] = (counts / counts.sum(axis=1, keepdims=True)).T
    return shares


def _neighbours(X, y, rows, classes) -> np.ndarray:
    """Return the shares (parties, K, m) of the classes among each party's nearest rows, including ties for the last."""
    X, rows = X.astype(np.float32), rows.astype(np.float32)
    distances = (X**2).sum(axis=-1)[..., None] - 2 * (X @ rows.T)
    near = (distances <= _smallest(distances, min(_NEIGHBOURS, X.shape[1]))[:, None]).astype(np.float32)
    member = aggregation.one_hot(y, classes).astype(np.float32)
    return member @ near / near.sum(axis=1, keepdims=True)


def _smallest(values: np.ndarray, place: int) -> np.ndarray:
    """Return the ``place``-th smallest (from 1) of values (parties, n, m) along n: (parties, m)."""
    kept = [np.full(values[:, 0].shape, np.inf, values.dtype) for _ in range(place)]
    for row in range(values.shape[1]):
        new = values[:, row]
        for low in kept:
            higher = np.maximum(low, new)
            np.minimum(low, new, out=low)
            new = higher
    return kept[-1]
