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

from lab.experiment.links import brief
from lab.experiment.settings import Settings
from lab.label.label import searched, sections, why_void
from ui.compute.runner import compute
from ui.export import archive
from ui.export.handout import Handout
from ui.page import comparison
from ui.page.page import Page
from ui.server.qr_code import QR_ALT, elsewhere, qr
from ui.session.page_state import MORE, TAB, Desk
from ui.text import labels
from ui.text.texts import SAYS

# Of every run it is said how often it was repeated, and with which seed.
ALWAYS = ("epsilon", "repeats", "seed")


def address(desk: Desk, *, with_tab: bool = False) -> str:
    """Return the link of what is shown: without what was folded out, and without the open tab
    unless asked for.
    """
    kept = {name: value for name, value in desk.address.items() if name not in (TAB, MORE)}
    if with_tab and TAB in desk.shown:
        kept[TAB] = desk.shown[TAB]
    return f"{(st.context.url or '').split('?')[0]}?{urlencode(kept)}"


def told(page: Page, desk: Desk, *, always: Collection[str] = ALWAYS, without: str = "") -> str:
    """Return the settings in words: all choices, and of the knobs what differs from the default,
    and those of ``always`` that the page has; all ``without`` one.
    """
    settings, asked = (
        desk.settings,
        getattr(desk.settings, "settings", None),
    )  # those that a question is about
    knobs = page.at(settings).sliders(settings)
    changes, unused = (
        knobs.changes,
        {"epsilon"} - {knobs.hero, *knobs.main, *knobs.more} if asked is None else set(),
    )
    said: dict[str, str] = {}
    for one in (settings, asked) if isinstance(asked, Settings) else (settings,):
        usual = type(one)()
        for name in (
            field.name for field in fields(one) if field.name not in (*said, *unused, without)
        ):
            value = getattr(one, name)
            if name in desk.choices:
                pair = comparison.choice_words(name, value, desk.choices)
            else:
                pair = comparison.knob_words(name, value, changes)
            if pair and (name in desk.choices or name in always or value != getattr(usual, name)):
                said[name] = " ".join(pair)
    return ", ".join(said.values())


def paper(page: Page, desk: Desk, void: str = "") -> dict[str, Any]:
    """Return what a saved picture says of itself under its chart, and what its file is called.

    void: why the label says that nothing is guaranteed, where settings alone do not say so.
    """
    void = void or desk.settings.void
    warned = f" VOID: {void}; nothing is guaranteed." * bool(void)
    return {
        "stem": _stem(page, desk.settings),
        "lines": [f"Epsilon Lab: {page.question}{warned}", told(page, desk), address(desk)],
    }


def why_void_of(desk: Desk, page: Page, result: Any) -> str:
    """Return why the label of a result says that nothing is guaranteed, or ""."""
    return why_void(
        result.settings, labels.complete(page.label(result), result.settings, tries=desk.tries)
    )


def handout_button(desk: Desk, page: Page, *, ready: bool) -> None:
    """Show the button that downloads the handout; it finishes what is not computed yet.

    ready: whether there are rows to compute from.
    """
    shown = replace(desk)  # as it is now: the desk may move on before the button is pressed
    link = address(desk)

    def packed() -> bytes:
        result, _ = compute(shown.settings, seconds=math.inf)
        return bundle(handed_out(shown, page, result, link=link, code=_code(desk, link)))

    st.download_button(
        "Handout",
        data=packed,
        file_name=f"{_stem(page, shown.settings)}.zip",
        mime="application/zip",
        on_click="ignore",
        icon=":material/download:",
        key=f"{desk.page}/handout",
        disabled=not ready,
        help=SAYS["share.handout"],
    )


def share_button(desk: Desk, page: Page, *, ready: bool) -> None:
    """Show the button that opens link, QR code and downloads.

    ready: as of ``handout_button``; without rows there is the link alone.
    """
    with st.popover(
        "Share", icon=":material/link:", key=f"{desk.page}/share", on_change="rerun"
    ) as popover:
        if not popover.open:
            return
        with st.container(key="shared"):
            _link_and_code(desk, page)
            if ready:
                _downloads(desk, page)


def _code(desk: Desk, link: str) -> str:
    """Return the drawing of a link, "" where a visitor's own file is not in it."""
    return "" if desk.settings.private else qr(elsewhere(link) or link)


def _link_and_code(desk: Desk, page: Page) -> None:
    with_tab = False
    titles = {tab.name: tab.title for tab in page.all_tabs[1:]}
    tab = desk.shown.get(TAB)
    if tab in titles:
        with_tab = st.checkbox(SAYS("share.tab", tab=titles[tab]), key=f"{desk.page}/share.tab")
    link = address(desk, with_tab=with_tab)
    if desk.settings.private:  # nobody else can open it
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


def _downloads(desk: Desk, page: Page) -> None:
    """Show a button for the privacy label and for each table."""
    result, _ = compute(desk.settings, seconds=0)
    link = address(desk)
    handout = handed_out(desk, page, result, link=link, code=_code(desk, link))
    stem = _stem(page, desk.settings)
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
    return archive.stem(page.name, brief(settings))


def handed_out(desk: Desk, page: Page, result: Any, *, link: str, code: str) -> Handout:
    """Return what a result is handed out as, today, with its link and the drawing of it."""
    knobs = page.sliders(desk.settings)
    return Handout(
        page=page,
        result=result,
        told=told(page, desk, always=(knobs.hero, *knobs.main, *knobs.more)),
        link=link,
        code=code,
        version=archive.version(desk.settings),
        date=date.today().isoformat(),
        tries=desk.tries,
    )


def on_label(desk: Desk, page: Page, result: Any) -> list[str]:
    """Return what a print of the page says of its privacy label: the summary, settings compared."""
    blank: dict[str, Any] = dict.fromkeys(("told", "link", "code", "version", "date"), "")
    one = Handout(page=page, result=result, **blank, tries=desk.tries)
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
