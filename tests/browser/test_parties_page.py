"""The parties page in a real browser."""

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, distinct, drag_until, drawn, field

CHARTS = 3
SMALL = "parties=60&public_rows=60&repeats=4"


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_the_numbers_move_while_the_budget_is_dragged(page, serve, width, dark):
    opened = page(f"{serve('app.py')}/parties?{SMALL}", width=width, height=900, dark=dark, touch=width < 500)
    drawn(opened, CHARTS)
    said = opened.locator(".lab-numbers")
    expect(said).to_contain_text("coin toss: 50", timeout=PATIENCE)
    drag_until(opened, distinct(said.inner_text), 3)


def test_the_drawing_follows_what_is_released(page, serve):
    opened = page(f"{serve('app.py')}/parties?{SMALL}")
    drawn(opened, CHARTS)
    opened.get_by_role("tab", name="Trust model").click()
    picture = opened.get_by_role("img", name="trusted aggregator")
    expect(picture).to_contain_text("noise once, on the weights", timeout=PATIENCE)
    opened.get_by_role("radio", name="PATE").or_(opened.get_by_role("button", name="PATE")).first.click()
    expect(picture).to_contain_text("noise on every count", timeout=PATIENCE)
    expect(opened.locator(".lab-verdict")).to_contain_text("PATE", timeout=PATIENCE)


def test_thousands_of_parties_are_asked_in_slices(page, serve):
    opened = page(f"{serve('app.py')}/parties?{SMALL}")
    drawn(opened, CHARTS)
    field(opened, "Parties").fill("3000")
    field(opened, "Parties").press("Enter")
    said = opened.locator(".lab-verdict")
    expect(said).to_contain_text("3,000 parties with soft labels", timeout=PATIENCE)
    expect(said).not_to_contain_text("So far", timeout=PATIENCE)


def test_a_movement_does_not_wait_for_all_the_parties(page, slow):
    opened = page(f"{slow.address}/parties?dataset=digits&parties=20000&public_rows=500&repeats=4")
    drawn(opened, CHARTS)
    said = opened.locator(".lab-verdict")
    expect(said).to_contain_text("of 20,000 parties have been asked", timeout=PATIENCE)
    before = opened.locator(".lab-tile.bound b").first.inner_text()
    field(opened, "Epsilon").fill("3")
    field(opened, "Epsilon").press("Enter")
    # The answer to the movement is there while parties are still being asked
    expect(opened.locator(".lab-tile.bound")).not_to_contain_text(before, timeout=PATIENCE)
    expect(said).to_contain_text("of 20,000 parties have been asked")
    expect(opened.locator(".lab-words-why")).to_contain_text("public images")


def test_a_field_takes_a_decimal_comma_and_a_bad_entry_can_be_corrected(page, serve):
    opened = page(f"{serve('app.py')}/parties?{SMALL}")
    drawn(opened, CHARTS)
    careless = field(opened, "Parties with random labels")
    careless.fill("half")
    careless.press("Enter")
    alert = opened.locator("[data-knob=careless] [role=alert]")
    expect(alert).to_contain_text("cannot be half: it must be a number from 0 to 0.9", timeout=PATIENCE)
    careless.fill("0,3")
    careless.press("Enter")
    expect(careless).to_have_value("0.3", timeout=PATIENCE)
    expect(alert).to_be_empty()
    opened.wait_for_url("**careless=0.3*", timeout=PATIENCE)
