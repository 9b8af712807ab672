"""A guess, before anything is shown: typed, dragged on the chart, or chosen; then locked in."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import streamlit as st

from ui import widgets
from ui.charts import guesses, theme
from ui.session.widget_state import set_widget


class Range(NamedTuple):
    """What can be typed: from ``low`` to ``high``, by ``step``, in ``unit``."""

    low: float
    high: float
    step: float
    unit: str = ""

    def near(self, value: float) -> float:
        """Return a value as somebody would type it: of two digits where the range is wide, else a
        whole number of steps.
        """
        wide = self.low > 0 and self.high > 20 * self.low
        typed = float(f"{value:.2g}") if wide else round(round(value / self.step) * self.step, 6)
        return float(min(max(typed, self.low), self.high))


def draft(key: str, said: float | None) -> float | None:
    """Return the number that is in the field, before it is locked in; what was ``said`` before, if
    anything, until then.
    """
    return st.session_state.get(f"{key}.field", said)


def dragged(key: str, axis: Mapping[str, Any], range_: Range) -> None:
    """Take the newest place of the handle into the field; ``axis``: that along which it is
    dragged.
    """
    seen = f"{key}.seen"
    move = widgets.movement(f"{key}.board", after=st.session_state.get(seen, -1))
    if move is None or not isinstance(move.value, str):
        return
    st.session_state[seen] = move.seq
    try:
        up = float(move.value.split(",")[1])
    except (IndexError, ValueError):  # nothing that the chart sends
        return
    value = guesses.value_at(axis, max(-1.0, min(1.0, up)))
    set_widget(f"{key}.field", range_.near(value))


def clicks(axes: Mapping[str, Any], x: float, y: float | None) -> dict[str, Any]:
    """Return what a chart does with a press: the handle goes there, upwards only, from (x, y) or,
    where nothing is guessed yet, from nowhere.
    """
    ends = {name[0]: list(axes[name]["range"]) for name in ("xaxis", "yaxis")}
    drag = {} if y is None else {"drag": {"at": (x, y), "colour": theme.HANDLE, "upright": True}}
    return {"position": "guess", **ends, **drag}


def board(picture: widgets.Chart, key: str) -> None:
    """Show the covered chart."""
    widgets.board(
        [[picture]],
        key=f"{key}.board",
        ack=st.session_state.get(f"{key}.seen", -1),
        name=f"{key}.board",
    )


def number(key: str, range_: Range, said: float | None) -> float | None:
    """Show the field, and return what is in it; None until somebody has touched it, or the
    chart.
    """
    name = f"{key}.field"
    set_widget(name, draft(key, said))
    with st.container(horizontal=True, vertical_alignment="center", key="guess-field"):
        st.html('<span class="lab-guess" aria-hidden="true">My guess</span>', width="content")
        value = st.number_input(
            f"My guess, {range_.unit}" if range_.unit else "My guess",
            float(range_.low),
            float(range_.high),
            value=None,
            key=name,
            step=float(range_.step),
            format="%.6g",
            label_visibility="collapsed",
            width=(
                150 if range_.unit else 175
            ),  # a unit stands beside it; from 180 on a hint covers it
        )
        if range_.unit:
            st.html(
                f'<span class="lab-guess" aria-hidden="true">{range_.unit}</span>', width="content"
            )
    return value


def choice(key: str, label: str, options: Sequence[str], *, said: int | None) -> None:
    """Show a choice of several answers; ``said`` is the position of the one chosen before."""
    name = f"{key}.choice"
    if st.session_state.get(name) is None and said is not None:
        st.session_state[name] = said

    st.radio(
        label,
        range(len(options)),
        index=None,
        key=name,
        format_func=lambda place: options[place],
        label_visibility="collapsed",
    )
