"""How much does transfer help?"""

from collections.abc import Mapping

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


def _chart(alts: Mapping[str, str], name: str, figure: dict, about: str, **how) -> live.Picture:
    return live.Picture(**({"height": HEIGHT} | how), name=name, figure=figure, alt=alts[name], about=about)


def pictures(result) -> list[list[live.Picture]]:
    """What each way reaches over epsilon, and how the private walk goes."""
    alts = say.alts(result)
    risks = _chart(alts, "epsilon", figures.over_epsilon(result), say.RISK_ABOUT, wide=1.5)
    return [[risks, _chart(alts, "walk", figures.walk(result), say.WALK_ABOUT, pair=True)]]


def sources(result) -> list[list[live.Picture]]:
    """Which sources there are, and what more of their rows do."""
    alts = say.alts(result)
    near = _chart(alts, "sources", figures.sources(result), say.SOURCES_ABOUT)
    return [[near, _chart(alts, "migrated", figures.over_migrated(result), say.MIGRATED_ABOUT)]]


def published(result) -> list[list[live.Picture]]:
    """The published table as a curve."""
    return [[_chart(say.alts(result), "published", figures.published(result), say.PUBLISHED_ABOUT, height=360)]]


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
