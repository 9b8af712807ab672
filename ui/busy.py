"""How busy this process is, as it was measured: who is here, who waits in line and how long.

The line that waiting people see, the page that newcomers see and whoever watches the server read it here.
"""

import itertools
import threading
import time
from collections import deque

import numpy as np

from dpcore import cores

# Seconds that "now" is made of; of how many waits at most, and how many times of work.
LATELY = 10.0
_WAITS, _TIMES = 1024, 64
# Seconds that a piece of work is taken to last before the first has ended.
_AT_FIRST = 0.1


class Line:
    """A line before ``places`` at which work is done. ``begun`` is how much of it has begun since the start.

    Who keeps the line says who joins it, whose turn begins or who gives up, and how long the work took.
    """

    def __init__(self, places: int):
        self.places = places
        self.begun = 0
        self._numbers = itertools.count()
        self._since: dict[int, float] = {}
        self._waits: deque[tuple[float, float]] = deque(maxlen=_WAITS)
        self._times: deque[float] = deque(maxlen=_TIMES)
        self._lock = threading.Lock()

    def joins(self) -> int:
        """Somebody stands in line from now on; their number."""
        number = next(self._numbers)
        with self._lock:
            self._since[number] = time.monotonic()
        return number

    def leaves(self, number: int, *, begins: bool) -> None:
        """They stand in line no more: their turn begins, or they have given up."""
        now = time.monotonic()
        with self._lock:
            since = self._since.pop(number, now)
            if begins:
                self.begun += 1
                self._waits.append((now, now - since))

    def took(self, seconds: float) -> None:
        """A piece of work lasted so long."""
        self._times.append(seconds)

    @property
    def waiting(self) -> int:
        """How many stand in line."""
        return len(self._since)

    def waits(self) -> list[float]:
        """Seconds in line: of all whose turn has begun lately, and so far of all who stand there."""
        now = time.monotonic()
        with self._lock:
            return [wait for at, wait in self._waits if at > now - LATELY] + [now - at for at in self._since.values()]

    def expected(self, before: int) -> float:
        """Seconds in line with so many before one, by how long the newest pieces of work took."""
        times = [*self._times] or [_AT_FIRST]
        return before * sum(times) / len(times) / self.places


# Movements that are asked about on the channel. Runs of pages: a few more than cores, so that long ones do not stop the
# short; all that wait at once would share the cores so finely that none came to an end.
QUESTIONS, RUNS = Line(cores.cores()), Line(2 * cores.cores())

# Pages that are open, each with a session; and how many people wait at the door (`ui.admission`).
PAGES: set[object] = set()
at_the_door = 0


def p95() -> float:
    """Seconds: of those who stood in either line lately, nineteen in twenty waited no longer."""
    waits = QUESTIONS.waits() + RUNS.waits()
    return float(np.quantile(waits, 0.95)) if waits else 0.0
