"""Pins as values: what is kept and shown, and that a link brings back what was pinned, whatever else it holds."""

import gc
import weakref
from dataclasses import asdict
from urllib.parse import parse_qs, urlencode

import pytest

from lab.links import brief
from lab.settings import Settings
from pages.classifier.experiment import ClassifierSettings
from pages.hypotheses.experiment import HypothesesSettings
from pages.network.experiment import NetworkSettings
from pages.table import PAGES
from scripts.fuzz_links import HOSTILE as VALUES
from scripts.fuzz_links import links
from tests.hostile import HOSTILE
from ui.controls import LONGEST, from_link
from ui.pins import LONGEST_NAME, MOST, Pin, Pins, called, read

A, B, C, D = (ClassifierSettings(seed=seed) for seed in (1, 2, 3, 4))
THREE = Pins().add(A, "one").add(B).add(C, "three")


def again(pins: Pins, kind: type[Settings] = ClassifierSettings) -> Pins:
    """The pins after the way through an address."""
    address = urlencode({"pin": pins.texts}, doseq=True)
    found, notices = read(kind, tuple(parse_qs(address).get("pin", ())))
    assert not notices
    return found


def test_the_newest_is_shown_and_there_is_room_for_a_few():
    assert THREE.ghost == Pin(C, "three")
    assert len(THREE.kept) == MOST
    assert not THREE.takes(D)
    assert THREE.add(D) == THREE
    assert THREE.show(0).ghost == Pin(A, "one")
    assert [THREE.show(place).at for place in (-5, 99)] == [0, 2]
    assert Pins().ghost is None


def test_the_same_settings_are_pinned_once():
    assert Pins().add(A).add(A, "again") == Pins().add(A)


def test_unpinning_shows_another_as_long_as_there_is_one():
    left = THREE.show(1).unpin()
    assert [pin.settings for pin in left.kept] == [A, C]
    assert left.ghost.settings == A
    assert left.unpin().unpin() == Pins()


def test_to_swap_makes_the_ghost_the_page_and_the_page_the_ghost():
    settings, pins = THREE.show(1).swap(D)
    assert settings == B
    assert [pin.settings for pin in pins.kept] == [A, D, C]
    assert pins.ghost == Pin(D)
    assert pins.swap(settings) == (D, THREE.show(1))


def test_a_name_is_short_and_on_one_line():
    named = THREE.rename("  a\nname ~ of~mine\u202e " + "x" * 100)
    assert named.ghost.name == ("a name of mine " + "x" * 100)[:LONGEST_NAME]
    assert again(named) == named


@pytest.mark.parametrize("pins", [Pins(), Pins().add(A), THREE, THREE.show(0), THREE.show(1)])
def test_a_link_brings_back_what_was_pinned_and_which_is_shown(pins):
    assert again(pins) == pins


def test_a_link_holds_what_differs_from_the_defaults():
    assert Pins().add(ClassifierSettings()).texts == ("~",)
    assert Pins().add(ClassifierSettings(clip_norm=2.0, steps=80), "long").texts == ("~long~clip_norm~2.0~steps~80",)
    assert len(urlencode({"pin": Pins().add(ClassifierSettings(clip_norm=2.0)).texts}, doseq=True)) < 30


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


def test_a_change_that_brings_others_along_is_undone_by_the_link():
    settings = NetworkSettings().change(dataset="digits").change(dataset="circles", rows=300)
    assert brief(settings).keys() >= {"dataset", "rows"}
    assert from_link(NetworkSettings, brief(settings))[0] == settings
    assert not brief(NetworkSettings())


def test_what_is_brief_is_kept_as_long_as_the_settings_are_and_no_longer():
    """They may hold a private file."""
    settings = NetworkSettings().change(rows=300)
    assert brief(settings) is brief(settings)
    gone = weakref.ref(settings)
    del settings
    gc.collect()
    assert gone() is None


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_no_pin_takes_a_page_away(page):
    names = [*asdict(page.settings())]
    for place, value in enumerate([*HOSTILE, *VALUES, "x" * 10_000, "~" * 300, "~~", "a~b", "a~b~c~d"]):
        field = names[place % len(names)]
        for text in (value, f"{value}~{field}~{value}", f"~{value}~{field}~1~{field}~{value}~{value}~3"):
            pins, notices = read(page.settings, (text,))
            assert again(pins, page.settings) == pins
            assert len(" ".join(notices)) < 2000
            assert all("\n" not in notice for notice in notices)


def test_what_is_ignored_is_said():
    texts = ("b~clip_norm~-3~steps~80", "odd~clip_norm", "gone~knob~3")
    pins, notices = read(ClassifierSettings, texts)
    assert [(pin.name, pin.settings) for pin in pins.kept] == [
        ("b", ClassifierSettings(steps=80)),
        ("gone", ClassifierSettings()),
    ]
    assert len(notices) == 3
    assert all("was ignored" in notice for notice in notices)
    assert "`clip_norm=-3` was ignored: it must be a number from 0.01 to 100." in notices[0]
    assert "`odd~clip_norm` was ignored" in notices[1]
    assert "this page has no such setting" in notices[2]


def test_more_than_there_is_room_for_and_the_same_twice():
    texts = tuple(f"{seed}~seed~{seed}" for seed in (1, 1, 2, 3, 5, 6))
    pins, notices = read(ClassifierSettings, texts)
    assert [pin.settings.seed for pin in pins.kept] == [1, 2, 3]
    assert notices == (f"A pin in the link was ignored, because at most {MOST} are possible.",)
    assert pins.at == 0


def test_a_private_file_is_not_pinned_by_a_link():
    pins, (notice,) = read(HypothesesSettings, ("mine~data~own",))
    assert pins == Pins()
    assert "not pinned" in notice


def test_a_name_of_nothing_is_none():
    assert called(" \n\t~~ ") == ""
