"""The page of one's own rows in a real browser: from the sample to a classifier, in a few clicks."""

import re

from playwright.sync_api import expect

from tests.browser.person import PATIENCE, darken, distinct, drag_until, drawn
from tests.browser.test_accessibility import broken

# What the browser and Streamlit write into the console where an upload fails.
EXPECTED = ("net::ERR_FAILED", "AxiosError: Network Error")


class Person:
    """Who fills in the boxes, and counts clicks; typing is not counted."""

    def __init__(self, page):
        self.page, self.clicks = page, 0

    def click(self, what):
        what.click()
        self.clicks += 1

    def use(self, name: str, use: str) -> None:
        self.click(self.page.get_by_role("combobox", name=f"{name} is used as"))
        self.click(self.page.get_by_role("option", name=use, exact=True))

    def bounds(self, name: str, low: str, high: str) -> None:
        for end, value in (("lowest", low), ("highest", high)):
            box = self.page.get_by_label(f"{name}, {end}")
            box.fill(value)
            box.press("Enter")
            expect(box).to_have_value(value, timeout=PATIENCE)

    def values(self, label: str, *values: str) -> None:
        for value in values:
            box = self.page.get_by_role("combobox", name=label)
            box.press_sequentially(value)
            expect(self.page.get_by_role("option", name=f"Add: {value}")).to_be_visible(timeout=PATIENCE)
            box.press("Enter")
            taken = self.page.locator(f'[data-tag][aria-label="{value}"]').locator("visible=true")
            expect(taken).to_be_visible(timeout=PATIENCE)
        self.page.keyboard.press("Escape")


def test_from_home_to_the_smallest_epsilon_for_ones_own_rows_in_ten_clicks(page, serve):
    opened = page(serve("app.py"))
    person = Person(opened)
    person.click(opened.get_by_test_id("stMain").get_by_role("link", name="My data").first)
    person.click(opened.get_by_role("button", name="Use the customers table"))
    person.use("churned", "To predict")
    person.values("Classes of churned", "no", "yes")
    for name, high in (("tenure_years", "30"), ("support_calls", "20")):
        person.use(name, "Number")
        expect(opened.get_by_text("Bounds needed.")).to_be_visible(timeout=PATIENCE)
        expect(opened.get_by_role("button", name="Classifier with these rows")).to_be_disabled()
        person.bounds(name, "0", high)
    person.click(opened.get_by_role("button", name="Classifier with these rows"))
    drawn(opened, 2)
    expect(opened.locator(".lab-words-caption")).to_contain_text(
        re.compile("trained on 2,400 rows", re.IGNORECASE), timeout=PATIENCE
    )
    person.click(opened.get_by_role("tab", name="What if"))
    answer = opened.locator(".lab-words-answer")
    expect(answer).to_contain_text(re.compile(r"80\s%"), timeout=PATIENCE)
    target = opened.get_by_role("spinbutton", name="Target")
    target.fill("75")
    target.press("Enter")
    expect(answer).to_contain_text(re.compile(r"Median accuracy is 75\s% with epsilon"), timeout=PATIENCE)
    assert person.clicks == 10
    expect(opened.get_by_text("Choosing an epsilon by it reveals something")).to_be_visible()
    expect(opened.get_by_role("link", name="Open in the What-if planner")).to_be_hidden()
    expect(opened.get_by_role("button", name="Copy the command")).to_have_count(0)  # a command cannot name this file
    drag_until(opened, distinct(opened.locator(".lab-verdict").inner_text), 3)
    body = opened.locator("body").inner_text()
    assert "C-57312" not in body + opened.url
    assert "tenure" not in opened.url


def test_networks_learn_from_the_sample_too(page, serve):
    opened = page(f"{serve('app.py')}/data")
    person = Person(opened)
    opened.get_by_role("button", name="Use the customers table").click()
    person.use("churned", "To predict")
    person.values("Classes of churned", "no", "yes")
    person.use("tenure_years", "Number")
    expect(opened.get_by_text("Bounds needed.")).to_be_visible(timeout=PATIENCE)
    person.bounds("tenure_years", "0", "30")
    opened.get_by_role("button", name="Neural network with these rows").click()
    drawn(opened, 2)
    expect(opened.locator(".lab-words-caption")).to_contain_text("No row is drawn", timeout=PATIENCE)
    drag_until(opened, distinct(opened.locator(".lab-verdict").inner_text), 3)
    body = opened.locator("body").inner_text()
    assert "C-57312" not in body + opened.url
    assert "tenure" not in opened.url


