"""Tasks of fairness: the accuracy of a minority that lies elsewhere, and of the majority.

Everybody has one more feature, the group, which is -1 or 1. The minority's rows are shifted by the
distance from one class to the next, so the majority's rule is wrong about them. A model that learns
the weight of the group can be right about both. Clipping bounds the influence of few people, and
noise hides it. The guarantee is the same for all, its cost is not.

Shapes: n rows, d features, V epsilons, R repeats.
"""

from dataclasses import dataclass

import numpy as np

from dpcore.streams import stream
from dpcore.training import descent, losses
from lab.data import classification as data
from pages.attack.training import PrivateTraining

GROUPS = ("majority", "minority")


@dataclass(frozen=True, kw_only=True)
class FairnessTraining(PrivateTraining):
    """Trainings on rows of which the share ``minority`` is in the smaller group."""

    minority: float

    @property
    def inputs(self) -> int:
        """Return the number of inputs of a model: features, the group and the constant."""
        return self.features + 2

    @property
    def in_minority(self) -> np.ndarray:
        """Return whether each private row is in the minority, (n,).

        A larger minority has all rows of a smaller one.
        """
        rank = stream(self.seed, "split", 1).permutation(len(self.split.y_private))
        return rank < round(self.minority * len(rank))


def with_group(split: data.Split, X: np.ndarray, in_minority: np.ndarray) -> np.ndarray:
    """Return rows X (n, d) with the group and the constant appended, (n, d + 2).

    The rows of the minority are shifted.
    """
    first_mean = split.X_public[split.y_public == 0].mean(axis=0)
    second_mean = split.X_public[split.y_public == 1].mean(axis=0)
    shift = second_mean - first_mean
    shifted = np.clip(X + in_minority[:, None] * shift, -1, 1)
    group = np.where(in_minority, 1.0, -1.0)
    return losses.with_constant(np.column_stack([shifted, group]))


def train_and_score(
    training: FairnessTraining, at: tuple[float | None, ...], repeats: range
) -> np.ndarray:
    """Train the repeats at several epsilons, and return accuracies (2, V, R) by group.

    An epsilon of None stands for training without clipping and noise, and then is the only one.
    """
    split = training.split
    X = with_group(split, split.X_private, training.in_minority)
    y = split.y_private
    clipping: descent.Clipping = "per-example"
    noise_sds = []
    for epsilon in at:
        if epsilon is None:
            clipping = "none"
            noise_sds.append(0.0)
        else:
            noise_sds.append(training.noise_sd(epsilon, rows=len(y)))
    path = training.descend(
        X,
        y,
        noise_sd=np.repeat(noise_sds, len(repeats)),
        draws=list(repeats) * len(at),
        clipping=clipping,
    )
    # The models are in the order of the epsilons, and of the repeats of each.
    return _accuracies(split, path.weights).reshape(2, len(at), len(repeats))


def _accuracies(split: data.Split, weights: np.ndarray) -> np.ndarray:
    """Return the accuracies (2, models) on the test rows, which are once in each group."""
    accuracies = []
    for in_minority in (False, True):
        X = with_group(split, split.X_test, np.full(len(split.y_test), in_minority))
        is_right = losses.predict(weights, X.astype(np.float32)) == split.y_test
        accuracies.append(is_right.mean(axis=1))
    return np.array(accuracies)
