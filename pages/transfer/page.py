"""How much does transfer help?"""

import streamlit as st

from pages.transfer import figures
from pages.transfer import words as say
from pages.transfer.experiment import TransferSettings
from ui import controls, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Slices, Tab, always, listed

HEIGHT = 400
MAIN = ("h", "difference", "migrated", "target_rows")
MORE = ("q", "sources", "dimension", "delta", "detection_share", "repeats", "seed")
ADJACENCY = {"replace-one": "replace one row", "add/remove": "add or remove one row"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("selection", "Near sources", say.SELECTIONS, wide=True, help=say.SELECTIONS_HELP)
    desk.choose("noise", "Noise", say.NOISES, help=say.NOISES_HELP)
    with st.popover("Advanced", icon=":material/tune:"):
        desk.choose("adjacency", "Neighbouring data sets", ADJACENCY)
        desk.choose("polytope", "The walk goes over", say.POLYTOPES)


def pictures(result) -> list[list[live.Picture]]:
    """What each way reaches over epsilon, and how the private walk goes."""
    alts = say.alts(result)
    risks = live.Picture(
        name="epsilon",
        figure=figures.over_epsilon(result),
        alt=alts["epsilon"],
        about=say.RISK_ABOUT,
        height=HEIGHT,
        wide=1.5,
    )
    walk = live.Picture(
        name="walk", figure=figures.walk(result), alt=alts["walk"], about=say.WALK_ABOUT, height=HEIGHT, pair=True
    )
    return [[risks, walk]]


def sources(result) -> list[list[live.Picture]]:
    """Which sources there are, and what more of their rows do."""
    alts = say.alts(result)
    near = live.Picture(
        name="sources", figure=figures.sources(result), alt=alts["sources"], about=say.SOURCES_ABOUT, height=HEIGHT
    )
    rows = live.Picture(
        name="migrated",
        figure=figures.over_migrated(result),
        alt=alts["migrated"],
        about=say.MIGRATED_ABOUT,
        height=HEIGHT,
    )
    return [[near, rows]]


def published(result) -> list[list[live.Picture]]:
    """The published table as a curve."""
    figure, alt = figures.published(result), say.alts(result)["published"]
    return [[live.Picture(name="published", figure=figure, alt=alt, about=say.PUBLISHED_ABOUT, height=360)]]


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
        "A few private rows are to be learnt from, and there are many public ones that are *similar*. Four ways to do "
        "it are trained, each within the same epsilon, and held against the truth. **Drag epsilon, then h**: how far "
        "the private rows may correct what the public ones say."
    ),
    numbers=say.numbers,
    knobs=always(Knobs(hero="epsilon", main=MAIN, more=MORE)),
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "published": say.published_table,
        "costs": say.costs_table,
    },
    pictures=pictures,
    # What must be trained before anything is drawn takes some 30 ms; a redraw takes up no more on top of that.
    slices=Slices(moving=0.02, resting=0.02),
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("sources", "Sources", pictures=sources),
        Tab("published", "As published", ("published",), published),
        Tab("costs", "Printed noise", ("costs",)),
    ),
    frames=lambda result: {
        "Candidates": result.table,
        "All runs": lambda: result.curves,
        "Sources": result.sources,
        "Published table": lambda: result.published.frame,
    },
    code=say.program,
)
