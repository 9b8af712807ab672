"""A page presented, in a real browser: what a hall can read, keys, stops, and the speaker's window."""

from contextlib import suppress

import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.person import PATIENCE, drawn, field, slider
from tests.browser.test_screen import PATHS

# Height of a screen -> the smallest letters on it, in pixels.
SCREENS = {1080: (1920, 24), 720: (1280, 16)}
# All words that can be seen: [height of the letters, text, left, top, right, bottom]; below, those that do not fit.
SEEN = """() => {
  const seen = []
  const look = (root) => {
    for (const node of root.querySelectorAll("*")) {
      if (node.shadowRoot) look(node.shadowRoot)
      const own = [...node.childNodes].some((one) => one.nodeType === 3 && one.textContent.trim())
      if (!own && !(node.tagName === "INPUT" && node.type === "text")) continue
      if (!node.checkVisibility({ visibilityProperty: true, opacityProperty: true })) continue
      if (node.closest("sup, sub, script, style, noscript")) continue
      const { left, top, right, bottom, width, height } = node.getBoundingClientRect()
      if (!width || !height) continue
      const size = parseFloat(getComputedStyle(node).fontSize) * (node.currentCSSZoom ?? 1)
      seen.push([size, node.textContent || node.value, left, top, right, bottom])
    }
  }
  look(document.body)
  return seen
}"""
WIDER = """() => [...document.querySelectorAll(".lab-verdict, .lab-tile, .lab-tile > *, [data-testid=stMain]")]
  .filter((box) => (box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 2)
    && getComputedStyle(box).display !== "inline").map((box) => box.textContent.slice(0, 60))"""
# From now on: the smallest letters that are written on any canvas.
WRITTEN = """() => {
  const write = CanvasRenderingContext2D.prototype.fillText
  globalThis.smallest = Infinity
  CanvasRenderingContext2D.prototype.fillText = function (...how) {
    globalThis.smallest = Math.min(globalThis.smallest, parseFloat(/([\\d.]+)px/.exec(this.font)[1]))
    return write.apply(this, how)
  }
}"""
FILLED = """() => {
  globalThis.filled = 0
  Element.prototype.requestFullscreen = () => (globalThis.filled += 1, Promise.resolve())
}"""


def presented(page, serve, path: str, width: int = 1920, height: int = 1080, **how) -> Page:
    """The page, presented, and its picture drawn."""
    opened = page(f"{serve('app.py')}/{path}{'&' if '?' in path else '?'}present=1", width=width, height=height, **how)
    drawn(opened, charts=1)
    expect(opened.get_by_role("button", name="Leave (Escape)")).to_be_visible(timeout=PATIENCE)
    opened.wait_for_function("() => !document.querySelector('[data-waiting]')", timeout=PATIENCE)
    return opened


def stop(opened: Page, at: int, of: int) -> None:
    """Wait until this stop is shown, as the picture and the address say."""
    expect(opened.get_by_role("group", name="Presentation").get_by_role("status")).to_have_text(f"{at} / {of}")


