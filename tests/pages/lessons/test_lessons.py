"""Lessons: their texts and charts, and the way of a visitor who guesses alone."""

import re
from collections.abc import Sequence
from string import Formatter
from typing import Any

import pytest

from dpcore.cache import CACHE
from lab.experiment.links import minimal_texts
from pages.lessons import page as lessons_page
from pages.lessons import texts as lesson_texts
from pages.lessons.lesson import Case, Lesson, texts
from pages.lessons.lessons import LESSONS
from tests.app import moved, opened, text
from tests.pages.lessons.claims import CLAIMS
from tests.pages.lessons.examples import BY_NAME, cases_of, of_every_lesson, page_of
from tests.pages.lessons.sessions import captions, press, query_of_page_link
from tests.rare_guesses import assert_rare_guess
from ui.classroom import rooms
from ui.layout import visible_sliders
from ui.session.address import Address
from ui.session.entries import from_link
from ui.session.page_state import PageState

PARTS = ("Known", "Seen", "Why", "Misconception", "Try")
STEPS = ("Lock in my guess", "Why?", "Try it yourself")
# Numbers that every lesson may state: a coin, a hundred people, the confidence of intervals.
COMMON_NUMBERS = {"50", "90", "95", "100"}
# Of single lessons: norms that are compared and an epsilon to try, and epsilon of a step, which its
# claim holds.
NUMBERS_OF_LESSON = {
    "clipping": {"0.1", "10", "5"},
    "composition": {"0.1"},
    "epsilon": {"10"},
    "published": {"97.5"},
}


def seeds_of(lesson: Lesson, count: int) -> Sequence[int | None]:
    """Return some seeds, if the lesson depends on the seed."""
    if "seed" in page_of(lesson).settings.LIMITS or "base" in lesson.settings:
        return range(count)
    return [None]


# Claims of the texts


@of_every_lesson
@pytest.mark.parametrize("count", [5, pytest.param(20, marks=pytest.mark.soak)])
def test_the_claim_of_a_lesson_holds_for_all_seeds_but_one_at_most(lesson, count):
    claim_holds = CLAIMS[lesson.name]

    results = [claim_holds(lesson, *cases_of(lesson, seed)) for seed in seeds_of(lesson, count)]

    assert sum(results) >= max(1, len(results) - 1)


def test_the_claim_about_pre_training_fails_at_a_large_epsilon():
    lesson = BY_NAME["public_start"]
    before, after = cases_of(lesson)

    changed = Case(after.settings.change(epsilon=50))

    assert not CLAIMS["public_start"](lesson, before, changed)


def test_the_claim_about_clipping_fails_without_privacy():
    lesson = BY_NAME["clipping"]
    _, after = cases_of(lesson)
    question = after.settings

    changed = Case(question.change(base=f"{question.base} version none"))

    assert not CLAIMS["clipping"](lesson, after, changed)


# Texts


def numbers_in(words: str) -> set[str]:
    """Return the numbers that stand in a text, as they are written."""
    return set(re.findall(r"(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?(?:e-\d+)?(?!\w)", words))


def numbers_of(settings: Any) -> set[str]:
    """Return the numbers of a lesson's settings, as a text writes them."""
    fields = vars(settings) | vars(getattr(settings, "topic_settings", settings))
    numbers = [value for value in fields.values() if isinstance(value, int | float)]
    return {f"{number:,g}".replace("e-0", "e-") for number in numbers}


def names_in(words: str) -> set[str]:
    """Return the names of the numbers that are filled into a text."""
    return {name for _, name, _, _ in Formatter().parse(words) if name}


@of_every_lesson
class TestTexts:
    def test_a_lesson_has_all_parts(self, lesson):
        assert tuple(texts(lesson.name))[-len(PARTS) :] == PARTS

    def test_the_numbers_that_are_filled_in_are_measured(self, lesson):
        before, after = cases_of(lesson)
        known = set(lesson.known_numbers(before))
        measured = set(lesson.measured_numbers(before, after))

        for part in PARTS:
            available = measured
            if part == "Known":
                available = known
            assert names_in(lesson.text(part)) <= available, part

    def test_the_other_numbers_are_settings(self, lesson):
        before, after = cases_of(lesson)
        words = " ".join(lesson.text(part) for part in PARTS)

        typed = numbers_in(re.sub(r"{.*?}", "", words))

        allowed = numbers_of(before.settings) | numbers_of(after.settings) | COMMON_NUMBERS
        assert typed <= allowed | NUMBERS_OF_LESSON.get(lesson.name, set())


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0, 10.0])
def test_the_lesson_about_epsilon_says_what_becomes_of_a_rare_guess(epsilon):
    lesson = BY_NAME["epsilon"]
    before, after = cases_of(lesson)
    changed = Case(after.settings.change(epsilon=epsilon))

    why = lesson_texts.measured_text(lesson, "Why", before, changed)

    assert_rare_guess(why.replace("**", ""), lesson.attacker(changed))


@pytest.mark.parametrize(
    "lesson", [lesson for lesson in LESSONS if not lesson.number], ids=lambda lesson: lesson.name
)
def test_a_lesson_with_options_has_one_correct_option(lesson):
    options = lesson.options("Guess")

    correct = lesson.correct_option(*cases_of(lesson))

    assert len(options) == len(set(options))
    assert 0 <= correct < len(options)


# The way of a visitor


