"""How much do public sources help private regression?"""

from dataclasses import replace
from functools import partial

from pages.transfer import figures, words_descent
from pages.transfer import words as say
from pages.transfer import words_own as say_own
from pages.transfer.experiment import TransferSettings
from pages.transfer.program import program
from ui import controls, labels, live, my_rows
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Slices, Tab, always, listed

HEIGHT = 455
MAIN = ("h", "difference", "migrated", "target_rows")
MORE = ("penalty", "q", "sources", "dimension", "loop_penalty", "delta", "detection_share", "repeats", "seed")
DATA = {"made": "Made up, truth known", "own": "My data"}
ADJACENCY = {"replace-one": "replace-one", "add/remove": "add/remove"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    words = say_own if my_rows.own(desk.settings) else say
    desk.choose("dataset", "Data", DATA)
    desk.choose("selection", "Selection", words.SELECTIONS, wide=True, help=words.SELECTIONS_HELP)


def more(desk: controls.Desk) -> None:
    """Show the selectors in *More settings*."""
    noises = {name: say.NOISES[name] for name in desk.settings.choices["noise"]}
    desk.choose("noise", "Mechanism", noises, help=say.NOISES_HELP)
    desk.choose("adjacency", "Adjacency", ADJACENCY, help=say.ADJACENCY_HELP)
    desk.choose("polytope", "Feasible set", say.POLYTOPES)
    if not my_rows.own(desk.settings):
        desk.choose("penalty_q", "Penalty", say.PENALTIES, help=say.PENALTIES_HELP)


def _chart(name: str, figure: dict, about: str, **how) -> live.Picture:
    return live.Picture(**({"height": HEIGHT} | how), name=name, figure=figure, about=about)


def pictures(result) -> list[list[live.Picture]]:
    """Draw what each way reaches over epsilon, and how the private walk goes."""
    risks = _chart("epsilon", figures.over_epsilon(result), say.RISK_ABOUT, wide=1.5)
    return [[risks, _chart("walk", figures.walk(result), say.WALK_ABOUT, pair=True)]]


def sources(result) -> list[list[live.Picture]]:
    """Draw which sources there are, and what more of their rows do."""
    near = _chart("sources", figures.sources(result), say.SOURCES_ABOUT)
    return [[near, _chart("migrated", figures.over_migrated(result), say.MIGRATED_ABOUT)]]


def coefficients(result) -> list[list[live.Picture]]:
    """Walk and descent on the private rows alone."""
    return [[_chart("coefficients", figures.over_coefficients(result), words_descent.ABOUT)]]


def published(result) -> list[list[live.Picture]]:
    """The published table as a curve."""
    return [[_chart("published", figures.published(result), say.PUBLISHED_ABOUT, height=360)]]


def own_pictures(result) -> list[list[live.Picture]]:
    """Draw what each way reaches on held-out rows over epsilon, and how the private walk goes."""
    errors = _chart("epsilon", figures.over_epsilon(result), say_own.RISK_ABOUT, wide=1.5)
    return [[errors, _chart("walk", figures.walk(result), say_own.WALK_ABOUT, pair=True)]]


def own_sources(result) -> list[list[live.Picture]]:
    """Draw what more public rows do."""
    return [[_chart("migrated", figures.over_migrated(result), say_own.MIGRATED_ABOUT)]]


def variant(settings: TransferSettings) -> Page | None:
    """The page with a file of one's own."""
    return OF_OWN if my_rows.own(settings) else None


PAGE = Page(
    name="transfer",
    title="Public-to-private transfer",
    icon=":material/move_up:",
    group="Collaborate",
    about="When transfer helps, and when not",
    question="How much do public sources help private regression?",
    settings=TransferSettings,
    label=labels.of("transfer"),
    setup=setup,
    more=more,
    lead=always(say.LEAD),
    numbers=say.numbers,
    knobs=always(Knobs(hero="epsilon", main=MAIN, more=MORE)),
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "published": say.published_table,
        "costs": say.costs_table,
        "coefficients": words_descent.coefficients,
    },
    pictures=pictures,
    # What must be trained before anything is drawn takes some 30 ms; a redraw takes up no more on top of that.
    slices=Slices(moving=0.02, resting=0.02),
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("sources", "Sources", pictures=sources),
        Tab("coefficients", "Coefficients", ("coefficients",), coefficients),
        Tab("published", "Published table", ("published",), published),
        Tab("costs", "Published noise scale", ("costs",)),
    ),
    frames=lambda result: {
        "Candidates": result.table,
        "All runs": lambda: result.curves,
        "Sources": result.sources,
        "Coefficients": result.coefficients,
        "Published table": lambda: result.published.frame,
    },
    code=program,
    ready=partial(my_rows.ready, fits=my_rows.of_sources),
    holds=partial(my_rows.holds, fits=my_rows.of_sources),
    private=my_rows.own,
    variant=variant,
)

_REACH = {"label": "Maximum correction h", "help": say.REACH_HELP}
# No truth is known, no row of a file is drawn, and no program can bring it.
OF_OWN = replace(
    PAGE,
    lead=always(say_own.LEAD),
    knobs=always(
        Knobs(
            hero="epsilon",
            main=("h", "migrated", "target_rows"),
            more=("delta", "detection_share", "repeats", "seed"),
            changes={"h": _REACH},
        )
    ),
    words={
        "verdict": say.verdict,
        "caption": say_own.caption,
        "why": listed(say_own.diagnostics),
        "guarantee": say_own.guarantee,
    },
    pictures=own_pictures,
    tabs=(WHY_TAB, GUARANTEE_TAB, Tab("sources", "Public rows", pictures=own_sources)),
    frames=lambda result: {"Candidates": result.table, "All runs": lambda: result.curves},
    code=None,
)
