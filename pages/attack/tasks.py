"""Tasks of the attack on one person: train on two neighbouring data sets, and tell them apart.

The attacker knows all other rows, both candidates for this one, and the mechanism. They see the
final weights, or the weights after every step, which is what the guarantee allows for. They compare
a score with a threshold. For all steps the score is the exact log-likelihood ratio, and the
threshold 0. For the final weights it is Fisher's direction, with the middle between the data sets,
both from the first half of the trainings and tested on the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple, Self

import numpy as np

from dpcore.cache import cached
from dpcore.privacy import Adjacency
from dpcore.training import descent, losses
from lab.data import classification as data
from lab.experiment import chunking
from lab.experiment.parts import Repeats, Runs, slices
from lab.models import classifier_versions
from pages.attack.influence import gradient_changes
from pages.attack.neighbours import Neighbours, Rows
from pages.attack.threshold_attack import AttackResult, threshold_attack
from pages.attack.training import VersionTraining, private_rows

# A training takes this much longer if every step is seen: two more gradients per step.
STEPS_SEEN_COST = 3
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
# A norm of zero is divided by as this.
_LEAST_NORM = 1e-30


@dataclass(frozen=True, kw_only=True)
class PairTraining(VersionTraining):
    """Trainings on both data sets at any epsilon, and what the attacker sees of them.

    delta: of the claim.
    sees: "weights" for the final weights, or "steps" for the weights after every step.
    """

    delta: float
    neighbours: Neighbours
    sees: str

    @property
    def cells(self) -> float:
        """Return the cost of one training on each data set."""
        return _pair_cells(self.dataset, self.steps, self.sees)

    @property
    def adjacency(self) -> str:
        return str(Adjacency.REPLACE_ONE)


class TrainedPairs(NamedTuple):
    """Models trained on both data sets.

    weights: (2, R, k, p).
    scores: log-likelihood ratios (2, R) if every step is seen, else None.
    """

    weights: np.ndarray
    scores: np.ndarray | None

    @classmethod
    def concatenate(cls, batches: Sequence[Self]) -> Self:
        """Return all repeats of some batches."""
        weights = np.concatenate([batch.weights for batch in batches], axis=1)
        scores = [batch.scores for batch in batches if batch.scores is not None]
        if not scores:
            return cls(weights, None)
        return cls(weights, np.concatenate(scores, axis=1))


def train(
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
def train_pairs(training: PairTraining, at: tuple[float], repeats: range) -> TrainedPairs:
    """Train the repeats on both data sets at one epsilon. Without noise all repeats are equal."""
    (epsilon,) = at
    sd = classifier_versions.noise_sd(training, epsilon)
    draws = np.arange(repeats.start, repeats.stop)
    if sd == 0:
        draws = draws[:1]
    record: Sequence[int] = ()
    if training.sees == "steps" and sd > 0:
        record = range(training.steps + 1)

    data_sets = training.neighbours.data_sets()
    weights = []
    scores = []
    for index, rows in enumerate(data_sets):
        streams = draws + _STREAM_OFFSET * index
        path = train(training, rows, noise_sd=sd, draws=streams, record=record)
        shape = (len(repeats), *path.weights.shape[1:])
        weights.append(np.broadcast_to(path.weights, shape))
        if record:
            scores.append(_log_likelihood_ratios(training, data_sets, path.history, noise_sd=sd))
    if not scores:
        return TrainedPairs(np.stack(weights), None)
    return TrainedPairs(np.stack(weights), np.stack(scores))


def _log_likelihood_ratios(
    training: VersionTraining,
    data_sets: tuple[Rows, Rows],
    history: np.ndarray,
    *,
    noise_sd: float,
) -> np.ndarray:
    """Return ln(P[path | first data set] / P[path | second one]) of paths (T + 1, R, k, p), (R,).

    It is the sum over steps of (r . D - D . D / 2) / sd^2, where r is the step beyond the mean one
    on the second data set, and D the difference of the two mean steps.
    """
    models = history.shape[1]
    first_gradient = _MeanGradient(training, data_sets[0], models=models)
    second_gradient = _MeanGradient(training, data_sets[1], models=models)
    ratios = np.zeros(models)
    for weights, next_weights in pairwise(history):
        # (R, k, p) to (k, R, p)
        current = np.ascontiguousarray(weights.transpose(1, 0, 2))
        following = next_weights.transpose(1, 0, 2)
        first = first_gradient(current)
        second = second_gradient(current)
        step = (current - following) / np.float32(training.learning_rate)
        difference = (first - second).astype(float)
        terms = (step - second - difference / 2) * difference
        ratios += terms.sum(axis=(0, 2)) / noise_sd**2
    return ratios


class _MeanGradient:
    """The mean gradient that the mechanism forms, from weights (k, R, p) to (k, R, p)."""

    def __init__(self, training: VersionTraining, rows: Rows, *, models: int):
        row_clip_norms = None
        if training.version == "correct":
            row_clip_norms = np.full(models, training.clip_norm, np.float32)
        self._mean_clip_norm = None
        if training.version == "published":
            self._mean_clip_norm = training.clip_norm
        self._gradient = descent.mean_gradient(
            np.ascontiguousarray(rows.X, np.float32),
            rows.y,
            models=models,
            k=losses.outputs(training.classes),
            clip_norm=row_clip_norms,
        )

    def __call__(self, weights: np.ndarray) -> np.ndarray:
        # A copy, because the function reuses its array.
        mean = np.array(self._gradient(weights))
        if self._mean_clip_norm is not None:
            norms = np.sqrt(np.square(mean).sum(axis=(0, 2)))
            factors = np.minimum(1, self._mean_clip_norm / np.maximum(norms, _LEAST_NORM))
            mean *= factors[None, :, None]
        return mean


@cached
def train_noiseless(training: PairTraining, at: tuple[()], repeats: range) -> np.ndarray:
    """Return the weights (2, k, p) of a descent without noise on each data set."""
    weights = []
    for rows in training.neighbours.data_sets():
        path = train(training, rows, noise_sd=0.0, draws=repeats)
        weights.append(path.weights[0])
    return np.stack(weights)


@cached
def measure_influences(training: VersionTraining, at: tuple[()], repeats: range) -> np.ndarray:
    """Return the influence (n,) of each private row on a step, whoever the target person is.

    It is how far the mean gradient moves if the row gets the next class, in units of the 2 C / n
    that the noise is calibrated for: the root mean square over a descent without noise.
    """
    split = training.split
    rows = Rows(losses.with_constant(split.X_private), split.y_private)
    steps = np.unique(np.linspace(0, training.steps, _INFLUENCE_STEPS).astype(int))
    path = train(training, rows, noise_sd=0.0, draws=repeats, record=steps.tolist())
    next_classes = (rows.y + 1) % training.classes
    changes = gradient_changes(training, path.history[:, 0], rows.X, rows.y, next_classes)
    return np.sqrt(np.mean(changes**2, axis=0)) / 2 / training.clip_norm


# The attack


class Point(NamedTuple):
    """A point of the curve: correct guesses of ``trials`` at one epsilon."""

    correct: int
    trials: int


def attack(training: PairTraining, trained: TrainedPairs) -> AttackResult:
    """Return how well the attacker tells apart the data sets of trained models."""
    noiseless = train_noiseless(training, (), range(1))
    return threshold_attack(trained.weights, trained.scores, noiseless)


def attack_at_epsilon(training: PairTraining, at: tuple[float], repeats: range) -> Point:
    """Return the attack's correct guesses at one epsilon."""
    (epsilon,) = at
    batches = [task.run() for task in pair_tasks(training, epsilon, repeats)]
    result = attack(training, TrainedPairs.concatenate(batches))
    return Point(result.correct, result.trials)


