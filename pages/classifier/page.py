"""What does privacy cost a classifier?"""

import streamlit as st

from dpcore.data.toy import DATASETS, STRAIGHT
from dpcore.training.recipes import VERSIONS
from pages.classifier import figures
from pages.classifier import words as say
from pages.classifier.experiment import ClassifierSettings
from ui import controls, live, panels
from ui.page import CLASSES_TAB, GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed

HEIGHT = 400
MAIN = ("clip_norm", "steps", "public_rows")
MORE = ("rows", "shift", "delta", "learning_rate", "public_steps", "repeats", "seed")
SHORT = dict(zip(VERSIONS, ("Sound", "As published", "No privacy"), strict=True))
ADJACENCY = {"replace-one": "replace one person", "add/remove": "add or remove one person"}
PLANES = {"principal": "two principal directions of the public rows", "features": "two features"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("dataset", "Data", {name: DATASETS[name].title for name in STRAIGHT})
    desk.choose("version", "Method", SHORT, wide=True, help=say.VERSIONS_HELP)
    with st.popover("Advanced", icon=":material/tune:"):
        desk.choose("adjacency", "Neighbouring data sets", ADJACENCY)
        features = DATASETS[desk.settings.dataset].features
        if len(features) > 2:
            desk.choose("plane", "Draw the decision in", PLANES)
        if len(features) > 2 and desk.settings.plane == "features":
            names = dict(enumerate(features))
            desk.choose("feature_x", "Across", names)
            desk.choose("feature_y", "Up", names)


def pictures(result) -> list[list[live.Picture]]:
    """What models reach over epsilon, and what they decide."""
    first = live.Picture(
        name="accuracy",
        figure=figures.accuracy(result),
        alt=say.accuracy_alt(result),
        about=say.ACCURACY_ABOUT,
        height=HEIGHT,
        wide=1.9,
    )
    maps = [
        live.Picture(
            name=f"map.{name}",
            figure=figures.regions(result, arm),
            alt=say.map_alt(result, arm),
            about=say.MAP_ABOUT,
            height=HEIGHT,
            pair=name == "scratch",
        )
        for arm, name in enumerate(result.settings.arms)
    ]
    return [[first, *maps]]


def more(result) -> list[list[live.Picture]]:
    """How models got there, and where the one without privacy ends."""
    reference = figures.reference_regions(result)
    return [
        [
            live.Picture(
                name="loss", figure=figures.loss(result), alt=say.loss_alt(result), about=say.LOSS_ABOUT, wide=1.9
            ),
            live.Picture(name="map.reference", figure=reference, alt=say.map_alt(result, None), about=say.MAP_ABOUT),
        ]
    ]


PAGE = Page(
    name="classifier",
    title="Classifier",
    icon=":material/scatter_plot:",
    group="Cost",
    about="Accuracy, boundaries, a public start",
    question="What does privacy cost a classifier?",
    settings=ClassifierSettings,
    setup=setup,
    lead=lambda settings: say.introduction(settings.version),
    knobs=always(Knobs(hero="epsilon", main=MAIN, more=MORE)),
    numbers=say.numbers,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "classes": say.by_class,
        "table": say.table,
    },
    pictures=pictures,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("loss", "Loss", pictures=more),
        CLASSES_TAB,
        Tab("table", "Table, and as published", ("table",)),
    ),
    code=say.program,
    frames=lambda result: {
        "All runs": lambda: result.curve,
        "Table": result.table,
        **panels.by_class_frames(result),
        "Loss": result.loss_curves,
    },
)
