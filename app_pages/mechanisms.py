"""What does one released number give away, and what does epsilon mean?"""

import streamlit as st

from dpcore.experiments.mechanisms import MECHANISMS, NOISES, MechanismsSettings
from ui import controls, live, panels
from ui.compute import compute
from ui.figures import mechanisms as figures
from ui.figures import mechanisms_meaning as meaning
from ui.figures import theme
from ui.sentences import mechanisms as say

MAIN = ("prior", "release", "delta", "sensitivity", "value", "lead")
MORE = ("options", "seed")
SHORT = dict(zip(MECHANISMS, ("Laplace", "Gaussian", "Textbook"), strict=True))
VOTES = {"leader": "the leader", "runner-up": "the runner-up", "last": "the last"}
KEY = (
    ("world with you", theme.WITH_YOU, "solid"),
    ("world without you", theme.WITHOUT_YOU, "solid"),
    ("this noise", theme.PRIVATE, "solid"),
    ("what is promised", theme.BOUND, "dashed"),
    ("now", theme.NOW, "dotted"),
)


def setup(desk: controls.Desk) -> None:
    """The choices that make another mechanism."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("mechanism", "Noise on the number", SHORT, wide=True, help=say.MECHANISMS_HELP)
        with st.popover("Choice", icon=":material/how_to_vote:"):
            desk.choose("vote", "Your answer goes to", VOTES)
            desk.choose("noise", "Noise on the counts", NOISES)


@st.fragment
def lab() -> None:
    """All that moves while a slider moves."""
    desk = controls.desk("mechanisms", MechanismsSettings)
    settings = desk.settings
    result, done = compute(settings)
    panels.stage(
        desk,
        verdict=say.verdict(result),
        pictures=pictures(result),
        cards=(
            ("This release", panels.note(say.this_release(result))),
            (panels.WHY, panels.bullets(say.diagnostics(result))),
            ("The guarantee", say.guarantee(result)),
            ("A choice in place of a number", say.choosing(result)),
        ),
        done=done,
        hero="epsilon",
        main=MAIN,
        more=MORE,
    )


def pictures(result) -> list[list[live.Picture]]:
    """What is released; what it means; what it costs, and a choice in place of a number."""
    alts, tall = say.alts(result), figures.TALL
    drawn = {
        "release": figures.release,
        "dots": figures.dots,
        "posterior": meaning.posterior,
        "trade": meaning.trade_off,
        "profile": meaning.profile,
        "errors": meaning.errors,
        "choice": meaning.choice,
    }
    rows = (("release", "dots"), ("posterior", "trade", "profile"), ("errors", "choice"))
    return [
        [
            live.Picture(name=name, figure=drawn[name](result), alt=alts[name], height=tall if row == 0 else 320)
            for name in names
        ]
        for row, names in enumerate(rows)
    ]


desk = controls.desk("mechanisms", MechanismsSettings)
st.title("What does one published number give away?")
st.markdown(
    "A group is asked, and the number of those who say yes is published with noise. Are **you** among them? Two "
    "worlds, with you and without you, and one number: **drag epsilon** and see how well anybody can tell them apart."
)
panels.notices(desk.notices)
setup(desk)
panels.key(KEY)
result, done = compute(desk.settings)
desk.tell(done=done)
lab()
say.table(result)
panels.foot(
    desk,
    verdict=say.verdict(result),
    done=done,
    module="dpcore.experiments.mechanisms",
    frames={
        "Mechanisms": result.table(),
        "Densities": result.frame,
        "Trade-off": result.trade_off,
        "Delta over epsilon": result.profile,
        "Releases": result.sequence,
        "Choice": result.choice,
    },
    how_it_works=say.how_it_works,
)
