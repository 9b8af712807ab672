"""Batches of stochastic gradient descent: the rows in each step's sum.

Batches are drawn in blocks of ``BLOCK`` steps, each from its own streams, so that training can
resume at any block. ``NOBODY`` pads smaller batches.
"""

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from dpcore import check
from dpcore.streams import stream

BLOCK = 50
NOBODY = -1
# Widths are rounded up to multiples of this, so that few different ones occur.
_ROUND = 4

# Maps (stream, block) to the step within the block and the row number of each member of its
# batches, in the order of the steps.
_Members = Callable[[int, int], tuple[np.ndarray, np.ndarray]]


def poisson(
    seed: int, indices: Sequence[int], *, rows: int, rate: float, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield Poisson samples for steps ``first`` to ``last`` - 1, as row numbers (streams, W).

    Each row is in each batch with probability ``rate``, independently, as amplification by sampling
    requires [abadi2016, Algorithm 1]. Over the (step, row) cells of a block these are coin tosses,
    so the gaps between heads are geometric and the tails need no draw.
    """
    check.positive(rate=rate)
    check.between(0, 1, rate=rate)

    def members(index: int, block: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (step, row) of each head among the (step, row) cells of a block."""
        rng = stream(seed, "batches", index, block)
        cells = _heads(rng, rate=rate, cells=BLOCK * rows)
        return np.divmod(cells, rows)

    yield from _padded_batches(members, indices, first=first, last=last)


def _heads(rng: np.random.Generator, *, rate: float, cells: int) -> np.ndarray:
    """Return the positions of heads among ``cells`` coin tosses, in rising order."""
    position = -1
    parts = []
    while position < cells:
        expected = (cells - position) * rate
        # Nearly always enough for the remaining cells: four standard deviations more.
        enough = int(expected + 4 * np.sqrt(expected)) + 8
        gaps = rng.geometric(rate, size=enough)
        # At tiny rates a sum of gaps would overflow.
        bounded_gaps = np.minimum(gaps, cells + 1)
        heads = position + np.cumsum(bounded_gaps)
        parts.append(heads)
        position = int(heads[-1])
    heads = np.concatenate(parts)
    return heads[: np.searchsorted(heads, cells)]


def shuffled(
    seed: int, indices: Sequence[int], *, rows: int, size: int, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield batches cut from a fresh shuffle of all rows in every epoch, as in most training code.

    Every row is in exactly one batch of an epoch (the last ``rows % size`` of the shuffle in none).
    These are **not** the Poisson samples for which amplification is proved.
    """
    check.whole(1, rows, size=size)
    batches_per_epoch = max(1, rows // size)

    def members(index: int, block: int) -> tuple[np.ndarray, np.ndarray]:
        """Return (step, row) of each member of the batches that a block cuts from shuffles."""
        order_of_epoch: dict[int, np.ndarray] = {}
        batches = []
        for step in range(block * BLOCK, (block + 1) * BLOCK):
            epoch, batch = divmod(step, batches_per_epoch)
            if epoch not in order_of_epoch:
                order_of_epoch[epoch] = stream(seed, "batches", index, epoch).permutation(rows)
            batches.append(order_of_epoch[epoch][batch * size : (batch + 1) * size])
        return np.repeat(np.arange(BLOCK), size), np.concatenate(batches)

    yield from _padded_batches(members, indices, first=first, last=last)


def ordered(
    indices: Sequence[int], *, rows: int, batches_per_pass: int, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield batches in a fixed order, the same for all streams.

    Row i is in batch i mod ``batches_per_pass`` of every pass.
    """
    width = math.ceil(rows / batches_per_pass)
    rows_of_batches = np.full((width, batches_per_pass), NOBODY)
    rows_of_batches.ravel()[:rows] = np.arange(rows)
    for step in range(first, last):
        batch = rows_of_batches[:, step % batches_per_pass]
        yield np.broadcast_to(batch, (len(indices), width))


def _padded_batches(
    members: _Members, indices: Sequence[int], *, first: int, last: int
) -> Iterator[np.ndarray]:
    """Yield the batches of all streams for each step, (streams, W), padded with ``NOBODY``."""
    first_block = first // BLOCK
    end_block = math.ceil(last / BLOCK)
    for block in range(first_block, end_block):
        padded, widths = _block_of_batches(members, indices, block)
        first_of_block = block * BLOCK
        first_step = max(first - first_of_block, 0)
        end_step = min(last - first_of_block, BLOCK)
        for step in range(first_step, end_step):
            yield padded[step, :, : widths[step]]


def _block_of_batches(
    members: _Members, indices: Sequence[int], block: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return the padded batches of a block, (BLOCK, streams, W), and the width of each step.

    The width (BLOCK,) of a step is that of its largest batch, rounded up to a multiple of
    ``_ROUND``. In a row of ``padded`` the members of the batch come first, then ``NOBODY``.
    """
    members_of_streams = []
    sizes_of_streams = []
    for index in indices:
        steps, rows = members(int(index), block)
        members_of_streams.append((steps, rows))
        sizes_of_streams.append(np.bincount(steps, minlength=BLOCK))
    # Sizes of the batches, (streams, BLOCK).
    sizes = np.stack(sizes_of_streams)
    most_places = sizes.max() + _ROUND
    padded = np.full((BLOCK, len(indices), most_places), NOBODY)
    for stream_index, (steps, rows) in enumerate(members_of_streams):
        sizes_of_stream = sizes[stream_index]
        # The members are in the order of the steps. The place of each in its batch is its place
        # among all members minus that of the first member of the batch.
        first_of_step = np.cumsum(sizes_of_stream) - sizes_of_stream
        first_of_batch = np.repeat(first_of_step, sizes_of_stream)
        place_in_batch = np.arange(len(rows)) - first_of_batch
        padded[steps, stream_index, place_in_batch] = rows
    # Rounded up in whole numbers, as math.ceil does for one number.
    multiples = (sizes.max(axis=0) + _ROUND - 1) // _ROUND
    # Also a step without members has a width.
    widths = np.maximum(multiples * _ROUND, _ROUND)
    return padded, widths
