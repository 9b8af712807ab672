"""What an ensemble of classifiers confuses: more than accuracy says where classes are out of balance."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


def confusion(answers: np.ndarray, labels: np.ndarray, *, classes: int) -> np.ndarray:
    """Counts (..., k, k) of the rows of each class (down) that each model answers as each class (across).

    answers: (..., n), labels: (n,), or (..., n) where each model has rows of its own; both of classes 0 to k - 1.
    """
    cells = classes * classes
    pairs = (labels * classes + answers).reshape(-1, answers.shape[-1])
    places = pairs + cells * np.arange(len(pairs))[:, None]
    return np.bincount(places.ravel(), minlength=cells * len(pairs)).reshape(*answers.shape[:-1], classes, classes)


def shares(counts: np.ndarray) -> np.ndarray:
    """``counts`` (..., k, k) as shares of the rows of each class; NaN for a class without rows."""
    rows = counts.sum(axis=-1, keepdims=True)
    return np.divide(counts, rows, out=np.full(counts.shape, np.nan), where=rows > 0)


def recalls(counts: np.ndarray) -> np.ndarray:
    """Share (..., k) of the rows of each class that are answered right; NaN for a class without rows."""
    return np.diagonal(shares(counts), axis1=-2, axis2=-1)


def balanced_accuracy(counts: np.ndarray) -> np.ndarray:
    """Mean recall (...,) of the classes that have rows: a model that always gives one of k answers gets 1/k."""
    return np.nanmean(recalls(counts), axis=-1)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByClass:
    """What R models do on held-out rows: their ``counts`` (R, k, k), and their mean ``loss`` (R,) in nats."""

    counts: np.ndarray
    loss: np.ndarray

    @cached_property
    def shares(self) -> np.ndarray:
        """Of the rows of each class, the share (k, k) that the middle model answers as each class."""
        return np.median(shares(self.counts), axis=0)

    @cached_property
    def middle(self) -> dict[str, float]:
        """The medians of the models' "accuracy", "balanced accuracy" and "loss"."""
        right = np.trace(self.counts, axis1=-2, axis2=-1) / self.counts.sum(axis=(-2, -1))
        found = {"accuracy": right, "balanced accuracy": balanced_accuracy(self.counts), "loss": self.loss}
        return {name: float(np.median(values)) for name, values in found.items()}

    @property
    def always(self) -> dict[int, int]:
        """Class -> how many of the models answer every row with it, most first."""
        answers = self.counts.sum(axis=1)
        found, models = np.unique(answers.argmax(axis=1)[(answers > 0).sum(axis=1) == 1], return_counts=True)
        return dict(sorted(zip(found.tolist(), models.tolist(), strict=True), key=lambda one: -one[1]))

    @property
    def commonest(self) -> tuple[int, float]:
        """The class with most rows, and its share of all of them."""
        rows = self.counts.sum(axis=(0, 2))
        return int(rows.argmax()), float(rows.max() / rows.sum())
