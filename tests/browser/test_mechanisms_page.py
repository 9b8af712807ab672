"""The page of mechanisms in a real browser, as a visitor uses it."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE, SHOWN, drag_until, drawn, field, look_at, slider

CHARTS = 2
# Notes every picture of the densities, and all that the verdict says.
NOTE = f"""() => {{
  window.curves = new Set()
  window.spoken = new Set()
  const chart = document.querySelector("[data-chart='release']"), shown = {SHOWN}
  const look = () => {{
    curves.add(shown(chart))
    spoken.add(document.querySelector(".lab-verdict")?.textContent)
    requestAnimationFrame(look)
  }}
  look()
}}"""


@pytest.fixture
def mechanisms(page, serve):
    """mechanisms(query, **how) -> the page, drawn."""

    def open_page(query: str = "", **how) -> Page:
        opened = page(f"{serve('app.py')}/mechanisms{query}", **how)
        drawn(opened, CHARTS)
        return opened

    return open_page


def says(page: Page, words: str) -> None:
    expect(page.locator(".lab-verdict")).to_contain_text(words, timeout=PATIENCE)


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)], ids=["light", "phone"])
def test_the_worlds_part_while_epsilon_is_dragged(mechanisms, width, dark):
    page = mechanisms(width=width, dark=dark, touch=width < 500)
    look_at(page, "[data-chart='release']")
    page.evaluate(NOTE)
    drag_until(page, lambda: min(page.evaluate("[curves.size, spoken.size]")), 5)
    expect(page.locator(".lab-words-caption")).to_contain_text(
        f"epsilon {float(field(page).input_value()):.3g}", timeout=PATIENCE
    )
    wide = page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollWidth - innerWidth")
    assert wide <= 1


def test_arrow_keys_step_through_the_releases(mechanisms):
    page = mechanisms("?release=1")
    card = page.locator(".lab-words-release")
    said = set()
    for number in (2, 3, 4):
        slider(page, "Sample #").press("ArrowRight")
        expect(card).to_contain_text(f"Release {number} is", timeout=PATIENCE)
        said.add(re.search(r"is ([-\d.]+)", card.inner_text())[1])
    assert len(said) == 3
    page.wait_for_url("**release=4*")


def test_a_link_shows_the_same_elsewhere(mechanisms):
    query = "?mechanism=classical&epsilon=20&prior=0.1&release=7&seed=9"
    pages = [mechanisms(query), mechanisms(query, touch=True)]  # which is another profile
    for page in pages:
        says(page, "gives only epsilon 25.4")
    first, second = (page.locator(".lab-numbers").inner_text() for page in pages)
    assert first == second
    for page in pages:
        page.get_by_role("tab", name="Compare mechanisms").click()
        expect(page.locator(".lab-table .now")).to_contain_text("broken", timeout=PATIENCE)


def test_how_it_works_opens(mechanisms):
    page = mechanisms()
    page.get_by_role("tab", name="How it works").click()
    expect(page.locator(".katex").first).to_be_visible()
    expect(page.locator(".katex-error")).to_have_count(0)
