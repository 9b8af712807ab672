"""What a screen reader and the keyboard find: axe-core's rules on every page, one stop a chart, what is read out."""

import re
from collections.abc import Collection
from itertools import groupby
from pathlib import Path

import axe_playwright_python
import pytest
from playwright.sync_api import Page, expect

from pages.attack.parameters import PARTS
from tests.browser.person import PATIENCE, darken, drawn, grab, slider, still, sweep

AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js").read_text("utf-8")
# The strokes inside of a picture take axe long, and are one picture to a screen reader; a drawing with anything in it
# that can have the focus is not left out. What passed is not written up.
RUN = """async () => {
  const focusable = "a[href], button, input, [tabindex]"
  const exclude = [...document.querySelectorAll("[role=img] .main-svg")].filter(one => !one.querySelector(focusable))
  const found = await axe.run({ include: [document], exclude }, { resultTypes: ["violations"] })
  return found.violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target}`))
}"""
LOOKS = 3
PAGES = ["", "classifier", "network", "regression", "mechanisms", "accounting", "transfer", "parties"]
PAGES += ["hypotheses?repeats=3", *(f"attack?part={part}" for part in PARTS), "classifier?pin=~mine~clip_norm~0.5"]
TEXTS = ["glossary", "glossary?term=clipping", "works", "choosing"]
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


def broken(page: Page, *, ignored: Collection[str] = ()) -> list[str]:
    """The rules that a page breaks at rest, and where. A page that changes while axe looks is looked at again: half way
    between two colours no contrast is enough.
    """
    page.evaluate(AXE)
    for _ in range(LOOKS):
        still(page)
        found = [one for one in page.evaluate(RUN) if one.partition(":")[0] not in ignored]
        if not found:
            break
    return found


@pytest.fixture
def classifier(page, serve):
    """The classifier with few runs, all of its work done."""
    opened = page(f"{serve('app.py')}/classifier?repeats=5&steps=5")
    drawn(opened, charts=3)
    expect(opened.get_by_role("progressbar")).to_have_count(0, timeout=PATIENCE)
    return opened


@pytest.mark.parametrize("path", [*PAGES, *TEXTS])
def test_no_page_breaks_a_rule(page, serve, path):
    """Wide and light, then narrow and dark, with all that can be unfolded open."""
    opened = page(f"{serve('app.py')}/{path}", width=1200, height=900)
    if path in ("", *TEXTS):
        expect(opened.get_by_role("heading", level=1)).to_be_visible()
    else:
        drawn(opened, charts=1)
        expect(opened.get_by_role("tab").first).to_be_visible(timeout=PATIENCE)
        opened.locator("details:not([open]) > summary").evaluate_all("all => all.forEach(one => one.click())")
    assert broken(opened) == []
    darken(opened)
    opened.set_viewport_size({"width": 390, "height": 900})
    assert broken(opened) == []


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
    for key, button in (
        ("ArrowRight", "SVG"),
        ("End", "Reset axes"),
        ("ArrowRight", "PNG"),
        ("ArrowLeft", "Reset axes"),
    ):
        classifier.keyboard.press(key)
        expect(bar.get_by_role("button", name=button)).to_be_focused()
    classifier.keyboard.press("Shift+Tab")
    classifier.keyboard.press("Tab")
    expect(bar.get_by_role("button", name="Reset axes")).to_be_focused()
    classifier.keyboard.press("Home")
    with classifier.expect_download() as saved:
        classifier.keyboard.press("Enter")
    assert saved.value.suggested_filename.endswith(".png")


def test_what_was_zoomed_is_reset_by_key(demo):
    page = demo()
    chart = page.get_by_role("img", name=re.compile("^Demo lines"))
    ranges = "node => [node._fullLayout.xaxis.range, node._fullLayout.yaxis.range].flat()"
    whole = chart.evaluate(ranges)
    box = chart.locator(".nsewdrag").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.7, steps=5)
    page.mouse.up()
    page.wait_for_function("node => node._fullLayout.xaxis.range[1] < 0.9", arg=chart.element_handle())
    reset = page.locator("[data-chart]", has=chart).get_by_role("button", name="Reset axes")
    reset.focus()
    reset.press("Enter")
    page.wait_for_function("node => node._fullLayout.xaxis.range[1] >= 0.9", arg=chart.element_handle())
    assert chart.evaluate(ranges) == pytest.approx(whole)


def test_the_live_region_stays_and_tells_a_drag_once(classifier):
    classifier.evaluate(LISTEN)
    track = grab(classifier)
    classifier.evaluate(PAUSES)
    sweep(classifier, track, 30)
    classifier.mouse.up()
    classifier.wait_for_url("**/*epsilon=*", timeout=PATIENCE)
    classifier.wait_for_function("() => told.length > 0", timeout=PATIENCE)
    classifier.wait_for_timeout(2500)
    told, pauses = classifier.evaluate("[told, pauses]")
    assert classifier.evaluate("region.isConnected && region.getAttribute('role') === 'status'")
    assert 1 <= len(told) <= 1 + pauses
    assert f"accuracy {classifier.locator('.lab-odds').text_content()}" in slider(classifier).get_attribute(
        "aria-valuetext"
    ).replace("at most ", "")
    shown = f"{classifier.locator('.lab-numbers').text_content()} {classifier.locator('.lab-verdict').text_content()}"
    parts = [part for sentence in told[-1].split(". ") for part in sentence.removesuffix(".").split(": ")]
    assert [part for part in parts if part not in shown] == []
    assert classifier.locator(".lab-verdict[role], .lab-verdict[aria-live]").count() == 0


def test_only_what_changed_is_told(page, serve):
    """Without privacy the first sentence is the same whatever moves."""
    opened = page(f"{serve('app.py')}/classifier?repeats=5&steps=5&version=none")
    drawn(opened, charts=2)
    expect(opened.get_by_role("progressbar")).to_have_count(0, timeout=PATIENCE)
    opened.evaluate(LISTEN)
    slider(opened, "Steps").press("ArrowRight")
    opened.wait_for_function("() => told.length > 0", timeout=PATIENCE)
    assert "not private" in opened.locator(".lab-verdict").text_content()
    assert "not private" not in opened.evaluate("told[0]")


@pytest.mark.parametrize(
    ("path", "name"), [("classifier?repeats=5&steps=5", "Epsilon"), ("accounting", "Noise multiplier")]
)
def test_a_value_says_what_it_means_for_an_attacker(page, serve, path, name):
    """The bound in the page's own verdict, for this very value; while it moves, the value alone."""
    opened = page(f"{serve('app.py')}/{path}")
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
