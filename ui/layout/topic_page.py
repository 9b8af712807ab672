"""The frame of every page: the order of things on a screen, from the heading to how it works."""

from collections.abc import Iterable
from datetime import date
from html import escape
from typing import Any

import streamlit as st

from lab import papers
from lab.label.label import searched
from lab.sweeps.tuning_cost import best_of
from ui import widgets
from ui.compute import debounce
from ui.export.share_dialog import handout_button, on_label, paper, share_button, why_void_of
from ui.layout import presenter, visible_sliders
from ui.page.page import ANSWER, ASK_TAB, FIRST, GUARANTEE_TAB, METHOD_TAB, Page, QuestionTab, Tab
from ui.page.pin import pin_panel, pinned_settings, slider_marks
from ui.page.presenter_page import presenter_page
from ui.page.screen import Screen, make_screen, question_base
from ui.page.suggestion import suggestion_card
from ui.server import static_files
from ui.session import page_links, page_state
from ui.session.address import TAB
from ui.session.entries import ignored
from ui.session.panel import show_panel
from ui.session.reset_menu import reset_menu
from ui.session.widget_state import set_widget
from ui.text import glossary
from ui.text.numbers import delta
from ui.text.texts import SAYS
from ui.text.tiles import number
from ui.uploads import rows as my_rows

# What the drawer of further sliders and selectors is called.
MORE = "More settings"
# The mean number of tries whose best is offered in place of a search.
_TRIES = 12


def style() -> None:
    """Write the rules of the layout; a browser that came by the first page has them already."""
    st.html(f"<style>{static_files.rules()}</style>")


@debounce.page_run()
def show(page: Page, welcome: str = "") -> None:
    """Run the whole page once; while a parameter moves, only ``_moving`` runs again.

    welcome: HTML that stands before the result, in place of the heading and of the choices.
    """
    state = page_state.current_state(page.name, page.settings)
    visible_sliders.check_link(page, state)
    if welcome:  # it speaks for the whole lab
        state.address.view.pop("present", None)
    state.push_undo()
    if state.presented_chart:
        _presented(page, state)
        return
    if not welcome:
        _to_lesson(state)
        st.title(page.at(state.settings).question)
        head = st.container(key="head-actions", horizontal=True)
    other = pinned_settings(page, state)
    _open_linked(page, state)
    _notices([*state.notices, *_unasked(page, state)])
    if not welcome:
        _setup(page, state)
    ready = page.ready(state)
    if not welcome:
        with head:
            _head(page, state, ready=ready)
    if ready:
        state.write_address(
            done=make_screen(
                page, state.settings, other, seconds=0, tab=_opened(page), **_asked(state)
            ).done
        )
        if welcome:
            with st.container(key="home"):
                _moving(page, welcome)
        else:
            _moving(page, welcome)
    elif more := page.at(state.settings).more:
        with st.expander(MORE):  # the way to other data
            more(state)


def _head(page: Page, state: page_state.PageState, *, ready: bool) -> None:
    """Show what can be done with a page, in the head of the screen: present it, take it away, share
    its link.
    """
    if not page.tabs or st.context.is_embedded:
        return
    here = page.at(state.settings)
    presenter.door(state)
    handout_button(state, here, ready=ready)
    share_button(state, here, ready=ready)


def _to_lesson(state: page_state.PageState) -> None:
    """Lead back to the lesson that this page was opened from."""
    if lesson := state.address.view.get("lesson"):
        back = {"lesson": lesson, "step": state.address.view.get("step", "")}
        page_links.query_link("lessons", "Back to the lesson", back, icon=":material/arrow_back:")


def _presented(page: Page, state: page_state.PageState) -> None:
    pinned_settings(page, state)  # adds its notices
    stage = presenter_page(page, state.presented_chart)
    if state.notices:
        with st.container(key="stage-notices"):
            _notices(state.notices)
    if not page.ready(state):
        state.address.view.pop("present")
        st.rerun()  # to the page itself, which shows what is missing
    places = presenter.stops(page, state)
    presenter.arrived(state, places)
    both = make_screen(
        stage, state.settings, None, seconds=stage.slices.first, tab="", tries=state.tries
    )
    state.write_address(done=both.done)
    _on_stage(stage)
    presenter.presenter(page, state, places, both.result)


def _unasked(page: Page, state: page_state.PageState) -> list[str]:
    """Return what of the question in a link is not asked; it is forgotten where the page is asked
    nothing.
    """
    if not state.address.ask or state.settings.private:
        return []
    if page.asked and page.tabs and page.asked.about(state.settings, ""):
        return page.asked.ignored(state.settings, state.address.ask)
    state.address.ask = ""
    return ["The question in the link was ignored, because this page has no questions."]


def _open_linked(page: Page, state: page_state.PageState) -> None:
    """Open the tab that a link names, the first one where it names none."""
    tabs = page.at(state.settings).all_tabs
    if not (state.opens_tab and page.tabs):
        return
    state.opens_tab = False
    named = state.address.view.get(TAB, tabs[0].name)
    titles = {tab.name: tab.title for tab in tabs}
    if named in titles:
        set_widget(_tabs_key(page), titles[named])
    else:
        state.notices.append(
            ignored(TAB, state.address.view.pop(TAB), f"one of: {', '.join(titles)}")
        )


