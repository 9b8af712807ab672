"""Puzzles: settings are to be found at which a page's big numbers keep what is asked; read from ``puzzles.toml``."""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from urllib.parse import parse_qsl

import streamlit as st

from lab import links
from lab.settings import Settings
from ui import page_links
from ui.controls import PUZZLE, Desk
from ui.panels import Number
from ui.texts import SAYS, flowing

Ends = Sequence[float]


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
    if done and puzzle.solved(desk.settings, numbers):
        st.success(f"{puzzle.ask} {SAYS['puzzle.solved']}", icon=":material/check:")
    else:
        st.info(puzzle.ask, icon=":material/extension:")


def offer() -> None:
    """Show links to all puzzles."""
    with st.expander(SAYS["puzzle.all"]):
        for puzzle in puzzles().values():
            page_links.way(puzzle.page, puzzle.ask, puzzle.query, icon=":material/extension:")
