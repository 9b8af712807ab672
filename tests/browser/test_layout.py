"""The layout in forced colours and on narrow screens."""

import io

import pytest
from PIL import Image
from playwright.sync_api import Locator, expect

from pages.topics import HEADS
from tests.browser.person import button, first_slider
from tests.browser.sight import becomes, rests, still
from tests.browser.test_smoke import PATHS, QUICK

# What ends beyond the right edge of the window and is in no box that scrolls or cuts it off within
# the window.
BEYOND = """() => {
  const within = (box) => box.getBoundingClientRect().right <= innerWidth + 1
  const cut = (node) => {
    for (let box = node.parentElement; box; box = box.parentElement) {
      if (getComputedStyle(box).overflowX !== "visible" && within(box)) return box !== document.documentElement &&
        !box.matches("[data-testid=stMain], [data-testid=stAppViewContainer], [data-testid=stApp], body, #root")
    }
    return false
  }
  return [...document.querySelectorAll("[data-testid=stApp] *")]
    .filter((one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((one) => one.getBoundingClientRect().width > 1 && !within(one) && !cut(one))
    .map((one) => one.outerHTML.slice(0, 120)).slice(0, 3)
}"""


def painted(thing: Locator) -> Image.Image:
    """Return what an element looks like."""
    return Image.open(io.BytesIO(thing.screenshot(animations="disabled"))).convert("RGB")


def ground(thing: Locator) -> str:
    """Return the colour of an element's background, as CSS writes it."""
    return thing.evaluate("one => getComputedStyle(one).backgroundColor")


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_forced_colours_show_the_track_what_is_chosen_and_the_focus(lab, dark):
    page = lab("classifier", width=1440, dark=dark, forced=True)
    still(page)
    app = ground(page.locator("html"))

    track = painted(first_slider(page))
    middle = track.height // 2
    left, right, above = (
        track.getpixel(place) for place in ((8, middle), (track.width - 8, middle), (8, 2))
    )
    assert left != above, "the part of the track up to the thumb"
    edge = {track.getpixel((track.width - 8, y)) for y in range(track.height)}
    assert len(edge) > 1, "the rest of the track has an outline"
    assert left != right

    chosen, other = (
        page.locator(f".st-key-setup [role=radio][aria-checked={state}]").first
        for state in ("true", "false")
    )
    assert ground(chosen) != ground(other)
    letters = chosen.locator("p").evaluate("one => getComputedStyle(one).color")
    assert letters != ground(chosen)
    assert (
        ground(page.locator("[role=tab][aria-selected=true] .react-aria-SelectionIndicator")) != app
    )

    other.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"

    dots = page.locator(".lab-dots > i").first
    assert ground(dots) not in (app, "rgba(0, 0, 0, 0)")
    chart = page.locator(".st-key-pictures [data-chart]").first
    title = chart.locator(".gtitle").evaluate("one => getComputedStyle(one).fill")
    assert ground(chart) not in (title, "rgba(0, 0, 0, 0)")


def test_forced_colours_show_whether_a_box_is_ticked(lab):
    page = lab("data", charts=0, width=1440, forced=True)
    button(page, "Use the customers table").click()
    page.get_by_role("combobox", name="monthly_spend is used as").click()
    page.get_by_role("option", name="Predict number").click()
    box = page.locator("[data-testid=stCheckbox]").first
    square = box.locator("label > span + div")
    ticked = box.locator("input").is_checked()
    before = ground(square)

    box.locator("label").click()

    expect(box.locator("input")).to_be_checked(checked=not ticked)
    assert ground(square) != before


@pytest.mark.parametrize(
    "path", [*PATHS, *(name for name in HEADS if name not in PATHS and name != "attack")]
)
def test_nothing_ends_beyond_the_right_edge_at_a_zoom_of_four(lab, path):
    """320 px is what a screen of 1280 px has at 400 %."""
    page = lab(QUICK.get(path, path), charts=0, width=320, height=640)
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    rests(page)
    becomes(page, BEYOND, [])


def top(thing: Locator) -> float:
    """Return how far the upper edge of an element is below that of the window, in pixels."""
    return thing.bounding_box()["y"]


def bottom(thing: Locator) -> float:
    """Return how far the lower edge of an element is below the window's upper one, in pixels."""
    box = thing.bounding_box()
    return box["y"] + box["height"]


def test_on_a_phone_the_drawer_has_its_own_row_and_the_sentence_stands_between_numbers_and_charts(
    lab,
):
    page = lab("classifier", width=390, height=844)
    still(page)
    assert top(page.locator(".panel .more > summary")) >= bottom(page.locator(".hero .notes"))
    verdict = page.locator(".lab-verdict")
    assert bottom(page.locator(".lab-numbers")) <= top(verdict)
    assert bottom(verdict) <= top(page.locator(".st-key-pictures [data-chart]").first)
    opener = button(page, "Menu")
    expect(opener).to_be_visible()
    assert opener.evaluate("one => getComputedStyle(one, '::after').content") == '"Menu"'
    opener.click()
    expect(page.get_by_role("link", name="Glossary")).to_be_visible()


@pytest.mark.parametrize("width", [1400, 1440, 1600])
def test_the_choices_of_parties_and_the_button_that_resets_stand_in_one_row(lab, width):
    page = lab(QUICK["parties"], charts=1, width=width, height=900)
    still(page)

    reset = button(page, "Reset or resample")

    assert top(reset) < bottom(page.locator(".st-key-choice-dataset"))
