"""Lay out a page of a topic, from its heading to how it works.

A run of the whole page shows what stands around its live part: heading, choices, notices and the
address. While a slider moves, only the live part runs again (a Streamlit fragment).
"""

from collections.abc import Iterable
from typing import Any

import streamlit as st

from lab.experiment.settings import Settings
from ui.compute import debounce
from ui.export.share_dialog import handout_button, share_button
from ui.layout import presenter, visible_sliders
from ui.layout.result import open_tab_name, show_result, tabs_key
from ui.page.page import Page
from ui.page.pin import pin_panel, pinned_settings, slider_marks
from ui.page.presenter_page import presenter_page
from ui.page.screen import Screen, make_screen
from ui.page.suggestion import suggestion_card
from ui.server import first_page
from ui.session import page_links
from ui.session.address import PRESENT, TAB
from ui.session.entries import ignored
from ui.session.page_state import PageState, current_state
from ui.session.panel import show_panel
from ui.session.reset_menu import reset_menu
from ui.session.widget_state import set_widget
from ui.uploads import rows

# The name of the drawer of further sliders and selectors.
MORE = "More settings"


def write_style() -> None:
    """Write the CSS rules of the layout; a browser that came by the first page has them already."""
    st.html(f"<style>{first_page.style_sheet()}</style>")


@debounce.page_run()
def show_page(page: Page, welcome: str = "") -> None:
    """Run the whole page.

    welcome: HTML that stands before the result, in place of the heading and of the choices.
    """
    state = current_state(page.name, page.settings)
    visible_sliders.check_link(page, state)
    if welcome:
        # The first page speaks for the whole lab, and is not presented.
        state.address.view.pop(PRESENT, None)
    if state.presented_chart:
        _show_presented(page, state)
    elif welcome:
        _show_with_welcome(page, state, welcome)
    else:
        _show_with_heading(page, state)


def _show_with_heading(page: Page, state: PageState) -> None:
    """Show the heading, the buttons beside it, the choices and the live part.

    The choices may change the settings, and the buttons are about those after them.
    """
    _link_to_lesson(state)
    st.title(page.at(state.settings).info.question)
    content = st.container(key="content")
    # By keyboard, the buttons come after the sliders.
    actions_area = st.container(key="head-actions", horizontal=True)
    with content:
        pinned = _show_notices_of_link(page, state)
        _show_choices(page, state)
    ready = rows.ready(state)
    with actions_area:
        _show_actions(page, state, ready=ready)
    with content:
        if ready:
            _write_address(page, state, pinned)
            _show_live_part(page, "")
        else:
            _show_more_choices(page, state)


def _show_with_welcome(page: Page, state: PageState, welcome: str) -> None:
    pinned = _show_notices_of_link(page, state)
    _write_address(page, state, pinned)
    with st.container(key="home"):
        _show_live_part(page, welcome)


def _link_to_lesson(state: PageState) -> None:
    """Show a link back to the lesson that this page was opened from."""
    lesson = state.address.view.get("lesson")
    if lesson:
        query = {"lesson": lesson, "step": state.address.view.get("step", "")}
        page_links.query_link("lessons", "Back to the lesson", query, icon=":material/arrow_back:")


def _show_notices_of_link(page: Page, state: PageState) -> Settings | None:
    """Open what a link names, and show what of it was ignored; return the pinned settings."""
    pinned = pinned_settings(page, state)
    _open_tab_of_link(page, state)
    _show_notices([*state.notices, *_ignored_question(page, state)])
    return pinned


def _open_tab_of_link(page: Page, state: PageState) -> None:
    """Open the tab that a link names, or the first one where it names none."""
    if not state.opens_tab or not page.content.tabs:
        return
    state.opens_tab = False
    tabs = page.at(state.settings).all_tabs
    titles = {tab.name: tab.title for tab in tabs}
    name = state.address.view.get(TAB, tabs[0].name)
    if name in titles:
        set_widget(tabs_key(page), titles[name])
        return
    del state.address.view[TAB]
    state.notices.append(ignored(TAB, name, f"one of: {', '.join(titles)}"))


def _ignored_question(page: Page, state: PageState) -> list[str]:
    """Return a notice for each part of a link's question that nobody can ask.

    A page without questions forgets it.
    """
    ask = state.address.ask
    if not ask or state.settings.uses_file:
        return []
    if page.question_tab is not None and page.question_tab.about(state.settings, "") is not None:
        return page.question_tab.ignored(state.settings, ask)
    state.address.ask = ""
    return ["The question in the link was ignored, because this page has no questions."]


def _show_notices(notices: Iterable[str]) -> None:
    for notice in notices:
        st.warning(notice, icon=":material/link_off:")


def _show_choices(page: Page, state: PageState) -> None:
    with st.container(key="setup", horizontal=True, vertical_alignment="center"):
        page.controls.choices(state)
        with st.container(
            key="resets", horizontal=True, horizontal_alignment="right", width="stretch"
        ):
            reset_menu(state)


