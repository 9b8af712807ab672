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
    """Return a list whose only number is the time for rooms, in seconds, which a test may set."""
    return [time.time()]


@pytest.fixture
def rooms(tmp_path, clock) -> Classroom:
    """Return the rooms of a new file, which read their time from ``clock``."""
    return Classroom(tmp_path / "rooms.sqlite", now=lambda: clock[0])


def refusal_of(act, *values) -> RefusedError:
    """Return the refusal of a call, which must be refused."""
    with pytest.raises(RefusedError) as refusal:
        act(*values)
    return refusal.value


class TestGuesses:
    def test_guesses_are_shown_in_order_once_the_teacher_closes_the_question(self, rooms):
        code = rooms.open(QUESTION, TEACHER)
        for value in (80, 99, 60.5):
            rooms.guess(code, QUESTION, anonymous_id(), value)
        assert rooms.read_room(code).guesses == 3
        assert rooms.guesses(code).size == 0

        rooms.close(code, TEACHER)

        assert rooms.read_room(code).closed
        assert rooms.guesses(code).tolist() == [60.5, 80, 99]

    def test_a_visitor_has_one_guess_and_may_change_it(self, rooms):
        code = rooms.open(QUESTION, TEACHER)
        visitor = anonymous_id()
        rooms.guess(code, QUESTION, visitor, 10)

        rooms.guess(code, QUESTION, visitor, 60.5)

        rooms.close(code, TEACHER)
        assert rooms.guesses(code).tolist() == [60.5]

    @pytest.mark.parametrize(
        "value",
        [
            pytest.param(float("nan"), id="not a number"),
            pytest.param(float("inf"), id="infinite"),
            pytest.param("name", id="text"),
            pytest.param(True, id="boolean"),
            pytest.param(None, id="nothing"),
            pytest.param(1e13, id="too large"),
        ],
    )
    def test_a_guess_that_is_no_plausible_number_is_refused(self, rooms, value):
        code = rooms.open(QUESTION, TEACHER)

        with pytest.raises(RefusedError, match="guess"):
            rooms.guess(code, QUESTION, anonymous_id(), value)

    def test_a_closed_question_takes_no_guess(self, rooms):
        code = rooms.open(QUESTION, TEACHER)
        rooms.close(code, TEACHER)

        with pytest.raises(RefusedError, match="open"):
            rooms.guess(code, QUESTION, anonymous_id(), 30)

    def test_another_question_begins_without_guesses(self, rooms):
        code = rooms.open(QUESTION, TEACHER)
        rooms.guess(code, QUESTION, anonymous_id(), 30)
        rooms.close(code, TEACHER)

        rooms.ask(code, TEACHER, "lesson=clipping")

        assert rooms.read_room(code) == classroom.Room(
            code=code, question="lesson=clipping", round=2, closed=False, guesses=0
        )
        with pytest.raises(RefusedError, match="asks this"):
            rooms.guess(code, QUESTION, anonymous_id(), 2)

    @pytest.mark.parametrize("code", ["", "ZZZZZ", "' OR 1=1 --", "é" * 900])
    def test_there_is_no_room_with_an_invented_code(self, rooms, code):
        rooms.open(QUESTION, TEACHER)

        assert rooms.read_room(code) is None
        assert rooms.guesses(code).size == 0
        with pytest.raises(RefusedError, match="room"):
            rooms.guess(code, QUESTION, anonymous_id(), 1)


class TestEndOfARoom:
    def test_a_room_stays_for_an_hour_after_its_last_visit(self, rooms, clock):
        code = rooms.open(QUESTION, TEACHER)
        rooms.guess(code, QUESTION, anonymous_id(), 12345.678)
        rooms.close(code, TEACHER)

        clock[0] += LASTS - 1

        assert rooms.guesses(code).tolist() == [12345.678]

    def test_nobody_can_read_a_room_that_has_ended(self, rooms, clock):
        code = rooms.open(QUESTION, TEACHER)
        rooms.guess(code, QUESTION, anonymous_id(), 1)
        rooms.close(code, TEACHER)

        clock[0] += LASTS + 1

        assert rooms.read_room(code) is None
        assert rooms.guesses(code).size == 0
        assert not rooms.is_teacher(code, TEACHER)

    def test_nothing_of_a_room_that_has_ended_stays_in_the_file(self, rooms, tmp_path, clock):
        rooms.open("lesson=forgotten", TEACHER)
        clock[0] += LASTS + 1

        rooms.open(QUESTION, TEACHER)
        rooms._db.close()  # the last to leave folds the log into the file

        content = b"".join(file.read_bytes() for file in tmp_path.iterdir())
        assert b"lesson=forgotten" not in content

    def test_few_visits_of_a_room_are_written_to_the_file(self, rooms, clock):
        code = rooms.open(QUESTION, TEACHER)
        queries = []
        rooms._db.set_trace_callback(queries.append)

        for _ in range(180):
            clock[0] += NOTED / 2 + 1
            assert rooms.read_room(code) is not None

        assert sum("UPDATE" in query for query in queries) == 90


