"""What does privacy cost a classifier?"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dpcore.privacy import Adjacency
from lab.data.classification import DATASETS, LINEAR_DATASETS
from lab.experiment.data_settings import OWN
from lab.models.classifier_versions import VERSIONS
from lab.uploads.made_up import MadeUp
from pages.classifier import charts, texts_tables
from pages.classifier import texts as say
from pages.classifier.experiment import ClassifierSettings
from pages.classifier.result import ClassifierResult
from pages.classifier.settings import ClassifierParameters
from ui import widgets
from ui.page.page import GUARANTEE_TAB, RESULTS_TAB, WHY_TAB, Knobs, Page, Tab, listed
from ui.page.suggestion import Move
from ui.session import page_state
from ui.text import labels, sentences

HEIGHT = 455
PROGRAM = Path(__file__).with_name("program.txt").read_text("utf-8")
MORE = ("rows", "rows_each", "shift", "delta", "learning_rate", "public_steps", "repeats", "seed")
SHORT = dict(zip(VERSIONS, ("Correct", "As published", "Non-private"), strict=True))
ADJACENCY_HELP = (
    "Two data sets are neighbours under **replace-one** adjacency if they differ in one person, and"
    " under **add/remove** adjacency if one has a person more. Never compare epsilons of the two."
)
PLANES = {"principal": "principal components of the public rows", "features": "two features"}


def setup(desk: page_state.Desk) -> None:
    titles = {name: DATASETS[name].title for name in LINEAR_DATASETS}
    titles[OWN] = "My data"
    desk.choose("dataset", "Data", titles)
    allowed = desk.settings.choices["version"]
    desk.choose(
        "version",
        "Mechanism",
        {name: SHORT[name] for name in allowed},
        wide=True,
        help=say.VERSIONS_HELP,
    )


def more(desk: page_state.Desk) -> None:
    desk.choose(
        "adjacency", "Adjacency", {str(one): str(one) for one in Adjacency}, help=ADJACENCY_HELP
    )
    features = () if desk.settings.private else desk.settings.source.features
    if len(features) > 2:
        desk.choose("plane", "Decision plane", PLANES)
    if len(features) > 2 and desk.settings.plane == "features":
        names = dict(enumerate(features))
        desk.choose("feature_x", "x axis", names)
        desk.choose("feature_y", "y axis", names)


def knobs(settings: ClassifierParameters) -> Knobs:
    """Return the sliders; without public rows the learning rate stands in place of those about
    them.
    """
    public = settings.limits["public_rows"][1] > 0
    third = "public_rows" if public else "learning_rate"
    gone = {
        third,
        *(() if public else ("shift", "public_steps")),
        *(("rows",) if settings.beyond else ()),
    }
    gone |= {"rows_each"} if settings.limits["rows_each"][1] == 1 else set()
    return Knobs(
        hero="epsilon",
        main=("clip_norm", "steps", third),
        more=[name for name in MORE if name not in gone],
    )


def pictures(result: ClassifierResult) -> list[list[widgets.Picture]]:
    """Draw what models reach over epsilon, and what they decide; of rows that may not be drawn,
    what they go by.
    """
    if result.settings.private:
        drawn = {"accuracy": charts.accuracy(result), "weights": charts.weights(result)}
        return [widgets.row(say.ABOUT, drawn, height=HEIGHT, wide={"accuracy": 1.3})]
    maps = {f"map.{name}": arm for arm, name in enumerate(result.settings.arms)}
    drawn = {"accuracy": charts.accuracy(result)} | {
        name: charts.regions(result, arm) for name, arm in maps.items()
    }
    alt, pair = (
        {name: say.map_alt(result, arm) for name, arm in maps.items()},
        {"map.scratch": True},
    )
    return [
        widgets.row(say.ABOUT, drawn, height=HEIGHT, wide={"accuracy": 1.9}, alt=alt, pair=pair)
    ]


def losses(result: ClassifierResult) -> list[list[widgets.Picture]]:
    """Draw how models got there, and where rows may be drawn, where the one without privacy
    ends.
    """
    drawn, private = {"loss": charts.loss(result)}, result.settings.private
    drawn |= {} if private else {"map.reference": charts.reference_regions(result)}
    return [widgets.row(say.ABOUT, drawn, wide={} if private else {"loss": 1.9})]


def targets(result: ClassifierResult) -> Mapping[str, float]:
    """Return where the question which epsilon to choose begins for a visitor's own rows, by what is
    asked for.
    """
    if not result.settings.private:
        return {}
    reference = result.held_out["reference"]
    found = {
        f"recall_{place}": recall
        for place, recall in enumerate(reference.shares.diagonal().tolist())
    }
    found["balanced"] = reference.medians["balanced accuracy"]
    made_up = isinstance(result.settings.own, MadeUp)
    start = {
        "scratch": sentences.within_reach(
            result.reference.accuracy, result.baseline, made_up=made_up
        )
    }
    chance, guess = 1 / len(result.classes), math.log(len(result.classes))
    start["loss"] = float(f"{(float(result.reference.loss[-1]) + guess) / 2:.3g}")
    reached = {
        name: sentences.within_reach(share, chance, made_up=made_up)
        for name, share in found.items()
        if share > 0.05
    }
    return start | reached


def program(settings: ClassifierParameters) -> str:
    source, public = DATASETS[settings.dataset], settings.model.public
    start = {
        "imported": (
            f"from pages.classifier.tasks import {type(public).__name__}\n" if public else ""
        ),
        "start": f"start = {public!r}.weights()  # from public rows alone\n" if public else "",
        "given": ", coef_init=start[:, :-1], intercept_init=start[:, -1]" if public else "",
    }
    if settings.rows_each > 1:
        start["imported"] = f"from dpcore.streams import stream\n{start['imported']}"
        shuffled = f'stream({settings.seed}, "split", part=1).permutation({settings.rows})'
        start["start"] += f"people = {shuffled} // {settings.rows_each}\n"
        start["given"] += ", groups=people"
    return PROGRAM.format(
        settings=settings, features=len(source.features), classes=len(source.classes), **start
    )


def _frames(result: ClassifierResult) -> dict[str, Callable[[], Any]]:
    frames = {"All runs": lambda: result.curve}
    if not result.settings.private:
        frames["Table"] = result.table
    return frames


PAGE = Page(
    name="classifier",
    title="Classifier",
    icon=":material/scatter_plot:",
    group="Train",
    about="Accuracy and decision boundaries under DP",
    question="What does privacy cost a classifier?",
    settings=ClassifierSettings,
    label=labels.of(
        "classifier",
        sources={name: one.title for name, one in DATASETS.items()},
        cases=lambda result: ["persons"] if result.settings.rows_each > 1 else [],
        holes=lambda result: {"each": result.settings.rows_each},
    ),
    setup=setup,
    more=more,
    lead=lambda settings: say.LEAD["none" if settings.version == "none" else "private"],
    move=Move(
        "epsilon", say.SAYS["move"], high=0.1, when=lambda settings: settings.version != "none"
    ),
    knobs=knobs,
    numbers=say.numbers,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "classes": say.by_class,
        "table": texts_tables.table,
    },
    pictures=pictures,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("loss", "Loss", pictures=losses),
        RESULTS_TAB._replace(when=lambda settings: not settings.private),
        # The table compares with published results on the built-in data.
        RESULTS_TAB._replace(words=("classes",), when=lambda settings: settings.private),
    ),
    code=program,
    targets=targets,
    frames=_frames,
)
