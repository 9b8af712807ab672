"""Charts of lessons: covered before the guess, and with the guess after it."""

import re

import numpy as np
import pytest

from pages.lessons import charts_guesses
from pages.lessons import texts as lesson_texts
from pages.lessons.lesson import Lesson
from pages.lessons.lessons import LESSONS
from pages.lessons.page_steps import sized_chart
from tests.pages.lessons.examples import BY_NAME, cases_of, of_every_lesson, page_of
from ui.charts import guesses
from ui.compute.runner import compute

# Most bytes of the four corners of a covered chart.
MOST_BYTES = 40

with_a_number = pytest.mark.parametrize(
    "lesson", [lesson for lesson in LESSONS if lesson.number], ids=lambda lesson: lesson.name
)


def figures_of(lesson: Lesson) -> tuple[dict, dict]:
    """Return the page's figures of what is known and of the outcome."""
    page = page_of(lesson)
    figures = []
    for case in cases_of(lesson):
        result, _ = compute(case.settings, seconds=60)
        figures.append(sized_chart(lesson, page, result).figure)
    known, outcome = figures
    return known, outcome


def covered_figure(lesson: Lesson, known: dict) -> dict:
    """Return the figure of what is known, covered as before the guess."""
    before, _ = cases_of(lesson)
    points = [guesses.KnownPoint(*point) for point in lesson.points(before)]
    return guesses.cover(known, lesson.text("Chart"), points)


@of_every_lesson
class TestCoveredChart:
    @pytest.mark.parametrize("axis", ["xaxis", "yaxis"])
    def test_a_covered_chart_has_the_axes_of_the_outcome(self, lesson, axis):
        known, outcome = figures_of(lesson)

        covered = covered_figure(lesson, known)

        covered_axis = covered["layout"][axis]
        assert covered_axis["range"] == pytest.approx(outcome["layout"][axis]["range"])
        assert covered_axis.get("type") == outcome["layout"][axis].get("type")

    def test_a_covered_chart_has_no_data_of_the_outcome(self, lesson):
        known, _ = figures_of(lesson)
        before, _ = cases_of(lesson)

        covered = covered_figure(lesson, known)

        (corners,) = covered["data"]
        assert len(corners["x"]["bdata"]) < MOST_BYTES
        assert len(covered["layout"]["shapes"]) == len(lesson.points(before))

    def test_a_covered_chart_has_the_title_of_the_lesson(self, lesson):
        known, _ = figures_of(lesson)

        covered = covered_figure(lesson, known)

        assert covered["layout"]["title"]["text"] == f"<b>{lesson.text('Chart')}</b>"


@with_a_number
class TestChartWithGuess:
    def test_the_guess_is_marked_beside_the_data(self, lesson):
        _, after = cases_of(lesson)
        _, outcome = figures_of(lesson)
        position = lesson.position(after.settings)
        guess = lesson.number.high

        figure = guesses.with_guess(
            outcome,
            position,
            guess,
            lesson_texts.median_truth(lesson, after),
            truth_text=lesson_texts.outcome_label(lesson, after),
        )

        marks = [
            shape for shape in figure["layout"]["shapes"] if shape.get("name") == guesses.GUESS
        ]
        (mark,) = marks
        assert mark["xanchor"] == position
        assert mark["yanchor"] == guess
        assert figure["data"] == outcome["data"]

    def test_the_outcome_is_the_median_of_the_runs(self, lesson):
        _, after = cases_of(lesson)

        outcome = lesson_texts.median_truth(lesson, after)

        assert outcome == pytest.approx(np.median(lesson.truth(after)))

    def test_every_guess_has_a_place_on_the_axis(self, lesson):
        _, after = cases_of(lesson)
        _, figure = figures_of(lesson)
        number = lesson.number

        axis = figure["layout"]["yaxis"]
        low = guesses.value_at(axis, -1)
        high = guesses.value_at(axis, 1)

        outcome = lesson_texts.median_truth(lesson, after)
        assert low <= number.low < outcome < number.high <= high


def test_the_guess_about_tuning_stands_at_the_chance_of_all_tries():
    lesson = BY_NAME["tuning"]
    _, after = cases_of(lesson)

    assert lesson.position(after.settings) == pytest.approx(after.result.chance("all"))


def bar_heights(figure: dict) -> list[float]:
    """Return the height of the highest bar of each colour, as they are drawn."""
    heights = []
    for shape in figure["layout"]["shapes"]:
        if shape["type"] == "path":
            points = re.findall(r"[ML]([-\d.e]+),([-\d.e]+)", shape["path"])
            heights.append(max(float(y) for _, y in points))
    return heights


@pytest.mark.parametrize(
    ("chosen", "others", "right"), [([0.0, 0.0, 1.0], 2, 1), ([1.0, 1.0, 1.0], 0, 3), ([], 0, 0)]
)
def test_the_correct_option_of_a_class_has_its_own_bar(chosen, others, right):
    figure = charts_guesses.choices(np.array(chosen), ["less", "more"], right=1, mine=0)

    assert bar_heights(figure) == [others, right]
    assert "outcome" in figure["layout"]["xaxis"]["ticktext"][1]
    assert "your guess" in figure["layout"]["xaxis"]["ticktext"][0]


@pytest.mark.parametrize("mine", [None, 60.0])
def test_the_guesses_of_a_class_stand_beside_the_outcome(mine):
    lesson = BY_NAME["epsilon"]

    figure = charts_guesses.numbers(
        np.array([60.0, 60.0, 90.0]),
        {},
        lesson.number,
        outcome=73.0,
        outcome_name="at most: 73",
        mine=mine,
    )

    lines = [shape["x0"] for shape in figure["layout"]["shapes"] if shape["type"] == "line"]
    assert bar_heights(figure) == [2]
    assert lines == [value for value in (73.0, mine) if value is not None]
