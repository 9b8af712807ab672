"""A page presented (``?present=1``): one picture, three numbers, one slider, the verdict as the
heading, all of it large.

It is the page itself with less on it, so it stays live. ``stops`` are where Page Down and Page Up
go.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lab.experiment.links import SEPARATOR, compact, minimal_texts, versioned
from lab.experiment.settings import Settings
from ui.page.page import Page
from ui.session.entries import apply_move, from_link
from ui.session.page_state import FIRST_CHART, PageState
from ui.session.slider_layout import slider as slider_of
from ui.text.numbers import format_number, number
from ui.text.texts import SAYS
from ui.widgets import Slider, assets

_MOST_STOPS = 6
_WORD, _STEP = "present", "step"


def begun(state: PageState) -> Settings:
    """Return where the presentation began, which the address holds from then on."""
    picture, fixed, origin = state.address.view[_WORD].partition(SEPARATOR)
    if not fixed:
        state.address.view[_WORD] = f"{picture}{SEPARATOR}{compact(state.settings)}"
        return state.settings
    parts = origin.split(SEPARATOR)
    return from_link(type(state.settings), dict(zip(parts[::2], parts[1::2], strict=False)))[0]


def stops(page: Page, state: PageState) -> dict[Settings, str]:
    """Return settings -> name of the stop, in order: a few values of the hero slider, among them
    where it began.

    All other settings stay as they are, and may be of a file, which no address holds.
    """
    slider = hero_of(page, state.settings)
    places = {}
    for value in sorted({*ticks(slider), getattr(begun(state), slider.name)}):
        there, refused = apply_move(state.settings, slider.name, value)
        if not refused:
            places[there] = f"{slider.label} {_written(value)}"
    return places


def hero_of(page: Page, settings: Any) -> Slider:
    """Return the one slider of a presented page."""
    sliders = page.at(settings).slider_layout(settings)
    return slider_of(sliders.hero, settings.limits, **sliders.changes.get(sliders.hero, {}))


def ticks(slider: Slider) -> list[float]:
    """Return a few round values along a slider: powers of ten of a logarithmic one, even steps of a
    linear one.
    """
    if slider.low == slider.high:
        return []
    if slider.scale == "log":
        powers = [10.0**power for power in range(-12, 13)]
        inside = [value for value in powers if slider.low * 0.999 <= value <= slider.high * 1.001]
        every = inside[:: -(-len(inside) // _MOST_STOPS)] if inside else [slider.low, slider.high]
    else:
        rough = max((slider.high - slider.low) / 5, slider.step)
        size = 10.0 ** math.floor(math.log10(rough))
        step = next(size * times for times in (1, 2, 5, 10) if size * times >= rough * 0.99)
        first = math.ceil(slider.low / step - 1e-9)
        every = [
            float(f"{place * step:.12g}")
            for place in range(first, math.floor(slider.high / step + 1e-9) + 1)
        ]
    return [int(value) for value in every] if slider.whole else every


def _written(value: float) -> str:
    if abs(value) < 1e5:
        return format_number(value)
    return number(value)


def told(places: Mapping[Settings, str], *, hero: str) -> list[dict[str, Any]]:
    """Return the stops as the browser is told.

    link: what an address holds of it. moves: (field, value) pairs by which the live channel gets
    there from every other stop, or None where only the server can, as the hero slider changes other
    settings too.
    """
    alone = _hero_alone(list(places), hero)
    return [
        {
            "name": name,
            "link": urlencode(versioned(minimal_texts(settings))),
            "moves": [(hero, getattr(settings, hero))] if alone else None,
        }
        for settings, name in places.items()
    ]


def _hero_alone(places: Sequence[Settings], hero: str) -> bool:
    """Return whether a movement of the hero slider leads from each of these settings to each
    other.
    """
    for here in places:
        for there in places:
            moved, refused = apply_move(here, hero, getattr(there, hero))
            if refused or moved != there:
                return False
    return True


def arrived(state: PageState, places: Mapping[Settings, str]) -> int:
    """Return the place of the stop where the page is or, since a slider was moved, of the one where
    it was; from 0.
    """
    if state.settings in places:
        state.address.view[_STEP] = str([*places].index(state.settings) + 1)
    step = state.address.view.get(_STEP, "")
    return min(int(step), len(places)) - 1 if step.isascii() and step.isdigit() and int(step) else 0


def presenter(page: Page, state: PageState, places: Mapping[Settings, str], result: Any) -> None:
    """Show the buttons and keys of a presented screen, outside of all fragments; ``page`` is the
    whole one.

    The browser asks for a stop without ``moves`` by its place, for another picture by its name, and
    to leave.
    """
    here, settings, key = page.at(state.settings), [*places], f"{page.name}.present"
    names = [one.name for row in here.pictures(result) for one in row]
    at = names.index(state.presented_chart) if state.presented_chart in names else 0

    def sent(name: str) -> Any:
        return (st.session_state.get(key) or {}).get(name)

    def go() -> None:
        place = sent("go")
        if type(place) is int and 0 <= place < len(settings):
            state.replace_settings(settings[place])

    def show() -> None:
        if sent("picture") in names:
            _, fixed, origin = state.address.view[_WORD].partition(SEPARATOR)
            state.address.view[_WORD] = sent("picture") + fixed + origin

    def leave() -> None:
        for name in (_WORD, _STEP):
            state.address.view.pop(name, None)

    data = {
        "stops": told(places, hero=here.slider_layout(state.settings).hero),
        "at": arrived(state, places),
        "pictures": [*names[at + 1 :], *names[:at]],
    }
    with st.container(key="presenter"):
        act = {"on_go_change": go, "on_picture_change": show, "on_leave_change": leave}
        assets.mount("present", act, css="page/presenter.css", key=key, data=data)


def marks(page: Page, settings: Settings) -> dict[str, list[tuple[float, str]]]:
    """Return a few round values on the track of the hero slider."""
    one = hero_of(page, settings)
    return {one.name: [(value, _written(value)) for value in ticks(one)]}


def door(state: PageState) -> None:
    """Show the button that begins it, with its keys as help."""

    def begin() -> None:
        state.address.view[_WORD] = FIRST_CHART

    keys = SAYS["present.keys"]
    st.button(
        "Present",
        key=f"{state.page}/begin",
        icon=":material/co_present:",
        on_click=begin,
        help=keys,
    )
