"""The knob panel in a real browser: what a person does with it, and what must then be on the page."""

import re
import time

from playwright.sync_api import Locator, expect

from tests.browser.person import button, drag_until, enter, field, grab, hold_still, slider, sweep
from tests.browser.sight import drawn, shows, text

# Notes each text that the page showed under the charts' heading, in order.
NOTE_TEXTS = """() => {
  const box = document.querySelector("[data-testid=stText]").closest("[data-testid=stVerticalBlock]")
  window.texts = []
  new MutationObserver(() => {
    const text = document.querySelector("[data-testid=stText]")?.textContent
    if (text && text !== texts.at(-1)) texts.push(text)
  }).observe(box, { subtree: true, childList: true, characterData: true })
}"""

LEFT = re.compile(r"epsilon (\S+) .* left (\d+) ")


def test_the_picture_moves_while_the_slider_moves(demo):
    page = demo()
    page.evaluate(NOTE_TEXTS)
    drag_until(page, lambda: page.evaluate("new Set(texts).size"), 8)


def test_nothing_queues_and_the_last_value_wins(demo):
    """While a run takes 150 ms, 60 movements lead to few of them; a machine that is slow runs even fewer."""
    page = demo("work=150")
    track = grab(page)
    began = time.monotonic()
    sweep(page, track, 60)
    page.mouse.move(track[0] + track[1] * 0.75, track[2])
    last = float(field(page).input_value())
    page.mouse.up()
    shows(page, last)
    most = (time.monotonic() - began) / 0.15 + 3
    assert float(field(page).input_value()) == last
    assert int(re.search(r"run (\d+)", text(page).text_content())[1]) <= most


def test_keys(demo):
    page = demo()
    epsilon = slider(page)
    for key, value in (("ArrowRight", 1.05), ("PageUp", 1.66), ("PageDown", 1.05), ("ArrowLeft", 1.0)):
        epsilon.press(key)
        shows(page, value)
    epsilon.press("Home")
    shows(page, 0.01)
    epsilon.press("End")
    shows(page, 100.0)
    expect(epsilon).to_have_attribute("aria-valuetext", "100")
    slider(page, "Sources").press("ArrowRight")
    expect(slider(page, "Sources")).to_have_attribute("aria-valuetext", "11 parties")
    slider(page, "Delta").press("ArrowLeft")
    expect(field(page, "Delta")).to_have_value("7.94e-6")


def test_an_exact_value_is_kept_exactly(demo):
    page = demo()
    enter(page, "3.14159")
    shows(page, 3.14159)
    expect(field(page)).to_have_value("3.14159")
    expect(slider(page)).to_have_attribute("aria-valuetext", "3.14159")
    field(page).fill("2e1")
    field(page).blur()
    shows(page, 20.0)
    field(page).fill("7")
    field(page).press("Escape")
    expect(field(page)).to_have_value("20")
    field(page).fill("0.0123")
    assert field(page).evaluate("field => field.scrollWidth <= field.clientWidth"), "the widest that it may show"


def test_a_refused_entry_says_why_and_changes_nothing(demo):
    page = demo()
    alert = page.locator("[data-knob=epsilon] [role=alert]")
    for entry, words in (("<b>much</b>", "a number, not “<b>much</b>”"), ("1000", "must lie between 0.01 and 100")):
        enter(page, entry)
        expect(alert).to_contain_text(words)
        expect(field(page)).to_have_value(entry)
        expect(field(page)).to_have_attribute("aria-invalid", "true")
        assert alert.get_attribute("id") in field(page).get_attribute("aria-describedby")
        expect(slider(page)).to_have_attribute("aria-valuetext", "1")
        shows(page, 1.0)
        field(page).press("Escape")
        expect(field(page)).to_have_value("1")
        expect(alert).to_be_empty()
        slider(page, "Sources").press("End")  # the server has forgotten the refusal too
        expect(text(page)).to_contain_text("sources 50.0")
        expect(alert).to_be_empty()
        enter(page, entry)
        expect(alert).to_contain_text(words)
        for value in ("50", "1"):
            enter(page, value)
            shows(page, float(value))
            expect(alert).to_be_empty()
            expect(field(page)).to_have_attribute("aria-invalid", "false")


def test_pending_work_goes_on_by_itself_and_gives_way(demo):
    page = demo("work=40&slices=25")
    page.evaluate(NOTE_TEXTS)
    bar = page.get_by_role("progressbar")
    slider(page).press("End")
    expect(bar).to_have_attribute("aria-valuenow", re.compile(r"^\d+$"))
    expect(text(page)).to_contain_text(re.compile(r"epsilon 100.0 .* left (?:1\d|2[0-4]) "))  # it has begun
    slider(page).press("Home")
    expect(text(page)).to_contain_text(re.compile(r"epsilon 0.01 .* left 0 "))
    expect(bar).to_have_count(0)
    left = [found.groups() for words in page.evaluate("texts") if (found := LEFT.search(words))]
    for epsilon, ends in (("100.0", range(1, 25)), ("0.01", range(1))):
        counts = [int(count) for value, count in left if value == epsilon]
        assert counts == sorted(counts, reverse=True)
        assert counts[0] > 15, "it begins anew"
        assert counts[-1] in ends, "the first gives way, the second comes to its end"


