"""What a crowd of parties says about public rows: asked in chunks, and kept.

What the first M say together is kept, so that more parties cost only the new ones. It is kept by
whoever holds the outcome of a ``Gather``, and found by all: so it takes part in what a cache
counts, and is not thrown away behind it.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from weakref import WeakValueDictionary

import numpy as np

from dpcore.cache import Key
from dpcore.parties import aggregation
from dpcore.training.losses import outputs
from lab.data.parties import PartyData, parties, public
from lab.data.party_kinds import CHECK_ROWS, Public
from lab.models import local_models

# Of so many parties, what they say one by one is kept: for "one party changes" and for the spread
# of parties alone.
EARLY, _FIRST = 6, 500
# More than so many weights or rows a party, and fewer parties are asked at once.
_MANY_WEIGHTS, _MANY_ROWS = 30, 30


@dataclass(frozen=True, kw_only=True)
class Crowd(Key):
    """Parties in one world, asked about ``public_rows``."""

    world: PartyData
    public_rows: int
    regularisation: float

    @property
    def chunk(self) -> int:
        """Return how many parties are asked at once: some 10 to 30 ms."""
        kind = self.world.kind
        if kind.block < 50:  # of many rows each
            return kind.block
        many = kind.classes * kind.inputs > _MANY_WEIGHTS or self.world.rows > _MANY_ROWS
        return 50 if many else 100

    @property
    def rows(self) -> dict[str, Public]:
        return public(self.world.dataset, self.world.seed, self.public_rows)

    def votes(self, X: np.ndarray, y: np.ndarray, rows: np.ndarray) -> Iterator[local_models.Votes]:
        """Yield what parties with the rows ``X``, ``y`` predict for ``rows``."""
        return local_models.votes(
            X, y, rows, classes=self.world.kind.classes, regularisation=self.regularisation
        )

    def edges(self, parties: int) -> tuple[int, ...]:
        """Return up to which party each chunk goes, for the first ``parties``."""
        return (*range(self.chunk, parties, self.chunk), parties)


@dataclass(frozen=True, eq=False)
class Tally:
    """What parties said together about the public and then the check rows.

    votes, shares (K, N + C): counts of votes, sums of class probabilities. weights (k, d): the sum
    of the parties' weights, cut to the longest a minimiser can be. accuracy: of each of the first
    parties, on the check rows. early (EARLY or fewer, N): the votes of the first parties. dealt
    (M,): each party's vote about one public row only, row j mod N of party j.
    """

    votes: np.ndarray
    shares: np.ndarray
    weights: np.ndarray
    accuracy: np.ndarray
    early: np.ndarray
    dealt: np.ndarray


_found: WeakValueDictionary[tuple[Crowd, int], Tally] = WeakValueDictionary()
_newest: deque[Tally] = deque(maxlen=8)


def known(crowd: Crowd, upto: int) -> int:
    """Return up to which party, at most ``upto``, it is known what they say together; 0: of
    none.
    """
    return next((edge for edge in reversed(crowd.edges(upto)) if (crowd, edge) in _found), 0)


def tally(crowd: Crowd, upto: int) -> Tally:
    """Return what the first ``upto`` parties say; only those are asked that come after the last
    ones known.
    """
    last = known(crowd, upto)
    so_far = _found.get((crowd, last))
    edges = [edge for edge in crowd.edges(upto) if so_far is None or edge > last]
    if so_far is None:
        so_far = _further(crowd, edges.pop(0), None)
    for edge in edges:
        so_far = _further(crowd, edge, so_far)
    return so_far


def _further(crowd: Crowd, upto: int, before: Tally | None) -> Tally:
    """Ask the chunk of parties that ends at ``upto``, and keep what they say together with those
    ``before``.
    """
    new = _ask(crowd, (upto - 1) // crowd.chunk * crowd.chunk, upto)
    found = _found[crowd, upto] = new if before is None else _together(before, new)
    if isinstance(crowd.world.dataset, str):  # what a file's parties say goes with the file
        _newest.append(found)
    return found


def _together(old: Tally, new: Tally) -> Tally:
    accuracy = np.concatenate([old.accuracy, new.accuracy])[:_FIRST]
    dealt = np.concatenate([old.dealt, new.dealt])
    return Tally(
        old.votes + new.votes,
        old.shares + new.shares,
        old.weights + new.weights,
        accuracy,
        old.early,
        dealt,
    )


def rows_of(crowd: Crowd) -> tuple[np.ndarray, np.ndarray]:
    """Return (X, y) of the public and then the check rows."""
    parts = crowd.rows["public"], crowd.rows["check"]
    return np.concatenate([part.X for part in parts]), np.concatenate([part.y for part in parts])


def _ask(crowd: Crowd, first: int, last: int) -> Tally:
    kind = crowd.world.kind
    X, y = parties(crowd.world, first, last)
    rows, truth = rows_of(crowd)
    votes = np.zeros((kind.classes, len(rows)), np.int32)
    shares = np.zeros((kind.classes, len(rows)), np.float32)
    weights = np.zeros((outputs(kind.classes), kind.inputs))
    accuracy, early, dealt = [], [], []
    max_norm = aggregation.local_norm_bound(kind.classes, crowd.regularisation)
    row = np.arange(first, last) % crowd.public_rows
    for said in crowd.votes(X, y, rows):
        votes += np.stack(
            [(said.votes == label).sum(axis=0, dtype=np.int32) for label in range(kind.classes)]
        )
        shares += said.shares.sum(axis=0)
        accuracy.append((said.votes[:, -CHECK_ROWS:] == truth[-CHECK_ROWS:]).mean(axis=1))
        early.append(said.votes[:EARLY, :-CHECK_ROWS].astype(np.uint8))
        own, row = np.split(row, [len(said.votes)])
        dealt.append(said.votes[np.arange(len(own)), own].astype(np.uint8))
        weights += aggregation.clip_norms(said.weights, max_norm=max_norm).sum(axis=0)
    first_votes, dealt_votes = np.concatenate(early)[:EARLY], np.concatenate(dealt)
    return Tally(votes, shares, weights, np.concatenate(accuracy), first_votes, dealt_votes)


@dataclass(frozen=True, kw_only=True)
class Gather(Key):
    """Ask the parties up to ``upto``; ``tally`` knows what they say for as long as this outcome is
    held.
    """

    crowd: Crowd
    upto: int
    essential: bool = field(default=False, compare=False)

    def run(self) -> Tally:
        return tally(self.crowd, self.upto)
