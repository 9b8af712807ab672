"""Requests get slots in a fair order, yield them, and are cancelled when nobody waits."""

import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace

import pytest
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState, SessionState

from dpcore.cache import CACHE
from tests.toy.page import Piece, Toy
from ui.compute import debounce, runner, scheduler
from ui.compute.scheduler import FairQueue, Ticket, WorkCancelledError

PATIENCE_SECONDS = 60


@pytest.fixture
def queue(monkeypatch):
    """The shared queue, with one slot."""
    monkeypatch.setattr(scheduler, "SHARED", FairQueue(1))
    CACHE.forget()
    Piece.begun.clear()
    yield scheduler.SHARED
    Piece.gate.set()


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait until a condition holds; fail if it takes too long."""
    end = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.001)


def start_thread(run: Callable[[], None]) -> threading.Thread:
    """Start a thread that runs a function, and return it."""
    thread = threading.Thread(target=run)
    thread.start()
    return thread


def script_run(check: Callable[[], None], requests: ScriptRequests | None = None):
    """Return a run of a live part that calls ``check`` where it reads its session state."""
    state = SafeSessionState(SessionState(), yield_callback=check)
    return SimpleNamespace(
        session_state=state, script_requests=requests, fragment_ids_this_run=["live"]
    )


def do_nothing() -> None:
    pass


class TestOrder:
    def test_the_longest_waiting_request_goes_first_whatever_its_kind(self, queue):
        order: list[str] = []
        running = queue.enqueue()
        deferred = queue.enqueue(deferred=True)
        request = queue.enqueue()

        def run_page() -> None:
            """Note in ``order`` that the page has a slot."""
            with debounce.page_run():
                order.append("page")

        page_thread = start_thread(run_page)
        wait_until(lambda: len(queue.waiting()) == 3)
        queue.release(running)
        for name, ticket in (("request", request), ("deferred", deferred)):
            with queue.slot(ticket):
                order.append(name)
        page_thread.join(PATIENCE_SECONDS)

        assert order == ["request", "page", "deferred"]

    def test_deferred_tickets_wait_behind_others(self, queue):
        queue.enqueue()
        deferred = queue.enqueue(deferred=True)
        request = queue.enqueue()

        assert queue.waiting() == [request, deferred]

    def test_a_released_ticket_neither_waits_nor_keeps_its_slot(self, queue):
        running = queue.enqueue()
        waiting = queue.enqueue()

        queue.release(waiting)
        queue.release(running)

        assert queue.waiting() == []
        with queue.slot(queue.enqueue()):
            assert queue.waiting() == []

    def test_a_run_that_makes_way_for_its_own_repetition_keeps_its_place(self, queue):
        """Streamlit runs a page again in the thread of the run that ends for it."""
        order: list[str] = []
        may_end = threading.Event()
        running = queue.enqueue()

        def run_page_twice() -> None:
            """Run the page, end it as a rerun does, and run it again in the same thread."""
            with suppress(KeyError), debounce.page_run():
                may_end.wait(PATIENCE_SECONDS)
                raise KeyError  # ends the run as a rerun does
            with debounce.page_run():
                order.append("page")

        page_thread = start_thread(run_page_twice)
        wait_until(queue.waiting)
        queue.release(running)
        first_request = queue.enqueue()
        second_request = queue.enqueue()
        may_end.set()
        with queue.slot(first_request):
            wait_until(lambda: len(queue.waiting()) == 2)
        with queue.slot(second_request):
            order.append("request")
        page_thread.join(PATIENCE_SECONDS)

        assert order == ["page", "request"]


class TestSlices:
    @pytest.mark.parametrize(
        ("deferred", "share_done"),
        [
            pytest.param(False, 2 / 9, id="somebody waits for a chart of the slice"),
            pytest.param(True, 1, id="nobody waits for the slice"),
        ],
    )
    def test_a_slice_ends_after_one_more_task_while_others_wait(self, queue, deferred, share_done):
        settings = Toy(repeats=9, work=0)

        with queue.slot(queue.enqueue(deferred=deferred)):
            waiting = queue.enqueue(deferred=True)
            runner.compute(settings, seconds=0)
            _, done = runner.compute(settings, seconds=PATIENCE_SECONDS)
            queue.release(waiting)

        assert done == share_done

    def test_a_run_that_nobody_waits_for_ends_before_its_next_task(self, queue, monkeypatch):
        """Streamlit ends it where its page is closed, or has to run again."""
        settings = Toy(repeats=5, work=0)

        def end_after_two_tasks() -> None:
            """End the run, as Streamlit does, once two tasks have begun."""
            if len(Piece.begun) == 2:
                raise SystemExit

        run = script_run(end_after_two_tasks)
        monkeypatch.setattr(debounce, "get_script_run_ctx", lambda **_: run)

        with pytest.raises(SystemExit), debounce.page_run():
            runner.compute(settings, seconds=PATIENCE_SECONDS)

        assert len(Piece.begun) == 2
        _, done = runner.compute(settings, seconds=0)
        assert done == 2 / 5  # from the cache
        assert len(Piece.begun) == 2

    def test_a_deferred_run_ends_for_a_request_of_its_own_session(self, queue, monkeypatch):
        """It waits behind nobody who came later, as Streamlit keeps the request until it ends."""
        assert "script_requests" in ScriptRunContext.__dataclass_fields__
        settings = Toy(repeats=5, work=0)
        run = script_run(do_nothing, ScriptRequests())
        monkeypatch.setattr(debounce, "get_script_run_ctx", lambda **_: run)

        with debounce.page_run():
            scheduler.demote()
            runner.compute(settings, seconds=1e-9)
            first = queue.enqueue()
            second = queue.enqueue()
            run.script_requests.request_rerun(RerunData(fragment_id="live"))
            release_first = threading.Timer(0.01, queue.release, [first])
            release_first.start()
            _, done = runner.compute(settings, seconds=PATIENCE_SECONDS)
            has_started = (first.started.done(), second.started.done())
        release_first.join(PATIENCE_SECONDS)
        queue.release(second)

        assert has_started == (True, False)
        assert done == 1 / 5
        assert len(Piece.begun) == 1

    def test_work_is_cancelled_while_it_lets_others_go_first(self, queue):
        answers = iter([True, False])

        def check_cancelled() -> None:
            """Let the work go on the first time, and cancel it the second time."""
            if not next(answers):
                raise WorkCancelledError

        with queue.slot(queue.enqueue(deferred=True, check_cancelled=check_cancelled)):
            waiting = queue.enqueue()
            with pytest.raises(WorkCancelledError):
                scheduler.yield_slot()

        assert_slot_is_free_after(queue, waiting)


def assert_slot_is_free_after(queue: FairQueue, waiting: Ticket) -> None:
    """Check that nobody is in line, and that ``waiting`` and then a new ticket get the slot."""
    assert queue.waiting() == []
    for ticket in (waiting, queue.enqueue()):
        with queue.slot(ticket):
            pass


@pytest.mark.usefixtures("queue")
class TestBusy:
    def test_the_server_is_busy_until_a_nested_run_has_ended_by_a_fault(self):
        with suppress(ZeroDivisionError), debounce.page_run(), debounce.page_run():
            was_busy = debounce.is_busy()
            raise ZeroDivisionError

        assert was_busy
        assert not debounce.is_busy()

    def test_a_deferred_run_counts_as_work(self):
        with debounce.page_run():
            scheduler.demote()
            was_busy = debounce.is_busy()

        assert was_busy
        assert not debounce.is_busy()


class TestDelay:
    @pytest.fixture
    def clock(self, monkeypatch):
        """A clock that only the test puts forward, with nobody who has moved anything."""
        now = [100.0]
        monkeypatch.setattr(time, "monotonic", lambda: now[0])
        monkeypatch.setattr(debounce, "_last_movements", type(debounce._last_movements)())
        return now

    @pytest.fixture
    def people(self, clock):
        """As many people as make the server busy, each having moved something now."""
        people = [threading.Event() for _ in range(debounce.MANY_PEOPLE)]
        for person in people:
            debounce.record_activity(person)
        return people

    def test_the_delay_is_long_while_many_people_move_sliders(self, people):
        assert debounce.delay() == debounce.BUSY_DELAY

    def test_a_person_who_moves_often_counts_once_for_the_delay(self, clock):
        person = threading.Event()

        for _ in range(2 * debounce.MANY_PEOPLE):
            debounce.record_activity(person)

        assert debounce.delay() == debounce.CALM_DELAY

    def test_the_delay_is_short_again_when_people_have_stopped(self, clock, people):
        clock[0] += debounce.RECENT_SECONDS

        assert debounce.delay() == debounce.CALM_DELAY

    def test_the_delay_is_short_again_when_one_person_has_left(self, people):
        del people[0]

        assert debounce.delay() == debounce.CALM_DELAY
