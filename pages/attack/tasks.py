"""Two worlds: the same training many times, with one person's row and with another in its place.

The attacker knows all other rows, both candidates for this one, and the recipe. They see the final
weights, or, as the guarantee allows for, the weights after every step. In both cases they score
what they see and say "with you" above
a threshold: for the steps the exact log-likelihood ratio and 0, for the final weights the direction
in which the worlds lie apart (Fisher's) and the middle between them, both from the first half of
the trainings and tested on the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from dpcore.cache import cached
from dpcore.privacy import Adjacency
from dpcore.training import descent, losses
from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.parts import Runs
from lab.models.classifier_versions import CLIPPING, noise_sd
from lab.statistics.decision_regions import Plane, usual_plane
from pages.attack.influence import gradient_moves
from pages.attack.inputs import Inputs, Training, rows_of

# How much longer a training takes whose every step is seen: two more gradients each.
STEPS_SEEN = 3
# The most slices of one epsilon, for every redraw looks up each; and trainings that are always
# allowed.
_SLICES, _LEAST_MOST = 250, 500
# The worlds draw from streams of their own: equal noise in both would make their trainings twins.
_APART = 100_000


class World(NamedTuple):
    """Rows with the constant (n, p), their classes (n,), and whose each is (n,): None where each is
    a person's only one.
    """

    X: np.ndarray
    y: np.ndarray
    people: np.ndarray | None = None


@cached
def plane_of(dataset: str, seed: int) -> Plane:
    """Return where people are drawn: two features, or the two principal directions of the public
    rows.
    """
    split = data.load(dataset, seed=seed)
    return usual_plane(split.X_public, names=split.source.features, bounds=split.source.bounds)


def spot(plane: Plane, x: float, y: float) -> np.ndarray:
    """Return the row (d,) at a place of the map, -1 and 1 being its edges, inside of the public
    bounds.
    """
    (a_low, a_high), (b_low, b_high) = plane.extent
    at = np.array([a_low + (x + 1) / 2 * (a_high - a_low), b_low + (y + 1) / 2 * (b_high - b_low)])
    return np.clip(plane.inputs(at), -1, 1)


@dataclass(frozen=True, kw_only=True)
class Neighbours(Inputs):
    """All that decides the two data sets, and nothing else."""

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
        """Return (row (d,), class) of the person, and of who stands there in the other world."""
        split = data.load(self.dataset, seed=self.seed)
        if self.who == "outlier":
            here = spot(plane_of(self.dataset, self.seed), self.person_x, self.person_y), self.label
        else:
            here = split.X_private[self.person], int(split.y_private[self.person])
        if self.against == "label":
            return here, (here[0], (here[1] + 1) % split.n_classes)
        return here, (split.X_public[0], int(split.y_public[0]))

    @cached
    def worlds(self) -> tuple[World, World]:
        split = data.load(self.dataset, seed=self.seed)
        found = []
        for row, label in self.candidates:
            X, y = losses.with_constant(split.X_private), np.array(split.y_private)
            X[self.person, :-1], y[self.person] = row, label
            found.append(World(X, y))
        return found[0], found[1]


@dataclass(frozen=True, kw_only=True)
class Model(Training):
    """All that decides the trainings in both worlds and what the attacker sees of them, but for
    epsilon.
    """

    delta: float
    neighbours: Neighbours
    sees: str

    @property
    def cells(self) -> float:
        return _pair_cells(self.dataset, self.steps, self.sees)

    @property
    def adjacency(self) -> str:
        return str(Adjacency.REPLACE_ONE)


def train(recipe: Training, world: World, **how: Any) -> descent.Path:
    """Train models by this recipe on the rows of a world; ``how`` as of ``Clipped.descend``."""
    return recipe.descend(
        world.X, world.y, people=world.people, clipping=CLIPPING[recipe.version], **how
    )


class Trained(NamedTuple):
    """weights (2, R, k, p) and scores (2, R) in the worlds with and without the person."""

    weights: np.ndarray
    scores: np.ndarray | None


@cached
def retrained(model: Model, at: tuple[float], repeats: range) -> Trained:
    sd, worlds = noise_sd(model, at[0]), model.neighbours.worlds()
    record = range(model.steps + 1) if model.sees == "steps" and sd > 0 else ()
    weights, scores = [], []
    for place, world in enumerate(worlds):
        draws = np.arange(repeats.start, repeats.stop if sd else repeats.start + 1) + _APART * place
        path = train(model, world, sd=sd, draws=draws, record=record)
        weights.append(np.broadcast_to(path.weights, (len(repeats), *path.weights.shape[1:])))
        if record:
            scores.append(_log_ratio(model, worlds, path.history, sd=sd))
    return Trained(np.stack(weights), np.stack(scores) if scores else None)


def _pair_cells(dataset: data.Dataset, steps: int, sees: str) -> float:
    source = data.source(dataset)
    outputs, inputs = losses.outputs(len(source.classes)), len(source.features) + 1
    each = chunking.cells(rows=rows_of(dataset), outputs=outputs, inputs=inputs, steps=steps)
    return 2 * each * (STEPS_SEEN if sees == "steps" else 1)


def most_repeats(dataset: data.Dataset, steps: int, sees: str) -> int:
    """Return how many trainings in each world are as many slices as there may be: fewer where one
    takes long.
    """
    return max(_LEAST_MOST, _SLICES * int(chunking.SLICE / _pair_cells(dataset, steps, sees)))


def _log_ratio(
    recipe: Training, worlds: Sequence[World], history: np.ndarray, *, sd: float
) -> np.ndarray:
    """Return ln P[path | with] - ln P[path | without] of paths (T + 1, R, k, p): the sum over steps
    of (r.D - D.D/2) / sd^2, with r the step beyond what the world without would take on average and
    D what the person adds to it.
    """
    gradients = [_Mean(recipe, world, models=history.shape[1]) for world in worlds]
    total = np.zeros(history.shape[1])
    for now, after in pairwise(history):
        current = np.ascontiguousarray(now.transpose(1, 0, 2))
        with_them, without = (gradient(current) for gradient in gradients)
        step = (current - after.transpose(1, 0, 2)) / np.float32(recipe.learning_rate)
        apart = (with_them - without).astype(float)
        total += ((step - without - apart / 2) * apart).sum(axis=(0, 2)) / sd**2
    return total


class _Mean:
    """The mean gradient that the recipe forms: class-first weights (k, R, p) -> the same shape."""

    def __init__(self, recipe: Training, world: World, *, models: int):
        bounds = (
            np.full(models, recipe.clip_norm, np.float32) if recipe.version == "correct" else None
        )
        X = np.ascontiguousarray(world.X, np.float32)
        k = losses.outputs(recipe.classes)
        self._gradient = descent.mean_gradient(
            X, world.y, people=world.people, models=models, k=k, clip_norm=bounds
        )
        self._clip = recipe.clip_norm if recipe.version == "published" else None

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        mean = np.array(self._gradient(weights))
        if self._clip is not None:
            length = np.sqrt(np.square(mean).sum(axis=(0, 2)))
            mean *= np.minimum(1, self._clip / np.maximum(length, 1e-30))[None, :, None]
        return mean


@cached
def noiseless(model: Model, at: tuple[()], repeats: range) -> np.ndarray:
    """Return weights (2, k, p) after the descent without noise, with the person and without."""
    paths = [train(model, world, sd=0.0, draws=repeats) for world in model.neighbours.worlds()]
    return np.stack([path.weights[0] for path in paths])


def clean(model: Model) -> Runs[Model, np.ndarray]:
    """Return the task of the descent without noise; every point of the curve asks for its
    outcome.
    """
    return Runs(work=noiseless, model=model, count=1, essential=True)


@cached
def exposures(recipe: Training, at: tuple[()], repeats: range) -> np.ndarray:
    """Return the risk of each private row, or person (n,): how far it moves the mean gradient
    against itself.

    That is with another class, or against nobody where ``at`` says so; root mean square over the
    descent without noise, in units of the 2C/n that the noise is made for. It is the same whoever
    the person is, and chooses one of a file.
    """
    X, y, people = recipe.split.training_rows
    marks = np.unique(np.linspace(0, recipe.steps, 11).astype(int))
    path = train(
        recipe, World(*losses.examples(X, y), people), sd=0.0, draws=repeats, record=marks.tolist()
    )
    moved = gradient_moves(
        recipe, path.history[:, 0], losses.with_constant(X), y, (y + 1) % recipe.classes
    )
    return np.sqrt(np.mean(moved**2, axis=0)) / 2 / recipe.clip_norm


def exposed(recipe: Training) -> Runs[Training, np.ndarray]:
    return Runs(work=exposures, model=recipe, count=1, essential=True)
