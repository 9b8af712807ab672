"""The page of the attack as a script: every part opens, clicks are judged, and no audit proves anything."""

import pytest

from pages.attack.experiment import AttackSettings
from pages.attack.parameters import PARTS
from tests.app import opened, settings_of, text

PAGE = "attack"
QUICK = {"repeats": "100", "steps": "3"}


def sent(app, key, name, value):
    desk = app.session_state["attack.desk"]
    seq = max(desk.ack, desk.clicked) + 1
    app.session_state[key] = {"movement": {"name": name, "value": value, "seq": seq, "final": True, "tick": False}}
    return app.run()


@pytest.mark.parametrize("part", PARTS)
def test_every_part_opens_and_proves_nothing(part):
    app = opened(PAGE, part=part, **QUICK)
    assert not app.exception
    assert not app.warning
    said = text(app)
    assert "proved private" not in said
    assert "never proves one" in said or part in ("pays", "inversion")


def test_a_click_is_a_person_and_a_place_is_an_outlier_and_each_is_applied_once():
    app = sent(opened(PAGE, **QUICK), "attack.board", "person", 17)
    assert (settings_of(app, PAGE).who, settings_of(app, PAGE).person) == ("row", 17)
    app = sent(app, "attack.knobs", "person", 3)
    app.run()
    assert settings_of(app, PAGE).person == 3
    app = sent(app, "attack.board", "spot", "0.25,-0.5")
    meant = settings_of(app, PAGE)
    assert (meant.who, meant.person_x, meant.person_y) == ("outlier", 0.25, -0.5)
    assert "person_x" in str(app.query_params)


@pytest.mark.parametrize(
    ("name", "value"), [("person", 4000), ("person", "abc"), ("spot", "far"), ("epsilon", 9.0), ("change", 1)]
)
def test_a_forged_click_changes_nothing(name, value):
    app = sent(opened(PAGE, **QUICK), "attack.board", name, value)
    assert not app.exception
    assert settings_of(app, PAGE) == AttackSettings(repeats=100, steps=3)
