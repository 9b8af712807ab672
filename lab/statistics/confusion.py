"""Confusion matrices of many classifiers, and the class-wise metrics derived from them."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from dpcore.training import losses


def confusion(predictions: np.ndarray, labels: np.ndarray, *, classes: int) -> np.ndarray:
    """Return confusion matrices (..., k, k), with the true class down and the predicted one across.

    Args:
        predictions: Classes from 0 to k - 1, (..., n).
        labels: True classes, (n,), or (..., n) if each model has its own rows.
        classes: k.
    """
    cells = classes * classes
    cell_of_row = (labels * classes + predictions).reshape(-1, predictions.shape[-1])
    models = len(cell_of_row)
    # Each model gets its own range of cells, so that one bincount serves all.
    cell_of_row = cell_of_row + cells * np.arange(models)[:, None]
    counts = np.bincount(cell_of_row.ravel(), minlength=cells * models)
    return counts.reshape(*predictions.shape[:-1], classes, classes)


def shares(counts: np.ndarray) -> np.ndarray:
    """Return confusion matrices (..., k, k) as shares of the rows of each true class.

    The shares of a class without rows are NaN.
    """
    rows = counts.sum(axis=-1, keepdims=True)
    empty = np.full(counts.shape, np.nan)
    return np.divide(counts, rows, out=empty, where=rows > 0)


def recalls(counts: np.ndarray) -> np.ndarray:
    """Return the recall of each class (..., k) from confusion matrices (..., k, k).

    The recall of a class without rows is NaN.
    """
    return np.diagonal(shares(counts), axis1=-2, axis2=-1)


def balanced_accuracy(counts: np.ndarray) -> np.ndarray:
    """Return the mean recall (...,) over the classes with rows.

    It is 1/k for a constant prediction among k classes.
    """
    return np.nanmean(recalls(counts), axis=-1)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByClass:
    """Performance of R models on held-out rows.

    Attributes:
        counts: Confusion matrices, (R, k, k).
        loss: Mean losses in nats, (R,).
    """

    counts: np.ndarray
    loss: np.ndarray

    @classmethod
    def of(cls, logits: np.ndarray, labels: np.ndarray) -> Self:
        """Return the confusion matrices and mean losses of R models on n rows.

        The prediction for a row is its likeliest class.

        Args:
            logits: (R, 1, n) for two classes, else (R, k, n).
            labels: Classes from 0, (n,), or (R, n) if each model has its own rows.
        """
        classes = max(2, logits.shape[-2])
        counts = confusion(losses.likeliest(logits), labels, classes=classes)
        return cls(counts=counts, loss=losses.values(logits, labels).mean(axis=-1))

    @cached_property
    def shares(self) -> np.ndarray:
        """Return the median confusion matrix (k, k), in shares of the rows of each true class."""
        return np.median(shares(self.counts), axis=0)

    @cached_property
    def medians(self) -> dict[str, float]:
        """Return the medians over the models of "accuracy", "balanced accuracy" and "loss"."""
        correct = np.trace(self.counts, axis1=-2, axis2=-1)
        rows = self.counts.sum(axis=(-2, -1))
        return {
            "accuracy": float(np.median(correct / rows)),
            "balanced accuracy": float(np.median(balanced_accuracy(self.counts))),
            "loss": float(np.median(self.loss)),
        }

    @property
    def constant_predictions(self) -> dict[int, int]:
        """Return class -> number of models that predict it for every row, most frequent first."""
        predicted = self.counts.sum(axis=1)
        is_constant = (predicted > 0).sum(axis=1) == 1
        classes, models = np.unique(predicted.argmax(axis=1)[is_constant], return_counts=True)
        # Stable, so that equally frequent classes stay in rising order.
        order = np.argsort(-models, kind="stable")
        return {int(classes[place]): int(models[place]) for place in order}

    @property
    def largest_class(self) -> tuple[int, float]:
        """Return (the class with most rows, its share of all rows)."""
        rows = self.counts.sum(axis=(0, 2))
        return int(rows.argmax()), float(rows.max() / rows.sum())
