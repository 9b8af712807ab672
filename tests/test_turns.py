"""Whose turn it is and how long people wait: who waits longest goes first; work that nobody waits for is given up."""

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
from ui import busy, compute, debounce, turns
from ui.turns import GivenUpError, Turns

PATIENCE = 60


@pytest.fixture
def shared(monkeypatch):
    monkeypatch.setattr(turns, "SHARED", Turns(1))
    CACHE.forget()
    Piece.begun.clear()
    yield turns.SHARED
    Piece.gate.set()


def test_longest_waiting_goes_first_across_kinds_of_request(shared):
    first = shared.join()
    slices, question, gone = shared.join(later=True), shared.join(), shared.join()
    order: list[str] = []

    def page() -> None:
        with debounce.working():
            order.append("page")

    run = threading.Thread(target=page)
    run.start()
    while len(shared.waiting()) < 4:
        pass
    shared.leave(gone)
    assert [turn is one for turn, one in zip(shared.waiting()[::2], (question, slices), strict=True)] == [True, True]
    shared.leave(first)
    with shared.at_work(question):
        order.append("question")
    with shared.at_work(slices):
        order.append("slices")
    run.join(PATIENCE)
    assert order == ["question", "page", "slices"]
    with shared.at_work(shared.join()):  # nobody holds it any more, and who has left holds nothing
        assert not shared.waiting()


@pytest.mark.parametrize("later", [False, True])
def test_slice_before_a_picture_is_short_while_others_wait(shared, later):
    """Who waits for a picture has it after one more task. Where nobody does, the slice lets others go and is whole."""
    with shared.at_work(shared.join(later=later)):
        waiting = shared.join(later=True)
        _, done = compute.compute(Toy(repeats=9, work=0), seconds=0)
        _, done = compute.compute(Toy(repeats=9, work=0), seconds=PATIENCE)
        shared.leave(waiting)
    assert done == (1 if later else 2 / 9)


def test_run_that_nobody_waits_for_ends_before_the_next_task(shared, monkeypatch):
    """As Streamlit ends it where its page is closed, or has to run again; what is done stays in the cache."""

    def closed() -> None:
        if len(Piece.begun) == 2:
            raise SystemExit

    state = SafeSessionState(SessionState(), yield_callback=closed)
    run = SimpleNamespace(session_state=state, script_requests=None)
    monkeypatch.setattr(debounce, "get_script_run_ctx", lambda **_: run)
    with pytest.raises(SystemExit), debounce.working():
        compute.compute(Toy(repeats=5, work=0), seconds=PATIENCE)
    assert len(Piece.begun) == 2
    assert compute.compute(Toy(repeats=5, work=0), seconds=0)[1] == 2 / 5
    assert len(Piece.begun) == 2


def test_run_that_gives_way_ends_for_a_request_that_waits_for_it(shared, monkeypatch):
    """Streamlit keeps a request for the live part until its run has ended; it waits behind nobody who came later."""
    state = SafeSessionState(SessionState(), yield_callback=lambda: None)
    run = SimpleNamespace(session_state=state, script_requests=ScriptRequests())
    assert "script_requests" in ScriptRunContext.__dataclass_fields__
    monkeypatch.setattr(debounce, "get_script_run_ctx", lambda **_: run)
    with debounce.working():
        debounce.later()
        compute.compute(Toy(repeats=5, work=0), seconds=1e-9)
        first, second = shared.join(), shared.join()
        run.script_requests.request_rerun(RerunData(fragment_id="live"))
        leaves = threading.Timer(0.01, shared.leave, [first])
        leaves.start()
        _, done = compute.compute(Toy(repeats=5, work=0), seconds=PATIENCE)
        assert first.came.done()
        assert not second.came.done()
    leaves.join(PATIENCE)
    shared.leave(second)
    assert (done, len(Piece.begun)) == (1 / 5, 1)