def test_an_attacker_looks_for_one_of_the_customers(page, serve):
    opened = page(f"{serve('app.py')}/data")
    opened.get_by_role("button", name="Use the customers table").click()
    opened.get_by_role("button", name="Use the bounds from the sample's notes").click()
    opened.get_by_role("button", name="Attacks and audits with these rows").click()
    drawn(opened, 3)
    expect(opened.locator(".lab-words-caption")).to_contain_text("2,000 of 2,400 rows, picked", timeout=PATIENCE)
    right = opened.locator(".lab-tile", has_text="Attack accuracy").locator("b")
    expect(right).to_have_text(re.compile(r"\d+\s%"), timeout=PATIENCE)
    drag_until(opened, distinct(right.inner_text), 3)
    opened.get_by_role("combobox", name="Target person").click()
    opened.get_by_role("option", name="one by number").click()
    expect(opened.get_by_role("slider", name="Person #")).to_be_visible(timeout=PATIENCE)
    body = opened.locator("body").inner_text()
    assert "C-57312" not in body + opened.url
    assert "tenure" not in opened.url


def test_void_bounds_are_said_until_others_are_typed(page, serve):
    opened = page(f"{serve('app.py')}/data")
    person = Person(opened)
    opened.get_by_role("button", name="Use the customers table").click()
    person.use("churned", "To predict")
    person.values("Classes of churned", "no", "yes")
    person.use("monthly_spend", "Number")
    opened.get_by_role("button", name="Read them off the file").click()
    expect(opened.get_by_text("The guarantee would be void.")).to_be_visible(timeout=PATIENCE)
    opened.get_by_role("button", name="Classifier with these rows").click()
    drawn(opened, 2)
    expect(opened.get_by_text("no limit")).to_be_visible(timeout=PATIENCE)
    opened.get_by_role("link", name="Type public bounds").click()
    opened.get_by_role("button", name="Type my own").click()
    expect(opened.get_by_text("Bounds needed.")).to_be_visible(timeout=PATIENCE)
    person.bounds("monthly_spend", "0", "300")
    opened.get_by_role("button", name="Classifier with these rows").click()
    expect(opened.locator(".lab-odds")).to_be_visible(timeout=PATIENCE)
    expect(opened.get_by_text("Guarantee void.")).to_be_hidden()


# The box to drop files on, Streamlit's: it is called a presentation, and can have the focus.
NOT_OURS = {"presentation-role-conflict"}


def test_the_page_breaks_no_rule_of_accessibility(page, serve):
    opened = page(f"{serve('app.py')}/data", width=1200, height=900)
    person = Person(opened)
    opened.get_by_role("button", name="Use the customers table").click()
    person.use("churned", "To predict")
    person.use("age", "Number")
    expect(opened.get_by_text("Bounds needed.")).to_be_visible(timeout=PATIENCE)
    assert broken(opened, ignored=NOT_OURS) == []
    darken(opened)
    expect(opened.locator(".st-key-heads")).to_be_visible()
    opened.set_viewport_size({"width": 390, "height": 900})
    expect(opened.locator(".st-key-heads")).to_be_hidden()
    assert broken(opened, ignored=NOT_OURS) == []
    assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_from_salaries_to_a_regression(page, serve):
    opened = page(f"{serve('app.py')}/data")
    opened.get_by_role("button", name="Use the salaries table").click()
    opened.get_by_role("button", name="Use the bounds from the sample's notes").click()
    opened.get_by_role("button", name="Regression with these rows").click()
    drawn(opened, 3)
    expect(opened.locator(".lab-words-caption")).to_contain_text(
        re.compile("trained on 2,400 rows", re.IGNORECASE), timeout=PATIENCE
    )
    drag_until(opened, distinct(opened.locator(".lab-verdict").inner_text), 3)
    body = opened.locator("body").inner_text()
    assert "E-80372" not in body + opened.url
    assert "salary" not in opened.url


def test_an_upload_that_failed_is_gone_once_the_next_file_is_read(page, serve):
    opened = page(f"{serve('app.py')}/data")
    box, failed = opened.locator("input[type=file]"), opened.locator("[data-testid=stFileChip][aria-invalid=true]")
    opened.route("**/upload_file/**", lambda route: route.abort())
    box.set_input_files("sample_data/customers.csv")
    expect(failed).to_be_visible(timeout=PATIENCE)
    opened.unroute_all()
    box.set_input_files("sample_data/hospitals.csv")
    expect(opened.get_by_role("button", name="Remove", exact=True)).to_be_visible(timeout=PATIENCE)  # it was read
    expect(opened.get_by_test_id("stFileChip").filter(visible=True)).to_have_text([re.compile("hospitals.csv")])
    expect(failed).to_be_hidden()
    faults = page.watches[-1].faults
    faults[:] = [fault for fault in faults if not any(known in fault for known in EXPECTED)]
