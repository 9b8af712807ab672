"""Delay runs of whole pages while people move sliders.

A run of a whole page costs the server about as much as a movement does, and can wait until the
person has stopped. The delay is longer while many people move sliders.
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

# The server is busy while at least so many people have moved something within so many seconds.
MANY_PEOPLE = 8
RECENT_SECONDS = 2.0
# The delay after the last movement, in seconds.
CALM_DELAY = 1.0
BUSY_DELAY = 3.0
# Seconds in which the messages of a run reach the browser; Streamlit sends them every 10 ms.
SEND_SECONDS = 0.1

# State of a page, or connection -> when it last moved something (``time.monotonic``).
_last_movements: WeakKeyDictionary[Any, float] = WeakKeyDictionary()
# An entry for each request of the channel, and for each run of a page. Lists, because append and
# pop are atomic.
_requests: list[None] = []
_runs: list[None] = []
_lock = threading.Lock()
_thread = threading.local()


def record_activity(person: Any) -> None:
    """Record that a person moves something now.

    person: The page state of a session, or a connection of the channel.
    """
    with _lock:
        _last_movements[person] = time.monotonic()


@contextmanager
def page_run() -> Iterator[None]:
    """Run a page, or its live part, in a slot of the scheduler, and count it as work meanwhile."""
    if getattr(_thread, "runs_page", False):
        # The live part runs within a run of its page.
        yield
        return
    _thread.runs_page = True
    _runs.append(None)
    ticket = scheduler.SHARED.enqueue(
        since=getattr(_thread, "since", None),
        check_cancelled=_stop_if_cancelled,
        rerun_requested=_rerun_requested,
    )
    # Streamlit repeats a page in the same thread. The repeated run keeps the place in the queue.
    _thread.since = ticket.since
    try:
        with scheduler.SHARED.slot(ticket):
            yield
        _thread.since = None
        _send_whole_page()
    finally:
        _thread.runs_page = False
        _runs.pop()


def _send_whole_page() -> None:
    """Let the messages of a run of the whole page go before a run of its live part begins.

    Streamlit drops those messages of the live part that it has not sent by then, but still says
    that the whole page is complete. The browser would take the live part away.
    """
    run = get_script_run_ctx(suppress_warning=True)
    if run is None or run.fragment_ids_this_run:
        return
    if _rerun_requested():
        time.sleep(SEND_SECONDS)


def _rerun_requested() -> bool:
    """Return whether this session has requested another run of the live part.

    Streamlit keeps such a request until the present run ends, and does not end it.
    """
    run = get_script_run_ctx(suppress_warning=True)
    if run is None or run.script_requests is None:
        return False
    return run.script_requests._state is ScriptRequestType.RERUN


def _stop_if_cancelled() -> None:
    """End a run that nobody waits for, because its page is closed or has to run again."""
    run = get_script_run_ctx(suppress_warning=True)
    if run is not None:
        # Whatever reads the session state raises Streamlit's exception that ends such a run.
        "" in run.session_state  # noqa: B015


def rerun_page() -> NoReturn:
    """Run the whole page again, unless something newer was requested, such as another page.

    That request would be lost.
    """
    _stop_if_cancelled()
    st.rerun()


@contextmanager
def channel_request() -> Iterator[None]:
    """Count a request of the channel as work until it is answered."""
    _requests.append(None)
    try:
        yield
    finally:
        _requests.pop()


def is_busy() -> bool:
    """Return whether any request waits or any page runs at the moment."""
    return bool(_runs) or bool(_requests)


def delay(calm: float = CALM_DELAY) -> float:
    """Return the delay in seconds at the moment, which is ``calm`` unless the server is busy."""
    recent = time.monotonic() - RECENT_SECONDS
    with _lock:
        people = sum(moment > recent for moment in _last_movements.values())
    if people >= MANY_PEOPLE:
        return BUSY_DELAY
    return calm
