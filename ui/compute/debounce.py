"""How long a page rests before what stands around its live part follows: longer while many people
move sliders.

A run of the whole page costs the server about as much as a movement does, and it can wait until a
person has stopped.
"""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn
from weakref import WeakKeyDictionary

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_requests import ScriptRequestType

from ui.compute import scheduler

# Seconds of rest: as a rule, and while at least so many people have moved something within so many
# seconds.
CALM, BUSY = 1.0, 3.0
MANY, LATELY = 8, 2.0

_moved: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
_asked: list[None] = []  # an entry for each question of the channel
_runs: list[None] = []  # an entry for each run of a page
_lock = threading.Lock()
_here = threading.local()


def moves(who: Any) -> None:
    """Note that ``who``, the page state of a session, has moved something now."""
    with _lock:
        _moved[who] = time.monotonic()


@contextmanager
def working() -> Iterator[None]:
    """Count as work, meanwhile, a run of a page or of its live part, which begins in its turn."""
    if getattr(_here, "works", False):  # the live part within a run of its page
        yield
        return
    _here.works = True
    _runs.append(None)
    turn = scheduler.SHARED.join(since=getattr(_here, "since", None), heed=_heed, pressed=_pressed)
    _here.since = turn.since  # a run that makes way for another one of its page leaves it its place
    try:
        with scheduler.SHARED.at_work(turn):
            yield
        _here.since = None
    finally:
        _here.works = False
        _runs.pop()


def _pressed() -> bool:
    """Return whether this session has asked for another run of the live part: Streamlit keeps it
    until this one ends, and does not end this one for it.
    """
    run = get_script_run_ctx(suppress_warning=True)
    if run is None or run.script_requests is None:
        return False
    return run.script_requests._state is ScriptRequestType.RERUN


def _heed() -> None:
    """End a run that nobody waits for: whose page is closed, or has to run again. Streamlit does so
    where a run reads the state of its session.
    """
    if run := get_script_run_ctx(suppress_warning=True):
        "" in run.session_state  # noqa: B015


def again() -> NoReturn:
    """Start a run of the whole page, unless something newer was asked for, such as another page:
    that would be lost.
    """
    _heed()
    st.rerun()


@contextmanager
def asking() -> Iterator[None]:
    """Count, meanwhile, a question of the channel that waits for its answer."""
    _asked.append(None)
    try:
        yield
    finally:
        _asked.pop()


def at_work() -> bool:
    """Return whether anything is asked for, or at work, at the moment."""
    return bool(_runs) or bool(_asked)


def rest(calm: float = CALM) -> float:
    """Return the seconds that a page rests at the moment."""
    lately = time.monotonic() - LATELY
    with _lock:
        return BUSY if sum(at > lately for at in _moved.values()) >= MANY else calm
