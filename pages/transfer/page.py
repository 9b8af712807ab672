"""How much do public sources help private regression?"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from dpcore.privacy import Adjacency
from pages.transfer import charts, texts_tabs
from pages.transfer import texts as say
from pages.transfer.experiment import TransferSettings
from pages.transfer.result import TransferResult
from pages.transfer.settings import TransferParameters
from ui import widgets
from ui.page.page import GUARANTEE_TAB, WHY_TAB, Page, Slices, SliderLayout, Tab, always, listed
from ui.page.suggestion import Suggestion
from ui.session import page_state
from ui.text import labels

HEIGHT = 455
PROGRAM = Path(__file__).with_name("program.txt").read_text("utf-8")
MAIN = ("h", "difference", "migrated", "target_rows")
MORE = (
    "penalty",
    "q",
    "sources",
    "dimension",
    "loop_penalty",
    "delta",
    "detection_share",
    "repeats",
    "seed",
)
DRAWN = {
    "epsilon": charts.over_epsilon,
    "walk": charts.walk,
    "sources": charts.sources,
    "migrated": charts.over_migrated,
    "published": charts.published,
}


def setup(state: page_state.PageState) -> None:
    """Show the choices that make another experiment."""
    state.choose(
        "selection", "Selection", say.SELECTIONS, wide=True, help=say.SAYS["help.selection"]
    )


def more(state: page_state.PageState) -> None:
    """Show the selectors in *More settings*."""
    noises = {name: say.NOISES[name] for name in state.settings.choices["noise"]}
    state.choose("noise", "Mechanism", noises, help=say.HELP["noise"])
    state.choose(
        "adjacency",
        "Adjacency",
        {str(one): str(one) for one in Adjacency},
        help=say.HELP["adjacency"],
    )
    state.choose("polytope", "Feasible set", say.POLYTOPES)
    state.choose("penalty_q", "Penalty", say.PENALTIES, help=say.HELP["penalty"])


def board(
    *names: str, height: int = HEIGHT, **parts: Any
) -> Callable[[TransferResult], list[list[widgets.Chart]]]:
    """Return a function that draws a row of these pictures, each with the text about it; parts: as
    of ``live.row``.
    """

    def draw(result: TransferResult) -> list[list[widgets.Chart]]:
        texts, drawn = say.SAYS, {name: DRAWN[name](result) for name in names}
        return [
            widgets.row(
                {name: texts[f"about.{name}"] for name in names}, drawn, height=height, **parts
            )
        ]

    return draw


def program(settings: TransferParameters) -> str:
    """Return the transfer of these settings by the estimator, as a program that runs in a
    checkout.
    """
    noise, rows = (
        "gumbel" if settings.noise == "gumbel" else "laplace",
        settings.migrated // settings.sources,
    )
    return PROGRAM.format(settings=settings, noise=noise, rows=rows)


PAGE = Page(
    name="transfer",
    title="Public-to-private transfer",
    icon=":material/move_up:",
    group="Collaborate",
    about="When transfer helps, and when not",
    question="How much do public sources help private regression?",
    settings=TransferSettings,
    label=labels.label_of("transfer"),
    setup=setup,
    more=more,
    lead=always(say.SAYS["lead"]),
    move=Suggestion("difference", say.SAYS["move"], low=4),
    numbers=say.numbers,
    sliders=always(SliderLayout(hero="epsilon", main=MAIN, more=MORE)),
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "published": texts_tabs.published_table,
        "costs": texts_tabs.costs_table,
    },
    pictures=board("epsilon", "walk", wide={"epsilon": 1.5}, pair={"walk": True}),
    # What must be trained before anything is drawn takes some 30 ms; a redraw takes up no more on
    # top of that.
    slices=Slices(moving=0.02, resting=0.02),
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("sources", "Sources", pictures=board("sources", "migrated")),
        Tab("published", "Published table", ("published",), board("published", height=360)),
        Tab("costs", "Published noise scale", ("costs",)),
    ),
    frames=lambda result: {"Table": result.table, "All runs": result.curves},
    code=program,
)
