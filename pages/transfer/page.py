"""How much do public sources help private regression?"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dpcore.privacy import Adjacency
from pages.transfer import charts, texts
from pages.transfer.result import TransferResult
from pages.transfer.settings import NOISES, SELECTIONS, TransferSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, Slices, always, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, WHY_TAB, Tab
from ui.page.view import Rows
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels
from ui.widgets import explained_chart

PROGRAM = Path(__file__).with_name("program.txt").read_text("utf-8")
# Height of the charts, in pixels.
HEIGHT = 455
# Makes a chart of this page with its help text.
_chart = partial(explained_chart, texts.ABOUT, height=HEIGHT)
MAIN_SLIDERS = ("h", "difference", "migrated", "target_rows")
MORE_SLIDERS = (
    "penalty",
    "q",
    "sources",
    "dimension",
    "delta",
    "detection_share",
    "repeats",
    "seed",
)


def main_choices(state: PageState) -> None:
    """Show the choice of how transferable sources are found."""
    state.choose("selection", "Method", SELECTIONS, wide=True, help=texts.HELP["selection"])


def more_choices(state: PageState) -> None:
    """Show the choices of the noise, the adjacency, the polytope in the plane and the penalty."""
    adjacencies = {str(adjacency): str(adjacency) for adjacency in Adjacency}
    state.choose("noise", "Noise", NOISES, help=texts.HELP["noise"])
    state.choose("adjacency", "Adjacency", adjacencies, help=texts.HELP["adjacency"])
    state.choose("polytope", "Feasible set", texts.POLYTOPES)
    state.choose("penalty_q", "Penalty", texts.PENALTIES, help=texts.HELP["penalty"])


def main_charts(result: TransferResult) -> Rows:
    """Return the excess risk over epsilon beside the runs in the plane.

    The runs are drawn twice where settings are pinned, those of the pin beside those now.
    """
    over_epsilon = _chart("epsilon", charts.over_epsilon(result), wide=1.5)
    return [[over_epsilon, _chart("walk", charts.plane_runs(result), pair=True)]]


def program(settings: TransferSettings) -> str:
    """Return a Python program that trains one transfer with these settings."""
    noise = "laplace"
    if settings.noise == "gumbel":
        noise = "gumbel"
    rows = settings.migrated // settings.sources
    return PROGRAM.format(settings=settings, noise=noise, rows=rows)


def downloads(result: TransferResult) -> Mapping[str, Callable[[], Any]]:
    """Return the name of each download, and the function that makes its data frame."""
    return {"Table": result.table, "All runs": result.curves}


PAGE = Page(
    info=PageInfo(
        name="transfer",
        title="Public-to-private transfer",
        icon=":material/move_up:",
        group="Collaborate",
        question="How much do public sources help private regression?",
        about="When transfer helps, and when not",
    ),
    settings=TransferSettings,
    controls=Controls(
        choices=main_choices,
        sliders=always(SliderLayout(hero="epsilon", main=MAIN_SLIDERS, more=MORE_SLIDERS)),
        more_choices=more_choices,
        suggestion=Suggestion("difference", texts.SAYS["move"], low=4),
    ),
    content=Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "caption": always(texts.SAYS["caption"]),
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "published": texts.published_table,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB,
            GUARANTEE_TAB,
            Tab("published", "Table", ("published",)),
        ),
        lead=always(texts.SAYS["lead"]),
    ),
    exports=Exports(
        downloads=downloads,
        label=labels.label_of("transfer"),
        code=program,
    ),
    # Essential tasks take some 30 ms, and a redraw may take as long beyond them.
    slices=Slices(moving=0.02, resting=0.02),
)
