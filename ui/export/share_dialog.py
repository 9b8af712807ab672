"""The buttons *Share* and *Handout*: link, tables, and a folder that needs no lab."""

import math
from collections.abc import Callable
from dataclasses import fields, replace
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lab.experiment.links import minimal_texts
from lab.experiment.settings import Settings
from lab.label.label import why_void
from ui.compute.runner import compute
from ui.export import archive
from ui.export.handout import Handout
from ui.page import differences
from ui.page.page import Page
from ui.server.page_address import network_link, page_address
from ui.server.qr_code import QR_ALT, qr
from ui.session.address import MORE
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.text.texts import SAYS

# Sliders that are stated at their defaults too: how often a run was repeated, and with which seed.
_ALWAYS_STATED = ("epsilon", "repeats", "seed")


def address(state: PageState) -> str:
    """Return the link of what is shown, with the open tab but without folded-out settings."""
    parameters = dict(state.address_params)
    parameters.pop(MORE, None)
    return f"{page_address()}?{urlencode(parameters)}"


def settings_text(page: Page, state: PageState, *, without: str = "") -> str:
    """Return the settings in words: all choices, and the sliders that differ from their defaults.

    Args:
        page: The page.
        state: Its state.
        without: A field to leave out.
    """
    settings = state.settings
    layout = page.at(settings).slider_layout(settings)
    left_out = {without}
    parts = [settings]
    # The planner's settings hold those that its question is about.
    topic_settings = getattr(settings, "topic_settings", None)
    if topic_settings is not None:
        parts.append(topic_settings)
    elif "epsilon" not in layout.all:
        left_out.add("epsilon")
    texts: dict[str, str] = {}
    for part in parts:
        for name, words in _setting_texts(part, state, layout).items():
            if name not in left_out:
                texts.setdefault(name, words)
    return ", ".join(texts.values())


def _setting_texts(settings: Settings, state: PageState, layout: SliderLayout) -> dict[str, str]:
    """Return field -> its label and value, of choices and of sliders that are worth stating."""
    defaults = type(settings)()
    texts = {}
    for field in fields(settings):
        name = field.name
        value = getattr(settings, name)
        words = None
        if name in state.choices:
            words = differences.choice_texts(name, value, state.choices)
        elif name in _ALWAYS_STATED or value != getattr(defaults, name):
            words = differences.slider_texts(name, value, layout.changes)
        if words is not None:
            texts[name] = " ".join(words)
    return texts


def saved_chart_notes(page: Page, state: PageState, void: str) -> dict[str, Any]:
    """Return the lines under a saved chart, and the stem of its file name.

    Args:
        page: The page.
        state: Its state.
        void: Why the label says that nothing is guaranteed; "" if something is.
    """
    title = f"Epsilon Lab: {page.info.question}"
    if void:
        title += f" VOID: {void}; nothing is guaranteed."
    return {
        "stem": _stem(page, state.settings),
        "lines": [title, settings_text(page, state), address(state)],
    }


def why_void_of(page: Page, result: Any) -> str:
    """Return why the label of a result says that nothing is guaranteed; "" if something is."""
    return why_void(result.settings, labels.complete(page.exports.label(result), result.settings))


def handout_button(state: PageState, page: Page, *, ready: bool) -> None:
    """Show the button that downloads the handout, and finishes what is not computed yet.

    Args:
        state: The state of the page.
        page: The page.
        ready: Whether there are rows to compute from.
    """
    # A copy: the state may move on before the button is pressed.
    shown_state = replace(state)
    link = address(state)

    def make_zip() -> bytes:
        result, _ = compute(shown_state.settings, seconds=math.inf)
        code = _qr_code(shown_state, link)
        return bundle(handout_of(shown_state, page, result, link=link, code=code))

    st.download_button(
        "Handout",
        data=make_zip,
        file_name=f"{_stem(page, shown_state.settings)}.zip",
        mime="application/zip",
        on_click="ignore",
        icon=":material/download:",
        key=f"{state.page}/handout",
        disabled=not ready,
        help=SAYS["share.handout"],
    )


