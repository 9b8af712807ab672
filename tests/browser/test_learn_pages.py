"""The pages of text in a browser: links of texts are followed in the same tab and session, to the top of a page."""

import re

import pytest
from playwright.sync_api import Page, expect

from pages.learn.choices import Answers, choose
from tests.browser.person import drawn, field
from ui.glossary import TERMS

SCROLLED = "document.querySelector('[data-testid=stMain]').scrollTop"


def stays(opened: Page) -> None:
    """Mark the window, so that one that was loaded anew is known."""
    opened.evaluate("window.same = true")


def same(opened: Page) -> bool:
    return opened.evaluate("window.same === true")


@pytest.fixture
def method(page, serve):
    """How the classifier works."""
    opened = page(f"{serve('app.py')}/classifier?repeats=5&steps=5&epsilon=0.7")
    drawn(opened, charts=3)
    opened.get_by_role("tab", name="How it works").click()
    return opened


def test_a_word_leads_to_its_term_and_back(method):
    before = len(method.context.pages)
    stays(method)
    method.get_by_role("link", name="clips", exact=True).click()
    expect(method).to_have_url(re.compile(r"/glossary\?term=clipping$"))
    expect(method.get_by_role("heading", level=2, name="Clipping")).to_be_visible()
    assert method.evaluate(SCROLLED) == 0
    method.get_by_role("link", name="Sensitivity").click()
    expect(method.get_by_role("heading", level=2, name="Sensitivity")).to_be_visible()
    expect(method).to_have_url(re.compile(r"/glossary\?term=sensitivity$"))
    method.get_by_role("link", name="All terms").click()
    expect(method.get_by_role("heading", level=3, name="Epsilon", exact=True)).to_be_visible()
    expect(method).to_have_url(re.compile(r"/glossary$"))
    method.go_back()
    method.go_back()
    method.go_back()
    drawn(method, charts=3)
    expect(field(method)).to_have_value("0.7")
    assert same(method)
    assert len(method.context.pages) == before


def test_a_line_of_the_works_opens_the_lab_there(page, serve):
    opened = page(f"{serve('app.py')}/works")
    stays(opened)
    link = opened.get_by_role("row", name=re.compile("^Noise for")).get_by_role("link")
    link.scroll_into_view_if_needed()
    assert opened.evaluate(SCROLLED) > 0
    link.click()
    expect(opened.get_by_role("heading", level=1)).to_have_text("What does one released number reveal about you?")
    drawn(opened, charts=2)
    expect(field(opened)).to_have_value("150")
    expect(opened.get_by_test_id("stAlert")).to_have_count(0)
    assert opened.evaluate(SCROLLED) == 0
    assert same(opened)


def test_an_answer_changes_what_is_chosen_and_opens_it(page, serve):
    opened = page(f"{serve('app.py')}/choosing")
    opened.get_by_role("combobox", name="How many configurations are tried on their rows first?").click()
    opened.get_by_role("option", name="10", exact=True).click()
    expect(opened.get_by_text("Make a random number of tries")).to_be_visible()
    opened.get_by_role("link", name="Open these settings").click()
    expect(opened.get_by_role("heading", level=1)).to_have_text("How much privacy does a training run spend?")
    noise = choose(Answers(tries=10)).settings["noise_multiplier"]
    expect(field(opened, "Noise multiplier")).to_have_value(noise)
    expect(opened.get_by_test_id("stAlert")).to_have_count(0)


def test_letters_find_terms(page, serve):
    opened = page(f"{serve('app.py')}/glossary")
    opened.get_by_role("textbox", name="Search").fill("rényi")
    opened.keyboard.press("Enter")
    expect(opened.get_by_role("heading", level=3)).not_to_have_count(len(TERMS))
    expect(opened.get_by_role("heading", level=3).first).to_have_text("Rényi differential privacy (RDP)")
