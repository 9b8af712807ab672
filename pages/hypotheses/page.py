"""Can a target learn from others' private models?"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lab.data.domains import KINDS
from pages.hypotheses import charts, texts
from pages.hypotheses.charts import SAYS
from pages.hypotheses.mixture import mixture_text
from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.settings import ROWS, HypothesesSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, always, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, WHY_TAB, Tab
from ui.page.view import Rows
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.widgets import explained_chart

# Heights of the charts in the first screen and in the tabs, in pixels.
MAIN_HEIGHT = 455
TAB_HEIGHT = 340
# Makes a chart of this page with its help text.
_chart = partial(explained_chart, texts.ABOUT, height=TAB_HEIGHT)
NOISE_LABELS = {
    "exponential": "Output perturbation",
    "gaussian": "Gaussian",
    "objective": "Objective perturbation",
}
PROJECTION_LABELS = {"svd": "Projected", "none": "All words"}
MAIN_SLIDERS = ("label_share", "dimension", "similarity")
MORE_SLIDERS = (
    "sources",
    *ROWS,
    "public_rows",
    "lambda_lr",
    "lambda_iw",
    "delta",
    "repeats",
    "seed",
)
# What sliders have other than in ``sliders.toml``, besides their help texts.
SLIDERS: dict[str, dict[str, Any]] = {
    "epsilon": {},
    "sources": {"label": "Sources", "symbol": "K"},
    "dimension": {"label": "Features kept", "scale": "log", "stops": 12, "symbol": "d'"},
    "target_rows": {"label": "Target rows"},
    "public_rows": {},
}


def main_choices(state: PageState) -> None:
    """Show the choices of data and method and, for texts, of the features."""
    state.choose("data", "Data", dict(KINDS), help=texts.HELP["data"])
    state.choose("noise", "Method", NOISE_LABELS, wide=True, help=texts.HELP["noise"])
    if state.settings.data != "domains":
        help_text = texts.HELP["projection"]
        state.choose("projection", "Features", PROJECTION_LABELS, help=help_text)


def more_choices(state: PageState) -> None:
    """Show the choice of the target's mixture."""
    mixtures = {}
    for shares in state.settings.mixtures:
        mixtures[mixture_text(shares)] = texts.mixture_text(shares)
    state.choose("mixture", "Target, % of sources", mixtures, help=texts.HELP["mixture"])


def sliders(settings: HypothesesSettings) -> SliderLayout:
    """Return the sliders that have an effect."""
    main = list(MAIN_SLIDERS)
    if not settings.projected:
        main.remove("dimension")
    more = list(MORE_SLIDERS)
    if settings.noise != "gaussian":
        more.remove("delta")
    changes = {}
    for name, change in SLIDERS.items():
        changes[name] = {**change, "help": texts.HELP[name]}
    return SliderLayout(hero="epsilon", main=main, more=more, changes=changes)


def main_charts(result: HypothesesResult) -> Rows:
    """Return accuracy over epsilon beside the weights of the sources."""
    row = [
        _chart("epsilon", charts.accuracy(result), height=MAIN_HEIGHT, wide=1.5),
        _chart("weights", charts.weights(result), height=MAIN_HEIGHT),
    ]
    return [row]


def algorithm_charts(result: HypothesesResult) -> Rows:
    """Return the error of the weights."""
    return [[_chart("error", charts.error(result))]]


def downloads(result: HypothesesResult) -> Mapping[str, Callable[[], Any]]:
    """Return the name of each download, and the function that makes its data frame."""
    return {"Table": result.table, "All runs": result.curves}


PAGE = Page(
    info=PageInfo(
        name="hypotheses",
        title="Private hypothesis transfer",
        icon=":material/call_merge:",
        group="Collaborate",
        question="Can a target learn from others' private models?",
        about="Reuse models that others trained privately",
    ),
    settings=HypothesesSettings,
    controls=Controls(
        choices=main_choices,
        sliders=sliders,
        more_choices=more_choices,
        suggestion=Suggestion("epsilon", SAYS["move"], high=1),
    ),
    content=Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "caption": always(SAYS["caption"]),
            "steps": texts.steps,
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "table": texts.table,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB,
            GUARANTEE_TAB,
            Tab("steps", "Algorithm", ("steps",), algorithm_charts),
            Tab("table", "Table", ("table",)),
        ),
        lead=always(SAYS["lead"]),
    ),
    exports=Exports(
        downloads=downloads,
        label=labels.label_of("hypotheses", sources=KINDS),
    ),
)
