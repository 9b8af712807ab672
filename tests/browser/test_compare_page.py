"""A pin in a real browser: the ghost stands still while the page moves, and the link brings it back."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE, SHOWN, drag_until, drawn, slider

# Notes what the columns of the table say, how often the maps of A and of B change, and how often they are painted.
NOTE = f"""() => {{
  const shown = {SHOWN}
  const [mine, theirs] = ["map.scratch", "map.scratch.pinned"]
    .map((name) => document.querySelector(`[data-chart="${{name}}"]`))
  window.seen = {{ a: new Set(), b: new Set(), mine: new Set(), theirs: new Set(), painted: 0 }}
  const look = () => {{
    for (const row of document.querySelectorAll(".lab-compare-moving tr")) {{
      const [label, a, b] = [...row.children].map(({{ textContent }}) => textContent)
      if (/^Private accuracy/.test(label)) seen.a.add(a), seen.b.add(b)
    }}
    seen.painted += Boolean(mine.querySelector("canvas"))
    seen.mine.add(shown(mine))
    seen.theirs.add([...theirs.querySelectorAll(".shapelayer path")].map((one) => one.getAttribute("d")).join())
    requestAnimationFrame(look)
  }}
  look()
}}"""
COMPARED = ".lab-compare"


@pytest.fixture
def classifier(page, serve):
    """classifier(query) -> the page with two charts at least, drawn."""

    def open_page(query: str = "") -> Page:
        opened = page(f"{serve('app.py')}/classifier?repeats=4&{query}", width=1440, height=900)
        drawn(opened, 3)
        return opened

    return open_page


def press(page: Page, label: str) -> None:
    page.get_by_role("button", name=label, exact=True).click()


def row(page: Page, label: str, *cells: str) -> None:
    """Wait until a row of the table says this."""
    found = page.locator(f"{COMPARED} tr", has=page.get_by_role("rowheader", name=label, exact=True))
    expect(found.get_by_role("cell")).to_have_text(list(cells), timeout=PATIENCE)


def test_a_drag_moves_the_page_and_leaves_the_pin(classifier):
    page = classifier("pin=~~repeats~4")
    expect(page.locator("[data-chart='map.scratch.pinned'] .gtitle")).to_contain_text("B", timeout=PATIENCE)
    page.evaluate(NOTE)
    drag_until(page, lambda: page.evaluate("Math.min(seen.mine.size, seen.painted)"), least=8)
    sizes = page.evaluate("Object.fromEntries(Object.entries(seen).map(([name, one]) => [name, one.size]))")
    assert sizes["a"] > 1, "the table follows the finger"
    assert sizes["b"] == sizes["theirs"] == 1, "B stands still"
    slider(page).press("Home")
    row(page, "Epsilon", "0.01", "0.5", "")


@pytest.mark.parametrize("path", ["hypotheses", "parties", "what-if"])
def test_the_knobs_stay_when_settings_are_pinned(page, serve, path):
    opened = page(f"{serve('app.py')}/{path}", width=1440, height=900)
    drawn(opened, 2)
    knobs = opened.get_by_role("slider").count()
    press(opened, "Pin for comparison")
    opened.wait_for_url(re.compile("pin="), timeout=PATIENCE)
    expect(opened.get_by_role("button", name="Unpin")).to_be_visible()
    expect(opened.get_by_role("slider")).to_have_count(knobs)
    slider(opened, "Target" if path == "what-if" else "Epsilon").press("ArrowRight")
    expect(opened.locator(f"{COMPARED} td").first).to_be_visible(timeout=PATIENCE)
    opened.reload()
    expect(opened.get_by_role("slider")).to_have_count(knobs, timeout=PATIENCE)
    press(opened, "Unpin")
    opened.wait_for_url(lambda address: "pin=" not in address, timeout=PATIENCE)
    expect(opened.get_by_role("slider")).to_have_count(knobs)


def test_pin_swap_reload_unpin(classifier):
    page = classifier()
    expect(page.locator(COMPARED)).to_have_count(0)
    press(page, "Pin for comparison")
    expect(page.locator(COMPARED)).to_contain_text("The accuracy is equal in A and B", timeout=PATIENCE)
    slider(page, "Clipping norm").press("End")
    row(page, "Clipping norm", "100", "1", "")
    expect(page.locator("[data-knob=clip_norm] .mark")).to_have_text("B")
    press(page, "Swap")
    row(page, "Clipping norm", "1", "100", "")
    page.wait_for_url(re.compile(r"clip_norm=1\.0&.*pin=~~clip_norm~100\.0"), timeout=PATIENCE)
    page.reload()
    row(page, "Clipping norm", "1", "100", "")
    press(page, "Unpin")
    expect(page.locator(COMPARED)).to_have_count(0, timeout=PATIENCE)
    page.wait_for_url(lambda address: "pin=" not in address, timeout=PATIENCE)
    expect(page.locator("[data-chart='map.public']")).to_be_visible()
