"""Show only the sliders that a link names, as lessons do: ``only=epsilon,clip_norm``."""

import streamlit as st

from ui.page.page import Page
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout

ONLY = "only"


def visible_layout(page: Page, state: PageState) -> SliderLayout:
    """Return the sliders that a link names, in its order; all where it names none of the page."""
    layout = page.slider_layout(state.settings)
    names = state.address.view.get(ONLY, "").split(",")
    named = [name for name in dict.fromkeys(names) if name in layout.all]
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
