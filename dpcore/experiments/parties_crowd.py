"""What a crowd of parties says about public rows: asked in chunks, and kept.

What the first M say together is kept, so that more parties cost only the new ones.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from dpcore.parties import aggregation, local
from dpcore.parties.worlds import CHECK_ROWS, World, parties, public

# Of so many parties, what they say one by one is kept: for "one party changes" and for the spread of parties alone.
EARLY, _RIGHT = 6, 500


@dataclass(frozen=True, kw_only=True)
class Crowd:
    """Parties of one kind in one world, asked about ``public_rows``; regularisation of logistic parties, else 0."""

    world: World
    learner: str
    public_rows: int
    regularisation: float

    @property
    def chunk(self) -> int:
        """How many parties are asked at once: some 20 to 40 ms."""
        return 50 if self.learner in local.ONE_BY_ONE else 100

    def edges(self, parties: int) -> tuple[int, ...]:
        """Up to which party each chunk goes, for the first ``parties``."""
        return (*range(self.chunk, parties, self.chunk), parties)


class Tally(NamedTuple):
    """What parties said together about the public and then the check rows.

    votes, shares (K, N + C): counts of votes, sums of class probabilities. weights (k, d): the sum of the logistic
    parties' weights, cut to the longest a minimiser can be. right: the share of check rows that each of the first
    parties got right. early (EARLY or fewer, N): the votes of the first parties.
    """

    votes: np.ndarray
    shares: np.ndarray
    weights: np.ndarray | None
    right: np.ndarray
    early: np.ndarray


# As many as pages keep outcomes of: a step back of a slider finds what it needs. At most 120 kB each.
@lru_cache(maxsize=600)
def tally(crowd: Crowd, upto: int) -> Tally:
    """Of the first ``upto`` parties."""
    first = (upto - 1) // crowd.chunk * crowd.chunk
    new = _ask(crowd, first, upto)
    if not first:
        return new
    old = tally(crowd, first)
    weights = None if new.weights is None else old.weights + new.weights
    right = np.concatenate([old.right, new.right])[:_RIGHT]
    return Tally(old.votes + new.votes, old.shares + new.shares, weights, right, old.early)


def rows_of(crowd: Crowd) -> tuple[np.ndarray, np.ndarray]:
    """(X, y) of the public and then the check rows."""
    found = public(crowd.world.dataset, crowd.world.seed, crowd.public_rows)
    parts = [found["public"], found["check"]]
    return np.concatenate([part.X for part in parts]), np.concatenate([part.y for part in parts])


def _ask(crowd: Crowd, first: int, last: int) -> Tally:
    kind = crowd.world.kind
    X, y = parties(crowd.world, first, last)
    rows, truth = rows_of(crowd)
    votes = np.zeros((kind.classes, len(rows)), np.int32)
    shares = np.zeros((kind.classes, len(rows)), np.float32)
    weights, right, early = None, [], []
    longest = aggregation.longest(kind.classes, crowd.regularisation) if crowd.regularisation else 0.0
    options = {"classes": kind.classes, "regularisation": crowd.regularisation, "first": first}
    for said in local.votes(crowd.learner, X, y, rows, **options):
        votes += np.stack([(said.votes == label).sum(axis=0, dtype=np.int32) for label in range(kind.classes)])
        shares += said.shares.sum(axis=0)
        right.append((said.votes[:, -CHECK_ROWS:] == truth[-CHECK_ROWS:]).mean(axis=1))
        early.append(said.votes[:EARLY, :-CHECK_ROWS].astype(np.uint8))
        if said.weights is not None:
            own = aggregation.cut(said.weights, to=longest).sum(axis=0)
            weights = own if weights is None else weights + own
    return Tally(votes, shares, weights, np.concatenate(right), np.concatenate(early)[:EARLY])


@dataclass(frozen=True, kw_only=True)
class Gather:
    """Ask the parties up to ``upto``; what they say is kept in ``tally``."""

    crowd: Crowd
    upto: int
    essential: bool = False

    def run(self) -> int:
        tally(self.crowd, self.upto)
        return self.upto
