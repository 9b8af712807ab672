"""The home page and the cards: somebody who knows only what they say makes the moves, and nothing jumps."""

import math
import re

import pytest
from playwright.sync_api import expect

from benchmarks import shift
from pages.table import PAGES
from scripts.fingerprints import seen
from tests.browser.person import enter, slider
from tests.browser.sight import drawn

BY_NAME = {page.name: page for page in PAGES}
OPEN = "[class*=st-key-move-][class*=-open]"


def rest_at(home, epsilon: float) -> int:
    """Type a value, wait until the page is at rest there, and return the loss of accuracy that the tiles show."""
    enter(home, f"{epsilon:g}")
    home.wait_for_function(
        "there => Number(new URLSearchParams(location.search).get('epsilon') ?? 0.5) === there",
        arg=float(f"{epsilon:g}"),
    )
    private, reference = home.locator(".lab-tile b").all_inner_texts()[:2]
    return round(float(reference.split()[0])) - round(float(private.split()[0]))


@pytest.mark.soak  # at a commit, tests/test_home.py makes them without a browser
@pytest.mark.parametrize(("width", "height"), [(1440, 900), (390, 844)])
def test_all_moves_are_made(lab, width, height):
    home = lab(charts=1, width=width, height=height)
    expect(home.locator(OPEN)).to_contain_text("Drag epsilon below 0.1")
    rest_at(home, 0.05)
    expect(home.locator(OPEN)).to_contain_text("smallest epsilon that costs less than 2 points")
    low, high = 0.05, 5.0
    while high / low > 1.4:
        middle = float(f"{math.sqrt(low * high):.2g}")
        low, high = (low, middle) if rest_at(home, middle) < 2 else (middle, high)
    expect(home.locator(OPEN)).to_contain_text("Set epsilon to 8")
    rest_at(home, 8)
    expect(home.get_by_text(re.compile("At epsilon 8, the attacker is right up to"))).to_be_visible()
    expect(home.locator(OPEN)).to_have_count(0)


def test_an_open_move_lights_up_what_it_speaks_of(lab):
    home = lab(charts=1, width=1440, height=900)
    assert seen(home) <= 120
    loss, attacker = home.locator(".lab-tile").nth(1), home.locator(".lab-tile.bound")
    for label, styles in {"Pay for it": ("solid", "none"), "Ask the attacker": ("none", "solid")}.items():
        home.get_by_role("button", name=label).click()
        for tile, style in zip((loss, attacker), styles, strict=True):
            expect(tile).to_have_css("outline-style", style)


def test_home_moves_at_once(lab):
    """Its picture and its knob are in the first screen, and the picture follows the knob."""
    home = lab(charts=1, width=1440)
    picture = home.locator(".st-key-pictures [data-chart] [role=img]")
    before = picture.get_attribute("aria-label")
    for thing in (picture, slider(home), home.locator(".lab-numbers"), home.get_by_text("Make it private")):
        expect(thing).to_be_in_viewport(ratio=1)
    slider(home).press("PageUp")
    expect(picture).not_to_have_attribute("aria-label", before)
    home.wait_for_url("**epsilon=0.891*")
    home.get_by_test_id("stMain").get_by_role("link", name="Classifier", exact=True).click()
    drawn(home, 3)
    expect(home.get_by_role("heading", level=1)).to_have_text("What does privacy cost a classifier?")


@pytest.mark.parametrize(
    ("path", "size"),
    [("", "phone"), (shift.LESSON, "phone"), pytest.param("what-if?repeats=24", "wide", marks=pytest.mark.soak)],
)
def test_nothing_jumps_while_a_page_loads(chromium, serve, path, size):
    found = shift.visit(chromium, f"{serve('app.py')}/{path}", shift.SIZES[size])
    assert sum(one["value"] for one in found) <= shift.SHIFT_AT_MOST, found


@pytest.mark.parametrize(
    "topic", [one.name if one.name == "mechanisms" else pytest.param(one.name, marks=pytest.mark.soak) for one in PAGES]
)
@pytest.mark.parametrize("width", [1440, pytest.param(390, marks=pytest.mark.soak)])
def test_a_card_that_is_dismissed_by_keyboard_stays_away(lab, topic, width):
    opened = lab(topic, width=width, height=844)
    opened.evaluate("localStorage.clear()")  # which tests share
    opened.reload()
    card, lit = opened.locator(".lab-move"), opened.locator(".row.lit")
    expect(card).to_be_visible()
    expect(lit).to_have_attribute("data-knob", BY_NAME[topic].move.knob)
    card.get_by_role("button", name="Dismiss").focus()
    opened.keyboard.press("Enter")
    expect(card).to_be_hidden()
    expect(lit).to_have_count(0)
    opened.reload()
    expect(opened.locator("[data-seen]")).to_have_count(1)
    expect(card).to_be_hidden()
