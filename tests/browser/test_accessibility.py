"""What a screen reader and the keyboard find: one stop a chart, what is read out, and where the focus stays."""

from itertools import groupby

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.person import button, enter, grab, slider, sweep
from tests.browser.sight import obeys, still
from tests.browser.test_smoke import UNFOLDS

# What has the focus: the name of its chart, or what it is called.
FOCUSED = """() => {
  let at = document.activeElement
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  return at.closest("[data-chart]")?.dataset.chart ?? at.getAttribute("aria-label") ?? at.tagName
}"""
# Notes what the page's live region says, one entry each time.
LISTEN = """() => {
  window.region = document.querySelector("[data-voice]")
  window.told = []
  new MutationObserver(() => told.push(region.textContent)).observe(region, { childList: true, characterData: true })
}"""
# That the newest of what was said is what the page shows.
TOLD = """() => {
  const shown = [".lab-numbers", ".lab-verdict"].map((where) => document.querySelector(where).textContent).join(" ")
  const parts = told.at(-1)?.split(". ").flatMap((sentence) => sentence.replace(/\\.$/, "").split(": "))
  return parts?.every((part) => shown.includes(part))
}"""


@pytest.fixture
def classifier(lab) -> Page:
    """The classifier with few runs, all of its work done."""
    opened = lab("classifier?repeats=5&steps=5", charts=3)
    still(opened)
    return opened


def test_a_chart_is_one_stop_whose_buttons_the_arrows_find(classifier):
    names = ["accuracy", "map.scratch", "map.public"]
    bar = classifier.locator(f"[data-chart='{names[-1]}']").get_by_role("toolbar")
    steps = slider(classifier, "Steps")
    steps.focus()
    classifier.keyboard.press("Shift+Tab")
    classifier.keyboard.press("Tab")
    ring, colour = (
        f"node => getComputedStyle(node).getPropertyValue('--{name}')" for name in ("ring", "st-text-color")
    )
    assert steps.evaluate(colour).strip() in steps.evaluate(ring)
    stops: list[str] = []
    while not bar.evaluate("bar => bar.contains(document.activeElement)") and len(stops) < 60:
        classifier.keyboard.press("Tab")
        stops.append(classifier.evaluate(FOCUSED))
    of_charts = [stop for stop in stops if stop in names]
    assert [name for name, _ in groupby(of_charts)] == names
    assert len(of_charts) == 2 * len(names), "its buttons, and what it is"
    expect(bar).to_have_css("opacity", "1")
    assert bar.evaluate("bar => bar.closest('[role=img]')") is None
    for key, name in (("ArrowDown", "SVG"), ("End", "Reset axes"), ("ArrowDown", "PNG"), ("ArrowUp", "Reset axes")):
        classifier.keyboard.press(key)
        expect(bar.get_by_role("button", name=name)).to_be_focused()
    classifier.keyboard.press("Shift+Tab")
    classifier.keyboard.press("Tab")
    expect(bar.get_by_role("button", name="Reset axes")).to_be_focused()
    classifier.keyboard.press("Home")
    with classifier.expect_download() as saved:
        classifier.keyboard.press("Enter")
    assert saved.value.suggested_filename.endswith(".png")


def test_the_live_region_stays_and_tells_what_a_drag_leads_to(classifier):
    classifier.evaluate(LISTEN)
    sweep(classifier, grab(classifier), 30)
    classifier.mouse.up()
    classifier.wait_for_url("**/*epsilon=*")
    classifier.wait_for_function(TOLD)
    still(classifier)
    assert classifier.evaluate("region.isConnected && region.getAttribute('role') === 'status'")
    assert classifier.locator(".lab-verdict[role], .lab-verdict[aria-live]").count() == 0


def press(page: Page, name: str) -> None:
    """Press a button by a key, once no run replaces it."""
    still(page)
    button(page, name).focus()
    expect(button(page, name)).to_be_focused()
    page.keyboard.press("Enter")


def stays(page: Page, at: Locator) -> None:
    """Wait until this has the focus, and find it there once the page is still."""
    expect(at).to_be_focused()
    still(page)
    expect(at).to_be_focused()


def test_pin_swap_and_unpin_leave_it_on_the_buttons(classifier):
    press(classifier, "Pin for comparison")
    expect(button(classifier, "Pin")).to_be_disabled()  # it is pinned already
    stays(classifier, button(classifier, "Swap"))
    press(classifier, "Swap")
    stays(classifier, button(classifier, "Swap"))
    press(classifier, "Unpin")
    expect(button(classifier, "Unpin")).to_have_count(0)
    stays(classifier, button(classifier, "Pin for comparison"))


def test_a_lesson_by_keyboard_alone_leads_from_heading_to_heading(lab):
    page = lab("lessons?lesson=epsilon", charts=0)
    heading = page.get_by_role("heading", level=1)
    guess = page.get_by_role("spinbutton").first
    enter(guess, "70")
    for _ in range(3):
        guess.press("ArrowUp")
    expect(guess).to_have_value("73")
    guess.press("Tab")
    expect(button(page, "Lock in my guess")).to_be_enabled()
    for name, words in (("Lock in my guess", "You said 73\xa0%"), ("Why?", "Why"), ("Back", "You said")):
        press(page, name)
        expect(heading).to_contain_text(words)
        stays(page, heading)
    page.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    expect(page.get_by_text("That is what the chart shows.")).to_be_visible()


@pytest.mark.parametrize("path", ["", "glossary", "works", "choosing", "classifier?pin=~mine~clip_norm~0.5"])
def test_another_page_breaks_no_rule_of_axe(lab, path):
    page = lab(path, charts=3 if "?pin=" in path else 0)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator(UNFOLDS).evaluate_all("all => all.forEach(one => one.click())")
    obeys(page)
