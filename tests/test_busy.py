"""Waiting times are measured, and pages rest longer while many people move knobs."""

import threading
import time

import pytest

from ui import busy, debounce


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands, and is put forward by hand, with nobody at work."""
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    monkeypatch.setattr(debounce, "_moved", type(debounce._moved)())
    for module, name in ((busy, "QUESTIONS"), (busy, "RUNS"), (debounce, "RUNS")):
        monkeypatch.setattr(module, name, busy.Line(1))
    return now


def test_wait_counts_while_it_lasts_and_for_some_seconds_after(clock):
    line = busy.Line(1)
    first, second = line.joins(), line.joins()
    clock[0] += 2
    line.leaves(first, served=True)
    assert sorted(line.waits()) == [2, 2]
    assert (line.waiting, line.served) == (1, 1)
    line.leaves(second, served=False)
    assert line.waits() == [2]
    clock[0] += busy.LATELY
    assert line.waits() == []


def test_p95_is_that_of_both_lines(clock):
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


def test_run_of_a_page_counts_once_also_where_it_fails(clock):
    @debounce.working()
    @debounce.working()
    def fails() -> None:
        assert debounce.at_work()
        assert debounce.RUNS.waiting == 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert not debounce.at_work()
    runs = debounce.RUNS
    assert (runs.waiting, runs.served, len(runs.waits())) == (0, 1, 1)


def test_nobody_waits_for_a_run_that_gives_way(clock):
    """Its picture stands: what it waits for until it ends keeps nobody at the door."""
    runs = debounce.RUNS
    with debounce.working():
        debounce.later()
        debounce.later()
        clock[0] += 30
        assert debounce.at_work()
        assert (runs.waiting, runs.served) == (0, 1)
    assert not debounce.at_work()
    assert (runs.waiting, runs.waits()) == (0, [])
    with debounce.working():
        assert runs.waiting == 1


def test_run_costs_its_own_processor_time(clock):
    with debounce.working():
        time.sleep(0.2)
        clock[0] += 1
    assert debounce.RUNS.expected(1) < 0.1
    assert debounce.RUNS.waits() == [1]


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


def test_expected_wait_follows_the_newest_work_and_memory_is_bounded(clock):
    line = busy.Line(2)
    for seconds in (0.5, 1.5):
        line.took(seconds)
    assert line.expected(6) == 3.0
    for _ in range(5000):
        line.leaves(line.joins(), served=True)
        line.took(0.1)
    assert line.expected(6) == pytest.approx(0.3)
    assert len(line.waits()) < 2000
    assert line.served == 5000
