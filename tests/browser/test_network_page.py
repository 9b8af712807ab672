"""The page of networks in a real browser: the training plays, and the budget goes with it."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, distinct, drag_until, drawn

CHARTS = 9
SMALL = "rows=500&lot_size=50&epochs=6&repeats=4"


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_a_training_plays_from_the_first_step_to_the_last(page, serve, width, dark):
    opened = page(f"{serve('app.py')}/network?{SMALL}", width=width, height=900, dark=dark, touch=width < 500)
    drawn(opened, CHARTS)
    said = opened.locator(".lab-verdict")
    expect(said).to_contain_text("After 60 steps of 60 epsilon 3 is spent", timeout=PATIENCE)
    opened.evaluate(
        """() => {
          window.heard = []
          const listen = () => {
            const words = document.querySelector(".lab-verdict").textContent
            if (words !== window.heard.at(-1)) window.heard.push(words)
            requestAnimationFrame(listen)
          }
          listen()
        }"""
    )
    opened.get_by_role("button", name="Play").click()
    opened.wait_for_function("heard.length > 30 && heard.at(-1).includes('After 60 steps')", timeout=4 * PATIENCE)
    heard = opened.evaluate("heard")
    steps = [int(found.group(1)) for words in heard if (found := re.search(r"After (\d+) steps? of", words))]
    after = steps[1:]  # the first is where it stood before
    assert after == sorted(after)
    assert after[-1] == 60
    assert any("nothing is spent" in words for words in heard)
    spent = [float(found.group(1)) for words in heard[1:] if (found := re.search(r"epsilon ([\d.]+) is spent", words))]
    assert spent == sorted(spent)
    assert len(set(spent)) > 20


def test_regions_move_while_epsilon_is_dragged(page, serve):
    opened = page(f"{serve('app.py')}/network?{SMALL}", width=1440, height=900)
    drawn(opened, CHARTS)
    image = opened.locator("[data-chart='map.private'] image").first
    drag_until(opened, distinct(lambda: image.get_attribute("href") or image.get_attribute("xlink:href")), 4)
