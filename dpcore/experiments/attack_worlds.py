"""Two worlds: the same training many times, with one person's row and with another in its place.

The attacker knows all other rows, both candidates for this one, and the recipe. He sees the final weights, or, as the
guarantee allows for, the weights after every step. In both cases he scores what he has seen and says "with you" above
a threshold: for the steps the exact log-likelihood ratio and 0, for the final weights the direction in which the worlds
lie apart (Fisher's) and the middle between them, both from the first half of the trainings and tested on the other.
"""

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, ClassVar, NamedTuple

import numpy as np

from dpcore import clipping, data, descent, losses
from dpcore.experiments.classifier_claims import noise_sd
from dpcore.regions import Plane, feature_plane, principal_plane

if TYPE_CHECKING:
    from dpcore.experiments.attack import AttackSettings

RULES = {"sound": "per-example", "published": "average", "none": "none"}
# The worlds draw from streams of their own: equal noise in both would make their trainings twins.
_APART = 100_000


class World(NamedTuple):
    """Rows with the constant (n, p) and their classes (n,)."""

    X: np.ndarray
    y: np.ndarray


@lru_cache(maxsize=64)
def plane_of(dataset: str, seed: int) -> Plane:
    """Where people are drawn: two features, or the two principal directions of the public rows."""
    split = data.load(dataset, seed=seed)
    if len(split.source.features) == 2:
        return feature_plane(split.X_public, 0, 1, names=split.source.features, bounds=split.source.bounds)
    return principal_plane(split.X_public)


def spot(plane: Plane, x: float, y: float) -> np.ndarray:
    """The row (d,) at a place of the map, -1 and 1 being its edges, inside of the public bounds."""
    (a_low, a_high), (b_low, b_high) = plane.extent
    at = np.array([a_low + (x + 1) / 2 * (a_high - a_low), b_low + (y + 1) / 2 * (b_high - b_low)])
    return np.clip(plane.inputs(at), -1, 1)


@dataclass(frozen=True, kw_only=True)
class Neighbours:
    """Which two data sets: all that decides them, and nothing else."""

    dataset: str
    seed: int
    who: str
    person: int
    person_x: float
    person_y: float
    label: int
    against: str

    @property
    def candidates(self) -> tuple[tuple[np.ndarray, int], tuple[np.ndarray, int]]:
        """(row (d,), class) of the person, and of who stands there in the other world."""
        split = data.load(self.dataset, seed=self.seed)
        if self.who == "outlier":
            here = spot(plane_of(self.dataset, self.seed), self.person_x, self.person_y), self.label
        else:
            here = split.X_private[self.person], int(split.y_private[self.person])
        if self.against == "label":
            return here, (here[0], (here[1] + 1) % split.n_classes)
        return here, (split.X_public[0], int(split.y_public[0]))

    def worlds(self) -> tuple[World, World]:
        """With the person, and with the other in their place."""
        return _worlds(self)


@lru_cache(maxsize=16)
def _worlds(neighbours: Neighbours) -> tuple[World, World]:
    split = data.load(neighbours.dataset, seed=neighbours.seed)
    found = []
    for row, label in neighbours.candidates:
        X, y = losses.with_constant(split.X_private), np.array(split.y_private)
        X[neighbours.person, :-1], y[neighbours.person] = row, label
        found.append(World(X, y))
    return found[0], found[1]


def train(settings: "AttackSettings", world: World, *, sd: np.ndarray | float, draws, record=()) -> descent.Path:
    """Models from zero by this recipe, one for each of ``draws``."""
    classes = settings.classes
    return descent.noisy_gradient_descent(
        world.X,
        world.y,
        n_classes=classes,
        steps=settings.steps,
        learning_rate=settings.learning_rate,
        clip_norm=settings.clip_norm,
        noise_sd=sd,
        start=np.zeros((losses.outputs(classes), world.X.shape[1])),
        seed=settings.seed,
        draws=draws,
        clipping=RULES[settings.version],
        record=record,
    )


class Trained(NamedTuple):
    """weights (2, R, k, p) and scores (2, R) in the worlds with and without the person."""

    weights: np.ndarray
    scores: np.ndarray | None


