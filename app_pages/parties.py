"""Can many parties train one model that hides each of them?"""

from functools import lru_cache

import streamlit as st

from dpcore.experiments.parties import PartiesSettings
from dpcore.parties.worlds import KINDS
from ui import controls, live, panels
from ui.compute import compute
from ui.figures import parties as figures
from ui.figures import parties_maps as maps
from ui.figures.trust import trust
from ui.sentences import parties as say

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
        with st.popover("Labels, constants", icon=":material/tune:"):
            desk.choose("labels", "Soft labels are", say.LABELS)
            desk.choose("constants", "Sensitivity", say.CONSTANTS, help=say.CONSTANTS_HELP)


@st.fragment
def lab() -> None:
    """All that moves while a slider moves."""
    desk = controls.desk("parties", PartiesSettings)
    result, done = compute(desk.settings)
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
        changes=say.KNOBS,
    )


# A slice that only asks more parties changes no picture.
@lru_cache(maxsize=4)
def pictures(result) -> list[list[live.Picture]]:
    """Accuracy; what each release decides; what one party moves, and what it costs."""
    alts = say.alts(result)
    names = maps.shown_maps(result)
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
            live.Picture(name=f"map.{name}", figure=maps.decisions(result, name), alt=alts[name], height=MAP_HEIGHT)
            for name in some
        ]
        for some in (names[:3], names[3:])
    ]
    return [drawn[0], *regions, *drawn[1:]]


desk = controls.desk("parties", PartiesSettings)
st.title("Can many parties train one model that hides each of them?")
st.markdown(
    "Every party trains alone on a few rows. What may be released of all of them together, so that no **whole party** "
    "shows? **Drag epsilon, then the number of parties.**"
)
panels.notices(desk.notices)
setup(desk)
result, done = compute(desk.settings)
panels.key(figures.keys(result))
desk.tell(done=done)
lab()
st.subheader("Who sees what, and who adds the noise")
st.markdown(trust(result), unsafe_allow_html=True)
say.table(result)
panels.foot(
    desk,
    verdict=say.verdict(result),
    done=done,
    module="dpcore.experiments.parties",
    frames={
        "Releases": result.table(),
        "All runs": result.curves(),
        "One party": result.moved(),
        "Answers": result.answers,
    },
    how_it_works=say.how_it_works,
)
