"""What does privacy cost a classifier?"""

from dataclasses import replace

from dpcore.data.toy import DATASETS, STRAIGHT
from dpcore.estimators.recipes import VERSIONS
from lab.sources import OWN
from pages.classifier import figures, words_tables
from pages.classifier import words as say
from pages.classifier.experiment import ClassifierSettings
from pages.classifier.program import program
from ui import controls, labels, live, panels
from ui.page import CLASSES_TAB, GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, listed

HEIGHT = 455
MORE = ("rows", "shift", "delta", "learning_rate", "public_steps", "repeats", "seed")
SHORT = dict(zip(VERSIONS, ("Correct", "As published", "Non-private"), strict=True))
ADJACENCY = {"replace-one": "replace-one", "add/remove": "add/remove"}
ADJACENCY_HELP = (
    "Two data sets are neighbours under **replace-one** adjacency if they differ in one person, and under "
    "**add/remove** adjacency if one has a person more. Never compare epsilons of the two."
)
PLANES = {"principal": "principal components of the public rows", "features": "two features"}


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("dataset", "Data", {name: DATASETS[name].title for name in STRAIGHT} | {OWN: "My data"})
    allowed = desk.settings.choices["version"]
    desk.choose("version", "Mechanism", {name: SHORT[name] for name in allowed}, wide=True, help=say.VERSIONS_HELP)


def more(desk: controls.Desk) -> None:
    """Show the selectors in *More settings*."""
    desk.choose("adjacency", "Adjacency", ADJACENCY, help=ADJACENCY_HELP)
    features = () if desk.settings.private else desk.settings.source.features
    if len(features) > 2:
        desk.choose("plane", "Decision plane", PLANES)
    if len(features) > 2 and desk.settings.plane == "features":
        names = dict(enumerate(features))
        desk.choose("feature_x", "x axis", names)
        desk.choose("feature_y", "y axis", names)


def knobs(settings: ClassifierSettings) -> Knobs:
    """Return the sliders; without public rows the learning rate stands in place of those about them."""
    public = settings.limits["public_rows"][1] > 0
    third = "public_rows" if public else "learning_rate"
    gone = {third, *(() if public else ("shift", "public_steps")), *(("rows",) if settings.beyond else ())}
    return Knobs(hero="epsilon", main=("clip_norm", "steps", third), more=[name for name in MORE if name not in gone])


def accuracy(result, wide: float) -> live.Picture:
    return live.Picture(
        name="accuracy",
        figure=figures.accuracy(result),
        about=say.ABOUT["accuracy"],
        height=HEIGHT,
        wide=wide,
    )


def pictures(result) -> list[list[live.Picture]]:
    """Draw what models reach over epsilon, and what they decide; of rows that may not be drawn, what they go by."""
    if result.settings.private:
        about, drawn = say.ABOUT["weights"], figures.weights(result)
        return [[accuracy(result, 1.3), live.Picture(name="weights", figure=drawn, about=about, height=HEIGHT)]]
    maps = [
        live.Picture(
            name=f"map.{name}",
            figure=figures.regions(result, arm),
            alt=say.map_alt(result, arm),
            about=say.ABOUT["map"],
            height=HEIGHT,
            pair=name == "scratch",
        )
        for arm, name in enumerate(result.settings.arms)
    ]
    return [[accuracy(result, 1.9), *maps]]


def loss(result) -> live.Picture:
    return live.Picture(name="loss", figure=figures.loss(result), about=say.ABOUT["loss"])


def losses(result) -> list[list[live.Picture]]:
    """Draw how models got there, and where rows may be drawn, where the one without privacy ends."""
    if result.settings.private:
        return [[loss(result)]]
    reference = figures.reference_regions(result)
    return [
        [
            replace(loss(result), wide=1.9),
            live.Picture(name="map.reference", figure=reference, about=say.ABOUT["map"]),
        ]
    ]


PAGE = Page(
    name="classifier",
    title="Classifier",
    icon=":material/scatter_plot:",
    group="Train",
    about="Accuracy and decision boundaries under DP",
    question="What does privacy cost a classifier?",
    settings=ClassifierSettings,
    label=labels.of("classifier", sources={name: one.title for name, one in DATASETS.items()}),
    setup=setup,
    more=more,
    lead=lambda settings: say.introduction(settings.version),
    knobs=knobs,
    numbers=say.numbers,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "classes": say.by_class,
        "table": words_tables.table,
    },
    pictures=pictures,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("loss", "Loss", pictures=losses),
        CLASSES_TAB,
        Tab("table", "Results table", ("table",), when=lambda settings: not settings.private),
    ),
    code=program,
    frames=lambda result: {
        "All runs": lambda: result.curve,
        **({} if result.settings.private else {"Table": result.table}),
        **panels.by_class_frames(result),
        "Loss": result.loss_curves,
    },
)
