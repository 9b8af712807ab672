"""Who goes first at the cores, who makes way, and how long pages rest."""

import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState, SessionState

from dpcore.cache import CACHE
from tests.toy.page import Piece, Toy
from ui.compute import debounce, runner, scheduler
from ui.compute.scheduler import FairQueue, WorkCancelledError

PATIENCE = 60


@pytest.fixture
def shared(monkeypatch):
    monkeypatch.setattr(scheduler, "SHARED", FairQueue(1))
    CACHE.forget()
    Piece.begun.clear()
    yield scheduler.SHARED
    Piece.gate.set()


def test_longest_waiting_goes_first_across_kinds_of_request(shared):
    first = shared.enqueue()
    slices, question, gone = shared.enqueue(deferred=True), shared.enqueue(), shared.enqueue()
    order: list[str] = []

    def page() -> None:
        with debounce.page_run():
            order.append("page")

    run = threading.Thread(target=page)
    run.start()
    while len(shared.waiting()) < 4:
        pass
    shared.release(gone)
    assert [
        turn is one for turn, one in zip(shared.waiting()[::2], (question, slices), strict=True)
    ] == [True, True]
    shared.release(first)
    with shared.slot(question):
        order.append("question")
    with shared.slot(slices):
        order.append("slices")
    run.join(PATIENCE)
    assert order == ["question", "page", "slices"]
    with shared.slot(shared.enqueue()):  # nobody holds it any more, and who has left holds nothing
        assert not shared.waiting()


@pytest.mark.parametrize("later", [False, True])
def test_slice_before_a_picture_is_short_while_others_wait(shared, later):
    """Who waits for a picture has it after one more task.

    Where nobody does, the slice lets others go and is whole.
    """
    with shared.slot(shared.enqueue(deferred=later)):
        waiting = shared.enqueue(deferred=True)
        _, done = runner.compute(Toy(repeats=9, work=0), seconds=0)
        _, done = runner.compute(Toy(repeats=9, work=0), seconds=PATIENCE)
        shared.release(waiting)
    assert done == (1 if later else 2 / 9)


def test_run_that_nobody_waits_for_ends_before_the_next_task(shared, monkeypatch):
    """As Streamlit ends it where its page is closed, or has to run again; what is done stays in the
    cache.
    """

    def closed() -> None:
        if len(Piece.begun) == 2:
            raise SystemExit

    state = SafeSessionState(SessionState(), yield_callback=closed)
    run = SimpleNamespace(session_state=state, script_requests=None)
    monkeypatch.setattr(debounce, "get_script_run_ctx", lambda **_: run)
    with pytest.raises(SystemExit), debounce.page_run():
        runner.compute(Toy(repeats=5, work=0), seconds=PATIENCE)
    assert len(Piece.begun) == 2
    assert runner.compute(Toy(repeats=5, work=0), seconds=0)[1] == 2 / 5
    assert len(Piece.begun) == 2


def test_run_that_gives_way_ends_for_a_request_that_waits_for_it(shared, monkeypatch):
    """Streamlit keeps a request for the live part until its run has ended; it waits behind nobody
    who came later.
    """
    state = SafeSessionState(SessionState(), yield_callback=lambda: None)
    run = SimpleNamespace(session_state=state, script_requests=ScriptRequests())
    assert "script_requests" in ScriptRunContext.__dataclass_fields__
    monkeypatch.setattr(debounce, "get_script_run_ctx", lambda **_: run)
    with debounce.page_run():
        scheduler.demote()
        runner.compute(Toy(repeats=5, work=0), seconds=1e-9)
        first, second = shared.enqueue(), shared.enqueue()
        run.script_requests.request_rerun(RerunData(fragment_id="live"))
        leaves = threading.Timer(0.01, shared.release, [first])
        leaves.start()
        _, done = runner.compute(Toy(repeats=5, work=0), seconds=PATIENCE)
        assert first.started.done()
        assert not second.started.done()
    leaves.join(PATIENCE)
    shared.release(second)
    assert (done, len(Piece.begun)) == (1 / 5, 1)


def test_run_that_makes_way_for_another_of_its_page_leaves_it_its_place(shared):
    """Streamlit runs a page again in the thread of the run that ends for it."""
    first, order, asked = shared.enqueue(), [], threading.Event()

    def page() -> None:
        with suppress(KeyError), debounce.page_run():
            asked.wait(PATIENCE)
            raise KeyError  # as a rerun does
        with debounce.page_run():
            order.append("page")

    run = threading.Thread(target=page)
    run.start()
    while not shared.waiting():
        pass
    shared.release(first)
    questions = [shared.enqueue() for _ in range(2)]
    asked.set()
    with shared.slot(questions[0]):
        while len(shared.waiting()) < 2:
            pass
    with shared.slot(questions[1]):
        order.append("question")
    run.join(PATIENCE)
    assert order == ["page", "question"]


def test_slice_that_lets_others_go_first_is_given_up_meanwhile(shared):
    wanted = [True, False]

    def check_cancelled() -> None:
        if not wanted.pop(0):
            raise WorkCancelledError

    with shared.slot(shared.enqueue(deferred=True, check_cancelled=check_cancelled)):
        other = shared.enqueue()
        with pytest.raises(WorkCancelledError):
            scheduler.yield_slot()
    assert not shared.waiting()
    for turn in (other, shared.enqueue()):  # nobody else holds the place
        with shared.slot(turn):
            pass


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands, and is put forward by hand, with nobody at work."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(debounce, "_last_movements", type(debounce._last_movements)())
    return now


@pytest.mark.usefixtures("shared")
def test_the_server_is_at_work_until_a_run_has_ended_also_by_a_fault():
    with suppress(ZeroDivisionError), debounce.page_run(), debounce.page_run():
        assert debounce.is_busy()
        raise ZeroDivisionError
    assert not debounce.is_busy()
    with debounce.page_run():
        scheduler.demote()
        assert debounce.is_busy()
    assert not debounce.is_busy()


def test_pages_rest_longer_while_many_people_move(clock):
    """One person who drags moves often and counts once. People who stop or leave count no more."""
    desks = [threading.Event() for _ in range(debounce.MANY_PEOPLE)]
    for state in [*desks[1:], *desks[1:]]:
        debounce.record_activity(state)
    assert debounce.delay() == debounce.CALM_DELAY
    debounce.record_activity(desks[0])
    assert debounce.delay() == debounce.BUSY_DELAY
    clock[0] += debounce.RECENT_SECONDS
    assert debounce.delay() == debounce.CALM_DELAY
    for state in desks:
        debounce.record_activity(state)
    del state, desks[0]
    assert debounce.delay() == debounce.CALM_DELAY
