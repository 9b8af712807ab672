"""How long a page rests before what stands around its live part follows: longer while many people move knobs.

A run of the whole page costs the server about as much as a movement does, and it can wait until a person has stopped.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary

from ui.busy import RUNS

# Seconds of rest: as a rule, and while at least so many people have moved something within so many seconds.
CALM, BUSY = 1.0, 3.0
MANY, LATELY = 8, 2.0

_moved: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
_asked: list[None] = []
_lock = threading.Lock()
_here = threading.local()


def moves(who: Any) -> None:
    """Note that ``who``, a session's desk, has moved something now."""
    with _lock:
        _moved[who] = time.monotonic()


@contextmanager
def working() -> Iterator[None]:
    """Count as work, meanwhile, a run of a page or of its live part."""
    if getattr(_here, "works", False):  # the live part within a run of its page
        yield
        return
    number, began = RUNS.joins(), time.thread_time()
    _here.works = True
    try:
        yield
    finally:
        _here.works = False
        RUNS.leaves(number, served=True)
        RUNS.took(time.thread_time() - began)


@contextmanager
def asking() -> Iterator[None]:
    """Count, meanwhile, a question of the channel that waits for its answer."""
    _asked.append(None)
    try:
        yield
    finally:
        _asked.pop()


def at_work() -> bool:
    """Return whether anybody waits for anything at the moment."""
    return RUNS.waiting > 0 or bool(_asked)


def rest(calm: float = CALM) -> float:
    """Return the seconds that a page rests at the moment."""
    lately = time.monotonic() - LATELY
    with _lock:
        return BUSY if sum(at > lately for at in _moved.values()) >= MANY else calm
