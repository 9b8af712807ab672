"""The lessons: guess, see, and explain.

A guess is kept in the session and in no address, so that a link that is sent on shows nobody an
outcome. Before it is locked in, no element holds anything of the outcome.
"""

from collections.abc import Sequence

import streamlit as st

from dpcore.check import RefusedError
from pages.lessons import page_class, texts
from pages.lessons.lesson import Lesson
from pages.lessons.lessons import LESSONS
from pages.lessons.page_guess import show_guess
from pages.lessons.page_outcome import show_outcome
from pages.lessons.page_session import (
    CURRENT_STEP,
    goto,
    is_presented,
    lesson_state,
    toggle_presenting,
)
from ui.classroom import membership
from ui.compute import debounce
from ui.page.page import Page

NAMED = {lesson.name: lesson for lesson in LESSONS}
TITLE = "Lessons"


@debounce.page_run()
def show(pages: Sequence[Page]) -> None:
    """Show the lesson that the address names, at its step; without one, the list of all."""
    current_step = st.session_state.get(CURRENT_STEP)
    if "lesson" not in st.query_params and current_step:
        # Another page that was left took the address along.
        goto(*current_step)
    seat = _seat()
    if seat is not None:
        _follow_class(seat)
    name = st.query_params.get("lesson", "")
    lesson = NAMED.get(name)
    if lesson is None:
        if name:
            st.warning(texts.unknown(name), icon=":material/link_off:")
        _list_lessons()
        return
    step, notice = _allowed_step(lesson, st.query_params.get("step", "guess"), seat)
    if notice:
        st.info(notice, icon=":material/replay:")
    page = next(page for page in pages if page.name == lesson.page)
    st.session_state[CURRENT_STEP] = lesson, step
    _show_trail(lesson, seat)
    if step == "guess":
        show_guess(lesson, page, seat)
    else:
        show_outcome(lesson, page, step, seat)
    if seat is not None and not seat.teaches:
        membership.poll_room(seat)


def _allowed_step(lesson: Lesson, step: str, seat: membership.Seat | None) -> tuple[str, str]:
    """Return the step to show, and a notice if the address names another one.

    Without a guess there is only the first step, unless the visitor teaches this lesson.
    """
    if step not in lesson.STEPS:
        return "guess", texts.no_step(step)
    if seat is not None and seat.open(lesson):
        return "guess", ""
    teaches_lesson = seat is not None and seat.teaches and seat.asks(lesson)
    if step != "guess" and lesson_state(lesson).guess is None and not teaches_lesson:
        return "guess", texts.AGAIN
    return step, ""


def _seat() -> membership.Seat | None:
    """Return the seat in the room that the address names, and show why it cannot be used."""
    try:
        return page_class.current_seat()
    except RefusedError as refusal:
        st.error(membership.refusal_text(refusal), icon=":material/group_off:")
        return None


def _follow_class(seat: membership.Seat) -> None:
    """Go to the question of the class, once for each, and to its outcome when it is closed."""
    if seat.room is None:
        st.info(texts.GONE, icon=":material/group_off:")
        page_class.leave()
        return
    lesson = NAMED.get(seat.room.question)
    if lesson is None:  # a lesson of another version of the lab
        return
    state = lesson_state(lesson)
    named = st.query_params.get("lesson", "")
    round_key = f"lessons.class.{seat.code}"
    if not seat.teaches and st.session_state.get(round_key) != seat.room.round:
        st.session_state[round_key] = seat.room.round
        state.refused = ""
        if named != lesson.name:
            goto(lesson)
    if not seat.room.closed or state.shown == seat.current_round:
        return
    has_answered = seat.teaches or state.sent == seat.current_round
    if has_answered and st.query_params.get("lesson") == lesson.name:
        state.shown = seat.current_round
        goto(lesson, "reveal")


def _list_lessons() -> None:
    """Show all lessons, and the form for the code of a room."""
    st.title(TITLE)
    st.markdown(texts.INTRODUCTION)
    page_class.join()
    with st.container(key="lessons"):
        for number, lesson in enumerate(LESSONS, 1):
            with st.container(border=True, height="stretch", key=f"lesson-card-{lesson.name}"):
                _show_card(number, lesson)


def _show_card(number: int, lesson: Lesson) -> None:
    """Show the card of a lesson in the list."""
    st.button(
        f"{number}. {lesson.text('Title')}",
        key=f"lesson.{lesson.name}.open",
        type="tertiary",
        on_click=goto,
        args=(lesson,),
    )
    st.markdown(lesson.text("Question"))
    caption = f"{lesson.minutes} minutes"
    if lesson_state(lesson).done:
        caption += " · :material/check: done"
    st.caption(caption)


def _show_trail(lesson: Lesson, seat: membership.Seat | None) -> None:
    """Show the way back, the title, and the buttons of a class."""
    with st.container(key="lesson-trail", horizontal=True, vertical_alignment="center"):
        st.button(
            "All lessons",
            icon=":material/arrow_back:",
            type="tertiary",
            on_click=goto,
            args=(None,),
        )
        title_class = "lab-trail"
        present_label = "Present"
        if is_presented():
            title_class = "lab-trail presented"
            present_label = "Leave"
        st.html(f'<span class="{title_class}">{lesson.text("Title")}</span>', width="stretch")
        refusal = page_class.offer(lesson, seat)
        if seat is None or seat.teaches:  # a pupil has nobody to present to
            st.button(
                present_label,
                icon=":material/co_present:",
                type="tertiary",
                on_click=toggle_presenting,
                key="lesson.present",
            )
    if refusal:
        st.error(refusal)
