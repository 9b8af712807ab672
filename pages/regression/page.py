"""What does privacy cost a regression?"""

import streamlit as st

from dpcore.data.regression import SOURCES
from dpcore.estimators.linear import REGRESSIONS
from dpcore.regression.least_squares import REPAIRS
from pages.regression import figures
from pages.regression import words as say
from pages.regression.experiment import SPLITTERS, RegressionSettings
from ui import controls, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed

MAIN = ("rows", "features", "label_top")
MORE = ("delta", "repeats", "seed")
SHORT = dict(zip(REGRESSIONS, ("As published", "Sharp", "Gaussian", "AdaSSP", "Answer", "Descent"), strict=True))
SPLITS = {"best": "least noise, each method's own", "own": "by hand"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("mechanism", "Where the noise goes", SHORT, wide=True, help=say.MECHANISMS_HELP)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("dataset", "Data", {name: source.title for name, source in SOURCES.items()})
        desk.choose("split", "Split of epsilon", SPLITS, help=say.SPLIT_HELP)
        desk.choose("repair", "Repair", REPAIRS, help=say.REPAIR_HELP)
        with st.popover("Pictures", icon=":material/tune:"):
            names = dict(enumerate(desk.settings.source.features[: desk.settings.features]))
            desk.choose("feature", "Line over", names)
            desk.choose("across", "Surface across", names)
            desk.choose("up", "Surface up", names)


def pictures(result) -> list[list[live.Picture]]:
    """What it costs; what is published; what is minimised; where it comes from."""
    alts = say.alts(result)
    noisy = [("noisy", figures.noisy_surface)] if result.noisy_surface is not None else []
    rows = (
        (360, (("errors", figures.errors), ("no_minimum", figures.no_minimum))),
        (330, (("true", figures.true_surface), *noisy, ("lines", figures.lines))),
        (380, (("coefficients", figures.coefficients), ("split", figures.split))),
    )
    return [
        [live.Picture(name=name, figure=draw(result), alt=alts[name], height=height) for name, draw in row]
        for height, row in rows
    ]


def knobs(settings: RegressionSettings) -> Knobs:
    """The share of epsilon has a knob where it is set by hand."""
    own = settings.split == "own" and settings.mechanism in SPLITTERS
    changes = {"label_top": {"unit": settings.source.unit}, "draw": {"pace": 500}}
    main = (*MAIN, "share") if own else MAIN
    return Knobs(hero="epsilon", main=main, more=MORE, play="draw", changes=changes)


def more(result) -> list[list[live.Picture]]:
    """The charts below the first screen."""
    return pictures(result)[1:]


PAGE = Page(
    name="regression",
    title="Regression",
    icon=":material/show_chart:",
    group="Cost",
    about="Lines and surfaces with noise",
    question="What does privacy cost a regression?",
    settings=RegressionSettings,
    setup=setup,
    lead=always(
        "A linear model is fitted to a table of people, and what is published carries noise. **Drag epsilon** to the "
        "left and see which method's answer still stands. Only that answer would be released; points and errors would "
        "not."
    ),
    numbers=always(()),
    knobs=knobs,
    words={
        "verdict": say.verdict,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "table": say.table,
        "coefficients": say.coefficients_table,
    },
    pictures=lambda result: pictures(result)[:1],
    code=say.program,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("more", "More charts", pictures=more),
        Tab("table", "Table", ("table",)),
        Tab("coefficients", "Coefficients", ("coefficients",)),
    ),
    frames=lambda result: {
        "Methods now": result.table,
        "Over epsilon": lambda: result.over_epsilon,
        "All runs": lambda: result.runs,
        "Coefficients": result.coefficients,
        "Split": lambda: result.over_split,
    },
)
