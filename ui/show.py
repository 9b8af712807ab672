"""The frame of every page: the order of things on a screen, from the heading to how it works."""

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dpcore import papers
from ui import controls, delivery, live, pace
from ui.card import card, marks, pins_of
from ui.compare import Both, compare
from ui.page import FIRST, METHOD_TAB, SHARE_TAB, Page, Tab


def style() -> None:
    """The rules of the layout; a browser that came by the first page has them already."""
    st.html(f"<style>{delivery.rules()}</style>")


@pace.working()
def show(page: Page) -> None:
    """One run of the whole page; while a knob moves, only ``_moving`` runs again."""
    desk = controls.desk(page.name, page.settings)
    st.title(page.question)
    pins_of(page, desk)
    _notices(desk.notices)
    _setup(page, desk)
    if page.ready(desk):
        live_part(page, desk)


def live_part(page: Page, desk: controls.Desk, welcome: str = "") -> None:
    """All that shows a result, once it is there; the address says which. ``welcome``: HTML that stands before it."""
    ghost = pins_of(page, desk).ghost
    desk.tell(done=compare(page, desk.settings, ghost, seconds=page.at(desk.settings).slices.first).done)
    _moving(page, welcome)


def _setup(page: Page, desk: controls.Desk) -> None:
    """What makes another experiment, in one row, and at its end what every page has."""
    with st.container(key="setup", horizontal=True, vertical_alignment="center"):
        page.setup(desk)
        with st.container(key="resets", horizontal=True, horizontal_alignment="right", width="stretch"):
            desk.resets()


@st.fragment
@pace.working()
def _moving(page: Page, welcome: str) -> None:
    """All that shows a result: numbers, words, pictures and the open tab beside the knobs.

    The knobs are mounted last: their message tells the browser that all the rest has arrived.
    """
    desk = controls.desk(page.name, page.settings)
    if not page.holds(desk):
        st.rerun()
    here = page.at(desk.settings)
    pause = here.slices.resting if desk.ack else here.slices.first
    pins, seconds = pins_of(page, desk), here.slices.moving if desk.moving else pause
    both = compare(page, desk.settings, pins.ghost, seconds=seconds)
    screen = st.container(key="screen")
    if welcome:
        screen.container(key="welcome").html(welcome)
    left, right = screen.container(key="side"), screen.container(key="main")
    with right:
        tab = _result(both, desk)
    knobs_place, beside = left.container(key="knobs"), left.container(key="beside")
    if here.tabs:
        with beside:
            card(desk, pins, both)
    with knobs_place:
        channel = None if here.private(desk.settings) else desk.place(tab)
        knobs = here.knobs(desk.settings)._asdict()
        desk.panel(done=both.done, marks=marks(desk.settings, pins.ghost), channel=channel, **knobs)


def _result(both: Both, desk: controls.Desk) -> str:
    """The first screen, and under it the tab that is open, of which the name is returned."""
    page = both.page
    numbers, pictures, below = st.container(key="first"), st.container(key="pictures"), st.container(key="below")
    with below:
        opened, place = _tabs(page)
    says, boards = both.says(opened.name), both.boards(opened.name)
    of = None if page.private(desk.settings) else desk.place(opened.name)

    def say(*names: str, drawn: bool = False) -> None:
        """An element for each, even where it has nothing to say yet."""
        for name in names:
            html = f'<div class="lab-{name}">{says[f".lab-{name}"]}</div>'
            st.markdown(html, unsafe_allow_html=True) if drawn else st.html(html)  # st.html leaves drawings out

    with numbers:
        say("numbers", "verdict")
    with pictures:
        live.board(boards[FIRST], key=f"{page.name}.{FIRST}", ack=desk.clicked, of=of, name=FIRST)
        say(*(f"words-{name}" for name in page.captions))
    with place:
        say(*(f"words-{name}" for name in opened.words), drawn=opened.drawn)
        if opened.pictures:
            live.board(boards[opened.name], key=f"{page.name}.{opened.name}", of=of, name=opened.name)
        _always(opened, page, desk, both.result)
    return opened.name


def _tabs(page: Page) -> tuple[Tab, Any]:
    """(the tab that is open, its place); where there are none, an empty one."""
    if not page.tabs:
        return page.tab(""), st.container()
    titles = [tab.title for tab in page.all_tabs]
    places = st.tabs(titles, key=f"{page.name}.tabs", on_change="rerun")
    both = list(zip(page.all_tabs, places, strict=True))
    return next(((tab, place) for tab, place in both if place.open), both[0])


def _always(tab: Tab, page: Page, desk: controls.Desk, result: Any) -> None:
    """What is behind the tabs that every page has."""
    match tab:
        case tab if tab is METHOD_TAB:
            st.markdown(page.lead(desk.settings))
            st.markdown(papers.cited(page.method))
        case tab if tab is SHARE_TAB:
            _share(desk, page, result)


def _notices(sentences: Iterable[str]) -> None:
    """What a link held that was ignored."""
    for sentence in sentences:
        st.warning(sentence, icon=":material/link_off:")


def _share(desk: controls.Desk, page: Page, result: Any) -> None:
    """Link, numbers, which are put into frames when they are asked for, and programs that make them again."""
    settings, link = desk.settings, f"{st.context.url or ''}".split("?")[0]
    st.markdown("This link opens the same settings and the same numbers:")
    st.code(f"{link}?{urlencode(desk.address, doseq=True)}", language=None, wrap_lines=True)
    frames = {
        f"{name} (CSV)": (f"{page.name}-{name.lower().replace(' ', '-')}.csv", "text/csv", "download", _csv(frame))
        for name, frame in page.frames(result).items()
    }
    programs = {"Script (Python)": (f"{page.name}.py", "text/x-python", "code", script(settings, module=page.module))}
    if page.code is not None:
        programs["Estimator (Python)"] = f"{page.name}-estimator.py", "text/x-python", "code", page.code(settings)
    with st.container(horizontal=True):
        for label, (file, mime, icon, made) in (frames | programs).items():
            st.download_button(
                label, data=made, file_name=file, mime=mime, on_click="ignore", icon=f":material/{icon}:"
            )
    st.caption(
        "With the mouse over a picture, or by Tab, you find buttons that save it as PNG, as SVG, or as an HTML page "
        "that still zooms and tells its numbers."
    )


def _csv(frame: Callable[[], Any]) -> Callable[[], str]:
    return lambda: pd.DataFrame(frame()).to_csv(index=False)


def script(settings: Any, *, module: str) -> str:
    """A program that prints the numbers of these settings; run it in a checkout."""
    kind = type(settings).__name__
    given = "".join(f"    {name}={value!r},\n" for name, value in asdict(settings).items())
    first = getattr(settings, "preparation", "")  # what must be there before, such as a file
    return (
        f"{first}from {module} import {kind}\n\nresult = {kind}(\n{given}).run()\nprint(result.table().to_string())\n"
    )
