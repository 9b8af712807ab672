"""What is said of waiting is what was measured; runs stand in line, and whoever comes first is first."""

import contextlib
import threading
import time

import pytest
from streamlit.runtime.scriptrunner import RerunData, RerunException

from ui import busy, pace


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
    line.leaves(first, begins=True)
    assert sorted(line.waits()) == [2, 2]
    assert (line.waiting, line.begun) == (1, 1)
    line.leaves(second, begins=False)
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
        line.leaves(line.joins(), begins=True)
        line.took(1.0)
    assert len(line.waits()) < 2000
    assert line.begun == 5000


def test_nineteen_in_twenty_wait_no_longer(clock, monkeypatch):
    monkeypatch.setattr(busy, "QUESTIONS", busy.Line(1))
    monkeypatch.setattr(busy, "RUNS", busy.Line(1))
    assert busy.p95() == 0
    numbers = [busy.QUESTIONS.joins() for _ in range(99)]
    clock[0] += 1
    for number in numbers:
        busy.QUESTIONS.leaves(number, begins=True)
    busy.RUNS.joins()
    clock[0] += 5
    assert busy.p95() == 1
    for _ in range(20):
        busy.RUNS.joins()
    clock[0] += 4
    assert busy.p95() > 3


def test_runs_begin_in_the_order_in_which_they_came():
    gate, begun = pace.Gate(1), []
    assert gate.enter(60)

    def run(place: int) -> None:
        assert gate.enter(60)
        begun.append(place)
        gate.leave()

    threads = [threading.Thread(target=run, args=(place,)) for place in range(20)]
    for place, thread in enumerate(threads):
        thread.start()
        while len(gate._line) <= place:
            time.sleep(0.001)
    gate.leave()
    for thread in threads:
        thread.join(60)
    assert begun == list(range(20))


def test_only_so_many_runs_are_at_work_at_once():
    gate, at_work, most = pace.Gate(3), [], []

    def run() -> None:
        assert gate.enter(60)
        at_work.append(None)
        most.append(len(at_work))
        time.sleep(0.01)
        at_work.pop()
        gate.leave()

    threads = [threading.Thread(target=run) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert max(most) == 3


def test_who_has_waited_for_too_long_goes_on_and_takes_nobodys_place():
    gate = pace.Gate(1)
    assert gate.enter(60)
    assert not gate.enter(0.01)
    gate.leave()
    assert gate.enter(0.01)
    assert not gate.enter(0.01)


def test_a_live_part_within_its_page_stands_in_no_second_line(monkeypatch):
    monkeypatch.setattr(pace, "_gate", pace.Gate(1))
    with pace.working(), pace.working():
        assert pace.at_work()
    assert not pace.at_work()
    assert pace._gate.enter(0.01)


def test_a_run_that_fails_gives_its_place_back(monkeypatch):
    monkeypatch.setattr(pace, "_gate", pace.Gate(1))
    for _ in range(3):
        with pytest.raises(ZeroDivisionError), pace.working():
            raise ZeroDivisionError
    assert pace._gate.enter(0.01)


def test_a_run_that_streamlit_begins_anew_is_the_next_but_not_for_ever(monkeypatch):
    """Or else who is asked for again while they wait would wait again."""
    gate = pace.Gate(1)
    monkeypatch.setattr(pace, "_gate", gate)
    ran = []

    def run(name: str, *, again: int = 0) -> None:
        for left in reversed(range(again + 1)):
            with contextlib.suppress(RerunException), pace.working():
                ran.append(name)
                while ran == ["first"] and len(gate._line) < 3:
                    time.sleep(0.001)
                if left:
                    raise RerunException(RerunData())

    threads = [threading.Thread(target=run, args=("first",), kwargs={"again": 2})]
    threads += [threading.Thread(target=run, args=(name,)) for name in ("second", "third", "fourth")]
    for place, thread in enumerate(threads):
        thread.start()
        while place and len(gate._line) < place:
            time.sleep(0.001)
        while not ran:
            time.sleep(0.001)
    for thread in threads:
        thread.join(60)
    assert ran == ["first", "second", "first", "third", "fourth", "first"]
