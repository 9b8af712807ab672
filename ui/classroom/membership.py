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
from ui.classroom import rooms
from ui.classroom.rooms import Room, anonymous_id, browser_id, classroom
from ui.classroom.visitor import visitor_word
from ui.server.page_address import network_link, page_address
from ui.server.qr_code import qr
from ui.text.texts import SAYS

ROOM = "room"
# Seconds between two readings of the room, by the teacher and by the class.
TEACHER_SECONDS = 1.0
CLASS_SECONDS = 2.0
# So many guesses make everybody read the room a second later, because each reading is a run of the
# page.
GUESSES_PER_SECOND = 100
_MAX_CODE = 64
_VISITOR = "room.visitor"


class Question(Protocol):
    """A lesson, which a room asks by its name."""

    @property
    def name(self) -> str: ...


@dataclass(frozen=True)
class Seat:
    """A visitor's seat in a room.

    Attributes:
        code: Code of the room.
        teaches: Whether the visitor may close its questions.
        room: The room; None if it is gone.
    """

    code: str
    teaches: bool
    room: Room | None

    def asks(self, question: Question) -> bool:
        """Return whether the room's question is this one."""
        return self.room is not None and self.room.question == question.name

    def open(self, question: Question) -> bool:
        """Return whether the room asks this question, and takes guesses."""
        return self.room is not None and self.asks(question) and not self.room.closed

    @property
    def current_round(self) -> tuple[str, int]:
        """Return the room's code and the number of its question."""
        if self.room is None:
            return self.code, 0
        return self.code, self.room.round


def visitor_id() -> int:
    """Return the number of this visitor's browser, or of the session where it has no cookie."""
    if _VISITOR not in st.session_state:
        word = visitor_word(st.context.cookies)
        if word:
            st.session_state[_VISITOR] = browser_id(word)
        else:
            st.session_state[_VISITOR] = anonymous_id()
    return st.session_state[_VISITOR]


def has_cookie() -> bool:
    """Return whether this visitor's browser has a cookie, so that it is known after a reload."""
    return visitor_id() >= 0


def seat_in(code: str) -> Seat | None:
    """Return the seat in the room with this code; None without a code.

    Raises:
        RefusedError: The file of rooms cannot be used.
    """
    code = code[:_MAX_CODE].strip().upper()
    if not code:
        return None
    room = classroom().read_room(code)
    return Seat(code, classroom().is_teacher(code, visitor_id()), room)


def read_room(code: str) -> Room | None:
    """Return the room with this code; None if there is none or it cannot be read."""
    try:
        return classroom().read_room(code)
    except RefusedError:
        return None


def refusal_text(refusal: RefusedError) -> str:
    """Return why a room was not opened, or refused a request."""
    return SAYS(
        f"room.{refusal.name}",
        value=refusal.value,
        rooms=rooms.MOST_ROOMS,
        own=rooms.MOST_OWN,
        guesses=rooms.MOST_GUESSES,
    )


def room_board(room: Room) -> str:
    """Return a room's code, large, and the number of its guesses (HTML)."""
    word = "guesses"
    if room.guesses == 1:
        word = "guess"
    return (
        f'<div class="lab-room"><span>Room</span> <b>{room.code}</b></div>'
        f'<div class="lab-room-count"><b>{room.guesses:,}</b> {word} so far</div>'
    )


def show_join_link(query: Mapping[str, str], code: str) -> None:
    """Show link and QR code of the room at this page with a query."""
    link = f"{page_address()}?{urlencode({**query, ROOM: code})}"
    link = network_link(link) or link
    html = f'<div class="lab-room-link">{qr(link)}<span>{escape(link)}</span></div>'
    st.markdown(html, unsafe_allow_html=True)  # st.html leaves drawings out


def poll_room(seat: Seat) -> None:
    """Rerun the page when the room changes; in a larger class each browser reads it less often."""
    guesses = 0
    if seat.room is not None:
        guesses = seat.room.guesses
    st.fragment(_rerun_on_change, run_every=CLASS_SECONDS + guesses / GUESSES_PER_SECOND)(seat)


def _rerun_on_change(seat: Seat) -> None:
    if _progress(read_room(seat.code)) != _progress(seat.room):
        st.rerun()


def _progress(room: Room | None) -> tuple[int, bool] | None:
    """Return what changes when a room goes on: its question, and whether it is closed."""
    if room is None:
        return None
    return room.round, room.closed
