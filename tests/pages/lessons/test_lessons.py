"""Lessons: what they say holds in the engine, and nothing of it is there before the guess."""

import re
import sqlite3
from string import Formatter
from urllib.parse import parse_qsl

import numpy as np
import pytest
from streamlit.runtime.context import ContextProxy

from dpcore.cache import CACHE
from lab.experiment.links import minimal_texts
from pages.lessons import page as lessons
from pages.lessons import texts as say
from pages.lessons.lesson import Case, Lesson, texts
from pages.lessons.lessons import LESSONS
from pages.lessons.page_steps import sized_chart
from pages.topics import PAGES
from tests.app import moved, opened, text
from tests.pages.lessons.claims import CLAIMS
from ui.charts import guesses
from ui.classroom import rooms as classroom
from ui.classroom.visitor import COOKIE, new_cookie
from ui.compute.runner import compute
from ui.layout import visible_sliders
from ui.page.page import Page
from ui.session.address import Address
from ui.session.entries import from_link
from ui.session.page_state import PageState

PARTS = ("Known", "Seen", "Why", "Misconception", "Try")
BY_NAME = {lesson.name: lesson for lesson in LESSONS}
every = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def page_of(lesson: Lesson) -> Page:
    return next(page for page in PAGES if page.name == lesson.page)


def cases(lesson: Lesson, seed: int | None = None) -> tuple[Case, Case]:
    before, after = lesson.cases(page_of(lesson).settings)
    if seed is not None:
        before = before.change(seed=seed)
        after = after.change(seed=seed)
    return Case(before), Case(after)


@every
@pytest.mark.parametrize("count", [5, pytest.param(20, marks=pytest.mark.soak)])
def test_what_a_text_takes_for_granted_holds_whatever_the_seed(lesson, count):
    """For all seeds but one at most."""
    kind = page_of(lesson).settings
    seeds = range(count) if "seed" in kind.LIMITS or "base" in lesson.settings else [None]
    held = [CLAIMS[lesson.name](lesson, *cases(lesson, seed)) for seed in seeds]
    assert sum(held) >= max(1, len(held) - 1)


@every
def test_a_lesson_leads_from_its_question_to_the_next_lesson_and_its_links_open(lesson):
    app = opened("lessons", lesson=lesson.name)
    assert app.title[0].value == lesson.text("Question")
    if lesson.number:
        app.number_input[0].set_value(float(lesson.number.high)).run()
    else:
        app.radio[0].set_value(0).run()
    for label in ("Lock in my guess", "Why?", "Try it yourself"):
        assert not [*app.warning, *app.info]
        press(app, label)
    page = page_of(lesson)
    _, after = lesson.cases(page.settings)
    assert from_link(page.settings, minimal_texts(after)) == (after, [])
    state = PageState(
        page=page.name, settings=after, address=Address(view={"only": ",".join(lesson.only)})
    )
    page = page.at(after)
    sliders = visible_sliders.visible_layout(page, state)
    assert {sliders.hero, *sliders.main, sliders.play} - {None} == set(lesson.only)


@every
def test_its_texts_are_whole_and_their_numbers_are_measured(lesson):
    """Each number of a text is computed, or one of the settings; the engine says which choice is
    right.
    """
    whole, (before, after) = texts(lesson.name), cases(lesson)
    if lesson.number is None:
        options = lesson.options("Guess")
        assert len(options) == len(set(options))
        assert 0 <= lesson.correct_option(before, after) < len(options)
    assert tuple(whole)[-len(PARTS) :] == PARTS
    parts = {part: whole[part] for part in PARTS}
    known, found = set(lesson.known_numbers(before)), set(lesson.measured_numbers(before, after))
    for part, words in parts.items():
        used = {name for _, name, _, _ in Formatter().parse(words) if name}
        assert used <= (known if part == "Known" else found), part
    typed = numbers(re.sub(r"{.*?}", "", " ".join(parts.values())))
    assert typed <= settled(before) | settled(after) | ROUND | ALSO.get(lesson.name, set())


