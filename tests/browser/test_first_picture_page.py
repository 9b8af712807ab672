"""The recorded first picture in a browser: it moves before Streamlit is there, and the live page goes on from it."""

import gzip
import time
import urllib.request

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE
from tests.browser.sight import AXE, RUN

OPEN = """const attach = Element.prototype.attachShadow
Element.prototype.attachShadow = function (how) { return attach.call(this, { ...how, mode: "open" }) }"""
TILES = "where => [...where.querySelectorAll('.lab-tile > b')].map((one) => one.textContent)"


@pytest.fixture
def address(serve, monkeypatch):
    """The home page of a server that has recorded it."""
    monkeypatch.setenv("LAB_FIRST_PICTURE", "on")
    at = serve("app.py", "--server.baseUrlPath", "first") + "/"
    request = urllib.request.Request(at, headers={"Accept-Encoding": "gzip"})
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        with urllib.request.urlopen(request) as answer:
            if b"lab-recorded" in gzip.decompress(answer.read()):
                return at
        time.sleep(0.2)
    raise TimeoutError("nothing is recorded")


def test_it_moves_before_streamlit_is_there_and_the_live_page_goes_on_where_it_stands(chromium, address):
    page = chromium.new_context(viewport={"width": 1440, "height": 900}).new_page()
    page.add_init_script(OPEN)
    held, free = [], []

    def hold(route):
        route.continue_() if free else held.append(route)

    page.route("**/static/js/index.*.js", hold)
    page.goto(address, wait_until="commit")
    slider = page.locator(".lab-first .range")
    slider.focus()
    expect(slider).to_be_focused()
    before = page.locator(".lab-first .lab-numbers").inner_text()
    page.keyboard.press("Home")
    expect(page.locator(".lab-first .field")).to_have_value("0.01")
    assert page.locator(".lab-first .lab-numbers").inner_text() != before
    expect(page.locator(".lab-first .room > canvas[style]")).to_have_count(1)
    assert "epsilon=0.01" in page.url
    page.evaluate(AXE)
    assert page.evaluate(RUN) == []
    tiles = page.locator(".lab-first .lab-numbers").evaluate(TILES)
    free.append(True)
    for script in held:
        script.continue_()
    expect(page.locator(".lab-first")).to_have_count(0)
    expect(page.locator(".st-key-panel .range").first).to_be_focused()
    expect(page.locator(".st-key-panel .field").first).to_have_value("0.01")
    assert page.locator(".st-key-first .lab-numbers").evaluate(TILES) == tiles
    page.context.close()
