"""Show a result: its tiles, verdict and charts, and the tab that is open under them."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from lab import papers
from ui import widgets
from ui.export.share_dialog import saved_chart_notes, why_void_of
from ui.layout.question import show_question
from ui.page.page import Page
from ui.page.screen import Screen
from ui.page.tabs import ASK_TAB, METHOD_TAB, Tab
from ui.page.view import FIRST
from ui.session.page_state import PageState
from ui.text import glossary


def show_result(screen: Screen, state: PageState) -> str:
    """Show the first screen, and the open tab under it; return the tab's name."""
    page = screen.page
    first_area = st.container(key="first")
    charts_area = st.container(key="pictures")
    tabs_area = st.container(key="below")
    with tabs_area:
        tab, tab_area = _show_tabs(page)
    texts = screen.texts(tab.name)
    charts = screen.charts(tab.name)
    charts_of = None
    if not state.settings.uses_file:
        charts_of = state.request_state(tab.name)
    notes = saved_chart_notes(page, state, why_void_of(page, screen.result))
    with first_area:
        _show_text(texts, "numbers")
        _show_text(texts, "verdict")
        if page.content.actions is not None:
            page.content.actions(state, screen.result)
    with charts_area:
        widgets.board(
            charts[FIRST],
            key=f"{page.name}.{FIRST}",
            ack=state.click_ack,
            name=FIRST,
            of=charts_of,
            paper=notes,
        )
        for name in page.captions:
            _show_text(texts, f"words-{name}")
    with tab_area:
        for name in tab.texts:
            _show_text(texts, f"words-{name}")
        if tab is ASK_TAB and page.question_tab is not None:
            show_question(page.question_tab, state, screen)
        if tab.name in charts and tab.name != FIRST:
            widgets.board(
                charts[tab.name],
                key=f"{page.name}.{tab.name}",
                name=tab.name,
                of=charts_of,
                paper=notes,
            )
        if tab is METHOD_TAB:
            st.markdown(page.content.lead(state.settings))
            st.markdown(papers.cited(glossary.link_terms(page.method)))
    return tab.name


def _show_text(texts: dict[str, str], name: str) -> None:
    """Show the element of a text, even where it is still empty.

    Args:
        texts: CSS selector -> HTML.
        name: Ends the CSS class.
    """
    classes = f"lab-{name}"
    if name.startswith("words-"):
        classes += " lab-words"
    st.html(f'<div class="{classes}">{texts[f".lab-{name}"]}</div>')


def _show_tabs(page: Page) -> tuple[Tab, DeltaGenerator]:
    """Show the tabs; return the open one and its area, or an empty tab where there are none."""
    if not page.content.tabs:
        return page.tab(""), st.container()
    tabs = page.all_tabs
    titles = [tab.title for tab in tabs]
    areas = st.tabs(titles, key=tabs_key(page), on_change="rerun")
    for tab, area in zip(tabs, areas, strict=True):
        if area.open:
            return tab, area
    return tabs[0], areas[0]


def open_tab_name(page: Page) -> str:
    """Return the name of the open tab; "" before the page has shown its tabs."""
    title = st.session_state.get(tabs_key(page))
    for tab in page.all_tabs:
        if tab.title == title:
            return tab.name
    return ""


def tabs_key(page: Page) -> str:
    """Return the key of the page's tabs, whose value is the title of the open one."""
    return f"{page.name}.tabs"
