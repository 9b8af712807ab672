"""What can many parties learn without sharing their rows?"""

from typing import Any

from lab.data.party_kinds import KINDS
from pages.parties import charts
from pages.parties import texts as say
from pages.parties import texts_theorems as stated
from pages.parties.charts import SAYS, STYLES
from pages.parties.experiment import PartiesSettings
from pages.parties.result import PartiesResult
from pages.parties.settings import PartiesParameters
from ui import widgets
from ui.page.page import GUARANTEE_TAB, RESULTS_TAB, WHY_TAB, Page, SliderLayout, Tab, listed
from ui.page.suggestion import Suggestion
from ui.session import page_state
from ui.text import labels

MAIN = ("parties", "rows", "regularisation")
MORE = ("unlike", "public_rows", "queries", "delta", "repeats", "seed")
HEIGHT = 455
LABELS = {"votes": "vote shares", "probabilities": "class probabilities"}
CONSTANTS = {
    "published": "as published",
    "sharp": "tight for logistic loss",
    "norms": "with bounded weights",
}
TRUST_MODELS = {"central": "Aggregator", "local": "Nobody", "shuffle": "Shuffler"}
HELP = SAYS.cases("help")
SLIDERS: dict[str, dict[str, Any]] = {
    name: {"help": HELP[name]} for name in ("epsilon", "rows", "public_rows", "repeats", "seed")
}
SLIDERS["rows"] |= {"label": "Rows per party", "stops": 12}
SLIDERS["public_rows"] |= {"label": "Public rows", "scale": "log", "stops": 12, "symbol": "N"}
SLIDERS["delta"] = {"label": "Delta (PATE, shuffler)"}


def sliders(_: PartiesParameters) -> SliderLayout:
    return SliderLayout(hero="epsilon", main=MAIN, more=MORE, changes=SLIDERS)


def setup(state: page_state.PageState) -> None:
    data = {name: kind.title for name, kind in KINDS.items()}
    methods = {name: text[0].upper() + text[1:] for name, (text, _) in STYLES.items()}
    state.choose("dataset", "Data", data, help=HELP["data"])
    state.choose("method", "Mechanism", methods, wide=True, help=HELP["method"])
    state.choose("trust_model", "Trusted", TRUST_MODELS, help=HELP["trust_model"])


def more(state: page_state.PageState) -> None:
    state.choose("labels", "Soft labels", LABELS)
    state.choose("constants", "Sensitivity", CONSTANTS, help=HELP["constants"])


def _map(result: PartiesResult, of: str, name: str, **size: Any) -> widgets.Chart:
    return widgets.Chart(
        name=name, figure=charts.decisions(result, of), about=say.ABOUT["map"], **size
    )


def pictures(result: PartiesResult) -> list[list[widgets.Chart]]:
    """Draw accuracy over epsilon and over parties, and a map of what the chosen release decides."""
    drawn = {"epsilon": charts.over_epsilon(result), "parties": charts.over_parties(result)}
    wide = dict.fromkeys(drawn, 1.3)
    # The chosen release's map has one name, whichever release it is, so that it stays in its place.
    chosen = _map(result, result.settings.method, "map", height=HEIGHT, pair=True)
    return [[*widgets.row(say.ABOUT, drawn, height=HEIGHT, wide=wide), chosen]]


def others(result: PartiesResult) -> list[list[widgets.Chart]]:
    shown = {"batch", "local", *result.methods} - {result.settings.method}
    names = [
        name for name in ("soft", "vote", "average", "pate", "batch", "local") if name in shown
    ]
    drawn = [_map(result, name, f"map.{name}") for name in names]
    return [*filter(None, (drawn[:3], drawn[3:]))]


def local_noise(result: PartiesResult) -> list[list[widgets.Chart]]:
    return [widgets.row(say.ABOUT, {"local_noise": charts.local_noise(result)})]


def limits(result: PartiesResult) -> list[list[widgets.Chart]]:
    drawn = {
        "one_party": charts.one_party(result),
        "noise": charts.noise(result),
        "bound": charts.bound(result),
    }
    return [widgets.row(say.ABOUT, drawn)]


def _central(settings: PartiesParameters) -> bool:
    return settings.trust_model == "central"


def _label_cases(result: PartiesResult) -> list[str]:
    return [] if result.settings.model.central else [result.settings.method]


PAGE = Page(
    name="parties",
    title="Learning across parties",
    icon=":material/groups:",
    group="Collaborate",
    about="Learning without pooling data",
    question="What can many parties learn without sharing their rows?",
    settings=PartiesSettings,
    label=labels.label_of("parties", cases=_label_cases),
    setup=setup,
    more=more,
    lead=lambda _: SAYS["lead"],
    move=Suggestion("parties", say.SAYS["move"], high=10),
    numbers=say.numbers,
    sliders=sliders,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "classes": say.by_class,
        "table": say.table,
        "statements": stated.statements,
    },
    pictures=pictures,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        RESULTS_TAB._replace(pictures=others),
        Tab("noise", "Noise", pictures=local_noise, when=lambda settings: not _central(settings)),
        Tab("limits", "Noise and theorems", ("statements",), limits, when=_central),
    ),
    frames=lambda result: {"Table": result.table, "All runs": result.curves},
)
