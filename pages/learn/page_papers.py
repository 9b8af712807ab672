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
    """Show all papers with their parts."""
    page_by_name = {page.name: page for page in pages}
    st.title(QUESTION)
    st.caption(_TEXTS["works"])
    with st.container(key="works"):
        for key, parts in WORKS.items():
            title = papers.short(key)
            if key in BEYOND:
                title = f"Newer: {title}"
            st.header(title, anchor=key)
            st.markdown(papers.reference(key))
            st.markdown(_table(parts, page_by_name))


def _table(parts: Sequence[Part], pages: Mapping[str, Page]) -> str:
    """Return the parts of a paper as a table (Markdown)."""
    rows: list[Sequence[str]] = [HEADS, ["---"] * len(HEADS)]
    for part in parts:
        rows.append((f"**{part.part}**", part.says, part.holds, link(part, pages)))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def link(part: Part, pages: Mapping[str, Page]) -> str:
    """Return the link to where the lab shows a part (Markdown)."""
    if not part.page:
        return "–"
    page = pages[part.page]
    query = links.versioned(part.settings)
    tab_text = ""
    if part.tab:
        query = query | {TAB: part.tab}
        tab_text = f", *{_tab_title(page, part)}*"
    return f"[{page.info.title}]({part.page}?{urlencode(query)}){tab_text}"


def _tab_title(page: Page, part: Part) -> str:
    """Return the title of the tab that a part of a paper links to."""
    settings, _ = links.read(page.settings, part.settings)
    return next(tab.title for tab in page.at(settings).all_tabs if tab.name == part.tab)
