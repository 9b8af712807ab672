"""The home page: somebody who knows only what its cards say makes all three moves."""

import math
import re

import pytest
from playwright.sync_api import expect

from pages.table import PAGES
from scripts.fingerprints import seen
from tests.browser.person import enter

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


@pytest.mark.parametrize(("width", "height"), [(1440, 900), pytest.param(390, 844, marks=pytest.mark.soak)])
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


@pytest.mark.parametrize(
    "topic", [one.name if one.name == "mechanisms" else pytest.param(one.name, marks=pytest.mark.soak) for one in PAGES]
)
@pytest.mark.parametrize("width", [1440, 390])
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
