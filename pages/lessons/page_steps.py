"""Parts of all steps of a lesson: places on the page, the known case, and its chart."""

from dataclasses import replace
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab.experiment.settings import Settings
from pages.lessons.lesson import Case, Lesson
from pages.lessons.page_charts import lesson_chart
from pages.lessons.page_session import is_presented, lesson_state
from ui.compute.runner import compute
from ui.page.page import Page
from ui.widgets import Chart

# Seconds of work: before the first chart, and for a lesson that needs all of it.
SECONDS = 0.5
ALL_SECONDS = 60.0


def step_areas() -> list[DeltaGenerator]:
    """Return the areas of texts, chart and answer, side by side, on a phone one under another."""
    container = st.container(key="lesson")
    return [container.container(key=f"lesson-{name}") for name in ("words", "chart", "answer")]


def seconds_of(lesson: Lesson, seconds: float) -> float:
    """Return the seconds of work for a result of a lesson."""
    if lesson.whole:
        return ALL_SECONDS
    return seconds


def known_case(lesson: Lesson, page: Page) -> tuple[Case, Settings]:
    """Return what is known before the guess, and the settings of what is asked."""
    known, asked = lesson.cases(page.settings)
    result, _ = compute(known, seconds=seconds_of(lesson, 0))
    return Case(known, result), asked


def sized_chart(lesson: Lesson, page: Page, result: Any) -> Chart:
    """Return the chart of a result, as high as the window if it is presented."""
    chart = lesson_chart(lesson, page, result)
    if is_presented():
        return replace(chart, height=0)
    return chart


def show_refusal(lesson: Lesson) -> None:
    """Show why the class does not have the guess."""
    refused = lesson_state(lesson).refused
    if refused:
        st.warning(refused, icon=":material/error:")
