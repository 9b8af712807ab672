"""What does privacy cost a neural network?"""

import streamlit as st

from dpcore.data.toy import DATASETS
from dpcore.training.networks import ACTIVATIONS
from dpcore.training.sgd import VARIANTS
from pages.network import figures
from pages.network import words as say
from pages.network.experiment import ACCOUNTANTS, CLIPPING, DATA, PLANS, NetworkSettings
from ui import controls, live
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed

MAIN = ("lot_size", "clip_norm", "epochs", "learning_rate", "width", "layers")
MORE = ("rows", "delta", "decay", "plain_rate", "repeats", "seed")
SHORT = dict(zip(VARIANTS, ("Sound", "Noise inside", "Realised lot", "Shuffled"), strict=True))


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("variant", "Training loop", SHORT, wide=True, help=say.VARIANTS_HELP)
        desk.choose("dataset", "Data", {name: DATASETS[name].title for name in DATA})
        with st.popover("Noise, clipping, accountant", icon=":material/tune:"):
            desk.choose("plan", "What is fixed", PLANS)
            desk.choose("clipping", "The bound is on", CLIPPING)
            desk.choose("accountant", "Counted by", {name: say.ACCOUNTANTS[name] for name in ACCOUNTANTS})
            desk.choose("activation", "Hidden units", dict(ACTIVATIONS))


def knobs(settings: NetworkSettings) -> Knobs:
    """The knobs that have a say: not the number of rows where it is fixed, nor the noise where it follows."""
    main = ("noise_multiplier", *MAIN) if settings.plan == "noise" else MAIN
    more = [name for name in MORE if len(set(settings.limits[name])) > 1]
    return Knobs(hero="epsilon", main=main, more=more, play="shown", changes=say.KNOBS)


def pictures(result) -> list[list[live.Picture]]:
    """The networks at one moment; their trajectories over epochs and over epsilon; and what shapes them."""
    maps = [
        live.Picture(name=f"map.{arm}", figure=figures.regions(result, arm), alt=say.map_alt(result, arm))
        for arm in ("private", "plain")
    ]
    norms = live.Picture(name="norms", figure=figures.norms(result), alt=say.norms_alt(result), late=True)
    curves = [
        [
            live.Picture(
                name=f"{what}.{over}",
                figure=draw(result, over),
                alt=say.curve_alt(result, what, over),
                height=250,
            )
            for over in ("epochs", "epsilon")
        ]
        for what, draw in (("accuracy", figures.accuracy), ("loss", figures.loss))
    ]
    clipped = live.Picture(
        name="clipped",
        figure=figures.clipped(result),
        alt=say.clipped_alt(result),
        height=260,
    )
    lots = live.Picture(name="lots", figure=figures.lots(result), alt=say.lots_alt(result), height=260)
    return [[*maps, norms], *curves, [clipped, lots]]


def more(result) -> list[list[live.Picture]]:
    """The charts below the first screen."""
    return pictures(result)[1:]


PAGE = Page(
    name="network",
    title="Neural network",
    icon=":material/hub:",
    group="Cost",
    about="The price, step by step",
    question="What does privacy cost a neural network?",
    settings=NetworkSettings,
    setup=setup,
    lead=always(
        "Networks learn from small random lots of rows. Each step adds noise and spends some of the budget. **Press "
        "play** to watch the regions form as the budget is spent, or **drag epsilon**."
    ),
    numbers=always(()),
    knobs=knobs,
    words={"verdict": say.verdict, "why": listed(say.diagnostics), "guarantee": say.guarantee, "table": say.table},
    pictures=lambda result: pictures(result)[:1],
    code=say.program,
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("more", "More charts", pictures=more),
        Tab("table", "Table", ("table",)),
    ),
    frames=lambda result: {
        "Training": result.curves,
        "Table": result.table,
        "Gradient norms": result.histogram,
        "Clipping": result.clipping_curve,
        "Lots": result.lots_table,
    },
)
