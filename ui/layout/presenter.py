"""A page presented (``?present=1``): one picture, three numbers, one knob, the verdict as the
heading, all of it large.

It is the page itself with less on it, so it stays live. ``stops`` are where Page Down and Page Up
go.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lab.experiment.links import APART, brief, versioned, word
from lab.experiment.settings import Settings
from ui.page.page import Page
from ui.session import page_state
from ui.session.page_state import FIRST_PICTURE, Desk
from ui.text.numbers import number, written
from ui.text.texts import SAYS
from ui.widgets import Knob, assets

_MOST_STOPS = 6
_WORD, _STEP = "present", "step"


def begun(desk: Desk) -> Settings:
    """Return where the presentation began, which the address holds from then on."""
    picture, fixed, origin = desk.shown[_WORD].partition(APART)
    if not fixed:
        desk.shown[_WORD] = f"{picture}{APART}{word(desk.settings)}"
        return desk.settings
    parts = origin.split(APART)
    return page_state.from_link(
        type(desk.settings), dict(zip(parts[::2], parts[1::2], strict=False))
    )[0]


def stops(page: Page, desk: Desk) -> dict[Settings, str]:
    """Return settings -> name of the stop, in order: a few values of the hero knob, among them
    where it began.

    All other settings stay as they are, and may be of a file, which no address holds.
    """
    knob = hero_of(page, desk.settings)
    places = {}
    for value in sorted({*ticks(knob), getattr(begun(desk), knob.name)}):
        there, refused = page_state.moved(desk.settings, knob.name, value)
        if not refused:
            places[there] = f"{knob.label} {_written(value)}"
    return places


def hero_of(page: Page, settings: Any) -> Knob:
    """Return the one knob of a presented page."""
    knobs = page.at(settings).sliders(settings)
    return page_state.knob(knobs.hero, settings.limits, **knobs.changes.get(knobs.hero, {}))


def ticks(knob: Knob) -> list[float]:
    """Return a few round values along a knob: powers of ten of a logarithmic one, even steps of a
    linear one.
    """
    if knob.low == knob.high:
        return []
    if knob.scale == "log":
        powers = [10.0**power for power in range(-12, 13)]
        inside = [value for value in powers if knob.low * 0.999 <= value <= knob.high * 1.001]
        every = inside[:: -(-len(inside) // _MOST_STOPS)] if inside else [knob.low, knob.high]
    else:
        rough = max((knob.high - knob.low) / 5, knob.step)
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * times for times in (1, 2, 5, 10) if size * times >= rough * 0.99)
        first = math.ceil(knob.low / step - 1e-9)
        every = [
            float(f"{place * step:.12g}")
            for place in range(first, math.floor(knob.high / step + 1e-9) + 1)
        ]
    return [int(value) for value in every] if knob.whole else every


def _written(value: float) -> str:
    if abs(value) < 1e5:
        return written(value)
    return number(value)


def told(places: Mapping[Settings, str], *, hero: str) -> list[dict[str, Any]]:
    """Return the stops as the browser is told.

    link: what an address holds of it. moves: (field, value) pairs by which the live channel gets
    there from every other stop, or None where only the server can, as the hero knob changes other
    settings too.
    """
    alone = _hero_alone(list(places), hero)
    return [
        {
            "name": name,
            "link": urlencode(versioned(brief(settings))),
            "moves": [(hero, getattr(settings, hero))] if alone else None,
        }
        for settings, name in places.items()
    ]


def _hero_alone(places: Sequence[Settings], hero: str) -> bool:
    """Return whether a movement of the hero knob leads from each of these settings to each
    other.
    """
    for here in places:
        for there in places:
            moved, refused = page_state.moved(here, hero, getattr(there, hero))
            if refused or moved != there:
                return False
    return True


def arrived(desk: Desk, places: Mapping[Settings, str]) -> int:
    """Return the place of the stop where the page is or, since a knob was moved, of the one where
    it was; from 0.
    """
    if desk.settings in places:
        desk.shown[_STEP] = str([*places].index(desk.settings) + 1)
    step = desk.shown.get(_STEP, "")
    return min(int(step), len(places)) - 1 if step.isascii() and step.isdigit() and int(step) else 0


def presenter(page: Page, desk: Desk, places: Mapping[Settings, str], result: Any) -> None:
    """Show the buttons and keys of a presented screen, outside of all fragments; ``page`` is the
    whole one.

    The browser asks for a stop without ``moves`` by its place, for another picture by its name, and
    to leave.
    """
    here, settings, key = page.at(desk.settings), [*places], f"{page.name}.present"
    names = [one.name for row in here.pictures(result) for one in row]
    at = names.index(desk.presents) if desk.presents in names else 0

    def sent(name: str) -> Any:
        return (st.session_state.get(key) or {}).get(name)

    def go() -> None:
        place = sent("go")
        if type(place) is int and 0 <= place < len(settings):
            desk.take(settings[place])

    def show() -> None:
        if sent("picture") in names:
            _, fixed, origin = desk.shown[_WORD].partition(APART)
            desk.shown[_WORD] = sent("picture") + fixed + origin

    def leave() -> None:
        for name in (_WORD, _STEP):
            desk.shown.pop(name, None)

    data = {
        "stops": told(places, hero=here.sliders(desk.settings).hero),
        "at": arrived(desk, places),
        "pictures": [*names[at + 1 :], *names[:at]],
    }
    with st.container(key="presenter"):
        act = {"on_go_change": go, "on_picture_change": show, "on_leave_change": leave}
        assets.mount("present", act, css="page/presenter.css", key=key, data=data)


def marks(page: Page, settings: Settings) -> dict[str, list[tuple[float, str]]]:
    """Return a few round values on the track of the hero knob."""
    one = hero_of(page, settings)
    return {one.name: [(value, _written(value)) for value in ticks(one)]}


def door(desk: Desk) -> None:
    """Show the button that begins it, with its keys as help."""

    def begin() -> None:
        desk.shown[_WORD] = FIRST_PICTURE

    keys = SAYS["present.keys"]
    st.button(
        "Present", key=f"{desk.page}/begin", icon=":material/co_present:", on_click=begin, help=keys
    )
