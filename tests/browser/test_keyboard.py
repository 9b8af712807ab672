"""The way to the first slider by keyboard, and what a screen reader says of it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.person import first_slider
from tests.browser.sight import rests
from tests.browser.test_smoke import PATHS, QUICK

MOST_TAB_STOPS = 10


@pytest.mark.parametrize("path", PATHS)
def test_the_first_slider_is_reached_in_ten_tab_stops_and_says_its_name_and_value(lab, path):
    page = lab(QUICK.get(path, path), charts=1, width=1440)
    rests(page)
    slider = first_slider(page)
    page.keyboard.press("Tab")
    expect(page.get_by_text("Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")

    stops = 1
    while stops < MOST_TAB_STOPS and not slider.evaluate("node => node.matches(':focus')"):
        page.keyboard.press("Tab")
        stops += 1

    expect(slider).to_be_focused()
    expect(slider).to_have_role("slider")
    expect(slider).to_have_accessible_name(re.compile(r"\w"))
    expect(slider).to_have_attribute("aria-valuetext", re.compile(r"\d"))
