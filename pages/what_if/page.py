"""Which epsilon, how many people, which settings?"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

import streamlit as st

from lab.experiment.settings import Settings
from pages.what_if import (
    charts,
    charts_effects,
    charts_map,
    texts_answer,
    texts_card,
    texts_question,
    texts_tables,
    texts_tiles,
)
from pages.what_if.formats import slider_label
from pages.what_if.page_tab import choose_measure, choose_runs
from pages.what_if.result import WhatIfResult
from pages.what_if.settings import WhatIfSettings, settings_about
from pages.what_if.topics import STARTS, Topic
from ui.compute.runner import compute
from ui.export.share_dialog import address, handout_of
from ui.page.page import Content, Controls, Exports, Page, PageInfo, Slices, always
from ui.page.suggestion import Suggestion
from ui.page.tabs import Tab
from ui.page.view import Rows
from ui.session import page_links
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.session.widget_state import set_widget
from ui.text import labels
from ui.widgets import explained_chart

# Height of the charts, in pixels.
HEIGHT = 490
# Makes a chart of this page with its help text.
_chart = partial(explained_chart, texts_question.ABOUT, height=HEIGHT)
# How long a run may compute at first and at rest, in seconds. The first one has the coarse curve.
FIRST_SECONDS = 0.3
RESTING_SECONDS = 0.5


# Choices and sliders


def main_choices(pages: Sequence[Page], state: PageState) -> None:
    """Show the choice of the topic, and the topic's own choices."""
    titles = {page.name: page.info.title for page in pages}
    options = {name: titles[name] for name in state.settings.TOPICS}
    state.choose("topic", "Topic", options)
    _page_of(pages, state.settings).controls.choices(state)


def more_choices(pages: Sequence[Page], state: PageState) -> None:
    """Show the choices of measure and sliders, and the topic's further choices."""
    settings = state.settings
    sliders_by_name = {name: slider_label(name) for name in settings.sliders}
    choose_measure(state)
    state.choose("slider", "Parameter to solve for", sliders_by_name)
    topic_page = _page_of(pages, state.settings).at(state.settings.topic_settings)
    if topic_page.controls.more_choices is not None:
        topic_page.controls.more_choices(state)
    page_links.settings_link(
        settings.topic, "Open these settings on their page", settings.topic_settings
    )


def side_choices(state: PageState) -> None:
    """Show the choice of the question and of the runs, above the sliders."""
    key = f"{state.page}.question"
    questions = texts_question.questions(state.settings)
    names = list(questions)
    question = state.settings.answered_question
    if question not in questions:
        question = None
    selected = set_widget(key, question)
    index = None
    if selected:
        index = names.index(selected)
    st.selectbox(
        "Question",
        names,
        index,
        key=key,
        format_func=questions.__getitem__,
        on_change=lambda: state.change("question", st.session_state[key]),
    )
    choose_runs(state)


def sliders(pages: Sequence[Page], settings: WhatIfSettings) -> SliderLayout:
    """Return the sliders: the target, and those of the topic."""
    of_topic = _page_of(pages, settings).controls.sliders(settings.topic_settings)
    changes = {**of_topic.changes, "target": texts_question.target_slider(settings)}
    more = ["tries"]
    for name in _slider_names(of_topic):
        if name not in (of_topic.hero, "repeats"):
            more.append(name)
    return SliderLayout(hero="target", main=(of_topic.hero,), more=more, changes=changes)


def _slider_names(layout: SliderLayout) -> list[str]:
    """Return the names of all sliders of a layout."""
    return [layout.hero, *layout.only_play, *layout.main, *layout.more]


def _page_of(pages: Sequence[Page], settings: WhatIfSettings) -> Page:
    """Return the page of the topic."""
    return next(page for page in pages if page.name == settings.topic)


# Charts and downloads


def label_button(pages: Sequence[Page], state: PageState, result: WhatIfResult) -> None:
    """Show the button that downloads the privacy label of a run with the recommended epsilon."""
    recommendation = result.recommendation
    settings = result.settings.topic_settings
    if recommendation is not None:
        settings = recommendation.settings
    topic_state = PageState(page=result.settings.topic, settings=settings)
    topic_page = _page_of(pages, result.settings).at(settings)
    link = address(topic_state).replace("/what-if?", f"/{topic_page.name}?")

    def make_label() -> str:
        topic_result, _ = compute(settings, seconds=0)
        return handout_of(topic_state, topic_page, topic_result, link=link, code="").label_html()

    with st.container(key="card-label"):
        st.download_button(
            "Label",
            data=make_label,
            file_name="label.html",
            mime="text/html",
            on_click="ignore",
            icon=":material/sell:",
            disabled=recommendation is None,
        )


def main_charts(result: WhatIfResult) -> Rows:
    """Return the curve, the effects of parameters, and the map."""
    curve = _chart("curve", charts.curve(result), wide=1.45)
    effects = _chart("effects", charts_effects.effects(result), wide=1.2)
    median_map = _chart(
        "map",
        charts_map.median_map(result),
        wide=1.1,
        clicks=charts_map.clicks(result.settings),
    )
    return [[curve, effects, median_map]]


def downloads(result: WhatIfResult) -> Mapping[str, Callable[[], Any]]:
    """Return the name of each download, and the function that makes its data frame."""
    return {
        "All runs": result.all_runs,
        "Table": result.table,
    }


# The page


def topics(pages: Sequence[Page]) -> dict[str, Topic]:
    """Return the topics that questions can be about."""
    by_name = {}
    for page in pages:
        if page.name in STARTS:
            by_name[page.name] = Topic(page.settings, partial(_topic_sliders, page))
    return by_name


def _topic_sliders(page: Page, settings: Settings) -> list[str]:
    """Return the names of the sliders that a topic's page has with these settings."""
    return _slider_names(page.at(settings).slider_layout(settings))


def planner_page(pages: Sequence[Page]) -> Page:
    """Return the page of the planner, with questions about these pages."""
    return Page(
        info=PageInfo(
            name="what-if",
            title="What if",
            icon=":material/help_center:",
            group="Plan",
            question="Which epsilon, how many people, which settings?",
            about="Which epsilon, how many people, which settings",
        ),
        settings=settings_about(topics(pages)),
        controls=Controls(
            choices=partial(main_choices, pages),
            sliders=partial(sliders, pages),
            aside=side_choices,
            more_choices=partial(more_choices, pages),
            suggestion=Suggestion("target", texts_question.MOVE),
        ),
        content=Content(
            tiles=texts_tiles.numbers,
            texts={
                "card": texts_card.card,
                "warning": texts_question.warning,
                "verdict": texts_answer.verdict,
                "caption": texts_tiles.caption,
                "table": texts_tables.table,
            },
            charts=main_charts,
            actions=partial(label_button, pages),
            tabs=(Tab("table", "Table", ("table",)),),
            lead=always(texts_question.INTRODUCTION),
        ),
        exports=Exports(
            downloads=downloads,
            label=labels.label_of("what-if"),
        ),
        slices=Slices(first=FIRST_SECONDS, resting=RESTING_SECONDS),
    )
