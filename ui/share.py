"""The tab *Share*: link, tables, programs and a folder that stands alone; and what a saved picture says of itself."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import fields
from datetime import date
from functools import partial
from typing import Any
from urllib.parse import urlencode

import streamlit as st

from lab.label import sections, why_void
from lab.links import brief
from lab.settings import Settings
from ui import compare, takeaway
from ui.controls import Desk
from ui.handout import Handout
from ui.page import Page
from ui.qr_code import QR_ALT, elsewhere, qr
from ui.texts import SAYS

# Of every run it is said how often it was repeated, and with which seed.
ALWAYS = ("epsilon", "repeats", "seed")


def address(desk: Desk) -> str:
    """Return the link of what is shown, which is the address of the page at rest."""
    return f"{(st.context.url or '').split('?')[0]}?{urlencode(desk.address, doseq=True)}"


def told(page: Page, desk: Desk, *, always: Collection[str] = ALWAYS, without: str = "") -> str:
    """Return the settings in words: all choices, and of the knobs what differs from the default, and those of
    ``always`` that the page has; all ``without`` one."""
    settings, asked = desk.settings, getattr(desk.settings, "settings", None)  # those that a question is about
    knobs = page.at(settings).sliders(settings)
    changes, unused = knobs.changes, {"epsilon"} - {knobs.hero, *knobs.main, *knobs.more} if asked is None else set()
    said: dict[str, str] = {}
    for one in (settings, asked) if isinstance(asked, Settings) else (settings,):
        usual = type(one)()
        for name in (field.name for field in fields(one) if field.name not in (*said, *unused, without)):
            value = getattr(one, name)
            if name in desk.choices:
                pair = compare.choice_words(name, value, desk.choices)
            else:
                pair = compare.knob_words(name, value, changes)
            if pair and (name in desk.choices or name in always or value != getattr(usual, name)):
                said[name] = " ".join(pair)
    return ", ".join(said.values())


def paper(page: Page, desk: Desk) -> dict[str, Any]:
    """Return what a saved picture says of itself under its chart, and what its file is called."""
    void = desk.settings.void
    warned = f" VOID: {void}; nothing is guaranteed." * bool(void)
    return {
        "stem": _stem(page, desk.settings),
        "lines": [f"Epsilon Lab: {page.question}{warned}", told(page, desk), address(desk)],
    }


def link_and_code(desk: Desk) -> tuple[str, str]:
    """Show the link of what is shown, and its code; return the link, and the one that others can open."""
    link = address(desk)
    known = elsewhere(link)
    words, code = st.columns([4, 1])
    with words:
        st.markdown(SAYS["share.same"])
        st.code(link, language=None, wrap_lines=True)
        if known:
            st.markdown(SAYS["share.network"])
            st.code(known, language=None, wrap_lines=True)
    with code:
        st.image(qr(known or link), caption="QR code", alt=QR_ALT)
    return link, known or link


def share(desk: Desk, page: Page, result: Any) -> None:
    """Show link and code of it, numbers, which are put into frames when they are asked for, and programs."""
    link, open_to_others = link_and_code(desk)
    files = _files(handed_out(desk, page, result, link=link, code=qr(open_to_others)))
    with st.container(horizontal=True):
        for label, (file, mime, icon, made) in files.items():
            st.download_button(
                label, data=made, file_name=file, mime=mime, on_click="ignore", icon=f":material/{icon}:"
            )
    st.caption(SAYS["share.handout"])


def _stem(page: Page, settings: Settings) -> str:
    return takeaway.stem(page.name, brief(settings))


def handed_out(desk: Desk, page: Page, result: Any, *, link: str, code: str) -> Handout:
    """Return what a result is handed out as, today, with its link and the drawing of it."""
    knobs, version = page.sliders(desk.settings), takeaway.version(desk.settings)
    words = told(page, desk, always=(knobs.hero, *knobs.main, *knobs.more))
    return Handout(
        page=page,
        result=result,
        told=words,
        link=link,
        code=code,
        version=version,
        date=date.today().isoformat(),
        **known(desk),
    )


def on_label(desk: Desk, page: Page, result: Any) -> list[str]:
    """Return what a print of the page says of its privacy label: the summary, settings compared."""
    blank: dict[str, Any] = dict.fromkeys(("told", "link", "code", "version", "date"), "")
    one = Handout(page=page, result=result, **blank, **known(desk))
    named, said = {name: words for one in sections().values() for name, words in one.items()}, one.stated.said
    lines = [f"{named[name]}: {said[name]}" for name in ("summary", "tuning") if name in said]
    return [*lines, *([SAYS["share.one_run"]] if one.searched else [])]


def known(desk: Desk) -> dict[str, Any]:
    """Return what this session knows of a release: fields of ``Handout``."""
    table = getattr(getattr(desk.settings, "own", None), "table", None)
    if table is None:
        return {}
    return {"searched": len(table.compared), "tries": desk.tries}


def _files(handout: Handout) -> Mapping[str, tuple[str, str, str, Any]]:
    settings, page, result, link = handout.settings, handout.page, handout.result, handout.link
    stem = _stem(page, settings)
    tables = {
        f"{stem}_{name.lower().replace(' ', '-')}.csv": _table(frame, f"{page.question} {name}", settings, link)
        for name, frame in page.frames(result).items()
    }
    packed = partial(
        takeaway.bundle,
        settings,
        page=page.name,
        question=page.question,
        link=link,
        estimator=page.code(settings) if page.code else "",
        void=why_void(settings, handout.stated),
        files=handout.files() | {f"tables/{name}": made for name, made in tables.items()},
    )
    found: dict[str, tuple[str, str, str, Any]] = {
        "Handout (zip)": (f"{stem}.zip", "application/zip", "folder_zip", packed),
        "Privacy label (HTML)": (f"{stem}_label.html", "text/html", "verified_user", handout.label_html),
    }
    for name, file in zip(page.frames(result), tables, strict=True):
        found[f"{name} (CSV)"] = file, "text/csv", "download", tables[file]
    return found


def _table(frame: Callable[[], Any], title: str, settings: Settings, link: str) -> Callable[[], str]:
    return lambda: takeaway.table(frame(), title=title, settings=settings, link=link)
