"""What does one released number reveal about you?"""

from dataclasses import replace
from typing import Any

from pages.mechanisms import charts, charts_selection, texts, texts_tables
from pages.mechanisms.local_model import page as local_model
from pages.mechanisms.many_answers import page as many_answers
from pages.mechanisms.page_shared import HEIGHT, TAB_HEIGHT, main_choices
from pages.mechanisms.result import OneNumberResult
from pages.mechanisms.settings import MechanismsSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, always, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import WHY_TAB, Tab
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.widgets import row

SLIDERS = SliderLayout(
    hero="epsilon",
    main=("prior", "sensitivity", "delta"),
    more=("value", "lead", "options", "seed"),
    play="epsilon",
)


def main_charts(result: OneNumberResult) -> Rows:
    """Return the release beside the posterior."""
    figures = {
        "release": charts.release(result, texts.release_finding(result)),
        "posterior": charts.posterior(result, texts.posterior_finding(result)),
    }
    return [row(texts.ABOUT, figures, height=HEIGHT, wide={"release": 1.6})]


def guarantee_charts(result: OneNumberResult) -> Rows:
    """Return the trade-off curve."""
    figure = charts.trade_off(result, texts.attacker_finding(result))
    return [row(texts.ABOUT, {"trade": figure}, height=TAB_HEIGHT)]


def selection_charts(result: OneNumberResult) -> Rows:
    """Return who wins by the exponential mechanism."""
    figure = charts_selection.choice(result, texts.selection_finding(result))
    return [row(texts.ABOUT, {"choice": figure}, height=TAB_HEIGHT)]


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
        suggestion=Suggestion("epsilon", texts.SAYS["move"], low=5),
    ),
    content=Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "caption": always(texts.SAYS["caption"]),
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "table": texts_tables.table,
            "several": texts_tables.several_numbers,
            "choice": texts.selection,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB,
            Tab("guarantee", "Guarantee", ("guarantee",), guarantee_charts),
            Tab("table", "Table", ("table",)),
            Tab("formulas", "Several numbers", ("several",)),
            Tab("choice", "Private selection", ("choice",), selection_charts),
        ),
        lead=always(texts.SAYS["introduction"]),
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
