"""The page of hypotheses in a real browser."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, distinct, drag_until, drawn, field, slider
from tests.test_own_texts import written

CHARTS = 8
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


def test_the_link_is_of_what_one_sees_long_before_all_is_computed(page, serve):
    opened = page(f"{serve('app.py')}/hypotheses?epsilon=1")
    drawn(opened, CHARTS)
    slider(opened).press("End")
    opened.wait_for_function("!location.search.includes('epsilon=1.0&')")
    expect(opened.get_by_role("progressbar")).to_be_visible()
    done = int(opened.get_by_role("progressbar").get_attribute("aria-valuenow"))
    assert done < 90
    there = float(field(opened).input_value())
    assert float(re.search(r"epsilon=([\d.]+)", opened.url)[1]) == there
    opened.get_by_text("Share and download").click()
    expect(opened.locator("[data-testid=stCode]").first).to_contain_text(f"epsilon={there}")


def test_the_table_fills_itself(page, serve):
    opened = page(f"{serve('app.py')}/hypotheses?{SMALL}")
    drawn(opened, CHARTS)
    table = opened.locator(".lab-table").first
    expect(table).not_to_contain_text("…", timeout=PATIENCE)
    assert table.locator("tbody tr").count() == 20


def test_a_file_of_ones_own_is_brought_and_its_link_asks_for_it(page, serve, tmp_path):
    file, broken = tmp_path / "reviews.csv", tmp_path / "broken.csv"
    file.write_bytes(written())
    broken.write_text("review,stars\none,1\nonly\n")
    opened = page(f"{serve('app.py')}/hypotheses?data=own&repeats=2")
    brought = opened.locator("input[type=file]")
    brought.set_input_files(broken)
    expect(opened.get_by_text("1 field in line 3")).to_be_visible(timeout=PATIENCE)
    brought.set_input_files(file)
    drawn(opened, CHARTS)
    opened.get_by_role("combobox", name="Source", exact=True).click()
    opened.get_by_role("option", name="shop", exact=True).click()
    expect(opened.get_by_text("4 shop 3")).to_be_visible(timeout=PATIENCE)
    opened.wait_for_url("**~shop~**", timeout=PATIENCE)
    again = page(opened.url)
    expect(again.get_by_text("cannot hold a file")).to_be_visible(timeout=PATIENCE)
    again.locator("input[type=file]").set_input_files(file)
    drawn(again, CHARTS)
    expect(again.get_by_text("4 shop 3")).to_be_visible(timeout=PATIENCE)
    assert again.url == opened.url