@dataclass(frozen=True, kw_only=True)
class Retrain:
    """Trainings ``first`` to ``first`` + ``count`` - 1 of both worlds at one epsilon."""

    model: "AttackSettings"
    epsilon: float
    first: int
    count: int
    essential: ClassVar[bool] = False

    def run(self) -> Trained:
        settings, sd = self.model, noise_sd(self.model, self.epsilon)
        worlds = settings.neighbours.worlds()
        every = settings.sees == "steps" and sd > 0
        weights, scores = [], []
        for place, world in enumerate(worlds):
            draws = np.arange(self.first, self.first + (self.count if sd else 1)) + _APART * place
            path = train(settings, world, sd=sd, draws=draws, record=range(settings.steps + 1) if every else ())
            weights.append(np.broadcast_to(path.weights, (self.count, *path.weights.shape[1:])))
            scores.append(_log_ratio(settings, worlds, path.history, sd=sd) if every else None)
        return Trained(np.stack(weights), np.stack(scores) if every else None)


class FirstRetrain(Retrain):
    """Those that the first picture needs."""

    essential: ClassVar[bool] = True


def _log_ratio(settings, worlds, history, *, sd: float) -> np.ndarray:
    """ln P[path | with] - ln P[path | without] of paths (T + 1, R, k, p): the sum over steps of
    (r.D - D.D/2) / sd^2, with r the step beyond what the world without would take on average and D what the person
    adds to it."""
    gradients = [_Mean(settings, world, models=history.shape[1]) for world in worlds]
    total = np.zeros(history.shape[1])
    for now, after in pairwise(history):
        current = np.ascontiguousarray(now.transpose(1, 0, 2))
        with_them, without = (gradient(current) for gradient in gradients)
        step = (current - after.transpose(1, 0, 2)) / np.float32(settings.learning_rate)
        apart = (with_them - without).astype(float)
        total += ((step - without - apart / 2) * apart).sum(axis=(0, 2)) / sd**2
    return total


class _Mean:
    """The mean gradient that the recipe forms: class-first weights (k, R, p) -> the same shape."""

    def __init__(self, settings: "AttackSettings", world: World, *, models: int):
        bounds = np.full(models, settings.clip_norm, np.float32) if settings.version == "sound" else None
        X = np.ascontiguousarray(world.X, np.float32)
        given = {"models": models, "clip_norm": bounds}
        k = losses.outputs(settings.classes)
        self._gradient = (
            clipping.LogisticGradient(X, world.y, **given)
            if k == 1
            else clipping.SoftmaxGradient(X, world.y, outputs=k, **given)
        )
        self._clip = settings.clip_norm if settings.version == "published" else None

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        mean = np.array(self._gradient(weights))
        if self._clip is not None:
            length = np.sqrt(np.square(mean).sum(axis=(0, 2)))
            mean *= np.minimum(1, self._clip / np.maximum(length, 1e-30))[None, :, None]
        return mean


@dataclass(frozen=True, kw_only=True)
class Noiseless:
    """The descent without noise: weights (2, k, p) with the person and without."""

    model: "AttackSettings"
    essential: ClassVar[bool] = True

    def run(self) -> np.ndarray:
        paths = [train(self.model, world, sd=0.0, draws=[0]) for world in self.model.neighbours.worlds()]
        return np.stack([path.weights[0] for path in paths])


@dataclass(frozen=True, kw_only=True)
class Risks:
    """The risk of each private row (n,): how far it moves the mean gradient against itself with another class, root
    mean square over the descent without noise, in units of the 2C/n that the noise is made for.

    It is the same whoever the person is: ``model`` holds the data and the recipe only.
    """

    model: "AttackSettings"
    essential: ClassVar[bool] = True

    def run(self) -> np.ndarray:
        settings, split = self.model, data.load(self.model.dataset, seed=self.model.seed)
        world = World(losses.with_constant(split.X_private), split.y_private)
        marks = np.unique(np.linspace(0, settings.steps, 11).astype(int))
        path = train(settings, world, sd=0.0, draws=[0], record=marks)
        moved = gradient_moves(settings, path.history[:, 0], *world)
        return np.sqrt(np.mean(moved**2, axis=0)) / 2 / settings.clip_norm


def gradient_moves(settings: "AttackSettings", weights: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """||g - g'|| of each row with its own class and with the next one, at weights (m, k, p): (m, n); clipped one by one
    where the recipe does so."""
    z = losses.logits(weights.astype(float), X)
    lengths = np.linalg.norm(X, axis=1)
    residuals = [losses.residuals(z, labels) for labels in (y, (y + 1) % settings.classes)]
    if settings.version == "sound":
        norms = [np.linalg.norm(each, axis=-2, keepdims=True) * lengths for each in residuals]
        residuals = [
            each * np.minimum(1, settings.clip_norm / np.maximum(norm, 1e-30))
            for each, norm in zip(residuals, norms, strict=True)
        ]
    return np.linalg.norm(residuals[0] - residuals[1], axis=-2) * lengths