def _setup(page: Page, state: page_state.PageState) -> None:
    with st.container(key="setup", horizontal=True, vertical_alignment="center"):
        page.setup(state)
        with st.container(
            key="resets", horizontal=True, horizontal_alignment="right", width="stretch"
        ):
            reset_menu(state)


@st.fragment
@debounce.page_run()
def _moving(page: Page, welcome: str) -> None:
    """Show the result, its numbers, words, pictures and open tab, beside the sliders.

    The sliders are mounted last: their message tells the browser that all the rest has arrived.
    """
    state = page_state.current_state(page.name, page.settings)
    if not page.holds(state) or state.presented_chart:
        debounce.rerun_page()
    here = page.at(state.settings)
    other = pinned_settings(page, state)
    both = make_screen(
        page,
        state.settings,
        other,
        seconds=_seconds(here, state),
        tab=_opened(page),
        resting=bool(state.ack) and not state.moving,
        **_asked(state),
    )
    screen = st.container(key="screen")
    if welcome:
        screen.container(key="welcome").html(welcome)
    left, right = screen.container(key="side"), screen.container(key="main")
    with left.container(key="aside"):
        here.aside(state)
    sliders_place, beside = left.container(key="sliders"), left.container(key="beside")
    panel_place = sliders_place.container(key="panel")
    if here.more:
        with sliders_place.container(key="more"):
            here.more(state)
    with right:
        tab = _result(both, state)
        state.address.set_view_param(TAB, "" if tab == here.all_tabs[0].name else tab)
    with beside:
        visible_sliders.offer_all(state)
        if here.tabs:
            pin_panel(state, other, both)
    sliders = visible_sliders.visible(here, state)
    with left:
        move = suggestion_card(here.move, state, sliders)
    with panel_place:
        channel = None if state.settings.private else state.request_state(tab)
        told: dict[str, Any] = {
            "marks": slider_marks(state.settings, other),
            "selectors": bool(here.more),
            "move": move,
        }
        show_panel(state, sliders, done=both.done, channel=channel, **told)


def _asked(state: page_state.PageState) -> dict[str, Any]:
    """Return what a session asks about its settings, and what it knows of their release."""
    return {"ask": state.address.ask, "tries": state.tries, "looks": my_rows.looks(state)}


def _seconds(page: Page, state: page_state.PageState) -> float:
    if state.moving:
        return page.slices.moving
    return page.slices.resting if state.ack else page.slices.first


@st.fragment
@debounce.page_run()
def _on_stage(page: Page) -> None:
    state = page_state.current_state(page.name, page.settings)
    if not page.holds(state) or not state.presented_chart:
        debounce.rerun_page()
    here = page.at(state.settings)
    both = make_screen(
        page, state.settings, None, seconds=_seconds(here, state), tab="", tries=state.tries
    )
    says, private = both.texts(""), state.settings.private
    place = None if private else state.request_state("")
    with st.container(key="stage"):
        for name in ("verdict", "numbers"):
            st.html(f'<div class="lab-{name}">{says[f".lab-{name}"]}</div>')
        with st.container(key="stage-picture"):
            widgets.board(
                both.charts("")[FIRST],
                key=f"{page.name}.{FIRST}",
                ack=state.click_ack,
                name=FIRST,
                of=place,
            )
        with st.container(key="stage-slider"):
            marked = presenter.marks(page, state.settings)
            show_panel(
                state,
                here.slider_layout(state.settings),
                done=both.done,
                marks=marked,
                channel=place,
                stage=True,
            )


def _result(both: Screen, state: page_state.PageState) -> str:
    """Show the first screen, and under it the tab that is open, of which the name is returned."""
    page = both.page
    numbers, pictures, below = (
        st.container(key="first"),
        st.container(key="pictures"),
        st.container(key="below"),
    )
    with below:
        opened, place = _tabs(page)
    says, boards = both.texts(opened.name), both.charts(opened.name)
    of = None if state.settings.private else state.request_state(opened.name)
    printed = paper(page, state, why_void_of(state, page, both.result))

    def say(*names: str, drawn: bool = False) -> None:
        """Show an element for each, even where it has nothing to say yet."""
        for name in names:
            classes = f"lab-{name}"
            if name.startswith("words-"):
                classes += " lab-words"
            html = f'<div class="{classes}">{says[f".lab-{name}"]}</div>'
            st.markdown(html, unsafe_allow_html=True) if drawn else st.html(
                html
            )  # st.html leaves drawings out

    with numbers:
        st.html(
            _on_paper(
                *map(escape, [*printed["lines"][1:], *on_label(state, page, both.result)]),
                date.today().isoformat(),
            )
        )
        say("numbers", "verdict")
    with pictures:
        widgets.board(
            boards[FIRST],
            key=f"{page.name}.{FIRST}",
            ack=state.click_ack,
            name=FIRST,
            of=of,
            paper=printed,
        )
        say(*(f"words-{name}" for name in page.captions))
    with place:
        say(*(f"words-{name}" for name in opened.words), drawn=opened.drawn)
        if opened is ASK_TAB and page.asked:
            _question(page.asked, state, both)
        if opened.name in boards and opened.name != FIRST:
            widgets.board(
                boards[opened.name],
                key=f"{page.name}.{opened.name}",
                name=opened.name,
                of=of,
                paper=printed,
            )
        if opened.shows:
            opened.shows(state, printed)
        if opened is METHOD_TAB:
            st.markdown(page.lead(state.settings))
            st.markdown(papers.cited(glossary.link_terms(page.method)))
        if "guarantee" in both.view.words and opened.name != GUARANTEE_TAB.name:
            st.html(_on_paper(both.view.words["guarantee"]))
    return opened.name


