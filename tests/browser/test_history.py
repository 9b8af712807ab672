"""Back and Forward between pages: each stop is one that the person has been at."""

import re

from playwright.sync_api import expect

from tests.browser.person import PATIENCE, drawn, field, slider


def test_one_back_from_another_page_returns_to_the_setting_that_was_left(page, serve):
    opened = page(f"{serve('app.py')}/")
    drawn(opened, charts=1)
    opened.wait_for_url("**epsilon=0.5&**", timeout=PATIENCE)
    slider(opened).press("ArrowRight")
    opened.wait_for_url("**epsilon=0.531&**", timeout=PATIENCE)
    opened.get_by_role("link", name="Classifier").first.click()
    opened.wait_for_url("**/classifier?**epsilon=0.5&**", timeout=PATIENCE)
    drawn(opened)
    opened.go_back()
    expect(opened).to_have_url(re.compile(r"/\?.*epsilon=0\.531&"))
    expect(field(opened)).to_have_value("0.531", timeout=PATIENCE)
    opened.go_forward()
    expect(opened).to_have_url(re.compile(r"/classifier\?.*epsilon=0\.5&"))
    expect(field(opened)).to_have_value("0.5", timeout=PATIENCE)
