"""Split an ensemble's repeats into time-bounded tasks.

Repeat r draws from its own streams, whichever repeats are trained with it. So the first picture
waits for one part only, and no setting makes a task long. Where the last bit matters, a repeat is
always trained with the same ones.
"""

from collections.abc import Sequence

# Bounds on the cells (see ``cells``) of one task, and of all essential tasks: about 0.2 s and 0.35
# s of one core.
SLICE, FIRST = 1.2e8, 2e8
# An exponential for a row and an output takes as long as this many multiply-adds.
_EXPONENTIAL = 16
# Repeats of a sample beyond a page's own are split identically up to each multiple of this number.
_ROUND = 100


def cells(*, rows: int, outputs: int, inputs: int, steps: int) -> float:
    """Return the work of one descent in (row, output, step) cells, whose cost grows with ``inputs``
    (with constant).
    """
    return rows * outputs * steps * (1 + inputs / _EXPONENTIAL)


def first(most: int, *, each: float, least: int = 2) -> int:
    """Return how many of ``most`` repeats of ``each`` cells the first picture may wait for, at
    least ``least``.
    """
    return min(most, max(least, int(FIRST / each)))


def cut(start: int, stop: int, *, each: float, most: int | None = None) -> tuple[range, ...]:
    """Split repeats ``start`` to ``stop`` - 1 into slices of at most ``most``, and of ``SLICE``
    cells if possible.
    """
    width = max(1, min(int(SLICE / each), most or stop))
    return tuple(range(begin, min(begin + width, stop)) for begin in range(start, stop, width))


def sample(
    own: Sequence[range], count: int, *, each: float, most: int | None = None
) -> tuple[tuple[range, int], ...]:
    """Split repeats 0 to ``count`` - 1, a page's ``own`` parts first, into (repeats trained
    together, number wanted).

    The sets trained together do not depend on ``count``, so a longer sample begins with a shorter
    one, bitwise equal.
    """
    parts = list(own)
    while (start := parts[-1].stop) < count:
        parts += cut(start, (start // _ROUND + 1) * _ROUND, each=each, most=most)
    return tuple((part, min(len(part), count - part.start)) for part in parts if part.start < count)
