"""Tasks of the parties page: release every method, and fit what the page compares them with.

``votes.CollectVotes`` is a task too. Shapes: m methods, V values, R repeats. Weights are (k, d).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from dpcore.cache import cached
from dpcore.parties import aggregation
from lab.data.parties import PartyData, parties, public
from lab.data.party_kinds import REACH
from lab.statistics.decision_regions import Plane, principal_plane
from pages.parties.federated import FederatedModels
from pages.parties.fits import ANALYST_TOLERANCE, accuracy
from pages.parties.mechanisms import Mechanisms
from pages.parties.releases import release

# The non-private model is fitted to at most so many rows. More would change nothing visible.
POOLED_ROWS = 3000
# Part of the range of each feature that maps show.
_SHOWN_PART = 0.75


class Released(NamedTuple):
    """What each method, except for federated averaging, releases at one epsilon.

    methods: the methods, m of them.
    accuracy: on test rows, (m, R).
    weights: (m, R, k, d).
    """

    methods: tuple[str, ...]
    accuracy: np.ndarray
    weights: np.ndarray

    @property
    def accuracies(self) -> dict[str, np.ndarray]:
        """Return the accuracy (R,) of each method."""
        return dict(zip(self.methods, self.accuracy, strict=True))

    def accuracy_of(self, method: str) -> np.ndarray:
        """Return the accuracy (R,) of a method."""
        return self.accuracy[self.methods.index(method)]

    def weights_of(self, method: str) -> np.ndarray:
        """Return the weights (R, k, d) of a method."""
        return self.weights[self.methods.index(method)]

    def with_method(self, method: str, models: FederatedModels) -> "Released":
        """Return these releases and those of another method."""
        return Released(
            methods=(*self.methods, method),
            accuracy=np.concatenate([self.accuracy, models.accuracy[None]]),
            weights=np.concatenate([self.weights, models.weights[None]]),
        )


class Asked(NamedTuple):
    """Mechanisms, and how many of the first parties are asked for them."""

    mechanisms: Mechanisms
    asked: int


def release_all(model: Asked, epsilons: Sequence[float], repeats: range) -> Released:
    """Release by each method but federated averaging at the only one of ``epsilons``."""
    mechanisms, asked = model
    released = []
    for method in mechanisms.methods:
        weights_by_epsilon = release(mechanisms, method, asked, epsilons, len(repeats))
        released.append(weights_by_epsilon[0])
    weights = np.stack(released)
    return Released(mechanisms.methods, accuracy(mechanisms.ensemble, weights), weights)


def accuracy_over_epsilon(model: Asked, epsilons: Sequence[float], repeats: range) -> np.ndarray:
    """Return the accuracy (m, V, R) of each method at each epsilon."""
    accuracies = [release_all(model, (epsilon,), repeats).accuracy for epsilon in epsilons]
    return np.stack(accuracies, axis=1)


def accuracy_over_parties(
    model: tuple[Mechanisms, float], counts: Sequence[int], repeats: range
) -> np.ndarray:
    """Return the accuracy (m, V, R) of each method at an epsilon, by the number of parties."""
    mechanisms, epsilon = model
    accuracies = []
    for count in counts:
        of_count = Asked(mechanisms.with_parties(count), count)
        accuracies.append(release_all(of_count, (epsilon,), repeats).accuracy)
    return np.stack(accuracies, axis=1)


class PooledRows(NamedTuple):
    """The rows of all parties in one place, and lambda of a fit to them."""

    data: PartyData
    parties: int
    regularisation: float


def train_pooled(pooled: PooledRows, at: Sequence[Any], repeats: range) -> np.ndarray:
    """Train one model on all rows, without privacy, and return its weights (k, d)."""
    del at, repeats
    kind = pooled.data.kind
    most_parties = max(1, POOLED_ROWS // pooled.data.rows)
    X, y = parties(pooled.data, 0, min(pooled.parties, most_parties))
    minimum = aggregation.fit(
        X.reshape(-1, kind.inputs),
        aggregation.one_hot(y.ravel(), kind.classes),
        regularisation=pooled.regularisation,
        tolerance=ANALYST_TOLERANCE,
    )
    return minimum.weights


@cached
def decision_plane(data: PartyData, public_rows: int) -> Plane:
    """Return the plane of the two features, or of two main directions of the public rows."""
    X = public(data.dataset, data.seed, public_rows)["public"].X
    features = X[:, :-1]
    if features.shape[1] > 2:
        return principal_plane(features)
    end = _SHOWN_PART * REACH
    end_in_units = _SHOWN_PART * data.kind.radius
    return Plane(
        origin=np.zeros(2),
        axes=np.eye(2),
        extent=((-end, end), (-end, end)),
        units=((-end_in_units, end_in_units), (-end_in_units, end_in_units)),
        labels=("feature 1", "feature 2"),
    )
