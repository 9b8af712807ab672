"""A lesson with a class: everybody guesses in a room, whose outcome shows when it is closed."""

import streamlit as st

from dpcore.check import RefusedError
from pages.lessons import charts_guesses, texts
from pages.lessons.lesson import Case, Lesson
from ui import widgets
from ui.classroom import membership
from ui.classroom.membership import ROOM, Seat, visitor_id
from ui.classroom.rooms import LETTERS_A_CODE, classroom

HEIGHT = 300
_REFUSED = "lessons.room_refused"


def current_seat() -> Seat | None:
    """Return the seat in the room that the address names; None if it names none.

    Raises:
        RefusedError: The file of rooms cannot be used.
    """
    return membership.seat_in(st.query_params.get(ROOM, ""))


def join() -> None:
    """Show the form for the code of a room."""
    form = st.form("lessons.join", border=False, width="content")
    with form, st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(texts.JOIN, width="content")
        code = st.text_input(
            "Code of a room",
            max_chars=LETTERS_A_CODE,
            label_visibility="collapsed",
            placeholder="Code",
            width=110,
        )
        if st.form_submit_button("Join a class", icon=":material/groups:") and code.strip():
            st.query_params[ROOM] = code.strip().upper()
            st.rerun()


def leave() -> None:
    """Leave the room."""
    st.query_params.pop(ROOM, None)


def send(seat: Seat, lesson: Lesson, value: float) -> RefusedError | None:
    """Send a guess to the room; return the refusal, or None if it was taken."""
    try:
        classroom().guess(seat.code, lesson.name, visitor_id(), float(value))
    except RefusedError as refusal:
        return refusal
    return None


def offer(lesson: Lesson, seat: Seat | None) -> str:
    """Show the button that opens a room, asks this lesson in it, or leaves it.

    Returns:
        Why the press was refused; "" if it was not.
    """
    name = f"lesson.{lesson.name}.room"
    if seat is None or seat.room is None:
        if st.button(
            "Ask a class",
            icon=":material/groups:",
            type="tertiary",
            key=f"{name}.open",
            help=texts.OPEN,
        ):
            try:
                st.query_params[ROOM] = classroom().open(lesson.name, visitor_id())
            except RefusedError as refusal:
                return membership.refusal_text(refusal)
            st.rerun()
    elif not seat.teaches:
        label = f"Leave room {seat.code}"
        st.button(
            label, icon=":material/logout:", type="tertiary", key=f"{name}.leave", on_click=leave
        )
    elif not seat.open(lesson):
        label = "Ask the class this"
        if seat.asks(lesson):
            label = "Ask the class again"
        if st.button(label, icon=":material/groups:", type="tertiary", key=f"{name}.ask"):
            try:
                classroom().ask(seat.code, visitor_id(), lesson.name)
            except RefusedError as refusal:
                return membership.refusal_text(refusal)
            st.rerun()
    return ""


@st.fragment(run_every=membership.TEACHER_SECONDS)
def teach(lesson: Lesson, seat: Seat) -> None:
    """Show the teacher code, QR code, number of guesses, and the button to close the question."""
    room = membership.read_room(seat.code)
    if room is None or room.closed:
        st.rerun()
    with st.container(border=True, key="lesson-room"):
        st.html(membership.room_board(room))
        membership.show_join_link({"lesson": lesson.name}, seat.code)
        if not membership.has_cookie():
            st.warning(texts.NAMELESS_TEACHER)
        # a callback: the next look may interrupt a run
        st.button(
            "Close and show",
            type="primary",
            key=f"lesson.{lesson.name}.close",
            on_click=_close,
            args=(seat,),
        )
        refused = st.session_state.pop(_REFUSED, "")
        if refused:
            st.error(refused)


def _close(seat: Seat) -> None:
    """Close the question of the room."""
    try:
        classroom().close(seat.code, visitor_id())
    except RefusedError as refusal:
        st.session_state[_REFUSED] = membership.refusal_text(refusal)


def show_class_guesses(
    lesson: Lesson, seat: Seat, axis: dict, mine: float | None, cases: tuple[Case, Case]
) -> None:
    """Show the guesses of the class with the outcome, once the room is closed.

    Args:
        lesson: The lesson.
        seat: The seat in the room.
        axis: The vertical axis of the chart.
        mine: The visitor's own guess.
        cases: What was known, and what was asked.
    """
    try:
        values = classroom().guesses(seat.code)
    except RefusedError as refusal:
        st.error(membership.refusal_text(refusal))
        return
    before, after = cases
    number = lesson.number
    if number:
        figure = charts_guesses.numbers(
            values,
            axis,
            number,
            outcome=texts.median_truth(lesson, after),
            outcome_name=texts.outcome_label(lesson, after),
            mine=mine,
        )
    else:
        chosen = None
        if mine is not None:
            chosen = int(mine)
        figure = charts_guesses.choices(
            values,
            lesson.options("Guess"),
            right=lesson.correct_option(before, after),
            mine=chosen,
        )
    summary = texts.class_summary(lesson, values, before, after)
    chart = widgets.Chart(name="class", figure=figure, alt=summary, height=HEIGHT)
    widgets.board([[chart]], key=f"lesson.{lesson.name}.class", name="class")
    st.caption(summary)
