"""Show only the sliders that a link names, as lessons do: ``only=epsilon,clip_norm``."""

import streamlit as st

from ui.page.page import Page
from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout
from ui.text.escaping import quoted

ONLY = "only"


def check_link(page: Page, state: PageState) -> None:
    """Drop names that are no slider of the page from the link, with a notice (markdown).

    The sliders of a visitor's file are known once it is there, so that nothing is dropped before.
    """
    view = state.address.view
    if ONLY not in view or state.settings.uses_file:
        return
    layout = page.at(state.settings).slider_layout(state.settings)
    names = _names_in_link(state)
    unknown = [name for name in names if name not in layout.all]
    if not unknown:
        return
    listed = ", ".join(quoted(name) for name in unknown)
    notice = f"In the link, `only` names no slider of this page ({listed})."
    state.notices = [*state.notices, notice]
    known = [name for name in names if name in layout.all]
    state.address.set_view_param(ONLY, ",".join(known))


def visible_layout(page: Page, state: PageState) -> SliderLayout:
    """Return the sliders that a link names, in its order; all where it names none of the page."""
    layout = page.slider_layout(state.settings)
    named = [name for name in _names_in_link(state) if name in layout.all]
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


def _names_in_link(state: PageState) -> list[str]:
    """Return the names that the link gives, each once."""
    names = state.address.view.get(ONLY, "").replace(" ", "").split(",")
    return [name for name in dict.fromkeys(names) if name]
