"""The page of networks in a real browser: the training plays, and the budget goes with it."""

import re
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.person import PATIENCE, SHOWN, distinct, drag_until, drawn, field, look_at

CHARTS = 3
SMALL = "epsilon=3&rows=500&lot_size=50&epochs=6&repeats=4"


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_a_training_plays_from_the_first_step_to_the_last(page, serve, width, dark):
    opened = page(f"{serve('app.py')}/network?{SMALL}", width=width, height=900, dark=dark, touch=width < 500)
    drawn(opened, CHARTS)
    said = opened.locator(".lab-verdict")
    expect(said).to_contain_text("After 60 steps of 60, epsilon 3 is spent", timeout=PATIENCE)
    opened.evaluate(
        """() => {
          window.heard = []
          window.regions = new Set()
          const listen = () => {
            const words = document.querySelector(".lab-verdict").textContent
            if (words !== window.heard.at(-1)) window.heard.push(words)
            const map = document.querySelector("[data-chart='map.private']") // painted while it plays
            regions.add(map.querySelector("canvas")?.toDataURL() + map.querySelector("image")?.getAttribute("href"))
            requestAnimationFrame(listen)
          }
          listen()
        }"""
    )
    opened.get_by_role("button", name="Play").click()
    look_at(opened, "[data-chart='map.private']")
    opened.wait_for_function("() => heard.length > 30 && heard.at(-1).includes('After 60 steps')", timeout=2 * PATIENCE)
    heard = opened.evaluate("heard")
    steps = [int(found.group(1)) for words in heard if (found := re.search(r"After (\d+) steps? of", words))]
    after = steps[1:]  # the first is where it stood before
    assert after == sorted(after)
    assert after[-1] == 60
    assert any("nothing is spent" in words for words in heard)
    spent = [float(found.group(1)) for words in heard[1:] if (found := re.search(r"epsilon ([\d.]+) is spent", words))]
    assert spent == sorted(spent)
    assert len(set(spent)) > 20
    assert opened.evaluate("regions.size") > 20


SEEN = """() => ({
  images: [...document.querySelectorAll(".imagelayer image")].map((one) => one.getAttribute("href")),
  paths: [...document.querySelectorAll(".shapelayer path")].map((one) => one.getAttribute("d")).sort(),
  titles: [...document.querySelectorAll(".gtitle")].map((one) => one.textContent),
  names: [...document.querySelectorAll("[role=img][aria-label]")].map((one) => one.getAttribute("aria-label")),
  said: [".lab-numbers", ".lab-verdict", ".lab-words-why"].map((one) => document.querySelector(one).innerHTML),
})"""
TEXT = "one => JSON.stringify(one)"
STEP = r"Number(/After (\d+) step/.exec(document.querySelector('.lab-verdict').textContent)?.[1])"
# A hand on a busy machine comes too late for a training that goes on by itself.
PRESS_AFTER = f"""(button, step) => {{
  const look = () => {STEP} > step ? button.click() : requestAnimationFrame(look)
  look()
}}"""
RESTS = """step => new URLSearchParams(location.search).get("shown") === String(step)
  && !document.querySelector("[aria-busy]")
  && ![...document.querySelectorAll(".gtitle")].some((one) => one.textContent.endsWith("trained"))
  && document.querySelector("[data-test-script-state]")?.dataset.testScriptState === 'notRunning'"""


def rests(opened, step: int) -> None:
    """Wait until this step is shown, and all is computed: the last slice is the one over lot sizes."""
    opened.wait_for_function(RESTS, arg=step, timeout=PATIENCE)
    expect(opened.locator(".lab-words-why")).to_contain_text("At this budget, batches of", timeout=PATIENCE)


def agree(opened, wanted: dict) -> None:
    """Wait until this is what is seen: Plotly draws what was painted once nothing moves, what is out of view last."""
    opened.bring_to_front()
    with suppress(TimeoutError):
        opened.wait_for_function(f"wanted => JSON.stringify(({SEEN})()) === wanted", arg=opened.evaluate(TEXT, wanted))
    assert opened.evaluate(SEEN) == wanted


def test_a_pause_agrees_with_a_fresh_page_at_its_link(page, serve):
    opened = page(f"{serve('app.py')}/network?{SMALL}&shown=0", width=1440, height=900)
    drawn(opened, CHARTS)
    rests(opened, 0)
    first = opened.evaluate(SEEN)
    opened.get_by_role("button", name="Play", exact=True).click()
    opened.get_by_role("button", name="Pause", exact=True).evaluate(PRESS_AFTER, 17)
    expect(opened.get_by_role("button", name="Play", exact=True)).to_be_visible(timeout=PATIENCE)
    step = int(field(opened, "Step shown").input_value())
    assert 17 < step < 60
    fresh = None
    for _ in range(2):  # as it rests, and one step on
        rests(opened, step)
        if fresh is None:
            fresh = page(opened.url, width=1440, height=900)
        else:
            fresh.bring_to_front()
            fresh.goto(opened.url)
        drawn(fresh, CHARTS)
        rests(fresh, step)
        agree(opened, fresh.evaluate(SEEN))
        opened.get_by_role("button", name="One step on", exact=True).click()
        step += 1
    opened.get_by_role("button", name="Restart", exact=True).click()
    rests(opened, 0)
    agree(opened, first)


def test_regions_move_while_epsilon_is_dragged(page, serve):
    opened = page(f"{serve('app.py')}/network?{SMALL}", width=1440, height=900)
    drawn(opened, CHARTS)
    look_at(opened, "[data-chart='map.private']")
    drag_until(opened, distinct(lambda: opened.locator("[data-chart='map.private']").evaluate(SHOWN)), 4)


def test_the_switch_changes_what_the_curves_run_over(page, serve):
    opened = page(f"{serve('app.py')}/network?{SMALL}", width=1440, height=900)
    drawn(opened, CHARTS)
    title = opened.locator("[data-chart=accuracy] .gtitle")
    expect(title).to_contain_text("Accuracy over epochs")
    opened.get_by_text("More settings", exact=True).click()
    opened.get_by_role("radio", name="epsilon spent").click()
    expect(title).to_contain_text("Accuracy over epsilon spent")
    opened.wait_for_url("**over=epsilon*")
    opened.get_by_role("tab", name="Training").click()
    expect(opened.locator("[data-chart=loss] .xtitle")).to_have_text("epsilon spent")
