"""Settings put aside on a page, with what they showed, to hold today's against."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any

import streamlit as st

from ui.controls import Desk
from ui.vocabulary import KNOBS

# More would not be compared but searched.
MOST = 4


@dataclass(frozen=True)
class Pin:
    """Settings, and the page's sentence (HTML) on them."""

    settings: Any
    verdict: str


def pinned(desk: Desk, *, verdict: str, done: float) -> None:
    """A button that puts the settings of the page aside, and what lies there, each beside what is on the page now.

    ``verdict`` is the page's sentence (HTML) on its settings; it can be pinned once all of it is computed. The button
    may be pressed when the live part is ahead of this one: what is pinned are the settings of that moment, when done.
    """
    kept = st.session_state.setdefault(f"{desk.page}.pins", [])
    asked = f"{desk.page}.pin.asked"
    there = any(pin.settings == desk.settings for pin in kept)
    if done == 1 and st.session_state.pop(asked, None) == desk.settings and not there:
        kept.append(Pin(desk.settings, verdict))
        there = True
    full = len(kept) >= MOST and not there
    st.button(
        "Pin for comparison",
        key=f"{desk.page}.pin",
        icon=":material/keep:",
        help=f"Keep these settings and what they show, to compare with others: up to {MOST} in this session.",
        disabled=done < 1 or there or full,
        on_click=lambda: st.session_state.update({asked: desk.settings}),
    )
    if kept:
        st.html(f'<div class="lab-note">On the page now:</div><div>{verdict}</div>')
    for place, pin in enumerate(kept):
        _card(desk, kept, place, pin)


def _card(desk: Desk, kept: list[Pin], place: int, pin: Pin) -> None:
    with st.container(border=True):
        others = differences(desk, pin.settings)
        told = "; ".join(f"<b>{name}</b> {then}, now {now}" for name, then, now in others) or "what the page shows now"
        st.html(f'<div class="lab-note">Pinned {place + 1}: {told}.</div><div>{pin.verdict}</div>')
        with st.container(horizontal=True):
            st.button(
                "Go back to it",
                key=f"{desk.page}.pin.{place}.back",
                icon=":material/undo:",
                disabled=not others,
                on_click=desk.take,
                args=(pin.settings,),
            )
            st.button(
                "Remove",
                key=f"{desk.page}.pin.{place}.remove",
                icon=":material/close:",
                on_click=kept.remove,
                args=(pin,),
            )


def differences(desk: Desk, settings: Any) -> list[tuple[str, str, str]]:
    """(label, there, on the page) of each setting that is another on the page now, in the words of its controls."""
    now, then = asdict(desk.settings), asdict(settings)
    return [
        (_label(desk, name), _value(desk, name, then[name]), _value(desk, name, now[name]))
        for name in now
        if now[name] != then[name]
    ]


def _label(desk: Desk, name: str) -> str:
    known: Mapping[str, Any] = KNOBS.get(name, {})
    label = desk.choices[name][0] if name in desk.choices else known.get("label", name.replace("_", " "))
    return escape(label)


def _value(desk: Desk, name: str, value: Any) -> str:
    options = desk.choices[name][1] if name in desk.choices else {}
    return escape(options.get(value, f"{value:.6g}" if isinstance(value, float) else str(value)))
