"""What only a browser shows of single pages: pictures that move under a hand, tabs that fill, a training that plays."""

import re
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.person import button, enter, field, hold_still, middle, slider, swipe, tab
from tests.browser.sight import SHOWN, TABLE, VERDICT, says, still

TRAINING = "network?epsilon=3&rows=500&lot_size=50&epochs=6&repeats=4"
PEOPLE = "attack?repeats=100&steps=5"


def test_a_table_of_a_tab_fills_itself_and_follows_a_knob(lab):
    page = lab("classifier?repeats=4")
    tab(page, "Results table")
    table = page.locator(TABLE).last
    expect(table).to_be_visible()
    expect(table).not_to_contain_text("…")
    was = table.text_content()
    enter(page, "0.01", "Clipping norm")
    page.wait_for_url("**clip_norm=0.01*")
    expect(page.locator(TABLE).filter(has_text=was)).to_have_count(0)
    expect(table).to_be_visible()


def test_a_link_opened_elsewhere_shows_the_same(lab):
    page = lab("classifier?seed=9&repeats=5", charts=3)
    enter(page, "2.5")
    slider(page, "Steps").press("ArrowRight")
    page.wait_for_url("**epsilon=2.5*steps=51*")
    query = parse_qs(urlsplit(page.url).query)
    assert query["seed"] == ["9"]
    assert set(query) == {"epsilon", "steps", "repeats", "seed", "v"}
    other = lab(f"classifier?{urlsplit(page.url).query}", charts=3, touch=True)  # which is another profile
    said = []
    for one in (page, other):
        still(one)
        tab(one, "Results table")
        expect(one.locator(TABLE)).to_be_visible()
        said.append([one.locator(where).inner_text() for where in (VERDICT, TABLE)] + [field(one).input_value()])
    assert said[0] == said[1]


# Notes what the sentence says, in order, and each picture of the regions.
LISTEN = f"""() => {{
  window.heard = []
  window.regions = new Set()
  const shown = {SHOWN}
  const listen = () => {{
    const words = document.querySelector(".lab-verdict").textContent
    if (words !== heard.at(-1)) heard.push(words)
    regions.add(shown(document.querySelector("[data-chart='map.private']")))
    requestAnimationFrame(listen)
  }}
  listen()
}}"""


def test_a_training_plays_from_the_first_step_to_the_last(lab):
    """A run of the page that ends while it plays may skip steps, but none comes twice."""
    page = lab(TRAINING, charts=3, width=1440)
    says(page, "After 60 steps of 60, epsilon 3 is spent")
    still(page)
    page.locator("[data-chart='map.private']").scroll_into_view_if_needed()
    page.evaluate(LISTEN)
    button(page, "Play").click()
    page.wait_for_function("() => heard.length > 2 && heard.at(-1).includes('After 60 steps')")
    heard = page.evaluate("heard")[1:]  # where it stood before
    steps = [int(found[1]) for words in heard if (found := re.search(r"After (\d+) steps? of", words))]
    assert steps == sorted(set(steps))
    assert any("nothing is spent" in words for words in heard)
    spent = [float(found[1]) for words in heard if (found := re.search(r"epsilon ([\d.]+) is spent", words))]
    assert spent == sorted(spent)
    assert min(len(set(spent)), page.evaluate("regions.size")) > 3
    button(page, "Play").click()
    button(page, "Reset").click()  # the server moves the knob
    expect(field(page)).not_to_have_value("3")
    expect(button(page, "Play")).to_be_visible()
    expect(field(page, "Step shown")).to_have_value("60")


# How far the page is scrolled, whatever it is that scrolls.
SCROLLED = "scrollY + document.querySelector('[data-testid=stMain]').scrollTop"
MAP, HANDLE = "[data-chart='map'] .js-plotly-plot", "[data-chart='map'] [data-handle]"


def test_the_person_is_dragged_by_a_finger_and_the_picture_follows(lab):
    page = lab(f"{PEOPLE}&who=row", charts=3, width=390, height=1000, dark=True, touch=True)
    hold_still(page.locator(HANDLE))
    x, y = middle(page.locator(HANDLE))
    top = page.evaluate(SCROLLED)
    places = [(x - 50 * step / 12, y - 60 * step / 12) for step in range(13)]
    lift = swipe(page, places)
    says(page, "an outlier", MAP)  # before it is let go
    lift()
    page.wait_for_url(lambda address: "who=" not in address)  # as it is by default
    assert middle(page.locator(HANDLE)) == pytest.approx(places[-1], abs=3)
    assert page.evaluate(SCROLLED) == top
    still(page)  # beside the person the same movement scrolls, and moves nobody
    there, box = page.url, page.locator(f"{MAP} .nsewdrag").bounding_box()
    x, y = box["x"] + 0.1 * box["width"], box["y"] + 0.9 * box["height"]
    swipe(page, [(x, y - 10 * step) for step in range(13)])()
    page.wait_for_function(f"top => {SCROLLED} > top + 60", arg=top)
    still(page)
    assert page.url == there
