"""What can many parties learn without sharing their rows?"""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from lab.data.party_kinds import KINDS
from pages.parties import charts, charts_rounds, charts_trust, texts, texts_tables
from pages.parties.result import PartiesResult
from pages.parties.settings import PartiesSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, always, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, RESULTS_TAB, WHY_TAB, Tab
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels, sentences
from ui.widgets import Chart, explained_chart

# Height of the charts in the first screen, and in the tabs, in pixels.
HEIGHT = 455
TAB_HEIGHT = 320
# Width of a chart of accuracy, next to a map of width 1.
WIDE = 1.3
# Makes a chart of this page with its help text.
_chart = partial(explained_chart, texts.ABOUT, height=TAB_HEIGHT)
MAIN_SLIDERS = ("parties", "rows", "regularisation")
MORE_SLIDERS = ("unlike", "public_rows", "queries", "delta", "repeats", "seed")
# Sliders of federated averaging, which needs no public rows.
MAIN_SLIDERS_OF_ROUNDS = ("parties", "rows", "rounds")
MORE_SLIDERS_OF_ROUNDS = (
    "clip_norm",
    "local_steps",
    "cohort",
    "unlike",
    "regularisation",
    "delta",
    "repeats",
    "seed",
)
CONSTANTS_LABELS = {
    "published": "As published",
    "sharp": "Tight for logistic loss",
    "norms": "With bounded weights",
}
TRUST_LABELS = {"central": "Aggregator", "local": "Nobody", "shuffle": "Shuffler"}
# What this page changes about its sliders.
SLIDERS: Mapping[str, Mapping[str, Any]] = {
    "epsilon": {"help": texts.HELP["epsilon"]},
    "rows": {"help": texts.HELP["rows"], "label": "Rows per party", "stops": 12},
    "public_rows": {
        "help": texts.HELP["public_rows"],
        "scale": "log",
        "stops": 12,
        "symbol": "N",
    },
    "repeats": {"help": texts.HELP["repeats"]},
    "seed": {"help": texts.HELP["seed"]},
    "clip_norm": {"help": texts.HELP["clip_norm"]},
    "delta": {"label": "Delta (PATE, federated averaging, shuffler)"},
}


def sliders(settings: PartiesSettings) -> SliderLayout:
    """Return the sliders, others for federated averaging than for the other methods."""
    if settings.is_federated:
        return SliderLayout(
            hero="epsilon",
            main=MAIN_SLIDERS_OF_ROUNDS,
            more=MORE_SLIDERS_OF_ROUNDS,
            changes=SLIDERS,
        )
    return SliderLayout(hero="epsilon", main=MAIN_SLIDERS, more=MORE_SLIDERS, changes=SLIDERS)


def main_choices(state: PageState) -> None:
    """Show the choices of the data, of the method, and of who adds the noise."""
    titles = {name: kind.title for name, kind in KINDS.items()}
    methods = {method: sentences.capitalise(name) for method, (name, _) in charts.STYLES.items()}
    state.choose("dataset", "Data", titles, help=texts.HELP["data"])
    state.choose("method", "Method", methods, wide=True, help=texts.HELP["method"])
    state.choose("trust_model", "Trusted", TRUST_LABELS, help=texts.HELP["trust_model"])


def more_choices(state: PageState) -> None:
    """Show the choice of the constants."""
    state.choose("constants", "Sensitivity", CONSTANTS_LABELS, help=texts.HELP["constants"])


def main_charts(result: PartiesResult) -> list[list[Chart]]:
    """Return accuracy over epsilon and over parties beside the map of the chosen method."""
    row = [
        _chart("epsilon", charts.over_epsilon(result), height=HEIGHT, wide=WIDE),
        _chart("parties", charts.over_parties(result), height=HEIGHT, wide=WIDE),
        _chart("map", charts.decision_map(result), height=HEIGHT, pair=True),
    ]
    return [row]


def rounds_charts(result: PartiesResult) -> list[list[Chart]]:
    """Return accuracy and epsilon over the rounds of federated averaging."""
    if result.over_rounds is None:
        return []
    row = [_chart("rounds", charts_rounds.accuracy_of_rounds(result, result.over_rounds))]
    if result.mechanisms.is_central:
        row.append(_chart("rounds_epsilon", charts_rounds.epsilon_of_rounds(result)))
    return [row]


def is_federated(settings: PartiesSettings) -> bool:
    return settings.is_federated


def label_cases(result: PartiesResult) -> list[str]:
    """Return the further cases of ``labels.toml`` that the privacy label states."""
    if result.mechanisms.is_central:
        return []
    return [result.settings.method]


def downloads(result: PartiesResult) -> dict[str, Callable[[], Any]]:
    """Return the name of each download, and the function that makes its data frame."""
    return {"Table": result.table, "All runs": result.curves}


PAGE = Page(
    info=PageInfo(
        name="parties",
        title="Learning across parties",
        icon=":material/groups:",
        group="Collaborate",
        question="What can many parties learn without sharing their rows?",
        about="Learning without pooling data",
    ),
    settings=PartiesSettings,
    controls=Controls(
        choices=main_choices,
        sliders=sliders,
        more_choices=more_choices,
        suggestion=Suggestion("parties", texts.SAYS["move"], high=10),
    ),
    content=Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "caption": charts_trust.trust,
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "classes": texts.by_class,
            "table": texts_tables.table,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB,
            GUARANTEE_TAB,
            RESULTS_TAB,
            Tab("rounds", "Rounds", charts=rounds_charts, when=is_federated),
        ),
        lead=always(texts.SAYS["lead"]),
    ),
    exports=Exports(
        downloads=downloads,
        label=labels.label_of("parties", cases=label_cases),
    ),
)
