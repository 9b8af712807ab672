"""Home: a chart that moves, three things to try with it, and links to all pages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import streamlit as st

from ui.charts import theme
from ui.compute.runner import compute
from ui.page.page import Controls, Page, PageInfo, always
from ui.page.suggestion import bold_html
from ui.session.slider_layout import SliderLayout
from ui.text.numbers import format_number, percent
from ui.text.texts import Texts
from ui.widgets import Chart

HEIGHT = 540
QUESTION = "What does privacy cost a learning algorithm?"
ABOUT = "Explore differential privacy in machine learning in a browser"
_SAYS = Texts(__file__, "texts.md")
# Purpose of a visitor -> the page to start with.
START_LINKS = {"teach": "lessons", "decide": "what-if", "build": "network", "own": "data"}
# The lesson that the first of them opens.
FIRST_LESSON = {"lesson": "small_epsilon"}
# The first task is to move epsilon below this value.
_PRIVATE_EPSILON = 0.1
# The second one is to find the epsilon from which fewer points of accuracy are lost, between two
# values that differ by this factor at most.
_LOST_POINTS = 2
_CLOSE_FACTOR = 1.5
# The third one is to set epsilon to 8, which is done from this value on.
_LARGE_EPSILON = 7.5


class Observation(NamedTuple):
    """What the page has shown at one epsilon.

    Attributes:
        lost_points: Loss of accuracy, in points between the numbers of the tiles.
        accuracy: Median accuracy, as its tile shows it (HTML).
        attacker: The attacker's accuracy, as its tile shows it (HTML).
    """

    lost_points: int
    accuracy: str
    attacker: str


Observations = Mapping[float, Observation]


def _small_epsilon(observations: Observations) -> dict[str, Any] | None:
    epsilon = min(observations)
    if epsilon >= _PRIVATE_EPSILON:
        return None
    return {"epsilon": format_number(epsilon), "right": observations[epsilon].accuracy}


def _cost_threshold(observations: Observations) -> dict[str, Any] | None:
    """Return the two values of epsilon between which the loss falls, if they are close."""
    cheap = [
        epsilon
        for epsilon, observation in observations.items()
        if observation.lost_points < _LOST_POINTS
    ]
    if not cheap:
        return None
    smallest_cheap = min(cheap)
    expensive_below = [
        epsilon
        for epsilon, observation in observations.items()
        if observation.lost_points >= _LOST_POINTS and epsilon < smallest_cheap
    ]
    if not expensive_below:
        return None
    largest_expensive = max(expensive_below)
    if smallest_cheap > _CLOSE_FACTOR * largest_expensive:
        return None
    return {"good": format_number(smallest_cheap), "bad": format_number(largest_expensive)}


def _large_epsilon(observations: Observations) -> dict[str, Any] | None:
    epsilon = max(observations)
    if epsilon < _LARGE_EPSILON:
        return None
    return {"epsilon": format_number(epsilon), "attacker": observations[epsilon].attacker}


# Name of a task -> function that returns its result from what was observed; None until it is done.
TASKS: Mapping[str, Callable[[Observations], dict[str, Any] | None]] = {
    "private": _small_epsilon,
    "pay": _cost_threshold,
    "attack": _large_epsilon,
}


def front(pages: Sequence[Page]) -> Page:
    """Return the classifier's page with one slider, its numbers and its first map."""
    classifier = next(page for page in pages if page.name == "classifier")

    def numbers(result):
        accuracy, reference, _, attacker = classifier.content.tiles(result)
        return accuracy, reference, attacker

    def chart(result) -> Chart:
        classifier_map = classifier.content.charts(result)[0][1]
        accuracy = percent(result.summary["scratch"].median)
        figure = dict(classifier_map.figure)
        figure["layout"] = figure["layout"] | {"title": theme.heading("Private models", accuracy)}
        return replace(classifier_map, figure=figure, height=HEIGHT, about="")

    return replace(
        classifier,
        info=classifier.info._replace(name="home", question=QUESTION),
        controls=Controls(choices=always(None), sliders=always(SliderLayout(hero="epsilon"))),
        content=replace(
            classifier.content,
            tiles=numbers,
            texts={**classifier.content.texts, "verdict": always(""), "caption": _legend},
            charts=lambda result: [[chart(result)]],
            tabs=(),
        ),
    )


