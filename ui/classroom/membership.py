"""A visitor's seat in the room of a class, and how a class finds the room.

An address holds the room's code only: who teaches is known by a cookie of their browser, also after
a reload.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Protocol
from urllib.parse import urlencode

import streamlit as st

from dpcore.check import RefusedError
from ui.classroom import rooms as limits
from ui.classroom.rooms import Room, classroom, owner, someone
from ui.classroom.visitor import visitor_word
from ui.server.qr_code import elsewhere, qr
from ui.text.texts import SAYS

ROOM = "room"
# Seconds between two looks at the room: of who teaches, and of all who wait for them.
TEACHER, CLASS = 1.0, 2.0
# So many more make everybody look a second later: a look is a run of the page for the server.
CROWD = 100
_ME = "room.someone"


class Question(Protocol):
    """A lesson, which a room asks by its name."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Seat:
    """One's place in a ``room``, None where there is none any more; ``teaches``: whether they may
    close it.
    """

    code: str
    teaches: bool
    room: Room | None

    def asks(self, question: Question) -> bool:
        return self.room is not None and self.room.question == question.name

    def open(self, question: Question) -> bool:
        return self.room is not None and self.asks(question) and not self.room.closed

    @property
    def now(self) -> tuple[str, int]:
        """Return what tells a question of this room from the one before."""
        return self.code, self.room.round if self.room else 0


def me() -> int:
    """Return the number of this visitor: of their browser, or below 0, of this session, where it
    sends no cookie.
    """
    if _ME not in st.session_state:
        word = visitor_word(st.context.cookies)
        st.session_state[_ME] = owner(word) if word else someone()
    return st.session_state[_ME]


def at(code: str) -> Seat | None:
    """Return the seat in the room with this code; None without a code. Raise RefusedError."""
    code = code[:64].strip().upper()
    if not code:
        return None
    room = classroom().enter(code, me())
    return Seat(code, classroom().teaches(code, me()), room)


def look(code: str) -> Room | None:
    """Return the room with this code; None where there is none, or it cannot be read."""
    try:
        return classroom().look(code)
    except RefusedError:
        return None


def refused(refusal: RefusedError) -> str:
    """Return why a room was not opened, or did not do what was asked."""
    most = {"rooms": limits.MOST_ROOMS, "own": limits.MOST_OWN, "guesses": limits.MOST_GUESSES}
    return SAYS(f"room.{refusal.name}", value=refusal.value, nameless=limits.MOST_NAMELESS, **most)


def board(room: Room, counted: str) -> str:
    """Return a room's code, large, and how many were ``counted``, HTML."""
    return (
        f'<div class="lab-room"><span>Room</span> <b>{room.code}</b></div>'
        f'<div class="lab-room-count"><b>{room.guesses:,}</b> {counted} so far</div>'
    )


def invite(query: Mapping[str, str], code: str) -> None:
    """Show the link and the picture that lead into the room, to the page here with this
    ``query``.
    """
    link = f"{(st.context.url or '').split('?')[0]}?{urlencode({**query, ROOM: code})}"
    known = elsewhere(link) or link
    drawn = f'<div class="lab-room-link">{qr(known)}<span>{escape(known)}</span></div>'
    st.markdown(drawn, unsafe_allow_html=True)  # st.html leaves drawings out


def follow(here: Seat) -> None:
    """Let the class follow the room to its next step; the larger the class, the later each browser
    asks.
    """
    many = here.room.guesses if here.room else 0
    st.fragment(_follow, run_every=CLASS + many / CROWD)(here)


def _follow(here: Seat) -> None:
    room = look(here.code)
    if (room and (room.round, room.closed)) != (here.room and (here.room.round, here.room.closed)):
        st.rerun()
