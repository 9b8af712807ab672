"""Answers of a session to the lessons, and the step at which it is."""

from dataclasses import dataclass

import streamlit as st

from pages.lessons import page_class
from pages.lessons.lesson import Lesson

# Key of the session's (lesson, step).
CURRENT_STEP = "lessons.at"
# Parameter of an address whose page is shown to a hall.
PRESENT = "present"


@dataclass
class LessonState:
    """The answer of this session to a lesson.

    Attributes:
        guess: A number, or the index of an option.
        sent: The question of a class that has the guess.
        shown: The last question of a class whose outcome was opened.
        done: Whether all steps were seen.
        refused: Why the class does not have the guess.
    """

    guess: float | None = None
    sent: tuple[str, int] | None = None
    shown: tuple[str, int] | None = None
    done: bool = False
    refused: str = ""


def lesson_state(lesson: Lesson) -> LessonState:
    """Return the answer of this session to a lesson."""
    states = st.session_state.setdefault("lessons", {})
    return states.setdefault(lesson.name, LessonState())


def goto(lesson: Lesson | None, step: str = "guess") -> None:
    """Set the address to a step of a lesson, or to the list of all; room and presenting stay."""
    query = {}
    if lesson is None:
        st.session_state[CURRENT_STEP] = None
    else:
        st.session_state[CURRENT_STEP] = (lesson, step)
        query = {"lesson": lesson.name, "step": step}
    for name in (page_class.ROOM, PRESENT):
        if name in st.query_params:
            query[name] = st.query_params[name]
    st.query_params.from_dict(query)


def is_presented() -> bool:
    """Return whether the page is shown to a hall."""
    return st.query_params.get(PRESENT, "0") not in ("", "0")


def toggle_presenting() -> None:
    """Show the page to a hall, or no longer."""
    if is_presented():
        del st.query_params[PRESENT]
    else:
        st.query_params[PRESENT] = "1"
