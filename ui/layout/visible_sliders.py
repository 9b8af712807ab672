"""Show only the sliders that a link names, as lessons do: ``only=epsilon,clip_norm``."""

import streamlit as st

from ui.page.page import Page, SliderLayout
from ui.session.page_state import PageState
from ui.text.escaping import quoted

ONLY = "only"


def check_link(page: Page, state: PageState) -> None:
    """Drop names that are no slider of the page from the link, with a notice (markdown)."""
    if ONLY not in state.address.view:
        return
    # which sliders there are with a visitor's file is known once it is here
    if not state.settings.private:
        known = _all(page.at(state.settings).slider_layout(state.settings))
        unknown = [name for name in _named(state) if name not in known]
        if unknown:
            names = ", ".join(map(quoted, unknown))
            state.notices = [
                *state.notices,
                f"In the link, `only` names no slider of this page ({names}).",
            ]
            state.address.view[ONLY] = ",".join(name for name in _named(state) if name in known)
    if not _named(state):
        del state.address.view[ONLY]


def visible(page: Page, state: PageState) -> SliderLayout:
    """Return the sliders that a link leaves in view, in its order; all where it names none."""
    sliders = page.slider_layout(state.settings)
    named = [name for name in _named(state) if name in _all(sliders)]
    if not named:
        return sliders
    inside = [name for name in named if name not in sliders.only_play]
    hero, *main = inside or named
    play = None
    if inside and sliders.play in named and sliders.play not in main:
        play = sliders.play
    return sliders._replace(hero=hero, main=main, more=(), play=play)


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
    names = state.address.view.get(ONLY, "").replace(" ", "").split(",")
    return [name for name in dict.fromkeys(names) if name]


def _all(sliders: SliderLayout) -> list[str]:
    return [sliders.hero, *sliders.only_play, *sliders.main, *sliders.more]
