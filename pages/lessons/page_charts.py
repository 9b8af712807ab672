"""The chart of a lesson: covered before the guess, and with the guess beside the truth after it."""

from dataclasses import replace
from typing import Any

from pages.lessons import texts as say
from pages.lessons.lessons import Case, Lesson
from ui.charts import guesses
from ui.page.page import Page
from ui.widgets import Chart

HEIGHT, NARROW = 640, 400


def picture(lesson: Lesson, page: Page, result: Any) -> Chart:
    """Return the page's chart of a result as the lesson shows it."""
    drawn = page.at(result.settings).view(result).charts(lesson.board)
    found = drawn[lesson.picture or next(iter(drawn))]
    if not lesson.picture:
        return replace(found, height=HEIGHT, narrow=NARROW, wide=1.0, clicks=None)
    figure = guesses.rename(found.figure, lesson.text("Chart"))
    figure = guesses.set_range(figure, *lesson.upwards) if lesson.upwards else figure
    return replace(found, figure=figure, height=HEIGHT, narrow=NARROW, wide=1.0, clicks=None)


def covered(
    lesson: Lesson, drawn: Chart, before: Case, place: tuple[float, float | None] | None
) -> Chart:
    """Return the ``drawn`` chart covered, with what is known, and with the guess at a ``place`` (x,
    y), or where one goes.
    """
    points = [guesses.KnownPoint(*point) for point in lesson.points(before)]
    figure = guesses.cover(drawn.figure, lesson.text("Chart"), points, place)
    alt = say.COVERED.format(lesson.text("Question"))
    return replace(drawn, name="guess", figure=figure, alt=alt, about="")


def revealed(lesson: Lesson, drawn: Chart, mine: float | None, before: Case, after: Case) -> Chart:
    """Return the ``drawn`` chart with one's own guess, if it was a number."""
    if lesson.number and mine is not None:
        how = {"truth_text": say.named(lesson, after), "tone": lesson.number.tone}
        place, truth = lesson.place(after.settings), say.centre(lesson, after)
        drawn = replace(drawn, figure=guesses.with_guess(drawn.figure, place, mine, truth, **how))
    return replace(drawn, alt=f"{say.heading(lesson, mine, before, after)} {drawn.alt}")
