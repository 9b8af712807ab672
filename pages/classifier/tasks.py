"""Tasks of the classifier: what is measured of the models that are trained.

A task (``lab.experiment.parts.Runs``) calls one of the functions ``train_ensemble``,
``train_references``, ``score_final_models`` and ``score_curve`` with a training, its epsilons and
its repeats.

Shapes: A arms, E epsilons, R repeats, m recorded steps, n rows, d features, c classes. Weights are
(k, p), with k outputs and p = d + 1 inputs, of which the last is the constant.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from dpcore.cache import cached
from dpcore.training import losses
from dpcore.training.person_gradients import PeopleGradient, row_weights
from lab.data import classification as data
from lab.experiment.data_settings import split_of
from lab.models.non_private import optimum
from pages.classifier.training import PrivateTraining, ReferenceTraining

# Rows, recorded steps and repeats from which the share of clipped gradients is estimated.
_CLIPPING_ROWS = 20_000
_CLIPPING_STEPS = 6
_CLIPPING_REPEATS = 3
# Rows from which the held-out loss over a path is estimated.
_PATH_TEST_ROWS = 2_000
# A norm of zero is divided by as this.
_LEAST_NORM = 1e-30


@dataclass(frozen=True, kw_only=True)
class Ensemble:
    """The models of each arm and repeat at one epsilon, and what was measured while they trained.

    weights: (A, R, k, p).
    accuracy, recall: on held-out rows, (A, R) and by class (A, R, c).
    steps: the recorded steps (m,).
    loss: on the private rows, (A, R, m), in nats.
    held_out_loss: of the models from scratch, (R, m), in nats.
    clipped: share (A,) of gradients, of rows or of people, that exceed the bound over the path.
    signal: L2 norm (A,) of the mean clipped gradient at the first step.
    noise: expected L2 norm of the noise of one step.
    """

    weights: np.ndarray
    accuracy: np.ndarray
    recall: np.ndarray
    steps: np.ndarray
    loss: np.ndarray
    held_out_loss: np.ndarray
    clipped: np.ndarray
    signal: np.ndarray
    noise: float

    @classmethod
    def concatenate(cls, batches: Sequence[Self]) -> Self:
        """Return all repeats of some batches. ``clipped`` and ``signal`` are the first one's.

        Repeats are the second axis, after the arms. The loss on held-out rows is of one arm alone.
        """
        first = batches[0]
        if len(batches) == 1:
            return first
        return replace(
            first,
            weights=np.concatenate([batch.weights for batch in batches], axis=1),
            accuracy=np.concatenate([batch.accuracy for batch in batches], axis=1),
            recall=np.concatenate([batch.recall for batch in batches], axis=1),
            loss=np.concatenate([batch.loss for batch in batches], axis=1),
            held_out_loss=np.concatenate([batch.held_out_loss for batch in batches]),
        )


def train_ensemble(
    training: PrivateTraining,
    epsilons: Sequence[float],
    repeats: range,
) -> Ensemble:
    """Train the repeats at one epsilon, and measure them along their path."""
    split = training.split
    path = training.train(epsilons, draws=repeats, record=training.recorded_steps)
    weights = path.weights[:, 0]
    history = path.history[:, :, 0]

    rows = _TrainingRows.from_split(split).as_float32()
    clipped, signal = _clipping(training, history, rows)
    loss = np.moveaxis(rows.loss(history), 0, -1)
    # As in ``score_final_models``: a product of another size may differ in the last bit.
    loss[..., -1] = rows.loss(weights)

    X_test = losses.with_constant(split.X_test[:_PATH_TEST_ROWS]).astype(np.float32)
    y_test = split.y_test[:_PATH_TEST_ROWS]
    accuracy, recall = _held_out_scores(split, weights)
    noise_sd = training.noise_sd(epsilons[0])
    return Ensemble(
        weights=weights,
        accuracy=accuracy,
        recall=recall,
        steps=path.steps,
        loss=loss,
        held_out_loss=losses.mean_loss(history[:, 0], X_test, y_test).T,
        clipped=clipped,
        signal=signal,
        noise=noise_sd * math.sqrt(training.zero_weights.size),
    )


class FinalScores(NamedTuple):
    """Scores of the final models, as in ``Ensemble``.

    accuracy: (A, R). recall: (A, R, c). loss: (A, R, 1), at the last step alone.
    """

    accuracy: np.ndarray
    recall: np.ndarray
    loss: np.ndarray


def score_final_models(
    training: PrivateTraining,
    epsilons: Sequence[float],
    repeats: range,
    *,
    given: int,
) -> FinalScores:
    """Train the repeats at one epsilon, and return the final scores of the first ``given``.

    All repeats are trained together, which gives the scores of ``train_ensemble`` to the last bit.
    """
    weights = training.train(epsilons, draws=repeats).weights[:, 0]
    loss = _TrainingRows.from_split(training.split).as_float32().loss(weights)
    accuracy, recall = _held_out_scores(training.split, weights)
    return FinalScores(accuracy[:, :given], recall[:, :given], loss[:, :given, None])


def score_curve(training: PrivateTraining, epsilons: Sequence[float], repeats: range) -> np.ndarray:
    """Train the repeats at several epsilons, and return the held-out accuracy (A, E, R)."""
    weights = training.train(epsilons, draws=repeats).weights
    return _is_correct(training.split, weights).mean(axis=-1)


@dataclass(frozen=True, kw_only=True, eq=False)
class Reference:
    """The non-private model of one arm.

    weights: (k, p).
    accuracy: on held-out rows.
    steps, loss: the recorded steps (m,), and the loss on the private rows (m,), in nats.
    best_accuracy, best_loss: at the minimum of the loss, which the descent approaches.
    """

    weights: np.ndarray
    accuracy: float
    steps: np.ndarray
    loss: np.ndarray
    best_accuracy: float
    best_loss: float


def train_references(
    training: ReferenceTraining,
    epsilons: tuple[()],
    repeats: range,
) -> dict[str, Reference]:
    """Train the non-private model of each arm. ``epsilons`` and ``repeats`` are not used."""
    split = training.split
    rows = _TrainingRows.from_split(split)
    best = _optimum(training.dataset, training.private_rows, training.seed, training.rows_each)
    best_accuracy = float(_is_correct(split, best).mean())
    best_loss = float(rows.loss(best))

    path = training.train_without_privacy(training.recorded_steps)
    references = {}
    for arm, name in enumerate(training.arms):
        weights = path.weights[arm]
        references[name] = Reference(
            weights=weights,
            accuracy=float(_is_correct(split, weights).mean()),
            steps=path.steps,
            loss=rows.loss(path.history[:, arm]),
            best_accuracy=best_accuracy,
            best_loss=best_loss,
        )
    return references


@cached
def _optimum(dataset: data.Dataset, private_rows: int, seed: int, rows_each: int) -> np.ndarray:
    """Return the weights (k, p) that minimise the loss on the private rows."""
    split = split_of(dataset, seed=seed, private_rows=private_rows, rows_each=rows_each)
    X, y, _ = split.training_rows
    shares = _TrainingRows.from_split(split).shares
    counts = None
    if shares is not None:
        counts = private_rows * shares
    return optimum(X, y, n_classes=split.n_classes, weights=counts)


class _TrainingRows(NamedTuple):
    """The private rows as they are trained on.

    X, y: inputs (n, p), with the constant, and classes (n,).
    people: the person (n,) of each row, or None if each row is a person.
    shares: weight (n,) of each row in the mean loss, or None for equal weights. All people
        weigh the same, and so do the rows of a person.
    """

    X: np.ndarray
    y: np.ndarray
    people: np.ndarray | None
    shares: np.ndarray | None

    @classmethod
    def from_split(cls, split: data.Split) -> Self:
        """Return the private rows, of which each person has one or several."""
        X, y, people = split.training_rows
        inputs, classes = losses.examples(X, y)
        if people is None:
            return cls(inputs, classes, None, None)
        has_label = np.any(inputs, axis=1)
        number_of_people = people.max() + 1
        shares = row_weights(has_label, people) / number_of_people
        return cls(inputs, classes, people, shares)

    def as_float32(self) -> Self:
        """Return the rows in single precision, as models are trained on them."""
        return self._replace(X=self.X.astype(np.float32))

    def loss(self, weights: np.ndarray) -> np.ndarray:
        """Return the mean loss (...) of models (..., k, p), in nats."""
        return losses.mean_loss(weights, self.X, self.y, shares=self.shares)


def _is_correct(split: data.Split, weights: np.ndarray) -> np.ndarray:
    """Return whether models (..., k, p) predict each held-out row correctly, (..., n)."""
    X = losses.with_constant(split.X_test).astype(np.float32)
    return losses.predict(weights, X) == split.y_test


def _held_out_scores(split: data.Split, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the accuracy (...) and the recall (..., c) of models (..., k, p) on held-out rows.

    The recall of a class without held-out rows is NaN.
    """
    correct = _is_correct(split, weights)
    is_member = split.y_test[:, None] == np.arange(split.n_classes)
    members = is_member.sum(axis=0)
    hits = correct.astype(np.float32) @ is_member.astype(np.float32)
    recall = np.full(hits.shape, np.nan)
    np.divide(hits, members, out=recall, where=members > 0)
    return correct.mean(axis=-1), recall


