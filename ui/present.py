"""A page presented (``?present=1``): one picture, three numbers, one knob, the verdict as the
heading, all of it large.

It is the page itself with less on it, so it stays live. ``stops`` are where Page Down and Page Up
go.
"""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lab.links import APART, brief, versioned, word
from lab.settings import Settings
from ui import controls
from ui.controls import FIRST_PICTURE, Desk
from ui.live import Knob, serving
from ui.page import Knobs, Page, Rows, always
from ui.panels import Number
from ui.plot.theme import number, written
from ui.texts import SAYS

_MOST_STOPS = 6
_SENTENCE = re.compile(r"[.!?](?:</b>)? (?=[A-Z0-9<“])")
_WORD, _STEP = "present", "step"


@lru_cache(maxsize=256)
def staged(page: Page, picture: str) -> Page:
    """Return ``page`` as it is presented, with this picture alone; with its first one if it has
    none of this name.
    """

    def only(result: Any) -> Rows:
        every = {one.name: one for row in page.pictures(result) for one in row}
        return [
            [
                replace(
                    every.get(picture) or next(iter(every.values())), height=0, wide=1.0, pair=False
                )
            ]
        ]

    def variant(settings: Any) -> Page | None:
        other = page.variant(settings) if page.variant else None
        return staged(other, picture) if other else None

    def hero(settings: Any) -> Knobs:
        whole = page.sliders(settings)
        return Knobs(hero=whole.hero, changes=whole.changes)

    return replace(
        page,
        aside=always(None),
        knobs=hero,
        numbers=lambda result: three(page.numbers(result)),
        words={"verdict": lambda result: heading(page.words["verdict"](result))},
        pictures=only,
        tabs=(),
        variant=variant,
        asked=None,
    )


def three(numbers: Sequence[Number]) -> Sequence[Number]:
    """Return at most three of the tiles: without the dots of single runs, or else without the
    third.
    """
    if len(numbers) < 4:
        return numbers
    out = next((one for one in numbers if "lab-dots" in one.mark), numbers[2])
    return [one for one in numbers if one is not out][:3]


def heading(verdict: str) -> str:
    """Return its first sentence as the heading, the others under it.

    >>> heading("Privacy costs <b>2 points</b>. A run may fail.")
    '<h1>Privacy costs <b>2 points</b>.</h1><p>A run may fail.</p>'
    """
    ends = (match.end() for match in _SENTENCE.finditer(verdict))
    end = next(
        (end for end in ends if verdict.count("<b>", 0, end) == verdict.count("</b>", 0, end)),
        len(verdict),
    )
    return f"<h1>{verdict[:end].strip()}</h1><p>{verdict[end:].strip()}</p>"


def begun(desk: Desk) -> Settings:
    """Return where the presentation began, which the address holds from then on."""
    picture, fixed, origin = desk.shown[_WORD].partition(APART)
    if not fixed:
        desk.shown[_WORD] = f"{picture}{APART}{word(desk.settings)}"
        return desk.settings
    parts = origin.split(APART)
    return controls.from_link(
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
        there, refused = controls.moved(desk.settings, knob.name, value)
        if not refused:
            places[there] = f"{knob.label} {_written(value)}"
    return places


def hero_of(page: Page, settings: Any) -> Knob:
    """Return the one knob of a presented page."""
    knobs = page.at(settings).sliders(settings)
    return controls.knob(knobs.hero, settings.limits, **knobs.changes.get(knobs.hero, {}))


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
            moved, refused = controls.moved(here, hero, getattr(there, hero))
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
        serving.mount("present", act, css="present.css", key=key, data=data)


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
