"""What `movement` makes of the panel's state: a movement, or nothing for whatever else a client may send."""

import pytest
import streamlit as st

from ui.live import Knob, Movement, movement

GOOD = {"name": "epsilon", "value": 1.5, "seq": 7, "final": False, "tick": False}
WRONG = {
    "name": (5, "", "x" * 10_000),
    "value": (None, True, float("nan"), float("inf"), 10**400, [1]),
    "seq": ("7", 7.0, -1, 2**60),
    "final": (1,),
    "tick": ("yes",),
    "page": (1,),
}
FORGED = [None, [], "epsilon", {}, {name: value for name, value in GOOD.items() if name != "final"}]
FORGED += [GOOD | {name: value} for name, values in WRONG.items() for value in values]


@pytest.fixture
def read(monkeypatch):
    """read(state, after) -> the movement that a session with this state under the panel's key would read."""

    def read(state: object, after: int = -1) -> Movement | None:
        monkeypatch.setattr(st, "session_state", {"knobs": state})
        return movement("knobs", after=after)

    return read


def test_a_movement_is_read_as_it_was_sent(read):
    assert read({"movement": GOOD}, after=6) == Movement(**GOOD)
    assert read({"movement": GOOD}, after=7) is None, "it is applied already"
    assert read({"movement": GOOD | {"value": "<b>many</b>" * 99}}).value == ("<b>many</b>" * 99)[:64]
    tick = read({"movement": GOOD | {"tick": True, "final": True}})
    assert tick == Movement(name="", value=0.0, seq=7, final=False, tick=True)
    for change in ({}, {"tick": True}):
        assert [read({"movement": GOOD | change | page}).page for page in ({"page": True}, {})] == [True, False]


def test_forged_state_is_nothing(read):
    states = [*({"movement": sent} for sent in FORGED), None, 3, "x", [GOOD], {}, {"other": GOOD}]
    assert [state for state in states if read(state) is not None] == []


@pytest.mark.parametrize(
    "change",
    [
        {"low": 5, "high": 4},
        {"low": float("nan")},
        {"high": float("inf")},
        {"low": 0, "scale": "log"},
        {"step": 0},
        {"stops": -1},
        {"pace": 0},
    ],
    ids=str,
)
def test_a_knob_that_no_slider_can_show_is_refused(change):
    with pytest.raises(ValueError, match="knob 'k'"):
        Knob(**({"name": "k", "label": "K", "low": 1, "high": 9} | change))