def test_the_panel_follows_the_server(demo):
    page = demo()
    button(page, "Preset").click()
    expect(slider(page)).to_have_attribute("aria-valuetext", "10")
    expect(field(page)).to_have_value("10")
    slider(page).press("ArrowRight")
    shows(page, 10.5)


def test_names_for_people_who_do_not_see_the_page(demo):
    page = demo()
    for name in ("Epsilon", "Delta", "Sources"):
        expect(slider(page, name)).to_have_attribute("aria-valuetext", re.compile("."))
        expect(field(page, name)).to_be_editable()
    expect(slider(page, "Clipping bound")).not_to_be_visible()
    page.get_by_text("More settings").click()
    expect(slider(page, "Clipping bound")).to_be_visible()
    about = page.get_by_role("button", name="About Epsilon")
    about.press("Enter")
    expect(about).to_have_attribute("aria-expanded", "true")
    expect(page.get_by_text("hides each person better")).to_be_visible()
    slider(page).press("End")
    expect(page.get_by_role("img", name="Demo lines for epsilon 100")).to_be_visible()
    page.wait_for_function("() => document.querySelector('.js-plotly-plot').layout.meta.epsilon === 100")


def test_a_page_below_a_base_path_is_left_and_comes_back_with_another_clock(lab, serve):
    """A panel numbers its movements by the clock: those of a later one must still count as newer."""
    address = serve("tests/browser/apps/paged_demo.py", "--server.baseUrlPath", "lab")
    page = lab("live", address=address)
    slider(page).press("End")
    shows(page, 100.0)
    page.evaluate("() => { const now = Date.now; Date.now = () => now() - 3_600_000 }")
    page.get_by_role("link", name="Start").click()
    expect(page.get_by_role("heading", name="Start")).to_be_visible()
    page.get_by_role("link", name="Live").click()
    drawn(page)
    expect(slider(page)).to_have_attribute("aria-valuetext", "100")
    slider(page).press("ArrowLeft")
    shows(page, 95.5)


def swipe(page, at: Locator, *, across: float = 0, down: float = 0) -> None:
    """Put a finger on something, move it by so many pixels, and lift it. While the page scrolls, Playwright's own trial
    of a tap would try to cancel what cannot be cancelled, which Chromium calls an error.
    """
    hold_still(at)
    box = at.bounding_box()
    x, y = box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2
    fingers = page.context.new_cdp_session(page)
    for kind, share in [("touchStart", 0), *(("touchMove", step / 12) for step in range(1, 13)), ("touchEnd", None)]:
        points = [] if share is None else [{"x": x + across * share, "y": y + down * share}]
        fingers.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def test_a_phone(demo):
    page = demo(width=390, height=800, touch=True)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.get_by_text("More settings", exact=True).click()
    for control in (slider(page), slider(page, "Delta"), field(page)):
        assert control.bounding_box()["height"] >= 44
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    # up and down, a finger scrolls the page, on a chart and on a slider, which keeps its value
    for place in (page.get_by_role("img", name=re.compile("^Demo regions")), slider(page)):
        hold_still(place)
        before = page.evaluate(scrolled)
        swipe(page, place, down=-150)
        page.wait_for_function(f"before => {scrolled} > before + 50", arg=before)
    expect(slider(page)).to_have_attribute("aria-valuetext", "1")
    # sideways, it moves the thumb, once the page has stopped: a finger on a page that scrolls only stops it
    hold_still(slider(page))
    swipe(page, slider(page), across=100)
    page.wait_for_function("() => document.querySelector('.js-plotly-plot').layout.meta.epsilon > 10")


def test_the_watch_sees_what_a_page_must_not_do(page, demo):
    opened = demo()
    opened.evaluate("() => { console.error('oops'); fetch('http://elsewhere.invalid/x').catch(() => 0) }")
    opened.evaluate("() => setTimeout(() => { throw new Error('bang') })")
    faults = page.watches[-1].faults
    opened.wait_for_function("() => performance.getEntriesByName('http://elsewhere.invalid/x').length > 0")
    expect(text(opened)).to_be_visible()
    seen = " ".join(faults)
    faults.clear()
    assert "oops" in seen
    assert "request to http://elsewhere.invalid/x" in seen
    assert "bang" in seen
