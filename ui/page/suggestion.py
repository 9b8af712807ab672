"""Suggest the one movement worth making on a page.

A card asks for it and lights up its slider, and goes once the movement is made.
"""

import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import streamlit as st

from ui.session.page_state import PageState
from ui.session.slider_layout import SliderLayout

_BOLD = re.compile(r"\*\*(.+?)\*\*")


def _always(_: Any) -> bool:
    return True


class Suggestion(NamedTuple):
    """A suggested movement of a slider to another value.

    Attributes:
        slider: The field.
        ask: The text that asks for the movement, with its emphasis in markdown.
        low: The lowest value at which the movement is made.
        high: The highest one.
        when: Tells whether the movement has an effect with given settings.
    """

    slider: str
    ask: str
    low: float = -math.inf
    high: float = math.inf
    when: Callable[[Any], bool] = _always

    def is_reached(self, value: float) -> bool:
        """Return whether the movement is made at this value."""
        return self.low <= value <= self.high


def bold_html(text: str) -> str:
    """Return a text with its emphasis as HTML."""
    return _BOLD.sub(r"<b>\1</b>", text)


def suggestion_card(
    suggestion: Suggestion | None, state: PageState, layout: SliderLayout
) -> dict[str, object] | None:
    """Show the card until the movement is made, and return what the slider panel is told of it.

    Show and return nothing where the slider is not in sight, the movement has no effect, or the
    slider began where the text asks for. The browser keeps which cards were made or dismissed, and
    hides them from then on (``suggestion.js``).
    """
    if suggestion is None or state.settings.uses_file or not suggestion.when(state.settings):
        return None
    if suggestion.slider not in (layout.hero, layout.play, *layout.main):
        return None
    value = getattr(state.settings, suggestion.slider)
    done_key = f"{state.page}.move"
    first_value = st.session_state.setdefault(f"{done_key}.from", value)
    has_goal = (suggestion.low, suggestion.high) != (-math.inf, math.inf)
    if has_goal and suggestion.is_reached(first_value):
        # A link has set the value that the text asks for.
        return None
    if not state.moving and value != first_value and suggestion.is_reached(value):
        st.session_state[done_key] = True
    done = st.session_state.get(done_key, False)
    if not done:
        dismiss = '<button type="button" class="lab-dismiss" aria-label="Dismiss">×</button>'
        with st.container(key="move"):
            st.html(f'<div class="lab-move"><p>{bold_html(suggestion.ask)}</p>{dismiss}</div>')
    return {"page": state.page, "slider": suggestion.slider, "done": done}
