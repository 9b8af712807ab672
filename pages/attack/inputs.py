"""All that a piece of work depends on, as values: what the settings say besides is no part of its key."""

from dataclasses import dataclass
from typing import Any, Self

from dpcore.data import toy as data
from dpcore.privacy import Adjacency
from dpcore.training import descent


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Some of what the settings of the page say, field by field."""

    @classmethod
    def of(cls, settings: Any) -> Self:
        """What ``settings`` say of each field."""
        return cls(**{name: getattr(settings, name) for name in cls.__dataclass_fields__})


@dataclass(frozen=True, kw_only=True)
class Recipe(Inputs):
    """Gradient descent on the private rows of a data set, or on some of them."""

    dataset: str
    steps: int
    learning_rate: float
    seed: int

    @property
    def split(self) -> data.Split:
        return data.load(self.dataset, seed=self.seed)

    @property
    def rows(self) -> int:
        """How many private rows there are; public knowledge."""
        return data.DATASETS[self.dataset].private_rows

    @property
    def features(self) -> int:
        return len(data.DATASETS[self.dataset].features)

    @property
    def classes(self) -> int:
        return len(data.DATASETS[self.dataset].classes)


@dataclass(frozen=True, kw_only=True)
class PrivateRecipe(Recipe):
    """The same with each gradient clipped to ``clip_norm``, and noise for an epsilon at ``delta``."""

    delta: float
    clip_norm: float

    def noise_sd(self, epsilon: float, *, rows: int) -> float:
        """On the mean gradient of this many rows, one of them replaced."""
        multiplier = descent.noise_multiplier(epsilon=epsilon, delta=self.delta, steps=self.steps)
        return descent.mean_noise_sd(multiplier, clip_norm=self.clip_norm, rows=rows, adjacency=Adjacency.REPLACE_ONE)
