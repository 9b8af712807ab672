"""Tasks of the attack on one person: train on two neighbouring data sets, and tell them apart.

The attacker knows both data sets and the mechanism, and sees the final weights. They compare a
score with a threshold. The score is along Fisher's direction, and the threshold is the middle
between the data sets. Both are from the first half of the trainings, and tested on the other.

Shapes: R trainings on each of two data sets, k outputs, p inputs of which the last is the constant.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dpcore.cache import cached
from dpcore.training import descent, losses
from lab.experiment import chunking
from lab.experiment.parts import Repeats, Runs, slices
from lab.models import classifier_versions
from pages.attack.influence import gradient_changes
from pages.attack.neighbours import Neighbours, Rows
from pages.attack.threshold_attack import threshold_attack
from pages.attack.training import Training, VersionTraining

# Most batches of one epsilon, because each redraw looks up all of them; and trainings that are
# allowed however long they take.
_MOST_BATCHES = 250
_ALWAYS_ALLOWED = 500
# Trainings per data set that the first screen waits for, and that one task has.
_MOST_FIRST_TRAININGS = 120
_MOST_TRAININGS_PER_TASK = 200
_LEAST_TRAININGS_PER_TASK = 10
_LEAST_FIRST_TRAININGS = 4
# One task computes about this many cells (``lab.experiment.chunking``).
_CELLS_PER_TASK = 2.5e7
# The second data set draws from other streams, because with equal noise trainings would be pairs.
_STREAM_OFFSET = 100_000
# Steps at which the influence of rows is measured.
_INFLUENCE_STEPS = 11


@dataclass(frozen=True, kw_only=True)
class PairTraining(VersionTraining):
    """Trainings on both data sets at any epsilon, for a claim at ``delta``."""

    delta: float
    neighbours: Neighbours

    @property
    def cells(self) -> float:
        """Return the cost of one training on each data set."""
        return 2 * super().cells


def _train(
    training: VersionTraining,
    rows: Rows,
    *,
    noise_sd: float,
    draws: Sequence[int] | np.ndarray,
    record: Sequence[int] = (),
) -> descent.Path:
    """Train one model per draw by this version of the mechanism."""
    return training.descend(
        rows.X,
        rows.y,
        noise_sd=noise_sd,
        draws=draws,
        clipping=classifier_versions.CLIPPING[training.version],
        record=record,
    )


@cached
def train_pairs(training: PairTraining, at: tuple[float], repeats: range) -> np.ndarray:
    """Return weights (2, R, k, p) trained on both data sets at one epsilon.

    Without noise all repeats are equal.
    """
    (epsilon,) = at
    noise_sd = classifier_versions.noise_sd(training, epsilon)
    draws = np.arange(repeats.start, repeats.stop)
    if noise_sd == 0:
        draws = draws[:1]
    weights = []
    for index, rows in enumerate(training.neighbours.data_sets()):
        streams = draws + _STREAM_OFFSET * index
        path = _train(training, rows, noise_sd=noise_sd, draws=streams)
        shape = (len(repeats), *path.weights.shape[1:])
        weights.append(np.broadcast_to(path.weights, shape))
    return np.stack(weights)


def concatenate_pairs(batches: Sequence[np.ndarray]) -> np.ndarray:
    """Return the weights (2, R, k, p) of all batches."""
    return np.concatenate(batches, axis=1)


@cached
def train_noiseless(training: PairTraining, at: tuple[()], repeats: range) -> np.ndarray:
    """Return the weights (2, k, p) of a descent without noise on each data set."""
    weights = []
    for rows in training.neighbours.data_sets():
        path = _train(training, rows, noise_sd=0.0, draws=repeats)
        weights.append(path.weights[0])
    return np.stack(weights)


@cached
def measure_influences(training: VersionTraining, at: tuple[()], repeats: range) -> np.ndarray:
    """Return the influence (n,) of each private row on a step, whoever the target person is.

    It is how far the sum of gradients moves if the row gets the next class, or is removed, in parts
    of the change that the noise assumes: the root mean square over a descent without noise.
    """
    split = training.split
    rows = Rows(losses.with_constant(split.X_private), split.y_private)
    steps = np.unique(np.linspace(0, training.steps, _INFLUENCE_STEPS).astype(int))
    path = _train(training, rows, noise_sd=0.0, draws=repeats, record=steps.tolist())
    next_classes = (rows.y + 1) % training.classes
    changes = gradient_changes(training, path.history[:, 0], rows.X, rows.y, next_classes)
    return np.sqrt(np.mean(changes**2, axis=0)) / training.largest_change


# The attack


class Point(NamedTuple):
    """A point of the curve: correct guesses of ``trials`` at one epsilon."""

    correct: int
    trials: int


def attack_at_epsilon(training: PairTraining, at: tuple[float], repeats: range) -> Point:
    """Return the attacker's correct guesses at one epsilon."""
    (epsilon,) = at
    return _guesses(training, pair_tasks(training, epsilon, repeats))


def attack_accuracy(training: PairTraining, at: tuple[float], repeats: range) -> np.ndarray:
    """Return the attacker's share of correct guesses (1,) on the trainings that the page shows."""
    (epsilon,) = at
    correct, trials = _guesses(training, shown_pairs(training, epsilon, len(repeats)).tasks)
    return np.array([correct / trials])


def _guesses(training: PairTraining, tasks: Sequence[Runs[PairTraining, np.ndarray]]) -> Point:
    """Return the attacker's correct guesses on the trainings of some tasks."""
    weights = concatenate_pairs([task.run() for task in tasks])
    noiseless = train_noiseless(training, (), range(1))
    result = threshold_attack(weights, noiseless)
    return Point(result.correct, result.trials)


# How trainings are split into tasks


def pair_tasks(
    training: PairTraining, epsilon: float, repeats: range
) -> tuple[Runs[PairTraining, np.ndarray], ...]:
    """Return the tasks that train some repeats at one epsilon."""
    batches = chunking.cut_batches(repeats.start, repeats.stop, each=training.cells)
    return slices(train_pairs, training, (epsilon,), batches)


def shown_pairs(training: PairTraining, epsilon: float, repeats: int) -> Repeats:
    """Return the part that trains pairs at the set epsilon, which the page shows first."""
    per_task = trainings_per_task(training)
    most_at_first = min(_MOST_FIRST_TRAININGS, per_task, repeats)
    first_batch = chunking.first_batch_size(
        most_at_first,
        each=training.cells,
        least=_LEAST_FIRST_TRAININGS,
    )
    return Repeats(
        train_pairs,
        training,
        epsilon,
        repeats,
        merge=concatenate_pairs,
        cost=training.cells,
        first_batch=first_batch,
        largest_batch=per_task,
    )


def trainings_per_task(training: PairTraining) -> int:
    """Return the number of trainings per data set of one task, unless they have too many cells."""
    trainings = _CELLS_PER_TASK / training.cells
    return int(np.clip(trainings, _LEAST_TRAININGS_PER_TASK, _MOST_TRAININGS_PER_TASK))


def most_repeats(dataset: str, steps: int) -> int:
    """Return how many trainings per data set fit into the largest number of batches."""
    training = Training(dataset=dataset, steps=steps, learning_rate=1.0, seed=0)
    trainings_per_batch = int(chunking.SLICE / (2 * training.cells))
    return max(_ALWAYS_ALLOWED, _MOST_BATCHES * trainings_per_batch)
