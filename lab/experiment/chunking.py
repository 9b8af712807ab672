"""Split repeats into batches, so that no task takes long.

Repeat r draws from its own streams, whichever repeats are trained with it. A page waits for the
first batch alone. Models that are trained together share their rounding, so where the last bit
matters a repeat is always trained in the same batch.
"""

from collections.abc import Sequence

# Most cells (see ``training_cells``) of one task, and of all essential tasks, which take 0.2 s and
# 0.35 s of one core.
SLICE = 1.2e8
FIRST = 2e8
# An exponential for a row and an output takes as long as this many multiply-adds.
_EXPONENTIAL = 16
# Repeats of a sample beyond a page's own are cut in the same way up to each multiple of this.
_ROUND = 100


def training_cells(*, rows: int, outputs: int, inputs: int, steps: int) -> float:
    """Return the cost of one descent, in cells of a row, an output and a step.

    inputs: number of inputs of a row, with the constant.
    """
    return rows * outputs * steps * (1 + inputs / _EXPONENTIAL)


def first_batch_size(most: int, *, each: float, least: int = 2) -> int:
    """Return how many of ``most`` repeats, of ``each`` cells, a page may wait for."""
    return min(most, max(least, int(FIRST / each)))


def cut_batches(
    start: int, stop: int, *, each: float, most: int | None = None
) -> tuple[range, ...]:
    """Cut repeats ``start`` to ``stop`` - 1 into batches of at most ``SLICE`` cells if possible.

    each: cells of one repeat.
    most: largest number of repeats in a batch.
    """
    width = max(1, min(int(SLICE / each), most or stop))
    return tuple(range(begin, min(begin + width, stop)) for begin in range(start, stop, width))


def batches(
    count: int,
    *,
    cost: float,
    first_batch: int | None = None,
    largest_batch: int | None = None,
) -> tuple[range, ...]:
    """Cut repeats 0 to ``count`` - 1 into batches, of which a page waits for the first.

    cost: cells of one repeat.
    first_batch: size of the first batch; by default as many repeats as a page may wait for.
    largest_batch: largest number of repeats in another batch.
    """
    if first_batch is None:
        first_batch = first_batch_size(count, each=cost)
    first_batch = min(first_batch, count)
    return (range(first_batch), *cut_batches(first_batch, count, each=cost, most=largest_batch))


def sample(
    own: Sequence[range], count: int, *, each: float, most: int | None = None
) -> tuple[tuple[range, int], ...]:
    """Return the batches that give repeats 0 to ``count`` - 1, each with the number wanted of it.

    The batches do not depend on ``count``, so a longer sample begins with a shorter one, bitwise.

    own: the batches of the page, which come first.
    each: cells of one repeat.
    most: largest number of repeats in a further batch.
    """
    parts = list(own)
    while parts[-1].stop < count:
        start = parts[-1].stop
        stop = (start // _ROUND + 1) * _ROUND
        parts += cut_batches(start, stop, each=each, most=most)
    return tuple((part, min(len(part), count - part.start)) for part in parts if part.start < count)
