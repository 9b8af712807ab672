"""The home page and the cards: what is open lights up, what is dismissed stays away, and nothing jumps."""

import pytest
from playwright.sync_api import expect

from benchmarks import shift
from pages.table import PAGES
from scripts.fingerprints import seen
from tests.browser.person import button, slider
from tests.browser.sight import drawn


def test_home_moves_at_once_and_an_open_move_lights_up_what_it_speaks_of(lab):
    """Its picture and its knob are in the first screen, and the picture follows the knob."""
    home = lab(charts=1, width=1440)
    assert seen(home) <= 120
    loss, attacker = home.locator(".lab-tile").nth(1), home.locator(".lab-tile.bound")
    for label, styles in {"Pay for it": ("solid", "none"), "Ask the attacker": ("none", "solid")}.items():
        button(home, label).click()
        for tile, style in zip((loss, attacker), styles, strict=True):
            expect(tile).to_have_css("outline-style", style)
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


@pytest.mark.parametrize("path", ["", pytest.param(shift.LESSON, marks=pytest.mark.soak)])
def test_nothing_jumps_while_a_page_loads(chromium, serve, path):
    found = shift.visit(chromium, f"{serve('app.py')}/{path}", shift.SIZES["phone"])
    assert sum(one["value"] for one in found) <= shift.SHIFT_AT_MOST, found


def test_a_card_that_is_dismissed_by_keyboard_stays_away(lab):
    opened = lab("mechanisms", width=1440)
    opened.evaluate("localStorage.clear()")  # which tests share
    opened.reload()
    card, lit = opened.locator(".lab-move"), opened.locator(".row.lit")
    expect(card).to_be_visible()
    expect(lit).to_have_attribute("data-knob", next(one for one in PAGES if one.name == "mechanisms").move.knob)
    card.get_by_role("button", name="Dismiss").focus()
    opened.keyboard.press("Enter")
    expect(card).to_be_hidden()
    expect(lit).to_have_count(0)
    opened.reload()
    expect(opened.locator("[data-seen]")).to_have_count(1)
    expect(card).to_be_hidden()
