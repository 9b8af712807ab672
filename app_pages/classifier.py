"""What does privacy cost a classifier, and what does a public start buy?"""

import streamlit as st

from dpcore.data import DATASETS
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
        desk.choose("dataset", "Data", {name: source.title for name, source in DATASETS.items()})
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
    left, right = st.columns([1, 3.1], gap="large")
    with right:
        panels.verdict(say.verdict(result))
        for column, chart in zip(st.columns(1 + len(settings.arms)), maps(result), strict=True):
            with column:
                live.chart(**chart)
        accuracy, loss = st.columns(2)
        with accuracy:
            live.chart(figures.accuracy(result), key="classifier.accuracy", alt=say.accuracy_alt(result))
        with loss:
            live.chart(figures.loss(result), key="classifier.loss", alt=say.loss_alt(result))
        panels.cards(
            ("Why did it change, or not?", panels.bullets(say.diagnostics(result))),
            ("The guarantee", say.guarantee(result)),
        )
    with left.container(key="knobs"):
        knobs = [controls.knob("epsilon", settings.limits, group="hero")]
        knobs += [controls.knob(name, settings.limits) for name in MAIN]
        knobs += [controls.knob(name, settings.limits, group="more") for name in MORE]
        desk.panel(knobs, done=done)


def maps(result) -> list[dict]:
    """The models side by side: without privacy, private, private from a public start."""
    charts = [
        {
            "figure": figures.reference_regions(result),
            "key": "classifier.map",
            "alt": say.map_alt(result, None),
        }
    ]
    return charts + [
        {
            "figure": figures.regions(result, arm),
            "key": f"classifier.map.{name}",
            "alt": say.map_alt(result, arm),
        }
        for arm, name in enumerate(result.settings.arms)
    ]


desk = controls.desk("classifier", ClassifierSettings)
st.title("What does privacy cost a classifier?")
st.markdown(
    "Each picture shows every model of a whole ensemble, trained now, each with noise of its own. **Drag epsilon.** "
    "The weights are what would be published; points, losses and accuracies are for the analyst only."
)
panels.notices(desk.notices)
setup(desk)
panels.key([(theme.NAMES[name], theme.COLOURS[name], theme.DASHES[name]) for name in theme.NAMES])
result, done = compute(desk.settings)
desk.told = desk.settings if done == 1 else None
lab()
say.table(result)
with st.expander("Share and download", icon=":material/share:"):
    panels.share(
        desk.settings,
        page="classifier",
        module="dpcore.experiments.classifier",
        frames={"All runs": result.curve, "Table": result.table()},
    )
with st.expander("How it works", icon=":material/school:"):
    say.how_it_works()