def resting(opened: Page, **settings: object) -> None:
    """Wait until the address holds these."""
    wanted = [f"{name}={value}" for name, value in settings.items()]
    opened.wait_for_function(
        "wanted => wanted.every((one) => location.search.slice(1).split('&').includes(one))",
        arg=wanted,
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("path", PATHS)
def test_a_hall_can_read_all_of_it(page, serve, path):
    opened = presented(page, serve, path)
    hero = opened.get_by_role("slider")
    picture = opened.locator("[data-chart] [role=img]")
    for height, (width, least) in SCREENS.items():
        opened.set_viewport_size({"width": width, "height": height})
        opened.wait_for_function(
            "([width, height]) => document.querySelector('.main-svg').clientWidth < 0.75 * width"
            " && Math.abs(document.querySelector('.main-svg').clientHeight / height - 0.6) < 0.2",
            arg=[width, height],
            timeout=PATIENCE,
        )
        with suppress(TimeoutError):  # letters of a chart take their size when it is drawn
            opened.wait_for_function(f"least => ({SEEN})().every(([size]) => size > least - 0.01)", arg=least)
        expect(opened.locator("[data-chart]")).to_have_count(1)
        expect(hero).to_have_count(1)
        expect(opened.locator(".lab-tile")).to_have_count(3)
        for where in (picture, hero, opened.locator(".lab-verdict h1")):
            expect(where).to_be_in_viewport(ratio=1)
        seen = opened.evaluate(SEEN)
        assert len(seen) > 15
        assert [one for one in seen if one[0] < least - 0.01] == []
        assert [one for one in seen if min(one[2:]) < -1 or one[4] > width + 1 or one[5] > height + 1] == []
        assert opened.evaluate(WIDER) == []
    for gone in ("stHeader", "stAlert"):
        expect(opened.get_by_test_id(gone)).to_be_hidden()
    expect(opened.get_by_role("tab")).to_have_count(0)
    opened.evaluate(WRITTEN)
    before, verdict = picture.get_attribute("aria-label"), opened.locator(".lab-numbers").inner_html()
    for _ in range(3):
        hero.press("ArrowLeft")
    opened.wait_for_function(
        "([label, said]) => document.querySelector('[data-chart] [role=img]').ariaLabel !== label"
        " || document.querySelector('.lab-numbers').innerHTML !== said",
        arg=[before, verdict],
        timeout=PATIENCE,
    )
    assert opened.evaluate("globalThis.smallest ?? Infinity") >= 16 - 0.01


def test_page_keys_step_and_arrows_move(page, serve):
    """With the slider focused as without; the address follows, and a reload is at the same stop."""
    opened = presented(page, serve, "classifier?epsilon=0.5")
    stop(opened, 3, 6)
    slider(opened).press("PageDown")
    stop(opened, 4, 6)
    expect(field(opened)).to_have_value("1")
    resting(opened, epsilon="1.0", step=4)
    slider(opened).press("ArrowRight")
    expect(field(opened)).to_have_value("1.06")
    stop(opened, 4, 6)
    slider(opened).press("PageUp")
    stop(opened, 3, 6)
    expect(field(opened)).to_have_value("0.5")
    slider(opened).evaluate("one => one.blur()")
    for _ in range(2):
        opened.keyboard.press("PageUp")
    stop(opened, 1, 6)
    opened.keyboard.press("PageUp")
    stop(opened, 6, 6)
    expect(field(opened)).to_have_value("100")
    resting(opened, epsilon="100.0", step=6)
    opened.reload()
    drawn(opened, charts=1)
    stop(opened, 6, 6)
    expect(field(opened)).to_have_value("100")
    opened.get_by_role("button", name="Previous stop (Page Up)").click()
    stop(opened, 5, 6)
    opened.keyboard.press("PageUp")
    opened.keyboard.press("PageUp")
    stop(opened, 3, 6)
    expect(field(opened)).to_have_value("0.5")
    opened.wait_for_timeout(2500)
    stop(opened, 3, 6)
    expect(field(opened)).to_have_value("0.5")


def test_pins_are_the_stops_and_then_what_was_shown(page, serve):
    """Several knobs at once by the channel; a choice, which is no knob, by the server."""
    pins = "pin=~few~epsilon~0.1~clip_norm~0.3&pin=strong~epsilon~0.05~steps~60"
    opened = presented(page, serve, f"classifier?epsilon=2&{pins}")
    stop(opened, 3, 3)
    expect(opened.locator("[data-chart]")).to_have_count(1)
    opened.keyboard.press("PageDown")
    stop(opened, 1, 3)
    resting(opened, epsilon="0.1", clip_norm="0.3", step=1)
    opened.keyboard.press("PageDown")
    resting(opened, epsilon="0.05", clip_norm="1.0", steps="60", step=2)
    opened.keyboard.press("PageDown")
    resting(opened, epsilon="2.0", steps="50", step=3)
    opened.goto(f"{serve('app.py')}/classifier?epsilon=2&pin=wine~dataset~wine~epsilon~5&present=1")
    drawn(opened, charts=1)
    stop(opened, 2, 2)
    opened.keyboard.press("PageUp")
    resting(opened, epsilon="5.0", dataset="wine", step=1)
    stop(opened, 1, 2)
    opened.keyboard.press("PageUp")
    resting(opened, epsilon="2.0", dataset="gaussians", step=2)


def test_blank_full_another_picture_and_leave(page, serve):
    opened = presented(page, serve, "classifier?epsilon=0.7")
    opened.evaluate(FILLED)
    blank = opened.locator(".lab-blank")
    for key in ("b", "."):
        opened.keyboard.press(key)
        expect(blank).to_be_visible()
        opened.keyboard.press("b")
        expect(blank).to_have_count(0)
    slider(opened).press("b")
    expect(blank).to_be_visible()
    opened.keyboard.press("Escape")
    expect(blank).to_have_count(0)
    opened.keyboard.press("f")
    assert opened.evaluate("globalThis.filled") == 1
    field(opened).press("f")
    assert opened.evaluate("globalThis.filled") == 1, "where one types, a letter is a letter"
    field(opened).press("Escape")
    slider(opened).focus()
    opened.keyboard.press("p")
    expect(opened.locator("[data-chart='map.scratch']")).to_be_visible(timeout=PATIENCE)
    assert "present=map.scratch~epsilon~0.7" in opened.url
    slider(opened).press("ArrowRight")
    opened.keyboard.press("Escape")
    expect(opened.get_by_role("tablist")).to_be_visible(timeout=PATIENCE)
    expect(opened.locator(".st-key-pictures [data-chart]")).to_have_count(3)
    expect(field(opened)).to_have_value("0.75", timeout=PATIENCE)
    resting(opened, epsilon="0.75")
    assert "present" not in opened.url
    assert "step" not in {pair.partition("=")[0] for pair in opened.url.partition("?")[2].split("&")}
    height = opened.locator(".hero .label").evaluate(
        "one => parseFloat(getComputedStyle(one).fontSize) * one.currentCSSZoom"
    )
    assert height == pytest.approx(22.5), "letters are as they were"
    before = opened.url
    opened.keyboard.press("PageDown")
    opened.wait_for_timeout(500)
    assert opened.url == before


def test_it_begins_where_it_is_found(page, serve):
    opened = page(f"{serve('app.py')}/mechanisms?epsilon=3", width=1440)
    drawn(opened, charts=2)
    opened.get_by_role("tab", name="Share").click()
    opened.get_by_role("button", name="Present", exact=True).click()
    expect(opened.get_by_role("button", name="Leave (Escape)")).to_be_visible(timeout=PATIENCE)
    expect(opened.locator("[data-chart]")).to_have_count(1)
    resting(opened, epsilon="3.0", step=4)


def test_the_notes_follow_and_step(page, serve):
    opened = presented(page, serve, "classifier?epsilon=0.5")
    with opened.expect_popup() as popup:
        opened.keyboard.press("n")
    notes = popup.value
    expect(notes.get_by_role("heading", level=1).first).to_have_text("3 of 6: Epsilon 0.5", timeout=PATIENCE)
    expect(notes.get_by_text("Next: Epsilon 1", exact=True)).to_be_visible()
    expect(notes.get_by_text("Ask before you go on. At Epsilon 1")).to_be_visible()
    expect(notes.locator(".why li").first).to_be_visible()
    assert notes.locator("[data-chart]").count() == 0
    opened.keyboard.press("PageDown")
    expect(notes.get_by_role("heading", level=1).first).to_have_text("4 of 6: Epsilon 1")
    verdict = opened.locator(".lab-verdict h1")
    resting(opened, epsilon="1.0", step=4)
    expect(notes.locator(".verdict h1")).to_have_text(verdict.inner_text())
    notes.bring_to_front()
    notes.keyboard.press("PageDown")
    stop(opened, 5, 6)
    expect(field(opened)).to_have_value("10")
    notes.keyboard.press("b")
    expect(opened.locator(".lab-blank")).to_be_visible()
    expect(notes.get_by_text("the screen is blank")).to_be_visible()
    opened.goto("about:blank")
    notes.reload()
    expect(notes.get_by_text("Nobody presents on this machine")).to_be_visible(timeout=PATIENCE)
    notes.close()


def test_in_somebody_elses_page_and_on_a_phone_it_is_whole_too(page, serve):
    """In a frame of 800 x 600, and with less room: nothing lies on anything else, and the rest is a scroll away."""
    opened = presented(page, serve, "classifier?embed=true", width=1000, height=640)
    for where in (opened.locator("[data-chart]"), slider(opened), opened.locator(".lab-verdict h1")):
        expect(where).to_be_in_viewport(ratio=1)
    opened.set_viewport_size({"width": 390, "height": 844})
    expect(opened.locator("[data-chart] .main-svg").first).to_be_visible()
    opened.keyboard.press("PageDown")
    stop(opened, 4, 6)
    opened.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollWidth <= 390")
