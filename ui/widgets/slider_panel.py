"""The slider panel: live sliders that speak while they move, one movement at a time.

The browser sends one movement and remembers only the newest value that follows. Mounted last in a
fragment, the panel reaches the browser after everything that was drawn. So its `ack` says that the
picture has arrived, and the next
movement goes out: nothing queues, and the picture trails the finger by one redraw at most.
"""

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import streamlit as st

from ui.widgets import assets

LONGEST_TEXT = 64
LARGEST_SEQ = 2**53


@dataclass(frozen=True, kw_only=True)
class Slider:
    """One slider. `low` and `high` are the ends of its range, both reachable; where they are one,
    its value is shown and cannot be moved.

    `step` is the distance between neighbouring stops of a linear slider; `stops` is the number of
    stops in a decade of a logarithmic one. Either says only where the thumb can rest: a value typed
    into the field is taken exactly. `low_note` and `high_note` are the words under the ends ("more
    private", "more accurate"). `symbol` is what formulas call it, shown in brackets after the
    label.

    A slider that can `play` has buttons under its track: it then goes from stop to stop by itself,
    each time the picture has followed and `pace` milliseconds have passed, until its range ends or
    the person moves a slider.
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

    def __post_init__(self) -> None:
        """Refuse a range that no slider can show."""
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low <= self.high):
            raise ValueError(
                f"slider {self.name!r}: the range must be finite, and not from {self.low} to"
                f" {self.high}"
            )
        if self.scale == "log" and self.low <= 0:
            raise ValueError(
                f"slider {self.name!r}: a logarithmic range must begin above 0, not at {self.low}"
            )
        if self.step <= 0 or self.stops <= 0 or self.pace <= 0:
            raise ValueError(f"slider {self.name!r}: step, stops and pace must be positive")


@dataclass(frozen=True, kw_only=True)
class Movement:
    """What the person last did to the panel.

    `value` is a number, not yet judged (it may lie outside the slider's range), or the raw text
    when the person typed something that is not a number. `final` is True once the slider is
    released or an entry is committed. With `page` the panel asks for a run of the whole page. A
    `tick` moves nothing (its name is empty): the panel asks for that, or for the next slice of
    pending work.
    """

    name: str
    value: float | str
    seq: int
    final: bool
    tick: bool
    page: bool = False


def movement(key: str, *, after: int = -1) -> Movement | None:
    """Return the newest movement of the panel with this key; None where its number is not above
    `after`, or a forged message holds something else.

    It stays in the session until the next one, and a run that has another cause reads it again.
    """
    state = st.session_state.get(key)
    sent = state.get("movement") if isinstance(state, Mapping) else None
    read = _read(sent) if isinstance(sent, Mapping) else None
    return read if read and read.seq > after else None


def _read(sent: Mapping[str, Any]) -> Movement | None:
    """Return a movement out of what the browser sent, or None if any part of it is not what a panel
    sends.
    """
    name, value, seq, page = (
        sent.get("name"),
        sent.get("value"),
        sent.get("seq"),
        sent.get("page", False),
    )
    final, tick = (sent.get(flag, "") for flag in ("final", "tick"))
    if (
        type(seq) is not int
        or not 0 <= seq < LARGEST_SEQ
        or {type(final), type(tick), type(page)} != {bool}
    ):
        return None
    if tick:
        return Movement(name="", value=0.0, seq=seq, final=False, tick=True, page=page)
    if not isinstance(name, str) or not 0 < len(name) <= LONGEST_TEXT:
        return None
    if isinstance(value, str):
        value = value[:LONGEST_TEXT]
    elif (
        isinstance(value, bool)
        or not isinstance(value, int | float)
        or not abs(value) <= sys.float_info.max
    ):
        return None
    else:
        value = float(value)
    return Movement(name=name, value=value, seq=seq, final=final, tick=False, page=page)


def panel(
    sliders: Sequence[Slider],
    values: Mapping[str, float],
    *,
    key: str,
    ack: int,
    state: str = "",
    pending: bool = False,
    behind: bool = False,
    rest: float = 1.0,
    progress: float | None = None,
    errors: Mapping[str, str] | None = None,
    marks: Mapping[str, Sequence[tuple[float, str]]] | None = None,
    channel: Mapping[str, Any] | None = None,
    stage: bool = False,
    selectors: bool = False,
    move: Mapping[str, object] | None = None,
    unfolded: bool = False,
) -> None:
    """Show the sliders at `values`; mount it last in the fragment.

    `ack` is the number of the movement (a tick too) that everything drawn belongs to, 0 before the
    first. `session` names the session's state of this page. When that changes, as after a restart,
    the panel sends again what differs from `values`. While work is `pending` and the person does
    nothing, the panel asks for the next slice with a tick; `progress` (0 to 1) is how far it has
    come. Where what stands around the fragment is `behind`, the panel asks for a run of the whole
    page after `rest` seconds without a movement. `errors`: slider -> why its entry was refused;
    `marks`: slider -> values worth a mark on its track, each with a short label. `channel`, the
    page and its settings as a link holds them, lets movements go by the channel first, and to
    Streamlit once they rest. `stage`: the panel is one line for a hall. `selectors`: the page shows
    selectors below the panel while the drawer is open. `unfolded`: it is open, until the person
    closes it. `move`: the card of the page's move (`ui.page.suggestion`).
    """
    data = {
        "sliders": [asdict(slider) for slider in sliders],
        "values": {slider.name: values[slider.name] for slider in sliders},
        "ack": ack,
        "session": state,
        "pending": pending,
        "behind": round(1000 * rest) if behind else 0,
        "progress": progress,
        "errors": dict(errors or {}),
        "marks": {name: [list(mark) for mark in some] for name, some in (marks or {}).items()},
        "channel": channel,
        "stage": stage,
        "selectors": selectors,
        "suggestion": move,
        "unfolded": unfolded,
    }
    assets.mount("sliders", css="sliders/panel.css", key=key, data=data, keeps="movement")
