"""All that a piece of work depends on, as values: what the settings say besides is no part of its
key.
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np

from dpcore.attacks import audit
from dpcore.privacy import Adjacency
from dpcore.training import descent, losses
from lab.data import classification as data

# How a bound on epsilon is read off scores: by counting alone, or taking the noise for Gaussian.
FORMS: tuple[audit.Form, ...] = ("count", "gaussian")


def rows_of(dataset: data.Dataset) -> int:
    """Return how many private rows, or people, are trained on; public knowledge."""
    return data.source(dataset).private_rows


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Some of what the settings of the page say, field by field."""

    @classmethod
    def of(cls, settings: Any) -> Self:
        return cls(**{one.name: getattr(settings, one.name) for one in fields(cls)})


@dataclass(frozen=True, kw_only=True)
class Recipe(Inputs):
    """Gradient descent on the private rows of a data set, or on some of them."""

    dataset: data.Dataset
    steps: int
    learning_rate: float
    seed: int

    @property
    def split(self) -> data.Split:
        return data.load(self.dataset, seed=self.seed)

    @property
    def rows(self) -> int:
        """Return how many private rows there are; public knowledge."""
        return rows_of(self.dataset)

    @property
    def features(self) -> int:
        return len(data.source(self.dataset).features)

    @property
    def classes(self) -> int:
        return len(data.source(self.dataset).classes)


@dataclass(frozen=True, kw_only=True)
class Clipped(Recipe):
    """The same with each gradient clipped to ``clip_norm``, unless a training says otherwise."""

    clip_norm: float

    def descend(
        self,
        X: np.ndarray,
        y: np.ndarray,
        *,
        sd: float | np.ndarray,
        draws: Sequence[int] | np.ndarray,
        people: np.ndarray | None = None,
        clipping: descent.Clipping = "per-example",
        record: Sequence[int] = (),
        share: float = 1.0,
    ) -> descent.Path:
        """Train models from zero on rows with the constant, one for each of ``draws``, at this
        share of the rate.
        """
        return descent.noisy_gradient_descent(
            X,
            y,
            people=people,
            n_classes=self.classes,
            steps=self.steps,
            learning_rate=self.learning_rate * share,
            clip_norm=self.clip_norm,
            noise_sd=sd,
            start=np.zeros((losses.outputs(self.classes), X.shape[1])),
            seed=self.seed,
            draws=draws,
            clipping=clipping,
            record=record,
        )


@dataclass(frozen=True, kw_only=True)
class Training(Clipped):
    """How each model of two worlds is trained, but for the noise; the same whoever the person is.

    version: of ``VERSIONS``.
    """

    version: str


@dataclass(frozen=True, kw_only=True)
class PrivateRecipe(Clipped):
    """The same with noise for an epsilon at ``delta``."""

    delta: float

    def noise_sd(self, epsilon: float, *, rows: int) -> float:
        """Return the noise on the mean gradient of this many rows, one of them replaced."""
        multiplier = descent.noise_multiplier(epsilon=epsilon, delta=self.delta, steps=self.steps)
        return descent.mean_noise_sd(
            multiplier, clip_norm=self.clip_norm, rows=rows, adjacency=Adjacency.REPLACE_ONE
        )
