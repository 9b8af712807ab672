"""Tasks of membership inference: models trained on random halves of the same people.

Shapes: R models, n people, p inputs of which the last is the constant, k outputs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np
from scipy.special import logsumexp

from dpcore.streams import normal_steps, stream
from dpcore.training import losses
from pages.attack.training import PrivateTraining, Training

# A norm of zero is divided by as this.
_LEAST_NORM = 1e-30


@dataclass(frozen=True, kw_only=True)
class ShadowTraining(Training):
    """Non-private training of models on ``members`` of twice as many people.

    It has more and longer steps than private training, so that models remember their rows.
    """

    members: int
    steps_factor: ClassVar[int] = 4
    rate_factor: ClassVar[float] = 2.0

    @property
    def people(self) -> int:
        """Return the number of people, of whom each model is trained on half."""
        return 2 * self.members

    @property
    def cells(self) -> float:
        """Return the cost of one model, which computes the gradients of all people."""
        return super().cells * self.steps_factor * self.people / self.rows


@dataclass(frozen=True, kw_only=True)
class PrivateShadowTraining(PrivateTraining, ShadowTraining):
    """Private training of models on ``members`` of twice as many people."""

    steps_factor: ClassVar[int] = 1
    rate_factor: ClassVar[float] = 1.0


class ShadowModels(NamedTuple):
    """What an attack sees of models, each of which is a shadow model of the others.

    members: whether each person is a member, (R, n).
    margins: logit ln(p / (1 - p)) of each person's true class, (R, n).
    accuracies: on members and on others, (R, 2).
    """

    members: np.ndarray
    margins: np.ndarray
    accuracies: np.ndarray

    @classmethod
    def concatenate(cls, batches: Sequence[Self]) -> Self:
        """Return all models of some batches."""
        return cls(
            np.concatenate([batch.members for batch in batches]),
            np.concatenate([batch.margins for batch in batches]),
            np.concatenate([batch.accuracies for batch in batches]),
        )


def train_shadow_models(
    training: ShadowTraining, at: tuple[float | None], models: range
) -> ShadowModels:
    """Train models at one epsilon, or non-private ones, and measure them on all people."""
    (epsilon,) = at
    split = training.split
    X = losses.with_constant(split.X_private[: training.people])
    y = split.y_private[: training.people]
    members = _draw_members(training, models)
    weights = _descend(training, X.astype(np.float32), y, members, models, epsilon)

    margins = _true_class_margins(losses.logits(weights.astype(float), X), y)
    is_right = losses.predict(weights, X.astype(np.float32)) == y
    accuracies = [_accuracy(is_right, members), _accuracy(is_right, ~members)]
    return ShadowModels(members, margins, np.stack(accuracies, axis=1))


def _draw_members(training: ShadowTraining, models: range) -> np.ndarray:
    """Return whether each person is a member of each model, (R, n)."""
    members = []
    for model in models:
        order = stream(training.seed, "audit", model).permutation(training.people)
        members.append(order < training.members)
    return np.stack(members)


def _accuracy(is_right: np.ndarray, counted: np.ndarray) -> np.ndarray:
    """Return the accuracy (R,) of each model on the people that are ``counted`` (R, n)."""
    return (is_right & counted).sum(axis=1) / np.maximum(counted.sum(axis=1), 1)


def _descend(
    training: ShadowTraining,
    X: np.ndarray,
    y: np.ndarray,
    members: np.ndarray,
    models: range,
    epsilon: float | None,
) -> np.ndarray:
    """Return the weights (R, k, p) of models that are trained on the rows of their members.

    X, y: inputs (n, p) and classes (n,) of all people.
    members: whether each person is a member of each model, (R, n).
    models: their numbers, which choose their noise.
    """
    draws: Sequence[int] = ()
    noise_sd = np.float32(0)
    if isinstance(training, PrivateShadowTraining) and epsilon is not None:
        draws = models
        noise_sd = np.float32(training.noise_sd(epsilon, rows=training.members))
    learning_rate = np.float32(training.learning_rate * training.rate_factor)
    row_norms = np.linalg.norm(X, axis=1)
    row_weights = members[:, None].astype(np.float32) / np.float32(training.members)
    weights = np.zeros((len(models), losses.outputs(training.classes), X.shape[1]), np.float32)
    # Without draws this yields as many empty arrays.
    steps = normal_steps(
        training.seed,
        "noise",
        draws,
        steps=training.steps * training.steps_factor,
        shape=weights.shape[1:],
        dtype=np.float32,
    )
    for noise in steps:
        residuals = losses.residuals(losses.logits(weights, X), y).astype(np.float32)
        if isinstance(training, PrivateShadowTraining):
            norms = np.linalg.norm(residuals, axis=1, keepdims=True) * row_norms
            residuals *= np.minimum(1, training.clip_norm / np.maximum(norms, _LEAST_NORM))
        weights -= learning_rate * ((residuals * row_weights) @ X)
        if isinstance(training, PrivateShadowTraining):
            weights -= learning_rate * noise_sd * noise
    return weights


def _true_class_margins(logits: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return ln(p / (1 - p)) of the true class (R, n), from logits (R, k, n)."""
    if logits.shape[1] == 1:
        return logits[:, 0] * (2 * y - 1)
    models, classes, people = logits.shape
    true_class = np.broadcast_to(y, (models, 1, people))
    true_logits = np.take_along_axis(logits, true_class, axis=1)[:, 0]
    is_true_class = np.arange(classes)[:, None] == y
    other_logits = np.where(is_true_class, -np.inf, logits)
    return true_logits - logsumexp(other_logits, axis=1)
