"""One question, one screen: what a page shows without scrolling, on screens of several sizes."""

from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from pages.attack.parameters import PARTS
from pages.table import PAGES
from scripts.fingerprints import seen
from tests.browser.person import PATIENCE, drawn, slider

PATHS = [page.name for page in PAGES if page.name != "attack"] + [f"attack?part={part}" for part in PARTS]
# Where numbers, sentence and the first row of charts end, in pixels from above.
ENDS = """() => Object.fromEntries([".lab-numbers", ".lab-verdict", ".st-key-pictures [data-chart]"].map((where) =>
  [where, Math.max(...[...document.querySelectorAll(where)].map((one) => one.getBoundingClientRect().bottom))]))"""
LINES = "(words) => Math.round(words.clientHeight / parseFloat(getComputedStyle(words).lineHeight))"
BOTTOM = "(box) => box.getBoundingClientRect().bottom"
# What is wider than the room it has: the page, and whatever in it is cut without a scroll bar of its own.
WIDE = """() => [...document.querySelectorAll(
    "[data-testid=stMain], [data-testid=stMainBlockContainer], .lab-tile, .lab-tile > *, .lab-verdict, .st-key-setup")]
  .filter((box) => box.scrollWidth > box.clientWidth + 1 && getComputedStyle(box).display !== "inline")
  .map((box) => `${box.className || box.dataset.testid}: ${box.textContent.slice(0, 60)}`)"""
# What can be chosen, and is beyond the edge of its row or under the buttons at its end.
UNSEEN = """() => {
  const buttons = document.querySelector(".st-key-resets button").getBoundingClientRect()
  const hidden = (one) => {
    const box = one.getBoundingClientRect()
    const under = box.right > buttons.left + 1 && box.top < buttons.bottom && box.bottom > buttons.top
    return under || box.right > one.parentElement.getBoundingClientRect().right + 1
  }
  return [...document.querySelectorAll(".st-key-setup [role=radio]")].filter(hidden).map((one) => one.textContent)
}"""
# Words that are smaller than 12 pixels, and can be seen.
SMALL = """() => {
  const words = []
  const look = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) look(node.shadowRoot)
      const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim())
      if (!own || !node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
      if (node.closest("math, .katex, sup, sub, [data-testid=stIconMaterial], script, style")) continue
      if (parseFloat(getComputedStyle(node).fontSize) < 12) words.push(node.textContent.slice(0, 40))
    }
  }
  look(document.body)
  return words
}"""
# Heights of letters on the page and in its first chart, in pixels.
LETTERS = """(places) => Object.fromEntries(places.map((where) => {
  const roots = [document, ...[...document.querySelectorAll("*")].flatMap((one) => one.shadowRoot ?? [])]
  const found = roots.map((root) => root.querySelector(where)).find((one) => one)
  return [where, parseFloat(getComputedStyle(found).fontSize) * found.currentCSSZoom]
}))"""
LETTERED = (".lab-verdict", ".lab-tile b", "[role=tab] p", ".label", ".hero .label", ".field")
LETTERED_IN_CHARTS = (".gtitle", ".xtick text", ".ytick text", ".xtitle", ".legendtext", ".annotation-text")
SIZES = {
    "projector": (1920, 1080),
    "laptop": (1280, 800),
    "tablet": (1024, 768),
    "frame": (800, 600),
    "phone": (390, 844),
}


@pytest.fixture
def opened(page, serve):
    """opened(path, width, height) -> the page, drawn."""

    def open_page(path: str, width: int, height: int):
        here = page(f"{serve('app.py')}/{path}", width=width, height=height)
        drawn(here, charts=1)
        expect(here.get_by_role("tab").first).to_be_attached(timeout=PATIENCE)
        here.wait_for_function("() => !document.querySelector('[data-waiting]')", timeout=PATIENCE)
        return here

    return open_page


@pytest.mark.parametrize("path", PATHS)
def test_the_answer_is_in_the_first_screen(opened, path):
    """At 1440 x 900: numbers, sentence and the first row of charts, uncut, in letters that can be read."""
    page = opened(path, 1440, 900)
    ends = page.evaluate(ENDS)
    assert len(ends) == 3
    assert all(0 < end <= 900 for end in ends.values()), ends
    assert page.evaluate(WIDE) == []
    assert page.evaluate(SMALL) == []
    assert page.locator(".lab-tile").count() in (3, 4)
    assert page.locator(".hero .label").evaluate(LINES) == 1
    below = page.locator(".st-key-beside").bounding_box()["y"] - page.locator(".panel").evaluate(BOTTOM)
    assert 0 < below < 40, "what stands under the knobs stands right under them"
    assert page.locator(".st-key-pictures [data-chart]").count() in (2, 3)
    assert seen(page) <= 150


