"""What a screen reader and the keyboard find: one stop a chart, what is read out, and where the focus stays."""

import re
from itertools import groupby

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.person import button, enter, grab, slider, sweep
from tests.browser.sight import drawn, obeys, still
from tests.browser.test_smoke import UNFOLDS

# Pages of text, and those that are built as these are.
TEXTS = ["glossary", "works", "choosing"]
ALIKE_TEXTS = ["glossary?term=clipping", "deployments"]
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
# Counts how often the page stands for a second, after which it is told, before the mouse is let go: on a busy machine a
# drag has such pauses.
PAUSES = """() => {
  window.pauses = 0
  let last = performance.now()
  const watch = new MutationObserver(() => {
    const now = performance.now()
    pauses += now - last >= 1000
    last = now
  })
  watch.observe(document.body, { subtree: true, childList: true, characterData: true, attributes: true })
  addEventListener("pointerup", () => watch.disconnect(), { capture: true, once: true })
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
    slider(classifier, "Steps").focus()
    stops: list[str] = []
    while not bar.evaluate("bar => bar.contains(document.activeElement)") and len(stops) < 60:
        classifier.keyboard.press("Tab")
        stops.append(classifier.evaluate(FOCUSED))
    of_charts = [stop for stop in stops if stop in names]
    assert [name for name, _ in groupby(of_charts)] == names
    assert len(of_charts) == 2 * len(names), "its buttons, and what it is"
    expect(bar).to_have_css("opacity", "1")
    assert bar.evaluate("bar => bar.closest('[role=img]')") is None
    for key, name in (
        ("ArrowDown", "SVG"),
        ("End", "Reset axes"),
        ("ArrowDown", "PNG"),
        ("ArrowUp", "Reset axes"),
    ):
        classifier.keyboard.press(key)
        expect(bar.get_by_role("button", name=name)).to_be_focused()
    classifier.keyboard.press("Shift+Tab")
    classifier.keyboard.press("Tab")
    expect(bar.get_by_role("button", name="Reset axes")).to_be_focused()
    classifier.keyboard.press("Home")
    with classifier.expect_download() as saved:
        classifier.keyboard.press("Enter")
    assert saved.value.suggested_filename.endswith(".png")


def test_the_live_region_stays_and_tells_a_drag_once(classifier):
    classifier.evaluate(LISTEN)
    track = grab(classifier)
    classifier.evaluate(PAUSES)
    sweep(classifier, track, 30)
    classifier.mouse.up()
    classifier.wait_for_url("**/*epsilon=*")
    classifier.wait_for_function(TOLD)
    still(classifier)
    told, pauses = classifier.evaluate("[told, pauses]")
    assert classifier.evaluate("region.isConnected && region.getAttribute('role') === 'status'")
    assert classifier.locator(".lab-verdict[role], .lab-verdict[aria-live]").count() == 0
    slider(classifier).press("End")
    classifier.wait_for_function("told => window.told.at(-1) !== told", arg=told[-1])
    assert classifier.evaluate("told.length") <= 2 + pauses


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("accounting", "Noise multiplier"),
        pytest.param("classifier?repeats=5&steps=5", "Epsilon", marks=pytest.mark.soak),
    ],
)
def test_a_value_says_what_it_means_for_an_attacker(lab, path, name):
    """The bound in the page's own verdict, for this very value; while it moves, the value alone."""
    opened = lab(path)
    knob = slider(opened, name)
    for key in ("ArrowRight", "PageUp"):
        knob.press(key)
        expect(knob).to_have_attribute("aria-valuetext", re.compile(r"^[\d.]+, attacker's accuracy at most [\d.]+\s%$"))
        meaning = knob.get_attribute("aria-valuetext").split(", attacker's accuracy at most ")[1]
        expect(opened.locator(".lab-odds")).to_have_text(meaning)
    ends = knob.evaluate(
        "node => node.getAttribute('aria-describedby').split(' ').map(id => "
        "node.getRootNode().getElementById(id).textContent).join(' ')"
    )
    assert re.search(r"Lower: more (private|accurate); higher: more (private|accurate)\.", ends)


def test_the_focus_of_a_slider_is_of_the_texts_colour(classifier):
    ring = "node => getComputedStyle(node).getPropertyValue('--ring')"
    colour = "node => getComputedStyle(node).getPropertyValue('--st-text-color').trim()"
    knob = slider(classifier, "Clipping norm")
    text = knob.evaluate(colour)
    assert text not in knob.evaluate(ring)
    slider(classifier).focus()
    while not knob.evaluate("node => node.matches(':focus-visible')"):
        classifier.keyboard.press("Tab")
    assert text in knob.evaluate(ring)


def press(page: Page, name: str) -> None:
    """Press a button by a key."""
    button(page, name).focus()
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
    press(classifier, "Pin for comparison")
    expect(button(classifier, "Unpin")).to_be_visible()
    classifier.get_by_role("tab", name="Share").focus()  # who goes on is not called back
    stays(classifier, classifier.get_by_role("tab", name="Share"))


def test_a_step_of_a_lesson_leads_to_its_heading(lab):
    page = lab("lessons?lesson=epsilon", charts=0)
    heading = page.get_by_role("heading", level=1)
    enter(page.get_by_role("spinbutton").first, "60")
    expect(button(page, "Lock in my guess")).to_be_enabled()
    for name, words in (("Lock in my guess", "You said"), ("Why?", "Why"), ("Back", "You said")):
        press(page, name)
        expect(heading).to_contain_text(words)
        stays(page, heading)


@pytest.mark.soak
def test_a_teachers_lesson_leads_to_its_own_heading(lab):
    page = lab("classifier?repeats=5&steps=5&ask=How+often%3F&guess=scratch", charts=0)
    expect(page.get_by_role("heading", name="How often?")).to_be_visible()
    enter(page.get_by_role("spinbutton").first, "60")
    expect(button(page, "Lock in my guess")).to_be_enabled()
    press(page, "Lock in my guess")
    drawn(page, 1)
    stays(page, page.get_by_role("heading", name="How often?"))


@pytest.mark.parametrize(
    "path",
    [
        "",
        *TEXTS,
        "classifier?pin=~mine~clip_norm~0.5",
        *(pytest.param(one, marks=pytest.mark.soak) for one in ALIKE_TEXTS),
    ],
)
def test_another_page_breaks_no_rule_of_axe(lab, path):
    page = lab(path, charts=3 if "?pin=" in path else 0)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator(UNFOLDS).evaluate_all("all => all.forEach(one => one.click())")
    obeys(page)
