"""What a party learns from its own few rows: classifiers of any kind, whole stacks of parties at once where we can.

A party without rows of some class still may vote for it. Votes (m,) are class numbers; shares (K, m) class
probabilities that sum to 1.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from sklearn.tree import DecisionTreeClassifier

from dpcore import erm
from dpcore.losses import outputs, probabilities

LEARNERS = ("logistic", "bayes", "tree", "neighbours", "mixed")
# Those that train one party at a time take longer, so there are fewer parties.
ONE_BY_ONE = ("tree", "mixed")
# A local model is a party's own business and need not be exact: nothing private is computed from its solver's promise.
_TOLERANCE = 1e-4
_NEIGHBOURS, _DEPTH = 3, 4
# Variance added to each class's features by naive Bayes: as if every party knew how exact measurements are.
_LEAST_SD = 0.06
_CELLS_AT_ONCE = 3_000_000


class Votes(NamedTuple):
    """What parties say about rows: votes (parties, m) whole numbers, shares (parties, K, m), weights or None.

    weights (parties, k, d) of logistic parties: k = 1 for two classes.
    """

    votes: np.ndarray
    shares: np.ndarray
    weights: np.ndarray | None


def votes(
    learner: str, X: np.ndarray, y: np.ndarray, rows: np.ndarray, *, classes: int, regularisation: float, first: int = 0
) -> Iterator[Votes]:
    """Train parties on X (parties, n, d), y (parties, n) and ask them about ``rows`` (m, d), some at a time.

    regularisation: lambda of a logistic party. first: the number of the first of these parties; in a mixed crowd it
    decides which kind a party is.
    """
    width = max(1, _CELLS_AT_ONCE // (len(rows) * classes))
    for start in range(0, len(X), width):
        some = slice(start, start + width)
        if learner == "mixed":
            yield _mixed(X[some], y[some], rows, classes, regularisation, first + start)
        else:
            yield _same(learner, X[some], y[some], rows, classes, regularisation)


def _mixed(X, y, rows, classes, regularisation, first) -> Votes:
    said = np.empty((len(X), len(rows)), np.uint8)
    shares = np.empty((len(X), classes, len(rows)), np.float32)
    kinds = LEARNERS[:-1]
    for place, kind in enumerate(kinds):
        own = (first + np.arange(len(X))) % len(kinds) == place
        if own.any():
            said[own], shares[own], _ = _same(kind, X[own], y[own], rows, classes, regularisation)
    return Votes(said, shares, None)


def _same(learner, X, y, rows, classes, regularisation) -> Votes:
    match learner:
        case "logistic":
            weights = logistic(X, y, classes=classes, regularisation=regularisation)
            shares = _probabilities(weights.astype(np.float32) @ rows.T.astype(np.float32))
            return Votes(shares.argmax(axis=1), shares, weights)
        case "bayes":
            shares = _bayes(X[..., :-1], y, rows[:, :-1], classes)
        case "tree":
            shares = _trees(X[..., :-1], y, rows[:, :-1], classes)
        case _:
            shares = _neighbours(X[..., :-1], y, rows[:, :-1], classes)
    return Votes(shares.argmax(axis=1), shares, None)


def logistic(X: np.ndarray, y: np.ndarray, *, classes: int, regularisation: float) -> np.ndarray:
    """Weights (parties, k, d) that minimise each party's (1/n) sum of losses + (lambda/2) ||w||^2."""
    if outputs(classes) == 1:
        found = erm.logistic(X, y.astype(float), regularisation=regularisation, tolerance=_TOLERANCE)
        return found.weights[:, None]
    targets = (y[:, None] == np.arange(classes)[:, None]).astype(float)
    return erm.softmax(X, targets, regularisation=regularisation, tolerance=_TOLERANCE).weights


def _probabilities(z: np.ndarray) -> np.ndarray:
    if z.shape[1] > 1:
        return probabilities(z)
    share = expit(z[:, 0])
    return np.stack([1 - share, share], axis=1)


def _bayes(X: np.ndarray, y: np.ndarray, rows: np.ndarray, classes: int) -> np.ndarray:
    """Gaussian naive Bayes (parties, K, m): a class that a party never saw gets the prior of half a row, and its mean
    and variance are those of all of the party's rows.
    """
    member = (y[:, None] == np.arange(classes)[:, None]).astype(float)
    count = member.sum(axis=-1)[..., None]
    every, spread = X.mean(axis=1)[:, None], X.var(axis=1)[:, None]
    mean = np.where(count > 0, member @ X / np.maximum(count, 1), every)
    variance = np.where(count > 1, member @ X**2 / np.maximum(count, 1) - mean**2, spread) + _LEAST_SD**2
    # sum_j (x_j - m_j)^2 / v_j, multiplied out so that it is a product of matrices
    precision = 1 / variance
    distance = precision @ (rows.T**2) - 2 * (precision * mean) @ rows.T + (precision * mean**2).sum(-1)[..., None]
    prior = np.log(count + 0.5) - 0.5 * np.log(variance).sum(axis=-1, keepdims=True)
    return probabilities((prior - distance / 2).astype(np.float32))


def _trees(X, y, rows, classes) -> np.ndarray:
    """Shares (parties, K, m) of small decision trees by scikit-learn, one party at a time."""
    X, rows = X.astype(np.float32), np.ascontiguousarray(rows, dtype=np.float32)
    shares = np.zeros((len(X), classes, len(rows)), np.float32)
    model = DecisionTreeClassifier(max_depth=_DEPTH, random_state=0)
    for party, (own, labels) in enumerate(zip(X, y, strict=True)):
        model.fit(own, labels, check_input=False)
        # The fitted tree's own answer: scikit-learn's checks of its input would take most of the time
        counts = model.tree_.predict(rows).reshape(len(rows), -1)
        shares[party, model.classes_] = (counts / counts.sum(axis=1, keepdims=True)).T
    return shares


def _neighbours(X, y, rows, classes) -> np.ndarray:
    """Shares (parties, K, m) of the classes among the nearest of a party's rows."""
    near = min(_NEIGHBOURS, X.shape[1])
    X, rows = X.astype(np.float32), rows.astype(np.float32)
    distances = (X**2).sum(axis=-1)[:, None] - 2 * (rows @ np.swapaxes(X, 1, 2))
    found = np.argpartition(distances, near - 1, axis=-1)[..., :near]
    nearest = np.take_along_axis(y[:, None].astype(np.uint8), found, axis=-1)
    return np.stack([(nearest == label).mean(axis=-1, dtype=np.float32) for label in range(classes)], axis=1)
