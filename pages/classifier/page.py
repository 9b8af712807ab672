"""What does privacy cost a classifier?"""

import streamlit as st

from dpcore.data.toy import DATASETS, STRAIGHT
from dpcore.training.recipes import VERSIONS
from pages.classifier import figures
from pages.classifier import words as say
from pages.classifier.experiment import ClassifierSettings
from ui import controls, live
from ui.page import Knobs, Page, Section, always, listed
from ui.plot import theme

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


def legend(result) -> list[tuple[str, str, str]]:
    """What the colours of all charts mean."""
    names = theme.NAMES[result.settings.version]
    return [(names[name], theme.COLOURS[name], theme.DASHES[theme.COLOURS[name]]) for name in names]


PAGE = Page(
    name="classifier",
    title="Classifier",
    icon=":material/scatter_plot:",
    group="What a model loses",
    question="What does privacy cost a classifier?",
    settings=ClassifierSettings,
    setup=setup,
    lead=lambda settings: say.introduction(settings.version),
    legend=legend,
    knobs=always(Knobs(hero="epsilon", main=MAIN, more=MORE)),
    words={"verdict": say.verdict, "why": listed(say.diagnostics), "guarantee": say.guarantee, "table": say.table},
    pictures=pictures,
    sections=[Section("table")],
    code=say.program,
    frames=lambda result: {"All runs": lambda: result.curve, "Table": result.table, "Loss": result.loss_curves},
)
