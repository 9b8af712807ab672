"""*Share* and *Handout*: link, tables and a folder that stands alone; and what a saved picture says
of itself.
"""

import math
from collections.abc import Callable, Collection
from dataclasses import fields, replace
from datetime import date
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lab.experiment.links import minimal_texts
from lab.experiment.settings import Settings
from lab.label.label import searched, sections, why_void
from ui.compute.runner import compute
from ui.export import archive
from ui.export.handout import Handout
from ui.page import differences
from ui.page.page import Page
from ui.server.qr_code import QR_ALT, elsewhere, qr
from ui.session.address import MORE, TAB
from ui.session.page_state import PageState
from ui.text import labels
from ui.text.texts import SAYS

# Of every run it is said how often it was repeated, and with which seed.
ALWAYS = ("epsilon", "repeats", "seed")


def address(state: PageState, *, with_tab: bool = False) -> str:
    """Return the link of what is shown: without what was folded out, and without the open tab
    unless asked for.
    """
    kept = {name: value for name, value in state.address_params.items() if name not in (TAB, MORE)}
    if with_tab and TAB in state.address.view:
        kept[TAB] = state.address.view[TAB]
    return f"{(st.context.url or '').split('?')[0]}?{urlencode(kept)}"


def told(
    page: Page, state: PageState, *, always: Collection[str] = ALWAYS, without: str = ""
) -> str:
    """Return the settings in words: all choices, and of the sliders what differs from the default,
    and those of ``always`` that the page has; all ``without`` one.
    """
    settings, asked = (
        state.settings,
        getattr(state.settings, "topic_settings", None),
    )  # those that a question is about
    sliders = page.at(settings).slider_layout(settings)
    changes, unused = (
        sliders.changes,
        {"epsilon"} - {sliders.hero, *sliders.main, *sliders.more} if asked is None else set(),
    )
    said: dict[str, str] = {}
    for one in (settings, asked) if isinstance(asked, Settings) else (settings,):
        usual = type(one)()
        for name in (
            field.name for field in fields(one) if field.name not in (*said, *unused, without)
        ):
            value = getattr(one, name)
            if name in state.choices:
                pair = differences.choice_texts(name, value, state.choices)
            else:
                pair = differences.slider_texts(name, value, changes)
            if pair and (name in state.choices or name in always or value != getattr(usual, name)):
                said[name] = " ".join(pair)
    return ", ".join(said.values())


def paper(page: Page, state: PageState, void: str = "") -> dict[str, Any]:
    """Return what a saved picture says of itself under its chart, and what its file is called.

    void: why the label says that nothing is guaranteed, where settings alone do not say so.
    """
    void = void or state.settings.void
    warned = f" VOID: {void}; nothing is guaranteed." * bool(void)
    return {
        "stem": _stem(page, state.settings),
        "lines": [f"Epsilon Lab: {page.question}{warned}", told(page, state), address(state)],
    }


def why_void_of(state: PageState, page: Page, result: Any) -> str:
    """Return why the label of a result says that nothing is guaranteed, or ""."""
    return why_void(
        result.settings, labels.complete(page.label(result), result.settings, tries=state.tries)
    )


def handout_button(state: PageState, page: Page, *, ready: bool) -> None:
    """Show the button that downloads the handout; it finishes what is not computed yet.

    ready: whether there are rows to compute from.
    """
    shown = replace(state)  # as it is now: the page state may move on before the button is pressed
    link = address(state)

    def packed() -> bytes:
        result, _ = compute(shown.settings, seconds=math.inf)
        return bundle(handed_out(shown, page, result, link=link, code=_code(state, link)))

    st.download_button(
        "Handout",
        data=packed,
        file_name=f"{_stem(page, shown.settings)}.zip",
        mime="application/zip",
        on_click="ignore",
        icon=":material/download:",
        key=f"{state.page}/handout",
        disabled=not ready,
        help=SAYS["share.handout"],
    )


def share_button(state: PageState, page: Page, *, ready: bool) -> None:
    """Show the button that opens link, QR code and downloads.

    ready: as of ``handout_button``; without rows there is the link alone.
    """
    with st.popover(
        "Share", icon=":material/link:", key=f"{state.page}/share", on_change="rerun"
    ) as popover:
        if not popover.open:
            return
        with st.container(key="shared"):
            _link_and_code(state, page)
            if ready:
                _downloads(state, page)


