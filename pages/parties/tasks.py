"""Tasks of the parties page: release every method, and fit what the page compares them with.

``votes.CollectVotes`` is a task too. Shapes: R repeats, K classes, N public rows. Weights are
(k, d).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from dpcore.cache import Key, cached
from dpcore.parties import aggregation
from lab.data.parties import PartyData, parties, public
from lab.data.party_kinds import REACH
from lab.statistics.decision_regions import Plane, principal_plane
from pages.parties.federated import FederatedModels
from pages.parties.fits import ANALYST_TOLERANCE, Ensemble, accuracy
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
        """Return the accuracy (R,) of a method, NaN if the parties have no such release."""
        if method not in self.methods:
            return np.full_like(self.accuracy[0], np.nan)
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


@dataclass(frozen=True, kw_only=True)
class ReleaseAll(Key):
    """The task of releasing by each method but federated averaging at one epsilon, from the first
    ``asked`` parties.
    """

    mechanisms: Mechanisms
    asked: int
    epsilon: float
    essential: bool = field(default=False, compare=False)

    def run(self) -> Released:
        methods = self.mechanisms.methods
        ensemble = self.mechanisms.ensemble
        released = []
        for method in methods:
            weights_by_epsilon = release(self.mechanisms, method, self.asked, (self.epsilon,))
            released.append(weights_by_epsilon[0])
        weights = np.stack(released)
        return Released(methods, accuracy(ensemble, weights), weights)


@dataclass(frozen=True, kw_only=True)
class TrainPooled:
    """The task of training one model on all rows in one place, without privacy: weights (k, d)."""

    data: PartyData
    parties: int
    regularisation: float
    essential: bool = True

    def run(self) -> np.ndarray:
        kind = self.data.kind
        most_parties = max(1, POOLED_ROWS // self.data.rows)
        X, y = parties(self.data, 0, min(self.parties, most_parties))
        minimum = aggregation.fit(
            X.reshape(-1, kind.inputs),
            aggregation.one_hot(y.ravel(), kind.classes),
            regularisation=self.regularisation,
            tolerance=ANALYST_TOLERANCE,
        )
        return minimum.weights


def largest_changes(ensemble: Ensemble, at: Sequence[Any], repeats: range) -> np.ndarray:
    """Return how far the weights of "vote" and "soft" move if one party changes, (2,).

    All rows are tied between two classes without the party, which votes for the first one or for
    the second on all of them.
    """
    del at, repeats
    rows = ensemble.rows["public"].X
    counts = np.zeros((2, ensemble.classes, len(rows)))
    counts[:, :2] = (ensemble.parties - 1) / 2
    counts[0, 0] += 1
    counts[1, 1] += 1
    vote = aggregation.targets(counts, release="vote")
    soft = aggregation.targets(counts, release="soft")
    minimum = aggregation.fit(rows, np.stack([vote, soft]), regularisation=ensemble.regularisation)
    changes = minimum.weights[:, 1] - minimum.weights[:, 0]
    return np.linalg.norm(changes, axis=(-2, -1))


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
