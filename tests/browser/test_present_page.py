"""A page presented, in a real browser: what a hall can read, keys and stops."""

import re
from functools import partial

import pytest
from playwright.sync_api import Page, expect

from pages.classifier.settings import ClassifierSettings
from tests.browser.person import button, field, slider
from tests.browser.sight import VERDICT, WORDS, addressed, becomes, drawn, still
from tests.browser.test_smoke import PATHS, QUICK

SHORT = ("classifier", "attack?part=inversion")
# Height of a screen -> its width, and the smallest letters on it, in pixels.
SCREENS = {1080: (1920, 24), 720: (1280, 16)}
resting = partial(addressed, usual=ClassifierSettings())
# What does not fit.
WIDER = """() => [...document.querySelectorAll(".lab-verdict, .lab-tile, .lab-tile > *, [data-testid=stMain]")]
  .filter((box) => (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 2)
    && getComputedStyle(box).display !== "inline").map((box) => box.textContent.slice(0, 60))"""
# Whether the chart has taken its size.
FILLS = """([width, height]) => document.querySelector('.main-svg').clientWidth < 0.75 * width
  && Math.abs(document.querySelector('.main-svg').clientHeight / height - 0.6) < 0.2"""


@pytest.fixture
def presented(lab):
    """presented(path, **how) -> the page, presented, and its picture drawn."""

    def present(path: str, *, width: int = 1920, height: int = 1080) -> Page:
        """Return the page at this path, presented, once a chart is drawn and none waits."""
        page = lab(
            f"{path}{'&' if '?' in path else '?'}present=1", charts=1, width=width, height=height
        )
        expect(button(page, "Leave (Escape)")).to_be_visible()
        page.wait_for_function("() => !document.querySelector('[data-waiting]')")
        return page

    return present


def at(page: Page, stop: int, of: int, epsilon: str | None = None) -> None:
    """Wait until this stop is shown, and this value."""
    expect(page.get_by_role("group", name="Presentation").get_by_role("status")).to_have_text(
        f"{stop} / {of}"
    )
    if epsilon:
        expect(field(page)).to_have_value(epsilon)


@pytest.mark.parametrize(
    "path", [one if one in SHORT else pytest.param(one, marks=pytest.mark.soak) for one in PATHS]
)
def test_a_hall_can_read_all_of_it(presented, path):
    page = presented(QUICK.get(path, path))
    hero = page.locator(".panel").get_by_role("slider")
    picture = page.locator("[data-chart] [role=img]")
    for height, (width, least) in SCREENS.items():
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function(FILLS, arg=[width, height])
        becomes(page, f"() => ({WORDS})().filter(([size]) => size < {least - 0.01})", [])
        expect(page.locator("[data-chart]")).to_have_count(1)
        expect(hero).to_have_count(1)
        expect(page.locator(".lab-tile")).to_have_count(3)
        for where in (picture, hero, page.locator(f"{VERDICT} h1")):
            expect(where).to_be_in_viewport(ratio=1)
        seen = page.evaluate(WORDS)
        assert len(seen) > 15
        assert [
            one for one in seen if min(one[2:]) < -1 or one[4] > width + 1 or one[5] > height + 1
        ] == []
        assert page.evaluate(WIDER) == []
    for gone in ("stHeader", "stAlert"):
        expect(page.get_by_test_id(gone)).to_be_hidden()
    expect(page.get_by_role("tab")).to_have_count(0)


def test_page_keys_step_and_arrows_move(lab):
    """With the slider focused as without. The address follows, and a reload is at the same stop."""
    page = lab("classifier?epsilon=0.5", width=1920, height=1080)
    still(page)  # no run replaces the button
    button(page, "Present").click()
    at(page, 2, 5)
    slider(page).press("PageDown")
    at(page, 3, 5, "1")
    resting(page, epsilon="1.0")
    slider(page).press("ArrowRight")
    at(page, 3, 5, "1.06")
    slider(page).evaluate("one => one.blur()")
    for stop, value in ((2, "0.1"), (1, "0.01"), (5, "100")):
        page.keyboard.press("PageUp")
        at(page, stop, 5, value)
    resting(page, epsilon="100.0")
    page.reload()
    drawn(page, 1)
    at(page, 5, 5, "100")
    button(page, "Previous stop (Page Up)").click()
    at(page, 4, 5, "10")


def test_a_presented_page_can_be_blanked_and_shown_full_with_another_chart_and_left(presented):
    page = presented("classifier?epsilon=0.7")
    page.evaluate(
        "Element.prototype.requestFullscreen = () => Promise.resolve(window.filled = true)"
    )
    blank = page.locator(".lab-blank")
    slider(page).press("b")
    expect(blank).to_be_visible()
    page.keyboard.press("Escape")
    expect(blank).to_have_count(0)
    page.keyboard.press("f")
    assert page.evaluate("window.filled")
    page.keyboard.press("p")
    expect(page.locator("[data-chart='map.scratch']")).to_be_visible()
    page.wait_for_url("**present=map.scratch*")
    slider(page).press("ArrowRight")
    page.keyboard.press("Escape")
    expect(page.get_by_role("tablist")).to_be_visible()
    expect(page.locator(".st-key-pictures [data-chart]")).to_have_count(3)
    resting(page, epsilon="0.75")
    assert not re.search("[?&]present=", page.url)
    size = "one => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom"
    assert page.locator(".hero .label").evaluate(size) == pytest.approx(22.5), (
        "letters are as they were"
    )
    page.keyboard.press("PageDown")  # it has no meaning any more
    slider(page).press("ArrowRight")
    resting(page, epsilon="0.794")


def test_in_somebody_elses_page_and_on_a_phone_it_is_whole_too(presented):
    page = presented("classifier?embed=true", width=1000, height=640)
    for where in (page.locator("[data-chart]"), slider(page), page.locator(f"{VERDICT} h1")):
        expect(where).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 390, "height": 844})
    expect(page.locator("[data-chart] .main-svg").first).to_be_visible()
    page.keyboard.press("PageDown")
    at(page, 3, 5)
    page.wait_for_function(
        "() => document.querySelector('[data-testid=stMain]').scrollWidth <= 390"
    )
