"""Every page in a real browser, on all screens, narrow and dark, and what a screen reader and the
keyboard find.
"""

from itertools import groupby

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks import shift
from benchmarks.latency import served, wait_for_first_picture
from pages.attack.settings import PARTS
from pages.topics import PAGES
from tests.browser.person import (
    button,
    drag_until,
    enter,
    field,
    first_slider,
    grab,
    slider,
    sweep,
    tab,
)
from tests.browser.sight import AXE, RUN, VERDICT, WIDE, WORDS, becomes, drawn, obeys, still

PATHS = [page.name for page in PAGES if page.name != "attack"] + [
    f"attack?part={part}" for part in PARTS
]
# Few runs where the usual ones take long.
QUICK = {one: f"{one}?repeats=4" for one in ("hypotheses", "network", "transfer")}
QUICK |= {"parties": "parties?parties=60&public_rows=60&repeats=4", "what-if": "what-if?repeats=24"}
# One page of each kind, on which axe looks and the slider is dragged at a commit; on the others, at
# night.
KINDS = ("classifier", "mechanisms", "network", "what-if", "attack?part=person")
# Built as others are.
ALIKE = [f"attack?part={part}" for part in ("membership", "fairness")]
# Where numbers, sentence and the first row of charts end, in pixels from above.
ENDS = """() => Object.fromEntries([".lab-numbers", ".lab-verdict", ".st-key-pictures [data-chart]"].map((where) =>
  [where, Math.max(...[...document.querySelectorAll(where)].map((one) => one.getBoundingClientRect().bottom))]))"""
LINES = "(words) => Math.round(words.clientHeight / parseFloat(getComputedStyle(words).lineHeight))"
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
UNFOLDS = "details:not([open]) > summary"
SIZES = ((1440, 900), (1024, 768), (390, 844), (1920, 1080), (1280, 800), (800, 600))


@pytest.fixture
def opened(lab):
    """opened(path, width, height) -> the page, drawn."""

    def open_page(path: str, width: int = 1440, height: int = 900):
        """Return the page at this path, once a tab and a chart are there and no chart waits."""
        here = lab(path, charts=1, width=width, height=height)
        expect(here.get_by_role("tab").first).to_be_attached()
        here.wait_for_function("() => !document.querySelector('[data-waiting]')")
        return here

    return open_page


@pytest.mark.parametrize(
    ("path", "whole"),
    [
        *(pytest.param(path, path in KINDS, id=path) for path in PATHS if path not in ALIKE),
        *(
            pytest.param(path, True, marks=pytest.mark.soak, id=f"all of {path}")
            for path in PATHS
            if path not in KINDS
        ),
    ],
)
def test_a_page_fits_its_screens_breaks_no_rule_of_axe_and_follows_its_slider(opened, path, whole):
    """At 1440 x 900 numbers, sentence and the first row of charts are in sight.

    The slider stays beside its chart.
    """
    page = opened(QUICK.get(path, path))
    still(page)
    ends = page.evaluate(ENDS)
    assert len(ends) == 3
    assert all(0 < end <= 900 for end in ends.values()), ends
    assert page.locator(".lab-tile").count() in (3, 4)
    assert page.locator(".hero .label").evaluate(LINES) == 1
    panel, beside = (page.locator(where).bounding_box() for where in (".panel", ".st-key-beside"))
    assert 0 < beside["y"] - panel["y"] - panel["height"] < 40, (
        "what stands under the sliders stands right under them"
    )
    assert page.locator(".st-key-pictures [data-chart]").count() in (2, 3)
    hero = first_slider(page).get_attribute("aria-label")
    for width, height in SIZES[: None if path == "classifier" else 3]:
        page.set_viewport_size({"width": width, "height": height})
        for what in (WIDE, SMALL, UNSEEN):  # a chart takes its new width when it is drawn
            becomes(page, what, [])
        if width == 1024:
            assert page.get_by_role("tablist").evaluate(
                "tabs => tabs.scrollWidth <= tabs.clientWidth"
            )
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
    drag_until(
        page, lambda: "".join(page.locator(f"{VERDICT}, .lab-numbers").all_inner_texts()), 3, hero
    )


