"""The transfer page in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, distinct, drag_until, drawn, field

CHARTS = 2


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_the_verdict_moves_while_epsilon_is_dragged(page, serve, width, dark):
    opened = page(f"{serve('app.py')}/transfer", width=width, height=900, dark=dark, touch=width < 500)
    drawn(opened, CHARTS)
    said = opened.locator(".lab-verdict")
    expect(said).to_contain_text("cut excess risk by a factor of", timeout=PATIENCE)
    drag_until(opened, distinct(said.inner_text), 3)


def test_the_threshold_decides_which_sources_are_transferable(page, serve):
    opened = page(f"{serve('app.py')}/transfer?repeats=4")
    drawn(opened, CHARTS)
    opened.get_by_role("tab", name="Sources", exact=True).click()
    title = opened.locator(".gtitle")
    expect(title.filter(has_text="2 of 6 within h = 0.7")).to_be_visible(timeout=PATIENCE)
    field(opened, "Threshold h").fill("20")
    field(opened, "Threshold h").press("Enter")
    expect(title.filter(has_text="6 of 6 within h = 20")).to_be_visible(timeout=PATIENCE)
    opened.wait_for_url("**h=20.0*")


def test_the_published_table_fills_itself(page, serve):
    opened = page(f"{serve('app.py')}/transfer?repeats=4")
    drawn(opened, CHARTS)
    opened.get_by_role("tab", name="Published table").click()
    table = opened.locator(".lab-table").first
    expect(table).to_contain_text("34.1754", timeout=PATIENCE)
    expect(table).not_to_contain_text("…", timeout=PATIENCE)
    assert table.locator("tbody tr").count() == 10
