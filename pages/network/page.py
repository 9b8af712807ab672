"""What does privacy cost a neural network?"""

from pathlib import Path

from dpcore.data.toy import DATASETS
from dpcore.schedules import SHAPES
from dpcore.training.networks import ACTIVATIONS
from dpcore.training.sgd import VARIANTS
from lab.sources import OWN
from pages.network import figures, words_tables
from pages.network import words as say
from pages.network.experiment import NetworkSettings
from pages.network.parameters import ACCOUNTANTS, CLIPPING, DATA, OVER, PLANS
from pages.network.result import NetworkResult
from ui import controls, live, panels
from ui.moves import Move
from ui.page import CLASSES_TAB, GUARANTEE_TAB, WHY_TAB, Knobs, Page, Rows, Tab, listed

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
SHORT = dict(zip(VARIANTS, ("Correct", "Noise per example", "Actual batch size", "Shuffled batches"), strict=True))


def setup(desk: controls.Desk) -> None:
    desk.choose("dataset", "Data", {name: "My data" if name == OWN else DATASETS[name].title for name in DATA})
    allowed = {name: SHORT[name] for name in desk.settings.choices["variant"]}
    desk.choose("variant", "DP-SGD variant", allowed, wide=True, help=say.HELP["variant"])


def more(desk: controls.Desk) -> None:
    desk.choose("over", "x axis", OVER, wide=True)
    mechanisms = {name: title for name, (title, _) in figures.MECHANISMS.items()}
    desk.choose("mechanism", "Batching", mechanisms, help=say.HELP["mechanism"])
    desk.choose("plan", "Stop when", PLANS, help=say.HELP["plan"])
    desk.choose("clipping", "Clip per", CLIPPING)
    desk.choose("shape", "Schedule", SHAPES)
    desk.choose("accountant", "Accountant", say.ACCOUNTANTS)
    desk.choose("activation", "Activation", dict(ACTIVATIONS))


def knobs(settings: NetworkSettings) -> Knobs:
    """Return the sliders that have an effect: no rows beyond what they can move with, nor noise that follows."""
    main = ("noise_multiplier", *MAIN[:-1]) if settings.plan == "noise" else MAIN
    gone = ({"rows"} if settings.beyond else set()) | ({"noise_ramp"} if settings.plan == "noise" else set())
    gone |= set() if settings.by_chance else {"noise_ramp", "clip_ramp"}
    gone |= {"rows_each"} if settings.limits["rows_each"][1] == 1 else set()
    more = [name for name in (*MAIN, *MORE) if name not in {*main, *gone}]
    return Knobs(hero="epsilon", main=main, more=more, play="shown", changes=say.KNOBS)


def pictures(result: NetworkResult) -> Rows:
    """Draw what networks reach in training, and what they decide at the moment shown; of rows that may not be drawn,
    which columns they go by."""
    drawn, private = {"accuracy": figures.accuracy(result)}, result.settings.private
    if private:
        drawn["inputs"] = figures.inputs(result)
    else:
        drawn |= {f"map.{arm}": figures.regions(result, arm) for arm in figures.COLOURS}
    wide, pair = {"accuracy": 1.3 if private else 1.9}, {"map.private": True}
    return [live.row(say.ABOUT, drawn, height=HEIGHT, wide=wide, pair=pair)]


def training(result: NetworkResult) -> Rows:
    drawn = {"loss": figures.loss(result), "norms": figures.norms(result), "clipped": figures.clipped(result)}
    return [live.row(say.ABOUT, drawn)]


def noise_left(result: NetworkResult) -> Rows:
    """Draw what noise leaves in the weights, however lots and noise are made, where that is compared."""
    return [live.row(say.ABOUT, {"noise_left": figures.noise_left(result)})] if result.settings.mechanisms else []


def program(settings: NetworkSettings) -> str:
    recipe, epochs = settings.models["private"].recipe, settings.steps * settings.rate
    hidden, accountant = recipe.architecture.sizes[1:-1], ACCOUNTANTS[settings.accountant]
    alone = "\n# And each row is protected alone." * (settings.rows_each > 1)
    names = {"recipe": recipe, "hidden": hidden, "epochs": epochs, "accountant": accountant, "alone": alone}
    return PROGRAM.format(settings=settings, **names)


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
    move=Move("shown", say.SAYS["move"], high=15),
    numbers=say.numbers,
    knobs=knobs,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "mechanisms": words_tables.mechanisms,
        "classes": say.by_class,
        "table": words_tables.table,
    },
    pictures=pictures,
    code=program,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("training", "Training", pictures=training),
        Tab("lots", "Batch size", pictures=lambda result: [live.row(say.ABOUT, {"lots": figures.lots(result)})]),
        Tab("mechanisms", "Batch sampling", ("mechanisms",), pictures=noise_left),
        CLASSES_TAB,
        Tab("table", "Results table", ("table",)),
    ),
    frames=lambda result: {
        "Training": result.curves,
        "Table": result.table,
        **panels.by_class_frames(result),
        "Gradient norms": lambda: result.histogram,
        "Clipping": lambda: result.clipping,
        "Lots": lambda: result.noise_by_lot,
        "Noise in the weights": lambda: result.noise_left,
    },
)