def test_on_a_large_screen_all_letters_are_larger_by_a_quarter(opened):
    page, sizes = opened("classifier", 1699), {}
    for width, title in ((1699, 15), (1700, 18.75)):
        page.set_viewport_size({"width": width, "height": 1080})
        page.wait_for_function(
            "size => document.querySelector('.gtitle').style.fontSize === `${size}px`", arg=title
        )
        for size, text, *_ in page.evaluate(WORDS):
            sizes.setdefault(text, []).append(size)
    both = [pair for pair in sizes.values() if len(pair) == 2]  # of texts that are there once
    assert len(both) > 50
    assert [large for _, large in both] == pytest.approx([1.25 * small for small, _ in both])


def test_home_moves_at_once_and_an_open_move_lights_up_what_it_speaks_of(lab):
    home = lab(charts=2, width=1440)
    accuracy = home.locator(".lab-tile.private")
    patients = home.locator('.st-key-pictures [data-chart="map"]')
    for label, styles in {
        "Pay for it": ("solid", "none"),
        "Hide somebody else": ("none", "solid"),
    }.items():
        button(home, label).click()
        for lit, style in zip((accuracy, patients), styles, strict=True):
            expect(lit).to_have_css("outline-style", style)
    picture = home.locator('.st-key-pictures [data-chart="guesses"] [role=img]')
    before = picture.get_attribute("aria-label")
    for thing in (
        picture,
        slider(home),
        home.locator(".lab-numbers"),
        home.get_by_text("Hide Ana"),
    ):
        expect(thing).to_be_in_viewport(ratio=1)
    slider(home).press("PageDown")
    expect(picture).not_to_have_attribute("aria-label", before)
    home.wait_for_url("**epsilon=5.62*")
    # Plotly's own layer over the points receives the click.
    patients.locator(".scatterlayer .points path").nth(8).hover(force=True)
    home.mouse.down()
    home.mouse.up()
    home.wait_for_url("**person=*")
    home.get_by_test_id("stMain").get_by_role("link", name="Classifier", exact=True).click()
    drawn(home, 3)
    expect(home.get_by_role("heading", level=1)).to_have_text(
        "What does privacy cost a classifier?"
    )


def test_the_link_of_home_opens_the_classifier_at_the_epsilon_of_the_visitor(lab):
    home = lab(charts=2, width=1440)
    slider(home).press("PageDown")
    home.wait_for_url("**epsilon=5.62*")
    link = home.locator(".st-key-moves").get_by_role("link")
    expect(link).to_contain_text("5.62")

    link.click()

    home.wait_for_url("**/classifier?*epsilon=5.62*")
    drawn(home, 3)
    expect(field(home)).to_have_value("5.62")


@pytest.mark.parametrize("path", ["", pytest.param(shift.LESSON, marks=pytest.mark.soak)])
def test_nothing_jumps_while_a_page_loads(chromium, serve, path):
    shifts = shift.visit(chromium, f"{serve('app.py')}/{path}", shift.SIZES["phone"])

    assert sum(one["value"] for one in shifts) <= shift.SHIFT_AT_MOST, shifts


def test_a_card_that_is_dismissed_by_keyboard_stays_away(lab):
    opened = lab("mechanisms", width=1440)
    opened.reload()
    card, highlighted = opened.locator(".lab-move"), opened.locator(".row.highlighted")
    expect(card).to_be_visible()
    expect(highlighted).to_have_attribute(
        "data-slider",
        next(one for one in PAGES if one.name == "mechanisms").controls.suggestion.slider,
    )
    card.get_by_role("button", name="Dismiss").focus()
    opened.keyboard.press("Enter")
    expect(card).to_be_hidden()
    expect(highlighted).to_have_count(0)
    opened.reload()
    expect(opened.locator("[data-suggestion-closed]")).to_have_count(1)
    expect(card).to_be_hidden()


