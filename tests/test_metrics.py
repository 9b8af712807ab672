"""What the operator may know: figures behind a switch, not through a proxy, and nothing of a visitor."""

import asyncio
import math
from types import SimpleNamespace

import numpy as np
import pytest
from prometheus_client.parser import text_string_to_metric_families

from dpcore.cache import CACHE
from tests.app import opened, settings_of
from tests.asgi import ask, inside
from tests.test_channel import met, serving
from tests.toy.page import TOY
from ui import busy, metrics
from ui.live import channel
from ui.live.channel import Question, Visit


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
