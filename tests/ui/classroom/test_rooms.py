"""Rooms of a class: who may do what, what is forgotten, and that two servers see the same."""

import os
import sqlite3
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from dpcore.check import RefusedError
from ui.classroom import rooms as classroom
from ui.classroom.rooms import LASTS, MOST_OWN, NOTED, Classroom, anonymous_id, browser_id

ROOT = Path(__file__).parents[3]
QUESTION = "lesson=epsilon"
TEACHER = browser_id("a teacher's cookie")


@pytest.fixture
def clock() -> list[float]:
    return [time.time()]


@pytest.fixture
def rooms(tmp_path, clock) -> Classroom:
    return Classroom(tmp_path / "rooms.sqlite", now=lambda: clock[0])


def test_guesses_are_shown_once_the_teacher_closes_and_one_per_visitor(rooms):
    code, me = rooms.open(QUESTION, TEACHER), anonymous_id()
    for value in (float("nan"), float("inf"), "name", True, None, 1e13):
        with pytest.raises(RefusedError, match="guess"):
            rooms.guess(code, QUESTION, me, value)
    for who, value in ((anonymous_id(), 80), (me, 10), (anonymous_id(), 99), (me, 60.5)):
        rooms.guess(code, QUESTION, who, value)
    assert (
        rooms.read_room(code).guesses,
        rooms.read_room(code).closed,
        rooms.guesses(code).size,
    ) == (
        3,
        False,
        0,
    )
    rooms.close(code, TEACHER)
    assert rooms.read_room(code).closed
    with pytest.raises(RefusedError, match="open"):
        rooms.guess(code, QUESTION, me, 30)
    assert rooms.guesses(code).tolist() == [60.5, 80, 99]
    rooms.ask(code, TEACHER, "lesson=clipping")
    assert rooms.read_room(code) == classroom.Room(
        code=code, question="lesson=clipping", round=2, closed=False, guesses=0
    )
    with pytest.raises(RefusedError, match="asks this"):
        rooms.guess(code, QUESTION, anonymous_id(), 2)
    for other in ("", "ZZZZZ", "' OR 1=1 --", "é" * 900):
        assert rooms.read_room(other) is None
        assert rooms.guesses(other).size == 0
        with pytest.raises(RefusedError, match="room"):
            rooms.guess(other, QUESTION, anonymous_id(), 1)


def test_room_is_gone_an_hour_after_its_last_visit_and_few_are_written(rooms, tmp_path, clock):
    code, writes = rooms.open("lesson=forgotten", TEACHER), []
    rooms._db.set_trace_callback(lambda query: writes.append(query) if "UPDATE" in query else None)
    for _ in range(180):
        clock[0] += NOTED / 2 + 1
        assert rooms.read_room(code) is not None
    assert len(writes) == 90
    rooms.guess(code, "lesson=forgotten", anonymous_id(), 12345.678)
    rooms.close(code, TEACHER)
    clock[0] += LASTS - 1
    assert rooms.guesses(code).tolist() == [12345.678]
    clock[0] += 2
    assert rooms.read_room(code) is None
    assert rooms.guesses(code).size == 0
    assert not rooms.is_teacher(code, TEACHER)
    rooms.open(QUESTION, TEACHER)
    rooms._db.close()  # the last to leave folds the log into the file
    assert b"lesson=forgotten" not in b"".join(one.read_bytes() for one in tmp_path.iterdir())


def test_rooms_and_guesses_are_limited_and_no_room_with_a_visitor_ends_for_another(
    rooms, clock, monkeypatch
):
    def refused(name: str, act, *values) -> str:
        with pytest.raises(RefusedError) as told:
            act(*values)
        assert told.value.name == name
        return told.value.value

    with monkeypatch.context() as patch:
        patch.setattr(classroom, "MOST_ROOMS", 2)
        kept, left = rooms.open(QUESTION, TEACHER), rooms.open(QUESTION, anonymous_id())
        for code in (kept, left):
            rooms.enter(code, anonymous_id())
        refused("rooms", rooms.open, QUESTION, anonymous_id())
        assert rooms.read_room(left) is not None
        clock[0] += LASTS - 10
        rooms.read_room(kept)
        clock[0] += 11
        rooms.open(QUESTION, anonymous_id())
        assert (rooms.read_room(kept) is not None, rooms.read_room(left)) == (True, None)
    own = [kept, *(rooms.open(QUESTION, TEACHER) for _ in range(MOST_OWN - 1))]
    assert set(refused("own", rooms.open, QUESTION, TEACHER).split(", ")) == set(own)
    monkeypatch.setattr(classroom, "MOST_GUESSES", 3)
    monkeypatch.setattr(classroom, "MOST_NAMELESS", 2)
    code = rooms.open(QUESTION, browser_id("another"))
    nameless, pupil = anonymous_id(), browser_id("a pupil's cookie")
    for who in (nameless, anonymous_id(), nameless):
        rooms.guess(code, QUESTION, who, 1)
    refused("nameless", rooms.guess, code, QUESTION, anonymous_id(), 1)
    for value in (1, 2):
        rooms.guess(code, QUESTION, pupil, value)
    refused("guesses", rooms.guess, code, QUESTION, browser_id("another"), 1)
    refused("question", rooms.open, "x" * (classroom.LONGEST + 1), TEACHER)


