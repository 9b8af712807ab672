"""A knob that plays, in a real browser: it goes on by itself, never ahead of the picture, and stops for a hand."""

import re
from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import button, field, grab, slider
from tests.browser.sight import text

# Notes each moment that the chart draws, and when.
NOTE = """() => {
  window.shown = []
  const chart = document.querySelector(".js-plotly-plot")
  new MutationObserver(() => {
    const now = chart.layout?.meta?.shown
    if (now !== (shown.at(-1)?.[0] ?? 0)) shown.push([now, performance.now()])
  }).observe(chart, { subtree: true, childList: true, attributes: true })
}"""


@pytest.fixture
def training(lab, serve):
    """training(query, **how) -> the demo of a knob that plays, drawn and at rest."""

    def open_page(query: str = "", **how) -> Page:
        opened = lab(f"?{query}", charts=1, address=serve("tests/browser/apps/play_demo.py"), **how)
        opened.evaluate(NOTE)
        return opened

    return open_page


def stands(page: Page, step: int) -> None:
    """Wait until this moment is drawn, and the panel says so."""
    page.wait_for_function("step => document.querySelector('.js-plotly-plot').layout?.meta?.shown === step", arg=step)
    expect(field(page, "Step shown")).to_have_value(str(step))


def until_drawn(page: Page, step: int) -> None:
    """Wait until the playing has come this far."""
    page.wait_for_function("step => shown.some(([at]) => at >= step)", arg=step)


# That the page around the live part has followed, which it does after a rest, and shows what the knob says.
FOLLOWED = """([knob]) => {
  const step = document.querySelector(".js-plotly-plot").layout?.meta?.shown
  return knob.ariaValueText.startsWith(`${step} of `) &&
    document.querySelector("[data-testid=stCaptionContainer]")?.innerText.startsWith(`Around it: step ${step},`)
}"""


def rests(page: Page) -> int:
    """The moment at which it stays, once the page around has followed."""
    page.wait_for_function(FOLLOWED, arg=[slider(page, "Step shown").element_handle()])
    step = page.evaluate("document.querySelector('.js-plotly-plot').layout?.meta?.shown")
    expect(slider(page, "Step shown")).to_have_attribute("aria-valuetext", re.compile(f"^{step:g} of "))
    return step


def runs(page: Page) -> int:
    """How many times the live part has run."""
    return int(re.search(r"run (\d+)", text(page).inner_text())[1])


def pages(page: Page) -> int:
    """How many times the whole page has run."""
    return int(re.search(r"page (\d+)", page.get_by_text("Around it").inner_text())[1])


def test_it_plays_to_the_end_and_draws_every_step(training):
    page = training("last=25")
    before = pages(page)
    button(page, "Play").click()
    expect(button(page, "Pause")).to_be_visible()
    stands(page, 25)
    expect(button(page, "Play")).to_be_visible()
    seen = page.evaluate("shown")
    assert [step for step, _ in seen] == list(range(1, 26))
    assert rests(page) == 25
    assert pages(page) == before + 1  # not once between two pictures


def test_one_step_at_a_time_and_back_to_the_beginning(training):
    page = training()
    for name in ("Restart", "One step back"):
        expect(button(page, name)).to_have_attribute("aria-disabled", "true")
        expect(button(page, name)).to_have_attribute("title", name)
        button(page, name).press("Enter")  # it can have the focus, and does nothing
    for name, step in [("One step on", 1), ("One step on", 2), ("One step on", 3), ("One step back", 2)]:
        button(page, name).click()
        stands(page, step)
    button(page, "Restart").click()
    stands(page, 0)
    expect(button(page, "Play")).to_be_visible()
    assert rests(page) == 0


def test_it_pauses_and_goes_on(training):
    page = training("last=400")
    button(page, "Play").click()
    until_drawn(page, 5)
    button(page, "Pause").click()
    expect(button(page, "Play")).to_be_visible()
    there = rests(page)
    assert 5 <= there < 400
    button(page, "Play").click()
    until_drawn(page, there + 3)
    button(page, "Restart").click()  # it plays on, from the beginning
    page.wait_for_function("() => shown.filter(([at]) => at === 1).length === 2")
    expect(button(page, "Pause")).to_be_visible()
    button(page, "One step on").click()
    expect(button(page, "Play")).to_be_visible()
    assert rests(page) < 400


