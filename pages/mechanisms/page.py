"""What does one published number give away?"""

import streamlit as st

from pages.mechanisms import figures
from pages.mechanisms import words as say
from pages.mechanisms.experiment import COUNT_NOISES, NUMBER_MECHANISMS, MechanismsSettings
from ui import controls, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed, noted

MAIN = ("prior", "release", "delta", "sensitivity", "value", "lead")
MORE = ("options", "seed")
SHORT = dict(zip(NUMBER_MECHANISMS, ("Laplace", "Gaussian", "Textbook"), strict=True))
VOTES = {"leader": "the leader", "runner-up": "the runner-up", "last": "the last"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another mechanism."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("mechanism", "Noise on the number", SHORT, wide=True, help=say.MECHANISMS_HELP)
        with st.popover("Choice", icon=":material/how_to_vote:"):
            desk.choose("vote", "Your answer goes to", VOTES)
            desk.choose("noise", "Noise on the counts", COUNT_NOISES)


def pictures(result) -> list[list[live.Picture]]:
    """What is released; what it means; what it costs, and a choice in place of a number."""
    alts, tall = say.alts(result), figures.TALL
    rows = (
        (tall, (("release", figures.release), ("dots", figures.dots))),
        (320, (("posterior", figures.posterior), ("trade", figures.trade_off), ("profile", figures.profile))),
        (320, (("errors", figures.errors), ("choice", figures.choice))),
    )
    return [
        [live.Picture(name=name, figure=draw(result), alt=alts[name], height=height) for name, draw in row]
        for height, row in rows
    ]


def more(result) -> list[list[live.Picture]]:
    """The charts below the first screen."""
    return pictures(result)[1:]


PAGE = Page(
    name="mechanisms",
    title="One answer",
    icon=":material/casino:",
    group="Promise",
    about="What one published number reveals",
    question="What does one published number give away?",
    settings=MechanismsSettings,
    setup=setup,
    lead=always(
        "A group is asked, and the number of those who say yes is published with noise. Are **you** in the group? "
        "There are two worlds, with you and without you, and one number. **Drag epsilon** to see how well anybody can "
        "tell the two apart."
    ),
    numbers=always(()),
    knobs=always(Knobs(hero="epsilon", main=MAIN, more=MORE)),
    words={
        "verdict": say.verdict,
        "release": noted(say.this_release),
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "choice": say.choosing,
        "table": say.table,
    },
    pictures=lambda result: pictures(result)[:1],
    tabs=(
        Tab("release", "This release", ("release",)),
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("choice", "A choice in place of a number", ("choice",)),
        Tab("more", "More charts", pictures=more),
        Tab("table", "Table", ("table",)),
    ),
    frames=lambda result: {
        "Mechanisms": result.table,
        "Densities": result.densities,
        "Trade-off": lambda: result.trade_off,
        "Delta over epsilon": lambda: result.profile,
        "Releases": lambda: result.sequence,
        "Choice": lambda: result.choice,
    },
)
