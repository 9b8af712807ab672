"""What does privacy cost a regression, and when does its answer fall over?"""

import streamlit as st

from dpcore.experiments.regression import SPLITTERS, RegressionSettings
from dpcore.learners.least_squares import REPAIRS
from dpcore.learners.linear import MECHANISMS
from dpcore.regression_data import SOURCES
from ui import controls, live, panels
from ui.compute import compute
from ui.figures import regression as figures
from ui.figures import regression_surface as surfaces
from ui.figures import theme
from ui.sentences import regression as say

MAIN = ("rows", "features", "label_top")
MORE = ("delta", "repeats", "seed")
SHORT = dict(zip(MECHANISMS, ("As published", "Sharp", "Gaussian", "AdaSSP", "Answer", "Descent"), strict=True))
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


@st.fragment
def lab() -> None:
    """All that moves while a slider moves."""
    desk = controls.desk("regression", RegressionSettings)
    settings = desk.settings
    result, done = compute(settings)
    own = settings.split == "own" and settings.mechanism in SPLITTERS
    changes = {"label_top": {"unit": settings.source.unit}, "draw": {"pace": 500}}
    main = (*MAIN, "share") if own else MAIN
    panels.stage(
        desk,
        verdict=say.verdict(result),
        pictures=pictures(result),
        cards=(
            (panels.WHY, panels.bullets(say.diagnostics(result))),
            ("The guarantee", say.guarantee(result)),
        ),
        done=done,
        hero="epsilon",
        play="draw",
        main=main,
        more=MORE,
        changes=changes,
    )


def pictures(result) -> list[list[live.Picture]]:
    """What it costs; what is published; what is minimised; where it comes from."""
    alts = say.alts(result)
    drawn = {"errors": figures.errors, "no_minimum": figures.no_minimum, "true": surfaces.true, "lines": figures.lines}
    drawn |= {"noisy": surfaces.noisy, "coefficients": figures.coefficients, "split": figures.split}
    middle = ("true", "noisy", "lines") if result.noisy_surface is not None else ("true", "lines")
    rows = ((("errors", "no_minimum"), 360), (middle, 330), (("coefficients", "split"), 380))
    return [
        [live.Picture(name=name, figure=drawn[name](result), alt=alts[name], height=height) for name in names]
        for names, height in rows
    ]


desk = controls.desk("regression", RegressionSettings)
st.title("What does privacy cost a regression?")
st.markdown(
    "A straight-line model is fitted to a table of people, and what is published carries noise. **Drag epsilon** to "
    "the left and see a method's answer fall over, or stand. Points and errors are for the analyst only."
)
panels.notices(desk.notices)
setup(desk)
panels.key(
    [(name, colour, "solid") for name, colour in theme.REGRESSIONS.values()]
    + [
        ("least squares", theme.NON_PRIVATE, "dotted"),
        ("always the mean", theme.NON_PRIVATE, "dashed"),
    ]
)
result, done = compute(desk.settings)
desk.tell(done=done)
lab()
say.tables(result)
panels.foot(
    desk,
    verdict=say.verdict(result),
    done=done,
    module="dpcore.experiments.regression",
    frames={
        "Methods now": result.table(),
        "Over epsilon": result.over_epsilon,
        "All runs": result.runs,
        "Coefficients": result.coefficients(),
        "Split": result.over_split,
    },
    how_it_works=say.how_it_works,
)
