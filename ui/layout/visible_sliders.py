"""Show only the sliders that a link names, as lessons do: ``only=epsilon,clip_norm``."""

import streamlit as st

from ui.page.page import Page
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text.escaping import quoted

ONLY = "only"


def check_link(page: Page, state: PageState) -> None:
    """Drop names that are no slider of the page from the link, with a notice (markdown)."""
    view = state.address.view
    if ONLY not in view:
        return
    # Which sliders there are with a visitor's file is known once it is there.
    if not state.settings.uses_file:
        layout = page.at(state.settings).slider_layout(state.settings)
        known = []
        unknown = []
        for name in _named(state):
            if name in layout.all:
                known.append(name)
            else:
                unknown.append(name)
        if unknown:
            names = ", ".join(quoted(name) for name in unknown)
            notice = f"In the link, `only` names no slider of this page ({names})."
            state.notices = [*state.notices, notice]
            view[ONLY] = ",".join(known)
    if not _named(state):
        del view[ONLY]


def visible_layout(page: Page, state: PageState) -> SliderLayout:
    """Return the sliders that a link names, in its order; all where it names none."""
    layout = page.slider_layout(state.settings)
    named = [name for name in _named(state) if name in layout.all]
    if not named:
        return layout
    movable = [name for name in named if name not in layout.only_play]
    if not movable:
        # The slider that plays is the only one.
        hero, *main = named
        return layout._replace(hero=hero, main=main, more=(), play=None)
    hero, *main = movable
    play = None
    if layout.play in named and layout.play not in main:
        play = layout.play
    return layout._replace(hero=hero, main=main, more=(), play=play)


def offer_all(state: PageState) -> None:
    """Show a button for the sliders that are hidden."""
    if ONLY not in state.address.view:
        return

    def show_all() -> None:
        state.address.view.pop(ONLY, None)

    st.button(
        "Show all sliders", icon=":material/tune:", key=f"{state.page}/all", on_click=show_all
    )


def _named(state: PageState) -> list[str]:
    """Return the names in the link, each once."""
    names = state.address.view.get(ONLY, "").replace(" ", "").split(",")
    return [name for name in dict.fromkeys(names) if name]
