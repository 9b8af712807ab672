"""Nothing moves while the first slider of a page is dragged over its whole range."""

import pytest
from playwright.sync_api import Page

from tests.browser.person import first_slider, grab
from tests.browser.sight import STILL, still
from tests.browser.test_smoke import PATHS, QUICK

# Where the elements of a page are: the lowest and the highest left and upper edge of each since the
# page was watched.
WATCH = """() => {
  const places = window.places = {}
  const look = () => {
    const all = document.querySelectorAll(".lab-tile, .lab-verdict, .st-key-pictures [data-chart], .panel," +
      ".st-key-pictures .nsewdrag[data-subplot=xy], .lab-words-caption, [role=tablist], .st-key-below," +
      ".st-key-compare")
    for (const one of all) {
      const { left, top, width } = one.getBoundingClientRect()
      if (!width) continue
      const chart = one.closest("[data-chart]")?.dataset.chart ?? ""
      const place = [...one.parentElement.children].indexOf(one)
      const name = [chart, [...one.classList].find((word) => /^(lab|st-key|nsew)/.test(word)), place].join(" ")
      const [least, most] = places[name] ??= [[left, top], [left, top]]
      for (const [axis, at] of [left, top].entries()) {
        least[axis] = Math.min(least[axis], at)
        most[axis] = Math.max(most[axis], at)
      }
    }
    requestAnimationFrame(look)
  }
  look()
}"""
MOVED = """() => Object.entries(window.places)
  .filter(([, [least, most]]) => most.some((at, axis) => at - least[axis] > 2))
  .map(([name, [least, most]]) => [name, ...most.map((at, axis) => Math.round(at - least[axis]))])"""
# Pages on which a phone's layout is tested at a commit; on the others, at night.
ON_PHONES = ("", "classifier", "parties", "what-if")


def cases() -> list:
    """Return path and width of each page, wide and on a phone."""
    found = []
    for path in ("", *PATHS):
        found.append(pytest.param(path, 1440))
        marks = []
        if path not in ON_PHONES:
            marks.append(pytest.mark.soak)
        found.append(pytest.param(path, 390, marks=marks))
    return found


def drag_over_all(page: Page) -> None:
    """Drag the first slider to both ends and between, and wait at each place until all of it is
    shown.
    """
    name = first_slider(page).get_attribute("aria-label")
    left, width, height = grab(page, name)
    for share in (0.6, 0.8, 1, 0.7, 0.4, 0.25, 0.1, 0, 0.5):
        page.mouse.move(left + 1 + share * (width - 2), height, steps=3)
        page.wait_for_function(STILL)
    page.mouse.up()


@pytest.mark.parametrize(("path", "width"), cases())
def test_nothing_moves_while_the_first_slider_is_dragged(lab, path, width):
    page = lab(QUICK.get(path, path), charts=1, width=width, height=900)
    still(page)
    page.evaluate(WATCH)
    drag_over_all(page)
    still(page)
    assert page.evaluate(MOVED) == []
