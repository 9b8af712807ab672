"""The card under the knobs: pin what the page shows, and see what differs from it."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, Literal

import streamlit as st

from lab.files.file_handles import Own
from lab.settings import Settings
from ui import comparison
from ui.compare import MOVING, SAID, Both
from ui.controls import Desk, hold
from ui.page import Page
from ui.pins import LONGEST_NAME, MOST, Pin, Pins, read, texts_of
from ui.vocabulary import KNOBS

_LONGEST_OPTION = 60
PIN = "Pin for comparison"
PIN_HELP = f"Save these settings as B and compare what you try next with them. Up to {MOST} are kept"


def pins_of(page: Page, desk: Desk) -> Pins:
    """Return what the desk has put aside; what of it a link held and nobody can use is noted, and gone. A page without
    tabs has no card to unpin them. Those of a visitor's own file, which no link holds, go with the file."""
    pins, notices = read(page.settings, texts_of(desk.pins))  # type: ignore[arg-type]  # classes have a hash
    if not page.tabs and desk.pins:
        pins, notices = Pins(), ("A pin in the link was ignored, because this page has none.",)
    desk.notices = [*desk.notices, *(one for one in notices if one not in desk.notices)]
    desk.pins = pins.texts
    if not desk.settings.private:
        return pins
    desk.own_pins = (desk.own_pins or Pins()).where(lambda pin: _held(pin.settings))
    return desk.own_pins


def _held(settings: Settings) -> bool:
    """Return whether a visitor's own file of these settings is still here."""
    own = getattr(settings, "own", None)
    return isinstance(own, Own) and not own.gone


def marks(settings: Settings, ghost: Pin | None) -> Mapping[str, Sequence[tuple[float, str]]]:
    """Return where B stands on the knobs that differ."""
    if ghost is None:
        return {}
    other = ghost.settings  # of the same page, but perhaps about another topic
    common = [name for name in KNOBS if name in settings.limits and name in other.limits]
    both = {name: (getattr(settings, name), getattr(other, name)) for name in common}
    return {name: [(theirs, "B")] for name, (mine, theirs) in both.items() if theirs != mine}


def card(desk: Desk, pins: Pins, both: Both) -> None:
    """Show the buttons, and the table where there is a B."""
    if desk.settings.private and not _held(desk.settings):
        return

    def keep(changed: Pins) -> None:
        if desk.settings.private:
            desk.own_pins = changed
        else:
            desk.pins = changed.texts

    def swap() -> None:
        settings, changed = pins.swap(desk.settings)
        desk.take(settings)
        keep(changed)

    with st.container(key="compare", border=pins.ghost is not None):
        with st.container(key="compare-buttons", horizontal=True, vertical_alignment="center"):
            if pins.ghost:
                st.html('<b class="lab-compare-title">Compare</b>', width="stretch")
            full = not pins.takes(desk.settings)
            label = "Pin" if pins.ghost else PIN  # beside three others there is room for one word
            help = PIN_HELP + (" in this session only." if desk.settings.private else " in the link.")
            _button(desk, label, lambda: keep(pins.add(desk.settings)), help, disabled=full)
            if pins.ghost:
                _button(desk, "Swap", swap, "Swap A and B")
                _button(desk, "Unpin", lambda: keep(pins.unpin()), "Remove B")
                with st.popover("Pins", key=f"{desk.page}/pins", type="tertiary"):
                    _names(desk, pins, pins.ghost, keep)
        if pins.ghost:
            words = partial(comparison.choice_words, choices=desk.choices)
            choices = comparison.rows(comparison.settings_rows(desk.settings, pins.ghost.settings, words))
            name = pins.ghost.name or "pinned"
            st.html(comparison.table(choices, both.moving[MOVING], both.moving[SAID], name=name))


def _button(desk: Desk, label: str, act: Callable[[], None], says: str, *, disabled: bool = False) -> None:
    key, icon = f"{desk.page}/{label.partition(' ')[0].lower()}", ":material/keep:" if label == PIN else None
    kind: Literal["secondary", "tertiary"] = "secondary" if label == PIN else "tertiary"

    def pressed() -> None:
        desk.follow()
        act()

    st.button(label, key=key, icon=icon, help=says, on_click=pressed, disabled=disabled, type=kind)


def _names(desk: Desk, pins: Pins, ghost: Pin, keep: Callable[[Pins], None]) -> None:
    which, name = f"{desk.page}/pins.which", f"{desk.page}/pins.name"
    if len(pins.kept) > 1:
        told = [_told(desk, pin) for pin in pins.kept]
        st.selectbox(
            "Shown as B",
            range(len(told)),
            hold(which, pins.at),
            key=which,
            format_func=lambda place: told[place],
            on_change=lambda: keep(pins.show(st.session_state[which])),
        )

    def rename() -> None:
        keep(pins.rename(st.session_state[name]))

    st.text_input("Name of B", hold(name, ghost.name), key=name, max_chars=LONGEST_NAME, on_change=rename)


def _told(desk: Desk, pin: Pin) -> str:
    """Return a pin in a list: its name, or what it has other than the page."""
    if pin.name:
        return pin.name

    def words(name: str, value: Any) -> tuple[str, str] | None:
        return comparison.knob_words(name, value, {}) or comparison.choice_words(name, value, desk.choices)

    rows = comparison.settings_rows(desk.settings, pin.settings, words)
    others = ", ".join(f"{label} {value}" for label, _, value, _ in rows)
    return (others if len(others) <= _LONGEST_OPTION else others[:_LONGEST_OPTION] + "…") or "as the page"
