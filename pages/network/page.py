"""What does privacy cost a neural network?"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from dpcore.schedules import SHAPES
from lab.data.classification import DATASETS
from lab.experiment.data_settings import OWN
from lab.uploads.made_up import MadeUp
from pages.network import charts, texts, texts_label, texts_tables
from pages.network.result import NetworkResult
from pages.network.settings import CLIPPING, DATA, LOOPS, NetworkSettings
from ui.page.page import Content, Controls, Exports, Page, PageInfo, listed
from ui.page.suggestion import Suggestion
from ui.page.tabs import GUARANTEE_TAB, RESULTS_TAB, WHY_TAB, Tab
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text import sentences
from ui.widgets import Chart, explained_chart

PROGRAM = Path(__file__).with_name("program.txt").read_text("utf-8")
# Height of the charts in the first screen, and in the tabs, in pixels.
HEIGHT = 455
TAB_HEIGHT = 320
# Makes a chart of this page with its help text.
_chart = partial(explained_chart, texts.ABOUT, height=TAB_HEIGHT)
MAIN_SLIDERS = ("lot_size", "clip_norm", "epochs", "learning_rate")
MORE_SLIDERS = (
    "width",
    "layers",
    "rows",
    "delta",
    "decay",
    "noise_ramp",
    "repeats",
    "seed",
)
MECHANISM_LABELS = {
    "sampled": "Poisson sampling",
    "ordered": "Fixed order",
    "toeplitz": "Fixed order, DP-FTRL",
}


def main_choices(state: PageState) -> None:
    """Show the choices of the data set and of the method."""
    titles = {name: DATASETS[name].title for name in DATA if name != OWN}
    titles[OWN] = "My data"
    state.choose("dataset", "Data", titles)
    loops = {name: LOOPS[name] for name in state.settings.choices["variant"]}
    state.choose("variant", "Method", loops, wide=True, help=texts.HELP["variant"])


def more_choices(state: PageState) -> None:
    """Show the choices of the batches, the clipping and the schedule."""
    state.choose("mechanism", "Batching", MECHANISM_LABELS, help=texts.HELP["mechanism"])
    state.choose("clipping", "Clip per", CLIPPING)
    state.choose("shape", "Schedule", SHAPES)


def sliders(settings: NetworkSettings) -> SliderLayout:
    """Return the sliders that have an effect with these settings."""
    without_effect = set()
    if settings.exceeds_live_rows:
        without_effect.add("rows")
    if not settings.is_sampled:
        without_effect.add("noise_ramp")
    more = [name for name in MORE_SLIDERS if name not in without_effect]
    return SliderLayout(
        hero="epsilon",
        main=MAIN_SLIDERS,
        more=more,
        play="shown",
        changes=texts.SLIDERS,
    )


def main_charts(result: NetworkResult) -> list[list[Chart]]:
    """Return accuracy over the training beside the decision map of each arm.

    The private map is paired: that of pinned settings is drawn beside it. The rows of an uploaded
    file are not drawn: how far weights have moved replaces the maps.
    """
    accuracy = charts.accuracy(result)
    if result.settings.uses_file:
        row = [
            _chart("accuracy", accuracy, height=HEIGHT, wide=1.3),
            _chart("inputs", charts.inputs(result), height=HEIGHT),
        ]
        return [row]
    row = [
        _chart("accuracy", accuracy, height=HEIGHT, wide=1.9),
        _chart("map.private", charts.regions(result, "private"), height=HEIGHT, pair=True),
        _chart("map.plain", charts.regions(result, "plain"), height=HEIGHT),
    ]
    return [row]


def training_charts(result: NetworkResult) -> list[list[Chart]]:
    """Return the loss, and the norms of gradients."""
    return [[_chart("loss", charts.loss(result)), _chart("norms", charts.norms(result))]]


def program(settings: NetworkSettings) -> str:
    """Return a Python program that trains one network with these settings."""
    recipe = settings.trainings["private"].recipe
    return PROGRAM.format(
        settings=settings,
        recipe=recipe,
        hidden=recipe.architecture.sizes[1:-1],
        epochs=settings.steps * settings.sampling_rate,
    )


def targets(result: NetworkResult) -> Mapping[str, float]:
    """Return measure -> the first target of a question about it.

    An uploaded file has one that its non-private networks reach. Other data have the usual ones.
    """
    if not result.settings.uses_file:
        return {}
    _, baseline = result.split.best_constant
    accuracy = sentences.reachable_accuracy(
        result.summary("plain").median,
        baseline,
        made_up=isinstance(result.settings.own, MadeUp),
    )
    return {"accuracy": accuracy}


def downloads(result: NetworkResult) -> dict[str, Callable[[], Any]]:
    """Return the name of each download, and the function that makes its data frame."""
    return {"Table": result.table, "Training": result.curves}


PAGE = Page(
    info=PageInfo(
        name="network",
        title="Neural network",
        icon=":material/hub:",
        group="Train",
        question="What does privacy cost a neural network?",
        about="DP-SGD, step by step",
    ),
    settings=NetworkSettings,
    controls=Controls(
        choices=main_choices,
        sliders=sliders,
        more_choices=more_choices,
        suggestion=Suggestion("shown", texts.SAYS["move"], high=15),
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
            Tab("training", "Training", charts=training_charts),
            RESULTS_TAB,
        ),
        lead=texts.lead,
        first_targets=targets,
    ),
    exports=Exports(
        downloads=downloads,
        label=texts_label.label,
        code=program,
    ),
)
