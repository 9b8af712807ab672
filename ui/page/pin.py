"""Pinned settings B: in the link, on the sliders, and in the card under the sliders.

A link holds them as ``pin=field~value~field~value``, with what differs from the page's defaults.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Literal

import streamlit as st

from dpcore.check import RefusedError
from lab.experiment import links
from lab.experiment.settings import Settings
from lab.uploads.rows import OwnRows
from ui.page import comparison
from ui.page.page import Page
from ui.session.address import LONGEST
from ui.session.entries import from_link
from ui.session.page_state import PageState
from ui.text.escaping import quoted
from ui.text.sliders import SLIDERS

PIN = "Pin for comparison"
_PIN_HELP = "Save these settings as B and compare what you try next with them"
_IN_LINK = "in the link."
_OWN = (
    "in this session only. Each setting compared counts as a search on private rows: the privacy"
    " label becomes void."
)


@lru_cache(maxsize=256)
def read(kind: type[Settings], text: str) -> tuple[Settings | None, tuple[str, ...]]:
    """Return (the pinned settings in a link, a sentence (markdown) for each part of them that was
    ignored).
    """
    try:
        pairs = links.pairs(text, name="pin")
    except RefusedError:
        pairs = None
    if pairs is None or len(text) > LONGEST:
        return None, (
            (
                f"The pin in the link, {quoted(text)}, was ignored. It must be fields, each with"
                " its value."
            ),
        )
    settings, notices = from_link(kind, pairs)
    if settings.private:
        return None, (
            "The pin in the link was ignored, because settings with your own file are not pinned.",
        )
    return settings, tuple(f"The pin in the link: {sentence}" for sentence in notices)


def pinned(page: Page, state: PageState) -> Settings | None:
    """Return the pinned settings; add a notice for what of the link's pin was ignored.

    Settings with a visitor's own file are in no link, and go with the file.
    """
    found = _in_link(page, state)
    if not state.settings.private:
        return found
    if state.uploaded_pin is not None and not _file_is_here(state.uploaded_pin):
        state.uploaded_pin = None
    return state.uploaded_pin


def _in_link(page: Page, state: PageState) -> Settings | None:
    if state.address.pin is None:
        return None
    if page.tabs:
        settings, notices = read(page.settings, state.address.pin)  # type: ignore[arg-type]  # classes have a hash
    else:  # there is no card that could unpin them
        settings, notices = None, ("The pin in the link was ignored, because this page has none.",)
    state.notices = [*state.notices, *(notice for notice in notices if notice not in state.notices)]
    state.address.pin = None if settings is None else links.compact(settings)
    return settings


def _file_is_here(settings: Settings) -> bool:
    """Return whether the visitor's own file of these settings is still in the session."""
    own = getattr(settings, "own", None)
    return isinstance(own, OwnRows) and not own.expired


def marks(settings: Settings, other: Settings | None) -> Mapping[str, Sequence[tuple[float, str]]]:
    """Return the marks of B on the sliders that differ."""
    if other is None:
        return {}
    found = {}
    for name in SLIDERS:  # B is of the same page, but perhaps about another topic
        if name not in settings.limits or name not in other.limits:
            continue
        value = getattr(other, name)
        if value != getattr(settings, name):
            found[name] = [(value, "B")]
    return found


def card(state: PageState, other: Settings | None, both: comparison.Screen) -> None:
    """Show the button that pins, or the table that compares with the pinned settings."""
    if state.settings.private and not _file_is_here(state.settings):
        return

    def keep(settings: Settings | None) -> None:
        if state.settings.private:
            state.uploaded_pin = settings
        else:
            state.address.pin = None if settings is None else links.compact(settings)

    def swap() -> None:
        now = state.settings
        state.replace_settings(other)
        keep(now)

    with st.container(key="compare", border=other is not None):
        with st.container(key="compare-buttons", horizontal=True, vertical_alignment="center"):
            if other is None:
                help = f"{_PIN_HELP} {_IN_LINK}"
                if state.settings.private:
                    help = f"{_PIN_HELP} {_OWN}"
                _button(state, PIN, lambda: keep(state.settings), help)
                return
            st.html('<b class="lab-compare-title">Compare</b>', width="stretch")
            _button(state, "Swap", swap, "Swap A and B")
            _button(state, "Unpin", lambda: keep(None), "Remove B")
        words = partial(comparison.choice_words, choices=state.choices)
        choices = comparison.rows(comparison.settings_rows(state.settings, other, words))
        st.html(
            comparison.table(choices, both.moving[comparison.MOVING], both.moving[comparison.SAID])
        )


def _button(state: PageState, label: str, act: Callable[[], None], help: str) -> None:
    kind: Literal["secondary", "tertiary"] = "secondary" if label == PIN else "tertiary"
    icon = ":material/keep:" if label == PIN else None

    def pressed() -> None:
        state.apply_movement()
        act()

    # one key for the button that pins and the one that unpins: the keyboard focus stays where it is
    name = "swap" if label == "Swap" else "pin"
    st.button(label, key=f"{state.page}/{name}", icon=icon, help=help, on_click=pressed, type=kind)
