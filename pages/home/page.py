"""Is Ana in the data?"""

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from pages.home import charts, page_exercises, texts
from pages.home.charts import SAYS
from pages.home.result import PersonResult
from pages.home.settings import PersonSettings
from ui.compute.runner import compute
from ui.page.page import Content, Controls, Exports, Page, PageInfo, always
from ui.page.suggestion import bold_html
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout
from ui.text.numbers import format_number
from ui.widgets import Chart

QUESTION = "Is Ana in the data?"
ABOUT = "Explore differential privacy in machine learning in a browser"
# Purpose of a visitor -> the page to start with, and its settings.
START_LINKS: Mapping[str, tuple[str, Mapping[str, str]]] = {
    "teach": ("lessons", {"lesson": "small_epsilon"}),
    "decide": ("what-if", {}),
    "attack": ("attack", {"who": "row", "person": "0", "replaced_by": "nobody"}),
    "build": ("network", {}),
    "own": ("data", {}),
}
_MAP_HEIGHT = 404
_STRIP_HEIGHT = 206
_EPSILON_SLIDER = {"low_note": "Ana is hidden", "high_note": "Ana shows"}


def main_charts(result: PersonResult) -> Rows:
    """Return the map of models, and below it the guesses of the spy."""
    patient_map = Chart(
        name="map",
        figure=charts.patient_map(result),
        height=_MAP_HEIGHT,
        about=SAYS["lines.about"],
        clicks={"point": "person"},
    )
    guesses = Chart(
        name="guesses",
        figure=charts.guesses(result),
        height=_STRIP_HEIGHT,
        about=SAYS["guesses.about"],
    )
    return [[patient_map], [guesses]]


PAGE = Page(
    info=PageInfo(
        name="home",
        title="Home",
        icon=":material/home:",
        group="",
        question=QUESTION,
        about=ABOUT,
    ),
    settings=PersonSettings,
    controls=Controls(
        choices=always(None),
        sliders=always(
            SliderLayout(hero="epsilon", play="epsilon", changes={"epsilon": _EPSILON_SLIDER})
        ),
    ),
    content=Content(
        tiles=texts.tiles,
        texts={"verdict": texts.verdict, "caption": texts.caption},
        charts=main_charts,
        tabs=(),
        lead=always(""),
    ),
    exports=Exports(downloads=always({})),
)


def welcome() -> str:
    """Return what stands before the result (HTML)."""
    return f'<h1>{QUESTION}</h1><p class="lab-lead">{bold_html(SAYS["lead"])}</p>'


def show(
    menu: Mapping[str, Sequence[PageInfo]],
    links: Mapping[str, st.Page],
    show_page: Callable[..., None],
) -> None:
    """Show the home page: the experiment, three movements, links by purpose, and all pages.

    Args:
        menu: Group -> the pages of the navigation.
        links: Name of a page -> where it opens.
        show_page: Shows a topic, as ``topic_page.show``.
    """
    with st.container(key="home-top"):
        show_page(PAGE, welcome=welcome())
        with st.container(key="moves", gap=None):
            _show_moves()
            _show_classifier_link(links)
    _show_start_links(links)
    st.header("All pages")
    _list_pages(menu, links)
    columns = st.columns(3, gap="large")
    for column, text in zip(columns, ("see", "trust", "take"), strict=True):
        column.markdown(SAYS[f"about.{text}"])
    st.caption(SAYS["note"])


def _show_start_links(links: Mapping[str, st.Page]) -> None:
    """Show a link for each purpose of a visitor."""
    columns = st.columns(len(START_LINKS), gap="small")
    for column, (purpose, (page, query)) in zip(columns, START_LINKS.items(), strict=True):
        with column.container(border=True, height="stretch", key=f"door-{purpose}"):
            st.page_link(
                links[page],
                label=SAYS[f"doors.{purpose}"],
                width="stretch",
                query_params=dict(query),
            )


def _show_moves() -> None:
    """Show three movements, of which one is open. Those that are done state their outcomes.

    What an open one speaks of is highlighted by its key (``style/home.css``).
    """
    outcomes = page_exercises.outcomes(_observe())
    undone = [name for name in page_exercises.MOVES if name not in outcomes]
    opened = st.session_state.get("home.move")
    if opened not in undone:
        opened = next(iter(undone), "")
    for name in page_exercises.MOVES:
        key = f"move-{name}"
        if name == opened:
            key = f"move-{name}-open"
        with st.container(border=True, gap=None, key=key):
            _show_move(name, outcomes.get(name, ""))


def _observe() -> page_exercises.Observations:
    """Store what the page shows now, and return all observations of these patients."""
    settings = st.session_state["home.state"].settings
    result, _ = compute(settings, seconds=0)
    observations_of_seed = st.session_state.setdefault("home.seen", {})
    observations = observations_of_seed.setdefault(settings.seed, [])
    observation = page_exercises.Observation.of(result)
    if observation not in observations:
        observations.append(observation)
    return observations


def _show_move(name: str, outcome: str) -> None:
    """Show the title of a movement, and what it asks for or, once it is done, its outcome."""

    def open_move() -> None:
        st.session_state["home.move"] = name

    icon = ":material/radio_button_unchecked:"
    if outcome:
        icon = ":material/check_circle:"
    st.button(
        SAYS[f"moves.{name}"], key=f"home.{name}", icon=icon, type="tertiary", on_click=open_move
    )
    if outcome:
        st.markdown(outcome, unsafe_allow_html=True)
    else:
        st.markdown(SAYS[f"moves.{name}_ask"])


def _show_classifier_link(links: Mapping[str, st.Page]) -> None:
    """Show a link to more rows, at the epsilon that the page shows now."""
    epsilon = st.session_state["home.state"].settings.epsilon
    st.page_link(
        links["classifier"],
        label=SAYS("moves.classifier", epsilon=format_number(epsilon)),
        icon=":material/arrow_forward:",
        query_params={"epsilon": f"{epsilon:g}"},
    )


def _list_pages(menu: Mapping[str, Sequence[PageInfo]], links: Mapping[str, st.Page]) -> None:
    """List all pages of the navigation in columns, by group."""
    columns = st.columns(len(menu), gap="medium")
    for column, (group, pages) in zip(columns, menu.items(), strict=True):
        column.markdown(f"**{group}**")
        for page in pages:
            item = column.container(key=f"page-{page.name}", gap=None)
            item.page_link(links[page.name], icon=page.icon)
            item.caption(page.about)
