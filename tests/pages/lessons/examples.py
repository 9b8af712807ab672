"""Lessons, and what is known and asked in them."""

import pytest

from pages.lessons.lesson import Case, Lesson
from pages.lessons.lessons import LESSONS
from pages.topics import PAGES
from ui.page.page import Page

BY_NAME = {lesson.name: lesson for lesson in LESSONS}
of_every_lesson = pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)


def page_of(lesson: Lesson) -> Page:
    """Return the page of the lab that a lesson is about."""
    return next(page for page in PAGES if page.name == lesson.page)


def cases_of(lesson: Lesson, seed: int | None = None) -> tuple[Case, Case]:
    """Return what is known and what is asked, with another seed if there is one."""
    known, asked = lesson.cases(page_of(lesson).settings)
    if seed is not None:
        known = known.change(seed=seed)
        asked = asked.change(seed=seed)
    return Case(known), Case(asked)
