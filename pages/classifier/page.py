"""What does privacy cost a classifier?"""

from dataclasses import replace

from dpcore.data.toy import DATASETS, STRAIGHT
from dpcore.estimators.recipes import VERSIONS
from pages.classifier import figures, words_tables
from pages.classifier import words as say
from pages.classifier.experiment import OWN, ClassifierSettings
from pages.classifier.program import program
from ui import controls, labels, live, my_rows, panels
from ui.page import CLASSES_TAB, GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed

HEIGHT = 455
MAIN = ("clip_norm", "steps", "public_rows")
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
    features = () if my_rows.own(desk.settings) else DATASETS[desk.settings.dataset].features
    if len(features) > 2:
        desk.choose("plane", "Decision plane", PLANES)
    if len(features) > 2 and desk.settings.plane == "features":
        names = dict(enumerate(features))
        desk.choose("feature_x", "x axis", names)
        desk.choose("feature_y", "y axis", names)


def accuracy(result) -> live.Picture:
    return live.Picture(
        name="accuracy",
        figure=figures.accuracy(result),
        about=say.ABOUT["accuracy"],
        height=HEIGHT,
        wide=1.9,
    )


def pictures(result) -> list[list[live.Picture]]:
    """Draw what models reach over epsilon, and what they decide."""
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
    return [[accuracy(result), *maps]]


def loss(result) -> live.Picture:
    return live.Picture(name="loss", figure=figures.loss(result), about=say.ABOUT["loss"])


def losses(result) -> list[list[live.Picture]]:
    """Draw how models got there, and where the one without privacy ends."""
    reference = figures.reference_regions(result)
    return [
        [
            replace(loss(result), wide=1.9),
            live.Picture(name="map.reference", figure=reference, about=say.ABOUT["map"]),
        ]
    ]


def own_pictures(result) -> list[list[live.Picture]]:
    """Draw what models reach over epsilon, and what they go by: no row of the file is drawn."""
    drawn = figures.weights(result)
    weights = live.Picture(name="weights", figure=drawn, about=say.ABOUT["weights"], height=HEIGHT)
    return [[replace(accuracy(result), wide=1.3), weights]]


def variant(settings: ClassifierSettings) -> Page | None:
    """The page with a file of one's own."""
    return OF_OWN if my_rows.own(settings) else None


def own_knobs(settings: ClassifierSettings) -> Knobs:
    """No public start; and the number of rows while it is one that knobs can move with."""
    rows = () if settings.beyond else ("rows",)
    return Knobs(hero="epsilon", main=("clip_norm", "steps", "learning_rate"), more=(*rows, "delta", "repeats", "seed"))


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
    knobs=always(Knobs(hero="epsilon", main=MAIN, more=MORE)),
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
        Tab("table", "Results table", ("table",)),
    ),
    code=program,
    ready=my_rows.ready,
    holds=my_rows.holds,
    private=my_rows.own,
    variant=variant,
    frames=lambda result: {
        "All runs": lambda: result.curve,
        "Table": result.table,
        **panels.by_class_frames(result),
        "Loss": result.loss_curves,
    },
)

# A file of one's own has no public rows: no plane to draw in, no public start, and no figures were published.
OF_OWN = replace(
    PAGE,
    aside=my_rows.part,
    knobs=own_knobs,
    words={name: how for name, how in PAGE.words.items() if name != "table"} | {"caption": say.own_caption},
    pictures=own_pictures,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("loss", "Loss", pictures=lambda result: [[loss(result)]]),
        CLASSES_TAB,
    ),
    code=None,
    frames=lambda result: {
        "All runs": lambda: result.curve,
        **panels.by_class_frames(result),
        "Loss": result.loss_curves,
    },
)
