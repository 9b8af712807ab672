"""What can many parties learn without sharing their rows?"""

from collections.abc import Callable, Mapping
from typing import Any

from lab.data.party_kinds import KINDS
from pages.parties import charts, charts_noise, texts, texts_tables, texts_theorems
from pages.parties.result import PartiesResult
from pages.parties.settings import PartiesSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, RESULTS_TAB, WHY_TAB, Tab
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.widgets import Chart, explained_chart

# Height of the charts in the first screen, and in the tabs, in pixels.
HEIGHT = 455
TAB_HEIGHT = 320
# Width of a chart of accuracy, next to a map of width 1.
WIDE = 1.3
MAPS_PER_ROW = 3
MAIN_SLIDERS = ("parties", "rows", "regularisation")
MORE_SLIDERS = ("unlike", "public_rows", "queries", "delta", "repeats", "seed")
LABELS_LABELS = {"votes": "vote shares", "probabilities": "class probabilities"}
CONSTANTS_LABELS = {
    "published": "as published",
    "sharp": "tight for logistic loss",
    "norms": "with bounded weights",
}
TRUST_LABELS = {"central": "Aggregator", "local": "Nobody", "shuffle": "Shuffler"}
# What this page changes about its sliders.
SLIDERS: Mapping[str, Mapping[str, Any]] = {
    "epsilon": {"help": texts.HELP["epsilon"]},
    "rows": {"help": texts.HELP["rows"], "label": "Rows per party", "stops": 12},
    "public_rows": {
        "help": texts.HELP["public_rows"],
        "label": "Public rows",
        "scale": "log",
        "stops": 12,
        "symbol": "N",
    },
    "repeats": {"help": texts.HELP["repeats"]},
    "seed": {"help": texts.HELP["seed"]},
    "delta": {"label": "Delta (PATE, shuffler)"},
}


def sliders(settings: PartiesSettings) -> SliderLayout:
    """Return the sliders, which are the same with all settings."""
    del settings
    return SliderLayout(hero="epsilon", main=MAIN_SLIDERS, more=MORE_SLIDERS, changes=SLIDERS)


def main_choices(state: PageState) -> None:
    """Show the choices of the data, of the method, and of who adds the noise."""
    titles = {name: kind.title for name, kind in KINDS.items()}
    methods = {method: charts.capitalise(name) for method, (name, _) in charts.STYLES.items()}
    state.choose("dataset", "Data", titles, help=texts.HELP["data"])
    state.choose("method", "Mechanism", methods, wide=True, help=texts.HELP["method"])
    state.choose("trust_model", "Trusted", TRUST_LABELS, help=texts.HELP["trust_model"])


def more_choices(state: PageState) -> None:
    """Show the choices of the soft labels and of the constants."""
    state.choose("labels", "Soft labels", LABELS_LABELS)
    state.choose("constants", "Sensitivity", CONSTANTS_LABELS, help=texts.HELP["constants"])


def main_charts(result: PartiesResult) -> list[list[Chart]]:
    """Return accuracy over epsilon and over parties beside the map of the chosen method.

    That map has the same name for each method, so that it stays in its place.
    """
    row = [
        _chart("epsilon", charts.over_epsilon(result), height=HEIGHT, wide=WIDE),
        _chart("parties", charts.over_parties(result), height=HEIGHT, wide=WIDE),
        _chart(
            "map",
            charts.decision_map(result, result.settings.method),
            height=HEIGHT,
            pair=True,
        ),
    ]
    return [row]


def other_maps(result: PartiesResult) -> list[list[Chart]]:
    """Return the maps of the other methods, of the non-private model, and of single parties."""
    row = []
    for name in (*charts.STYLES, *charts.WITHOUT):
        is_method = name in charts.STYLES
        if is_method and name not in result.methods:
            continue
        if name != result.settings.method:
            row.append(_chart(f"map.{name}", charts.decision_map(result, name)))
    rows = [row[:MAPS_PER_ROW], row[MAPS_PER_ROW:]]
    return [charts_of_row for charts_of_row in rows if charts_of_row]


def local_noise_chart(result: PartiesResult) -> list[list[Chart]]:
    """Return the noise on averaged weights that parties add themselves."""
    return [[_chart("local_noise", charts_noise.local_noise(result))]]


def theorem_charts(result: PartiesResult) -> list[list[Chart]]:
    """Return what one party moves, the noise, and the bound on excess risk."""
    row = [
        _chart("one_party", charts_noise.one_party(result)),
        _chart("noise", charts_noise.noise(result)),
        _chart("bound", charts_noise.bound(result)),
    ]
    return [row]


def _chart(
    name: str, figure: Mapping[str, Any], *, height: int = TAB_HEIGHT, **layout: Any
) -> Chart:
    """Return a chart of this page with its help text."""
    return explained_chart(texts.ABOUT, name, figure, height=height, **layout)


def is_central(settings: PartiesSettings) -> bool:
    return settings.mechanisms.is_central


def is_local(settings: PartiesSettings) -> bool:
    return not settings.mechanisms.is_central


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
            "caption": texts.caption,
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "classes": texts.by_class,
            "table": texts_tables.table,
            "statements": texts_theorems.statements,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB,
            GUARANTEE_TAB,
            RESULTS_TAB._replace(charts=other_maps),
            Tab("noise", "Noise", charts=local_noise_chart, when=is_local),
            Tab(
                "limits",
                "Noise and theorems",
                ("statements",),
                charts=theorem_charts,
                when=is_central,
            ),
        ),
        lead=texts.lead,
    ),
    exports=Exports(
        downloads=downloads,
        label=labels.label_of("parties", cases=label_cases),
    ),
)
