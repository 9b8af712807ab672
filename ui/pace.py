"""How long a page rests before what stands around its live part follows: longer while many people move knobs.

A run of the whole page costs the server about as much as a movement does, and it can wait. While a class moves knobs,
it waits until a person has stopped for good, so that others' movements find the server free.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

# Seconds of rest: as a rule, and while at least so many people have moved something within so many seconds.
CALM, BUSY = 1.0, 3.0
MANY, LATELY = 8, 2.0

_moved: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
_lock = threading.Lock()
_runs: list[None] = []


def moves(who: Any) -> None:
    """Note that ``who``, a session's desk, has moved something now."""
    with _lock:
        _moved[who] = time.monotonic()


@contextmanager
def working() -> Iterator[None]:
    """While a run of a page, or of its live part, is at work, or a question of the channel waits for its answer."""
    _runs.append(None)
    try:
        yield
    finally:
        _runs.pop()


def at_work() -> bool:
    """Whether anybody waits for anything at the moment."""
    return bool(_runs)


def rest(calm: float = CALM) -> float:
    """Seconds that a page rests at the moment."""
    lately = time.monotonic() - LATELY
    with _lock:
        return BUSY if sum(at > lately for at in _moved.values()) >= MANY else calm
