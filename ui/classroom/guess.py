"""A guess before anything is shown: typed, dragged on the chart, or chosen."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from ui import widgets
from ui.charts import guesses, theme
from ui.session.widget_state import set_widget

# A range is wide if its ends differ by more than this factor; in it one guesses two digits.
_WIDE_FACTOR = 20
# Width of the field in pixels, without and with a unit beside it. From 180 on a hint covers it.
_WIDTH = 175
_WIDTH_WITH_UNIT = 150


class Range(NamedTuple):
    """The numbers that can be typed: from ``low`` to ``high``, by ``step``, in ``unit``."""

    low: float
    high: float
    step: float
    unit: str = ""

    def near(self, value: float) -> float:
        """Round a value as one would type it: to two digits in a wide range, else to a step."""
        if self.low > 0 and self.high > _WIDE_FACTOR * self.low:
            typed = float(f"{value:.2g}")
        else:
            typed = round(round(value / self.step) * self.step, 6)
        return float(min(max(typed, self.low), self.high))


def draft(key: str, said: float | None) -> float | None:
    """Return the number in the field, or the earlier guess ``said`` if the field is not there."""
    return st.session_state.get(f"{key}.field", said)


def dragged(key: str, axis: Mapping[str, Any], range_: Range) -> None:
    """Set the field to the newest position of the handle.

    Args:
        key: Key of the guess.
        axis: The axis along which the handle is dragged.
        range_: The numbers that can be typed.
    """
    seen_key = f"{key}.seen"
    move = widgets.movement(f"{key}.board", after=st.session_state.get(seen_key, -1))
    if move is None or not isinstance(move.value, str):
        return
    st.session_state[seen_key] = move.seq
    try:
        position = float(move.value.split(",")[1])
    except (IndexError, ValueError):  # nothing that the chart sends
        return
    value = guesses.value_at(axis, max(-1.0, min(1.0, position)))
    set_widget(f"{key}.field", range_.near(value))


def clicks(axes: Mapping[str, Any], x: float, y: float | None) -> dict[str, Any]:
    """Return what a chart does with a press: it moves the handle there, along the vertical axis.

    Args:
        axes: Layout with both axes.
        x: Position of the handle.
        y: Height of the handle; None before there is a guess.
    """
    actions: dict[str, Any] = {
        "position": "guess",
        "x": list(axes["xaxis"]["range"]),
        "y": list(axes["yaxis"]["range"]),
    }
    if y is not None:
        actions["drag"] = {"at": (x, y), "colour": theme.HANDLE, "upright": True}
    return actions


def board(chart: widgets.Chart, key: str) -> None:
    """Show the covered chart."""
    widgets.board(
        [[chart]],
        key=f"{key}.board",
        ack=st.session_state.get(f"{key}.seen", -1),
        name=f"{key}.board",
    )


def number(key: str, range_: Range, said: float | None) -> float | None:
    """Show the field, and return its number; None until somebody has touched it or the chart."""
    field = f"{key}.field"
    set_widget(field, draft(key, said))
    label = "My guess"
    width = _WIDTH
    if range_.unit:
        label = f"My guess, {range_.unit}"
        width = _WIDTH_WITH_UNIT
    with st.container(horizontal=True, vertical_alignment="center", key="guess-field"):
        st.html('<span class="lab-guess" aria-hidden="true">My guess</span>', width="content")
        value = st.number_input(
            label,
            float(range_.low),
            float(range_.high),
            value=None,
            key=field,
            step=float(range_.step),
            format="%.6g",
            label_visibility="collapsed",
            width=width,
        )
        if range_.unit:
            unit = f'<span class="lab-guess" aria-hidden="true">{range_.unit}</span>'
            st.html(unit, width="content")
    return value


def choice(key: str, label: str, options: Sequence[str], *, said: int | None) -> None:
    """Show the options; ``said`` is the index of the one chosen before."""
    field = f"{key}.choice"
    if st.session_state.get(field) is None and said is not None:
        st.session_state[field] = said
    st.radio(
        label,
        range(len(options)),
        index=None,
        key=field,
        format_func=lambda index: options[index],
        label_visibility="collapsed",
    )
