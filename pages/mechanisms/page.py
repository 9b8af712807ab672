"""What does one released number reveal about you?"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pages.mechanisms import charts, charts_comparison, texts, texts_tables
from pages.mechanisms.local_model import page as local_model
from pages.mechanisms.many_answers import page as many_answers
from pages.mechanisms.page_shared import HEIGHT, TAB_HEIGHT, chart, main_choices
from pages.mechanisms.result import OneNumberResult
from pages.mechanisms.settings import COUNT_NOISES, MechanismsSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, always, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import WHY_TAB, Tab
from ui.page.view import Rows
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.text.tiles import note
from ui.widgets import Chart

VOTE_LABELS = {"leader": "the leader", "runner-up": "the runner-up", "last": "the last"}
CHARTS: dict[str, Callable[[OneNumberResult, str], dict]] = {
    "release": charts.release,
    "posterior": charts.posterior,
    "trade": charts.trade_off,
    "profile": charts.profile,
    "errors": charts_comparison.errors,
    "dots": charts.dots,
    "formulas": charts_comparison.formulas,
    "choice": charts_comparison.choice,
}
SLIDERS = SliderLayout(
    hero="epsilon",
    main=("prior", "sensitivity", "delta"),
    more=("value", "lead", "options", "seed"),
    play="epsilon",
)


def more_choices(state: PageState) -> None:
    """Show the choices of private selection."""
    state.choose("vote", "Your vote", VOTE_LABELS)
    state.choose("noise", "Noise on counts", COUNT_NOISES)


def main_charts(result: OneNumberResult) -> Rows:
    """Return the release beside the posterior."""
    release = _chart(result, "release", height=HEIGHT, wide=1.6)
    return [[release, _chart(result, "posterior", height=HEIGHT)]]


def guarantee_charts(result: OneNumberResult) -> Rows:
    """Return the trade-off curve beside the privacy profile."""
    return [[_chart(result, "trade"), _chart(result, "profile")]]


def comparison_charts(result: OneNumberResult) -> Rows:
    """Return the errors of all mechanisms beside fifty releases."""
    return [[_chart(result, "errors"), _chart(result, "dots")]]


def formula_charts(result: OneNumberResult) -> Rows:
    """Return what the published formulas give."""
    return [[_chart(result, "formulas")]]


def selection_charts(result: OneNumberResult) -> Rows:
    """Return who wins report-noisy-max."""
    return [[_chart(result, "choice")]]


def release_note(result: OneNumberResult) -> str:
    """Return the sentence on this release as a paragraph."""
    return note(texts.this_release(result))


def _chart(
    result: OneNumberResult, name: str, *, height: int = TAB_HEIGHT, wide: float = 1.0
) -> Chart:
    """Return a chart whose title says what it shows."""
    figure = CHARTS[name](result, texts.findings(result)[name])
    return chart(texts.ABOUT, name, figure, height=height, wide=wide)


ONE_NUMBER = Page(
    info=PageInfo(
        name="mechanisms",
        title="Noise mechanisms",
        icon=":material/casino:",
        group="Privacy",
        question="What does one released number reveal about you?",
        about="What one released number reveals",
    ),
    settings=MechanismsSettings,
    controls=Controls(
        choices=main_choices,
        sliders=always(SLIDERS),
        more_choices=more_choices,
        suggestion=Suggestion("epsilon", texts.SAYS["move"], low=5),
    ),
    content=Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "caption": texts.caption,
            "release": release_note,
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "table": texts_tables.table,
            "formulas": texts_tables.formulas,
            "choice": texts.selection,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB._replace(texts=("release", "why")),
            Tab("guarantee", "Guarantee", ("guarantee",), guarantee_charts),
            Tab("table", "Compare mechanisms", ("table",), comparison_charts),
            Tab("formulas", "Formulas", ("formulas",), formula_charts),
            Tab("choice", "Private selection", ("choice",), selection_charts),
        ),
        lead=always(texts.INTRODUCTION),
    ),
    exports=Exports(
        downloads=lambda result: result.frames(),
        label=labels.label_of("mechanisms", guarantee=lambda result: result.guarantee),
    ),
)
MANY_ANSWERS = replace(
    ONE_NUMBER,
    info=ONE_NUMBER.info._replace(question=many_answers.QUESTION),
    controls=many_answers.CONTROLS,
    content=many_answers.CONTENT,
)
LOCAL_MODEL = replace(
    ONE_NUMBER,
    info=ONE_NUMBER.info._replace(question=local_model.QUESTION),
    controls=local_model.CONTROLS,
    content=local_model.CONTENT,
)
_PAGES_OF_RELEASES = {"one": ONE_NUMBER, "many": MANY_ANSWERS, "local": LOCAL_MODEL}


def page_of(settings: Any) -> Page:
    """Return the page of what the settings release."""
    return _PAGES_OF_RELEASES[settings.answers]


PAGE = replace(ONE_NUMBER, variant=page_of)