def _code(state: PageState, link: str) -> str:
    """Return the drawing of a link, "" where a visitor's own file is not in it."""
    return "" if state.settings.private else qr(elsewhere(link) or link)


def _link_and_code(state: PageState, page: Page) -> None:
    with_tab = False
    titles = {tab.name: tab.title for tab in page.all_tabs[1:]}
    tab = state.address.view.get(TAB)
    if tab in titles:
        with_tab = st.checkbox(SAYS("share.tab", tab=titles[tab]), key=f"{state.page}/share.tab")
    link = address(state, with_tab=with_tab)
    if state.settings.private:  # nobody else can open it
        st.markdown(SAYS["share.own"])
        st.code(link, language=None, wrap_lines=True)
        return
    for_others = elsewhere(link)
    words, code = st.columns([4, 1])
    with words:
        st.markdown(SAYS["share.same"])
        st.code(link, language=None, wrap_lines=True)
        if for_others:
            st.markdown(SAYS["share.network"])
            st.code(for_others, language=None, wrap_lines=True)
    with code:
        st.image(qr(for_others or link), caption="QR code", alt=QR_ALT)


def _downloads(state: PageState, page: Page) -> None:
    """Show a button for the privacy label and for each table."""
    result, _ = compute(state.settings, seconds=0)
    link = address(state)
    handout = handed_out(state, page, result, link=link, code=_code(state, link))
    stem = _stem(page, state.settings)
    with st.container(horizontal=True):
        _download(
            "Privacy label (HTML)",
            f"{stem}_label.html",
            "text/html",
            "verified_user",
            handout.label_html,
        )
        for name, (file, table) in tables(handout).items():
            _download(f"{name} (CSV)", file, "text/csv", "download", table)
    st.caption(SAYS["share.charts"])


def _download(label: str, file: str, mime: str, icon: str, data: Callable[[], str]) -> None:
    st.download_button(
        label, data=data, file_name=file, mime=mime, on_click="ignore", icon=f":material/{icon}:"
    )


def _stem(page: Page, settings: Settings) -> str:
    return archive.stem(page.name, minimal_texts(settings))


def handed_out(state: PageState, page: Page, result: Any, *, link: str, code: str) -> Handout:
    """Return what a result is handed out as, today, with its link and the drawing of it."""
    sliders = page.slider_layout(state.settings)
    return Handout(
        page=page,
        result=result,
        told=told(page, state, always=(sliders.hero, *sliders.main, *sliders.more)),
        link=link,
        code=code,
        version=archive.version(state.settings),
        date=date.today().isoformat(),
        tries=state.tries,
    )


def on_label(state: PageState, page: Page, result: Any) -> list[str]:
    """Return what a print of the page says of its privacy label: the summary, settings compared."""
    blank: dict[str, Any] = dict.fromkeys(("told", "link", "code", "version", "date"), "")
    one = Handout(page=page, result=result, **blank, tries=state.tries)
    named, said = (
        {name: words for one in sections().values() for name, words in one.items()},
        one.stated.said,
    )
    lines = [f"{named[name]}: {said[name]}" for name in ("summary", "tuning") if name in said]
    return [*lines, *([SAYS["share.one_run"]] if searched(one.settings) else [])]


def bundle(handout: Handout) -> bytes:
    """Return the folder of a handout (zip): sheet, label, tables and a script that prints the
    numbers.
    """
    settings, page = handout.settings, handout.page
    packed = {f"tables/{file}": table for file, table in tables(handout).values()}
    return archive.bundle(
        settings,
        page=page.name,
        question=page.question,
        link=handout.link,
        estimator=page.code(settings) if page.code else "",
        void=why_void(settings, handout.stated),
        files=handout.files() | packed,
    )


def tables(handout: Handout) -> dict[str, tuple[str, Callable[[], str]]]:
    """Return name -> (file, what makes its CSV) of each table of a result."""
    settings, page = handout.settings, handout.page
    stem = _stem(page, settings)
    found = {}
    for name, frame in page.frames(handout.result).items():
        file = f"{stem}_{name.lower().replace(' ', '-')}.csv"
        found[name] = file, _table(frame, f"{page.question} {name}", settings, handout.link)
    return found


def _table(
    frame: Callable[[], Any], title: str, settings: Settings, link: str
) -> Callable[[], str]:
    return lambda: archive.table(frame(), title=title, settings=settings, link=link)
