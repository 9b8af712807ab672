"""What can many parties learn together without showing their rows?"""

import streamlit as st

from dpcore.parties.worlds import KINDS
from pages.parties import figures
from pages.parties import words as say
from pages.parties.experiment import PartiesSettings
from pages.parties.trust import trust
from ui import controls, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed

MAIN = ("parties", "regularisation", "rows", "public_rows", "unlike", "careless")
MORE = ("queries", "delta", "repeats", "seed")
MAP_HEIGHT = 235


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    methods = {name: text for name, text in say.METHODS.items() if name in desk.settings.model.methods}
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("method", "What is released", methods, wide=True, help=say.METHODS_HELP)
        desk.choose("dataset", "Data", {name: kind.title for name, kind in KINDS.items()}, help=say.DATA_HELP)
        desk.choose("learner", "Parties train", say.LEARNERS)
        with st.popover("Advanced", icon=":material/tune:"):
            desk.choose("labels", "Soft labels are", say.LABELS)
            desk.choose("constants", "Sensitivity", say.CONSTANTS, help=say.CONSTANTS_HELP)


def pictures(result) -> list[list[live.Picture]]:
    """Accuracy; what each release decides; what one party moves, and what it costs."""
    alts = say.alts(result)
    names = figures.shown_maps(result)
    rows = [
        (("epsilon", figures.over_epsilon), ("parties", figures.over_parties)),
        (("one_party", figures.one_party), ("noise", figures.noise)),
        (("bound", figures.bound), ("answers", figures.answers)),
    ]
    drawn = [
        [live.Picture(name=name, figure=draw(result), alt=alts[name], height=320) for name, draw in row] for row in rows
    ]
    regions = [
        [
            live.Picture(name=f"map.{name}", figure=figures.decisions(result, name), alt=alts[name], height=MAP_HEIGHT)
            for name in some
        ]
        for some in (names[:3], names[3:])
    ]
    return [drawn[0], *regions, *drawn[1:]]


def more(result) -> list[list[live.Picture]]:
    """The charts below the first screen."""
    return pictures(result)[1:]


PAGE = Page(
    name="parties",
    title="Many parties",
    icon=":material/groups:",
    group="Together",
    about="Learning without showing rows",
    question="What can many parties learn together without showing their rows?",
    settings=PartiesSettings,
    setup=setup,
    lead=always(
        "Every party trains alone on a few rows. What can be released from all of them, so that even a **whole "
        "party** stays hidden? **Drag epsilon, then the number of parties.**"
    ),
    numbers=always(()),
    knobs=always(Knobs(hero="epsilon", main=MAIN, more=MORE, changes=say.KNOBS)),
    words={
        "verdict": say.verdict,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "trust": trust,
        "table": say.table,
    },
    pictures=lambda result: pictures(result)[:1],
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("more", "More charts", pictures=more),
        Tab("trust", "Who sees what", ("trust",), drawn=True),
        Tab("table", "Table", ("table",)),
    ),
    frames=lambda result: {
        "Releases": result.table,
        "All runs": result.curves,
        "One party": result.moved,
        "Answers": result.answers,
    },
)
