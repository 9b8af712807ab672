"""The frame of every page: the order of things on a screen, from the heading to how it works."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any
from urllib.parse import urlencode

import pandas as pd
import streamlit as st

from dpcore import papers
from ui import controls, delivery, live, pace
from ui.compute import compute
from ui.page import Page, Section, View
from ui.pins import pinned
from ui.plot import theme


def style() -> None:
    """The rules of the layout; a browser that came by the first page has them already."""
    st.html(f"<style>{delivery.rules()}</style>")


@pace.working()
def show(page: Page) -> None:
    """One run of the whole page; while a knob moves, only ``_moving`` runs again."""
    desk = controls.desk(page.name, page.settings)
    here = page.at(desk.settings)
    st.title(page.question)
    st.markdown(here.lead(desk.settings))
    _notices(desk.notices)
    page.setup(desk)
    if not page.ready(desk):
        return
    result, done = compute(desk.settings, seconds=here.slices.first)
    view = here.view(result)
    _legend(here.legend(result))
    desk.tell(done=done)
    _moving(page)
    for section in here.sections:
        _section(section, view, page.name)
    pinned(desk, verdict=view.words["verdict"], done=done)
    _folded("Share and download", "share", f"{page.name}.fold.share", lambda: _share(desk.settings, here, result))
    _folded("How it works", "school", f"{page.name}.fold.method", lambda: st.markdown(papers.cited(page.method)))


@st.fragment
@pace.working()
def _moving(page: Page) -> None:
    """All that moves while a slider moves, or while a knob plays: the knobs beside the words, the pictures, the cards.

    The knobs are mounted last: their message tells the browser that all the rest has arrived.
    """
    desk = controls.desk(page.name, page.settings)
    if not page.holds(desk):
        st.rerun()
    here = page.at(desk.settings)
    pause = here.slices.resting if desk.ack else here.slices.first
    result, done = compute(desk.settings, seconds=here.slices.moving if desk.moving else pause)
    view, knobs = here.view(result), here.knobs(desk.settings)
    says, channel = here.says(view), not here.private(desk.settings)
    left, right = st.columns([1, 3.1], gap="large")
    with right:
        _moving_words(says, "verdict", *(f"words-{name}" for name in here.above))
        live.board(view.rows, key=f"{page.name}.board", ack=desk.clicked, of=desk.place if channel else None)
        _moving_words(says, *(f"words-{name}" for name in here.below), "cards")
    with left.container(key="knobs"):
        desk.panel(done=done, channel=channel, **knobs._asdict())


def _moving_words(says: Mapping[str, str], *names: str) -> None:
    """An element for each, even where it has nothing to say yet."""
    for name in names:
        st.html(f'<div class="lab-{name}">{says[f".lab-{name}"]}</div>')


def _notices(sentences: Iterable[str]) -> None:
    """What a link held that was ignored."""
    for sentence in sentences:
        st.warning(sentence, icon=":material/link_off:")


def _legend(entries: Sequence[tuple[str, str, str]]) -> None:
    """One legend for all charts: (name, colour, dash)."""
    borders = {"solid": "solid", "dot": "dotted"}  # a border has no dashes of several lengths
    keys = "".join(
        f'<span class="lab-key"><i style="border-top-color:{theme.CSS.get(colour, colour)};'
        f'border-top-style:{borders.get(dash, "dashed")}"></i>{name}</span>'
        for name, colour, dash in entries
    )
    if keys:
        st.html(f"<div>{keys}</div>")


def _say(view: View, names: Iterable[str]) -> None:
    """What there is to say of these words: some have nothing to say until more is done."""
    for name in names:
        if view.words[name]:
            st.html(view.words[name])


def _section(section: Section, view: View, page: str) -> None:
    if section.heading:
        st.header(section.heading)
    words, beside = st.columns([1.9, 1], gap="large") if section.picture else (st.container(), None)
    with words:
        if section.drawn:  # st.html leaves drawings out
            st.markdown(view.words[section.word], unsafe_allow_html=True)
        else:
            _say(view, [section.word])
    if beside:
        with beside:
            live.board([[view.still[section.picture]]], key=f"{page}.{section.picture}")


@st.fragment
def _folded(label: str, icon: str, key: str, body: Callable[[], None]) -> None:
    """What is sent when somebody opens it: code and formulas need as much of the front end as all the rest."""
    fold = st.expander(label, icon=f":material/{icon}:", key=key, on_change="rerun")
    if fold.open:
        with fold:
            body()


def _share(settings: Any, page: Page, result: Any) -> None:
    """Link, numbers, which are put into frames when they are asked for, and programs that make them again."""
    link = f"{st.context.url or ''}".split("?")[0]
    st.markdown("This link opens the same settings and the same numbers:")
    st.code(f"{link}?{urlencode(asdict(settings))}", language=None, wrap_lines=True)
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


def _csv(frame):
    return lambda: pd.DataFrame(frame()).to_csv(index=False)


def script(settings: Any, *, module: str) -> str:
    """A program that prints the numbers of these settings; run it in a checkout."""
    kind = type(settings).__name__
    given = "".join(f"    {name}={value!r},\n" for name, value in asdict(settings).items())
    first = getattr(settings, "preparation", "")  # what must be there before, such as a file
    return (
        f"{first}from {module} import {kind}\n\nresult = {kind}(\n{given}).run()\nprint(result.table().to_string())\n"
    )
