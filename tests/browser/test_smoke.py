"""Every page in a real browser, on all screens, narrow and dark; the moves of the home page and of the cards."""

from collections import Counter
from contextlib import suppress

import pytest
from playwright.sync_api import TimeoutError, expect

from benchmarks import shift
from pages.attack.parameters import PARTS
from pages.table import PAGES
from scripts.fingerprints import seen
from tests.browser.person import button, distinct, drag_until, slider, tab
from tests.browser.sight import VERDICT, WIDE, WORDS, drawn, obeys, still

PATHS = [page.name for page in PAGES if page.name != "attack"] + [f"attack?part={part}" for part in PARTS]
# Few runs where the usual ones take long.
QUICK = {
    "hypotheses": "hypotheses?repeats=3",
    "network": "network?repeats=4",
    "parties": "parties?parties=60&public_rows=60&repeats=4",
    "transfer": "transfer?repeats=4",
    "what-if": "what-if?repeats=24",
}
# One page of each kind, on which axe looks and the knob is dragged at a commit; on the others, at night.
KINDS = ("classifier", "mechanisms", "network", "what-if", "attack?part=worlds")
# Built as others are.
ALIKE = [f"attack?part={part}" for part in ("membership", "audit", "once", "pays")]
# Where numbers, sentence and the first row of charts end, in pixels from above.
ENDS = """() => Object.fromEntries([".lab-numbers", ".lab-verdict", ".st-key-pictures [data-chart]"].map((where) =>
  [where, Math.max(...[...document.querySelectorAll(where)].map((one) => one.getBoundingClientRect().bottom))]))"""
LINES = "(words) => Math.round(words.clientHeight / parseFloat(getComputedStyle(words).lineHeight))"
BOTTOM = "(box) => box.getBoundingClientRect().bottom"
# What can be chosen, and is beyond the edge of its row or under the buttons at its end.
UNSEEN = """() => {
  const buttons = document.querySelector(".st-key-resets button").getBoundingClientRect()
  const hidden = (one) => {
    const box = one.getBoundingClientRect()
    const under = box.right > buttons.left + 1 && box.top < buttons.bottom && box.bottom > buttons.top
    return under || box.right > one.parentElement.getBoundingClientRect().right + 1
  }
  return [...document.querySelectorAll(".st-key-setup [role=radio]")].filter(hidden).map((one) => one.textContent)
}"""
SMALL = f"() => ({WORDS})().filter(([size]) => size < 12).map(([, text]) => text)"
TOLD = f"{VERDICT}, .lab-numbers"
UNFOLDS = "details:not([open]) > summary"
SIZES = {
    "window": (1440, 900),
    "tablet": (1024, 768),
    "phone": (390, 844),
    "projector": (1920, 1080),
    "laptop": (1280, 800),
    "frame": (800, 600),
}


@pytest.fixture
def opened(lab):
    """opened(path, width, height) -> the page, drawn."""

    def open_page(path: str, width: int = 1440, height: int = 900):
        here = lab(path, charts=1, width=width, height=height)
        expect(here.get_by_role("tab").first).to_be_attached()
        here.wait_for_function("() => !document.querySelector('[data-waiting]')")
        return here

    return open_page


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        *(pytest.param(path, path in KINDS, id=path) for path in PATHS if path not in ALIKE),
        *(pytest.param(path, True, marks=pytest.mark.soak, id=f"all of {path}") for path in PATHS if path not in KINDS),
    ],
)
def test_a_page_fits_its_screens_breaks_no_rule_of_axe_and_follows_its_knob(opened, path, whole):
    """At 1440 x 900 numbers, sentence and the first row of charts are in sight. On no screen anything is cut or too
    small, and the knob stays beside its chart.
    """
    page = opened(QUICK.get(path, path))
    still(page)
    ends = page.evaluate(ENDS)
    assert len(ends) == 3
    assert all(0 < end <= 900 for end in ends.values()), ends
    assert page.locator(".lab-tile").count() in (3, 4)
    assert page.locator(".hero .label").evaluate(LINES) == 1
    below = page.locator(".st-key-beside").bounding_box()["y"] - page.locator(".panel").evaluate(BOTTOM)
    assert 0 < below < 40, "what stands under the knobs stands right under them"
    assert page.locator(".st-key-pictures [data-chart]").count() in (2, 3)
    assert seen(page) <= 150
    hero = page.get_by_role("slider").first.get_attribute("aria-label")
    for name, (width, height) in list(SIZES.items())[: None if path == "classifier" else 3]:
        page.set_viewport_size({"width": width, "height": height})
        with suppress(TimeoutError):  # a chart takes its new width when it is drawn
            page.wait_for_function(f"() => !({WIDE})().length && !({UNSEEN})().length", polling=100)
        assert [page.evaluate(what) for what in (WIDE, SMALL, UNSEEN)] == [[], [], []], name
        if name == "tablet":
            assert page.get_by_role("tablist").evaluate("tabs => tabs.scrollWidth <= tabs.clientWidth")
        chart = page.locator(".st-key-pictures [data-chart]").first
        chart.scroll_into_view_if_needed()
        expect(chart).to_be_in_viewport()
        expect(slider(page, hero)).to_be_in_viewport()
    tab(page, "How it works")
    expect(page.locator(".katex").first).to_be_visible()
    expect(page.locator(".katex-error")).to_have_count(0)
    if not whole:
        return
    page.get_by_role("tab").first.click()
    page.set_viewport_size({"width": 1200, "height": 900})
    page.locator(UNFOLDS).evaluate_all("all => all.forEach(one => one.click())")
    obeys(page)
    chart.scroll_into_view_if_needed()
    drag_until(page, distinct(lambda: "".join(page.locator(TOLD).all_inner_texts())), 3, hero)


