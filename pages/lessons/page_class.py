"""A class together: everybody guesses in a room, and the guesses of all stand beside the outcome
once it is closed.
"""

import streamlit as st

from dpcore.check import RefusedError
from pages.lessons import charts
from pages.lessons import texts as say
from pages.lessons.lessons import Case, Lesson
from ui import widgets
from ui.charts import guesses
from ui.classroom import membership
from ui.classroom.membership import ROOM, Seat, me
from ui.classroom.rooms import LETTERS_A_CODE, classroom

HEIGHT = 300
_USED = "lessons.key_used"
_REFUSED = "lessons.room_refused"


def seat() -> Seat | None:
    """Return the place that the address names.

    A key in it is used up and taken out. Raise RefusedError.
    """
    code, _, key = st.query_params.get(ROOM, "").partition(".")
    here = membership.at(code)
    if here is None or not key:
        return here
    st.query_params[ROOM] = here.code
    st.session_state[_USED] = not (
        here.room is None or classroom().claim(here.code, key, me()) or here.teaches
    )
    return membership.at(code)


def key_was_used() -> bool:
    """Return, once, whether somebody came with a key that opens nothing."""
    return st.session_state.pop(_USED, False)


def join() -> None:
    form = st.form("lessons.join", border=False, width="content")
    with form, st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say.JOIN, width="content")
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
    st.query_params.pop(ROOM, None)


def send(here: Seat, lesson: Lesson, value: float) -> RefusedError | None:
    """Put a guess into the room; return why it was not taken, if so."""
    try:
        classroom().guess(here.code, lesson.name, me(), float(value))
    except RefusedError as refusal:
        return refusal
    return None


def offer(lesson: Lesson, here: Seat | None) -> str:
    """Let the teacher open a room about this lesson, or ask it in the open room. Return why not,
    where that is refused.
    """
    name = f"lesson.{lesson.name}.room"
    if here is None or here.room is None:
        if st.button(
            "Ask a class",
            icon=":material/groups:",
            type="tertiary",
            key=f"{name}.open",
            help=say.OPEN,
        ):
            try:
                st.query_params[ROOM] = classroom().open(lesson.name, me())
            except RefusedError as refusal:
                return membership.refused(refusal)
            st.rerun()
    elif not here.teaches:
        label = f"Leave room {here.code}"
        st.button(
            label, icon=":material/logout:", type="tertiary", key=f"{name}.leave", on_click=leave
        )
    elif not here.open(lesson):
        label = "Ask the class again" if here.asks(lesson) else "Ask the class this"
        if st.button(label, icon=":material/groups:", type="tertiary", key=f"{name}.ask"):
            try:
                classroom().ask(here.code, me(), lesson.name)
            except RefusedError as refusal:
                return membership.refused(refusal)
            st.rerun()
    return ""


@st.fragment(run_every=membership.TEACHER)
def teach(lesson: Lesson, here: Seat) -> None:
    """Show the teacher the code, its picture, the number of guesses, and how to close the
    question.
    """
    room = membership.look(here.code)
    if room is None or room.closed:
        st.rerun()
    with st.container(border=True, key="lesson-room"):
        st.html(membership.board(room, "guess" if room.guesses == 1 else "guesses"))
        membership.invite({"lesson": lesson.name}, here.code)
        if me() < 0:
            st.warning(say.NAMELESS_TEACHER)
        # a callback: the next look may interrupt a run
        st.button(
            "Close and show",
            type="primary",
            key=f"lesson.{lesson.name}.close",
            on_click=_close,
            args=(here,),
        )
        refused = st.session_state.pop(_REFUSED, "")
        if refused:
            st.error(refused)
        more = st.popover(
            "Teach on another device", type="tertiary", on_change="rerun", key="lesson.carry"
        )
        if more.open:
            with more:
                _carry(lesson, here)


def _close(here: Seat) -> None:
    try:
        classroom().close(here.code, me())
    except RefusedError as refusal:
        st.session_state[_REFUSED] = membership.refused(refusal)


def _carry(lesson: Lesson, here: Seat) -> None:
    """Show the link that lets another device of the teacher teach."""
    try:
        key = classroom().key(here.code, me())
    except RefusedError as refusal:
        st.error(membership.refused(refusal))
        return
    st.caption(say.CARRY)
    membership.invite({"lesson": lesson.name}, f"{here.code}.{key}")


def guesses_of_all(
    lesson: Lesson, here: Seat, axis: dict, mine: float | None, cases: tuple[Case, Case]
) -> None:
    """The guesses of all beside the outcome, once the room is closed; ``axis``: that of the chart,
    upwards.
    """
    try:
        values = classroom().guesses(here.code)
    except RefusedError as refusal:
        st.error(membership.refused(refusal))
        return
    one, after = lesson.number, cases[1]
    if one:
        outcome = charts.Outcome(
            say.centre(lesson, after), say.named(lesson, after), guesses.TONES[one.tone]
        )
        figure = charts.numbers(
            values, axis, ends=lesson.ends(values, after), unit=one.unit, outcome=outcome, mine=mine
        )
    else:
        place = None if mine is None else int(mine)
        figure = charts.choices(
            values, lesson.options("Guess"), right=lesson.right(*cases), mine=place
        )
    said = say.of_all(lesson, values, *cases)
    picture = widgets.Chart(name="class", figure=figure, alt=said, height=HEIGHT)
    widgets.board([[picture]], key=f"lesson.{lesson.name}.class", name="class")
    st.caption(said)
