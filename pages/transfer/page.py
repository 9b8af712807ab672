"""How much do public sources help private regression?"""

from collections.abc import Callable

from pages.transfer import figures, words_descent, words_tables
from pages.transfer import words as say
from pages.transfer.experiment import TransferSettings
from pages.transfer.program import program
from ui import controls, labels, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Slices, Tab, listed

HEIGHT = 455
MAIN = ("h", "difference", "migrated", "target_rows")
MORE = ("penalty", "q", "sources", "dimension", "loop_penalty", "delta", "detection_share", "repeats", "seed")
DATA = {"made": "Made up, truth known", "own": "My data"}
ADJACENCY = {"replace-one": "replace-one", "add/remove": "add/remove"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("dataset", "Data", DATA)
    names, about = say.selections(desk.settings), say.texts(desk.settings)["help.selection"]
    desk.choose("selection", "Selection", names, wide=True, help=about)


def more(desk: controls.Desk) -> None:
    """Show the selectors in *More settings*."""
    noises = {name: say.NOISES[name] for name in desk.settings.choices["noise"]}
    desk.choose("noise", "Mechanism", noises, help=say.NOISES_HELP)
    desk.choose("adjacency", "Adjacency", ADJACENCY, help=say.ADJACENCY_HELP)
    desk.choose("polytope", "Feasible set", say.POLYTOPES)
    if not desk.settings.private:
        desk.choose("penalty_q", "Penalty", say.PENALTIES, help=say.PENALTIES_HELP)


def knobs(settings: TransferSettings) -> Knobs:
    """Return the sliders; of a file, whose sources are not known to be near, h only limits the correction."""
    changes = {"h": {"label": "Maximum correction h", "help": say.REACH_HELP}} if settings.private else {}
    return Knobs(hero="epsilon", main=MAIN, more=MORE, changes=changes)


def _chart(result, name: str, draw, about: str, **how) -> live.Picture:
    about = say.texts(result.settings)[f"about.{about}"]
    return live.Picture(**({"height": HEIGHT} | how), name=name, figure=draw(result), about=about)


def pictures(result) -> list[list[live.Picture]]:
    """Draw what each way reaches over epsilon, and how the private walk goes."""
    risks = _chart(result, "epsilon", figures.over_epsilon, "risk", wide=1.5)
    return [[risks, _chart(result, "walk", figures.walk, "walk", pair=True)]]


def sources(result) -> list[list[live.Picture]]:
    """Draw which sources there are, where that is known, and what more of their rows do."""
    near = [] if result.settings.private else [_chart(result, "sources", figures.sources, "sources")]
    return [[*near, _chart(result, "migrated", figures.over_migrated, "migrated")]]


def coefficients(result) -> list[list[live.Picture]]:
    """Walk and descent on the private rows alone."""
    return [[_chart(result, "coefficients", figures.over_coefficients, "descent")]]


def published(result) -> list[list[live.Picture]]:
    """The published table as a curve."""
    return [[_chart(result, "published", figures.published, "published", height=360)]]


def frames(result) -> dict[str, Callable]:
    """Return the tables to download by name; what is said of a known truth, with made-up data only."""
    found = {"Candidates": result.table, "All runs": lambda: result.curves}
    if result.settings.private:
        return found
    return found | {
        "Sources": result.sources,
        "Coefficients": result.coefficients,
        "Published table": lambda: result.published.frame,
    }


def made_up(settings: TransferSettings) -> bool:
    """Return whether the data are made up, so that the truth is known."""
    return not settings.private


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
    lead=lambda settings: say.texts(settings)["lead"],
    numbers=say.numbers,
    knobs=knobs,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "published": words_tables.published_table,
        "costs": words_tables.costs_table,
        "coefficients": words_descent.coefficients,
    },
    pictures=pictures,
    # What must be trained before anything is drawn takes some 30 ms; a redraw takes up no more on top of that.
    slices=Slices(moving=0.02, resting=0.02),
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("sources", "Sources", pictures=sources, when=made_up),
        Tab("sources", "Public rows", pictures=sources, when=lambda settings: settings.private),
        Tab("coefficients", "Coefficients", ("coefficients",), coefficients, when=made_up),
        Tab("published", "Published table", ("published",), published, when=made_up),
        Tab("costs", "Published noise scale", ("costs",), when=made_up),
    ),
    frames=frames,
    code=program,
)
