"""What does privacy cost a neural network?"""

from dpcore.data.toy import DATASETS
from dpcore.schedules import SHAPES
from dpcore.training.networks import ACTIVATIONS
from dpcore.training.sgd import VARIANTS
from lab.sources import OWN
from pages.network import figures, words_label, words_tables
from pages.network import words as say
from pages.network.experiment import ACCOUNTANTS, CLIPPING, DATA, OVER, PLANS, NetworkSettings
from pages.network.program import program
from ui import controls, live, panels
from ui.page import CLASSES_TAB, GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, listed

HEIGHT = 455
MAIN = ("lot_size", "clip_norm", "epochs", "learning_rate")
MORE = ("width", "layers", "rows", "delta", "decay", "noise_ramp", "clip_ramp", "plain_rate", "repeats", "seed")
SHORT = dict(zip(VARIANTS, ("Correct", "Noise per example", "Actual batch size", "Shuffled batches"), strict=True))


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("dataset", "Data", {name: "My data" if name == OWN else DATASETS[name].title for name in DATA})
    allowed = desk.settings.choices["variant"]
    desk.choose("variant", "DP-SGD variant", {name: SHORT[name] for name in allowed}, wide=True, help=say.VARIANTS_HELP)


def more(desk: controls.Desk) -> None:
    """Show the selectors in *More settings*."""
    desk.choose("over", "x axis", OVER, wide=True)
    desk.choose(
        "mechanism",
        "Batching",
        {name: title for name, (title, _) in figures.MECHANISMS.items()},
        help=say.MECHANISMS_HELP,
    )
    desk.choose("plan", "Stop when", PLANS, help=say.PLANS_HELP)
    desk.choose("clipping", "Clip per", CLIPPING)
    desk.choose("shape", "Schedule", SHAPES)
    desk.choose("accountant", "Accountant", {name: say.ACCOUNTANTS[name] for name in ACCOUNTANTS})
    desk.choose("activation", "Activation", dict(ACTIVATIONS))


def knobs(settings: NetworkSettings) -> Knobs:
    """Return the sliders that have an effect: no rows beyond what they can move with, nor noise that follows."""
    main = ("noise_multiplier", *MAIN[:-1]) if settings.plan == "noise" else MAIN
    gone = ({"rows"} if settings.beyond else set()) | ({"noise_ramp"} if settings.plan == "noise" else set())
    gone |= set() if settings.by_chance else {"noise_ramp", "clip_ramp"}
    more = [name for name in (*MAIN, *MORE) if name not in {*main, *gone}]
    return Knobs(hero="epsilon", main=main, more=more, play="shown", changes=say.KNOBS)


def accuracy(result, wide: float) -> live.Picture:
    return live.Picture(
        name="accuracy",
        figure=figures.accuracy(result),
        about=say.ABOUT["accuracy"],
        height=HEIGHT,
        wide=wide,
    )


def pictures(result) -> list[list[live.Picture]]:
    """Draw what networks reach in training, and what they decide at the moment shown; of rows that may not be drawn,
    which columns they go by."""
    if result.settings.private:
        about, drawn = say.ABOUT["inputs"], figures.inputs(result)
        return [[accuracy(result, 1.3), live.Picture(name="inputs", figure=drawn, about=about, height=HEIGHT)]]
    maps = [
        live.Picture(
            name=f"map.{arm}",
            figure=figures.regions(result, arm),
            about=say.ABOUT["map"],
            height=HEIGHT,
            pair=arm == "private",
        )
        for arm in figures.COLOURS
    ]
    return [[accuracy(result, 1.9), *maps]]


def training(result) -> list[list[live.Picture]]:
    """Draw what the training makes small, and what clipping does to it."""
    made = {"loss": figures.loss, "norms": figures.norms, "clipped": figures.clipped}
    return [[live.Picture(name=name, figure=draw(result), about=say.ABOUT[name]) for name, draw in made.items()]]


def lots(result) -> list[list[live.Picture]]:
    """Draw what another lot size would need."""
    return [[live.Picture(name="lots", figure=figures.lots(result), about=say.ABOUT["lots"])]]


def noise_left(result) -> list[list[live.Picture]]:
    """Draw what noise leaves in the weights, however lots and noise are made, where that is compared."""
    if not result.settings.mechanisms:
        return []
    return [[live.Picture(name="noise_left", figure=figures.noise_left(result), about=say.ABOUT["noise_left"])]]


PAGE = Page(
    name="network",
    title="Neural network",
    icon=":material/hub:",
    group="Train",
    about="DP-SGD, step by step",
    question="What does privacy cost a neural network?",
    settings=NetworkSettings,
    label=words_label.label,
    setup=setup,
    more=more,
    lead=say.lead,
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
        Tab("lots", "Batch size", pictures=lots),
        Tab("mechanisms", "Batch sampling", ("mechanisms",), pictures=noise_left),
        CLASSES_TAB,
        Tab("table", "Results table", ("table",)),
    ),
    frames=lambda result: {
        "Training": result.curves,
        "Table": result.table,
        **panels.by_class_frames(result),
        "Gradient norms": result.histogram,
        "Clipping": result.clipping_curve,
        "Lots": result.lots_table,
        "Noise in the weights": lambda: result.noise_left,
    },
)