def share_button(state: PageState, page: Page, *, ready: bool) -> None:
    """Show the button that opens link, QR code and downloads.

    Args:
        state: The state of the page.
        page: The page.
        ready: Whether there are rows to compute from; without rows there is the link alone.
    """
    with st.popover(
        "Share", icon=":material/link:", key=f"{state.page}/share", on_change="rerun"
    ) as popover:
        if not popover.open:
            return
        with st.container(key="shared"):
            _link_and_code(state)
            if ready:
                _downloads(state, page)


def _qr_code(state: PageState, link: str) -> str:
    """Return the QR code of a link; "" if it does not open an uploaded file."""
    if state.settings.uses_file:
        return ""
    return qr(network_link(link) or link)


def _link_and_code(state: PageState) -> None:
    """Show the link and its QR code, for other devices where they reach this computer."""
    link = address(state)
    if state.settings.uses_file:  # nobody else can open the uploaded file
        st.markdown(SAYS["share.own"])
        _show_link(link)
        return
    link_for_others = network_link(link)
    links_area, code_area = st.columns([4, 1])
    with links_area:
        st.markdown(SAYS["share.same"])
        _show_link(link)
        if link_for_others:
            st.markdown(SAYS["share.network"])
            _show_link(link_for_others)
    with code_area:
        st.image(qr(link_for_others or link), caption="QR code", alt=QR_ALT)


def _show_link(link: str) -> None:
    """Show a link with a button that copies it."""
    st.code(link, language=None, wrap_lines=True)


def _downloads(state: PageState, page: Page) -> None:
    """Show a button for the privacy label and for each table."""
    result, _ = compute(state.settings, seconds=0)
    link = address(state)
    handout = handout_of(state, page, result, link=link, code=_qr_code(state, link))
    label_file = f"{_stem(page, state.settings)}_label.html"
    with st.container(horizontal=True):
        _download(
            "Privacy label (HTML)", label_file, "text/html", "verified_user", handout.label_html
        )
        for name, (file, make_table) in tables(handout).items():
            _download(f"{name} (CSV)", file, "text/csv", "download", make_table)
    st.caption(SAYS["share.charts"])


def _download(label: str, file: str, mime: str, icon: str, data: Callable[[], str]) -> None:
    st.download_button(
        label, data=data, file_name=file, mime=mime, on_click="ignore", icon=f":material/{icon}:"
    )


def _stem(page: Page, settings: Settings) -> str:
    return archive.file_stem(page.name, minimal_texts(settings))


def handout_of(state: PageState, page: Page, result: Any, *, link: str, code: str) -> Handout:
    """Return the handout of a result, dated today.

    Args:
        state: The state of the page.
        page: The page.
        result: The result.
        link: Address of the page.
        code: The address as a QR code (HTML); "" for none.
    """
    return Handout(
        page=page,
        result=result,
        settings_text=settings_text(page, state),
        link=link,
        code=code,
        version=archive.version(state.settings),
        date=date.today().isoformat(),
    )


def bundle(handout: Handout) -> bytes:
    """Return the folder of a handout (zip): sheet, label, tables and a script for the numbers."""
    settings = handout.settings
    page = handout.page
    files = handout.files()
    for file, make_table in tables(handout).values():
        files[f"tables/{file}"] = make_table
    estimator = ""
    if page.exports.code:
        estimator = page.exports.code(settings)
    return archive.bundle(
        settings,
        page=page.name,
        question=page.info.question,
        link=handout.link,
        estimator=estimator,
        void=why_void(settings, handout.stated),
        files=files,
    )


def tables(handout: Handout) -> dict[str, tuple[str, Callable[[], str]]]:
    """Return name of a table -> its file name, and the function that makes its CSV."""
    settings = handout.settings
    page = handout.page
    stem = _stem(page, settings)
    csv_tables: dict[str, tuple[str, Callable[[], str]]] = {}
    for name, make_frame in page.exports.downloads(handout.result).items():
        file = f"{stem}_{name.lower().replace(' ', '-')}.csv"
        title = f"{page.info.question} {name}"
        csv_tables[name] = (file, partial(_csv, make_frame, title, handout))
    return csv_tables


def _csv(make_frame: Callable[[], Any], title: str, handout: Handout) -> str:
    return archive.table(make_frame(), title=title, settings=handout.settings, link=handout.link)
