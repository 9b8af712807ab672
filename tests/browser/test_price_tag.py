"""The point on the classifier's accuracy curve: it moves epsilon by keys and by dragging."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.person import button, hold_still, middle, slider, until
from tests.browser.sight import rests

MOST_TAB_STOPS = 10
# The element with the focus, inside of shadow roots too.
FOCUSED = """() => {
  let node = document.activeElement
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement
  return node
}"""
FINGER = 44  # pixels


@pytest.fixture
def classifier(lab) -> Page:
    """Return the page at its defaults, at rest."""
    page = lab("classifier", width=1440)
    rests(page)
    return page


def point(page: Page) -> Locator:
    """Return the point on the accuracy curve, which is a slider of epsilon."""
    return slider(page, "Epsilon on the curve")


def value_of(locator: Locator) -> float:
    """Return the value that a slider states for screen readers, NaN if it states none."""
    return float(locator.get_attribute("aria-valuenow") or "nan")


def epsilon_of(page: Page) -> float:
    """Return the value of the slider."""
    text = slider(page).get_attribute("aria-valuetext") or ""
    return float(re.match(r"[\d.]+", text)[0])


def test_the_slider_is_reached_in_ten_tab_stops(classifier):
    classifier.keyboard.press("Tab")
    expect(classifier.get_by_text("Skip to main content")).to_be_focused()
    classifier.keyboard.press("Enter")

    focused = None
    stops = 1
    while stops < MOST_TAB_STOPS and focused != "range":
        classifier.keyboard.press("Tab")
        stops += 1
        focused = classifier.evaluate_handle(FOCUSED).evaluate("node => node.type")

    expect(slider(classifier)).to_be_focused()


def test_the_point_has_role_name_and_value(classifier):
    handle = point(classifier)

    expect(handle).to_have_attribute("role", "slider")
    expect(handle).to_have_attribute("aria-label", "Epsilon on the curve")
    expect(handle).to_have_attribute("aria-valuemin", "0.01")
    expect(handle).to_have_attribute("aria-valuemax", "150")
    expect(handle).to_have_attribute("aria-valuenow", "0.5")
    text = re.compile(r"0\.5, accuracy 82.%, attacker right at most 53 of 100 guesses")
    expect(handle).to_have_attribute("aria-valuetext", text)
    box = handle.bounding_box()
    assert (box["width"], box["height"]) == pytest.approx((FINGER, FINGER), abs=0.1)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        pytest.param("ArrowRight", 0.531, id="right"),
        pytest.param("ArrowLeft", 0.473, id="left"),
        pytest.param("ArrowUp", 0.531, id="up"),
        pytest.param("Home", 0.01, id="home"),
        pytest.param("End", 150, id="end"),
    ],
)
def test_keys_move_the_point_as_they_move_the_slider(classifier, key, value):
    point(classifier).press(key)

    expect(point(classifier)).to_have_attribute("aria-valuenow", f"{value:g}")
    assert epsilon_of(classifier) == pytest.approx(value, rel=0.01)
    expect(point(classifier)).to_be_focused()
    rests(classifier)
    classifier.wait_for_url(f"**epsilon={value:g}*")


def test_the_point_is_dragged_along_the_curve(classifier):
    hold_still(point(classifier))
    x, y = middle(point(classifier))
    classifier.mouse.move(x, y)
    classifier.mouse.down()

    for step in range(1, 11):
        classifier.mouse.move(x - 8 * step, y)
    epsilon = epsilon_of(classifier)
    assert epsilon < 0.3
    until(lambda: value_of(point(classifier)) == epsilon, classifier)

    # It follows the pointer across, and the curve up and down.
    moved_x, moved_y = middle(point(classifier))
    assert moved_x == pytest.approx(x - 80, abs=3)
    assert moved_y > y + 20
    classifier.mouse.up()
    rests(classifier)
    classifier.wait_for_url(f"**epsilon={epsilon:g}*")


def test_a_press_alone_moves_nothing(classifier):
    point(classifier).click()
    rests(classifier)

    expect(point(classifier)).to_have_attribute("aria-valuenow", "0.5")
    expect(point(classifier)).to_be_focused()


def test_reset_takes_the_point_back(classifier):
    point(classifier).press("End")
    rests(classifier)

    button(classifier, "Reset or resample").click()
    button(classifier, "Reset").click()

    expect(point(classifier)).to_have_attribute("aria-valuenow", "0.5")