def _clipping(
    training: PrivateTraining,
    history: np.ndarray,
    rows: _TrainingRows,
) -> tuple[np.ndarray, np.ndarray]:
    """Return per arm the share of clipped gradients, and the norm of the first mean gradient.

    Both are estimated on the first rows, which are in random order. history: weights
    (m, A, R, k, p) of R repeats in A arms after m steps.
    """
    every = max(1, len(history) // _CLIPPING_STEPS)
    sampled = history[::every, :, :_CLIPPING_REPEATS]  # some steps of some repeats
    start = history[0, :, 0]  # (A, k, p), the same in all repeats
    if rows.people is not None:
        return _clipping_of_people(training, sampled, start, rows, rows.people)

    X = rows.X[:_CLIPPING_ROWS]
    y = rows.y[:_CLIPPING_ROWS]
    norms = losses.gradient_norms(sampled, X, y)  # by step, arm, repeat and row
    clipped = (norms > training.clip_norm).mean(axis=(0, 2, 3))

    residuals = losses.residuals(losses.logits(start, X), y)
    if training.version == "correct":
        first_norms = losses.gradient_norms(start, X, y)[:, None]
        factors = np.minimum(1, training.clip_norm / np.maximum(first_norms, _LEAST_NORM))
        residuals = residuals * factors
    signal = np.linalg.norm(residuals @ X / len(X), axis=(-2, -1))
    if training.version == "published":
        signal = np.minimum(signal, training.clip_norm)
    return clipped, signal


def _clipping_of_people(
    training: PrivateTraining,
    sampled: np.ndarray,
    start: np.ndarray,
    rows: _TrainingRows,
    people: np.ndarray,
) -> tuple[np.ndarray, np.ndarray]:
    """Return the same two numbers per arm if the mean gradients of people are clipped.

    sampled: (m, A, R, k, p). start: (A, k, p). people: the person (n,) of each row.
    """

    def mean_gradient(models: int) -> PeopleGradient:
        """Return the function of weights (k, models, p) that gives their mean gradient."""
        return PeopleGradient(
            rows.X,
            rows.y,
            people,
            models=models,
            clip_norm=np.full(models, training.clip_norm),
            outputs=start.shape[1],
        )

    steps, arms, repeats, outputs, inputs = sampled.shape
    models = sampled.reshape(-1, outputs, inputs).transpose(1, 0, 2)
    clipped = mean_gradient(models.shape[1]).clipped(models)
    clipped = clipped.reshape(steps, arms, repeats).mean(axis=(0, 2))
    first = mean_gradient(arms)(start.transpose(1, 0, 2))
    return clipped, np.linalg.norm(first, axis=(0, 2))
