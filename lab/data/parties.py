"""Data of many parties, each with a few rows, and public rows that belong to none of them.

A party draws each class with probability (1 - u)/K, plus u for its most frequent class, and shifts
its features by u / 2 standard deviations, where u is the heterogeneity (``unlike``). Public, check
and test rows come from the balanced mixture without a shift.
"""

import math
from dataclasses import dataclass

import numpy as np

from dpcore.cache import cached
from dpcore.streams import stream
from lab.data.party_kinds import KINDS, DataKind, Public

# Index of the random stream of parties; public rows have index 0.
_PARTIES_STREAM = 1


@dataclass(frozen=True, kw_only=True)
class PartyData:
    """The data of all parties.

    Attributes:
        dataset: A key of ``KINDS``.
        rows: Number of rows of each party.
        unlike: Heterogeneity of the parties, 0 to 1.
        seed: Of the data.
    """

    dataset: str
    rows: int
    unlike: float
    seed: int

    @property
    def kind(self) -> DataKind:
        """Return the kind of data."""
        return KINDS[self.dataset]


@cached
def public(dataset: str, seed: int, rows: int) -> dict[str, Public]:
    """Return ``DataKind.public``, cached and read-only."""
    parts = KINDS[dataset].public(seed, rows)
    for part in parts.values():
        part.X.flags.writeable = False
        part.y.flags.writeable = False
    return parts


def parties(data: PartyData, first: int, last: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of the parties ``first`` to ``last`` - 1.

    Parties are drawn in blocks from separate random streams, so party 7 is the same among 10 and
    among 20,000.

    Returns:
        Inputs X (parties, rows, d) and classes y (parties, rows).
    """
    size = data.kind.block
    first_block = first // size
    X_blocks = []
    y_blocks = []
    for block in range(first_block, math.ceil(last / size)):
        X, y = _parties_of_block(data, block)
        X_blocks.append(X)
        y_blocks.append(y)
    start = first_block * size
    chosen = slice(first - start, last - start)
    return np.concatenate(X_blocks)[chosen], np.concatenate(y_blocks)[chosen]


def _parties_of_block(data: PartyData, block: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the rows of all parties of a block, as ``parties`` does."""
    kind = data.kind
    size = kind.block
    rng = stream(data.seed, "data", _PARTIES_STREAM, block)
    most_frequent_class = rng.integers(0, kind.classes, (size, 1))
    shifts = rng.standard_normal((size, 1, kind.features)) * (data.unlike / 2)
    uniform = rng.random((size, data.rows))
    any_class = rng.integers(0, kind.classes, (size, data.rows))
    y = np.where(uniform < data.unlike, most_frequent_class, any_class)
    return kind.inputs_of(data.seed, y, shifts, rng), y
