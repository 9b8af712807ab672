"""Tasks of model inversion on digits: reconstruct a class, and a planted record, from weights.

A class is the picture of which the model is surest, by gradient ascent on its log-probability
[fredrikson2015]. For the record, an attacker who knows all other rows trains on them without noise
and subtracts the weights. Without privacy the difference in the record's class is nearly a multiple
of the record itself.

Shapes: R repeats, 10 classes, pictures of 64 pixels, inputs with the constant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

import numpy as np

from dpcore.training import descent, losses
from pages.attack.training import PrivateTraining

CLASSES = 10
PIXELS = 64
# The gradient ascent: its steps and their size, and the weight of the squared norm of a picture.
_ASCENT_STEPS = 40
_ASCENT_RATE = 0.5
_NORM_WEIGHT = 0.05
# A picture that is no digit: a cross in a frame, 8 by 8.
_CROSS = (
    "########",
    "##....##",
    "#.#..#.#",
    "#..##..#",
    "#..##..#",
    "#.#..#.#",
    "##....##",
    "########",
)
# A norm of zero is divided by as this.
_LEAST_NORM = 1e-30


def _pixels(picture: tuple[str, ...]) -> np.ndarray:
    """Return a picture as pixels (64,), 1 for a mark and -1 elsewhere."""
    marks = np.array([list(line) for line in picture])
    return np.where(marks == "#", 1.0, -1.0).ravel()


RECORD = _pixels(_CROSS)


@dataclass(frozen=True, kw_only=True)
class InversionTraining(PrivateTraining):
    """Trainings with a planted record of the class ``label``."""

    label: int


class Reconstructions(NamedTuple):
    """What is reconstructed in each repeat.

    classes: pictures (R, 10, 64).
    record: picture (R, 64).
    match: correlations (2, R) with the truth: the mean over classes with their mean pictures, and
        that of the record.
    """

    classes: np.ndarray
    record: np.ndarray
    match: np.ndarray

    @classmethod
    def concatenate(cls, batches: Sequence[Self]) -> Self:
        """Return the repeats of all batches."""
        return cls(
            np.concatenate([batch.classes for batch in batches]),
            np.concatenate([batch.record for batch in batches]),
            np.concatenate([batch.match for batch in batches], axis=1),
        )


def reconstruct(
    training: InversionTraining, at: tuple[float | None], repeats: range
) -> Reconstructions:
    """Train with the planted record at one epsilon, and reconstruct.

    An epsilon of None stands for training without clipping and noise.
    """
    (epsilon,) = at
    split = training.split
    features = np.array(split.X_private)
    y = np.array(split.y_private)
    features[0] = RECORD
    y[0] = training.label
    X = losses.with_constant(features)

    clipping: descent.Clipping = "none"
    noise_sd = 0.0
    draws = [0]
    if epsilon is not None:
        clipping = "per-example"
        noise_sd = training.noise_sd(epsilon, rows=len(y))
        draws = list(repeats)
    path = training.descend(X, y, noise_sd=noise_sd, draws=draws, clipping=clipping)
    # The mean gradient over one row less becomes the sum over the same number.
    learning_rate = training.learning_rate * ((len(y) - 1) / len(y))
    path_without = training.descend(
        X[1:],
        y[1:],
        noise_sd=0.0,
        draws=[0],
        clipping=clipping,
        learning_rate=learning_rate,
    )

    difference = path.weights - path_without.weights
    record = difference[:, training.label, :-1]
    classes = ascend(path.weights.astype(float))
    class_means = [X[1:, :-1][y[1:] == label].mean(axis=0) for label in range(CLASSES)]
    class_match = _correlations(classes, np.stack(class_means)).mean(axis=-1)
    match = np.stack([class_match, _correlations(record, RECORD)])
    return Reconstructions(classes.astype(np.float32), record, match)


def ascend(weights: np.ndarray) -> np.ndarray:
    """Return the pictures (R, c, 64) that weights (R, c, 65) are surest of, starting from grey.

    They are those of gradient ascent on ln p_c(x) - w ||x||^2 / 2.
    """
    models, classes, inputs = weights.shape
    pictures = np.zeros((models, classes, inputs - 1))
    slopes = weights[..., :-1]
    offsets = weights[..., -1]
    for _ in range(_ASCENT_STEPS):
        # (R, c, c): of each picture, the logit of each class.
        logits = pictures @ slopes.transpose(0, 2, 1) + offsets[:, None]
        exponentials = np.exp(logits - logits.max(axis=-1, keepdims=True))
        probabilities = exponentials / exponentials.sum(axis=-1, keepdims=True)
        residuals = np.eye(classes) - probabilities
        gradients = residuals @ slopes - _NORM_WEIGHT * pictures
        pictures = np.clip(pictures + _ASCENT_RATE * gradients, -1, 1)
    return pictures


def _correlations(pictures: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """Return the correlation (...,) of pictures (..., 64) with the true ones."""
    a = pictures - pictures.mean(axis=-1, keepdims=True)
    b = truth - truth.mean(axis=-1, keepdims=True)
    norms = np.linalg.norm(a, axis=-1) * np.linalg.norm(b, axis=-1)
    return (a * b).sum(axis=-1) / np.maximum(norms, _LEAST_NORM)
