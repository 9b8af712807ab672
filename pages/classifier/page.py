"""What does privacy cost a classifier?"""

import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dpcore.privacy import Adjacency
from lab.data.classification import DATASETS, LINEAR_DATASETS
from lab.experiment.data_settings import OWN
from lab.uploads.made_up import MadeUp
from pages.classifier import charts, texts, texts_tables
from pages.classifier.result import ClassifierResult
from pages.classifier.settings import ClassifierSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, RESULTS_TAB, WHY_TAB, Tab
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import labels, sentences
from ui.widgets import Chart, explained_chart

PROGRAM = Path(__file__).with_name("program.txt").read_text("utf-8")
# Height of the charts in the first screen, in pixels.
HEIGHT = 455
VERSION_LABELS = {"correct": "Correct", "published": "As published", "none": "Non-private"}
ADJACENCY_HELP = (
    "Two data sets are neighbours under **replace-one** adjacency if they differ in one person, and"
    " under **add/remove** adjacency if one has a person more. Never compare epsilons of the two."
)
MORE_SLIDERS = (
    "rows",
    "rows_each",
    "shift",
    "delta",
    "learning_rate",
    "public_steps",
    "repeats",
    "seed",
)
# A class that the non-private model recalls less often gets no target in the questions.
LEAST_RECALL = 0.05


def main_choices(state: PageState) -> None:
    """Show the choices of the data set and of the method."""
    titles = {name: DATASETS[name].title for name in LINEAR_DATASETS}
    titles[OWN] = "My data"
    state.choose("dataset", "Data", titles)
    versions = {name: VERSION_LABELS[name] for name in state.settings.choices["version"]}
    state.choose("version", "Method", versions, wide=True, help=texts.VERSIONS_HELP)


def more_choices(state: PageState) -> None:
    """Show the choice of the adjacency."""
    adjacencies = {str(adjacency): str(adjacency) for adjacency in Adjacency}
    state.choose("adjacency", "Adjacency", adjacencies, help=ADJACENCY_HELP)


def sliders(settings: ClassifierSettings) -> SliderLayout:
    """Return the sliders. The learning rate replaces the public rows if there are none."""
    hidden = set()
    if settings.limits["public_rows"][1] > 0:
        third = "public_rows"
    else:
        third = "learning_rate"
        hidden |= {"learning_rate", "shift", "public_steps"}
    if settings.exceeds_live_rows:
        hidden.add("rows")
    if settings.limits["rows_each"][1] == 1:
        hidden.add("rows_each")
    more = [name for name in MORE_SLIDERS if name not in hidden]
    return SliderLayout(hero="epsilon", main=("clip_norm", "steps", third), more=more)


def main_charts(result: ClassifierResult) -> list[list[Chart]]:
    """Return accuracy over epsilon beside a decision map of each arm.

    The rows of an uploaded file are not drawn: the weights of the models replace the maps.
    """
    if result.settings.uses_file:
        accuracy = _accuracy_chart(result, wide=1.3)
        return [[accuracy, _chart("weights", charts.column_weights(result), height=HEIGHT)]]
    row = [_accuracy_chart(result, wide=1.9)]
    for index, arm in enumerate(result.settings.arms):
        # The map from scratch is paired: that of pinned settings is drawn beside it.
        decision_map = _chart(
            f"map.{arm}",
            charts.decision_map(result, index),
            height=HEIGHT,
            alt=texts.map_alt(result, index),
            pair=arm == "scratch",
        )
        row.append(decision_map)
    return [row]


def _accuracy_chart(result: ClassifierResult, *, wide: float) -> Chart:
    """Return accuracy over epsilon, whose point can be dragged."""
    return _chart(
        "accuracy",
        charts.accuracy(result),
        height=HEIGHT,
        wide=wide,
        clicks=charts.accuracy_clicks(result),
    )


def loss_charts(result: ClassifierResult) -> list[list[Chart]]:
    """Return the loss over the steps."""
    return [[_chart("loss", charts.loss(result))]]


def _chart(name: str, figure: Mapping[str, Any], *, height: int = 320, **layout: Any) -> Chart:
    """Return a chart of this page with its help text."""
    return explained_chart(texts.ABOUT, name, figure, height=height, **layout)


