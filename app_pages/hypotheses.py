"""What can a target borrow from private sources?"""

import streamlit as st

from dpcore.domain_text import NoNewsgroupsError, fetch_newsgroups, newsgroups_here
from dpcore.domains import KINDS, world
from dpcore.experiments.hypotheses import WEIGHTS, HypothesesSettings
from ui import controls, live, own_file, panels
from ui.compute import compute
from ui.figures import hypotheses as figures
from ui.figures import hypotheses_features as features
from ui.sentences import hypotheses as say
from ui.sentences import hypotheses_why as why

MAIN = ("label_share", "dimension", "similarity")
MORE = (
    "sources",
    "source_rows",
    "unlabelled_rows",
    "target_rows",
    "public_rows",
    "lambda_lr",
    "lambda_iw",
    "delta",
    "repeats",
    "seed",
)


def setup(desk: controls.Desk) -> None:
    """The choices that make another experiment."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        desk.choose("data", "Data", dict(KINDS), help=say.DATA_HELP)
        desk.choose("noise", "Noise of a source", say.NOISES, help=say.NOISES_HELP)
        with st.popover("Projection, weights", icon=":material/tune:"):
            desk.choose("projection", "Features of a text", say.PROJECTIONS)
            desk.choose("divergence", "Hypothesis weights by", say.DIVERGENCES)


@st.fragment
def lab() -> None:
    """All that moves while a slider moves."""
    desk = controls.desk("hypotheses", HypothesesSettings)
    result, done = compute(desk.settings)
    main, more = knobs(desk.settings)
    panels.stage(
        desk,
        verdict=say.verdict(result),
        pictures=pictures(result),
        cards=(
            (panels.WHY, panels.bullets(why.diagnostics(result))),
            ("The guarantee", say.guarantee(result)),
        ),
        above=say.stages(result),
        done=done,
        hero="epsilon",
        main=main,
        more=more,
        changes=say.KNOBS,
    )


def knobs(settings: HypothesesSettings) -> tuple[list[str], list[str]]:
    """The knobs that have a say: a weight for each source, and what the data leave free."""
    main = [*MAIN[:2], *WEIGHTS[: settings.sources]]
    main += [] if settings.data in ("newsgroups", "own") else list(MAIN[2:])
    hidden = () if settings.noise == "gaussian" else ("delta",)
    return main, [name for name in MORE if name not in hidden]


def pictures(result) -> list[list[live.Picture]]:
    """Weights and what they are worth; over epsilon and labels; two coordinates; what the number of features does."""
    alts = say.alts(result)
    rows = (
        (("weights", figures.weights, {}), ("gain", figures.gain, {})),
        (("epsilon", figures.accuracy, {"over": "epsilon"}), ("share", figures.accuracy, {"over": "share"})),
        (("error", figures.error, {}), ("plane", figures.plane, {})),
        (("noise", features.noise, {}), ("dimension", features.dimension, {})),
    )
    return [
        [live.Picture(name=name, figure=draw(result, **how), alt=alts[name], height=300) for name, draw, how in row]
        for row in rows
    ]


def rows_ready(desk: controls.Desk) -> bool:
    """Whether there are rows to work with; asks for what is missing. Making them shows a sign of life."""

    def public_rows() -> int:
        return len(world(desk.settings.model.where).public)

    if desk.settings.data == "own" and not own_file.ready(desk, public_rows=public_rows):
        return False
    if desk.settings.data == "newsgroups" and not newsgroups_ready():
        return False
    with st.spinner("Counting words"):
        return public_rows() > 0


def newsgroups_ready() -> bool:
    """Real texts are fetched when a person says so, and never otherwise."""
    with st.spinner("Reading 20 Newsgroups"):
        if newsgroups_here():
            return True
    st.info(say.NEWSGROUPS, icon=":material/download:")
    if not st.button("Download 20 Newsgroups (14 MB)", key="hypotheses.download"):
        return False
    try:
        with st.spinner("Downloading"):
            fetch_newsgroups()
    except NoNewsgroupsError as failure:
        st.error(f"{failure} {say.NO_DOWNLOAD}")
        return False
    return newsgroups_here()


desk = controls.desk("hypotheses", HypothesesSettings)
st.title("What can be borrowed from private sources?")
st.markdown(
    "A target has many rows and few labels. Sources lend it hypotheses, each with its own noise, and noisy hints who "
    "resembles whom. **Drag epsilon**, then mix the target from the sources."
)
panels.notices(desk.notices)
setup(desk)
if not rows_ready(desk):
    st.stop()
panels.key([*figures.STYLES.values(), figures.TRUTH])
result, done = compute(desk.settings)
desk.tell(done=done)
lab()
say.table(result)
panels.foot(
    desk,
    verdict=say.verdict(result),
    done=done,
    module="dpcore.experiments.hypotheses",
    frames={
        "Curves": result.curves(),
        "Weights": result.weights_table(),
        "Table": result.table(),
        "Noise": result.noise_table(),
    },
    how_it_works=say.how_it_works,
)
