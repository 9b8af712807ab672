"""What does privacy cost a neural network?"""

import streamlit as st

from dpcore.data.toy import DATASETS
from dpcore.training.networks import ACTIVATIONS
from dpcore.training.sgd import VARIANTS
from pages.network import figures
from pages.network import words as say
from pages.network.experiment import ACCOUNTANTS, CLIPPING, DATA, OVER, PLANS, NetworkSettings
from ui import controls, live, panels
from ui.page import CLASSES_TAB, GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed

HEIGHT = 400
MAIN = ("lot_size", "clip_norm", "epochs", "learning_rate")
MORE = ("width", "layers", "rows", "delta", "decay", "plain_rate", "repeats", "seed")
SHORT = dict(zip(VARIANTS, ("Sound", "Noise inside", "Realised lot", "Shuffled"), strict=True))


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    desk.choose("dataset", "Data", {name: DATASETS[name].title for name in DATA})
    desk.choose("variant", "Training loop", SHORT, wide=True, help=say.VARIANTS_HELP)
    with st.popover("Advanced", icon=":material/tune:"):
        desk.choose("over", "Curves run over", OVER, wide=True)
        desk.choose("plan", "What is fixed", PLANS)
        desk.choose("clipping", "The bound is on", CLIPPING)
        desk.choose("accountant", "Counted by", {name: say.ACCOUNTANTS[name] for name in ACCOUNTANTS})
        desk.choose("activation", "Hidden units", dict(ACTIVATIONS))


def knobs(settings: NetworkSettings) -> Knobs:
    """The knobs that have a say: not the number of rows where it is fixed, nor the noise where it follows."""
    main = ("noise_multiplier", *MAIN[:-1]) if settings.plan == "noise" else MAIN
    more = [name for name in (*MAIN, *MORE) if name not in main and len(set(settings.limits[name])) > 1]
    return Knobs(hero="epsilon", main=main, more=more, play="shown", changes=say.KNOBS)


def pictures(result) -> list[list[live.Picture]]:
    """What networks reach in training, and what they decide at the moment shown."""
    alt = say.curve_alt(result, "accuracy")
    size = {"height": HEIGHT, "wide": 1.9}
    first = live.Picture(name="accuracy", figure=figures.accuracy(result), alt=alt, about=say.ABOUT["accuracy"], **size)
    maps = [
        live.Picture(
            name=f"map.{arm}",
            figure=figures.regions(result, arm),
            alt=say.map_alt(result, arm),
            about=say.ABOUT["map"],
            height=HEIGHT,
            pair=arm == "private",
        )
        for arm in figures.COLOURS
    ]
    return [[first, *maps]]


def training(result) -> list[list[live.Picture]]:
    """What the training makes small, and what clipping does to it."""
    made = (
        ("loss", figures.loss(result), say.curve_alt(result, "loss")),
        ("norms", figures.norms(result), say.norms_alt(result)),
        ("clipped", figures.clipped(result), say.clipped_alt(result)),
    )
    return [[live.Picture(name=name, figure=drawn, alt=alt, about=say.ABOUT[name]) for name, drawn, alt in made]]


def lots(result) -> list[list[live.Picture]]:
    """What another lot size would need."""
    return [[live.Picture(name="lots", figure=figures.lots(result), alt=say.lots_alt(result), about=say.ABOUT["lots"])]]


PAGE = Page(
    name="network",
    title="Neural network",
    icon=":material/hub:",
    group="Cost",
    about="The price, step by step",
    question="What does privacy cost a neural network?",
    settings=NetworkSettings,
    setup=setup,
    lead=always(say.LEAD),
    numbers=say.numbers,
    knobs=knobs,
    words={
        "verdict": say.verdict,
        "caption": always(say.CAPTION),
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "classes": say.by_class,
        "table": say.table,
    },
    pictures=pictures,
    code=say.program,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("training", "Loss", pictures=training),
        Tab("lots", "Lot size", pictures=lots),
        CLASSES_TAB,
        Tab("table", "Table", ("table",)),
    ),
    frames=lambda result: {
        "Training": result.curves,
        "Table": result.table,
        **panels.by_class_frames(result),
        "Gradient norms": result.histogram,
        "Clipping": result.clipping_curve,
        "Lots": result.lots_table,
    },
)
