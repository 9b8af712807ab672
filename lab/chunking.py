"""How an ensemble is cut: some repeats for the first picture, and the others slice by slice.

Repeat r draws from streams of its own, whatever is trained beside it. So a part of the repeats is a task of its own, a
first picture waits for a part only, and no setting makes a slice long. What is trained beside a repeat
may yet move its last bit: where that matters, it is trained beside the same ones whatever is asked for.
"""

from collections.abc import Sequence

# Cells (see ``cells``) that one slice may have, and the essential tasks together: some 0.2 s and 0.7 s of one core.
SLICE, FIRST = 1.2e8, 4e8
# An exponential for a row and an output takes as long as so many multiply-adds.
_EXPONENTIAL = 16
# The repeats of a sample beyond a page's own are cut alike up to each multiple of so many.
_ROUND = 100


def cells(*, rows: int, outputs: int, inputs: int, steps: int) -> float:
    """The work of one descent: (row, output, step) cells, dearer with more ``inputs``, the constant among them."""
    return rows * outputs * steps * (1 + inputs / _EXPONENTIAL)


def first(most: int, *, each: float, least: int = 2) -> int:
    """How many of ``most`` repeats of ``each`` cells a first picture may wait for; ``least``, whatever they take."""
    return min(most, max(least, int(FIRST / each)))


def cut(start: int, stop: int, *, each: float, most: int | None = None) -> tuple[range, ...]:
    """Repeats ``start`` to ``stop`` - 1 in slices of at most ``most``, or of one where that is more than a slice."""
    width = max(1, min(int(SLICE / each), most or stop))
    return tuple(range(begin, min(begin + width, stop)) for begin in range(start, stop, width))


def sample(own: Sequence[range], count: int, *, each: float, most: int | None = None) -> tuple[tuple[range, int], ...]:
    """Repeats 0 to ``count`` - 1, first those of a page's ``own`` parts: (what is done together, how many are wanted).

    Together is what does not depend on ``count``: a longer sample begins with a shorter one to the last bit.
    """
    parts = list(own)
    while (start := parts[-1].stop) < count:
        parts += cut(start, (start // _ROUND + 1) * _ROUND, each=each, most=most)
    return tuple((part, min(len(part), count - part.start)) for part in parts if part.start < count)