def _show_actions(page: Page, state: PageState, *, ready: bool) -> None:
    """Show the buttons that present a page, download its handout and share its link."""
    if st.context.is_embedded:
        return
    present_page = page.at(state.settings)
    presenter.present_button(state)
    handout_button(state, present_page, ready=ready)
    share_button(state, present_page, ready=ready)


def _show_more_choices(page: Page, state: PageState) -> None:
    """Show the drawer of further choices, which lead to other data where a page lacks its own."""
    more_choices = page.at(state.settings).controls.more_choices
    if more_choices is not None:
        with st.expander(MORE):
            more_choices(state)


def _write_address(page: Page, state: PageState, pinned: Settings | None) -> None:
    screen = make_screen(
        page,
        state.settings,
        pinned,
        seconds=0,
        tab=open_tab_name(page),
        ask=state.address.ask,
    )
    state.write_address(done=screen.done)


@st.fragment
@debounce.page_run()
def _show_live_part(page: Page, welcome: str) -> None:
    """Show the result beside the sliders.

    The sliders are mounted last: their message tells the browser that all the rest has arrived.
    """
    state = current_state(page.name, page.settings)
    if not rows.are_available(state) or state.presented_chart:
        debounce.rerun_page()
    present_page = page.at(state.settings)
    pinned = pinned_settings(page, state)
    screen = _live_screen(page, state, pinned)
    area = st.container(key="screen")
    if welcome:
        area.container(key="welcome").html(welcome)
    side = area.container(key="side")
    main = area.container(key="main")
    with side.container(key="aside"):
        rows.offer_all_rows(state)
        if present_page.controls.aside is not None:
            present_page.controls.aside(state)
    sliders_area = side.container(key="sliders")
    below_sliders = side.container(key="beside")
    panel_area = sliders_area.container(key="panel")
    more_choices = present_page.controls.more_choices
    if more_choices is not None:
        with sliders_area.container(key="more"):
            more_choices(state)
    with main:
        tab = show_result(screen, state)
    _remember_tab(present_page, state, tab)
    with below_sliders:
        visible_sliders.offer_all(state)
        if present_page.content.tabs:
            pin_panel(state, pinned, screen)
    layout = visible_sliders.visible_layout(present_page, state)
    with side:
        suggestion = suggestion_card(present_page.controls.suggestion, state, layout)
    with panel_area:
        show_panel(
            state,
            layout,
            done=screen.done,
            channel=_channel_state(state, tab),
            marks=slider_marks(state.settings, pinned),
            selectors=more_choices is not None,
            suggestion=suggestion,
        )


def _live_screen(page: Page, state: PageState, pinned: Settings | None) -> Screen:
    """Return what the page shows after a slice of work."""
    return make_screen(
        page,
        state.settings,
        pinned,
        seconds=_slice_seconds(page.at(state.settings), state),
        tab=open_tab_name(page),
        ask=state.address.ask,
        resting=state.ack > 0 and not state.moving,
    )


def _remember_tab(page: Page, state: PageState, tab: str) -> None:
    """Write the open tab to the address, which needs no name for the first one."""
    if tab == page.all_tabs[0].name:
        tab = ""
    state.address.set_view_param(TAB, tab)


def _channel_state(state: PageState, tab: str) -> dict[str, Any] | None:
    """Return what a request on the channel is about; None with a visitor's own file."""
    if state.settings.uses_file:
        return None
    return state.request_state(tab)


def _slice_seconds(page: Page, state: PageState) -> float:
    """Return the CPU seconds that this run may compute beyond the essential work."""
    if state.moving:
        return page.slices.moving
    if state.ack > 0:
        return page.slices.resting
    return page.slices.first


def _show_presented(page: Page, state: PageState) -> None:
    # A presented page has no panel of pinned settings, but their notices.
    pinned_settings(page, state)
    stage_page = presenter_page(page, state.presented_chart)
    if state.notices:
        with st.container(key="stage-notices"):
            _show_notices(state.notices)
    if not rows.ready(state):
        # Return to the page itself, which shows what is missing.
        state.address.view.pop(PRESENT)
        st.rerun()
    screen = make_screen(stage_page, state.settings, None, seconds=stage_page.slices.first)
    state.write_address(done=screen.done)
    _show_stage(stage_page)
    presenter.show_presenter(page, state, screen.result)


@st.fragment
@debounce.page_run()
def _show_stage(page: Page) -> None:
    """Show a presented page.

    page: The page as ``presenter_page`` returns it.
    """
    state = current_state(page.name, page.settings)
    if not rows.are_available(state) or not state.presented_chart:
        debounce.rerun_page()
    seconds = _slice_seconds(page.at(state.settings), state)
    screen = make_screen(page, state.settings, None, seconds=seconds)
    presenter.show_stage(page, screen, state, _channel_state(state, ""))
