"""Lots (batches) of stochastic gradient descent: the rows in each step's sum.

Lots are drawn in blocks of ``BLOCK`` steps, each from its own streams, so that training can resume
at any block. ``NOBODY`` pads smaller lots.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from dpcore import check
from dpcore.streams import stream

BLOCK = 50
NOBODY = -1
# Widths are rounded up to multiples of this, so that few different ones occur.
_ROUND = 4


def poisson(
    seed: int, indices: Sequence[int], *, rows: int, rate: float, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield Poisson samples for steps ``first`` to ``last`` - 1, each as row numbers (len(indices),
    W).

    Each row is in each lot with probability ``rate``, independently, as amplification by sampling
    requires [abadi2016, Algorithm 1]. Over the (step, row) cells of a block these are coin tosses,
    so the gaps between heads are geometric and the tails need no draw.
    """
    check.between(0, 1, rate=check.positive(rate=rate))

    def members(index: int, block: int) -> tuple[np.ndarray, np.ndarray]:
        cells = _heads(stream(seed, "lots", index, block), rate=rate, cells=BLOCK * rows)
        return np.divmod(cells, rows)

    yield from _lots(members, indices, first=first, last=last)


def _heads(rng: np.random.Generator, *, rate: float, cells: int) -> np.ndarray:
    """Return the positions of heads among ``cells`` coin tosses."""
    found, at = [], -1
    while at < cells:
        expected = (cells - at) * rate
        gaps = rng.geometric(rate, size=int(expected + 4 * np.sqrt(expected)) + 8)
        places = at + np.cumsum(
            np.minimum(gaps, cells + 1)
        )  # at tiny rates a sum of gaps would overflow
        found.append(places)
        at = int(places[-1])
    places = np.concatenate(found)
    return places[: np.searchsorted(places, cells)]


def shuffled(
    seed: int, indices: Sequence[int], *, rows: int, size: int, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield lots cut from a fresh shuffle of all rows in every epoch, as most training code does.

    Every row is in exactly one lot of an epoch (the last ``rows % size`` of the shuffle in none).
    These are **not** the Poisson samples for which amplification is proved.
    """
    each = max(1, rows // check.whole(1, rows, size=size))

    def members(index: int, block: int) -> tuple[np.ndarray, np.ndarray]:
        steps = np.arange(block * BLOCK, (block + 1) * BLOCK)
        order = {
            epoch: stream(seed, "lots", index, int(epoch)).permutation(rows)
            for epoch in np.unique(steps // each)
        }
        parts = [
            order[step // each][(step % each) * size : (step % each + 1) * size] for step in steps
        ]
        return np.repeat(np.arange(BLOCK), size), np.concatenate(parts)

    yield from _lots(members, indices, first=first, last=last)


def ordered(
    indices: Sequence[int], *, rows: int, lots: int, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield lots in a fixed order, the same for all: row i is in lot i mod ``lots`` of
    every pass.
    """
    passes = np.full((-(-rows // lots), lots), NOBODY)
    passes.ravel()[:rows] = np.arange(rows)
    for step in range(first, last):
        yield np.broadcast_to(passes[:, step % lots], (len(indices), len(passes)))


def _lots(members, indices, *, first, last) -> Iterator[np.ndarray]:
    """Yield the lots of all ``indices`` for each step, stacked and padded with ``NOBODY``."""
    for block in range(first // BLOCK, -(-last // BLOCK)):
        drawn = [members(int(index), block) for index in indices]
        counts = np.stack([np.bincount(step, minlength=BLOCK) for step, _ in drawn])
        padded = np.full((BLOCK, len(drawn), counts.max() + _ROUND), NOBODY)
        for lot, ((step, rows), count) in enumerate(zip(drawn, counts, strict=True)):
            place = np.arange(len(rows)) - np.repeat(np.cumsum(count) - count, count)
            padded[step, lot, place] = rows
        widths = np.maximum(-(-counts.max(axis=0) // _ROUND) * _ROUND, _ROUND)
        begin = block * BLOCK
        for step in range(max(first - begin, 0), min(last - begin, BLOCK)):
            yield padded[step, :, : widths[step]]
