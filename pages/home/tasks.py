"""What the home page trains: many models of the same patients, with and without one of them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Self

import numpy as np

from dpcore.cache import Key, cached
from dpcore.privacy import Adjacency
from dpcore.training import descent, losses
from lab.data import classification as data
from lab.experiment import chunking
from pages.home.settings import ANA, CLIP_NORM, DELTA, LEARNING_RATE, PATIENTS, STEPS

# Pairs of models that the spy's scores are taken from. Both of a pair have the same noise, so that
# the number of right guesses falls smoothly with epsilon.
PAIRS = 2000
# Models on the map, of each data set; each has noise of its own.
LINES = 12
# Ana is ill, and stands out among the patients.
_ANA_VALUES = (-3.0, 9.0)
_ILL = 1
_WEIGHTS = 3


@dataclass(frozen=True, kw_only=True)
class Clinic(Key):
    """The patients, and the one of them whom the spy asks about."""

    seed: int
    person: int

    @property
    def cells(self) -> float:
        """Return the cost of a pair of models (``lab.experiment.chunking``)."""
        return 2 * chunking.training_cells(rows=PATIENTS, outputs=1, inputs=_WEIGHTS, steps=STEPS)


class Pairs(NamedTuple):
    """What the spy sees of R models with the person, and of R models without.

    Attributes:
        scores: How sure each model is of the person's class, (2, R): with the person, and without.
        accuracy: Share of new patients that each model with the person classifies right, (R,).
    """

    scores: np.ndarray
    accuracy: np.ndarray

    @classmethod
    def concatenate(cls, batches: Sequence["Pairs"]) -> Self:
        """Return the pairs of all batches."""
        scores = [batch.scores for batch in batches]
        accuracies = [batch.accuracy for batch in batches]
        return cls(np.concatenate(scores, axis=1), np.concatenate(accuracies))


@cached
def patients(seed: int) -> data.Split:
    """Return the patients, with Ana in the place of the first one, and new patients for tests."""
    split = data.load("gaussians", seed=seed, private_rows=PATIENTS)
    X = split.X_private.copy()
    y = split.y_private.copy()
    X[ANA] = data.to_unit(np.array([_ANA_VALUES]), split.source.bounds)[0]
    y[ANA] = _ILL
    X.flags.writeable = False
    y.flags.writeable = False
    return replace(split, X_private=X, y_private=y)


def train_pairs(clinic: Clinic, at: tuple[float], repeats: range) -> Pairs:
    """Train models with and without the person, with the same noise in both."""
    (epsilon,) = at
    split = patients(clinic.seed)
    draws = np.array(repeats)
    with_person = _trained(clinic, epsilon, draws, includes_person=True)
    without_person = _trained(clinic, epsilon, draws, includes_person=False)
    person_inputs = losses.with_constant(split.X_private[[clinic.person]])[0]
    if split.y_private[clinic.person] != _ILL:
        person_inputs = -person_inputs
    scores = np.stack([with_person @ person_inputs, without_person @ person_inputs])
    return Pairs(scores, _accuracy(split, with_person))


def train_lines(clinic: Clinic, at: tuple[float], repeats: range) -> np.ndarray:
    """Train the models on the map, (2, LINES, 3): with the person, and without.

    Each has noise of its own, as a model that is really published.
    """
    (epsilon,) = at
    # Numbers of draws that no pair has.
    draws = PAIRS + np.arange(2 * LINES)
    with_person = _trained(clinic, epsilon, draws[:LINES], includes_person=True)
    without_person = _trained(clinic, epsilon, draws[LINES:], includes_person=False)
    return np.stack([with_person, without_person])


def train_reference(clinic: Clinic, at: tuple[()], repeats: range) -> float:
    """Return the accuracy of a model that is trained without noise and without clipping."""
    split = patients(clinic.seed)
    path = descent.noisy_gradient_descent(
        losses.with_constant(split.X_private),
        split.y_private,
        n_classes=2,
        steps=STEPS,
        learning_rate=LEARNING_RATE,
        clip_norm=1.0,
        noise_sd=0.0,
        start=np.zeros((1, _WEIGHTS)),
        seed=clinic.seed,
        draws=(0,),
        clipping="none",
    )
    return float(_accuracy(split, path.weights[:, 0])[0])


def _trained(
    clinic: Clinic, epsilon: float, draws: np.ndarray, *, includes_person: bool
) -> np.ndarray:
    """Return the weights (len(draws), 3) of models with or without the person."""
    split = patients(clinic.seed)
    X = split.X_private
    y = split.y_private
    learning_rate = LEARNING_RATE
    noise_sd = descent.mean_noise_sd(
        descent.noise_multiplier(epsilon=epsilon, delta=DELTA, steps=STEPS),
        clip_norm=CLIP_NORM,
        rows=PATIENTS,
        adjacency=Adjacency.ADD_REMOVE,
    )
    if not includes_person:
        others = np.arange(PATIENTS) != clinic.person
        X = X[others]
        y = y[others]
        # The public number of patients divides the sum of gradients, and stays as it is. The
        # descent divides by the rows that are left, which is made up for here.
        share = (PATIENTS - 1) / PATIENTS
        learning_rate = learning_rate * share
        noise_sd = noise_sd / share
    path = descent.noisy_gradient_descent(
        losses.with_constant(X),
        y,
        n_classes=2,
        steps=STEPS,
        learning_rate=learning_rate,
        clip_norm=CLIP_NORM,
        noise_sd=noise_sd,
        start=np.zeros((1, _WEIGHTS)),
        seed=clinic.seed,
        draws=draws,
    )
    return path.weights[:, 0]


def _accuracy(split: data.Split, weights: np.ndarray) -> np.ndarray:
    """Return the share of new patients that each model (R, 3) classifies right, (R,)."""
    inputs = losses.with_constant(split.X_test).astype(weights.dtype)
    predicts_ill = inputs @ weights.T > 0
    is_ill = split.y_test[:, None] == _ILL
    return (predicts_ill == is_ill).mean(axis=0)
