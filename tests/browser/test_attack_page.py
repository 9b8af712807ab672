"""The attack in a real browser: a click chooses who is meant, and so do the keys."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.person import PATIENCE, drawn, field, hold_still, slider

CHARTS = 3
SMALL = "repeats=100&steps=5"
# Where a point of the map lies on the screen, and its row: the first whose neighbours are all far away.
LONELY = """node => {
  const points = node._fullData.filter(trace => trace.customdata)
    .flatMap(trace => [...trace.x].map((x, i) => ({x, y: trace.y[i], row: Number(trace.customdata[i])})))
  const {xaxis, yaxis} = node._fullLayout
  const at = points.map(({x, y, row}) => ({x: xaxis.d2p(x), y: yaxis.d2p(y), row}))
  const far = one => at.every(other => other === one || Math.hypot(one.x - other.x, one.y - other.y) > 18)
  const found = at.find(one => one.row && far(one) && one.x > 5 && one.y > 5)
  const box = node.getBoundingClientRect()
  return {row: found.row, x: box.left + xaxis._offset + found.x, y: box.top + yaxis._offset + found.y}
}"""


def chart(page):
    return page.locator("[data-chart='map'] .js-plotly-plot")


@pytest.mark.parametrize(("width", "dark", "touch"), [(1440, False, False), (390, True, True)])
def test_a_click_on_a_point_chooses_that_person(page, serve, width, dark, touch):
    opened = page(f"{serve('app.py')}/attack?{SMALL}", width=width, height=1000, dark=dark, touch=touch)
    drawn(opened, CHARTS)
    expect(chart(opened)).to_contain_text("an outlier", timeout=PATIENCE)
    hold_still(chart(opened))
    spot = chart(opened).evaluate(LONELY)
    if touch:
        opened.touchscreen.tap(spot["x"], spot["y"])
    else:
        opened.mouse.click(spot["x"], spot["y"])
    expect(chart(opened)).to_contain_text(f"row {spot['row']}", timeout=PATIENCE)
    if not touch:  # there the field is folded away
        expect(field(opened, "Person (row)")).to_have_value(str(spot["row"]), timeout=PATIENCE)
    opened.wait_for_url(re.compile(f"person={spot['row']}&.*who=row"), timeout=PATIENCE)


def test_a_click_beside_all_points_puts_an_outlier_there_and_a_drag_does_not(page, serve):
    opened = page(f"{serve('app.py')}/attack?{SMALL}&who=row", width=1440, height=1000)
    drawn(opened, CHARTS)
    expect(chart(opened)).to_contain_text("row 0", timeout=PATIENCE)
    box = chart(opened).locator(".nsewdrag").bounding_box()
    begin = box["x"] + 0.9 * box["width"], box["y"] + 0.1 * box["height"]
    opened.mouse.move(*begin)
    opened.mouse.down()
    opened.mouse.move(begin[0] - 30, begin[1] + 30, steps=5)
    opened.mouse.up()
    opened.wait_for_timeout(300)
    expect(chart(opened)).to_contain_text("row 0")
    opened.mouse.click(box["x"] + 0.95 * box["width"], box["y"] + 0.05 * box["height"])
    expect(chart(opened)).to_contain_text("an outlier", timeout=PATIENCE)


@pytest.mark.parametrize(("width", "dark"), [(1440, False), (390, True)])
def test_the_person_can_be_dragged_and_the_picture_follows(page, serve, width, dark):
    opened = page(f"{serve('app.py')}/attack?{SMALL}&who=row", width=width, height=1000, dark=dark)
    drawn(opened, CHARTS)
    handle = chart(opened).locator("xpath=..").locator("[data-handle]")
    hold_still(handle)
    box = handle.bounding_box()
    begin = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    opened.mouse.move(*begin)
    opened.mouse.down()
    opened.mouse.move(begin[0] + 60, begin[1] - 40, steps=10)
    expect(chart(opened)).to_contain_text("an outlier", timeout=PATIENCE)  # before it is let go
    opened.mouse.move(begin[0] + 80, begin[1] - 60, steps=5)
    opened.mouse.up()
    opened.wait_for_url(re.compile("who=outlier"), timeout=PATIENCE)
    ended = handle.bounding_box()
    assert ended["x"] - box["x"] == pytest.approx(80, abs=3)
    assert ended["y"] - box["y"] == pytest.approx(-60, abs=3)


class Finger:
    """One finger on the glass, as the browser gets it from the screen: it may scroll the page."""

    def __init__(self, page):
        self._session = page.context.new_cdp_session(page)
        self._page = page

    def swipe(self, begin, end, *, steps=12):
        """Put it down, and move it; it stays there."""
        self._send("touchStart", begin)
        for step in range(1, steps + 1):
            at = [a + (b - a) * step / steps for a, b in zip(begin, end, strict=True)]
            self._send("touchMove", at)
            self._page.wait_for_timeout(16)

    def lift(self):
        self._send("touchEnd")

    def _send(self, kind, *points):
        touches = [{"x": x, "y": y} for x, y in points]
        self._session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": touches})


# How far the page is scrolled, whatever it is that scrolls.
SCROLLED = "scrollY + document.querySelector('[data-testid=stMain]').scrollTop"


def test_a_finger_drags_the_person_and_scrolls_the_page_anywhere_else(page, serve):
    opened = page(f"{serve('app.py')}/attack?{SMALL}&who=row", width=390, height=800, dark=True, touch=True)
    drawn(opened, CHARTS)
    handle = chart(opened).locator("xpath=..").locator("[data-handle]")
    hold_still(chart(opened))
    finger, box, top = Finger(opened), handle.bounding_box(), opened.evaluate(SCROLLED)
    begin = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    finger.swipe(begin, (begin[0] - 50, begin[1] - 60))
    expect(chart(opened)).to_contain_text("an outlier", timeout=PATIENCE)  # before it is lifted
    finger.lift()
    opened.wait_for_url(re.compile("who=outlier"), timeout=PATIENCE)
    assert opened.evaluate(SCROLLED) == top
    ended = handle.bounding_box()
    assert (ended["x"] - box["x"], ended["y"] - box["y"]) == pytest.approx((-50, -60), abs=3)
    # Beside the person the same movement scrolls, and moves nobody.
    there, map_box = opened.url, chart(opened).locator(".nsewdrag").bounding_box()
    beside = map_box["x"] + 0.1 * map_box["width"], map_box["y"] + 0.9 * map_box["height"]
    finger.swipe(beside, (beside[0], beside[1] - 120))
    finger.lift()
    opened.wait_for_function(f"top => {SCROLLED} > top + 60", arg=top)
    opened.wait_for_timeout(600)
    assert opened.url == there


def test_the_keys_go_from_person_to_person(page, serve):
    opened = page(f"{serve('app.py')}/attack?{SMALL}&who=row&person=5", width=1440, height=1000)
    drawn(opened, CHARTS)
    slider(opened, "Person (row)").press("ArrowRight")
    expect(chart(opened)).to_contain_text("row 6", timeout=PATIENCE)
    place = field(opened, "Outlier y")
    place.fill("0.5")
    place.press("Enter")
    expect(chart(opened)).to_contain_text("an outlier", timeout=PATIENCE)


def test_the_published_recipe_is_caught_while_one_looks(page, serve):
    opened = page(f"{serve('app.py')}/attack?version=published&clip_norm=0.05&epsilon=1", width=1440, height=1000)
    expect(opened.locator(".lab-verdict")).to_contain_text("Caught", timeout=PATIENCE)
