"""Show the tab of questions about a page."""

import streamlit as st

from ui.page.page import QuestionTab
from ui.page.screen import Screen, question_base
from ui.page.tabs import ANSWER
from ui.session.page_state import PageState
from ui.text.texts import SAYS


def show_question(question_tab: QuestionTab, state: PageState, screen: Screen) -> None:
    """Show the controls of the question and its answer, or why there is none."""
    base, targets = question_base(screen, state.settings)
    question = None
    if base is not None:
        question = question_tab.about(base, state.address.ask, targets)
    if question is None:
        reason = "absent"
        if state.settings.void:
            reason = "unbounded"
        st.caption(SAYS[f"search.{reason}"])
        return

    def write_question() -> None:
        """Write the question into the address, once its settings have changed."""
        state.address.ask = question_tab.asks(question_state.settings, targets, question)

    question_state = PageState(
        page=f"{state.page}.ask", settings=question, after_change=write_question
    )
    with st.container(key="asking", horizontal=True, vertical_alignment="center"):
        question_tab.controls(question_state)
    if screen.answer is not None:
        st.html(f'<div class="lab-words-{ANSWER}">{screen.answer.texts[ANSWER]}</div>')
