"""How long a page rests before what stands around its live part follows: longer while many people move knobs.

A run of the whole page costs the server about as much as a movement does, and it can wait. While a class moves knobs,
it waits until a person has stopped for good, so that others' movements find the server free. A few runs are at work at
once; the others stand in line, in the order in which they came.
"""

import threading
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from streamlit.runtime.scriptrunner import RerunException

from ui.busy import RUNS

# Seconds of rest: as a rule, and while at least so many people have moved something within so many seconds.
CALM, BUSY = 1.0, 3.0
MANY, LATELY = 8, 2.0
# Seconds after which a run begins in any case: those before it may wait for something that is no work, a download say.
LONGEST_WAIT = 60.0

_moved: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
_lock = threading.Lock()
_runs: list[None] = []
_here = threading.local()


def moves(who: Any) -> None:
    """Note that ``who``, a session's desk, has moved something now."""
    with _lock:
        _moved[who] = time.monotonic()


class Gate:
    """Lets so many threads in at once, the others in the order in which they came."""

    def __init__(self, places: int):
        self._free = places
        self._line: deque[threading.Event] = deque()
        self._lock = threading.Lock()

    def enter(self, longest: float, *, first: bool = False) -> bool:
        """Wait for one's turn, or to be the next; False if it has not come after so many seconds."""
        with self._lock:
            if self._free:
                self._free -= 1
                return True
            turn = threading.Event()
            self._line.appendleft(turn) if first else self._line.append(turn)
        if not turn.wait(longest):
            with self._lock:
                if turn in self._line:
                    self._line.remove(turn)
                    return False
        return True

    def leave(self) -> None:
        """Give one's place to the next."""
        with self._lock:
            if self._line:
                self._line.popleft().set()
            else:
                self._free += 1


_gate = Gate(RUNS.places)


@contextmanager
def working() -> Iterator[None]:
    """While a run of a page, or of its live part, is at work; before it, the run stands in line.

    A browser that hears nothing asks again, and Streamlit then ends the run as soon as it begins, to begin it anew. That
    one is the next; at the end of the line, it would be asked for again, and never come to an end.
    """
    if getattr(_here, "works", False):  # the live part within a run of its page
        yield
        return
    _runs.append(None)
    number = RUNS.joins()
    first = getattr(_here, "first", False)
    entered = _gate.enter(LONGEST_WAIT, first=first)
    RUNS.leaves(number, begins=True)
    _here.works, _here.first, began = True, False, time.monotonic()
    try:
        yield
    except RerunException:
        _here.first = not first
        raise
    finally:
        _here.works = False
        RUNS.took(time.monotonic() - began)
        if entered:
            _gate.leave()
        _runs.pop()


def at_work() -> bool:
    """Whether any run is at work at the moment."""
    return bool(_runs)


def rest(calm: float = CALM) -> float:
    """Seconds that a page rests at the moment."""
    lately = time.monotonic() - LATELY
    with _lock:
        return BUSY if sum(at > lately for at in _moved.values()) >= MANY else calm