@of_every_lesson
class TestWayThroughALesson:
    def test_all_steps_open_without_a_notice(self, lesson):
        app = opened("lessons", lesson=lesson.name)
        assert app.title[0].value == lesson.text("Question")
        if lesson.number:
            app.number_input[0].set_value(float(lesson.number.high)).run()
        else:
            app.radio[0].set_value(0).run()

        for label in STEPS:
            assert not app.warning
            assert not app.info
            press(app, label)

    def test_the_link_to_the_page_has_the_settings_that_were_asked_about(self, lesson):
        page = page_of(lesson)

        _, asked = lesson.cases(page.settings)

        assert from_link(page.settings, minimal_texts(asked)) == (asked, [])

    def test_the_link_to_the_page_has_the_sliders_that_matter(self, lesson):
        _, asked = lesson.cases(page_of(lesson).settings)
        page = page_of(lesson).at(asked)
        address = Address(view={"only": ",".join(lesson.only)})
        state = PageState(page=page.name, settings=asked, address=address)

        visible_sliders.check_link(page, state)
        sliders = visible_sliders.visible_layout(page, state)

        assert state.notices == []
        shown = {sliders.hero, *sliders.main, sliders.play} - {None}
        assert shown == set(lesson.only)


def test_before_the_guess_no_outcome_is_computed():
    lesson = BY_NAME["public_start"]
    _, asked = lesson.cases(page_of(lesson).settings)
    another_seed = asked.change(seed=77)

    opened("lessons", lesson=lesson.name)

    assert not any(CACHE.find(task)[0] for task in another_seed.experiment.shown_sample())


class TestPresenting:
    def test_a_lesson_is_presented_until_it_is_left(self):
        app = opened("lessons", lesson="epsilon", present="0")
        assert "lab-trail presented" not in text(app)

        press(app, "Present")
        press(app, "Lock in my guess")
        assert app.query_params["present"] == "1"
        assert "lab-trail presented" in text(app)

        press(app, "Leave")
        assert "present" not in app.query_params

    def test_the_outcome_is_shown_beside_the_guess_and_asks_nothing_more(self):
        app = opened("lessons", lesson="epsilon")

        press(app, "Lock in my guess")

        assert app.query_params["step"] == "reveal"
        assert app.title[0].value == "You said 60\xa0%. It can become 73\xa0%."
        assert not app.radio

    def test_the_address_never_contains_the_guess(self):
        app = opened("lessons", lesson="epsilon")

        press(app, "Lock in my guess")

        assert "guess" not in app.query_params


def test_a_lesson_leads_to_the_next_one_and_is_marked_as_done():
    app = opened("lessons", lesson="epsilon")
    for label in STEPS:
        press(app, label)

    press(app, "Next: What a small epsilon costs")
    assert app.query_params["lesson"] == "small_epsilon"

    press(app, "All lessons")
    assert "done" in " ".join(captions(app))


class TestLastStep:
    @pytest.fixture
    def app(self):
        """Return the lesson on small epsilons at its last step."""
        app = opened("lessons", lesson="small_epsilon")
        for label in STEPS:
            press(app, label)
        return app

    def test_sliders_of_the_last_step_move_its_chart(self, app):
        before = text(app)

        moved(app, "lesson.small_epsilon.try", "epsilon", 10.0)

        assert app.session_state["lesson.small_epsilon.try.state"].settings.epsilon == 10
        assert text(app) != before

    def test_the_page_leads_back_to_the_lesson(self, app):
        page = opened("classifier", **query_of_page_link(app))

        labels = [link.proto.label for link in page.get("page_link")]
        assert "Back to the lesson" in labels
        assert not page.warning


# Links that nobody can follow

LONG = "classifier?" + "a" * 3000


@pytest.mark.parametrize(
    ("link", "notice", "title"),
    [
        pytest.param(
            {"lesson": "epsilon", "step": "reveal"},
            lesson_texts.AGAIN,
            BY_NAME["epsilon"].text("Question"),
            id="outcome without a guess",
        ),
        pytest.param(
            {"lesson": "epsilon", "room": "ZZZZZ"},
            "There is no such room",
            BY_NAME["epsilon"].text("Question"),
            id="no such room",
        ),
        pytest.param(
            {"lesson": "epsilon", "room": "<b>" * 99},
            "There is no such room",
            BY_NAME["epsilon"].text("Question"),
            id="hostile room",
        ),
        pytest.param(
            {"lesson": "<b>x</b>", "step": "why"},
            "There is no lesson",
            lessons_page.TITLE,
            id="hostile lesson",
        ),
        pytest.param(
            {"lesson": "lessons?lesson=epsilon"},
            "There is no lesson",
            lessons_page.TITLE,
            id="link in place of a lesson",
        ),
        pytest.param({"lesson": LONG}, "There is no lesson", lessons_page.TITLE, id="long lesson"),
    ],
)
def test_a_link_that_nobody_can_follow_gives_one_notice(link, notice, title):
    app = opened("lessons", **link)

    notices = [message.value for message in [*app.info, *app.warning]]
    assert len(notices) == 1
    assert notice in notices[0]
    assert app.title[0].value == title
    assert "room" not in app.query_params


def test_a_lesson_goes_on_without_the_room_of_its_link():
    app = opened("lessons", lesson="epsilon", room="ZZZZZ")

    press(app, "Lock in my guess")

    assert app.query_params["step"] == "reveal"


def test_a_room_about_an_unknown_question_shows_all_lessons():
    code = rooms.classroom().open(LONG[: rooms.LONGEST], rooms.anonymous_id())

    app = opened("lessons", room=code)

    assert app.title[0].value == lessons_page.TITLE


def test_a_link_with_unknown_sliders_opens_the_page():
    app = opened("classifier", only="epsilon,<b>")

    assert not app.exception
    assert 'class="lab-numbers"' in text(app)