def test_room_that_only_its_teacher_has_visited_gives_way_when_all_are_in_use(
    rooms, clock, monkeypatch
):
    monkeypatch.setattr(classroom, "MOST_ROOMS", 3)
    joined = rooms.open(QUESTION, TEACHER)
    rooms.enter(joined, anonymous_id())
    empty = []
    for _ in range(2):
        clock[0] += 1
        code = rooms.open(QUESTION, anonymous_id())
        empty.append(code)
    rooms.enter(empty[0], TEACHER)
    alone = rooms.open(QUESTION, TEACHER)
    rooms.enter(alone, TEACHER)
    assert rooms.read_room(empty[1]) is None
    assert None not in (rooms.read_room(joined), rooms.read_room(empty[0]), rooms.read_room(alone))

    latest = rooms.open(QUESTION, anonymous_id())
    assert rooms.read_room(alone) is None, "who teaches is no second visitor"
    assert None not in (rooms.read_room(joined), rooms.read_room(latest))


def test_file_of_another_version_begins_anew(tmp_path):
    with sqlite3.connect(file := tmp_path / "rooms.sqlite") as old:
        old.execute("CREATE TABLE rooms (code VARCHAR PRIMARY KEY)")
        old.execute("INSERT INTO rooms VALUES ('BCDFG')")
    old.close()
    rooms = Classroom(file)
    assert rooms.read_room("BCDFG") is None
    assert rooms.read_room(rooms.open(QUESTION, TEACHER)) is not None


def test_processes_that_share_the_file_share_the_key_of_cookies(tmp_path):
    one, other = (Classroom(tmp_path / "rooms.sqlite") for _ in range(2))
    assert one.cookie_key == other.cookie_key
    assert Classroom(tmp_path / "another.sqlite").cookie_key != one.cookie_key


def test_file_that_cannot_be_used_is_refused_by_name(rooms):
    code = rooms.open(QUESTION, TEACHER)
    rooms._db.close()
    for act in (
        partial(rooms.open, QUESTION, TEACHER),
        partial(rooms.enter, code, TEACHER),
        partial(rooms.guess, code, QUESTION, TEACHER, 1),
        partial(rooms.close, code, TEACHER),
        partial(rooms.guesses, code),
    ):
        with pytest.raises(RefusedError) as refusal:
            act()
        assert refusal.value.name == "file"


def ran(program: str, rooms: str) -> str:
    env = os.environ | {"LAB_ROOMS": rooms}
    return subprocess.check_output(
        [sys.executable, "-c", program], cwd=ROOT, env=env, text=True
    ).strip()


def test_thousand_guesses_are_small_and_seen_by_another_server(tmp_path, rooms):
    code, values, file = (
        rooms.open(QUESTION, TEACHER),
        np.linspace(0, 100, 1000),
        tmp_path / "rooms.sqlite",
    )
    with ThreadPoolExecutor(20) as pool:
        list(
            pool.map(
                lambda value: rooms.guess(code, QUESTION, browser_id(str(value)), value), values
            )
        )
    assert sum(one.stat().st_size for one in tmp_path.iterdir()) <= 10**6
    program = (
        "from ui.classroom import rooms as room\nrooms = room.classroom()\n"
        f"print(rooms.read_room({code!r}).guesses)\nrooms.close({code!r}, {TEACHER})"
    )
    assert ran(program, str(file)) == "1000"
    assert np.array_equal(rooms.guesses(code), values)
    assert rooms.read_room(code).closed
    program = (
        "from ui.classroom import rooms\nrooms.classroom().open('x', 1)\n"
        "print(rooms._folder().name)"
    )
    assert not Path(ran(program, "")).exists(), "without a named file rooms end with the process"


def test_a_browser_without_a_cookie_has_a_random_number_below_0():
    assert 0 > anonymous_id() != anonymous_id()


def test_the_number_of_a_browser_follows_from_its_cookie():
    assert browser_id("one") == browser_id("one") != browser_id("two")
    assert 0 <= browser_id("one") < 2**62


@pytest.mark.parametrize(
    "stranger",
    [
        pytest.param(browser_id("a phone's cookie"), id="teacher of another room"),
        pytest.param(browser_id(""), id="empty cookie"),
        pytest.param(-5, id="no cookie"),
    ],
)
def test_only_the_teacher_of_a_room_closes_it_and_asks_in_it(rooms, stranger):
    code = rooms.open(QUESTION, TEACHER)
    rooms.open(QUESTION, browser_id("a phone's cookie"))

    for act in (rooms.close, partial(rooms.ask, question="lesson=clipping")):
        with pytest.raises(RefusedError, match="teach"):
            act(code, stranger)

    assert not rooms.is_teacher(code, stranger)
    assert not rooms.read_room(code).closed
    assert rooms.is_teacher(code, TEACHER)
