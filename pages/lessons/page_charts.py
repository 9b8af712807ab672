"""The chart of a lesson: covered before the guess, and with the guess and the truth after it."""

from dataclasses import replace
from typing import Any

from pages.lessons import texts
from pages.lessons.lesson import Case, Lesson
from ui.charts import guesses
from ui.page.page import Page
from ui.widgets import Chart

HEIGHT = 640
NARROW_HEIGHT = 400


def lesson_chart(lesson: Lesson, page: Page, result: Any) -> Chart:
    """Return the page's chart of a result as the lesson shows it."""
    chart = page.at(result.settings).view(result).charts(lesson.board)[lesson.picture]
    chart = replace(chart, height=HEIGHT, narrow=NARROW_HEIGHT, wide=1.0, clicks=None)
    figure = guesses.rename(chart.figure, lesson.text("Chart"))
    if lesson.upwards:
        low, high = lesson.upwards
        figure = guesses.set_range(figure, low, high)
    return replace(chart, figure=figure)


def cover_chart(
    lesson: Lesson, chart: Chart, before: Case, guess: tuple[float, float | None] | None
) -> Chart:
    """Return the covered chart with known points and the guess.

    Args:
        lesson: The lesson.
        chart: The chart of what is known.
        before: What is known.
        guess: x and y of the guess, as of ``guesses.cover``.
    """
    points = [guesses.KnownPoint(*point) for point in lesson.points(before)]
    figure = guesses.cover(chart.figure, lesson.text("Chart"), points, guess)
    alt = texts.COVERED.format(lesson.text("Question"))
    return replace(chart, name="guess", figure=figure, alt=alt, about="")


def reveal_chart(
    lesson: Lesson, chart: Chart, guess: float | None, before: Case, after: Case
) -> Chart:
    """Return the chart with the visitor's guess, if it was a number."""
    if lesson.number and guess is not None:
        figure = guesses.with_guess(
            chart.figure,
            lesson.position(after.settings),
            guess,
            texts.median_truth(lesson, after),
            truth_text=texts.outcome_label(lesson, after),
            tone=lesson.number.tone,
        )
        chart = replace(chart, figure=figure)
    return replace(chart, alt=f"{texts.heading(lesson, guess, before, after)} {chart.alt}")
