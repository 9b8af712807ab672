"""How an ensemble is cut: some repeats for the first picture, and the others slice by slice.

Repeat r draws from streams of its own, whatever is trained beside it. So a part of the repeats is a task of its own, a
first picture waits for a part only, and no setting makes a slice long.
"""

# Cells (see ``cells``) that one slice may have, and the essential tasks together: some 0.2 s and 0.7 s of one core.
SLICE, FIRST = 1.2e8, 4e8
# An exponential for a row and an output takes as long as so many multiply-adds.
_EXPONENTIAL = 16


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
