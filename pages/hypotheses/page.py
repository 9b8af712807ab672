"""What can you learn from others' private models?"""

import streamlit as st

from dpcore.data.domain_text import NoNewsgroupsError, fetch_newsgroups, newsgroups_here
from dpcore.data.domains import KINDS, world
from pages.hypotheses import figures
from pages.hypotheses import words as say
from pages.hypotheses.experiment import WEIGHTS, HypothesesSettings
from ui import controls, live, own_file
from ui.page import GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed

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
        with st.popover("Advanced", icon=":material/tune:"):
            desk.choose("projection", "Features of a text", say.PROJECTIONS)
            desk.choose("divergence", "Hypothesis weights by", say.DIVERGENCES)


def knobs(settings: HypothesesSettings) -> Knobs:
    """The knobs that have a say: a weight for each source, and what the data leave free."""
    main = [*MAIN[:2], *WEIGHTS[: settings.sources]]
    main += [] if settings.data in ("newsgroups", "own") else list(MAIN[2:])
    hidden = () if settings.noise == "gaussian" else ("delta",)
    more = [name for name in MORE if name not in hidden]
    return Knobs(hero="epsilon", main=main, more=more, changes=say.KNOBS)


def pictures(result) -> list[list[live.Picture]]:
    """Weights and what they are worth; over epsilon and labels; two coordinates; what the number of features does."""
    alts = say.alts(result)
    rows = (
        (("weights", figures.weights, {}), ("gain", figures.gain, {})),
        (("epsilon", figures.accuracy, {"over": "epsilon"}), ("share", figures.accuracy, {"over": "share"})),
        (("error", figures.error, {}), ("plane", figures.plane, {})),
        (("noise", figures.noise, {}), ("dimension", figures.dimension, {})),
    )
    return [
        [live.Picture(name=name, figure=draw(result, **how), alt=alts[name], height=300) for name, draw, how in row]
        for row in rows
    ]


def public_rows(settings: HypothesesSettings) -> int:
    """How many rows are public; the rows are made where they were not."""
    return len(world(settings.model.where).public)


def rows_ready(desk: controls.Desk) -> bool:
    """Whether there are rows to work with; asks for what is missing. Making them shows a sign of life."""
    if desk.settings.data == "own" and not own_file.ready(desk, public_rows=public_rows):
        return False
    if desk.settings.data == "newsgroups" and not newsgroups_ready():
        return False
    with st.spinner("Counting words"):
        return public_rows(desk.settings) > 0


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


def rows_here(desk: controls.Desk) -> bool:
    """Whether a file of the user's own is still there: only the page can ask for it."""
    return desk.settings.data != "own" or own_file.holds(desk, public_rows=public_rows)


def more(result) -> list[list[live.Picture]]:
    """The charts below the first screen."""
    return pictures(result)[1:]


PAGE = Page(
    name="hypotheses",
    title="Borrowed models",
    icon=":material/call_merge:",
    group="Together",
    about="What others' private models tell",
    question="What can you learn from others' private models?",
    settings=HypothesesSettings,
    setup=setup,
    lead=always(
        "A target has many rows and few labels. Sources lend it hypotheses, each with its own noise, and noisy hints "
        "about who resembles whom. **Drag epsilon**, then mix the target from the sources."
    ),
    numbers=always(()),
    knobs=knobs,
    words={
        "verdict": say.verdict,
        "stages": say.stages,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "table": say.table,
    },
    pictures=lambda result: pictures(result)[:1],
    ready=rows_ready,
    holds=rows_here,
    private=lambda settings: settings.data == "own",
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("more", "More charts", pictures=more),
        Tab("table", "Table", ("table",)),
    ),
    frames=lambda result: {
        "Curves": result.curves,
        "Weights": result.weights_table,
        "Table": result.table,
        "Noise": result.noise_table,
    },
)
