"""Pin settings, B, in the link, on the sliders, and in the panel under the sliders.

A link holds them as ``pin=field~value~field~value``, with what differs from the page's defaults.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import streamlit as st

from dpcore.check import RefusedError
from lab.experiment import links
from lab.experiment.settings import Settings
from ui.page import differences
from ui.page.page import Page
from ui.page.screen import Screen
from ui.session.address import LONGEST
from ui.session.entries import from_link
from ui.session.page_state import PageState
from ui.text.escaping import quoted
from ui.text.sliders import SLIDERS

PIN = "Pin for comparison"
# The key of the button that pins and of the one that unpins, so that the keyboard focus stays.
_TOGGLE = "pin"
_PIN_HELP = "Save these settings as B and compare what you try next with them in the link."


@lru_cache(maxsize=256)
def read_pin(kind: type[Settings], text: str) -> tuple[Settings | None, tuple[str, ...]]:
    """Return the pinned settings of a link, and a notice (markdown) for each ignored part."""
    try:
        params = links.pairs(text, name="pin")
    except RefusedError:
        params = None
    if params is None or len(text) > LONGEST:
        notice = (
            f"The pin in the link, {quoted(text)}, was ignored. It must be fields, each with its"
            " value."
        )
        return None, (notice,)
    settings, notices = from_link(kind, params)
    if settings.uses_file:
        notice = (
            "The pin in the link was ignored, because settings with your own file are not pinned."
        )
        return None, (notice,)
    return settings, tuple(f"The pin in the link: {notice}" for notice in notices)


def pinned_settings(page: Page, state: PageState) -> Settings | None:
    """Return the pinned settings, and add a notice for each ignored part of a link's pin.

    Nothing is compared with results of a visitor's own file: a choice by results on private rows
    reveals something of them, and no epsilon covers it.
    """
    address = state.address
    if address.pin is None:
        return None
    settings = None
    # A page without tabs has no panel that could unpin them.
    notices: Sequence[str] = ("The pin in the link was ignored, because this page has none.",)
    if page.content.tabs:
        settings, notices = read_pin(page.settings, address.pin)  # type: ignore[arg-type]  # classes have a hash
    new_notices = [notice for notice in notices if notice not in state.notices]
    state.notices = [*state.notices, *new_notices]
    address.pin = _pin_text(settings)
    if state.settings.uses_file:
        return None
    return settings


def _pin_text(settings: Settings | None) -> str | None:
    """Return pinned settings as an address holds them, None without any."""
    if settings is None:
        return None
    return links.compact(settings)


def slider_marks(
    settings: Settings, pinned: Settings | None
) -> Mapping[str, Sequence[tuple[float, str]]]:
    """Return the marks of B on the sliders that differ, as ``show_panel`` takes them."""
    if pinned is None:
        return {}
    marks = {}
    for name in SLIDERS:
        # B is of the same page, but perhaps about another topic.
        if name not in settings.limits or name not in pinned.limits:
            continue
        value = getattr(pinned, name)
        if value != getattr(settings, name):
            marks[name] = [(value, "B")]
    return marks


def pin_panel(state: PageState, pinned: Settings | None, screen: Screen) -> None:
    """Show the button that pins, or the table that compares with the pinned settings."""
    if state.settings.uses_file:
        return

    def pin(settings: Settings | None) -> None:
        state.address.pin = _pin_text(settings)

    def swap() -> None:
        settings = state.settings
        state.replace_settings(pinned)
        pin(settings)

    with st.container(key="compare", border=pinned is not None):
        with st.container(key="compare-buttons", horizontal=True, vertical_alignment="center"):
            if pinned is None:
                _button(
                    state,
                    PIN,
                    lambda: pin(state.settings),
                    key=_TOGGLE,
                    help=_PIN_HELP,
                    icon=":material/keep:",
                )
                return
            st.html('<b class="lab-compare-title">Compare</b>', width="stretch")
            _button(state, "Swap", swap, key="swap", help="Swap A and B", type="tertiary")
            _button(
                state,
                "Unpin",
                lambda: pin(None),
                key=_TOGGLE,
                help="Remove B",
                type="tertiary",
            )
        choice_texts = partial(differences.choice_texts, choices=state.choices)
        choice_rows = differences.settings_rows(state.settings, pinned, choice_texts)
        table = differences.table(
            differences.rows_html(choice_rows),
            screen.comparison[differences.ROWS],
            screen.comparison[differences.SENTENCE],
        )
        st.html(table)


def _button(
    state: PageState, label: str, act: Callable[[], None], *, key: str, **look: Any
) -> None:
    def press() -> None:
        state.apply_movement()
        act()

    st.button(label, key=f"{state.page}/{key}", on_click=press, **look)
