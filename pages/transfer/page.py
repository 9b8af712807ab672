"""How much does transfer help?"""

import streamlit as st

from pages.transfer import figures
from pages.transfer import words as say
from pages.transfer.experiment import TransferSettings
from ui import controls, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Slices, Tab, always, listed

MAIN = ("h", "difference", "migrated", "target_rows", "q")
MORE = ("sources", "dimension", "delta", "detection_share", "repeats", "seed")
ADJACENCY = {"replace-one": "replace one row", "add/remove": "add or remove one row"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("selection", "Which sources are near", say.SELECTIONS, wide=True, help=say.SELECTIONS_HELP)
        desk.choose("noise", "Noise", say.NOISES, help=say.NOISES_HELP)
        with st.popover("Advanced", icon=":material/tune:"):
            desk.choose("adjacency", "Neighbouring data sets", ADJACENCY)
            desk.choose("polytope", "The walk in the plane goes over", say.POLYTOPES)


def pictures(result) -> list[list[live.Picture]]:
    """What each candidate reaches, and under it which sources there are and how the private walk goes."""
    alts = say.alts(result)
    rows = (
        (("epsilon", figures.over_epsilon), ("migrated", figures.over_migrated)),
        (("walk", figures.walk), ("sources", figures.sources)),
    )
    return [
        [live.Picture(name=name, figure=draw(result), alt=alts[name], height=height) for name, draw in row]
        for row, height in zip(rows, (340, figures.TALL), strict=True)
    ]


def published(result) -> live.Picture:
    """The published table as a curve."""
    alt = say.alts(result)["published"]
    return live.Picture(name="published", figure=figures.published(result), alt=alt, height=figures.TALL)


def more(result) -> list[list[live.Picture]]:
    """The charts below the first screen."""
    return pictures(result)[1:]


PAGE = Page(
    name="transfer",
    title="Head start",
    icon=":material/move_up:",
    group="Together",
    about="When transfer helps, and when not",
    question="How much does transfer help?",
    settings=TransferSettings,
    setup=setup,
    lead=always(
        "A few private rows and many *similar* public ones. Four ways to learn from them, each within the same "
        "epsilon, and how far each stays behind the truth. **Drag epsilon, then h.**"
    ),
    numbers=always(()),
    knobs=always(Knobs(hero="epsilon", main=MAIN, more=MORE)),
    words={
        "verdict": say.verdict,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "published": say.published_table,
        "costs": say.costs_table,
    },
    pictures=lambda result: pictures(result)[:1],
    # What must be trained before anything is drawn takes some 30 ms; a redraw takes up no more on top of that.
    slices=Slices(moving=0.02, resting=0.02),
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("more", "More charts", pictures=more),
        Tab("published", "As published", ("published",), lambda result: [[published(result)]]),
        Tab("costs", "Costs", ("costs",)),
    ),
    frames=lambda result: {
        "Candidates": result.table,
        "All runs": lambda: result.curves,
        "Sources": result.sources,
        "Published table": lambda: result.published.frame,
    },
    code=say.program,
)
