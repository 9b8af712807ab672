"""Every page can be pinned, compared, swapped and unpinned, and what it mounts is what its components read."""

import json
import math

import pytest
from streamlit.testing.v1 import AppTest

from lab.sweep import beside
from pages import table
from tests.app import opened
from ui.controls import knob
from ui.live import serving
from ui.vocabulary import KNOBS

PAGES = {page.name: page for page in table.PAGES}


def desk_of(app: AppTest, page: str):
    return app.session_state[f"{page}.desk"]


def press(app: AppTest, page: str, label: str) -> AppTest:
    return app.button(key=f"{page}/{label}").click().run()


def moved(app: AppTest, page: str, name: str, value: float) -> AppTest:
    sent = {"name": name, "value": value, "seq": desk_of(app, page).ack + 1, "final": True, "tick": False}
    app.session_state[f"{page}.knobs"] = {"movement": sent}
    return app.run()


def mounted(app: AppTest) -> dict:
    """Return the data of the panel as the browser reads it."""
    (panel,) = [one for one in app.get("bidi_component") if one.proto.component_name.endswith(".knobs")]
    return json.loads(panel.proto.json)


@pytest.mark.parametrize("name", PAGES)
def test_pin_compare_swap_unpin(name):
    app = opened(name)
    pinned = desk_of(app, name).settings
    hero = PAGES[name].knobs(pinned).hero
    press(app, name, "pin")
    assert mounted(app)["marks"] == {}
    other = beside(pinned, hero)[-1]
    moved(app, name, hero, other)
    assert mounted(app)["values"][hero] == other
    assert mounted(app)["marks"] == {hero: [[getattr(pinned, hero), "B"]]}
    assert desk_of(app, name).pins
    press(app, name, "swap")
    assert desk_of(app, name).settings == pinned
    assert mounted(app)["marks"] == {hero: [[other, "B"]]}
    press(app, name, "unpin")
    assert mounted(app)["marks"] == {}
    assert not desk_of(app, name).pins
    assert not app.exception


@pytest.mark.parametrize("name", PAGES)
def test_a_link_with_a_pin_marks_the_knobs_that_differ(name):
    start = PAGES[name].settings()
    hero = PAGES[name].knobs(start).hero
    other = beside(start, hero)[-1]
    app = opened(name, pin=f"~B~{hero}~{other}")
    assert mounted(app)["marks"] == {hero: [[other, "B"]]}
    assert [one["name"] for one in mounted(app)["knobs"]]
    assert not app.exception


@pytest.mark.parametrize("name", PAGES)
def test_only_fields_with_limits_can_be_moved(name):
    """A name that a settings class uses for something else, such as a method, is no knob of the page."""
    app = opened(name)
    before = desk_of(app, name).settings
    for other in set(KNOBS) - set(before.limits):
        moved(app, name, other, 1.0)
        assert desk_of(app, name).settings == before
        assert not desk_of(app, name).errors
    assert not app.exception


@pytest.mark.parametrize("value", [knob, object(), {1, 2}])
def test_data_that_is_not_json_is_not_mounted(value):
    with pytest.raises(TypeError, match="not JSON serializable"):
        serving.mount("knobs", data={"marks": [value]}, key="any")


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_a_number_that_json_does_not_have_is_not_mounted(value):
    with pytest.raises(ValueError, match="not JSON compliant"):
        serving.mount("knobs", data={"values": {"epsilon": value}}, key="any")