def test_run_that_makes_way_for_another_of_its_page_leaves_it_its_place(shared):
    """Streamlit runs a page again in the thread of the run that ends for it."""
    first, order, asked = shared.join(), [], threading.Event()

    def page() -> None:
        with suppress(KeyError), debounce.working():
            asked.wait(PATIENCE)
            raise KeyError  # as a rerun does
        with debounce.working():
            order.append("page")

    run = threading.Thread(target=page)
    run.start()
    while not shared.waiting():
        pass
    shared.leave(first)
    questions = [shared.join() for _ in range(2)]
    asked.set()
    with shared.at_work(questions[0]):
        while len(shared.waiting()) < 2:
            pass
    with shared.at_work(questions[1]):
        order.append("question")
    run.join(PATIENCE)
    assert order == ["page", "question"]


def test_slice_that_lets_others_go_first_is_given_up_meanwhile(shared):
    wanted = [True, False]

    def heed() -> None:
        if not wanted.pop(0):
            raise GivenUpError

    with shared.at_work(shared.join(later=True, heed=heed)):
        other = shared.join()
        with pytest.raises(GivenUpError):
            turns.pause()
    assert not shared.waiting()
    for turn in (other, shared.join()):  # nobody else holds the place
        with shared.at_work(turn):
            pass


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands, and is put forward by hand, with nobody at work."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(debounce, "_moved", type(debounce._moved)())
    for module, name in ((busy, "QUESTIONS"), (busy, "RUNS"), (debounce, "RUNS")):
        monkeypatch.setattr(module, name, busy.Line(1))
    return now


def test_wait_counts_while_it_lasts_and_a_little_longer_and_p95_is_of_both_lines(clock):
    """What is remembered is bounded, and the wait expected follows the newest work."""
    line = busy.Line(2)
    first, second = line.joins(), line.joins()
    clock[0] += 2
    line.leaves(first, served=True)
    assert sorted(line.waits()) == [2, 2]
    assert (line.waiting, line.served) == (1, 1)
    line.leaves(second, served=False)
    assert line.waits() == [2]
    clock[0] += busy.LATELY
    assert line.waits() == []
    for seconds in (0.5, 1.5):
        line.took(seconds)
    assert line.expected(6) == 3.0
    for _ in range(5000):
        line.leaves(line.joins(), served=True)
        line.took(0.1)
    assert line.expected(6) == pytest.approx(0.3)
    assert len(line.waits()) < 2000
    assert line.served == 5001
    assert busy.p95() == 0
    numbers = [busy.QUESTIONS.joins() for _ in range(99)]
    clock[0] += 1
    for number in numbers:
        busy.QUESTIONS.leaves(number, served=True)
    busy.RUNS.joins()
    clock[0] += 5
    assert busy.p95() == 1
    for _ in range(20):
        busy.RUNS.joins()
    clock[0] += 4
    assert busy.p95() > 3


def test_run_counts_once_and_one_that_gives_way_keeps_nobody_waiting(clock):
    runs = debounce.RUNS
    with suppress(ZeroDivisionError), debounce.working(), debounce.working():
        assert (debounce.at_work(), runs.waiting) == (True, 1)
        time.sleep(0.2)
        clock[0] += 1
        raise ZeroDivisionError
    assert not debounce.at_work()
    assert (runs.waiting, runs.served, runs.waits()) == (0, 1, [1])
    assert runs.expected(1) < 0.1
    with debounce.working():
        debounce.later()
        debounce.later()
        clock[0] += 30
        assert (debounce.at_work(), runs.waiting, runs.served) == (True, 0, 2)
    assert not debounce.at_work()
    assert (runs.waiting, runs.waits()) == (0, [])
    with debounce.working():
        assert runs.waiting == 1


def test_pages_rest_longer_while_many_people_move(clock):
    """One person who drags moves often and counts once. People who stop or leave count no more."""
    desks = [threading.Event() for _ in range(debounce.MANY)]
    for desk in [*desks[1:], *desks[1:]]:
        debounce.moves(desk)
    assert debounce.rest() == debounce.CALM
    debounce.moves(desks[0])
    assert debounce.rest() == debounce.BUSY
    clock[0] += debounce.LATELY
    assert debounce.rest() == debounce.CALM
    for desk in desks:
        debounce.moves(desk)
    del desk, desks[0]
    assert debounce.rest() == debounce.CALM