@pytest.mark.parametrize("path", PATHS)
def test_nothing_is_cut_on_other_screens_and_the_knob_stays_beside_its_chart(opened, path):
    page = opened(path, 1440, 900)
    for name, (width, height) in SIZES.items():
        page.set_viewport_size({"width": width, "height": height})
        with suppress(TimeoutError):  # a chart takes its new width when it is drawn
            page.wait_for_function(f"() => !({WIDE})().length && !({UNSEEN})().length")
        assert page.evaluate(WIDE) == [], name
        assert page.evaluate(SMALL) == [], name
        assert page.evaluate(UNSEEN) == [], name
        if name == "tablet":
            assert page.get_by_role("tablist").evaluate("tabs => tabs.scrollWidth <= tabs.clientWidth")
        chart = page.locator(".st-key-pictures [data-chart]").first
        chart.scroll_into_view_if_needed()
        expect(chart).to_be_in_viewport()
        expect(slider(page, page.get_by_role("slider").first.get_attribute("aria-label"))).to_be_in_viewport()


def test_on_a_large_screen_all_letters_are_larger_by_a_quarter(opened):
    """From 1,700 pixels on, on the page, in the panel and in figures."""
    page, sizes = opened("classifier", 1440, 900), {}
    for width in (1440, 1699, 1700, 1920):
        page.set_viewport_size({"width": width, "height": 1080})
        scale = 1.25 if width >= 1700 else 1.0
        page.wait_for_function(
            "size => document.querySelector('.gtitle').style.fontSize === `${size}px`", arg=15 * scale, timeout=PATIENCE
        )
        sizes[width] = page.evaluate(LETTERS, [*LETTERED, *LETTERED_IN_CHARTS])
        assert sizes[width] == pytest.approx({where: scale * size for where, size in sizes[1440].items()}), width


def test_home_moves_at_once(page, serve):
    """Its picture and its knob are in the first screen, and the picture follows the knob."""
    home = page(serve("app.py"), width=1440, height=900)
    drawn(home, charts=1)
    picture = home.locator(".st-key-pictures [data-chart] [role=img]")
    before = picture.get_attribute("aria-label")
    for thing in (picture, slider(home), home.locator(".lab-numbers"), home.get_by_text("Guess first, then see")):
        expect(thing).to_be_in_viewport(ratio=1)
    slider(home).press("PageUp")
    expect(picture).not_to_have_attribute("aria-label", before, timeout=PATIENCE)


def test_in_somebody_elses_page_there_is_no_head_of_ours(opened):
    """In a frame of 800 x 600: no navigation, the knob and the first chart in view at once."""
    page = opened("classifier?embed=true", 800, 600)
    expect(page.get_by_test_id("stTopNavLink")).to_have_count(0)
    expect(page.get_by_test_id("stHeader")).to_be_hidden()
    expect(slider(page)).to_be_in_viewport(ratio=1)
    expect(page.locator(".st-key-pictures [data-chart]").first).to_be_in_viewport()


PRESS = """() => {
  const press = (tab) => ["pointerdown", "mousedown", "pointerup", "mouseup", "click"].forEach((name) =>
    tab.dispatchEvent(new (/pointer/.test(name) ? PointerEvent : MouseEvent)(name, { bubbles: true, button: 0 })))
  new MutationObserver((changes, all) => {
    const off = changes.map(({ target }) => target).find((one) =>
      one.role === "tab" && one.ariaDisabled === "true" && /Share/.test(one.textContent))
    if (!off) return
    all.disconnect()
    press(off)
    globalThis.pressed = off.ariaSelected
  }).observe(document, { subtree: true, attributes: true, attributeFilter: ["aria-disabled"] })
}"""


def test_a_tab_that_is_pressed_in_the_moment_in_which_it_is_off_opens(page, slow):
    """Streamlit turns tabs off for some milliseconds at each run that a page asks for while it computes."""
    opened = page(f"{slow.address}/parties")
    drawn(opened, charts=1)
    opened.evaluate(PRESS)
    for _ in range(20):  # not every computation lasts for more than one run
        opened.get_by_role("button", name="Resample").click()
        with suppress(TimeoutError):
            opened.wait_for_function("() => globalThis.pressed", timeout=PATIENCE / 20)
            break
    assert opened.evaluate("globalThis.pressed") == "false", "it was off"
    expect(opened.get_by_role("tab", name="Share")).to_have_attribute("aria-selected", "true", timeout=PATIENCE)
