"""The steps of a lesson after the guess: the outcome, why, and trying it."""

from dataclasses import replace

import streamlit as st

from lab.experiment.links import minimal_texts, versioned
from lab.experiment.settings import Settings
from pages.lessons import page_class, texts
from pages.lessons.lesson import Case, Lesson
from pages.lessons.lessons import next_lesson
from pages.lessons.page_charts import reveal_chart
from pages.lessons.page_session import goto, lesson_state
from pages.lessons.page_steps import (
    SECONDS,
    known_case,
    seconds_of,
    show_refusal,
    sized_chart,
    step_areas,
)
from ui import widgets
from ui.classroom import membership
from ui.compute import debounce
from ui.compute.runner import compute
from ui.layout import visible_sliders
from ui.page.page import Page
from ui.page.view import FIRST
from ui.session import page_links, page_state
from ui.session.address import Address
from ui.session.panel import show_panel

# Height of a chart over sliders, and on a phone.
HEIGHT_WITH_SLIDERS = 430
NARROW_HEIGHT_WITH_SLIDERS = 320
# Seconds between two redraws while models are still trained.
REDRAW_SECONDS = 0.2
TRY_TITLE = "Try it yourself"


def show_outcome(lesson: Lesson, page: Page, step: str, seat: membership.Seat | None) -> None:
    """Show the page's chart with the guess and the truth, and what to make of it."""
    before, asked = known_case(lesson, page)
    result, done = compute(asked, seconds=seconds_of(lesson, SECONDS))
    after = Case(asked, result)
    text_area, chart_area, answer_area = step_areas()
    with text_area:
        st.html(texts.head(lesson, step))
        _show_texts(lesson, step, before, after)
    with chart_area:
        if step == "try":
            _show_sliders(lesson, page, asked)
        else:
            redraw_seconds = None
            if done < 1:
                redraw_seconds = REDRAW_SECONDS
            st.fragment(_show_chart, run_every=redraw_seconds)(lesson, page, done < 1)
    with answer_area:
        if step == "reveal":
            show_refusal(lesson)
            if seat is not None and seat.asks(lesson):
                _show_class(lesson, page, seat, before, after)
            _navigation(lesson, back="guess", on="why", label="Why?")
        elif step == "why":
            _navigation(lesson, back="reveal", on="try", label=TRY_TITLE)
        else:
            _show_onward_links(lesson, page, after)


def _show_class(
    lesson: Lesson, page: Page, seat: membership.Seat, before: Case, after: Case
) -> None:
    """Show the guesses of the class along the axis of the chart."""
    axis = sized_chart(lesson, page, after.result).figure["layout"]["yaxis"]
    page_class.show_class_guesses(lesson, seat, axis, lesson_state(lesson).guess, (before, after))


@debounce.page_run()
def _show_chart(lesson: Lesson, page: Page, was_incomplete: bool) -> None:
    """Show the chart, which gets finer while models are still trained."""
    before, asked = known_case(lesson, page)
    result, done = compute(asked, seconds=0.5 * SECONDS)
    chart = reveal_chart(
        lesson,
        sized_chart(lesson, page, result),
        lesson_state(lesson).guess,
        before,
        Case(asked, result),
    )
    widgets.board([[chart]], key=f"lesson.{lesson.name}.reveal", name="lesson")
    if done < 1:
        st.progress(done, text="Still training. The chart will become finer.")
    elif was_incomplete:
        # All models are trained now: the page runs once more, without its timer.
        st.rerun()


@st.fragment
@debounce.page_run()
def _show_sliders(lesson: Lesson, page: Page, asked: Settings) -> None:
    """Show the page's chart and verdict, and the sliders that matter, which move both."""
    key = f"lesson.{lesson.name}.try"
    view = {visible_sliders.ONLY: ",".join(lesson.only)}
    new_state = page_state.PageState(page=key, settings=asked, address=Address(view=view))
    state = st.session_state.setdefault(f"{key}.state", new_state)
    page_state.apply_panel_event(state)
    variant = page.at(state.settings)
    seconds = SECONDS
    if state.moving:
        seconds = variant.slices.moving
    result, done = compute(state.settings, seconds=seconds)
    chart = replace(
        sized_chart(lesson, page, result),
        height=HEIGHT_WITH_SLIDERS,
        narrow=NARROW_HEIGHT_WITH_SLIDERS,
    )
    widgets.board([[chart]], key=f"{key}.board", name="lesson")
    if lesson.board == FIRST:  # the verdict is about the first charts
        st.html(f'<div class="lab-verdict">{variant.view(result).texts["verdict"]}</div>')
    # Nothing stands around these, so that there is nothing to bring up to date.
    state.rendered = (state.settings, done == 1)
    state.address.link = state.address_params
    show_panel(state, visible_sliders.visible_layout(variant, state), done=done)


def _show_texts(lesson: Lesson, step: str, before: Case, after: Case) -> None:
    """Show the texts of a step beside the chart."""

    def text(part: str) -> str:
        return texts.measured_text(lesson, part, before, after)

    if step == "reveal":
        st.title(texts.heading(lesson, lesson_state(lesson).guess, before, after))
        st.markdown(text("Seen"))
    elif step == "why":
        st.title("Why")
        st.markdown(text("Why"))
        icons = texts.attacker(lesson, after)
        if icons:
            st.html(icons)
        st.markdown(f"**Not so:** {text('Misconception')}")
    elif step == "try":
        st.title(TRY_TITLE)
        st.markdown(text("Try"))


def _show_onward_links(lesson: Lesson, page: Page, after: Case) -> None:
    """Show the link to the page at these settings, which leads back, and to the next lesson."""
    lesson_state(lesson).done = True
    query = {
        **minimal_texts(after.settings),
        "only": ",".join(lesson.only),
        "lesson": lesson.name,
        "step": "try",
    }
    st.page_link(
        page_links.page_for(lesson.page),
        label=f"Open the page: {page.info.title}",
        icon=":material/open_in_full:",
        query_params=versioned(query),
    )
    with st.container(horizontal=True, key="lesson-ways"):
        st.button(
            "Back",
            key=f"lesson.{lesson.name}.try.back",
            on_click=goto,
            args=(lesson, lesson.STEPS[-2]),
        )
        st.button(
            texts.onward_label(lesson),
            key=f"lesson.{lesson.name}.try.on",
            type="primary",
            on_click=goto,
            args=(next_lesson(lesson),),
        )


def _navigation(lesson: Lesson, *, back: str, on: str, label: str) -> None:
    """Show the buttons to the step before and to the next one.

    Each step has buttons of its own, so that one that is pressed while the next step comes is not
    another's.
    """
    key = f"lesson.{lesson.name}.{on}"
    with st.container(horizontal=True, key="lesson-ways"):
        st.button("Back", key=f"{key}.back", on_click=goto, args=(lesson, back))
        st.button(label, key=f"{key}.on", type="primary", on_click=goto, args=(lesson, on))
