"""The first step of a lesson: the covered chart and the guess."""

from dataclasses import replace

import streamlit as st

from pages.lessons import page_class, texts
from pages.lessons.lesson import Lesson
from pages.lessons.page_charts import cover_chart
from pages.lessons.page_session import CURRENT_STEP, goto, lesson_state
from pages.lessons.page_steps import known_case, show_refusal, sized_chart, step_areas
from ui.classroom import guess, membership
from ui.compute import debounce
from ui.page.page import Page

# Height of the chart on a phone.
NARROW_HEIGHT = 240


@st.fragment
@debounce.page_run()
def show_guess(lesson: Lesson, page: Page, seat: membership.Seat | None) -> None:
    """Show what is known, the covered chart, and the guess."""
    before, asked = known_case(lesson, page)
    key = f"lesson.{lesson.name}"
    teaches = seat is not None and seat.teaches and seat.open(lesson)
    text_area, chart_area, answer_area = step_areas()
    with text_area:
        st.html(texts.head(lesson, "guess"))
        st.title(lesson.text("Question"))
        st.markdown(texts.known_text(lesson, before))
    chart = sized_chart(lesson, page, before.result)
    axes = chart.figure["layout"]
    position = None
    clicks = None
    if lesson.number and not teaches:
        guess.apply_drag(key, axes["yaxis"], lesson.number)
        draft = guess.draft(key, lesson_state(lesson).guess)
        position = lesson.position(asked), draft
        clicks = guess.clicks(axes, *position)
    covered = cover_chart(lesson, chart, before, position)
    with chart_area:
        guess.board(replace(covered, narrow=NARROW_HEIGHT, clicks=clicks), key)
    with answer_area:
        if seat is not None and teaches:
            page_class.teach(lesson, seat)
        else:
            _ask_guess(lesson, seat)


def _ask_guess(lesson: Lesson, seat: membership.Seat | None) -> None:
    """Ask for the guess; lock it in, or send it to the class."""
    state = lesson_state(lesson)
    key = f"lesson.{lesson.name}"
    if seat is not None and seat.asks(lesson) and not seat.open(lesson):
        st.caption(texts.CLOSED)
    if lesson.number:
        field = f"{key}.field"
        st.markdown("Press the chart at your guess, or type it.")
        value = guess.number(key, lesson.number, state.guess)
    else:
        field = f"{key}.choice"
        st.markdown("**My guess**")
        chosen = None
        if state.guess is not None:
            chosen = int(state.guess)
        guess.choice(key, lesson.text("Question"), lesson.options("Guess"), earlier=chosen)
        value = st.session_state[field]
    class_seat = None
    label = "Lock in my guess"
    if seat is not None and seat.open(lesson):
        class_seat = seat
        label = "Send my guess"
    st.button(
        label,
        type="primary",
        disabled=value is None,
        key=f"{key}.lock",
        on_click=_lock_in,
        args=(lesson, class_seat, field),
    )
    if st.session_state[CURRENT_STEP] != (lesson, "guess"):
        st.rerun()
    if class_seat and state.guess is not None and state.sent == class_seat.current_round:
        st.success(texts.waiting(lesson, state.guess), icon=":material/how_to_vote:")
    show_refusal(lesson)
    if class_seat and not membership.has_cookie():
        st.caption(texts.NAMELESS)
    st.caption(texts.GRADELESS)


def _lock_in(lesson: Lesson, class_seat: membership.Seat | None, field: str) -> None:
    """Lock in the guess in the field, or send it to the class.

    It is a callback, because a run that the next look at the room interrupts loses the press.
    """
    value = st.session_state[field]
    if value is None:
        return
    state = lesson_state(lesson)
    state.guess = value
    state.refused = ""
    if class_seat is None:
        goto(lesson, "reveal")
        return
    refusal = page_class.send(class_seat, lesson, value)
    if refusal is None:
        state.sent = class_seat.current_round
    else:
        state.refused = membership.refusal_text(refusal)
        goto(lesson, "reveal")
