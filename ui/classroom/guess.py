"""A guess before anything is shown: typed, dragged on the chart, or chosen.

Until then the chart is covered: it has its axes, the known points and the guess, and nothing of the
outcome (``ui.charts.guesses``). The field with the guess has the widget key ``<key>.field``.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from ui import widgets
from ui.charts import guesses, theme
from ui.session.widget_state import set_widget
from ui.text.guess_range import GuessRange

# Width of the field in pixels, without and with a unit beside it. From 180 on a hint covers it.
_WIDTH = 175
_WIDTH_WITH_UNIT = 150
# Number of the last drag that was applied, before there is one.
_NO_DRAG = -1


def draft(key: str, earlier: float | None) -> float | None:
    """Return the number in the field, or the earlier guess if the field is not shown yet."""
    return st.session_state.get(f"{key}.field", earlier)


def apply_drag(key: str, axis: Mapping[str, Any], number_range: GuessRange) -> None:
    """Set the field to the newest position of the handle on the chart.

    Args:
        key: Key of the guess.
        axis: The axis along which the handle is dragged.
        number_range: The numbers that can be typed.
    """
    seen_key = f"{key}.seen"
    move = widgets.movement(f"{key}.board", after=st.session_state.get(seen_key, _NO_DRAG))
    if move is None or not isinstance(move.value, str):
        return
    st.session_state[seen_key] = move.seq
    try:
        position = float(move.value.split(",")[1])
    except (IndexError, ValueError):  # nothing that the chart sends
        return
    value = guesses.value_at(axis, max(-1.0, min(1.0, position)))
    set_widget(f"{key}.field", number_range.nearest(value))


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
    """Show the covered chart, and confirm to the browser the last drag that was applied."""
    last_applied = st.session_state.get(f"{key}.seen", _NO_DRAG)
    widgets.board([[chart]], key=f"{key}.board", ack=last_applied, name=f"{key}.board")


def number(key: str, number_range: GuessRange, earlier: float | None) -> float | None:
    """Show the field, and return its number; None until somebody has touched it or the chart."""
    field = f"{key}.field"
    set_widget(field, draft(key, earlier))
    label = "My guess"
    width = _WIDTH
    if number_range.unit:
        label = f"My guess, {number_range.unit}"
        width = _WIDTH_WITH_UNIT
    with st.container(horizontal=True, vertical_alignment="center", key="guess-field"):
        st.html('<span class="lab-guess" aria-hidden="true">My guess</span>', width="content")
        value = st.number_input(
            label,
            float(number_range.low),
            float(number_range.high),
            value=None,
            key=field,
            step=float(number_range.step),
            format="%.6g",
            label_visibility="collapsed",
            width=width,
        )
        if number_range.unit:
            unit = f'<span class="lab-guess" aria-hidden="true">{number_range.unit}</span>'
            st.html(unit, width="content")
    return value


def choice(key: str, label: str, options: Sequence[str], *, earlier: int | None) -> None:
    """Show the options; ``earlier`` is the index of the one chosen before."""
    field = f"{key}.choice"
    if st.session_state.get(field) is None and earlier is not None:
        st.session_state[field] = earlier
    st.radio(
        label,
        range(len(options)),
        index=None,
        key=field,
        format_func=lambda index: options[index],
        label_visibility="collapsed",
    )
