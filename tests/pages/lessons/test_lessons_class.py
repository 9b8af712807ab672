"""A lesson with a class: a teacher opens a room, and the class guesses in it."""

import sqlite3

import pytest
from streamlit.testing.v1 import AppTest

from pages.lessons import texts
from pages.lessons.lessons import LESSONS
from tests.app import opened, text
from tests.pages.lessons.sessions import button_of, captions, labels, press, send
from ui.classroom import rooms
from ui.classroom.visitor import COOKIE, new_cookie

OUTCOME = "It can become 73\xa0%."
UNREACHABLE = "The rooms of this server cannot be reached now"


@pytest.fixture
def teacher() -> AppTest:
    """Return the session of a teacher who asks a class."""
    app = opened("lessons", lesson="epsilon")
    press(app, "Ask a class")
    return app


@pytest.fixture
def pupil(teacher) -> AppTest:
    """Return the session of one of the class."""
    return opened("lessons", room=teacher.query_params["room"])


def test_the_address_of_the_teacher_has_the_code_of_the_room_alone(teacher):
    assert len(teacher.query_params["room"]) == rooms.LETTERS_A_CODE


# Guesses before the question is closed


def test_a_guess_waits_until_the_question_is_closed(pupil):
    send(pupil, 60.0)

    assert "Your guess is in: 60" in pupil.success[0].value
    assert pupil.query_params.get("step", "guess") == "guess"


def test_the_teacher_sees_the_number_of_guesses(teacher, pupil):
    send(pupil, 60.0)

    assert "<b>1</b> guess so far" in text(teacher.run())


def test_no_link_shows_the_outcome_before_the_question_is_closed(teacher):
    app = opened("lessons", lesson="epsilon", step="reveal", room=teacher.query_params["room"])

    assert "Send my guess" in labels(app)


def test_a_browser_without_cookies_is_told_so(teacher, pupil):
    assert texts.NAMELESS in captions(pupil)
    assert texts.NAMELESS_TEACHER in [warning.value for warning in teacher.run().warning]


# The outcome


def test_all_see_the_outcome_and_all_guesses_once_the_question_is_closed(teacher, pupil):
    send(pupil, 60.0)

    press(teacher, "Close and show")
    pupil.run()

    assert teacher.title[0].value == OUTCOME
    assert pupil.title[0].value.startswith("You said 60\xa0%.")
    for app in (teacher, pupil):
        assert app.query_params["step"] == "reveal"
        assert "guess" not in app.query_params
        assert f"1 guess, median 60\xa0%. {OUTCOME}" in captions(app)


def test_a_visitor_who_comes_late_guesses_alone(teacher):
    late = opened("lessons", room=teacher.query_params["room"])
    press(teacher, "Close and show")

    assert late.run().query_params.get("step", "guess") == "guess"
    press(late, "Lock in my guess")

    assert late.query_params["step"] == "reveal"


# The next question


def ask_about_clipping(teacher: AppTest) -> None:
    """Close the question of the class, and ask the next one."""
    press(teacher, "Close and show")
    teacher.query_params.update(lesson="clipping", step="guess")
    teacher.run()
    press(teacher, "Ask the class this")


def test_the_class_follows_to_the_next_question(teacher, pupil):
    ask_about_clipping(teacher)

    pupil.run()

    assert pupil.query_params["lesson"] == "clipping"
    assert button_of(pupil, "Send my guess").disabled  # nothing is chosen


def test_the_number_of_correct_choices_is_shown(teacher, pupil):
    ask_about_clipping(teacher)
    pupil.run()
    pupil.radio[0].set_value(2).run()
    press(pupil, "Send my guess")

    press(teacher, "Close and show")

    assert "1 of 1 guess was right. Best somewhere between." in captions(teacher)


def test_a_question_that_is_asked_again_has_no_guesses(teacher, pupil):
    send(pupil, 60.0)
    press(teacher, "Close and show")

    press(teacher, "Ask the class again")

    assert "Your guess is in" not in text(pupil.run())


