"""What `movement` makes of the panel's state: a movement, or nothing for whatever else a client may send."""

import pytest
import streamlit as st

from ui.live import Knob, Movement, movement

GOOD = {"name": "epsilon", "value": 1.5, "seq": 7, "final": False, "tick": False}
FORGED = [
    None,
    [],
    "epsilon",
    {},
    GOOD | {"name": 5},
    GOOD | {"name": ""},
    GOOD | {"name": "x" * 10_000},
    GOOD | {"value": None},
    GOOD | {"value": True},
    GOOD | {"value": float("nan")},
    GOOD | {"value": float("inf")},
    GOOD | {"value": 10**400},
    GOOD | {"value": [1]},
    GOOD | {"seq": "7"},
    GOOD | {"seq": 7.0},
    GOOD | {"seq": -1},
    GOOD | {"seq": 2**60},
    GOOD | {"final": 1},
    GOOD | {"tick": "yes"},
    GOOD | {"tick": True, "page": 1},
    {name: value for name, value in GOOD.items() if name != "final"},
]


def read(monkeypatch: pytest.MonkeyPatch, state: object, after: int = -1) -> Movement | None:
    """The movement that a session with this state under the panel's key would read."""
    monkeypatch.setattr(st, "session_state", {"knobs": state})
    return movement("knobs", after=after)


def test_a_movement_is_read_as_it_was_sent(monkeypatch):
    assert read(monkeypatch, {"movement": GOOD}, after=6) == Movement(**GOOD)
    assert read(monkeypatch, {"movement": GOOD}, after=7) is None, "it is applied already"
    assert read(monkeypatch, {"movement": GOOD | {"value": 3}}) == Movement(**(GOOD | {"value": 3.0}))
    text = read(monkeypatch, {"movement": GOOD | {"value": "<b>many</b>" * 99}})
    assert text.value == ("<b>many</b>" * 99)[:64]
    tick = read(monkeypatch, {"movement": GOOD | {"tick": True, "final": True}})
    assert tick == Movement(name="", value=0.0, seq=7, final=False, tick=True)


@pytest.mark.parametrize("change", [{}, {"value": "many"}, {"tick": True}], ids=str)
def test_a_movement_and_a_tick_may_ask_for_the_whole_page(monkeypatch, change):
    assert read(monkeypatch, {"movement": GOOD | change | {"page": True}}).page
    assert not read(monkeypatch, {"movement": GOOD | change}).page


@pytest.mark.parametrize("sent", FORGED, ids=str)
def test_forged_state_is_nothing(monkeypatch, sent):
    assert read(monkeypatch, {"movement": sent}) is None


@pytest.mark.parametrize("state", [None, 3, "x", [GOOD], {}, {"other": GOOD}], ids=str)
def test_a_session_without_a_panel_has_no_movement(monkeypatch, state):
    assert read(monkeypatch, state) is None


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
