"""Tasks of the parties page: release every method, and fit what the page compares them with.

``votes.CollectVotes`` is a task too. Shapes: R repeats, K classes, N public rows. Weights are
(k, d).
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from dpcore.cache import Key, cached
from dpcore.parties import aggregation
from lab.data.parties import PartyData, parties, public
from lab.data.party_kinds import CHECK_ROWS, CONSTANT, REACH
from lab.statistics.decision_regions import Plane, principal_plane
from pages.parties.fits import ANALYST_TOLERANCE, Ensemble, accuracy, excess_risk, fit_releases
from pages.parties.mechanisms import Mechanisms
from pages.parties.releases import release
from pages.parties.votes import PartyPool, collect_votes

# Points of a map of single parties, in each direction.
GRID = 40
# The non-private model is fitted to at most so many rows. More would change nothing visible.
POOLED_ROWS = 3000
# Part of the range of each feature that maps show.
_SHOWN_PART = 0.75
# Coordinates of a map are rounded to so many decimals.
_DECIMALS = 6


class Released(NamedTuple):
    """What each method releases at one epsilon.

    methods: the methods, m of them.
    accuracy: on test rows, (m, R).
    excess_risk: of soft labels, (R,), in nats.
    weights: (m, R, k, d).
    """

    methods: tuple[str, ...]
    accuracy: np.ndarray
    excess_risk: np.ndarray
    weights: np.ndarray

    @property
    def accuracies(self) -> dict[str, np.ndarray]:
        """Return the accuracy (R,) of each method."""
        return dict(zip(self.methods, self.accuracy, strict=True))

    def accuracy_of(self, method: str) -> np.ndarray:
        """Return the accuracy (R,) of a method, NaN if the parties have no such release."""
        if method not in self.methods:
            return np.full_like(self.excess_risk, np.nan)
        return self.accuracy[self.methods.index(method)]

    def weights_of(self, method: str) -> np.ndarray:
        """Return the weights (R, k, d) of a method."""
        return self.weights[self.methods.index(method)]


@dataclass(frozen=True, kw_only=True)
class ReleaseAll(Key):
    """The task of releasing each method at one epsilon, from the first ``asked`` parties."""

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
        soft_weights = weights[methods.index("soft")]
        return Released(
            methods=methods,
            accuracy=accuracy(ensemble, weights),
            excess_risk=excess_risk(ensemble, soft_weights, self.asked),
            weights=weights,
        )


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


class Changes(NamedTuple):
    """Distances that the weights of "vote" and "soft", in this order, move if one party changes.

    of_parties: for each of the first parties, (2, FIRST_VOTES).
    worst_case: if all rows are tied without the party, (2,).
    """

    of_parties: np.ndarray
    worst_case: np.ndarray


@dataclass(frozen=True, kw_only=True)
class ChangeOneParty:
    """The task of fits in which one party votes for the next class on every public row."""

    ensemble: Ensemble
    asked: int
    essential: bool = False

    def run(self) -> Changes:
        X = self.ensemble.rows["public"].X
        regularisation = self.ensemble.regularisation
        counts, changed, tied = self._vote_counts()
        near_targets = _both_targets(np.concatenate([counts[None], changed]))
        tied_targets = _both_targets(tied)

        # The change of one party is small, so the search begins with the known fits.
        known = fit_releases(self.ensemble, self.asked).weights
        start = np.stack([known["vote"], known["soft"]])[:, None]
        near = aggregation.fit(X, near_targets, regularisation=regularisation, start=start).weights
        far = aggregation.fit(X, tied_targets, regularisation=regularisation).weights
        # (2, cases, k, d) -> (2, cases, k d)
        near = near.reshape(*near.shape[:2], -1)
        far = far.reshape(*far.shape[:2], -1)
        return Changes(
            of_parties=np.linalg.norm(near[:, 1:] - near[:, :1], axis=-1),
            worst_case=np.linalg.norm(far[:, 1] - far[:, 0], axis=-1),
        )

    def _vote_counts(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return vote counts (K, N) as they are, (parties, K, N) changed, and (2, K, N) tied.

        Changed counts are those after each of the first parties has changed. Tied counts are tied
        between two classes on all rows, except for one party, which votes for the first class or
        for the second. The parties asked so far count as all M, so one of them weighs 1/M.
        """
        classes = self.ensemble.classes
        totals = collect_votes(self.ensemble.pool, self.asked)
        counts = totals.votes[:, :-CHECK_ROWS] * (self.ensemble.parties / self.asked)
        votes = totals.first_votes.astype(int)
        next_votes = (votes + 1) % classes
        changed = (
            counts - aggregation.one_hot(votes, classes) + aggregation.one_hot(next_votes, classes)
        )
        tied = np.zeros((2, *counts.shape))
        tied[:, :2] = (self.ensemble.parties - 1) / 2
        tied[0, 0] += 1
        tied[1, 1] += 1
        return counts, changed, tied


def _both_targets(counts: np.ndarray) -> np.ndarray:
    """Return the targets (2, cases, K, N) of "vote" and "soft" for counts (cases, K, N)."""
    vote = aggregation.targets(counts, release="vote")
    soft = aggregation.targets(counts, release="soft")
    return np.stack([vote, soft])


@dataclass(frozen=True, kw_only=True)
class MapParties:
    """The task of the first parties' votes (L, GRID^2) on a grid over the plane of the maps."""

    pool: PartyPool
    parties: int
    essential: bool = True

    def run(self) -> np.ndarray:
        plane = decision_plane(self.pool.data, self.pool.public_rows)
        features = plane.inputs(plane.grid(GRID)).round(_DECIMALS)
        constant = np.full(len(features), CONSTANT)
        rows = np.column_stack([features, constant])
        X, y = parties(self.pool.data, 0, self.parties)
        return np.concatenate([predictions.votes for predictions in self.pool.votes(X, y, rows)])


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