@pytest.mark.parametrize("name", ["Step shown", "typed"])
def test_a_hand_on_any_knob_ends_it(training, name):
    page = training("last=400")
    button(page, "Play").click()
    until_drawn(page, 3)
    if name == "typed":
        field(page, "Step shown").fill("77")
        expect(button(page, "Play")).to_be_visible()
        field(page, "Step shown").press("Enter")
        stands(page, 77)
        return
    left, width, middle = grab(page, name)
    page.mouse.move(left + width * 0.6, middle, steps=3)
    expect(button(page, "Play")).to_be_visible()
    page.mouse.up()
    assert rests(page) == float(field(page, "Step shown").input_value())


def test_a_range_that_shrinks_and_a_server_that_moves_the_knob(training):
    page = training("last=40")
    button(page, "Play").click()
    until_drawn(page, 25)
    slider(page, "Epsilon").press("End")
    stands(page, 20)
    expect(slider(page, "Step shown")).to_have_attribute("aria-valuetext", "20 of 20")
    expect(button(page, "Play")).to_be_visible()
    button(page, "Play").click()
    until_drawn(page, 4)
    button(page, "Preset").click()
    expect(button(page, "Play")).to_be_visible()
    assert rests(page) <= 20


def test_keys(training):
    page = training("last=400")
    button(page, "Play").focus()
    page.keyboard.press("Space")
    until_drawn(page, 3)
    page.keyboard.press("Space")  # the button kept the focus, and its place
    expect(button(page, "Play")).to_be_focused()
    there = rests(page)
    slider(page, "Step shown").press("Space")
    until_drawn(page, there + 3)
    slider(page, "Step shown").press("Space")
    expect(button(page, "Play")).to_be_visible()
    there = rests(page)
    slider(page, "Step shown").press("ArrowLeft")
    stands(page, there - 1)
    for name in ("Restart", "One step back", "Play", "One step on"):
        page.keyboard.press("Tab")
        expect(button(page, name)).to_be_focused()
    page.keyboard.press("Enter")
    stands(page, there)


def test_a_slow_server_is_waited_for_and_at_the_end_it_begins_anew(training):
    page = training("work=250&last=6")
    page.emulate_media(reduced_motion="reduce")  # nothing plays by itself, and it plays for who asks
    assert rests(page) == 0
    before = runs(page)
    button(page, "Play").click()
    stands(page, 6)
    assert [step for step, _ in page.evaluate("shown")] == [1, 2, 3, 4, 5, 6]
    assert runs(page) <= before + 7
    assert rests(page) == 6
    expect(button(page, "One step on")).to_have_attribute("aria-disabled", "true")
    button(page, "Play").click()
    page.wait_for_function("() => shown.length >= 13")
    assert [step for step, _ in page.evaluate("shown")] == [1, 2, 3, 4, 5, 6, 0, 1, 2, 3, 4, 5, 6]


@pytest.mark.soak
def test_a_phone(training):
    page = training("last=20", width=390, height=800, touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    places = {name: button(page, name).bounding_box() for name in ("Restart", "One step back", "Play", "One step on")}
    assert all(box["width"] >= 44 and box["height"] >= 44 for box in places.values())
    lefts = [box["x"] for box in places.values()]
    assert all(right - left >= 44 for left, right in pairwise(lefts))
    assert slider(page, "Step shown").bounding_box()["width"] >= 60
    button(page, "Play").tap()
    stands(page, 20)


# Counts the runs that begin from now on.
COUNT_RUNS = """() => {
  window.begun = 0
  const options = { attributeFilter: ["data-test-script-state"], attributeOldValue: true }
  const count = (all) => (begun += all.filter(({ oldValue }) => oldValue === "notRunning").length)
  new MutationObserver(count).observe(document.querySelector("[data-testid=stApp]"), options)
}"""


def test_a_hand_during_the_run_of_the_whole_page_keeps_what_is_there(training):
    page = training("work=250")
    page.evaluate("document.querySelector('.js-plotly-plot').mark = 1")
    page.evaluate(COUNT_RUNS)
    for turn in range(3):
        page.evaluate("begun = 0")
        slider(page, "Learning rate").press("ArrowRight")
        page.wait_for_function("begun >= 2")  # the page around has begun to follow
        slider(page, "Step shown").press("ArrowRight")
        stands(page, turn + 1)
        assert page.evaluate("document.querySelector('.js-plotly-plot').mark") == 1
        rests(page)
