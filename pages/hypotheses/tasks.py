"""Tasks of hypothesis transfer: fits of the sources and the target, and scores of its models.

A task (``lab.experiment.parts.Runs``) calls one of the functions ``fit_sources``, ``fit_target``,
``transfer``, ``first_outcomes`` and ``scores_over_epsilon``.

Shapes: K sources, R repeats, E epsilons, d features.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple, Self

import numpy as np

from dpcore.cache import CACHE
from dpcore.parties import hypothesis_transfer
from dpcore.training import dense_or_sparse, erm
from dpcore.training.dense_or_sparse import Rows
from lab.experiment.parts import Runs
from pages.hypotheses.training import (
    SourceTraining,
    TargetFit,
    TargetTraining,
    Transfer,
    group_fit,
    hypothesis_weights,
    source_fit,
    target_fit,
)

# "transfer" is Steps 1 to 6 of the algorithm. "equal_weights" weights all sources alike.
# "soft_labels" learns from the votes of the sources' hypotheses, and "best_source" is the one of
# them that does best on test rows. "few_labels" and "all_labels" are models of the target's rows
# alone, with the labels that it has or with those of all its rows.
METHODS = ("transfer", "equal_weights", "soft_labels", "best_source", "few_labels", "all_labels")
# Numbers of each repeat that are drawn over epsilon, "error" that of the weights.
SCORES = (*METHODS, "error")
EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
# A target has at least so many labels.
FEWEST_LABELS = 2


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """Scores of R repeats.

    repeats: their numbers (R,).
    weights: of the hypotheses (R, K).
    error: mean squared error of the weights (R,).
    accuracy: on test rows, by ``METHODS`` (R, 6).
    class_counts: number of test rows of each class, (R, 2).
    margin_noise: root mean square (R,) of the noise on the margins that the sources' hypotheses
        give test rows.
    """

    repeats: np.ndarray
    weights: np.ndarray
    error: np.ndarray
    accuracy: np.ndarray
    class_counts: np.ndarray
    margin_noise: np.ndarray

    def accuracy_of(self, method: str) -> np.ndarray:
        """Return the accuracy (R,) of a method."""
        return self.accuracy[:, METHODS.index(method)]

    def first(self, count: int) -> "Outcome":
        """Return the scores of the first repeats."""
        return Outcome(**{field.name: getattr(self, field.name)[:count] for field in fields(self)})

    @classmethod
    def concatenate(cls, batches: Sequence[Self]) -> Self:
        """Return the scores of all repeats of some batches."""
        values = {}
        for field in fields(cls):
            values[field.name] = np.concatenate([getattr(batch, field.name) for batch in batches])
        return cls(**values)


# Fits for ``transfer`` to find in the cache. They contain rows, so the tasks return nothing.


def fit_sources(training: SourceTraining, group: tuple[int, ...], repeats: range) -> None:
    """Fit a group of sources."""
    for repeat in repeats:
        group_fit(training, repeat, group)


def fit_target(training: TargetTraining, at: tuple[()], repeats: range) -> None:
    """Fit the target. ``at`` is not used."""
    for repeat in repeats:
        target_fit(training, repeat)


# Scores


def transfer(model: Transfer, at: tuple[float], repeats: range) -> Outcome:
    """Train the target by each of ``METHODS``, and score the models on its test rows.

    at: the share of the target's rows that have a label.
    """
    target = model.target
    releases = model.releases(repeats)
    fits = [target_fit(target, repeat) for repeat in repeats]
    rows = _TargetRows.of(fits, label_share=at[0])
    lambda_lr = target.sources.lambda_lr

    weights = hypothesis_weights(model, repeats)
    transferred = hypothesis_transfer.informed(releases, weights, rows.X, rows.y)
    averaged = hypothesis_transfer.equal(releases, rows.X, rows.y)
    voted = hypothesis_transfer.soft(
        releases, rows.X, rows.y, rows.X_unlabelled, lambda_lr=lambda_lr
    )
    few_labels = erm.logistic(rows.X, rows.y, regularisation=lambda_lr).weights
    all_labels = np.stack([fit.hypothesis for fit in fits])
    of_sources, _ = hypothesis_transfer.stacked(releases)

    accuracy = {
        "transfer": _accuracy(transferred, fits),
        "equal_weights": _accuracy(averaged, fits),
        "soft_labels": _accuracy(voted, fits),
        "best_source": _best_accuracy(of_sources, fits),
        "few_labels": _accuracy(few_labels, fits),
        "all_labels": _accuracy(all_labels, fits),
    }
    return Outcome(
        repeats=np.array(repeats),
        weights=weights,
        error=((weights - np.array(target.mixture)) ** 2).mean(axis=1),
        accuracy=np.stack([accuracy[method] for method in METHODS], axis=1),
        class_counts=np.array([np.bincount(fit.y_test.astype(int), minlength=2) for fit in fits]),
        margin_noise=_margin_noise(target, repeats, of_sources),
    )


def _margin_noise(target: TargetTraining, repeats: range, released: np.ndarray) -> np.ndarray:
    """Return the root mean square (R,) of the noise on the margins of test rows.

    released: the hypotheses (R, K, d) of the sources with noise.
    """
    noise_of_repeat = []
    for repeat, hypotheses in zip(repeats, released, strict=True):
        noise = hypotheses - source_fit(target.sources, repeat).hypotheses
        margins = target_fit(target, repeat).X_test @ noise.T
        noise_of_repeat.append(np.sqrt((margins**2).mean()))
    return np.array(noise_of_repeat)


def first_outcomes(model: Transfer, at: tuple[float], repeats: range, *, given: int) -> Outcome:
    """Return the scores of the first ``given`` repeats, which are trained with all ``repeats``.

    They are those of ``transfer`` to the last bit, and use its outcome if it is in the cache.
    """
    task = Runs(work=transfer, model=model, at=at, first=repeats.start, count=len(repeats))
    return CACHE.answer(task, task.run).first(given)


def scores_over_epsilon(
    model: tuple[Transfer, float], epsilons: Sequence[float], repeats: range
) -> np.ndarray:
    """Return the ``SCORES`` (7, E, R) at each epsilon.

    model: the transfer, at any epsilon, and the share of the target's rows that have a label.
    """
    transfer_model, label_share = model
    scores = []
    for epsilon in epsilons:
        budget = replace(transfer_model.budget, epsilon=epsilon)
        outcome = transfer(replace(transfer_model, budget=budget), (label_share,), repeats)
        scores.append([*outcome.accuracy.T, outcome.error])
    # (E, 7, R) to (7, E, R).
    return np.swapaxes(np.array(scores), 0, 1)


class _TargetRows(NamedTuple):
    """The target's rows in each of R repeats.

    X, y: labelled rows (R, n, d) and their labels (R, n).
    X_unlabelled: the other rows.
    """

    X: Rows
    y: np.ndarray
    X_unlabelled: Rows

    @classmethod
    def of(cls, fits: list[TargetFit], *, label_share: float) -> Self:
        """Return the rows of some repeats, as many of each."""
        count = min(len(fit.y) for fit in fits)
        labels = max(FEWEST_LABELS, round(label_share * count))
        return cls(
            X=dense_or_sparse.stack([fit.X[:labels].astype(float) for fit in fits]),
            y=np.stack([fit.y[:labels] for fit in fits]),
            X_unlabelled=dense_or_sparse.stack([fit.X[labels:count] for fit in fits]),
        )


def _accuracy(weights: np.ndarray, fits: list[TargetFit]) -> np.ndarray:
    """Return the accuracy (R,) of a model (R, d) on the test rows of each repeat."""
    accuracies = []
    for weights_of_repeat, fit in zip(weights, fits, strict=True):
        is_correct = (fit.X_test @ weights_of_repeat > 0) == fit.y_test
        accuracies.append(is_correct.mean())
    return np.array(accuracies)


def _best_accuracy(weights: np.ndarray, fits: list[TargetFit]) -> np.ndarray:
    """Return the accuracy (R,) of the best of K models (R, K, d) in each repeat."""
    accuracies = [_accuracy(weights[:, k], fits) for k in range(weights.shape[1])]
    return np.max(accuracies, axis=0)
