"""A page that uses both live widgets in the way that every page does; the browser tests drive it.

Query parameters shape it: `work` (milliseconds of work per run), `slices` (pieces of pending work after a
movement).
"""

from __future__ import annotations

import json
import time

import numpy as np
import plotly.graph_objects as go
import streamlit as st

from ui.live import Knob, Picture, board, movement, panel

KNOBS = [
    Knob(name="epsilon", label="Epsilon", low=0.01, high=100, scale="log", group="hero",
         help="The privacy loss. A small epsilon hides each person better.",
         low_note="more private", high_note="more accurate"),
    Knob(name="delta", label="Delta", low=1e-9, high=1e-2, scale="log", stops=10),
    Knob(name="sources", label="Sources", low=1, high=50, whole=True, unit="parties"),
    Knob(name="clip", label="Clipping bound", low=0.1, high=10, step=0.1, group="more"),
]  # fmt: skip
START = {"epsilon": 1.0, "delta": 1e-5, "sources": 10, "clip": 1.0}
X = np.linspace(0, 1, 200, dtype="f4")
MARGIN = {"l": 40, "r": 10, "t": 10, "b": 30}


def lines(epsilon: float) -> go.Figure:
    """A line with its band, which moves with epsilon."""
    y = (1 - np.exp(-X * (1 + epsilon))).astype("f4")
    edge = np.r_[y + 0.1, y[::-1] - 0.1]
    band = go.Scatter(x=np.r_[X, X[::-1]], y=edge, fill="toself", line_width=0, name="spread")
    figure = go.Figure([band, go.Scatter(x=X, y=y, name="median", line_color="#0072b2")])
    figure.update_layout(template="none", margin=MARGIN, yaxis_range=[-0.2, 1.2], meta={"epsilon": epsilon})
    return figure


def regions(epsilon: float) -> go.Figure:
    """A straight boundary, which turns with epsilon."""
    turn = np.log10(epsilon)
    figure = go.Figure(go.Scatter(x=[-np.cos(turn), np.cos(turn)], y=[-np.sin(turn), np.sin(turn)], mode="lines"))
    figure.update_layout(template="none", showlegend=False, margin=MARGIN, meta={"epsilon": epsilon})
    figure.update_layout(xaxis_range=[-1, 1], yaxis_range=[-1, 1])
    return figure


def show(figure: go.Figure, name: str, alt: str) -> None:
    """A board of one chart."""
    plain = json.loads(figure.to_json(validate=False))
    board([[Picture(name=name, figure=plain, alt=alt)]], key=name)


def judge(name: str, value: float | str) -> str:
    """The sentence that refuses an entry, or nothing if it may stand."""
    knob = next(knob for knob in KNOBS if knob.name == name)
    if isinstance(value, str):
        return f"{knob.label} must be a number, not “{value}”."
    if not knob.low <= value <= knob.high:
        return f"{knob.label} must lie between {knob.low:g} and {knob.high:g}."
    return ""


def number(name: str, otherwise: int) -> int:
    """A whole number from the address."""
    text = st.query_params.get(name, "")
    return int(text) if text.isdecimal() else otherwise


def take(move) -> None:
    """Apply a movement to the settings that this session keeps."""
    state = st.session_state
    if move.tick:
        state.left = max(0, state.left - 1)
        return
    if move.name not in START:
        return
    state.errors = {name: text for name, text in state.errors.items() if name != move.name}
    if sentence := judge(move.name, move.value):
        state.errors[move.name] = sentence
        return
    state.settings = state.settings | {move.name: move.value}
    state.left = number("slices", 0)
    if move.final:
        st.query_params[move.name] = f"{move.value:g}"


@st.fragment
def live() -> None:
    """The whole live part: movement first, pictures next, panel last."""
    state = st.session_state
    place = st.container()
    move = movement("knobs", after=state.seq)
    if move:
        take(move)
        state.seq = move.seq
    state.runs += 1
    time.sleep(number("work", 0) / 1000)
    epsilon = state.settings["epsilon"]
    sources = state.settings["sources"]
    st.text(f"Drawn for epsilon {epsilon!r} sources {sources!r} left {state.left} run {state.runs}")
    for place_of_chart, figure in zip(st.columns(2), (regions, lines), strict=True):
        with place_of_chart:
            show(figure(epsilon), figure.__name__, f"Demo {figure.__name__} for epsilon {epsilon:g}")
    slices = max(1, number("slices", 0))
    with place:
        panel(
            KNOBS, state.settings, key="knobs", ack=max(0, state.seq), pending=state.left > 0,
            progress=1 - state.left / slices, errors=state.errors, marks={"epsilon": [(3.0, "pinned")]},
        )  # fmt: skip


st.set_page_config(page_title="Live widgets", layout="wide")
for name, value in {"settings": START, "errors": {}, "left": 0, "seq": -1, "runs": 0}.items():
    st.session_state.setdefault(name, value)
st.title("Live widgets")
if st.button("Preset"):
    st.session_state.settings = st.session_state.settings | {"epsilon": 10.0}
live()
