"""Pins as values: what is kept and shown, and that a link brings back what was pinned, whatever else it holds."""

import gc
import json
import math
import weakref
from dataclasses import asdict
from urllib.parse import parse_qs, urlencode

import pytest

from lab.links import brief
from lab.settings import Settings
from lab.sweep import beside
from pages.classifier.experiment import ClassifierSettings
from pages.hypotheses.experiment import HypothesesSettings
from pages.network.experiment import NetworkSettings
from pages.table import PAGES
from scripts.fuzz_links import HOSTILE as VALUES
from scripts.fuzz_links import links
from tests.app import moved, opened, press, settings_of, text
from tests.hostile import HOSTILE
from ui import controls
from ui.card import PIN
from ui.comparison import knob_words, rows
from ui.controls import LONGEST, from_link
from ui.live import serving
from ui.pins import LONGEST_NAME, MOST, Pin, Pins, called, read
from ui.vocabulary import KNOBS

A, B, C, D = (ClassifierSettings(seed=seed) for seed in (1, 2, 3, 4))
THREE = Pins().add(A, "one").add(B).add(C, "three")


def again(pins: Pins, kind: type[Settings] = ClassifierSettings) -> Pins:
    """The pins after the way through an address."""
    address = urlencode({"pin": pins.texts}, doseq=True)
    found, notices = read(kind, tuple(parse_qs(address).get("pin", ())))
    assert not notices
    return found


def test_newest_pin_is_shown_and_there_is_room_for_a_few():
    assert THREE.ghost == Pin(C, "three")
    assert len(THREE.kept) == MOST
    assert not THREE.takes(D)
    assert THREE.add(D) == THREE
    assert Pins().add(A).add(A, "again") == Pins().add(A)
    assert [THREE.show(place).at for place in (-5, 0, 99)] == [0, 0, 2]
    assert Pins().ghost is None
    named = THREE.rename("  a\nname ~ of~mine\u202e " + "x" * 100)
    assert named.ghost.name == ("a name of mine " + "x" * 100)[:LONGEST_NAME]
    assert called(" \n\t~~ ") == ""
    for pins in (Pins(), Pins().add(A), THREE, THREE.show(0), THREE.show(1), named):
        assert again(pins) == pins


def test_unpinning_shows_another_and_swapping_exchanges_page_and_ghost():
    left = THREE.show(1).unpin()
    assert [pin.settings for pin in left.kept] == [A, C]
    assert left.ghost.settings == A
    assert left.unpin().unpin() == Pins()
    settings, pins = THREE.show(1).swap(D)
    assert settings == B
    assert [pin.settings for pin in pins.kept] == [A, D, C]
    assert pins.ghost == Pin(D)
    assert pins.swap(settings) == (D, THREE.show(1))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_what_is_brief_reads_as_the_whole(page):
    for link in links(page.settings, count=60 if page.name != "network" else 15, seed=2):
        settings, _ = from_link(page.settings, link)
        if settings.private:
            continue
        short = brief(settings)
        assert from_link(page.settings, short) == (settings, [])
        assert short.items() <= {name: str(value) for name, value in asdict(settings).items()}.items()
        assert len(Pin(settings, "x" * LONGEST_NAME).text) < LONGEST


def test_brief_holds_what_a_change_brings_along_as_long_as_the_settings_live():
    """And no longer: they may hold a private file."""
    settings = NetworkSettings().change(dataset="digits").change(dataset="circles", rows=300)
    assert brief(settings).keys() >= {"dataset", "rows"}
    assert from_link(NetworkSettings, brief(settings))[0] == settings
    assert not brief(NetworkSettings())
    gone = weakref.ref(settings)
    del settings
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_pin_takes_a_page_away(page):
    names = [*asdict(page.settings())]
    for place, value in enumerate([*HOSTILE, *VALUES, "x" * 10_000, "~" * 300, "~~", "a~b", "a~b~c~d"]):
        field = names[place % len(names)]
        for pin in (value, f"{value}~{field}~{value}", f"~{value}~{field}~1~{field}~{value}~{value}~3"):
            pins, notices = read(page.settings, (pin,))
            assert again(pins, page.settings) == pins
            assert len(" ".join(notices)) < 2000
            assert all("\n" not in notice for notice in notices)


def test_what_is_ignored_is_said():
    texts = ("b~clip_norm~-3~steps~80", "odd~clip_norm", "gone~knob~3")
    pins, notices = read(ClassifierSettings, texts)
    assert pins.kept == (Pin(ClassifierSettings(steps=80), "b"), Pin(ClassifierSettings(), "gone"))
    ignored = ("`clip_norm=-3` was ignored", "`odd~clip_norm` was ignored", "this page has no such setting")
    assert all(said in notice for said, notice in zip(ignored, notices, strict=True))
    pins, notices = read(ClassifierSettings, tuple(f"{seed}~seed~{seed}" for seed in (1, 1, 2, 3, 5, 6)))
    assert [pin.settings.seed for pin in pins.kept] == [1, 2, 3]
    assert len(notices) == 1
    assert pins.at == 0
    pins, (notice,) = read(HypothesesSettings, ("mine~data~own",))
    assert pins == Pins()
    assert "not pinned" in notice


def mounted(app) -> dict:
    """The data of the panel as the browser reads it."""
    (panel,) = [one for one in app.get("bidi_component") if one.proto.component_name.endswith(".knobs")]
    return json.loads(panel.proto.json)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_page_pins_compares_swaps_and_unpins(page):
    app = opened(page.name)
    desk, pinned = app.session_state[f"{page.name}.desk"], settings_of(app, page.name)
    hero = page.knobs(pinned).hero
    mine, other = getattr(pinned, hero), beside(pinned, hero)[-1]

    def compared(now: float, then: float) -> bool:
        label, shown = knob_words(hero, now, page.sliders(pinned).changes)
        row = rows([(label, shown, knob_words(hero, then, {})[1], "")])
        return row in text(app) and mounted(app)["marks"] == {hero: [[then, "B"]]}

    press(app, PIN)
    assert mounted(app)["marks"] == {}
    assert next(one for one in app.button if one.label == "Pin").disabled
    moved(app, page.name, hero, other)
    assert compared(other, mine)
    press(app, "Swap")
    assert settings_of(app, page.name) == pinned
    assert compared(mine, other)
    press(app, "Unpin")
    assert mounted(app)["marks"] == {}
    assert not desk.pins
    assert settings_of(app, page.name) == pinned
    assert not app.exception
    for name in set(KNOBS) - set(pinned.limits):  # one that has no limits, such as a method, is no knob of the page
        assert controls.moved(pinned, name, 1.0) == (pinned, {})


@pytest.mark.parametrize("value", [knob_words, object(), {1, 2}, math.nan, math.inf])
def test_data_that_is_not_json_is_not_mounted(value):
    with pytest.raises((TypeError, ValueError), match="not JSON (serializable|compliant)"):
        serving.mount("knobs", data={"marks": [value]}, key="any")
