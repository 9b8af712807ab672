"""The tab *Share* in a real browser."""

import io
import time

import pytest
import zxingcpp
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from tests.browser.person import PATIENCE, drawn, hold_still
from ui.qr_code import QR_ALT

LINKS = ["classifier?epsilon=0.3&pin=~mine~clip_norm~0.1", "parties"]


def held_up(page: Page, code: Locator) -> zxingcpp.Barcode:
    """What a phone reads, which looks until it sees something: what is shown may pale while the page computes."""
    hold_still(code)  # clear of the knobs, which stay at the top of a phone
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end:
        found = zxingcpp.read_barcodes(Image.open(io.BytesIO(code.screenshot())).convert("L"))
        if found:
            return found[0]
        page.wait_for_timeout(250)
    raise AssertionError("a phone reads nothing")


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
@pytest.mark.parametrize("link", LINKS)
def test_a_phone_reads_the_link_off_the_screen(page, serve, link, width, dark):
    """The drawing as the page shows it, light or dark, read by another library."""
    opened = page(f"{serve('app.py')}/{link}", width=width, height=900, dark=dark)
    drawn(opened, charts=1)
    opened.get_by_role("tab", name="Share").click()
    code = opened.get_by_test_id("stImage").locator("img")
    expect(code).to_be_visible(timeout=PATIENCE)
    expect(code).to_have_attribute("alt", QR_ALT)
    found = held_up(opened, code)
    codes = [one.inner_text().strip() for one in opened.get_by_test_id("stCode").all()]
    shown = [code for code in codes if code]  # that of a lesson is folded away
    assert found.text == shown[-1], "the one that opens elsewhere, where there is one"
    assert found.text.partition("?")[2] == shown[0].partition("?")[2]
