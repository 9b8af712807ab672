"""What does privacy cost a neural network?"""

from collections.abc import Mapping
from pathlib import Path

from dpcore.schedules import SHAPES
from dpcore.training.networks import ACTIVATIONS
from lab.data.classification import DATASETS
from lab.experiment.data_settings import OWN
from lab.uploads.made_up import MadeUp
from pages.network import charts, texts_tables
from pages.network import texts as say
from pages.network.experiment import NetworkSettings
from pages.network.result import NetworkResult
from pages.network.settings import CLIPPING, DATA
from ui import widgets
from ui.page.page import GUARANTEE_TAB, RESULTS_TAB, WHY_TAB, Page, Rows, SliderLayout, Tab, listed
from ui.page.suggestion import Suggestion
from ui.session import page_state
from ui.text import sentences

HEIGHT = 455
PROGRAM = Path(__file__).with_name("program.txt").read_text("utf-8")
MAIN = ("lot_size", "clip_norm", "epochs", "learning_rate")
MORE = (
    "width",
    "layers",
    "rows",
    "rows_each",
    "delta",
    "decay",
    "noise_ramp",
    "clip_ramp",
    "plain_rate",
    "repeats",
    "seed",
)
LOOPS = {"correct": "Correct", "realised": "Actual batch size", "shuffled": "Shuffled batches"}
MECHANISMS = {
    "sampled": "Poisson sampling",
    "ordered": "fixed order",
    "toeplitz": "fixed order, DP-FTRL",
}


def setup(state: page_state.PageState) -> None:
    state.choose(
        "dataset",
        "Data",
        {name: "My data" if name == OWN else DATASETS[name].title for name in DATA},
    )
    allowed = {name: LOOPS[name] for name in state.settings.choices["variant"]}
    state.choose("variant", "DP-SGD variant", allowed, wide=True, help=say.HELP["variant"])


def more(state: page_state.PageState) -> None:
    state.choose("mechanism", "Batching", MECHANISMS, help=say.HELP["mechanism"])
    state.choose("clipping", "Clip per", CLIPPING)
    state.choose("shape", "Schedule", SHAPES)
    state.choose("activation", "Activation", dict(ACTIVATIONS))


def sliders(settings: NetworkSettings) -> SliderLayout:
    """Return the sliders that have an effect with these settings."""
    without_effect = set()
    if settings.beyond:
        without_effect.add("rows")
    if not settings.by_chance:
        without_effect |= {"noise_ramp", "clip_ramp"}
    if settings.limits["rows_each"][1] == 1:
        without_effect.add("rows_each")
    more = [name for name in MORE if name not in without_effect]
    return SliderLayout(hero="epsilon", main=MAIN, more=more, play="shown", changes=say.SLIDERS)


def pictures(result: NetworkResult) -> Rows:
    """Draw what networks reach in training, and what they decide at the moment shown; of rows that
    may not be drawn, which columns they go by.
    """
    drawn, private = {"accuracy": charts.accuracy(result)}, result.settings.private
    if private:
        drawn["inputs"] = charts.inputs(result)
    else:
        drawn |= {f"map.{arm}": charts.regions(result, arm) for arm in charts.COLOURS}
    wide, pair = {"accuracy": 1.3 if private else 1.9}, {"map.private": True}
    return [widgets.row(say.ABOUT, drawn, height=HEIGHT, wide=wide, pair=pair)]


def training(result: NetworkResult) -> Rows:
    drawn = {
        "loss": charts.loss(result),
        "norms": charts.norms(result),
        "clipped": charts.clipped(result),
    }
    return [widgets.row(say.ABOUT, drawn)]


def program(settings: NetworkSettings) -> str:
    recipe, epochs = settings.models["private"].recipe, settings.steps * settings.rate
    hidden = recipe.architecture.sizes[1:-1]
    alone = "\n# And each row is protected alone." * (settings.rows_each > 1)
    names = {"recipe": recipe, "hidden": hidden, "epochs": epochs, "alone": alone}
    return PROGRAM.format(settings=settings, **names)


def targets(result: NetworkResult) -> Mapping[str, float]:
    """Return where the question which epsilon to choose begins for a visitor's own rows, by what is
    asked for.
    """
    if not result.settings.private:
        return {}
    base, made_up = result.split.best_constant[1], isinstance(result.settings.own, MadeUp)
    return {
        "accuracy": sentences.reachable_accuracy(
            result.summary("plain").median, base, made_up=made_up
        )
    }


PAGE = Page(
    name="network",
    title="Neural network",
    icon=":material/hub:",
    group="Train",
    about="DP-SGD, step by step",
    question="What does privacy cost a neural network?",
    settings=NetworkSettings,
    label=say.label,
    setup=setup,
    more=more,
    lead=say.lead,
    move=Suggestion("shown", say.SAYS["move"], high=15),
    numbers=say.numbers,
    sliders=sliders,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "classes": say.by_class,
        "table": texts_tables.table,
    },
    pictures=pictures,
    code=program,
    targets=targets,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("training", "Training", pictures=training),
        RESULTS_TAB,
    ),
    frames=lambda result: {"Table": result.table, "Training": result.curves},
)
