"""Can a target learn from others' private models?"""

from collections.abc import Mapping

import streamlit as st

from dpcore.data.domain_text import NoNewsgroupsError, fetch_newsgroups, newsgroups_here
from dpcore.data.domains import KINDS, world
from pages.hypotheses import figures, words_label
from pages.hypotheses import words as say
from pages.hypotheses.experiment import WEIGHTS, HypothesesSettings
from ui import controls, live, own_file, panels
from ui.page import CLASSES_TAB, GUARANTEE_TAB, WHY_TAB, Knobs, Page, Tab, always, listed

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
    desk.choose("data", "Data", dict(KINDS), help=say.DATA_HELP)
    desk.choose("noise", "Mechanism", say.NOISES, wide=True, help=say.NOISES_HELP)
    if desk.settings.data != "domains":
        desk.choose("projection", "Features", say.PROJECTIONS, help=say.PROJECTIONS_HELP)


def more(desk: controls.Desk) -> None:
    """Show the selectors in *More settings*."""
    desk.choose("divergence", "Divergence for weights", say.DIVERGENCES)


def knobs(settings: HypothesesSettings) -> Knobs:
    """The knobs that have a say. What the target is mixed of is one knob where there are two sources, else a weight
    for each, folded away.
    """
    alike = settings.data in ("newsgroups", "own")
    two, weights = settings.sources == 2, list(WEIGHTS[: settings.sources])
    shown = [*(MAIN[:2] if alike else MAIN), *weights[:two]]
    main = [name for name in shown if name != "dimension" or settings.projected]
    more = [*([] if two else weights), *(name for name in MORE if name != "delta" or settings.noise == "gaussian")]
    return Knobs(hero="epsilon", main=main, more=more, changes=say.KNOBS)


def _row(result, *asked: tuple[str, Mapping, str], height: int = 340, wide: float = 1.0) -> list[list[live.Picture]]:
    """Pictures side by side, each as (name, figure, what one sees); ``wide``: the share of the first one."""
    alts = say.alts(result)
    return [
        [
            live.Picture(
                name=name, figure=figure, alt=alts[name], about=about, height=height, wide=1.0 if place else wide
            )
            for place, (name, figure, about) in enumerate(asked)
        ]
    ]


def pictures(result) -> list[list[live.Picture]]:
    """What borrowing is worth over epsilon, and from whom the target borrows."""
    accuracy, weights = figures.accuracy(result, "epsilon"), figures.weights(result)
    asked = ("epsilon", accuracy, say.ACCURACY_ABOUT), ("weights", weights, say.WEIGHTS_ABOUT)
    return _row(result, *asked, height=400, wide=1.5)


def steps(result) -> list[list[live.Picture]]:
    """What the steps find: the weights' error, and what is released and made of it."""
    error, plane = figures.error(result), figures.plane(result)
    return _row(result, ("error", error, say.ERROR_ABOUT), ("plane", plane, say.PLANE_ABOUT))


def ways(result) -> list[list[live.Picture]]:
    """Other ways to borrow, and more labels in place of it."""
    return _row(
        result,
        ("gain", figures.gain(result), say.GAIN_ABOUT),
        ("others", figures.accuracy(result, "epsilon", figures.OTHERS), say.OTHERS_ABOUT),
        ("share", figures.accuracy(result, "share"), say.SHARE_ABOUT),
    )


def features(result) -> list[list[live.Picture]]:
    """What the number of features does; with all words, first what two laws of noise do to them."""
    dimension, noise = figures.dimension(result), figures.noise(result)
    rows = _row(result, ("dimension", dimension, say.DIMENSION_ABOUT), ("noise", noise, say.NOISE_ABOUT))
    if result.settings.projected:
        return rows
    return _row(result, ("laws", figures.laws(result), say.LAWS_ABOUT), height=400) + rows


def public_rows(settings: HypothesesSettings) -> int:
    """How many rows are public; the rows are made where they were not."""
    return world(settings.model.where).public.shape[0]


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
    with st.container(border=True):
        st.markdown(say.NEWSGROUPS)
        look = {"icon": ":material/download:", "type": "primary"}
        if not st.button("Download 20 Newsgroups", key="hypotheses.download", **look):
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


PAGE = Page(
    name="hypotheses",
    title="Private hypothesis transfer",
    icon=":material/call_merge:",
    group="Collaborate",
    about="Reuse models that others trained privately",
    question="Can a target learn from others' private models?",
    settings=HypothesesSettings,
    label=words_label.label,
    setup=setup,
    more=more,
    lead=always(
        "A target has many rows and few labels. Sources lend it models, each with its own noise, and noisy hints about "
        "who resembles whom; what the target makes of them is held against what its few labels do alone. **Drag "
        "epsilon**, then mix the target from the sources (under More settings)."
    ),
    numbers=say.numbers,
    knobs=knobs,
    words={
        "verdict": say.verdict,
        "caption": say.caption,
        "stages": say.stages,
        "why": listed(say.diagnostics),
        "guarantee": say.guarantee,
        "classes": say.by_class,
        "table": say.table,
        "published": say.published,
    },
    pictures=pictures,
    ready=rows_ready,
    holds=rows_here,
    private=lambda settings: settings.data == "own",
    tabs=(
        WHY_TAB,
        GUARANTEE_TAB,
        Tab("steps", "Algorithm", ("stages",), steps),
        Tab("ways", "Methods", pictures=ways),
        Tab("features", "Features", pictures=features),
        CLASSES_TAB,
        Tab("table", "Results table", ("table", "published")),
    ),
    frames=lambda result: {
        "Curves": result.curves,
        "Weights": result.weights_table,
        "Table": result.table,
        **panels.by_class_frames(result),
        "Noise": result.noise_table,
    },
)
