"""A page with a knob that plays, and what stands around the live part follows once it rests, as on every page.

Query parameters shape it: `work` (milliseconds of work per run), `last` (where the knob's range ends), `pace`. There is
no channel.
"""

from __future__ import annotations

import time

import numpy as np
import streamlit as st

from ui.live import Knob, Picture, board, movement, panel

X = np.linspace(0, 1, 100)


def number(name: str, otherwise: int) -> int:
    """A whole number from the address."""
    text = st.query_params.get(name, "")
    return int(text) if text.isdecimal() else otherwise


def last() -> int:
    """Where the training ends; above an epsilon of 10 it is half as long."""
    return number("last", 30) // (2 if st.session_state.epsilon > 10 else 1)


def knobs() -> list[Knob]:
    """Epsilon, and the step to look at."""
    help_ = "Which moment of the training the picture shows."
    return [
        Knob(name="epsilon", label="Epsilon", low=0.1, high=100, scale="log", group="hero",
             low_note="more private", high_note="more accurate"),
        Knob(name="shown", label="Step shown", low=0, high=last(), whole=True, group="play", play=True,
             pace=number("pace", 50), help=help_),
        Knob(name="rate", label="Learning rate", low=0.01, high=10, scale="log"),
    ]  # fmt: skip


def take(move) -> None:
    """Apply a movement; once the live part rests, run the whole page."""
    state = st.session_state
    state.seq = move.seq
    if move.tick:
        st.rerun()
    state[move.name] = move.value
    state.shown = min(state.shown, last())


def picture(shown: float) -> Picture:
    """The curve, where the training stands at this moment."""
    layout = {"yaxis": {"range": [-1.1, 1.1]}, "xaxis": {"range": [0, 1]}, "meta": {"shown": shown}}
    figure = {"data": [{"type": "scatter", "x": X, "y": np.sin(6 * X * shown / last())}], "layout": layout}
    return Picture(name="curve", figure=figure, alt=f"Curve at step {shown:g}")


@st.fragment
def live() -> None:
    """The live part."""
    state = st.session_state
    place = st.container()
    move = movement("knobs", after=state.seq)
    if move:
        take(move)
    state.runs += 1
    time.sleep(number("work", 0) / 1000)
    st.text(f"Drawn for step {state.shown:g} epsilon {state.epsilon:g} run {state.runs}")
    board([[picture(state.shown)]], key="curve")
    here = (state.epsilon, state.shown, state.rate)
    with place:
        panel(
            knobs(), dict(zip(("epsilon", "shown", "rate"), here, strict=True)), key="knobs", ack=max(0, state.seq),
            behind=state.told != here,
        )  # fmt: skip


st.set_page_config(page_title="A knob that plays", layout="wide")
START = {"epsilon": 1.0, "shown": 0.0, "rate": 1.0, "seq": -1, "runs": 0, "pages": 0, "told": None}
for name, value in START.items():
    st.session_state.setdefault(name, value)
st.title("A knob that plays")
if st.button("Preset"):
    st.session_state.shown = 3.0
st.session_state.told = tuple(st.session_state[name] for name in ("epsilon", "shown", "rate"))
live()
st.session_state.pages += 1
st.caption(f"Around it: step {st.session_state.shown:g}, page {st.session_state.pages}")
