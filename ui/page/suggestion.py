"""The one move worth making on a page: a card that lights up its slider and goes once the move is
made.
"""

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout

_BOLD = re.compile(r"\*\*(.+?)\*\*")


class Suggestion(NamedTuple):
    """A move of the slider ``slider`` to another value, from ``low`` to ``high``, that the text
    ``ask`` asks for.

    when: whether the move has an effect with these settings.
    """

    slider: str
    ask: str
    low: float = -math.inf
    high: float = math.inf
    when: Callable[[Any], bool] = lambda _: True


def bold(text: str) -> str:
    """Return a text with its emphasis as HTML."""
    return _BOLD.sub(r"<b>\1</b>", text)


def card(
    move: Suggestion | None, state: PageState, shown: SliderLayout
) -> dict[str, object] | None:
    """Show the card until the move is made, where its slider is among those ``shown``, has an
    effect and did not begin at its goal; return what the panel is told of it.

    The browser keeps which cards were made or dismissed, and hides them from then on
    (``suggestion.js``).
    """
    if move is None or state.settings.private or not move.when(state.settings):
        return None
    if move.slider not in (shown.hero, shown.play, *shown.main):
        return None
    key = f"{state.page}.move"
    value = getattr(state.settings, move.slider)
    began = st.session_state.setdefault(f"{key}.from", value)
    if move.low <= began <= move.high and (move.low, move.high) != (-math.inf, math.inf):
        return None  # a link has set the value that the text asks for
    if not state.moving and value != began and move.low <= value <= move.high:
        st.session_state[key] = True
    done = st.session_state.get(key, False)
    if not done:
        dismiss = '<button type="button" class="lab-dismiss" aria-label="Dismiss">×</button>'
        with st.container(key="move"):
            st.html(f'<div class="lab-move"><p>{bold(move.ask)}</p>{dismiss}</div>')
    return {"page": state.page, "slider": move.slider, "done": done}
