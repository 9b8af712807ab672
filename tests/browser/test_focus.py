"""The keyboard focus after a press of a button that the run replaces: it stays where the person is."""

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.person import PATIENCE, drawn, still
from tests.browser.test_lessons_page import lesson


def press(page: Page, name: str) -> None:
    """Press a button by a key."""
    button = page.get_by_role("button", name=name, exact=True)
    button.focus()
    page.keyboard.press("Enter")


def rests(page: Page, at: Locator) -> None:
    """Wait until this has the focus, and find it there once the page is still."""
    expect(at).to_be_focused(timeout=PATIENCE)
    still(page)
    expect(at).to_be_focused()


@pytest.fixture
def classifier(page, serve) -> Page:
    opened = page(f"{serve('app.py')}/classifier?repeats=4&steps=5", width=1440, height=900)
    drawn(opened, charts=3)
    still(opened)
    return opened


def test_pin_swap_and_unpin_leave_it_on_the_buttons(classifier):
    names = ("Pin for comparison", "Pin", "Swap", "Unpin")
    button = {name: classifier.get_by_role("button", name=name, exact=True) for name in names}
    press(classifier, "Pin for comparison")
    expect(button["Pin"]).to_be_disabled(timeout=PATIENCE)  # it is pinned already
    rests(classifier, button["Swap"])
    press(classifier, "Swap")
    rests(classifier, button["Swap"])
    press(classifier, "Unpin")
    expect(button["Unpin"]).to_have_count(0, timeout=PATIENCE)
    rests(classifier, button["Pin for comparison"])


def test_a_step_of_a_lesson_leads_to_its_heading(page, serve):
    opened = lesson(page, serve, "epsilon")
    press(opened, "Lock in my guess")
    expect(opened.get_by_role("heading", level=1)).to_contain_text("You said", timeout=PATIENCE)
    rests(opened, opened.get_by_role("heading", level=1))
    press(opened, "Why?")
    rests(opened, opened.get_by_role("heading", level=1, name="Why", exact=True))
    press(opened, "Back")
    expect(opened.get_by_role("heading", level=1)).to_contain_text("You said", timeout=PATIENCE)
    rests(opened, opened.get_by_role("heading", level=1))


def test_a_teachers_lesson_leads_to_its_own_heading(page, serve):
    opened = page(f"{serve('app.py')}/classifier?repeats=5&steps=5&ask=How+often%3F&guess=scratch")
    expect(opened.get_by_role("heading", name="How often?")).to_be_visible(timeout=PATIENCE)
    press(opened, "Lock in my guess")
    drawn(opened, charts=1)
    rests(opened, opened.get_by_role("heading", name="How often?"))


def test_who_goes_on_is_not_called_back(classifier):
    press(classifier, "Pin for comparison")
    expect(classifier.get_by_role("button", name="Unpin", exact=True)).to_be_visible(timeout=PATIENCE)
    classifier.get_by_role("tab", name="Share").focus()
    still(classifier)
    expect(classifier.get_by_role("tab", name="Share")).to_be_focused()
