"""Votes of many parties about public rows, which are collected in chunks and kept.

The totals of the first M parties are kept, so that more parties cost only the new ones. They are
kept by the outcome of ``CollectVotes`` and shared by all. So they count towards the bound of the
cache, and go with its entry.
"""

from collections import deque
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import numpy as np

from dpcore.cache import Key
from dpcore.parties import aggregation
from dpcore.training.losses import outputs
from lab.data.parties import PartyData, parties, public
from lab.data.party_kinds import CHECK_ROWS, Public
from lab.models import local_models

# Number of first parties whose accuracies are kept one by one, for the spread of single parties.
_FIRST_ACCURACIES = 500
# Parties that are asked at once, in some 10 to 30 ms. A party with more weights or rows takes
# longer.
_CHUNK = 100
_CHUNK_OF_LARGE_PARTIES = 50
_MANY_WEIGHTS = 30
_MANY_ROWS = 30
# Totals of the newest chunks are kept even if no outcome holds them.
_NEWEST = 8


@dataclass(frozen=True, kw_only=True)
class PartyPool(Key):
    """Parties that classify public rows, each by a model of its own rows.

    data: the rows of the parties.
    public_rows: number N of public rows.
    regularisation: lambda of the parties' models.
    """

    data: PartyData
    public_rows: int
    regularisation: float

    @property
    def chunk(self) -> int:
        """Return how many parties are asked at once."""
        kind = self.data.kind
        if kind.block < _CHUNK_OF_LARGE_PARTIES:  # data of parties with very many rows
            return kind.block
        if kind.classes * kind.inputs > _MANY_WEIGHTS or self.data.rows > _MANY_ROWS:
            return _CHUNK_OF_LARGE_PARTIES
        return _CHUNK

    def chunk_ends(self, parties: int) -> tuple[int, ...]:
        """Return the number of parties asked by the end of each chunk, up to ``parties``."""
        return (*range(self.chunk, parties, self.chunk), parties)

    @property
    def rows(self) -> dict[str, Public]:
        """Return the "public", "check" and "test" rows."""
        return public(self.data.dataset, self.data.seed, self.public_rows)


@dataclass(frozen=True, eq=False)
class VoteTotals:
    """Totals of the first M parties' predictions for N public and then C check rows.

    votes: counts of votes (K, N + C).
    weights: sum (k, d) of the parties' weights, clipped to the largest norm of a minimiser.
    accuracy: of each of the first parties on the check rows.
    dealt: each party's vote (M,) about one public row, row j mod N for party j.
    """

    votes: np.ndarray
    weights: np.ndarray
    accuracy: np.ndarray
    dealt: np.ndarray

    def add(self, later: "VoteTotals") -> "VoteTotals":
        """Return the totals of these and of later parties."""
        accuracy = np.concatenate([self.accuracy, later.accuracy])
        return VoteTotals(
            votes=self.votes + later.votes,
            weights=self.weights + later.weights,
            accuracy=accuracy[:_FIRST_ACCURACIES],
            dealt=np.concatenate([self.dealt, later.dealt]),
        )


_totals: WeakValueDictionary[tuple[PartyPool, int], VoteTotals] = WeakValueDictionary()
_newest: deque[VoteTotals] = deque(maxlen=_NEWEST)


def known_parties(pool: PartyPool, upto: int) -> int:
    """Return how many of the first ``upto`` parties have totals, or 0."""
    for end in reversed(pool.chunk_ends(upto)):
        if (pool, end) in _totals:
            return end
    return 0


def collect_votes(pool: PartyPool, upto: int) -> VoteTotals:
    """Return the totals of the first ``upto`` parties. Only parties without totals are asked."""
    known = known_parties(pool, upto)
    ends = [end for end in pool.chunk_ends(upto) if end > known]
    totals = _totals.get((pool, known))
    if totals is None:  # nobody is known, or the totals have just gone
        first_end, *ends = pool.chunk_ends(upto)
        totals = _keep(pool, first_end, _ask_parties(pool, 0, first_end))
    for end in ends:
        start = (end - 1) // pool.chunk * pool.chunk  # the last chunk may be shorter
        totals = _keep(pool, end, totals.add(_ask_parties(pool, start, end)))
    return totals


def _keep(pool: PartyPool, end: int, totals: VoteTotals) -> VoteTotals:
    """Keep the totals of the first ``end`` parties, and return them."""
    _totals[pool, end] = totals
    _newest.append(totals)
    return totals


def _ask_parties(pool: PartyPool, first: int, last: int) -> VoteTotals:
    """Return the totals of the parties ``first`` to ``last`` - 1 alone."""
    kind = pool.data.kind
    X, y = parties(pool.data, first, last)
    check_rows = pool.rows["check"]
    # (N + C, d): the public rows and then the check rows.
    rows = np.concatenate([pool.rows["public"].X, check_rows.X])
    max_norm = aggregation.local_norm_bound(kind.classes, pool.regularisation)

    votes = np.zeros((kind.classes, len(rows)), np.int32)
    weights = np.zeros((outputs(kind.classes), kind.inputs))
    accuracy = []
    dealt = []
    party = first  # the first one of the next batch
    votes_of_batches = local_models.votes(
        X, y, rows, classes=kind.classes, regularisation=pool.regularisation
    )
    for predictions in votes_of_batches:
        party_votes = predictions.votes  # (parties, N + C)
        for label in range(kind.classes):
            votes[label] += (party_votes == label).sum(axis=0, dtype=np.int32)
        clipped = aggregation.clip_norms(predictions.weights, max_norm=max_norm)
        weights += clipped.sum(axis=0)

        accuracy.append((party_votes[:, -CHECK_ROWS:] == check_rows.y).mean(axis=1))
        # Party j answers about the public row j mod N.
        numbers = np.arange(len(party_votes))
        dealt_rows = (party + numbers) % pool.public_rows
        dealt.append(party_votes[numbers, dealt_rows].astype(np.uint8))
        party += len(party_votes)
    return VoteTotals(
        votes=votes,
        weights=weights,
        accuracy=np.concatenate(accuracy),
        dealt=np.concatenate(dealt),
    )


@dataclass(frozen=True, kw_only=True)
class CollectVotes(Key):
    """The task of collecting the votes of the first ``upto`` parties.

    ``collect_votes`` knows their totals for as long as this outcome is held.
    """

    pool: PartyPool
    upto: int
    essential: bool = field(default=False, compare=False)

    def run(self) -> VoteTotals:
        return collect_votes(self.pool, self.upto)
