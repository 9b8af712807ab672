"""The panel of sliders and the charts beside it: keys, fingers, typed values, a slider that plays,
zoom, late charts.
"""

import re

import pytest
from playwright.sync_api import Locator, expect

from tests.browser.person import (
    button,
    enter,
    field,
    grab,
    hold_still,
    middle,
    reset,
    slider,
    swipe,
)
from tests.browser.sight import drawn, rests
from tests.browser.sight import toy_says as says

PLOTS, STEP = ".js-plotly-plot", "Step shown"
PLAYER = ("Restart", "One step back", "Play", "One step on")


def test_keys_move_a_slider(toy):
    page = toy()
    page.evaluate(f"document.querySelectorAll('{PLOTS}').forEach((node, at) => (node.born = at))")
    for key, value in (
        ("ArrowRight", 1.06),
        ("PageUp", 1.88),
        ("ArrowLeft", 1.78),
        ("Home", 0.1),
        ("End", 100),
    ):
        slider(page).press(key)
        says(page, value)
    expect(slider(page)).to_have_attribute("aria-valuetext", "100")
    expect(field(page)).to_have_value("100")
    assert page.evaluate(f"[...document.querySelectorAll('{PLOTS}')].map(node => node.born)") == [
        0,
        1,
    ]
    assert slider(page).evaluate("node => node.getRootNode().activeElement === node")
    reset(page)
    says(page, 1)
    expect(slider(page)).to_have_attribute("aria-valuetext", "1")
    expect(field(page)).to_have_value("1")


def test_an_exact_value_is_kept_and_a_refused_one_says_why(toy):
    page = toy()
    alert = page.locator("[data-slider=epsilon] [role=alert]")
    enter(page, "3.14159")
    says(page, 3.14159)
    expect(slider(page)).to_have_attribute("aria-valuetext", "3.14159")
    field(page).fill("2e1")
    field(page).blur()
    page.wait_for_url("**epsilon=20*")
    expect(field(page)).to_have_value("20")
    for entry, value in (("<b>much</b>", 50), ("1000", 20)):
        enter(page, entry)
        expect(alert).not_to_be_empty()
        expect(field(page)).to_have_value(entry)
        expect(field(page)).to_have_attribute("aria-invalid", "true")
        assert alert.get_attribute("id") in field(page).get_attribute("aria-describedby")
        enter(page, str(value))
        says(page, value)
        expect(alert).to_be_empty()
        expect(field(page)).to_have_attribute("aria-invalid", "false")
    for key in ("Tab", "Enter"):
        field(page).fill("1000")
        field(page).press(key)
        expect(alert).not_to_be_empty()
        field(page).press("Escape")
        expect(alert).to_be_empty()
        expect(field(page)).to_have_value("20")


PLAYED = (
    "least => /shown (\\d+)/.exec(document.querySelector('.lab-verdict').textContent)[1] >= least"
)
HANDS = {
    "click": lambda page: button(page, "Pause").click(),
    "space on the button": lambda page: button(page, "Pause").press("Space"),
    "space on the slider": lambda page: slider(page, STEP).press("Space"),
    "field": lambda page: enter(page, "7", STEP),
    "thumb": lambda page: (grab(page, STEP), page.mouse.up()),
}


@pytest.mark.parametrize("by", HANDS)
def test_a_hand_ends_the_playing(toy, by):
    page = toy()
    button(page, "Play").click()
    page.wait_for_function(PLAYED, arg=8)  # so that no hand stops it at 7 but who types that
    HANDS[by](page)
    expect(button(page, "Play")).to_be_visible()
    rests(page)
    step = field(page, STEP).input_value()
    says(page, 1, step)
    assert (step == "7") == (by == "field")


def test_the_keyboard_moves_a_training_one_step_at_a_time(toy):
    page = toy()
    for name in PLAYER[:2]:
        expect(button(page, name)).to_have_attribute("aria-disabled", "true")
        button(page, name).press("Enter")  # it can have the focus, and does nothing
    slider(page, STEP).focus()
    for name in PLAYER:
        page.keyboard.press("Tab")
        expect(button(page, name)).to_be_focused()
    for name, step in (
        ("One step on", 1),
        ("One step on", 2),
        ("One step back", 1),
        ("Restart", 0),
    ):
        button(page, name).press("Enter")
        says(page, 1, step)
    slider(page, STEP).press("End")
    says(page, 1, 60)
    expect(button(page, "One step on")).to_have_attribute("aria-disabled", "true")
    button(page, "Play").click()  # begins anew at the end
    page.wait_for_function(
        "() => !document.querySelector('.lab-verdict').textContent.includes('shown 60')"
    )
    button(page, "Restart").click()  # plays on, from the beginning
    page.wait_for_function(PLAYED, arg=3)
    button(page, "Pause").click()
    expect(field(page, STEP)).not_to_have_value("60")


