"""What the server tells of itself, and who goes first."""

import asyncio
import math
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families
from streamlit.runtime.scriptrunner_utils.script_requests import RerunData, ScriptRequests
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.state import SafeSessionState, SessionState

from dpcore.cache import CACHE
from tests.app import opened, settings_of
from tests.asgi import ask, inside
from tests.test_channel import met, serving
from tests.toy.page import TOY, Piece, Toy
from ui import busy, compute, debounce, metrics, turns
from ui.live import channel
from ui.live.channel import Question, Visit
from ui.turns import GivenUpError, Turns


def answer(path: str = "/metrics", **headers: str) -> tuple[int, str]:
    status, _, body = ask(metrics.Watch(inside), path, **headers)
    return status, body.decode()


@pytest.fixture(autouse=True)
def on(monkeypatch) -> None:
    monkeypatch.setenv("LAB_METRICS", "1")
    monkeypatch.setattr(busy, "PAGES", {object()})


def figures() -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(answer()[1])
    return {(one.name, *one.labels.values()): one.value for family in families for one in family.samples}


def test_direct_requests_get_the_figures_once_they_are_switched_on(monkeypatch):
    for said in ("", "0", " 0 "):
        monkeypatch.setenv("LAB_METRICS", said)
        assert answer("/metrics") == answer("/metrics/") == (404, "Not Found")
    monkeypatch.setenv("LAB_METRICS", "perhaps")
    with pytest.raises(ValueError, match="LAB_METRICS is 'perhaps', but must be"):
        metrics.Watch(inside)
    monkeypatch.setenv("LAB_METRICS", "1")
    for path in ("/metrics", "/metrics/"):
        status, text = answer(path)
        assert status == 200
        assert "# TYPE lab_wait_seconds histogram" in text
    for path in ("/", "/classifier", "/_stcore/health", "/metrics/x"):
        assert answer(path) == (200, "inside")
    proxied = [{name: "192.0.2.7"} for name in ("x_forwarded_for", "forwarded", "via")]
    assert [answer(**headers)[0] for headers in proxied] == [404] * 3
    monkeypatch.setenv("LAB_METRICS", "public")
    assert [answer(**headers)[0] for headers in proxied] == [200] * 3
    monkeypatch.setattr(metrics.st, "get_option", {"server.baseUrlPath": "/lab/"}.get)
    assert "lab_wait_seconds" in answer("/lab/metrics")[1]
    assert answer("/metrics") == (200, "inside")


def test_who_is_here_who_waits_and_what_is_remembered(monkeypatch):
    monkeypatch.setattr(busy, "at_the_door", 3)
    CACHE.forget()
    before, numbers = figures(), [busy.RUNS.joins() for _ in range(2)]
    CACHE.answer("a question", lambda: bytes(10**6))
    seen = figures()
    for number in numbers:
        busy.RUNS.leaves(number, served=False)
    CACHE.forget()
    assert [seen["lab_visitors",], seen["lab_waiting", "door"], seen["lab_waiting", "run"]] == [1, 3, 2]
    assert figures()["lab_waiting", "run"] == 0
    assert [one["lab_cache_answers",] for one in (before, seen)] == [0, 1]
    assert before["lab_cache_bytes",] == 0
    assert 10**6 < seen["lab_cache_bytes",] < 1.01 * 10**6