def targets(result: ClassifierResult) -> Mapping[str, float]:
    """Return, for an uploaded file, the target that a question about each measure starts with."""
    if not result.settings.uses_file:
        return {}
    reference = result.held_out["reference"]
    shares = {}
    for label, recall in enumerate(reference.shares.diagonal().tolist()):
        shares[f"recall_{label}"] = recall
    shares["balanced"] = reference.medians["balanced accuracy"]

    made_up = isinstance(result.settings.own, MadeUp)
    n_classes = len(result.classes)
    loss_of_guessing = math.log(n_classes)
    halfway = (float(result.reference.loss[-1]) + loss_of_guessing) / 2
    reachable = {
        "scratch": sentences.reachable_accuracy(
            result.reference.accuracy, result.baseline, made_up=made_up
        ),
        "loss": float(f"{halfway:.3g}"),
    }
    for name, share in shares.items():
        if share > LEAST_RECALL:
            reachable[name] = sentences.reachable_accuracy(share, 1 / n_classes, made_up=made_up)
    return reachable


def program(settings: ClassifierSettings) -> str:
    """Return a Python program that trains one model with these settings."""
    imported = ""
    start = ""
    given = ""
    public = settings.training.public
    if public is not None:
        imported = "from pages.classifier.training import PublicStart\n"
        start = f"start = {public!r}.weights()  # from public rows alone\n"
        given = ", coef_init=start[:, :-1], intercept_init=start[:, -1]"
    if settings.rows_each > 1:
        shuffled = f'stream({settings.seed}, "split", part=1).permutation({settings.rows})'
        imported = f"from dpcore.streams import stream\n{imported}"
        start += f"people = {shuffled} // {settings.rows_each}\n"
        given += ", groups=people"
    source = DATASETS[settings.dataset]
    return PROGRAM.format(
        settings=settings,
        features=len(source.features),
        classes=len(source.classes),
        imported=imported,
        start=start,
        given=given,
    )


def downloads(result: ClassifierResult) -> dict[str, Callable[[], Any]]:
    """Return the name of each download, and the function that makes its data frame."""
    frames: dict[str, Callable[[], Any]] = {"All runs": lambda: result.curve}
    if not result.settings.uses_file:
        frames["Table"] = result.table
    return frames


def label_cases(result: ClassifierResult) -> list[str]:
    """Return the further cases of ``labels.toml`` that the privacy label states."""
    if result.settings.rows_each > 1:
        return ["persons"]
    return []


PAGE = Page(
    info=PageInfo(
        name="classifier",
        title="Classifier",
        icon=":material/scatter_plot:",
        group="Train",
        question="What does privacy cost a classifier?",
        about="Accuracy and decision boundaries under DP",
    ),
    settings=ClassifierSettings,
    controls=Controls(
        choices=main_choices,
        sliders=sliders,
        more_choices=more_choices,
        suggestion=Suggestion(
            "epsilon",
            texts.SAYS["move"],
            high=0.1,
            when=lambda settings: settings.version != "none",
        ),
    ),
    content=Content(
        tiles=texts.numbers,
        texts={
            "verdict": texts.verdict,
            "caption": texts.caption,
            "why": listed(texts.diagnostics),
            "guarantee": texts.guarantee,
            "classes": texts.by_class,
            "table": texts_tables.table,
        },
        charts=main_charts,
        tabs=(
            WHY_TAB,
            GUARANTEE_TAB,
            Tab("loss", "Training loss", charts=loss_charts),
            RESULTS_TAB._replace(when=lambda settings: not settings.uses_file),
            # The table compares with published results on the built-in data.
            RESULTS_TAB._replace(texts=("classes",), when=lambda settings: settings.uses_file),
        ),
        lead=texts.lead,
        first_targets=targets,
    ),
    exports=Exports(
        downloads=downloads,
        label=labels.label_of(
            "classifier",
            sources={name: source.title for name, source in DATASETS.items()},
            cases=label_cases,
            holes=lambda result: {"each": result.settings.rows_each},
        ),
        code=program,
    ),
)