def _legend(result: Any) -> str:
    """Return the meaning of the lines of the map (HTML)."""
    private = _SAYS("legend.private", count=result.settings.repeats)
    return f'<p class="lab-legend">{private}{_SAYS["legend.reference"]}</p>'


def welcome() -> str:
    """Return what stands before the result (HTML)."""
    return f'<h1>{QUESTION}</h1><p class="lab-lead">{bold_html(_SAYS["lead"])}</p>'


def show(
    home: Page,
    menu: Mapping[str, Sequence[PageInfo]],
    links: Mapping[str, st.Page],
    show_page: Callable[..., None],
) -> None:
    """Show the home page: the chart, three tasks, links by purpose, and all pages.

    Args:
        home: The page of the chart.
        menu: Group -> the pages of the navigation.
        links: Name of a page -> where it opens.
        show_page: Shows a topic, as ``topic_page.show``.
    """
    show_page(home, welcome=welcome())
    _show_tasks(home)
    _show_start_links(links)
    st.header("All pages")
    _list_pages(menu, links)
    columns = st.columns(3, gap="large")
    for column, text in zip(columns, ("see", "trust", "take"), strict=True):
        column.markdown(_SAYS[f"about.{text}"])
    st.caption(_SAYS["note"])


def _show_start_links(links: Mapping[str, st.Page]) -> None:
    columns = st.columns(len(START_LINKS), gap="small")
    for column, (purpose, page) in zip(columns, START_LINKS.items(), strict=True):
        query = None
        if page == "lessons":
            query = FIRST_LESSON
        with column.container(border=True, key=f"door-{purpose}"):
            st.page_link(
                links[page], label=_SAYS[f"doors.{purpose}"], width="stretch", query_params=query
            )


def _show_tasks(home: Page) -> None:
    """Show three tasks, of which one is open and the done ones state their results.

    What an open task speaks of is highlighted by its key (``style/home.css``).
    """
    observations = _observe(home)
    results = {name: find_result(observations) for name, find_result in TASKS.items()}
    undone = [name for name, result in results.items() if result is None]
    opened = st.session_state.get("home.move")
    if opened not in undone:
        opened = next(iter(undone), "")
    columns = st.columns(len(TASKS), gap="small")
    for column, (name, result) in zip(columns, results.items(), strict=True):
        key = f"move-{name}"
        if name == opened:
            key = f"move-{name}-open"
        with column.container(border=True, height="stretch", gap=None, key=key):
            _show_task(name, result, is_open=name == opened)


def _observe(home: Page) -> Observations:
    """Store what the page shows now, and return all observations at these settings."""
    settings = st.session_state["home.state"].settings
    result, _ = compute(settings, seconds=0)
    accuracy, _, attacker = home.content.tiles(result)
    # A link may change other settings than epsilon, of which nothing has been observed yet.
    other_settings = settings.change(epsilon=type(settings)().epsilon)
    all_observations = st.session_state.setdefault("home.seen", {})
    observations = all_observations.setdefault(other_settings, {})
    reference_percent = round(100 * result.reference.accuracy)
    private_percent = round(100 * result.summary["scratch"].median)
    observations[settings.epsilon] = Observation(
        reference_percent - private_percent, accuracy.value, attacker.value
    )
    return observations


def _show_task(name: str, result: Mapping[str, Any] | None, *, is_open: bool) -> None:
    def open_task() -> None:
        st.session_state["home.move"] = name

    icon = ":material/check_circle:"
    if result is None:
        icon = ":material/radio_button_unchecked:"
    st.button(
        _SAYS[f"moves.{name}"], key=f"home.{name}", icon=icon, type="tertiary", on_click=open_task
    )
    if result is not None:
        st.markdown(_SAYS(f"moves.{name}_done", **result), unsafe_allow_html=True)
    elif is_open:
        st.markdown(_SAYS[f"moves.{name}_ask"])


def _list_pages(menu: Mapping[str, Sequence[PageInfo]], links: Mapping[str, st.Page]) -> None:
    """List all pages of the navigation in columns, by group."""
    columns = st.columns(len(menu), gap="medium")
    for column, (group, pages) in zip(columns, menu.items(), strict=True):
        column.markdown(f"**{group}**")
        for page in pages:
            item = column.container(key=f"page-{page.name}", gap=None)
            item.page_link(links[page.name], icon=page.icon)
            item.caption(page.about)
