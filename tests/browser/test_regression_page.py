"""The regression page in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE, SHOWN, drag_until, drawn, field, look_at, slider

CHARTS = 3
# Notes every verdict, and every picture of the noisy surface and of the errors.
NOTE_PICTURES = f"""() => {{
  window.verdicts = new Set()
  window.surfaces = new Set()
  window.strokes = new Set()
  const shown = {SHOWN}
  const look = () => {{
    verdicts.add(document.querySelector(".lab-verdict")?.textContent)
    surfaces.add(shown(document.querySelector("[data-chart=noisy]")))
    strokes.add(shown(document.querySelector("[data-chart=errors]")))
    requestAnimationFrame(look)
  }}
  look()
}}"""
# On a phone the picture of errors is out of view, and follows when the drag is over.
SEEN = {
    1440: "Math.min(verdicts.size, surfaces.size, strokes.size)",
    390: "Math.min(verdicts.size, surfaces.size)",
}


@pytest.fixture
def regression(page, serve):
    """regression(query, **how) -> the page, drawn."""

    def open_regression(query: str = "", *, charts: int = CHARTS, **how) -> Page:
        opened = page(f"{serve('app.py')}/regression{query}", **how)
        drawn(opened, charts)
        return opened

    return open_regression


def shows(page: Page, words: str) -> None:
    expect(page.locator(".lab-verdict")).to_contain_text(words, timeout=PATIENCE)


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_the_answers_fall_over_while_epsilon_is_dragged(regression, width, dark):
    page = regression(width=width, height=900, dark=dark, touch=width < 500)
    look_at(page, "[data-chart=noisy]")
    page.evaluate(NOTE_PICTURES)
    drag_until(page, lambda: page.evaluate(SEEN[width]), 4)
    page.wait_for_function("() => surfaces.size > 1 && strokes.size > 1")
    epsilon = float(field(page).input_value())
    page.wait_for_function(
        "epsilon => Number(new URLSearchParams(location.search).get('epsilon')) === epsilon", arg=epsilon
    )


def choose(page: Page, mechanism: str) -> None:
    page.get_by_role("combobox", name="Mechanism").click()
    page.get_by_role("option", name=mechanism, exact=True).click()


def test_every_method_says_its_own(regression):
    page = regression("?epsilon=0.1")
    shows(page, "the noisy objective has no minimum")
    choose(page, "Tight sensitivity")
    page.wait_for_url("**mechanism=functional*")
    shows(page, "to 21.")
    choose(page, "Output perturbation")
    page.wait_for_url("**mechanism=output*")
    expect(page.locator("[data-chart=noisy]")).to_have_count(0)  # no quadratic is released


def test_at_rest_the_tables_are_complete(regression):
    page = regression("?dataset=diabetes&repeats=10")
    table = page.locator(".lab-table")
    page.get_by_role("tab", name="All methods").click()
    expect(table).to_contain_text("DP gradient descent", timeout=PATIENCE)
    page.get_by_role("tab", name="Coefficients").click()
    expect(table).to_contain_text("blood sugar", timeout=PATIENCE)
    slider(page, "Features").press("Home")
    expect(table).not_to_contain_text("blood sugar", timeout=PATIENCE)
    page.wait_for_url("**features=2*")


def test_nothing_is_wider_than_a_phone(regression):
    page = regression("?dataset=diabetes&repeats=5", width=390, height=844, touch=True)
    wide = page.evaluate(
        "() => [...document.querySelectorAll('[data-testid=stMain], [data-testid=stMainBlockContainer]')]"
        ".some(box => box.scrollWidth > box.clientWidth + 1)"
    )
    assert not wide
