"""Papers, checked: what they claim and what we reproduce"""

from collections.abc import Mapping, Sequence
from urllib.parse import urlencode

import streamlit as st

from lab import papers
from lab.experiment import links
from pages.learn.papers import BEYOND, WORKS, Part
from ui.page.page import Page
from ui.session.address import TAB
from ui.text.texts import Texts

QUESTION = "Papers, checked: what they claim and what we reproduce"
HEADS = ("Part", "Statement", "What holds", "In the lab")
_TEXTS = Texts(__file__)


def show(pages: Sequence[Page]) -> None:
    named = {page.name: page for page in pages}
    st.title(QUESTION)
    st.caption(_TEXTS["works"])
    with st.container(key="works"):
        for key, parts in WORKS.items():
            st.header("Newer: " * (key in BEYOND) + papers.short(key), anchor=key)
            st.markdown(papers.reference(key))
            st.markdown(_table(parts, named))


def _table(parts: Sequence[Part], pages: Mapping[str, Page]) -> str:
    lines = [HEADS, ["---"] * len(HEADS)]
    lines += [(f"**{one.part}**", one.says, one.holds, link(one, pages)) for one in parts]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def link(part: Part, pages: Mapping[str, Page]) -> str:
    """Return where the lab shows a part (markdown)."""
    if not part.page:
        return "–"
    page = pages[part.page]
    where, query = "", links.versioned(part.settings)
    if part.tab:
        where, query = f", *{_title(page, part)}*", query | {TAB: part.tab}
    return f"[{page.title}]({part.page}?{urlencode(query)}){where}"


def _title(page: Page, part: Part) -> str:
    settings, _ = links.read(page.settings, part.settings)
    return next(tab.title for tab in page.at(settings).all_tabs if tab.name == part.tab)
