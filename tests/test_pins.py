"""Settings that are put aside on a page, compared with what it shows now, and taken again."""

import re

import pytest

from pages.classifier.experiment import ClassifierSettings
from tests.test_pages import CLASSIFIER, at_rest, moved, opened, settings_of, text
from ui.controls import Desk
from ui.pins import MOST, differences

PIN = "Pin for comparison"


def button(app, label: str, place: int = 0):
    return [one for one in app.button if one.label == label][place]


@pytest.fixture
def quick():
    return at_rest(opened(CLASSIFIER, repeats="2", steps="5"), "classifier")


def test_a_pin_keeps_what_was_shown_and_says_what_differs(quick):
    button(quick, PIN).click().run()
    assert "Pinned 1: what the page shows now." in text(quick)
    assert button(quick, PIN).disabled
    said = re.search(r'class="lab-verdict"[^>]*>(.*?)</div>', text(quick)).group(1)
    at_rest(moved(quick, "epsilon", 2.5), "classifier")
    assert "<b>Epsilon</b> 0.5, now 2.5." in text(quick)
    assert f"<div>{said}</div>" in text(quick), "the sentence on the pinned settings"
    assert said not in re.findall(r'class="lab-verdict"[^>]*>(.*?)</div>', text(quick))


def test_a_pin_waits_for_the_work_and_is_of_what_the_page_then_says(quick):
    desk = quick.session_state["classifier.desk"]
    desk.settings = desk.settings.change(epsilon=2.5, repeats=48, steps=400)  # the live part is ahead of the page
    button(quick, PIN).click().run()
    assert not quick.session_state["classifier.pins"], "not while the sentence is of half of the work"
    (pin,) = at_rest(quick, "classifier").session_state["classifier.pins"]
    assert pin.settings == desk.settings
    assert f"<div>{pin.verdict}</div>" in text(quick)
    assert "Pinned 1: what the page shows now." in text(quick)


def test_settings_that_are_pinned_already_are_not_pinned_twice(quick):
    desk = quick.session_state["classifier.desk"]
    button(quick, PIN).click().run()
    pinned = desk.settings
    at_rest(moved(quick, "epsilon", 2.5), "classifier")
    desk.settings = pinned  # the live part is back where it was, and the page not yet
    button(quick, PIN).click().run()
    assert [pin.settings for pin in quick.session_state["classifier.pins"]] == [pinned]


def test_a_pin_that_was_moved_away_from_is_forgotten(quick):
    desk = quick.session_state["classifier.desk"]
    desk.settings = desk.settings.change(repeats=48, steps=400, seed=77)
    button(quick, PIN).click().run()
    at_rest(moved(quick, "epsilon", 2.5), "classifier")
    assert not quick.session_state["classifier.pins"]


def test_going_back_takes_all_settings_and_forgets_a_refusal(quick):
    before = settings_of(quick)
    button(quick, PIN).click().run()
    moved(moved(moved(quick, "epsilon", 2.5), "seed", 11), "steps", -3)
    at_rest(quick, "classifier")
    assert settings_of(quick) != before
    assert "cannot be -3" in str(quick.session_state["classifier.desk"].errors)
    button(quick, "Go back to it").click().run()
    assert settings_of(quick) == before
    assert not quick.session_state["classifier.desk"].errors
    assert quick.query_params["epsilon"] in ("0.5", ["0.5"])


def test_pins_are_few_and_each_can_be_removed(quick):
    for seed in range(1, MOST + 1):
        at_rest(moved(quick, "seed", seed), "classifier")
        button(quick, PIN).click().run()
    at_rest(moved(quick, "seed", 99), "classifier")
    assert button(quick, PIN).disabled
    button(quick, "Remove", 1).click().run()
    assert not button(quick, PIN).disabled
    assert [pin.settings.seed for pin in quick.session_state["classifier.pins"]] == [1, 3, 4]


def test_differences_speak_as_the_controls_do():
    desk = Desk(page="classifier", settings=ClassifierSettings(epsilon=2.0, dataset="moons"))
    desk.choices["dataset"] = "Data", {"moons": "Two <moons>", "blobs": "Blobs"}
    told = differences(desk, ClassifierSettings(epsilon=0.123456789, dataset="blobs", version="published"))
    assert ("Data", "Blobs", "Two &lt;moons&gt;") in told
    assert ("Epsilon", "0.123457", "2") in told
    assert [label for label, *_ in told if label == "version"], "a field without a control has its own name"
    assert differences(desk, desk.settings) == []
