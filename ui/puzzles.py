"""Puzzles: settings are to be found at which a page's big numbers keep what is asked; read from ``puzzles.toml``."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st

from dpcore.check import RefusedError
from lab import links
from lab.links import versioned
from lab.settings import Settings
from ui import debounce, page_links, seats
from ui.classroom import classroom
from ui.controls import PUZZLE, Desk
from ui.panels import Number
from ui.texts import SAYS, flowing

Ends = Sequence[float]
# The round of a room that has counted this session.
_COUNTED = "puzzle.counted"


@dataclass(frozen=True, kw_only=True)
class Puzzle:
    """One puzzle, with the fields of ``puzzles.toml``."""

    name: str
    ask: str
    link: str
    kept: Sequence[str]
    solution: str
    tiles: Mapping[str, Ends]
    limits: Mapping[str, Ends] = field(default_factory=dict)

    @property
    def page(self) -> str:
        return self.link.partition("?")[0]

    @property
    def query(self) -> dict[str, str]:
        """Return what an address needs to begin it."""
        return dict(parse_qsl(self.link.partition("?")[2])) | {PUZZLE: self.name}

    def start(self, kind: type[Settings], **more: str) -> Settings:
        """Return the settings that it begins with, and ``more`` of them."""
        settings, _ = links.read(kind, {name: text for name, text in self.query.items() if name != PUZZLE} | more)
        return settings

    def solved(self, settings: Settings, numbers: Sequence[Number]) -> bool:
        """Return whether a page with these settings and big numbers solves it."""
        begun = self.start(type(settings))
        same = all(getattr(settings, name) == getattr(begun, name) for name in self.kept)
        bounded = all(low <= getattr(settings, name) <= high for name, (low, high) in self.limits.items())
        return same and bounded and all(self._keeps(numbers[int(place)], ends) for place, ends in self.tiles.items())

    @staticmethod
    def _keeps(number: Number, ends: Ends) -> bool:
        return number.amount is not None and ends[0] <= number.amount <= ends[1]


@cache
def puzzles() -> Mapping[str, Puzzle]:
    """Return all puzzles by name, in their order."""
    read = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    return {name: Puzzle(name=name, **fields | {"ask": flowing(fields["ask"])}) for name, fields in read.items()}


def card(desk: Desk, numbers: Sequence[Number], *, done: bool) -> None:
    """Show the puzzle that the address names, and whether it is solved here, once all runs are ``done``."""
    puzzle = puzzles().get(desk.shown.get(PUZZLE, ""))
    if puzzle is None or puzzle.page != desk.page:
        return
    solved = done and puzzle.solved(desk.settings, numbers)
    if solved:
        st.success(f"{puzzle.ask} {SAYS['puzzle.solved']}", icon=":material/check:")
    else:
        st.info(puzzle.ask, icon=":material/extension:")
    here = seats.at(desk.shown.get(seats.ROOM, ""))
    if here is None or here.room is None or here.teaches:
        _teach(desk, puzzle, here)
        return
    if here.asks(puzzle):
        st.caption(_counted(puzzle, here, solved=solved))
    else:
        page_links.way("lessons", SAYS["puzzle.elsewhere"], {seats.ROOM: here.code})
    seats.follow(here)


def _teach(desk: Desk, puzzle: Puzzle, here: seats.Seat | None) -> None:
    """Let a teacher ask a class, and see how many have solved it."""
    there = here is not None and here.room is not None
    if here and here.asks(puzzle):
        _board(puzzle, here.code)
    elif st.button(
        "Ask the class this" if there else "Ask a class",
        icon=":material/groups:",
        type="tertiary",
        key=f"{desk.page}/class",
        help=SAYS["puzzle.open"],
    ):
        try:
            if here and there:
                classroom().ask(here.code, seats.me(), puzzle.name)
            else:
                desk.shown[seats.ROOM] = classroom().open(puzzle.name, seats.me())
        except RefusedError as refusal:
            st.error(seats.refused(refusal))
            return
        debounce.again()


@st.fragment(run_every=seats.TEACHER)
def _board(puzzle: Puzzle, code: str) -> None:
    room = classroom().look(code)
    if room is None or room.question != puzzle.name:
        st.rerun()
    with st.container(border=True, key="puzzle-room"):
        st.html(seats.board(room, "solved"))
        with st.popover("Link for the class", icon=":material/qr_code:", type="tertiary"):
            seats.invite(versioned(puzzle.query), code)


def _counted(puzzle: Puzzle, here: seats.Seat, *, solved: bool) -> str:
    """Count in the room, once, that this visitor has solved it; return what is to be said of that."""
    if solved and st.session_state.get(_COUNTED) != here.now:
        try:
            classroom().guess(here.code, puzzle.name, seats.me(), 1.0)
        except RefusedError as refusal:
            return seats.refused(refusal)
        st.session_state[_COUNTED] = here.now
    case = "counted" if st.session_state.get(_COUNTED) == here.now else "counts"
    return SAYS(f"puzzle.{case}", code=here.code)


def offer(room: str) -> None:
    """Show links to all puzzles, which stay in the ``room`` of a class, if not ""."""
    with st.expander(SAYS["puzzle.all"]):
        for puzzle in puzzles().values():
            query = puzzle.query | ({seats.ROOM: room} if room else {})
            page_links.way(puzzle.page, puzzle.ask, query, icon=":material/extension:")


def open_in(here: seats.Seat) -> None:
    """Go to the puzzle that the room asks, if it asks one."""
    puzzle = puzzles().get(here.room.question if here.room else "")
    if puzzle is not None:
        query = versioned(puzzle.query | {seats.ROOM: here.code})
        st.switch_page(page_links.to(puzzle.page), query_params=query)
