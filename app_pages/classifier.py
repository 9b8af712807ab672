"""What does privacy cost a classifier, and what does a public start buy?"""

import streamlit as st

from dpcore.data import DATASETS, STRAIGHT
from dpcore.experiments.classifier import ClassifierSettings
from dpcore.experiments.classifier_claims import VERSIONS
from ui import controls, live, panels
from ui.compute import compute
from ui.figures import classifier as figures
from ui.figures import theme
from ui.sentences import classifier as say

MAIN = ("clip_norm", "steps", "public_rows", "shift")
MORE = ("delta", "learning_rate", "public_steps", "repeats", "seed")
SHORT = dict(zip(VERSIONS, ("Sound", "As published", "No privacy"), strict=True))
ADJACENCY = {"replace-one": "replace one person", "add/remove": "add or remove one person"}
PLANES = {"principal": "two principal directions of the public rows", "features": "two features"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("version", "Version", SHORT, wide=True, help=say.VERSIONS_HELP)
        desk.choose("dataset", "Data", {name: DATASETS[name].title for name in STRAIGHT})
        with st.popover("Neighbours, plane", icon=":material/tune:"):
            desk.choose("adjacency", "Neighbouring data sets", ADJACENCY)
            features = DATASETS[desk.settings.dataset].features
            if len(features) > 2:
                desk.choose("plane", "Draw the decision in", PLANES)
            if len(features) > 2 and desk.settings.plane == "features":
                names = dict(enumerate(features))
                desk.choose("feature_x", "Across", names)
                desk.choose("feature_y", "Up", names)


@st.fragment
def lab() -> None:
    """All that moves while a slider moves."""
    desk = controls.desk("classifier", ClassifierSettings)
    settings = desk.settings
    result, done = compute(settings)
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
    """The models side by side, and under them what they reach and how they got there."""
    reference = figures.reference_regions(result)
    maps = [live.Picture(name="map.reference", figure=reference, alt=say.map_alt(result, None), late=True)]
    for arm, name in enumerate(result.settings.arms):
        regions = figures.regions(result, arm)
        maps.append(live.Picture(name=f"map.{name}", figure=regions, alt=say.map_alt(result, arm)))
    return [
        maps,
        [
            live.Picture(name="accuracy", figure=figures.accuracy(result), alt=say.accuracy_alt(result)),
            live.Picture(name="loss", figure=figures.loss(result), alt=say.loss_alt(result)),
        ],
    ]


desk = controls.desk("classifier", ClassifierSettings)
st.title("What does privacy cost a classifier?")
st.markdown(
    "Each picture shows every model of a whole ensemble, trained now, each with noise of its own. **Drag epsilon.** "
    "The weights are what would be published; points, losses and accuracies are for the analyst only."
)
panels.notices(desk.notices)
setup(desk)
names = theme.NAMES[desk.settings.version]
panels.key([(names[name], theme.COLOURS[name], theme.DASHES[name]) for name in names])
result, done = compute(desk.settings)
desk.tell(done=done)
lab()
say.table(result)
panels.foot(
    desk,
    verdict=say.verdict(result),
    done=done,
    module="dpcore.experiments.classifier",
    frames={"All runs": result.curve, "Table": result.table(), "Loss": result.loss_curves()},
    how_it_works=say.how_it_works,
)
