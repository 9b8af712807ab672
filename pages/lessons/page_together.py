"""A class together: everybody guesses in a room, and the guesses of all stand beside the outcome once it is closed.

An address holds the room's code only: who teaches is known by a cookie of their browser, also after a reload.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from urllib.parse import urlencode

import streamlit as st

from dpcore.check import RefusedError
from pages.lessons import figures
from pages.lessons import words as say
from pages.lessons.lessons import Case, Lesson
from pages.lessons.page_linked import Linked
from ui import live
from ui.classroom import LETTERS_A_CODE, Room, classroom, owner, someone
from ui.plot import guesses
from ui.qr_code import elsewhere, qr
from ui.waiting_room import browser

ROOM = "room"
# Seconds between two looks at the room: of who teaches, and of all who wait for them.
TEACHER, CLASS = 1.0, 2.0
# So many more make everybody look a second later: a look is a run of the page for the server.
CROWD = 100
HEIGHT = 300
_ME, _USED = "lessons.someone", "lessons.key_used"


@dataclass(frozen=True)
class Seat:
    """One's place in a ``room``, None where there is none any more; ``teaches``: whether they may close it."""

    code: str
    teaches: bool
    room: Room | None

    def asks(self, lesson: Lesson) -> bool:
        return self.room is not None and self.room.question == lesson.name

    def open(self, lesson: Lesson) -> bool:
        return self.room is not None and self.asks(lesson) and not self.room.closed

    @property
    def now(self) -> tuple[str, int]:
        """Return what tells a question of this room from the one before."""
        return self.code, self.room.round if self.room else 0


def me() -> int:
    """Return the number of this visitor: of their browser, or below 0, of this session, where it sends no cookie."""
    if _ME not in st.session_state:
        word = browser(st.context.cookies)
        st.session_state[_ME] = owner(word) if word else someone()
    return st.session_state[_ME]


def seat() -> Seat | None:
    """Return the place that the address names. A key in it is used up and taken out."""
    text = st.query_params.get(ROOM, "")
    if not text:
        return None
    code, _, key = text[:64].partition(".")
    code = code.strip().upper()
    room = classroom().look(code)
    if key:
        st.query_params[ROOM] = code
        known = room is None or classroom().claim(code, key, me()) or classroom().teaches(code, me())
        st.session_state[_USED] = not known
    return Seat(code, classroom().teaches(code, me()), room)


def key_was_used() -> bool:
    """Return, once, whether somebody came with a key that opens nothing."""
    return st.session_state.pop(_USED, False)


def join() -> None:
    form = st.form("lessons.join", border=False, width="content")
    with form, st.container(horizontal=True, vertical_alignment="center"):
        st.markdown(say.JOIN, width="content")
        code = st.text_input(
            "Code of a room", max_chars=LETTERS_A_CODE, label_visibility="collapsed", placeholder="Code", width=110
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
    """Let the teacher open a room about this lesson, or ask it in the open room. Return why not, where that is
    refused."""
    name = f"lesson.{lesson.name}.room"
    if here is None or here.room is None:
        if st.button("Ask a class", icon=":material/groups:", type="tertiary", key=f"{name}.open", help=say.OPEN):
            try:
                st.query_params[ROOM] = classroom().open(lesson.name, me())
            except RefusedError as refusal:
                return say.refused(refusal)
            st.rerun()
    elif not here.teaches:
        label = f"Leave room {here.code}"
        st.button(label, icon=":material/logout:", type="tertiary", key=f"{name}.leave", on_click=leave)
    elif not here.open(lesson):
        label = "Ask the class again" if here.asks(lesson) else "Ask the class this"
        if st.button(label, icon=":material/groups:", type="tertiary", key=f"{name}.ask"):
            classroom().ask(here.code, me(), lesson.name)
            st.rerun()
    return ""


@st.fragment(run_every=TEACHER)
def teach(lesson: Lesson, here: Seat) -> None:
    """Show the teacher the code, its picture, the number of guesses, and how to close the question."""
    room = classroom().look(here.code)
    if room is None or room.closed:
        st.rerun()
    with st.container(border=True, key="lesson-room"):
        st.html(say.room(room))
        # a link in a link makes a code that a phone can hardly read; the room knows what it asks
        _link(here.code, {} if isinstance(lesson, Linked) else {"lesson": lesson.name})
        if me() < 0:
            st.warning(say.NAMELESS_TEACHER)
        if st.button("Close and show", type="primary", key=f"lesson.{lesson.name}.close"):
            classroom().close(here.code, me())
            st.rerun()
        more = st.popover("Teach on another device", type="tertiary", on_change="rerun", key="lesson.carry")
        if more.open:
            with more:
                st.caption(say.CARRY)
                _link(f"{here.code}.{classroom().key(here.code, me())}", {"lesson": lesson.name})


def _link(room: str, more: Mapping[str, str]) -> None:
    link = f"{(st.context.url or '').split('?')[0]}?{urlencode({**more, ROOM: room})}"
    known = elsewhere(link) or link
    drawn = f'<div class="lab-room-link">{qr(known)}<span>{escape(known)}</span></div>'
    st.markdown(drawn, unsafe_allow_html=True)  # st.html leaves drawings out


def follow(here: Seat) -> None:
    """Let the class follow the room to its next step; the larger the class, the later each browser asks."""
    many = here.room.guesses if here.room else 0
    st.fragment(_follow, run_every=CLASS + many / CROWD)(here)


def _follow(here: Seat) -> None:
    room = classroom().look(here.code)
    if (room and (room.round, room.closed)) != (here.room and (here.room.round, here.room.closed)):
        st.rerun()


def guesses_of_all(lesson: Lesson, here: Seat, axis: dict, mine: float | None, cases: tuple[Case, Case]) -> None:
    """The guesses of all beside the outcome, once the room is closed; ``axis``: that of the chart, upwards."""
    values, one, after = classroom().guesses(here.code), lesson.number, cases[1]
    if one:
        outcome = figures.Outcome(say.centre(lesson, after), say.named(lesson, after), guesses.TONES[one.tone])
        figure = figures.numbers(
            values, axis, ends=lesson.ends(values, after), unit=one.unit, outcome=outcome, mine=mine
        )
    else:
        place = None if mine is None else int(mine)
        figure = figures.choices(values, lesson.options("Guess"), right=lesson.right(*cases), mine=place)
    said = say.of_all(lesson, values, *cases)
    picture = live.Picture(name="class", figure=figure, alt=said, height=HEIGHT)
    live.board([[picture]], key=f"lesson.{lesson.name}.class", name="class")
    st.caption(said)
