"""Trainings of the attack page: gradient descent on the private rows, clipped and with noise.

Each class has the settings that decide its trainings, and no others, so that equal trainings are
computed once. Shapes: n rows, d features, p = d + 1 inputs of which the last is the constant,
k outputs, R models.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

import numpy as np

from dpcore.privacy import Adjacency
from dpcore.training import descent, losses
from lab.data import classification as data
from lab.experiment import chunking

T = TypeVar("T")


def from_settings(kind: type[T], settings: Any) -> T:
    """Return a dataclass whose fields have the values of the settings' fields of these names."""
    values = {field.name: getattr(settings, field.name) for field in fields(kind)}  # type: ignore[arg-type]
    return kind(**values)


def private_rows(dataset: str) -> int:
    """Return the number of private rows, or people, of a data set. It is public."""
    return data.source(dataset).private_rows


@dataclass(frozen=True, kw_only=True)
class Training:
    """Gradient descent on the private rows of a data set, or on some of them.

    dataset: name of a data set of the lab.
    steps, learning_rate: T and eta.
    seed: of the split and of the noise.
    """

    dataset: str
    steps: int
    learning_rate: float
    seed: int

    @property
    def split(self) -> data.Split:
        """Return the public, private and test rows."""
        return data.load(self.dataset, seed=self.seed)

    @property
    def rows(self) -> int:
        """Return the number of private rows."""
        return private_rows(self.dataset)

    @property
    def features(self) -> int:
        """Return the number of features."""
        return len(data.source(self.dataset).features)

    @property
    def classes(self) -> int:
        """Return the number of classes."""
        return len(data.source(self.dataset).classes)

    @property
    def inputs(self) -> int:
        """Return the number of inputs of a model: features and the constant."""
        return self.features + 1

    @property
    def cells(self) -> float:
        """Return the cost of one training (``lab.experiment.chunking``)."""
        return chunking.training_cells(
            rows=self.rows,
            outputs=losses.outputs(self.classes),
            inputs=self.inputs,
            steps=self.steps,
        )


@dataclass(frozen=True, kw_only=True)
class ClippedTraining(Training):
    """Gradient descent whose gradients are clipped to the L2 norm ``clip_norm``."""

    clip_norm: float

    def descend(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        noise_sd: float | np.ndarray,
        draws: Sequence[int] | np.ndarray,
        clipping: descent.Clipping = "per-example",
        record: Sequence[int] = (),
        learning_rate: float | None = None,
    ) -> descent.Path:
        """Train one model per draw from zero, on inputs X (n, p) and classes y (n,).

        noise_sd: standard deviation of the noise per coordinate of the mean gradient, also (R,).
        draws: the number (R,) of each model's noise stream.
        clipping: "none" and "average" clip otherwise than each row's gradient.
        record: the steps whose weights are kept.
        learning_rate: by default that of the training.
        """
        if learning_rate is None:
            learning_rate = self.learning_rate
        return descent.noisy_gradient_descent(
            X,
            y,
            n_classes=self.classes,
            steps=self.steps,
            learning_rate=learning_rate,
            clip_norm=self.clip_norm,
            noise_sd=noise_sd,
            start=np.zeros((losses.outputs(self.classes), X.shape[1])),
            seed=self.seed,
            draws=draws,
            clipping=clipping,
            record=record,
        )


@dataclass(frozen=True, kw_only=True)
class VersionTraining(ClippedTraining):
    """Training by one version of the mechanism, whatever its noise.

    version: a key of ``VERSIONS``.
    adjacency: relation between the two data sets, by its name.
    """

    version: str
    adjacency: str

    @property
    def largest_change(self) -> float:
        """Return how far one person can move the sum of gradients, as the noise assumes.

        The published formula assumes a replaced person.
        """
        if self.version == "published":
            return Adjacency.REPLACE_ONE.contributions * self.clip_norm
        return Adjacency(self.adjacency).contributions * self.clip_norm


@dataclass(frozen=True, kw_only=True)
class PrivateTraining(ClippedTraining):
    """Training with Gaussian noise for an epsilon at ``delta``."""

    delta: float

    def noise_sd(self, epsilon: float, *, rows: int) -> float:
        """Return the noise on the mean gradient of ``rows`` rows of which one is replaced."""
        multiplier = descent.noise_multiplier(epsilon=epsilon, delta=self.delta, steps=self.steps)
        return descent.mean_noise_sd(
            multiplier,
            clip_norm=self.clip_norm,
            rows=rows,
            adjacency=Adjacency.REPLACE_ONE,
        )
