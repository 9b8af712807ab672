"""The tab *Share*: link, tables, programs and a folder that stands alone; and what a saved picture says of itself."""

from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from dpcore.experiment import Settings
from dpcore.links import brief
from ui import comparison, takeaway
from ui.controls import Desk
from ui.page import Page
from ui.reach import elsewhere, qr

# Of every run it is said how often it was repeated, and with which seed.
ALWAYS = ("epsilon", "repeats", "seed")


def address(desk: Desk) -> str:
    """The link of what is shown: what differs from the page's defaults, and its pins."""
    query = urlencode({**brief(desk.settings), **desk.beside}, doseq=True)
    return (st.context.url or "").split("?")[0] + (f"?{query}" if query else "")


def told(page: Page, desk: Desk) -> str:
    """The settings in words: all choices, and of the knobs what differs from the default, the runs and the seed."""
    settings, asked = desk.settings, getattr(desk.settings, "settings", None)  # those that a question is about
    choices = comparison.of_choices(desk.choices)
    knobs = comparison.of_knobs(page.knobs(settings).changes)
    said: dict[str, str] = {}
    for one in (settings, asked) if isinstance(asked, Settings) else (settings,):
        usual = type(one)()
        for name in (field.name for field in fields(one) if field.name not in said):
            value = getattr(one, name)
            pair = choices(name, value) if name in desk.choices else knobs(name, value)
            if pair and (name in desk.choices or name in ALWAYS or value != getattr(usual, name)):
                said[name] = " ".join(pair)
    return ", ".join(said.values())


def paper(page: Page, desk: Desk) -> dict[str, Any]:
    """What a saved picture says of itself under its chart, and what its file is called."""
    differs, void = brief(desk.settings), desk.settings.void
    warned = f" VOID: {void}; nothing is guaranteed." * bool(void)
    return {
        "stem": takeaway.stem(page.name, differs),
        "lines": [f"Epsilon Lab: {page.question}{warned}", told(page, desk), address(desk)],
    }


def share(desk: Desk, page: Page, result: Any) -> None:
    """Link and code of it, numbers, which are put into frames when they are asked for, and programs."""
    settings, link = desk.settings, address(desk)
    known = elsewhere(link)
    words, code = st.columns([4, 1])
    with words:
        st.markdown("This link opens the same settings and the same numbers:")
        st.code(link, language=None, wrap_lines=True)
        if known:
            st.markdown("On your network, if it lets others through to this machine:")
            st.code(known, language=None, wrap_lines=True)
    with code:
        st.image(qr(known or link), caption="The link, for a phone")
    _downloads(_files(settings, page, result, link))
    st.caption(
        "*Everything* is a folder whose script prints these numbers where the lab is not. With the mouse over a "
        "picture, or by Tab, you find buttons that save it as PNG, as SVG, or as an HTML page that still zooms and "
        "tells its numbers."
    )


def _files(settings: Settings, page: Page, result: Any, link: str) -> Mapping[str, tuple[str, str, str, Any]]:
    """Label -> (file, its kind, icon, what makes it)."""
    stem = takeaway.stem(page.name, brief(settings))
    tables = {
        f"{stem}_{name.lower().replace(' ', '-')}.csv": _table(frame, f"{page.question} {name}", settings, link)
        for name, frame in page.frames(result).items()
    }
    found: dict[str, tuple[str, str, str, Any]] = {
        f"{name} (CSV)": (file, "text/csv", "download", tables[file])
        for name, file in zip(page.frames(result), tables, strict=True)
    }
    found["Script (Python)"] = f"{stem}.py", "text/x-python", "code", takeaway.script(settings)
    if page.code is not None:
        found["Estimator (Python)"] = f"{stem}_estimator.py", "text/x-python", "code", page.code(settings)
    everything = partial(
        takeaway.bundle, settings, question=page.question, link=link, folder=f"epsilon-lab-{page.name}", tables=tables
    )
    found["Everything (zip)"] = f"{stem}.zip", "application/zip", "folder_zip", everything
    return found


def _table(frame: Callable[[], Any], title: str, settings: Settings, link: str) -> Callable[[], str]:
    return lambda: takeaway.table(frame(), title=title, settings=settings, link=link)


def _downloads(files: Mapping[str, tuple[str, str, str, Any]]) -> None:
    with st.container(horizontal=True):
        for label, (file, mime, icon, made) in files.items():
            st.download_button(
                label, data=made, file_name=file, mime=mime, on_click="ignore", icon=f":material/{icon}:"
            )