def _on_paper(*lines: str) -> str:
    """Return what only a print says, HTML: in place of the controls the settings in words, the link
    and the day.
    """
    return f'<div class="lab-paper">{"<br>".join(lines)}</div>'


def _tabs(page: Page) -> tuple[Tab, Any]:
    """Return (the tab that is open, its place); where there are none, an empty one."""
    if not page.tabs:
        return page.tab(""), st.container()
    titles = [tab.title for tab in page.all_tabs]
    places = st.tabs(titles, key=_tabs_key(page), on_change="rerun")
    both = list(zip(page.all_tabs, places, strict=True))
    return next(((tab, place) for tab, place in both if place.open), both[0])


def _opened(page: Page) -> str:
    """Return the name of the tab that is open, as far as the session knows."""
    title = st.session_state.get(_tabs_key(page))
    return next((tab.name for tab in page.all_tabs if tab.title == title), "")


def _tabs_key(page: Page) -> str:
    return f"{page.name}.tabs"


def _question(asked: QuestionTab, state: page_state.PageState, both: Screen) -> None:
    base, targets = question_base(both, state.settings, looks=my_rows.looks(state))
    about = asked.about(base, state.address.ask, targets) if base is not None else None
    if about is None:
        _offer_rows(asked, state)
        return

    def keep() -> None:
        state.address.ask = asked.asks(question.settings, targets, about)

    # Of made-up and of private rows each has its own widgets: a browser that has not heard of the
    # other rows sends the target of the first with whatever is pressed next, and it would count as
    # typed.
    rows = "rows" if base is state.settings else "made-up"
    question = page_state.PageState(
        page=f"{state.page}.ask.{rows}", settings=about, after_change=keep
    )
    with st.container(key="asking", horizontal=True, vertical_alignment="center"):
        asked.controls(question)
    if both.answer:
        st.html(f'<div class="lab-words-{ANSWER}">{both.answer.words[ANSWER]}</div>')
        if state.settings.private:
            _offer_rows(asked, state)


def _offer_rows(asked: QuestionTab, state: page_state.PageState) -> None:
    """Offer to ask about private rows, and say before what that does to the label; after that the
    way back, and the best of several tries in place of the search.
    """
    settings, looks = state.settings, my_rows.looks(state)
    question = asked.about(settings, state.address.ask) if settings.private else None
    if question is None:
        st.caption(SAYS["search.absent"])
        return
    said, label = SAYS["search.looked"], SAYS["search.back"]
    if not looks:
        said, label = (
            SAYS(f"search.{_before(state)}", count=len(asked.compares(question))),
            SAYS["search.look"],
        )
    with st.container(key="private-rows", horizontal=True, vertical_alignment="center"):
        st.caption(said, width="stretch")
        st.button(label, key=f"{state.page}.look", on_click=lambda: my_rows.look(state, not looks))
    if searched(settings):
        _offer_best(state)


def _before(state: page_state.PageState) -> str:
    """Return the name of the text on what a search on private rows would do to the label."""
    if state.settings.void:
        return "unbounded"
    return "again" if searched(state.settings) else "offer"


def _offer_best(state: page_state.PageState) -> None:
    """Offer the best of a secret number of tries in place of a choice that nothing covers, with its
    exact price.
    """
    one, best = state.settings.guarantee, best_of(state.settings, _TRIES)
    if one is None or best is None:
        state.tries = 0
        return
    key = f"{state.page}.best"

    def take() -> None:
        state.tries = _TRIES * st.session_state[key]

    taken = set_widget(key, bool(state.tries))
    st.toggle(SAYS("best-of.offer", tries=_TRIES), taken, key=key, on_change=take)
    price = {
        "epsilon": number(best.epsilon),
        "delta": delta(best.delta),
        "one": number(one.epsilon),
        "tries": _TRIES,
    }
    st.caption(
        SAYS("best-of.price", **price)
        + " " * bool(state.tries)
        + SAYS["best-of.taken"] * bool(state.tries)
    )


def _notices(sentences: Iterable[str]) -> None:
    for sentence in sentences:
        st.warning(sentence, icon=":material/link_off:")
