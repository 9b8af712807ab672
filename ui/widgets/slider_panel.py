"""Show live sliders that send one movement at a time.

The browser sends one movement, and remembers only the newest value that follows. Mounted last in a
fragment, the panel reaches the browser after everything that was drawn. So its ``ack`` says that
the charts have arrived, and the next movement is sent. Nothing queues, and the charts trail the
finger by one redraw at most.
"""

import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import streamlit as st

# Limits of a message: characters of a name or a value, and the number of a movement.
LONGEST_TEXT = 64
LARGEST_SEQ = 2**53


@dataclass(frozen=True, kw_only=True)
class Slider:
    """One slider.

    Attributes:
        name: The field of the settings.
        label: Its name on the page.
        low: The lowest value of its range.
        high: The highest one. If both are equal, the value is shown and cannot be moved.
        scale: How values are spread along the track.
        step: The distance between neighbouring stops of a linear slider. Stops are where the thumb
            rests; a typed value is taken exactly.
        stops: The number of stops in a decade of a logarithmic slider.
        whole: Whether values are whole numbers.
        unit: Stands behind the value.
        help: Explains the slider.
        symbol: Its symbol in formulas, shown in brackets after the label.
        low_note: Stands under the low end, such as "more private".
        high_note: Stands under the high end.
        group: Where it stands in the panel.
        play: Whether it can play: it then goes from stop to stop by itself, until its range ends
            or the person moves a slider.
        pace: The least milliseconds between two stops while it plays.
    """

    name: str
    label: str
    low: float
    high: float
    scale: Literal["linear", "log"] = "linear"
    step: float = 1.0
    stops: int = 50
    whole: bool = False
    unit: str = ""
    help: str = ""
    symbol: str = ""
    low_note: str = ""
    high_note: str = ""
    group: Literal["hero", "play", "main", "more"] = "main"
    play: bool = False
    pace: int = 50


@dataclass(frozen=True, kw_only=True)
class Movement:
    """What the person last did to the panel.

    Attributes:
        name: The slider that was moved, "" for a tick.
        value: A number, which may lie outside of the range, or the text that was typed instead.
        seq: The number of the movement.
        final: Whether the slider was released, or an entry committed.
        tick: Whether nothing was moved: the panel asks for the next slice of work.
        page: Whether the panel asks for a run of the whole page.
    """

    name: str
    value: float | str
    seq: int
    final: bool
    tick: bool
    page: bool = False


def movement(key: str, *, after: int = -1) -> Movement | None:
    """Return the newest movement of the panel with this key.

    Return None if its number is not above ``after``, or if a forged message holds something else.
    The movement stays in the session until the next one, and a run with another cause reads it
    again.
    """
    state = st.session_state.get(key)
    if not isinstance(state, Mapping):
        return None
    sent = state.get("movement")
    if not isinstance(sent, Mapping):
        return None
    newest = _parse_movement(sent)
    if newest is None or newest.seq <= after:
        return None
    return newest


def _parse_movement(sent: Mapping[str, Any]) -> Movement | None:
    """Return the movement in a browser's message, or None if no panel sends such a message."""
    seq = sent.get("seq")
    final = sent.get("final")
    tick = sent.get("tick")
    page = sent.get("page", False)
    if type(seq) is not int or not 0 <= seq < LARGEST_SEQ:
        return None
    if type(final) is not bool or type(tick) is not bool or type(page) is not bool:
        return None
    if tick:
        return Movement(name="", value=0.0, seq=seq, final=False, tick=True, page=page)
    name = sent.get("name")
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_TEXT:
        return None
    value = _parse_value(sent.get("value"))
    if value is None:
        return None
    return Movement(name=name, value=value, seq=seq, final=final, tick=False, page=page)


def _parse_value(value: Any) -> float | str | None:
    """Return a text cut to its limit, or a finite number, or None for anything else."""
    if isinstance(value, str):
        return value[:LONGEST_TEXT]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    # Written so that NaN, which compares as False, is refused.
    if not abs(value) <= sys.float_info.max:
        return None
    return float(value)
