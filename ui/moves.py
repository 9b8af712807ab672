"""The one move worth making on a page: a card that lights up its slider and ticks itself off by what was seen."""

import math
import re
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import streamlit as st

from ui.controls import Desk, Knobs
from ui.panels import Number
from ui.plot.theme import written
from ui.texts import SAYS
from ui.vocabulary import KNOBS

_BOLD = re.compile(r"\*\*(.+?)\*\*")


class Move(NamedTuple):
    """A move of the slider ``knob`` to another value, from ``low`` to ``high``, that the text ``ask`` asks for.

    tile: the place of the number among the page's that says what came of it. when: whether the move has an effect with
    these settings.
    """

    knob: str
    ask: str
    low: float = -math.inf
    high: float = math.inf
    tile: int = 0
    when: Callable[[Any], bool] = lambda _: True


def bold(text: str) -> str:
    """Return a text with its emphasis as HTML."""
    return _BOLD.sub(r"<b>\1</b>", text)


def card(move: Move | None, desk: Desk, shown: Knobs, numbers: Sequence[Number]) -> dict[str, object] | None:
    """Show the card where its slider is among those ``shown``, has an effect and did not begin at its goal; return what
    the panel is told of it.

    The browser keeps which cards were made or dismissed, and hides them from then on (``move.js``).
    """
    if move is None or desk.settings.private or not move.when(desk.settings):
        return None
    if move.knob not in (shown.hero, shown.play, *shown.main):
        return None
    key, value = f"{desk.page}.move", getattr(desk.settings, move.knob)
    began = st.session_state.setdefault(f"{key}.from", value)
    if move.low <= began <= move.high and (move.low, move.high) != (-math.inf, math.inf):
        return None  # a link has set the value that the text asks for
    if not desk.moving and value != began and move.low <= value <= move.high:
        label = {**KNOBS[move.knob], **shown.changes.get(move.knob, {})}["label"]
        tile = numbers[move.tile]
        found = {"knob": label.lower(), "at": written(value), "label": tile.label, "value": tile.value}
        st.session_state[key] = SAYS("move.done", **found)
    done = st.session_state.get(key)
    sign, dismiss = "✓" if done else "○", '<button type="button" class="lab-dismiss" aria-label="Dismiss">×</button>'
    text = f'<span aria-hidden="true">{sign}</span><p>{done or bold(move.ask)}</p>'
    with st.container(key="move"):
        st.html(f'<div class="lab-move">{text}{dismiss}</div>')
    return {"page": desk.page, "knob": move.knob, "done": bool(done)}