def test_movement_is_counted_once_and_so_is_its_wait():
    """Stops ahead are no movements, and what only the page can answer has no wait. All labels are known beforehand."""

    async def moves(server) -> None:
        client = await met(server)
        client.ask(("epsilon", 1.23456), ("nothing", "Ada Lovelace"), link={"seed": "4711"})
        await client.heard()
        client.ask(ahead=[2, 3], name="epsilon")
        for _ in range(2):
            await client.hear()
        client.ask(("epsilon", 1), link={"dataset": "own"})
        assert (await client.hear())["ordinary"]

    before = figures()
    with serving() as server:
        asyncio.run(moves(server))
    after = figures()
    assert after["lab_moves_total", "channel"] == before["lab_moves_total", "channel"] + 2
    assert after["lab_wait_seconds_count", "channel"] == before["lab_wait_seconds_count", "channel"] + 1
    waited = after["lab_wait_seconds_sum", "channel"] - before["lab_wait_seconds_sum", "channel"]
    assert 0 < waited < 60
    names = {"lab_visitors", "lab_waiting", "lab_cache_bytes", "lab_cache_answers", "lab_threads"}
    for name, *labels in after:
        assert name.startswith(("lab_moves_", "lab_wait_seconds_", "process_")) or name in names
        assert set(labels) <= {"channel", "run", "door", *map(str, metrics.BOUNDS), "+Inf"}


def test_runs_of_a_live_part_are_timed_and_what_they_move_is_counted():
    """But for what the channel was asked before: then the panel wants the page around it, too."""
    app, before = opened("mechanisms"), figures()
    for seq, (rested, more) in enumerate([(False, 1), (True, 1), (False, 2)], 1):
        sent = {"name": "epsilon", "value": 2.0 + seq, "seq": seq, "final": True, "tick": False, "page": rested}
        app.session_state["mechanisms.knobs"] = {"movement": sent}
        app.run()
        assert not app.exception
        assert settings_of(app, "mechanisms").epsilon == 2.0 + seq
        assert figures()["lab_moves_total", "run"] == before["lab_moves_total", "run"] + more
    assert figures()["lab_wait_seconds_count", "run"] >= before["lab_wait_seconds_count", "run"] + 3


def test_log_line_covers_the_time_since_the_last(monkeypatch):
    minutes = metrics.Minutes()
    for wait in (0.2,) * 18 + (3.0,) * 2:
        metrics.MOVED.inc()
        metrics.WAITED.observe(wait)
    metrics.RAN.inc(10)
    assert "pages 1, moves/s 0.5, p50 <= 0.25 s, p95 <= 5 s, cache " in minutes.line(60.0)
    assert "pages 1, moves/s 0, cache " in minutes.line(60.0)
    monkeypatch.setattr(busy, "PAGES", set())
    assert minutes.line(60.0) is None
    counts = {0.1: 5, 1.0: 9, math.inf: 10}
    assert [metrics.at_most(counts, share) for share in (0.5, 0.9, 0.95)] == ["<= 0.1", "<= 1", "> 1"]


@pytest.mark.parametrize(("said", "here", "lines"), [("1", True, True), ("1", False, False), ("0", True, False)])
def test_the_log_has_a_line_a_minute_where_it_is_wanted_and_somebody_is_here(monkeypatch, caplog, said, here, lines):
    monkeypatch.setenv("LAB_METRICS", said)
    monkeypatch.setattr(metrics, "MINUTE", 0.02)

    async def while_it_runs():
        async with metrics.log():
            await asyncio.sleep(0.1)

    monkeypatch.setattr(busy, "PAGES", {object()} if here else set())
    asyncio.run(while_it_runs())
    found = [one.getMessage() for one in caplog.records if one.name == "lab"]
    assert bool(found) == lines
    assert all(line.startswith("port ") and "pages 1" in line for line in found)


def test_who_moves_on_before_the_answer_waits_from_the_first_movement(monkeypatch):
    monkeypatch.setattr(channel, "time", SimpleNamespace(monotonic=lambda: 100.0))
    visit, (first, second, third, ahead) = Visit(None, {}, None), [Question({}, TOY, {}) for _ in range(4)]
    visit._unanswered += [(first, 99.7), (second, 99.8), (third, 99.9)]
    waited = [figures()["lab_wait_seconds_sum", "channel"]]
    for answered in (ahead, second, second, third, third):  # and a later slice of each
        visit._counted(answered, object())
        waited.append(figures()["lab_wait_seconds_sum", "channel"])
    assert np.diff(waited) == pytest.approx([0, 0.3, 0, 0.1, 0])


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
