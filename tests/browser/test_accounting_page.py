"""Privacy accounting in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, distinct, drag_until, drawn, field

CHARTS = 2


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_numbers_and_sentence_move_while_the_noise_is_dragged(page, serve, width, dark):
    opened = page(f"{serve('app.py')}/accounting", width=width, height=900, dark=dark, touch=width < 500)
    drawn(opened, CHARTS)
    said, numbers = opened.locator(".lab-verdict"), opened.locator(".lab-numbers")
    expect(said).to_contain_text("26.4 by advanced composition and 1.26 by the moments accountant", timeout=PATIENCE)
    expect(numbers).to_contain_text("0.947", timeout=PATIENCE)
    drag_until(opened, distinct(said.inner_text), 3, "Noise multiplier")
    drag_until(opened, distinct(numbers.inner_text), 3, "Noise multiplier")


def test_the_target_is_answered_in_the_table(page, serve):
    opened = page(f"{serve('app.py')}/accounting")
    drawn(opened, CHARTS)
    opened.get_by_role("tab", name="Accountants").click()
    expect(opened.locator(".lab-table")).to_be_visible(timeout=PATIENCE)
    field(opened, "Target epsilon").fill("2")
    field(opened, "Target epsilon").press("Enter")
    expect(opened.locator(".lab-table")).to_contain_text("for epsilon 2", timeout=PATIENCE)
    opened.wait_for_url("**target_epsilon=2.0*")
    expect(opened.locator(".lab-table")).not_to_contain_text("…", timeout=PATIENCE)


def test_a_search_has_its_prices_in_a_tab(page, serve):
    opened = page(f"{serve('app.py')}/accounting?settings_tried=5")
    drawn(opened, CHARTS)
    opened.get_by_role("tab", name="Hyperparameter tuning").click()
    drawn(opened, CHARTS + 1)
    table = opened.locator(".lab-table")
    expect(table).to_contain_text("all 5 tries", timeout=PATIENCE)
    expect(table).not_to_contain_text("…", timeout=PATIENCE)
    expect(opened.locator(".lab-words-searches")).to_contain_text("For exactly 5 tries", timeout=PATIENCE)


def test_theorems_are_held_against_the_run_in_a_tab(page, serve):
    opened = page(f"{serve('app.py')}/accounting", width=1440, height=1400)
    drawn(opened, CHARTS)
    opened.get_by_role("tab", name="Theorems").click()
    tables = opened.locator(".lab-table")
    expect(tables).to_have_count(2, timeout=PATIENCE)
    for table in tables.all():
        expect(table).not_to_contain_text("…", timeout=PATIENCE)
    expect(tables.first).to_contain_text("not met: ε < q2T", timeout=PATIENCE)
    drawn(opened, 2 * CHARTS)
