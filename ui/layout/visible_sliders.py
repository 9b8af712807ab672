"""Show only the sliders that a link names, as lessons do: ``only=epsilon,clip_norm``."""

import streamlit as st

from ui.page.page import Knobs, Page
from ui.session.page_state import Desk
from ui.text.escaping import quoted

ONLY = "only"


def check_link(page: Page, desk: Desk) -> None:
    """Drop names that are no slider of the page from the link, with a notice (markdown)."""
    if ONLY not in desk.shown:
        return
    # which sliders there are with a visitor's file is known once it is here
    if not desk.settings.private:
        known = _all(page.at(desk.settings).sliders(desk.settings))
        unknown = [name for name in _named(desk) if name not in known]
        if unknown:
            names = ", ".join(map(quoted, unknown))
            desk.notices = [
                *desk.notices,
                f"In the link, `only` names no slider of this page ({names}).",
            ]
            desk.shown[ONLY] = ",".join(name for name in _named(desk) if name in known)
    if not _named(desk):
        del desk.shown[ONLY]


def visible(page: Page, desk: Desk) -> Knobs:
    """Return the sliders that a link leaves in view, in its order; all where it names none."""
    sliders = page.sliders(desk.settings)
    named = [name for name in _named(desk) if name in _all(sliders)]
    if not named:
        return sliders
    inside = [name for name in named if name not in sliders.apart]
    hero, *main = inside or named
    play = None
    if inside and sliders.play in named and sliders.play not in main:
        play = sliders.play
    return sliders._replace(hero=hero, main=main, more=(), play=play)


def offer_all(desk: Desk) -> None:
    """Show a button for the sliders that are hidden."""
    if ONLY not in desk.shown:
        return

    def show_all() -> None:
        desk.shown.pop(ONLY, None)

    st.button("Show all sliders", icon=":material/tune:", key=f"{desk.page}/all", on_click=show_all)


def _named(desk: Desk) -> list[str]:
    names = desk.shown.get(ONLY, "").replace(" ", "").split(",")
    return [name for name in dict.fromkeys(names) if name]


def _all(sliders: Knobs) -> list[str]:
    return [sliders.hero, *sliders.apart, *sliders.main, *sliders.more]
