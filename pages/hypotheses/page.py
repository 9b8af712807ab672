"""Can a target learn from others' private models?"""

from collections.abc import Mapping
from typing import Any

from lab.data.domains import KINDS
from pages.hypotheses import charts
from pages.hypotheses import texts as say
from pages.hypotheses import texts_algorithm as algorithm
from pages.hypotheses.charts import SAYS
from pages.hypotheses.experiment import HypothesesSettings
from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.settings import ROWS, WEIGHTS, HypothesesParameters
from ui import widgets
from ui.page.page import (
    GUARANTEE_TAB,
    RESULTS_TAB,
    WHY_TAB,
    Page,
    SliderLayout,
    Tab,
    always,
    listed,
)
from ui.page.suggestion import Suggestion
from ui.session import page_state
from ui.text import labels

NOISES = {
    "exponential": "Output perturbation",
    "gaussian": "Gaussian",
    "objective": "Objective perturbation",
}
PROJECTIONS = {"svd": "Projected", "none": "All words"}
MAIN = ("label_share", "dimension", "similarity")
MORE = ("sources", *ROWS, "public_rows", "lambda_lr", "lambda_iw", "delta", "repeats", "seed")
SLIDERS: dict[str, dict[str, Any]] = {
    "epsilon": {},
    "sources": {"label": "Sources", "symbol": "K"},
    "dimension": {"label": "Features kept", "scale": "log", "stops": 12, "symbol": "d'"},
    "target_rows": {"label": "Target rows"},
    "public_rows": {"label": "Public rows"},
    "repeats": {},
    "seed": {},
}
HELP = SAYS.cases("help")


def setup(state: page_state.PageState) -> None:
    state.choose("data", "Data", dict(KINDS), help=HELP["data"])
    state.choose("noise", "Mechanism", NOISES, wide=True, help=HELP["noise"])
    if state.settings.data != "domains":
        state.choose("projection", "Features", PROJECTIONS, help=HELP["projection"])


def sliders(settings: HypothesesParameters) -> SliderLayout:
    """Return the sliders that have a say. The target's mixture is one slider where there are two
    sources, else a weight for each, folded away.
    """
    two, weights = settings.sources == 2, list(WEIGHTS[: settings.sources])
    shown = [*MAIN, *weights[:two]]
    main = [name for name in shown if name != "dimension" or settings.projected]
    more = [
        *([] if two else weights),
        *(name for name in MORE if name != "delta" or settings.noise == "gaussian"),
    ]
    changes = {name: change | {"help": HELP[name]} for name, change in SLIDERS.items()}
    return SliderLayout(hero="epsilon", main=main, more=more, changes=changes)


def _row(height: int = 340, wide: float = 1.0, **drawn: Mapping) -> list[widgets.Chart]:
    """Return pictures side by side, figures by name; ``wide``: the share of the first one."""
    return widgets.row(SAYS.cases("about"), drawn, height=height, wide={next(iter(drawn)): wide})


def pictures(result: HypothesesResult) -> list[list[widgets.Chart]]:
    epsilon, weights = charts.accuracy(result, "epsilon"), charts.weights(result)
    return [_row(height=455, wide=1.5, epsilon=epsilon, weights=weights)]


def steps(result: HypothesesResult) -> list[list[widgets.Chart]]:
    return [_row(error=charts.error(result))]


def ways(result: HypothesesResult) -> list[list[widgets.Chart]]:
    others, share = (
        charts.accuracy(result, "epsilon", charts.OTHERS),
        charts.accuracy(result, "share"),
    )
    return [_row(gain=charts.gain(result), others=others, share=share)]


def features(result: HypothesesResult) -> list[list[widgets.Chart]]:
    row = _row(dimension=charts.dimension(result), noise=charts.noise(result))
    return [row] if result.settings.projected else [_row(height=455, laws=charts.laws(result)), row]


PAGE = Page(
    name="hypotheses",
    title="Private hypothesis transfer",
    icon=":material/call_merge:",
    group="Collaborate",
    about="Reuse models that others trained privately",
    question="Can a target learn from others' private models?",
    settings=HypothesesSettings,
    label=labels.label_of("hypotheses", sources=KINDS),
    setup=setup,
    lead=always(SAYS["lead"]),
    move=Suggestion("epsilon", SAYS["move"], high=1),
    numbers=say.numbers,
    sliders=sliders,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "stages": algorithm.stages,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "classes": say.by_class,
        "table": say.table,
        "published": algorithm.published,
    },
    pictures=pictures,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("steps", "Algorithm", ("stages",), steps),
        Tab("ways", "Methods", pictures=ways),
        Tab("features", "Features", pictures=features),
        RESULTS_TAB._replace(words=("table", "classes", "published")),
    ),
    frames=lambda result: {"Table": result.table, "All runs": result.curves},
)
