"""Rooms of a class: who may do what, what is forgotten, and that two servers see the same."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from dpcore.check import RefusedError
from ui import classroom
from ui.classroom import LASTS, Classroom, someone

QUESTION = "lesson=epsilon"


@pytest.fixture
def file(tmp_path) -> Path:
    return tmp_path / "rooms.sqlite"


@pytest.fixture
def rooms(file) -> Classroom:
    return Classroom(file)


def test_guesses_are_shown_to_all_once_the_teacher_closes_the_question(rooms):
    code, key = rooms.open(QUESTION)
    for value in (80, 60.5, 99):
        rooms.guess(code, QUESTION, someone(), value)
    assert rooms.look(code).guesses == 3
    assert not rooms.look(code).closed
    assert rooms.guesses(code).size == 0
    rooms.close(code, key)
    assert rooms.look(code).closed
    assert rooms.guesses(code).tolist() == [60.5, 80, 99]


def test_somebody_has_one_guess_and_may_change_it_until_it_is_closed(rooms):
    code, key = rooms.open(QUESTION)
    me = someone()
    rooms.guess(code, QUESTION, me, 10)
    rooms.guess(code, QUESTION, me, 20)
    rooms.close(code, key)
    with pytest.raises(RefusedError, match="open"):
        rooms.guess(code, QUESTION, me, 30)
    assert rooms.guesses(code).tolist() == [20]


def test_only_the_key_closes_and_asks(rooms):
    (code, key), (_, other) = rooms.open(QUESTION), rooms.open(QUESTION)
    for wrong in (other, "", key + "x", "é"):
        assert not rooms.holds(code, wrong)
        with pytest.raises(RefusedError, match="key"):
            rooms.close(code, wrong)
        with pytest.raises(RefusedError, match="key"):
            rooms.ask(code, wrong, "lesson=clipping")
    assert rooms.holds(code, key)
    assert not rooms.look(code).closed


def test_another_question_begins_with_no_guess_and_takes_none_of_the_one_before(rooms):
    code, key = rooms.open(QUESTION)
    rooms.guess(code, QUESTION, someone(), 1)
    rooms.close(code, key)
    rooms.ask(code, key, "lesson=clipping")
    assert rooms.look(code) == classroom.Room(code=code, question="lesson=clipping", round=2, closed=False, guesses=0)
    with pytest.raises(RefusedError, match="asks this"):
        rooms.guess(code, QUESTION, someone(), 2)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "name", True, None, 1e13])
def test_a_guess_is_a_number(rooms, value):
    code, _ = rooms.open(QUESTION)
    with pytest.raises(RefusedError, match="guess"):
        rooms.guess(code, QUESTION, someone(), value)
    assert rooms.look(code).guesses == 0


@pytest.mark.parametrize("code", ["", "ZZZZZ", "' OR 1=1 --", "é" * 900])
def test_there_is_no_room_of_another_code(rooms, code):
    rooms.open(QUESTION)
    assert rooms.look(code) is None
    assert rooms.guesses(code).size == 0
    with pytest.raises(RefusedError, match="room"):
        rooms.guess(code, QUESTION, someone(), 1)


def test_after_two_hours_nobody_can_read_a_room_and_the_next_use_of_any_deletes_it(file):
    clock = [1000.0]
    rooms = Classroom(file, now=lambda: clock[0])
    code, key = rooms.open("lesson=forgotten")
    rooms.guess(code, "lesson=forgotten", someone(), 12345.678)
    rooms.close(code, key)
    clock[0] += LASTS - 1
    assert rooms.guesses(code).tolist() == [12345.678]
    clock[0] += 2
    assert rooms.look(code) is None
    assert rooms.guesses(code).size == 0
    assert not rooms.holds(code, key)
    rooms.open(QUESTION)
    rooms._engine.dispose()  # the last to leave folds the log into the file
    assert b"lesson=forgotten" not in b"".join(one.read_bytes() for one in file.parent.iterdir())


def test_there_are_only_so_many_rooms_and_guesses(rooms, monkeypatch):
    monkeypatch.setattr(classroom, "MOST_ROOMS", 2)
    monkeypatch.setattr(classroom, "MOST_GUESSES", 2)
    code, _ = rooms.open(QUESTION)
    rooms.open(QUESTION)
    with pytest.raises(RefusedError, match="later"):
        rooms.open(QUESTION)
    me = someone()
    rooms.guess(code, QUESTION, me, 1)
    rooms.guess(code, QUESTION, someone(), 1)
    rooms.guess(code, QUESTION, me, 2)
    with pytest.raises(RefusedError, match="at most"):
        rooms.guess(code, QUESTION, someone(), 1)
    with pytest.raises(RefusedError, match="question"):
        rooms.open("x" * (classroom.LONGEST + 1))


def test_a_thousand_who_guess_at_once_take_less_than_a_megabyte_and_another_server_sees_them_all(file, rooms):
    code, key = rooms.open(QUESTION)
    values = np.linspace(0, 100, 1000)
    with ThreadPoolExecutor(20) as pool:
        list(pool.map(lambda value: rooms.guess(code, QUESTION, someone(), value), values))
    assert sum(one.stat().st_size for one in file.parent.iterdir()) <= 10**6
    program = (
        "from ui.classroom import classroom\n"
        f"rooms = classroom()\nassert rooms.look({code!r}).guesses == 1000\nrooms.close({code!r}, {key!r})\n"
        f"rooms.guesses({code!r})\n"
    )
    root = Path(__file__).parents[1]
    env = os.environ | {"LAB_ROOMS": str(file)}
    subprocess.run([sys.executable, "-c", program], cwd=root, env=env, check=True, timeout=60)
    assert np.array_equal(rooms.guesses(code), values)
    assert rooms.look(code).closed


def test_without_a_file_that_is_named_rooms_end_with_the_process():
    program = (
        "from pathlib import Path\nfrom ui import classroom\ncode, _ = classroom.classroom().open('x')\n"
        "assert classroom.classroom().look(code)\nprint(classroom._folder().name)"
    )
    root = Path(__file__).parents[1]
    env = {name: value for name, value in os.environ.items() if name != "LAB_ROOMS"}
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=root, env=env, check=True, timeout=60, capture_output=True, text=True
    )
    assert not Path(done.stdout.strip()).exists()