def attack_accuracy(training: PairTraining, at: tuple[float], repeats: range) -> np.ndarray:
    """Return the attack's share of correct guesses (1,) on the trainings that the page shows."""
    (epsilon,) = at
    batches = [task.run() for task in shown_pairs(training, epsilon, len(repeats)).tasks]
    result = attack(training, TrainedPairs.concatenate(batches))
    return np.array([result.accuracy])


# How trainings are split into tasks


def pair_tasks(
    training: PairTraining, epsilon: float, repeats: range
) -> tuple[Runs[PairTraining, TrainedPairs], ...]:
    """Return the tasks that train some repeats at one epsilon."""
    batches = chunking.cut_batches(repeats.start, repeats.stop, each=training.cells)
    return slices(train_pairs, training, (epsilon,), batches)


def shown_pairs(training: PairTraining, epsilon: float, repeats: int) -> Repeats:
    """Return the trainings at the set epsilon, which the page shows."""
    per_task = trainings_per_task(training)
    most_first = min(_MOST_FIRST_TRAININGS, per_task, repeats)
    first_batch = chunking.first_batch_size(
        most_first, each=training.cells, least=_LEAST_FIRST_TRAININGS
    )
    return Repeats(
        train_pairs,
        training,
        epsilon,
        repeats,
        merge=TrainedPairs.concatenate,
        cost=training.cells,
        first_batch=first_batch,
        largest_batch=per_task,
    )


def trainings_per_task(training: PairTraining) -> int:
    """Return the number of trainings per data set of one task, unless they have too many cells."""
    most = _MOST_TRAININGS_PER_TASK
    if training.sees == "steps":
        most = _MOST_TRAININGS_PER_TASK // STEPS_SEEN_COST
    trainings = _CELLS_PER_TASK / training.cells
    return int(np.clip(trainings, _LEAST_TRAININGS_PER_TASK, most))


def most_repeats(dataset: str, steps: int, sees: str) -> int:
    """Return how many trainings per data set fit into the largest number of batches."""
    trainings_per_batch = int(chunking.SLICE / _pair_cells(dataset, steps, sees))
    return max(_ALWAYS_ALLOWED, _MOST_BATCHES * trainings_per_batch)


def _pair_cells(dataset: str, steps: int, sees: str) -> float:
    """Return the cost of one training on each of two data sets."""
    source = data.source(dataset)
    cells = chunking.training_cells(
        rows=private_rows(dataset),
        outputs=losses.outputs(len(source.classes)),
        inputs=len(source.features) + 1,
        steps=steps,
    )
    if sees == "steps":
        return 2 * cells * STEPS_SEEN_COST
    return 2 * cells