# Browsers


def test_a_browser_teaches_with_its_cookie(cookies):
    cookies[COOKIE] = new_cookie()
    teacher = opened("lessons", lesson="epsilon")
    press(teacher, "Ask a class")

    again = opened("lessons", lesson="epsilon", room=teacher.query_params["room"])

    assert "Close and show" in labels(again)
    assert not again.warning


def test_another_browser_is_one_of_the_class(cookies):
    cookies[COOKIE] = new_cookie()
    teacher = opened("lessons", lesson="epsilon")
    press(teacher, "Ask a class")
    cookies[COOKIE] = new_cookie()

    pupil = opened("lessons", lesson="epsilon", room=teacher.query_params["room"])

    assert "Close and show" not in labels(pupil)
    assert "Send my guess" in labels(pupil)


def test_a_browser_has_one_guess(cookies):
    cookies[COOKIE] = new_cookie()
    teacher = opened("lessons", lesson="epsilon")
    press(teacher, "Ask a class")
    code = teacher.query_params["room"]
    cookies[COOKIE] = new_cookie()

    for value in (60.0, 70.0):
        pupil = opened("lessons", room=code)
        send(pupil, value)

    assert texts.NAMELESS not in captions(pupil)
    assert rooms.classroom().read_room(code).guesses == 1


def test_an_invented_cookie_is_no_browser(cookies):
    cookies[COOKIE] = f"{'a' * 32}.{'b' * 64}"
    app = opened("lessons", lesson="epsilon")

    press(app, "Ask a class")

    assert app.session_state["room.visitor"] < 0


# Faults


class TestUnreachableRooms:
    @pytest.fixture
    def code(self, teacher, pupil, monkeypatch) -> str:
        """Return the code of a room whose file cannot be read any more."""
        lost = sqlite3.connect(":memory:", check_same_thread=False)
        monkeypatch.setattr(rooms.classroom(), "_db", lost)
        return teacher.query_params["room"]

    def test_the_lesson_goes_on_for_the_teacher(self, teacher, code):
        teacher.run()

        assert not teacher.exception
        assert UNREACHABLE in teacher.error[0].value
        assert "Lock in my guess" in labels(teacher)

    def test_the_lesson_goes_on_for_the_class(self, code):
        app = opened("lessons", lesson="epsilon", room=code)

        assert not app.exception
        assert UNREACHABLE in app.error[0].value
        assert "Lock in my guess" in labels(app)

    def test_no_room_opens(self, code):
        app = opened("lessons", lesson="epsilon")

        press(app, "Ask a class")

        assert UNREACHABLE in app.error[0].value


@pytest.mark.parametrize(
    ("limit", "reason"),
    [
        pytest.param("MOST_GUESSES", "no more", id="full room"),
    ],
)
def test_a_refused_guess_is_explained_and_may_be_sent_again(pupil, limit, reason, monkeypatch):
    pupil.number_input[0].set_value(60.0).run()

    with monkeypatch.context() as patch:
        patch.setattr(rooms, limit, 0)
        press(pupil, "Send my guess")
        assert reason in pupil.warning[0].value
        assert not pupil.success

    press(pupil, "Send my guess")
    assert not pupil.warning
    assert pupil.success


# The code of a room


def test_a_lesson_opens_without_a_room():
    app = opened("lessons")

    press(app, f"1. {LESSONS[0].text('Title')}")

    assert app.query_params["lesson"] == LESSONS[0].name
    assert "room" not in app.query_params


def test_a_typed_code_leads_to_the_question_of_the_class(teacher):
    app = opened("lessons")
    app.text_input[0].set_value(teacher.query_params["room"].lower())

    press(app, "Join a class")

    assert app.query_params["lesson"] == "epsilon"


def test_a_room_can_be_left(pupil):
    press(pupil, f"Leave room {pupil.query_params['room']}")

    assert "room" not in pupil.query_params
    assert "Ask a class" in labels(pupil)