def test_a_card_stays_away_once_its_movement_is_made(lab, serve):
    opened = lab("mechanisms", width=1440)
    card = opened.locator(".lab-move")
    expect(card).to_be_visible()

    enter(opened, "5")

    expect(card).to_be_hidden()
    opened.goto(f"{serve('app.py')}/mechanisms")
    expect(opened.locator("[data-suggestion-closed]")).to_have_count(1)
    expect(field(opened)).to_have_value("1")
    expect(card).to_be_hidden()


OPEN_SHADOWS = """const attach = Element.prototype.attachShadow
Element.prototype.attachShadow = function (how) { return attach.call(this, { ...how, mode: "open" }) }"""


def test_a_first_picture_moves_before_streamlit_is_there_and_the_live_page_goes_on_where_it_stands(
    visitor,
):
    page, held, free = visitor("about:blank", width=1440), [], []
    page.add_init_script(OPEN_SHADOWS)
    page.route(
        "**/static/js/index.*.js", lambda route: route.continue_() if free else held.append(route)
    )
    tiles = page.locator(".lab-numbers .lab-tile > b")
    with served("app.py", first_picture="on") as address:
        wait_for_first_picture(address)
        page.goto(address, wait_until="commit")
        page.locator(".lab-first .range").focus()
        expect(page.locator(".lab-first .range")).to_be_focused()
        before = tiles.all_inner_texts()
        page.keyboard.press("Home")
        expect(page.locator(".lab-first .field")).to_have_value("0.01")
        moved = tiles.all_inner_texts()
        assert moved != before
        expect(page.locator(".lab-first .room > canvas[style]")).to_have_count(2)
        assert "epsilon=0.01" in page.url
        page.evaluate(AXE)
        assert page.evaluate(RUN) == []
        free.append(True)
        for script in held:
            script.continue_()
        expect(page.locator(".lab-first")).to_have_count(0)
        expect(page.locator(".st-key-panel .range").first).to_be_focused()
        expect(page.locator(".st-key-panel .field").first).to_have_value("0.01")
        expect(tiles).to_have_text(moved)
        page.goto("about:blank")


# What has the focus: the name of its chart, or what it is called.
FOCUSED = """() => {
  let at = document.activeElement
  while (at.shadowRoot?.activeElement) at = at.shadowRoot.activeElement
  return at.closest("[data-chart]")?.dataset.chart ?? at.getAttribute("aria-label") ?? at.tagName
}"""
# Notes what the page's live region says, one entry each time.
LISTEN = """() => {
  window.region = document.querySelector("[data-announcements]")
  window.told = []
  new MutationObserver(() => told.push(region.textContent)).observe(region, { childList: true, characterData: true })
}"""
# That the newest of what was said is what the page shows.
TOLD = """() => {
  const shown = [".lab-numbers", ".lab-verdict"].map((where) => document.querySelector(where).textContent).join(" ")
  const parts = told.at(-1)?.split(". ").flatMap((sentence) => sentence.replace(/\\.$/, "").split(": "))
  return parts?.every((part) => shown.includes(part))
}"""
# Holds pictures of the channel back, until Streamlit has said the same.
LATE = """() => {
  const { send } = WebSocket.prototype
  WebSocket.prototype.send = function (message) {
    const hear = this.onmessage, late = ({ data }) => {
      hear({ data: JSON.stringify({ ...JSON.parse(data), done: 0.5 }) })
      setTimeout(() => hear({ data }), 3000)
    }
    if (this.url.includes("lab-channel") && !this.late) this.onmessage = this.late = late
    return send.call(this, message)
  }
}"""


@pytest.fixture
def classifier(lab) -> Page:
    """Return the page of the classifier with little work, drawn and still."""
    opened = lab("classifier?repeats=5&steps=5", charts=3)
    still(opened)
    return opened


