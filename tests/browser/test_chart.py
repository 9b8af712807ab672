"""The chart in a real browser: it is redrawn where it stands, and can be zoomed, saved and read out."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.person import field, grab, slider
from tests.browser.sight import drawn, shows, text


def lines(page: Page) -> Locator:
    return page.get_by_role("img", name=re.compile("^Demo lines"))


def test_nodes_focus_and_drag_survive_redraws(demo):
    page = demo()
    page.evaluate("document.querySelectorAll('.js-plotly-plot').forEach((node, at) => (node.born = at))")
    slider(page).evaluate("node => (node.born = 'here')")
    track = grab(page)
    for share in (0.6, 0.7, 0.8):
        page.mouse.move(track[0] + track[1] * share, track[2])
        shows(page, float(field(page).input_value()))
    page.mouse.up()
    assert page.evaluate("[...document.querySelectorAll('.js-plotly-plot')].map(node => node.born)") == [0, 1]
    assert slider(page).evaluate("node => node.born === 'here' && node.getRootNode().activeElement === node")


def test_zoom_is_kept_while_the_data_move_and_reset_by_key(demo):
    page = demo()
    chart = lines(page)
    ranges = "node => [node._fullLayout.xaxis.range, node._fullLayout.yaxis.range].flat()"
    whole, box = chart.evaluate(ranges), chart.locator(".nsewdrag").bounding_box()
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] * 0.3)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 0.7, steps=5)
    page.mouse.up()
    page.wait_for_function("node => node._fullLayout.xaxis.range[1] < 0.9", arg=chart.element_handle())
    zoomed = chart.evaluate(ranges)
    slider(page).press("End")
    page.wait_for_function("node => node.layout.meta.epsilon === 100", arg=chart.element_handle())
    assert chart.evaluate(ranges) == zoomed
    reset = page.locator("[data-chart]", has=chart).get_by_role("button", name="Reset axes")
    reset.focus()
    reset.press("Enter")
    page.wait_for_function("node => node._fullLayout.xaxis.range[1] >= 0.9", arg=chart.element_handle())
    assert chart.evaluate(ranges) == pytest.approx(whole)


def test_a_chart_with_nothing_new_is_not_touched(demo):
    page = demo()
    page.evaluate("""() => {
      const react = Plotly.react
      window.draws = 0
      Plotly.react = (...all) => (draws++, react(...all))
    }""")
    slider(page, "Sources").press("End")
    expect(text(page)).to_contain_text("sources 50.0")
    expect(page.get_by_test_id("stApp")).to_have_attribute("data-test-script-state", "notRunning")
    assert page.evaluate("draws") == 0
    slider(page).press("End")
    page.wait_for_function("() => draws > 0")


def test_a_chart_that_comes_into_view_is_as_it_should_be(demo):
    page = demo("slices=400", width=600, height=420)
    chart = lines(page)
    expect(chart).not_to_be_in_viewport()
    slider(page).press("End")
    expect(page.get_by_role("img", name="Demo lines for epsilon 100")).to_be_attached()
    chart.scroll_into_view_if_needed()
    page.wait_for_function("node => node.layout.meta.epsilon === 100", arg=chart.element_handle())


def test_charts_follow_the_theme(demo):
    page = demo()
    colour = "() => getComputedStyle(document.querySelector('.js-plotly-plot .xtick text')).fill"
    light = page.evaluate(colour)
    page.emulate_media(color_scheme="dark")
    page.wait_for_function(f"light => ({colour})() !== light", arg=light)


def test_a_chart_can_be_saved(demo, tmp_path):
    page = demo()
    chart = lines(page)
    chart.hover()
    for kind, head in (("PNG", b"\x89PNG"), ("SVG", b"<svg")):
        with page.expect_download() as saved:
            page.locator("[data-chart]", has=chart).get_by_role("button", name=f"Download as {kind}").click()
        assert saved.value.suggested_filename == f"lines.{kind.lower()}"
        saved.value.save_as(file := tmp_path / "chart")
        assert file.read_bytes().lower().startswith(head.lower())


def test_a_chart_that_cannot_be_drawn_says_so(page, demo):
    opened = demo()
    opened.route("**/plotly-basic.min.js*", lambda route: route.abort())
    opened.reload()
    expect(opened.get_by_text("This chart could not be drawn").first).to_be_visible()
    opened.unroute("**/plotly-basic.min.js*")
    slider(opened).press("End")
    expect(opened.locator(".js-plotly-plot .main-svg").first).to_be_visible()
    expect(opened.get_by_text("This chart could not be drawn").first).not_to_be_visible()
    faults = page.watches[-1].faults
    assert all("plotly-basic.min.js" in fault for fault in faults)
    faults.clear()


@pytest.mark.parametrize("motion", ["no-preference", pytest.param("reduce", marks=pytest.mark.soak)])
def test_a_chart_that_is_late_shows_that_it_is_coming(windows, serve, motion):
    """While Plotly is on its way, the outline of each chart stands where it will be, and then gives way to it."""
    late, watch = windows[False].take()
    late.set_viewport_size({"width": 1280, "height": 720})
    late.emulate_media(reduced_motion=motion, color_scheme="light")
    held = []
    late.route("**/plotly-basic.min.js*", lambda route, _: held.append(route))
    late.goto(f"{serve('tests/browser/apps/live_demo.py')}/")
    boxes = late.locator("[data-waiting]")
    expect(boxes).to_have_count(2)
    expect(boxes.first).to_have_text("Drawing …")
    sizes = "boxes => boxes.map(box => [box.offsetHeight, box.parentElement.offsetHeight, box.offsetWidth])"
    for colours in ("light", "dark"):
        late.emulate_media(reduced_motion=motion, color_scheme=colours)
        assert all(height == cell >= 200 and width > 200 for height, cell, width in boxes.evaluate_all(sizes))
        assert boxes.first.evaluate("box => box.getAnimations().length") == (0 if motion == "reduce" else 1), colours
    while not held:
        late.wait_for_timeout(20)
    held[0].continue_()
    drawn(late)
    expect(boxes).to_have_count(0)
    windows[False].give_back(late, watch)