def test_a_finger_scrolls_up_and_down_and_moves_the_thumb_sideways(toy):
    page = toy(width=390, height=800, touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    for control in (slider(page), field(page), *(button(page, name) for name in PLAYER)):
        assert control.bounding_box()["height"] >= 44

    def swiped(at: Locator, across: float, down: float) -> None:
        """Swipe from the middle of an element by so many pixels, and lift the finger."""
        hold_still(at)
        x, y = middle(at)
        swipe(page, [(x + across * step / 12, y + down * step / 12) for step in range(13)])()

    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    for place in (slider(page), page.get_by_role("img", name=re.compile("^Curve")).first):
        rests(page)
        page.evaluate(f"{scrolled} = 0")
        swiped(place, 0, -150)
        page.wait_for_function(f"() => {scrolled} > 50")
    expect(slider(page)).to_have_attribute("aria-valuetext", "1")
    swiped(slider(page), 60, 0)
    page.wait_for_function(
        "() => !document.querySelector('.lab-verdict').textContent.startsWith('Epsilon 1,')"
    )


def test_zoom_is_kept_while_the_data_move_and_reset_by_key(toy):
    page = toy()
    plot, drawn_of = (
        page.locator(PLOTS).first,
        "document.querySelector('[data-chart=moves] .gtitle').textContent",
    )
    ranges = "node => [node._fullLayout.xaxis.range, node._fullLayout.yaxis.range].flat()"
    whole, box = plot.evaluate(ranges), plot.locator(".nsewdrag").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.7, steps=5)
    page.mouse.up()
    page.wait_for_function(
        "node => node._fullLayout.xaxis.range[1] < 0.9", arg=plot.element_handle()
    )
    zoomed = plot.evaluate(ranges)
    slider(page).press("End")
    page.wait_for_function(f"() => {drawn_of}.startsWith('Epsilon 100,')")
    assert plot.evaluate(ranges) == zoomed
    reset = page.locator("[data-chart=moves]").get_by_role("button", name="Reset axes")
    reset.focus()
    reset.press("Enter")
    page.wait_for_function(
        "node => node._fullLayout.xaxis.range[1] >= 0.9", arg=plot.element_handle()
    )
    assert plot.evaluate(ranges) == pytest.approx(whole)


def test_a_chart_that_is_late_shows_that_it_is_coming_or_that_it_could_not_be_drawn(page, toy):
    opened = toy()
    page.watches[-1].expected = ("plotly.min.js",)
    opened.route("**/plotly.min.js*", lambda route: route.abort())
    opened.reload()
    expect(opened.get_by_text("This chart could not be drawn").first).to_be_visible()
    opened.unroute("**/plotly.min.js*")
    slider(opened).press("End")
    expect(opened.locator(f"{PLOTS} .main-svg").first).to_be_visible()
    expect(opened.get_by_text("This chart could not be drawn").first).not_to_be_visible()
    held = []
    opened.route("**/plotly.min.js*", lambda route, _: held.append(route))
    opened.reload()
    boxes = opened.locator("[data-waiting]")
    expect(boxes).to_have_count(2)
    sizes = (
        "boxes => boxes.map(box => [box.offsetHeight, box.parentElement.offsetHeight,"
        " box.offsetWidth])"
    )
    assert all(
        height == cell >= 200 and width > 200 for height, cell, width in boxes.evaluate_all(sizes)
    )
    assert boxes.first.evaluate("box => box.getAnimations().length") == 1
    held[0].continue_()
    drawn(opened)
    expect(boxes).to_have_count(0)


def test_the_watch_sees_what_a_page_must_not_do(page, toy):
    opened, watch = toy(channel=False), page.watches[-1]
    opened.evaluate(
        "() => { console.error('oops'); fetch('http://elsewhere.invalid/x').catch(() => 0) }"
    )
    opened.evaluate("() => setTimeout(() => { throw new Error('bang') })")
    opened.wait_for_function(
        "() => performance.getEntriesByName('http://elsewhere.invalid/x').length > 0"
    )
    rests(opened)
    seen = " ".join(watch.faults)
    watch.expected = ("",)
    assert all(part in seen for part in ("oops", "request to http://elsewhere.invalid/x", "bang"))