# Numbers that every lesson may say: a coin, a hundred people, the confidence of intervals.
ROUND = {"50", "90", "95", "100"}
# Of single lessons: the bounds that are compared and an epsilon to try; epsilon of a step, held by
# its claim.
ALSO = {"clipping": {"0.1", "10", "5"}, "composition": {"0.1"}, "epsilon": {"10"}}


def numbers(words: str) -> set[str]:
    return set(re.findall(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?(?!\w)", words))


def settled(case: Case) -> set[str]:
    """The numbers of a lesson's settings, as a text writes them."""
    fields = vars(case.settings) | vars(getattr(case.settings, "topic_settings", case.settings))
    return {
        f"{value:,g}".replace("e-0", "e-")
        for value in fields.values()
        if isinstance(value, int | float)
    }


def test_a_claim_can_fail():
    """A text is held against what is measured: at other settings it does not hold."""
    start, clip = BY_NAME["public_start"], BY_NAME["clipping"]
    before, after = cases(start)
    changed = Case(after.settings.change(epsilon=50))
    assert not CLAIMS[start.name](start, before, changed)
    asked = cases(clip)[1].settings
    changed = Case(asked.change(base=f"{asked.base} version none"))
    assert not CLAIMS[clip.name](clip, Case(asked), changed)


@every
def test_charts_before_and_after_the_guess(lesson):
    """The covered chart has the axes of the reveal and nothing else of it; a guess is drawn beside
    the truth.
    """
    page, (before, after) = page_of(lesson), cases(lesson)
    whole = (compute(case.settings, seconds=60)[0] for case in (before, after))
    known, outcome = (sized_chart(lesson, page, result).figure for result in whole)
    points = [guesses.KnownPoint(*point) for point in lesson.points(before)]
    covered = guesses.cover(known, lesson.text("Chart"), points)
    for axis in ("xaxis", "yaxis"):
        assert covered["layout"][axis]["range"] == pytest.approx(outcome["layout"][axis]["range"])
        assert covered["layout"][axis].get("type") == outcome["layout"][axis].get("type")
    assert len(covered["data"]) == 1
    assert len(covered["data"][0]["x"]["bdata"]) < 40  # the four corners
    assert len(covered["layout"]["shapes"]) == len(points)
    assert covered["layout"]["title"]["text"] == f"<b>{lesson.text('Chart')}</b>"
    if (one := lesson.number) is None:
        return
    place, truth = lesson.position(after.settings), say.median_truth(lesson, after)
    figure = guesses.with_guess(
        outcome, place, one.high, truth, truth_text=say.outcome_label(lesson, after)
    )
    (mark,) = [shape for shape in figure["layout"]["shapes"] if shape.get("name") == guesses.GUESS]
    assert (mark["xanchor"], mark["yanchor"]) == (place, one.high)
    assert figure["data"] == outcome["data"]
    assert truth == pytest.approx(np.median(lesson.truth(after)))
    low, high = (guesses.value_at(outcome["layout"]["yaxis"], end) for end in (-1, 1))
    assert low <= one.low < truth < one.high <= high
    if lesson.name == "tuning":
        assert place == pytest.approx(after.result.chance("all"))


def test_before_the_guess_no_outcome_is_computed():
    """Nothing of it is in memory that a page could show."""
    lesson = BY_NAME["public_start"]
    after = lesson.cases(page_of(lesson).settings)[1].change(seed=77)
    opened("lessons", lesson=lesson.name)
    assert not any(CACHE.find(task)[0] for task in after.experiment.shown_sample())


def test_what_nobody_can_follow_gives_a_notice_and_goes_on():
    asked, long = BY_NAME["epsilon"].text("Question"), "classifier?" + "a" * 3000
    for link, said, title in (
        ({"lesson": "epsilon", "step": "reveal"}, say.AGAIN, asked),
        ({"lesson": "epsilon", "room": "ZZZZZ"}, "There is no such room", asked),
        ({"lesson": "epsilon", "room": "<b>" * 99}, "There is no such room", asked),
        ({"lesson": "<b>x</b>", "step": "why"}, "There is no lesson", lessons.TITLE),
        ({"lesson": "lessons?lesson=epsilon"}, "There is no lesson", lessons.TITLE),
        ({"lesson": long}, "There is no lesson", lessons.TITLE),
    ):
        app = opened("lessons", **link)
        assert [said in one.value for one in [*app.info, *app.warning]] == [True]
        assert app.title[0].value == title
        assert "room" not in app.query_params
    press(opened("lessons", lesson="epsilon", room="ZZZZZ"), "Lock in my guess")
    code = classroom.classroom().open(long[: classroom.LONGEST], classroom.anonymous_id())
    assert opened("lessons", room=code).title[0].value == lessons.TITLE
    app = opened("classifier", only="epsilon,<b>")
    assert not app.exception
    assert 'class="lab-numbers"' in text(app)


def test_a_presented_lesson_stays_presented_and_is_marked_as_done():
    app = opened("lessons", lesson="epsilon", present="0")
    assert "lab-trail presented" not in text(app)
    press(app, "Present")
    press(app, "Lock in my guess")
    assert (app.query_params["step"], app.query_params["present"]) == ("reveal", "1")
    assert "guess" not in app.query_params
    assert app.title[0].value == "You said 60\xa0%. It can become 73\xa0%."
    assert "lab-trail presented" in text(app)
    press(app, "Leave")
    assert "present" not in app.query_params
    assert not app.radio, "the reveal asks nothing more"
    press(app, "Why?")
    press(app, "Try it yourself")
    press(app, "Next: What a small epsilon costs")
    assert app.query_params["lesson"] == "small_epsilon"
    press(app, "All lessons")
    assert "done" in " ".join(captions(app))


def test_sliders_of_the_last_step_move_its_chart_and_the_page_leads_back():
    app = opened("lessons", lesson="small_epsilon")
    for label in ("Lock in my guess", "Why?", "Try it yourself"):
        press(app, label)
    before = text(app)
    moved(app, "lesson.small_epsilon.try", "epsilon", 10.0)
    assert app.session_state["lesson.small_epsilon.try.state"].settings.epsilon == 10
    assert text(app) != before
    back = opened("classifier", **query_of(app))
    assert "Back to the lesson" in [link.proto.label for link in back.get("page_link")]
    assert not back.warning


def press(app, label: str) -> None:
    """Press a button; one that waits for a number, with 60 as the guess."""
    (button,) = [one for one in app.button if one.label == label]
    if button.disabled:
        app.number_input[0].set_value(60.0).run()
        (button,) = [one for one in app.button if one.label == label]
    button.click().run()
    assert not app.exception


def send(app, value: float) -> None:
    app.number_input[0].set_value(value).run()
    press(app, "Send my guess")


def labels(app) -> list[str]:
    return [one.label for one in app.button]


def captions(app) -> list[str]:
    return [one.value for one in app.caption]


def query_of(app) -> dict[str, str]:
    """Return the query of the link to the page that a lesson is about."""
    (way,) = [link.proto for link in app.get("page_link") if "Open the page" in link.proto.label]
    return dict(parse_qsl(way.query_string))


@pytest.fixture(autouse=True)
def cookies(monkeypatch):
    """What the browser of the next session sends."""
    sent = {}
    monkeypatch.setattr(ContextProxy, "cookies", sent)
    return sent


@pytest.fixture
def both():
    """Two sessions of one server: who teaches, and one of the class."""
    teacher = opened("lessons", lesson="epsilon")
    press(teacher, "Ask a class")
    code = teacher.query_params["room"]
    assert len(code) == classroom.LETTERS_A_CODE, "the address of who teaches holds no key"
    return teacher, opened("lessons", room=code)


def test_all_see_what_all_said_once_it_is_closed_and_go_to_the_next_question(both):
    teacher, pupil = both
    assert say.NAMELESS in captions(pupil), "their browsers send no cookie"
    send(pupil, 60.0)
    assert "Your guess is in: 60" in pupil.success[0].value
    assert pupil.query_params.get("step", "guess") == "guess"
    assert "<b>1</b> guess so far" in text(teacher.run())
    assert say.NAMELESS_TEACHER in [one.value for one in teacher.warning]
    link = opened("lessons", lesson="epsilon", step="reveal", room=pupil.query_params["room"])
    assert "Send my guess" in labels(link), "nobody sees the outcome before it is closed"
    late = opened("lessons", room=pupil.query_params["room"])
    press(teacher, "Close and show")
    assert late.run().query_params.get("step", "guess") == "guess"
    press(late, "Lock in my guess")
    assert late.query_params["step"] == "reveal", "who comes late guesses alone"
    assert teacher.title[0].value == "It can become 73\xa0%."
    assert pupil.run().title[0].value.startswith("You said 60\xa0%.")
    for app in both:
        assert app.query_params["step"] == "reveal"
        assert "guess" not in app.query_params
        assert "1 guess, median 60\xa0%. It can become 73\xa0%." in captions(app)
    teacher.query_params.update(lesson="clipping", step="guess")
    teacher.run()
    press(teacher, "Ask the class this")
    pupil.run()
    assert pupil.query_params["lesson"] == "clipping"
    assert [one.disabled for one in pupil.button if one.label == "Send my guess"] == [True], (
        "nothing is chosen"
    )
    pupil.radio[0].set_value(2).run()
    press(pupil, "Send my guess")
    press(teacher, "Close and show")
    assert "1 of 1 guess was right. Best somewhere between." in captions(teacher)
    press(teacher, "Ask the class again")
    assert "Your guess is in" not in text(pupil.run())


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

    assert say.NAMELESS not in captions(pupil)
    assert classroom.classroom().read_room(code).guesses == 1


def test_an_invented_cookie_is_no_browser(cookies):
    cookies[COOKIE] = f"{'a' * 32}.{'b' * 64}"
    app = opened("lessons", lesson="epsilon")
    press(app, "Ask a class")
    assert app.session_state["room.visitor"] < 0


@pytest.fixture
def broken(monkeypatch):
    """Rooms whose file cannot be read any more."""

    def breaks() -> None:
        rooms = classroom.classroom()
        monkeypatch.setattr(rooms, "_db", sqlite3.connect(":memory:", check_same_thread=False))

    return breaks


def test_a_fault_of_the_file_of_rooms_is_said_beside_the_button(both, broken):
    teacher, pupil = both
    code = pupil.query_params["room"]
    broken()
    lost = "The rooms of this server cannot be reached now"
    for app in (teacher.run(), opened("lessons", lesson="epsilon", room=code)):
        assert not app.exception
        assert lost in app.error[0].value
        assert "Lock in my guess" in labels(app)
    alone = opened("lessons", lesson="epsilon")
    press(alone, "Ask a class")
    assert not alone.exception
    assert lost in alone.error[0].value


def test_a_code_is_typed_a_refused_guess_is_explained_and_the_room_is_left(both, monkeypatch):
    code = both[1].query_params["room"]
    app = opened("lessons")
    press(app, f"1. {LESSONS[0].text('Title')}")
    assert app.query_params["lesson"] == LESSONS[0].name
    assert "room" not in app.query_params, "nobody opens a room by opening a lesson"
    press(app, "All lessons")
    app.text_input[0].set_value(code.lower())
    press(app, "Join a class")
    assert app.query_params["lesson"] == "epsilon"
    with monkeypatch.context() as patched:
        for name, said in (
            ("MOST_NAMELESS", "Your browser sends the lab no cookies"),
            ("MOST_GUESSES", "no more"),
        ):
            patched.setattr(classroom, name, 0)
            press(app, "Send my guess")
            assert said in app.warning[0].value
            assert not app.success
    press(app, "Send my guess")
    assert (bool(app.warning), bool(app.success)) == (False, True)
    press(app, f"Leave room {code}")
    assert "room" not in app.query_params
    assert "Ask a class" in labels(app)
