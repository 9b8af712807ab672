"""What an ensemble of classifiers confuses: more than accuracy says where classes are out of balance."""

import numpy as np


def confusion(answers: np.ndarray, labels: np.ndarray, *, classes: int) -> np.ndarray:
    """Counts (..., k, k) of the rows of each class (down) that each model answers as each class (across).

    answers: (..., n), labels: (n,), both of classes 0 to k - 1.
    """
    pairs = labels * classes + answers
    one_hot = pairs[..., None] == np.arange(classes * classes)
    return one_hot.sum(axis=-2).reshape(*answers.shape[:-1], classes, classes)


def recalls(counts: np.ndarray) -> np.ndarray:
    """Share (..., k) of the rows of each class that are answered right; NaN for a class without rows."""
    rows = counts.sum(axis=-1)
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    return np.divide(right, rows, out=np.full(right.shape, np.nan), where=rows > 0)


def balanced_accuracy(counts: np.ndarray) -> np.ndarray:
    """Mean recall (...,) of the classes that have rows: a model that always gives one of k answers gets 1/k."""
    return np.nanmean(recalls(counts), axis=-1)