def test_on_a_large_screen_all_letters_are_larger_by_a_quarter(opened):
    """On the page, in the panel and in figures, from 1,700 pixels on."""
    page, sizes = opened("classifier", 1699), []
    for width, title in ((1699, 15), (1700, 18.75)):
        page.set_viewport_size({"width": width, "height": 1080})
        page.wait_for_function("size => document.querySelector('.gtitle').style.fontSize === `${size}px`", arg=title)
        words = page.evaluate(WORDS)
        once = Counter(text for _, text, *_ in words)
        sizes.append({text: size for size, text, *_ in words if once[text] == 1})
    small, large = sizes
    both = small.keys() & large.keys()
    assert len(both) > 50
    assert {text: large[text] for text in both} == pytest.approx({text: 1.25 * small[text] for text in both})


def test_home_moves_at_once_and_an_open_move_lights_up_what_it_speaks_of(lab):
    """Its picture and its knob are in the first screen, and the picture follows the knob."""
    home = lab(charts=1, width=1440)
    assert seen(home) <= 120
    loss, attacker = home.locator(".lab-tile").nth(1), home.locator(".lab-tile.bound")
    for label, styles in {"Pay for it": ("solid", "none"), "Ask the attacker": ("none", "solid")}.items():
        button(home, label).click()
        for tile, style in zip((loss, attacker), styles, strict=True):
            expect(tile).to_have_css("outline-style", style)
    picture = home.locator(".st-key-pictures [data-chart] [role=img]")
    before = picture.get_attribute("aria-label")
    for thing in (picture, slider(home), home.locator(".lab-numbers"), home.get_by_text("Make it private")):
        expect(thing).to_be_in_viewport(ratio=1)
    slider(home).press("PageUp")
    expect(picture).not_to_have_attribute("aria-label", before)
    home.wait_for_url("**epsilon=0.891*")
    home.get_by_test_id("stMain").get_by_role("link", name="Classifier", exact=True).click()
    drawn(home, 3)
    expect(home.get_by_role("heading", level=1)).to_have_text("What does privacy cost a classifier?")


@pytest.mark.parametrize("path", ["", pytest.param(shift.LESSON, marks=pytest.mark.soak)])
def test_nothing_jumps_while_a_page_loads(chromium, serve, path):
    found = shift.visit(chromium, f"{serve('app.py')}/{path}", shift.SIZES["phone"])
    assert sum(one["value"] for one in found) <= shift.SHIFT_AT_MOST, found


def test_a_card_that_is_dismissed_by_keyboard_stays_away(lab):
    opened = lab("mechanisms", width=1440)
    opened.evaluate("localStorage.clear()")  # which tests share
    opened.reload()
    card, lit = opened.locator(".lab-move"), opened.locator(".row.lit")
    expect(card).to_be_visible()
    expect(lit).to_have_attribute("data-knob", next(one for one in PAGES if one.name == "mechanisms").move.knob)
    card.get_by_role("button", name="Dismiss").focus()
    opened.keyboard.press("Enter")
    expect(card).to_be_hidden()
    expect(lit).to_have_count(0)
    opened.reload()
    expect(opened.locator("[data-seen]")).to_have_count(1)
    expect(card).to_be_hidden()
