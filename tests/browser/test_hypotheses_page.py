"""The page of hypotheses in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, distinct, drag_until, drawn, field

CHARTS = 7
SMALL = "repeats=4&source_rows=200&unlabelled_rows=200&target_rows=400&public_rows=300"


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_what_is_borrowed_moves_while_epsilon_is_dragged(page, serve, width, dark):
    opened = page(f"{serve('app.py')}/hypotheses?{SMALL}", width=width, height=900, dark=dark, touch=width < 500)
    drawn(opened, CHARTS)
    said = opened.locator(".lab-verdict")
    expect(said).to_contain_text("what the sources lend", timeout=PATIENCE)
    drag_until(opened, distinct(said.inner_text), 3)


def test_a_weight_takes_from_the_others_and_the_link_remembers(page, serve):
    opened = page(f"{serve('app.py')}/hypotheses?{SMALL}")
    drawn(opened, CHARTS)
    own = field(opened, "Target from source 2")
    own.fill("0.5")
    own.press("Enter")
    expect(field(opened, "Target from source 1")).to_have_value("0.3", timeout=PATIENCE)
    expect(field(opened, "Target from source 4")).to_have_value("0.2")
    opened.wait_for_url("**mixture=0.3-0.5-0-0.2-0*")


def test_the_table_fills_itself(page, serve):
    opened = page(f"{serve('app.py')}/hypotheses?{SMALL}")
    drawn(opened, CHARTS)
    table = opened.locator(".lab-table").first
    expect(table).not_to_contain_text("…", timeout=PATIENCE)
    assert table.locator("tbody tr").count() == 20