def test_a_chart_is_one_stop_whose_buttons_the_arrows_find(classifier):
    names, stops = ["accuracy", "map.scratch", "map.public"], []
    bar = classifier.locator(f"[data-chart='{names[-1]}']").get_by_role("toolbar")
    steps = slider(classifier, "Steps")
    steps.focus()
    classifier.keyboard.press("Shift+Tab")
    classifier.keyboard.press("Tab")
    value = "(node, name) => getComputedStyle(node).getPropertyValue(name).trim()"
    assert steps.evaluate(value, "--st-text-color") in steps.evaluate(value, "--ring")
    while not bar.evaluate("bar => bar.contains(document.activeElement)") and len(stops) < 60:
        classifier.keyboard.press("Tab")
        stops.append(classifier.evaluate(FOCUSED))
    of_charts = [stop for stop in stops if stop in names]
    assert [name for name, _ in groupby(of_charts)] == names
    # A chart is its buttons and what it is. The point of the curve is one more.
    assert len(of_charts) == 2 * len(names) + 1
    expect(bar).to_have_css("opacity", "1")
    assert bar.evaluate("bar => bar.closest('[role=img]')") is None
    for key, name in (("ArrowDown", "SVG"), ("ArrowUp", "PNG"), ("ArrowUp", "Reset axes")):
        classifier.keyboard.press(key)
        expect(bar.get_by_role("button", name=name)).to_be_focused()
    classifier.keyboard.press("Shift+Tab")
    classifier.keyboard.press("Tab")
    expect(bar.get_by_role("button", name="Reset axes")).to_be_focused()
    classifier.keyboard.press("Home")
    with classifier.expect_download() as saved:
        classifier.keyboard.press("Enter")
    assert saved.value.suggested_filename.endswith(".png")


def test_the_live_region_stays_and_tells_what_a_drag_leads_to(classifier):
    classifier.evaluate(LISTEN)
    classifier.evaluate(LATE)
    for begin in (0, 5):  # pictures that are asked for, and then pictures at hand
        classifier.evaluate("told.length = 0")
        sweep(classifier, grab(classifier), 30, begin)
        classifier.mouse.up()
        classifier.wait_for_url("**/*epsilon=*")
        classifier.wait_for_function(TOLD)
        still(classifier)
    assert classifier.evaluate("region.isConnected && region.getAttribute('role') === 'status'")
    assert classifier.locator(".lab-verdict[role], .lab-verdict[aria-live]").count() == 0


def press(page: Page, name: str, then: Locator) -> None:
    """Press a button by a key, once no run replaces it. Then this has the focus, and keeps it."""
    still(page)
    button(page, name).focus()
    expect(button(page, name)).to_be_focused()
    page.keyboard.press("Enter")
    expect(then).to_be_focused()
    still(page)
    expect(then).to_be_focused()


def test_pin_swap_and_unpin_leave_the_focus_on_the_buttons(classifier):
    for pressed, then in (
        ("Pin for comparison", "Unpin"),
        ("Swap", "Swap"),
        ("Unpin", "Pin for comparison"),
    ):
        press(classifier, pressed, button(classifier, then))


def test_a_lesson_by_keyboard_alone_leads_from_heading_to_heading(lab):
    page = lab("lessons?lesson=epsilon", charts=0)
    heading = page.get_by_role("heading", level=1)
    guess = page.get_by_role("spinbutton").first
    enter(guess, "70")
    for _ in range(3):
        guess.press("ArrowUp")
    expect(guess).to_have_value("73")
    guess.press("Tab")
    expect(button(page, "Lock in my guess")).to_be_enabled()
    for name, words in (
        ("Lock in my guess", "You said 73\xa0%"),
        ("Why?", "Why"),
        ("Back", "You said"),
    ):
        press(page, name, heading)
        expect(heading).to_contain_text(words)


@pytest.mark.parametrize(
    "path", ["", "glossary", "works", "choosing", "lessons", "classifier?pin=clip_norm~0.5"]
)
def test_another_page_breaks_no_rule_of_axe(lab, path):
    page = lab(path, charts=3 if "?pin=" in path else 0)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.locator(UNFOLDS).evaluate_all("all => all.forEach(one => one.click())")
    obeys(page)
