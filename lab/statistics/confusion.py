"""Confusion matrices of an ensemble of classifiers, and the class-wise metrics derived from
them.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from dpcore.training import losses


def confusion(answers: np.ndarray, labels: np.ndarray, *, classes: int) -> np.ndarray:
    """Return the confusion matrices (..., k, k) of predictions ``answers``: true class down,
    predicted class across.

    answers: (..., n). labels: (n,), or (..., n) if each model has its own rows. Both are class
    numbers from 0 to k - 1.
    """
    cells = classes * classes
    pairs = (labels * classes + answers).reshape(-1, answers.shape[-1])
    places = pairs + cells * np.arange(len(pairs))[:, None]
    return np.bincount(places.ravel(), minlength=cells * len(pairs)).reshape(
        *answers.shape[:-1], classes, classes
    )


def shares(counts: np.ndarray) -> np.ndarray:
    """Return confusion matrices ``counts`` (..., k, k) as shares of the rows of each class; NaN for
    an empty class.
    """
    rows = counts.sum(axis=-1, keepdims=True)
    return np.divide(counts, rows, out=np.full(counts.shape, np.nan), where=rows > 0)


def recalls(counts: np.ndarray) -> np.ndarray:
    """Return the recall (..., k) of each class from confusion matrices ``counts``; NaN for an empty
    class.
    """
    return np.diagonal(shares(counts), axis1=-2, axis2=-1)


def balanced_accuracy(counts: np.ndarray) -> np.ndarray:
    """Return the mean recall (...,) over the classes with rows, 1/k for a constant prediction among
    k classes.
    """
    return np.nanmean(recalls(counts), axis=-1)


@dataclass(frozen=True, kw_only=True, eq=False)
class ByClass:
    """Held-out performance of R models: confusion matrices ``counts`` (R, k, k) and mean ``loss``
    (R,) in nats.
    """

    counts: np.ndarray
    loss: np.ndarray

    @classmethod
    def of(cls, logits: np.ndarray, labels: np.ndarray) -> Self:
        """Return the performance of models with these ``logits`` (R, k, n) on rows of classes
        ``labels``.

        k: 1 for two classes, else the number of classes. labels: (n,), or (R, n) if each model has
        its own rows.
        """
        classes = max(2, logits.shape[-2])
        counts = confusion(losses.chosen(logits), labels, classes=classes)
        return cls(counts=counts, loss=losses.values(logits, labels).mean(axis=-1))

    @cached_property
    def shares(self) -> np.ndarray:
        """Return the median share (k, k) of each true class (down) that the models predict as each
        class (across).
        """
        return np.median(shares(self.counts), axis=0)

    @cached_property
    def middle(self) -> dict[str, float]:
        """Return the medians over the models of "accuracy", "balanced accuracy" and "loss"."""
        right = np.trace(self.counts, axis1=-2, axis2=-1) / self.counts.sum(axis=(-2, -1))
        found = {
            "accuracy": right,
            "balanced accuracy": balanced_accuracy(self.counts),
            "loss": self.loss,
        }
        return {name: float(np.median(values)) for name, values in found.items()}

    @property
    def always(self) -> dict[int, int]:
        """Return class -> number of models that predict it for every row, most frequent first."""
        answers = self.counts.sum(axis=1)
        found, models = np.unique(
            answers.argmax(axis=1)[(answers > 0).sum(axis=1) == 1], return_counts=True
        )
        return dict(
            sorted(zip(found.tolist(), models.tolist(), strict=True), key=lambda one: -one[1])
        )

    @property
    def commonest(self) -> tuple[int, float]:
        """Return (the class with most rows, its share of all rows)."""
        rows = self.counts.sum(axis=(0, 2))
        return int(rows.argmax()), float(rows.max() / rows.sum())