class TestLimits:
    def test_no_room_gives_way_to_another(self, rooms, monkeypatch):
        monkeypatch.setattr(classroom, "MOST_ROOMS", 2)
        codes = [rooms.open(QUESTION, anonymous_id()) for _ in range(2)]

        refusal = refusal_of(rooms.open, QUESTION, anonymous_id())

        assert refusal.name == "rooms"
        assert None not in [rooms.read_room(code) for code in codes]

    def test_a_room_that_is_gone_makes_place_for_another(self, rooms, clock, monkeypatch):
        monkeypatch.setattr(classroom, "MOST_ROOMS", 2)
        visited = rooms.open(QUESTION, TEACHER)
        left = rooms.open(QUESTION, anonymous_id())
        clock[0] += LASTS - 10
        rooms.read_room(visited)
        clock[0] += 11

        rooms.open(QUESTION, anonymous_id())

        assert rooms.read_room(visited) is not None
        assert rooms.read_room(left) is None

    def test_a_browser_that_opens_too_many_rooms_is_told_which_ones_it_teaches(self, rooms):
        codes = [rooms.open(QUESTION, TEACHER) for _ in range(MOST_OWN)]

        refusal = refusal_of(rooms.open, QUESTION, TEACHER)

        assert refusal.name == "own"
        assert set(refusal.value.split(", ")) == set(codes)

    def test_a_room_takes_no_more_guesses_than_its_limit(self, rooms, monkeypatch):
        monkeypatch.setattr(classroom, "MOST_GUESSES", 3)
        code = rooms.open(QUESTION, TEACHER)
        for cookie in ("one", "two", "three", "three"):
            rooms.guess(code, QUESTION, browser_id(cookie), 1)

        refusal = refusal_of(rooms.guess, code, QUESTION, browser_id("four"), 1)

        assert refusal.name == "guesses"

    def test_a_question_is_short(self, rooms):
        question = "x" * (classroom.LONGEST + 1)

        assert refusal_of(rooms.open, question, TEACHER).name == "question"


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
        partial(rooms.read_room, code),
        partial(rooms.guess, code, QUESTION, TEACHER, 1),
        partial(rooms.close, code, TEACHER),
        partial(rooms.guesses, code),
    ):
        with pytest.raises(RefusedError) as refusal:
            act()
        assert refusal.value.name == "file"


def output_of(program: str, rooms: str) -> str:
    """Return what a program prints in another process, with this file of rooms."""
    env = os.environ | {"LAB_ROOMS": rooms}
    output = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, env=env, text=True)
    return output.strip()


def test_a_thousand_guesses_at_once_take_little_room(tmp_path, rooms):
    code = rooms.open(QUESTION, TEACHER)
    values = np.linspace(0, 100, 1000)

    def guess(value: float) -> None:
        rooms.guess(code, QUESTION, browser_id(str(value)), value)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(guess, values))

    assert sum(file.stat().st_size for file in tmp_path.iterdir()) <= 10**6
    rooms.close(code, TEACHER)
    assert np.array_equal(rooms.guesses(code), values)


def test_another_server_sees_guesses_and_closes_the_question(tmp_path, rooms):
    code = rooms.open(QUESTION, TEACHER)
    rooms.guess(code, QUESTION, anonymous_id(), 1)
    program = (
        "from ui.classroom.rooms import classroom\n"
        f"print(classroom().read_room({code!r}).guesses)\nclassroom().close({code!r}, {TEACHER})"
    )

    assert output_of(program, str(tmp_path / "rooms.sqlite")) == "1"

    assert rooms.read_room(code).closed


def test_without_a_named_file_rooms_end_with_the_process():
    program = (
        "from ui.classroom import rooms\nrooms.classroom().open('x', 1)\n"
        "print(rooms._folder().name)"
    )

    assert not Path(output_of(program, "")).exists()


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
