"""What is said of waiting is what was measured."""

import time

import pytest

from ui import busy, debounce


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands, and is put forward by hand."""
    now = [100.0]
    monkeypatch.setattr(busy.time, "monotonic", lambda: now[0])
    return now


def test_a_wait_counts_while_it_lasts_and_for_some_seconds_after(clock):
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


def test_what_is_expected_follows_how_long_work_took():
    line = busy.Line(2)
    for seconds in (0.5, 1.5):
        line.took(seconds)
    assert line.expected(6) == 3.0
    for _ in range(1000):
        line.took(0.1)
    assert line.expected(6) == pytest.approx(0.3)


def test_what_is_remembered_of_a_long_day_is_little(clock):
    line = busy.Line(1)
    for _ in range(5000):
        line.leaves(line.joins(), served=True)
        line.took(1.0)
    assert len(line.waits()) < 2000
    assert line.served == 5000


def test_nineteen_in_twenty_wait_no_longer(clock, monkeypatch):
    monkeypatch.setattr(busy, "QUESTIONS", busy.Line(1))
    monkeypatch.setattr(busy, "RUNS", busy.Line(1))
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


def test_a_run_of_a_page_counts_once_and_also_where_it_fails(monkeypatch):
    runs = busy.Line(1)
    monkeypatch.setattr(debounce, "RUNS", runs)

    @debounce.working()
    @debounce.working()
    def fails() -> None:
        assert debounce.at_work()
        assert runs.waiting == 1
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fails()
    assert not debounce.at_work()
    assert (runs.waiting, runs.served, len(runs.waits())) == (0, 1, 1)


def test_what_a_run_costs_is_its_own_work_and_not_that_of_others(monkeypatch):
    runs = busy.Line(1)
    monkeypatch.setattr(debounce, "RUNS", runs)
    with debounce.working():
        time.sleep(0.2)
    assert runs.expected(1) < 0.1
    assert runs.waits()[0] >= 0.2
