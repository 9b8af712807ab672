"""What does privacy cost a neural network, step by step?"""

import streamlit as st

from dpcore.data import DATASETS
from dpcore.experiments.network import ACCOUNTANTS, CLIPPING, DATA, PLANS, NetworkSettings
from dpcore.networks import ACTIVATIONS
from dpcore.sgd import VARIANTS
from ui import controls, live, panels
from ui.compute import compute
from ui.figures import network as figures
from ui.sentences import network as say

MAIN = ("lot_size", "clip_norm", "epochs", "learning_rate", "width", "layers")
MORE = ("rows", "delta", "decay", "plain_rate", "repeats", "seed")
SHORT = dict(zip(VARIANTS, ("Sound", "Noise inside", "Realised lot", "Shuffled"), strict=True))


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("variant", "Training loop", SHORT, wide=True, help=say.VARIANTS_HELP)
        desk.choose("dataset", "Data", {name: DATASETS[name].title for name in DATA})
        with st.popover("Noise, clipping, accountant", icon=":material/tune:"):
            desk.choose("plan", "What is fixed", dict(PLANS))
            desk.choose("clipping", "The bound is on", dict(CLIPPING))
            desk.choose("accountant", "Counted by", {name: say.ACCOUNTANTS[name] for name in ACCOUNTANTS})
            desk.choose("activation", "Hidden units", dict(ACTIVATIONS))


@st.fragment
def lab() -> None:
    """All that moves while a slider moves, or while the training plays."""
    desk = controls.desk("network", NetworkSettings)
    result, done = compute(desk.settings)
    main, more = knobs(desk.settings)
    panels.stage(
        desk,
        **scene(result),
        ahead=lambda settings: scene(compute(settings, seconds=0)[0]),
        done=done,
        hero="epsilon",
        play="shown",
        main=main,
        more=more,
        changes=say.KNOBS,
    )


def scene(result) -> dict:
    """What is said and drawn at the moment shown."""
    return {
        "verdict": say.verdict(result),
        "pictures": pictures(result),
        "cards": (
            (panels.WHY, panels.bullets(say.diagnostics(result))),
            ("The guarantee", say.guarantee(result)),
        ),
    }


def knobs(settings: NetworkSettings) -> tuple[list[str], list[str]]:
    """The knobs that have a say: not the number of rows where it is fixed, nor the noise where it follows."""
    main = ["noise_multiplier", *MAIN] if settings.plan == "noise" else list(MAIN)
    return main, [name for name in MORE if len(set(settings.limits[name])) > 1]


def pictures(result) -> list[list[live.Picture]]:
    """The networks at one moment; their way through epochs and through epsilon; and what shapes it."""
    maps = [
        live.Picture(name=f"map.{arm}", figure=figures.regions(result, arm), alt=say.map_alt(result, arm))
        for arm in ("private", "plain")
    ]
    norms = live.Picture(name="norms", figure=figures.norms(result), alt=say.norms_alt(result), late=True)
    ways = [
        [
            live.Picture(
                name=f"{what}.{over}",
                figure=draw(result, over),
                alt=say.way_alt(result, what, over),
                height=250,
                cursor=figures.now(result, over),
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
        cursor=figures.now(result, "epochs"),
    )
    lots = live.Picture(name="lots", figure=figures.lots(result), alt=say.lots_alt(result), height=260)
    return [[*maps, norms], *ways, [clipped, lots]]


desk = controls.desk("network", NetworkSettings)
st.title("What does privacy cost a neural network?")
st.markdown(
    "Networks learn from small random lots of rows; each step adds noise and spends some of the budget. "
    "**Press play** and watch regions and budget advance together, or **drag epsilon**."
)
panels.notices(desk.notices)
setup(desk)
name = figures.NAMES[desk.settings.variant]
panels.key([(name, figures.COLOURS["private"], "solid"), (figures.PLAIN, figures.COLOURS["plain"], "dotted")])
result, done = compute(desk.settings)
desk.tell(done=done)
lab()
say.table(result)
panels.foot(
    desk,
    verdict=say.verdict(result),
    done=done,
    module="dpcore.experiments.network",
    frames={
        "Training": result.curves(),
        "Table": result.table(),
        "Gradient norms": result.histogram(),
        "Clipping": result.clipping_curve(),
        "Lots": result.lots_table(),
    },
    how_it_works=say.how_it_works,
)
