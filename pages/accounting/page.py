"""How much privacy does a training run spend?"""

from collections.abc import Callable, Mapping
from typing import Any

from pages.accounting import charts, texts, texts_tuning
from pages.accounting.result import AccountingResult
from pages.accounting.settings import AccountingSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, Slices, always, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, WHY_TAB, Tab
from ui.page.view import Rows
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.widgets import row

# Height of the charts, in pixels.
HEIGHT = 490
MAIN_SLIDERS = ("steps", "sampling_rate", "delta", "target_epsilon")
MORE_SLIDERS = ("people", "settings_tried")


def main_charts(result: AccountingResult) -> Rows:
    """Return epsilon over the steps beside what changes it."""
    figures = {
        "steps": charts.over_steps(result, texts.steps_finding(result)),
        "effects": charts.effects(result, texts.effects_finding(result)),
    }
    return [row(texts.ABOUT, figures, height=HEIGHT, wide={"steps": 1.6})]


def search_charts(result: AccountingResult) -> Rows:
    """Return the cost of tuning."""
    figure = charts.searches(result, texts.searches_finding(result))
    return [row(texts.ABOUT, {"searches": figure}, height=HEIGHT)]


def downloads(result: AccountingResult) -> Mapping[str, Callable[[], Any]]:
    """Return the name of each download, and the function that makes its data frame."""
    return {"Table": result.table, "Curves": result.curves}


PAGE = Page(
    info=PageInfo(
        name="accounting",
        title="Privacy accounting",
        icon=":material/receipt_long:",
        group="Privacy",
        question="How much privacy does a training run spend?",
        about="Compare privacy accountants",
    ),
    settings=AccountingSettings,
    controls=Controls(
        choices=always(None),
        sliders=always(
            SliderLayout(
                hero="noise_multiplier", main=MAIN_SLIDERS, more=MORE_SLIDERS, changes=texts.SLIDERS
            )
        ),
        suggestion=Suggestion("sampling_rate", texts.SAYS["move"], low=1),
    ),
    content=Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "searches": texts_tuning.searches,
            "table": texts.table,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB,
            GUARANTEE_TAB,
            Tab("tuning", "Tuning", ("searches",), search_charts),
            Tab("table", "Accountants", ("table",)),
        ),
        lead=always(texts.INTRODUCTION),
    ),
    exports=Exports(
        downloads=downloads,
        label=labels.label_of("accounting", guarantee=lambda result: result.best_guarantee),
    ),
    # The first picture does not wait for the library of loss distributions: it is loaded for the
    # next one. While a slider moves: enough for the quick theorems and the exact figure of this
    # run; its curves follow at rest.
    slices=Slices(first=0, moving=0.02),
)
