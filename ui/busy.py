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
    """Who waits for work that is done at so many ``places``; ``served``: how many have waited since the start.

    Who keeps the line says who joins it, who is served or gives up, and how long a piece of work took.
    """

    def __init__(self, places: int):
        self.places = places
        self.served = 0
        self._numbers = itertools.count()
        self._since: dict[int, float] = {}
        self._waits: deque[tuple[float, float]] = deque(maxlen=_WAITS)
        self._times: deque[float] = deque(maxlen=_TIMES)
        self._lock = threading.Lock()

    def joins(self) -> int:
        """Record that somebody waits from now on, and return their number."""
        number = next(self._numbers)
        with self._lock:
            self._since[number] = time.monotonic()
        return number

    def leaves(self, number: int, *, served: bool) -> None:
        """Record that they wait no more: they are served, or have given up."""
        now = time.monotonic()
        with self._lock:
            since = self._since.pop(number, now)
            if served:
                self.served += 1
                self._waits.append((now, now - since))

    def took(self, seconds: float) -> None:
        """Record that a piece of work lasted so long."""
        self._times.append(seconds)

    @property
    def waiting(self) -> int:
        """Return how many wait."""
        return len(self._since)

    def waits(self) -> list[float]:
        """Return the seconds of all who were served lately, and so far of all who wait."""
        now = time.monotonic()
        with self._lock:
            return [wait for at, wait in self._waits if at > now - LATELY] + [now - at for at in self._since.values()]

    def expected(self, before: int) -> float:
        """Return the seconds of waiting with so many before one, by how long the newest pieces of work took."""
        times = [*self._times] or [_AT_FIRST]
        return before * sum(times) / len(times) / self.places


# Movements that are asked about on the channel wait until their turn begins. Runs of pages share what Python has, one
# core and little more, and begin at once: they wait until they end, and a piece of work is its CPU time.
QUESTIONS, RUNS = Line(cores.cores()), Line(1)

# Pages that are open, each with a session; and how many people wait at the door (`ui.waiting_room`).
PAGES: set[object] = set()
at_the_door = 0


def p95() -> float:
    """Return the seconds that nineteen in twenty of those who waited in either lately waited at most."""
    waits = QUESTIONS.waits() + RUNS.waits()
    return float(np.quantile(waits, 0.95)) if waits else 0.0
