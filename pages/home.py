"""What this is, at once: a picture that moves, and where to go from there."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import streamlit as st

from ui import controls
from ui.page import Knobs, Page, always
from ui.texts import Texts

HEIGHT = 340
QUESTION = "What does privacy cost a learning algorithm?"
ABOUT = "Explore differential privacy in machine learning in a browser"
_SAYS = Texts(__file__, "home.md")
# Lessons of the tour.
TOUR = ("composition", "parties", "published", "public_start")
GROUPS = {
    "Train": "what privacy costs a model",
    "Privacy": "what is guaranteed, and to whom",
    "Collaborate": "federated and transfer learning",
    "Plan": "the settings that reach a goal",
}


def front(pages: Sequence[Page]) -> Page:
    """The classifier's page with one knob, its numbers and its first map."""
    whole = next(page for page in pages if page.name == "classifier")

    def numbers(result):
        right, reference, _, attacker = whole.numbers(result)
        return right, reference, attacker

    def ours(desk: controls.Desk) -> bool:
        """A file of one's own is asked for on the page itself."""
        if desk.settings.private:
            desk.take(whole.settings())
        return True

    return replace(
        whole,
        name="home",
        ready=ours,
        holds=ours,
        question=QUESTION,
        setup=always(None),
        more=None,
        knobs=always(Knobs(hero="epsilon")),
        numbers=numbers,
        pictures=lambda result: [[replace(whole.pictures(result)[0][1], height=HEIGHT)]],
        tabs=(),
    )


def show(home: Page, pages: Sequence[Page], doors: Mapping[str, st.Page], shown: Callable[..., None]) -> None:
    """Show ``home`` as ``shown`` shows any page, a tour of lessons, and all ``pages`` by group.

    doors: name of a page -> where it opens.
    """
    lead = re.sub(r"\*\*(.+?)\*\*", r"<b>\1</b>", _SAYS["lead"])
    shown(home, welcome=f'<h1>{home.question}</h1><p class="lab-lead">{lead}</p>')
    st.header("Guess first, then see")
    for column, lesson in zip(st.columns(4, gap="small"), TOUR, strict=True):
        with column.container(border=True, height="stretch", vertical_alignment="distribute"):
            st.markdown(_SAYS[f"tour.{lesson}"])
            label = "Start lesson"
            st.page_link(doors["lessons"], label=label, icon=":material/school:", query_params={"lesson": lesson})
    _own(doors)
    _all(pages, doors)
    for column, text in zip(st.columns(3, gap="large"), ("see", "trust", "take"), strict=True):
        column.markdown(_SAYS[f"about.{text}"])
    st.caption(_SAYS["note"])


def _own(doors: Mapping[str, st.Page]) -> None:
    with st.container(border=True, horizontal=True, vertical_alignment="center"):
        st.markdown(_SAYS["own"], width="stretch")
        st.page_link(doors["data"], label="My data", icon=":material/table:", width="content")


def _all(pages: Sequence[Page], doors: Mapping[str, st.Page]) -> None:
    groups = list(dict.fromkeys(page.group for page in pages))
    for column, group in zip(st.columns(len(groups), gap="large"), groups, strict=True):
        column.markdown(f"**{group}**: {GROUPS[group]}")
        for page in (one for one in pages if one.group == group):
            column.page_link(doors[page.name], icon=page.icon)
            column.caption(page.about)
