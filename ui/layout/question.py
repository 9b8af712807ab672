"""Show the tab of questions about a page, and what a search on private rows costs."""

import streamlit as st

from lab.label.label import searched
from lab.sweeps.tuning_cost import best_of
from ui.page.page import QuestionTab
from ui.page.screen import Screen, question_base
from ui.page.tabs import ANSWER
from ui.session.page_state import PageState
from ui.session.widget_state import set_widget
from ui.text.numbers import delta
from ui.text.texts import SAYS
from ui.text.tiles import number
from ui.uploads import rows

# The mean number of tries whose best is offered in place of a search.
_TRIES = 12


def show_question(question_tab: QuestionTab, state: PageState, screen: Screen) -> None:
    """Show the controls of the question and its answer.

    Where rows are private, also offer to ask about them instead of made-up rows.
    """
    base, targets = question_base(screen, state.settings, looks=rows.looks(state))
    question = None
    if base is not None:
        question = question_tab.about(base, state.address.ask, targets)
    if question is None:
        _offer_private_rows(question_tab, state)
        return

    def write_question() -> None:
        state.address.ask = question_tab.asks(question_state.settings, targets, question)

    # Made-up and private rows have widgets of their own. A browser that has not heard of the change
    # sends the target of the other rows with whatever is pressed next, and it would count as typed.
    kind = "made-up"
    if base is state.settings:
        kind = "rows"
    question_state = PageState(
        page=f"{state.page}.ask.{kind}", settings=question, after_change=write_question
    )
    with st.container(key="asking", horizontal=True, vertical_alignment="center"):
        question_tab.controls(question_state)
    if screen.answer is not None:
        st.html(f'<div class="lab-words-{ANSWER}">{screen.answer.texts[ANSWER]}</div>')
        if state.settings.uses_file:
            _offer_private_rows(question_tab, state)


def _offer_private_rows(question_tab: QuestionTab, state: PageState) -> None:
    """Offer to ask about private rows, and say before what that does to the label.

    After that, offer the way back, and the best of several tries in place of the search.
    """
    settings = state.settings
    question = None
    if settings.uses_file:
        question = question_tab.about(settings, state.address.ask)
    if question is None:
        st.caption(SAYS["search.absent"])
        return
    looks = rows.looks(state)
    if looks:
        caption = SAYS["search.looked"]
        label = SAYS["search.back"]
    else:
        count = len(question_tab.compares(question))
        caption = SAYS(f"search.{_text_before_search(state)}", count=count)
        label = SAYS["search.look"]
    with st.container(key="private-rows", horizontal=True, vertical_alignment="center"):
        st.caption(caption, width="stretch")
        st.button(label, key=f"{state.page}.look", on_click=lambda: rows.look(state, not looks))
    if searched(settings):
        _offer_best(state)


def _text_before_search(state: PageState) -> str:
    """Return the name of the text on what a search on private rows would do to the label."""
    if state.settings.void:
        return "unbounded"
    if searched(state.settings):
        return "again"
    return "offer"


def _offer_best(state: PageState) -> None:
    """Offer the best of a random number of tries, with its exact price.

    It takes the place of a choice among compared settings, which no guarantee covers.
    """
    guarantee = state.settings.guarantee
    guarantee_of_best = best_of(state.settings, _TRIES)
    if guarantee is None or guarantee_of_best is None:
        state.tries = 0
        return
    key = f"{state.page}.best"

    def set_tries() -> None:
        state.tries = 0
        if st.session_state[key]:
            state.tries = _TRIES

    is_taken = set_widget(key, state.tries > 0)
    st.toggle(SAYS("best-of.offer", tries=_TRIES), is_taken, key=key, on_change=set_tries)
    caption = SAYS(
        "best-of.price",
        epsilon=number(guarantee_of_best.epsilon),
        delta=delta(guarantee_of_best.delta),
        one=number(guarantee.epsilon),
        tries=_TRIES,
    )
    if state.tries > 0:
        caption = f"{caption} {SAYS['best-of.taken']}"
    st.caption(caption)
