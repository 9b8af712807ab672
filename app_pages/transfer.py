"""What do public sources buy a private regression?"""

import streamlit as st

from dpcore.experiments.transfer import TransferSettings
from ui import controls, live, panels
from ui.compute import compute
from ui.figures import transfer as figures
from ui.sentences import transfer as say

MAIN = ("h", "difference", "migrated", "target_rows", "q")
MORE = ("sources", "dimension", "delta", "detection_share", "repeats", "seed")
# What must be trained before anything is drawn takes some 30 ms; a redraw takes up no more on top of that.
_SLICE_SECONDS = 0.02
ADJACENCY = {"replace-one": "replace one row", "add/remove": "add or remove one row"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("selection", "Which sources are near is", say.SELECTIONS, wide=True, help=say.SELECTIONS_HELP)
        desk.choose("noise", "Noise", say.NOISES, help=say.NOISES_HELP)
        with st.popover("Neighbours, polytope", icon=":material/tune:"):
            desk.choose("adjacency", "Neighbouring data sets", ADJACENCY)
            desk.choose("polytope", "The walk in the plane goes over", say.POLYTOPES)


@st.fragment
def lab() -> None:
    """All that moves while a slider moves."""
    desk = controls.desk("transfer", TransferSettings)
    settings = desk.settings
    result, done = compute(settings, seconds=_SLICE_SECONDS)
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
        main=MAIN,
        more=MORE,
    )


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


desk = controls.desk("transfer", TransferSettings)
st.title("What does transfer really buy?")
st.markdown(
    "A few private rows, many public ones that are *nearly* alike. Four ways to predict, each within the same epsilon, "
    "and how far each stays behind the truth. **Drag epsilon, then h.**"
)
panels.notices(desk.notices)
setup(desk)
panels.key((*figures.STYLES.values(), figures.WITHOUT))
result, done = compute(desk.settings)
desk.tell(done=done)
lab()
st.subheader("What was published")
table, picture = st.columns([1.9, 1], gap="large")
with table:
    say.published_table(result)
with picture:
    live.chart(
        figures.published(result), key="transfer.published", alt=say.alts(result)["published"], height=figures.TALL
    )
say.costs_table()
panels.foot(
    desk,
    verdict=say.verdict(result),
    done=done,
    module="dpcore.experiments.transfer",
    frames={
        "Candidates": result.table(),
        "All runs": result.curves,
        "Sources": result.sources(),
        "Published table": result.published.frame,
    },
    how_it_works=say.how_it_works,
)
