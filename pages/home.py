"""What this is, at once: a picture that moves, and where to go from there."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from ui import controls
from ui.page import Knobs, Page, always

HEIGHT = 340
QUESTION = "What does privacy cost a learning algorithm?"
_LEAD = (
    '<p class="lab-lead">Each blue line is a model, trained just now. <b>Differential privacy</b> adds noise, so that '
    "even an attacker can hardly tell whether the data hold <i>you</i> or somebody else. Less epsilon: more noise, "
    "more privacy, more mistakes. <b>Drag it.</b></p>"
)
# A tour: (what to do, what it is about, the lesson).
TOUR = (
    (
        "Count it",
        "A thousand noisy steps, each of epsilon 0.1. Does the training cost 100, or far less? The noise does not "
        "change, the proof does.",
        "composition",
    ),
    (
        "Share it",
        "A thousand parties, each with ten rows and a model of its own, teach one model that hides every one of them. "
        "What does the crowd buy?",
        "parties",
    ),
    (
        "Attack it",
        "A published recipe claims epsilon 1. Thousands of trainings, with one person and with another in their "
        "place, tell what an attacker makes of it.",
        "published",
    ),
    (
        "Get help",
        "Handwritten digits at epsilon 0.5: learnt privately from zero, about half are read right. How many, with a "
        "start from public ones?",
        "public_start",
    ),
)
GROUPS = {
    "Train": "what privacy costs a model",
    "Privacy": "what is guaranteed, and to whom",
    "Collaborate": "federated and transfer learning",
    "Plan": "the settings that reach a goal",
}
# What one sees, can trust, and can take away.
_TEXTS = (
    """**What you will see.** Dozens of private models, **really trained** while you move a slider. Each has noise of
its own, so you see not one lucky run but how far the runs differ: every boundary is drawn, every figure has its
spread.""",
    """**What you can trust.** Each guarantee stands with its delta, its neighbours and the theorem behind it. Published
methods run **as published**, and where their guarantee does not hold the page says so and shows what they really give,
beside the sound version.""",
    """**What you can take away.** The address of a page holds every setting, the seed included: send the link, and the
same numbers appear. Whoever has the link can also compute the noise and **subtract it**: this noise is for showing, not
for publishing. Figures, tables and a script that computes them again can be downloaded. Nothing leaves this
machine.""",
)
_OWN = (
    "**Your own data.** Bring a table, or try one of ours, and ask which epsilon it takes. It stays in this server's "
    "memory, and is gone with your session."
)
_NOTE = (
    "For teaching, demonstrations and what-if questions. The noise is ordinary floating-point noise: to publish a "
    "model of real people's data, use a library made for releases."
)


def front(pages: Sequence[Page]) -> Page:
    """The classifier's page with one knob, its numbers and its first map."""
    whole = next(page for page in pages if page.name == "classifier")

    def numbers(result):
        right, reference, _, attacker = whole.numbers(result)
        return right, reference, attacker

    def ours(desk: controls.Desk) -> bool:
        """A file of one's own is asked for on the page itself."""
        if whole.private(desk.settings):
            desk.take(whole.settings())
        return True

    return replace(
        whole,
        name="home",
        ready=ours,
        holds=ours,
        variant=None,
        question=QUESTION,
        setup=always(None),
        more=None,
        knobs=always(Knobs(hero="epsilon")),
        numbers=numbers,
        pictures=lambda result: [[replace(whole.pictures(result)[0][1], height=HEIGHT)]],
        tabs=(),
    )


def show(home: Page, pages: Sequence[Page], doors: Mapping[str, st.Page], shown: Callable[..., None]) -> None:
    """The page ``home``, as ``shown`` shows any, a tour of lessons, and all ``pages`` by group. ``doors``: name of a
    page -> where it opens.
    """
    shown(home, welcome=f"<h1>{home.question}</h1>{_LEAD}")
    st.header("Guess first, then see")
    for column, (name, text, lesson) in zip(st.columns(4, gap="small"), TOUR, strict=True):
        with column.container(border=True, height="stretch", vertical_alignment="distribute"):
            st.markdown(f"**{name}.** {text}")
            label = "Start lesson"
            st.page_link(doors["lessons"], label=label, icon=":material/school:", query_params={"lesson": lesson})
    _own(doors)
    _all(pages, doors)
    for column, text in zip(st.columns(3, gap="large"), _TEXTS, strict=True):
        column.markdown(text)
    st.caption(_NOTE)


def _own(doors: Mapping[str, st.Page]) -> None:
    """The way to what it costs on data of one's own."""
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(_OWN, width="stretch")
        st.page_link(doors["data"], label="My data", icon=":material/table:", width="content")


def _all(pages: Sequence[Page], doors: Mapping[str, st.Page]) -> None:
    """Every page by its group, with what it is about."""
    groups = list(dict.fromkeys(page.group for page in pages))
    for column, group in zip(st.columns(len(groups), gap="large"), groups, strict=True):
        column.markdown(f"**{group}**: {GROUPS[group]}")
        for page in (one for one in pages if one.group == group):
            column.page_link(doors[page.name], icon=page.icon)
            column.caption(page.about)
