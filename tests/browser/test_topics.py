"""What only a browser shows of single pages: pictures that move under a hand, tabs that fill, a training that plays."""

import re
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import TimeoutError, expect

from tests.browser.person import button, distinct, drag_until, enter, field, hold_still, middle, slider, tab
from tests.browser.sight import SHOWN, TABLE, VERDICT, drawn, says, still

LOOKS = [{"width": 1440}, {"width": 390, "dark": True, "touch": True}]
LOOK_IDS = ["light", "phone"]
TRAINING = "network?epsilon=3&rows=500&lot_size=50&epochs=6&repeats=4"
PEOPLE = "attack?repeats=100&steps=5"


@pytest.mark.parametrize(
    ("path", "chart", "how"),
    [
        ("classifier?repeats=8", "map.scratch", LOOKS[0]),
        (TRAINING, "map.private", LOOKS[1]),
        pytest.param("regression", "noisy", LOOKS[0], marks=pytest.mark.soak),
        pytest.param("mechanisms", "release", LOOKS[1], marks=pytest.mark.soak),
    ],
)
def test_a_picture_moves_while_the_knob_is_dragged(lab, path, chart, how):
    """What is out of view follows when the drag is over: who drags on a phone looks at it."""
    page = lab(path, **how)
    picture = page.locator(f"[data-chart='{chart}']")
    picture.scroll_into_view_if_needed()
    drag_until(page, distinct(lambda: picture.evaluate(SHOWN)), 4)
    there = float(field(page).input_value())
    page.wait_for_function("there => Number(new URLSearchParams(location.search).get('epsilon')) === there", arg=there)


def test_what_plotly_puts_into_files_follows_the_theme(lab):
    page = lab("classifier", charts=3)
    lines = "[...document.querySelectorAll('.js-plotly-plot')].flatMap(({ layout }) => layout.shapes ?? [])"
    for scheme, colours in (("light", ["#1B1E2B", "#1f66b8", "#00795a"]), ("dark", ["#E6E8F0", "#7db4f5", "#35c79c"])):
        page.emulate_media(color_scheme=scheme)
        page.wait_for_function(
            f"colours => colours.every(colour => {lines}.some(({{ line }}) => line.color === colour))", arg=colours
        )


@pytest.mark.parametrize(
    ("path", "name", "told"),
    [
        ("accounting", "Theorems", ["not met: ε < q2T", ""]),
        ("classifier?repeats=4&steps=5", "Results table", [""]),
        *(
            pytest.param(*case, marks=pytest.mark.soak)
            for case in (
                ("accounting?settings_tried=5", "Hyperparameter tuning", ["all 5 tries"]),
                ("regression?dataset=diabetes&repeats=10", "All methods", ["DP gradient descent"]),
                ("transfer?repeats=4", "Published table", ["34.1754"]),
            )
        ),
    ],
)
def test_a_table_fills_itself(lab, path, name, told):
    page = lab(path)
    tab(page, name)
    tables = page.locator(TABLE)
    expect(tables).to_have_count(len(told))
    for table, words in zip(tables.all(), told, strict=True):
        expect(table).to_contain_text(words)
        expect(table).not_to_contain_text("…")
        assert table.locator("tbody tr").count() > 2


@pytest.mark.parametrize(
    ("path", "name", "knob", "value", "where", "before", "after", "address"),
    [
        ("transfer?repeats=4", "Sources", "Threshold h", "20", ".gtitle", "2 of 6 within", "6 of 6 within", "h=20.0"),
        ("classifier?repeats=4", "Results table", "Clipping norm", "0.01", TABLE, "", "", "clip_norm=0.01"),
    ],
)
def test_what_stands_in_a_tab_follows_a_knob(lab, path, name, knob, value, where, before, after, address):
    page = lab(path)
    tab(page, name)
    shown = page.locator(where).filter(has_text=before or None).last
    expect(shown).to_be_visible()
    was = shown.text_content()
    enter(page, value, knob)
    page.wait_for_url(f"**{address}*")
    expect(page.locator(where).filter(has_text=after or None).last).to_be_visible()
    expect(page.locator(where).filter(has_text=was)).to_have_count(0)


def test_a_field_takes_a_decimal_comma_and_a_bad_entry_can_be_corrected(lab):
    page = lab("parties?parties=60&public_rows=60&repeats=4")
    careless, alert = field(page, "Parties with random labels"), page.locator("[data-knob=careless] [role=alert]")
    enter(careless, "half")
    expect(alert).to_contain_text("cannot be half: it must be a number from 0 to 0.9")
    enter(careless, "0,3")
    expect(careless).to_have_value("0.3")
    expect(alert).to_be_empty()
    page.wait_for_url("**careless=0.3*")


@pytest.mark.parametrize(
    "path",
    [
        "classifier?repeats=12",
        pytest.param("parties?dataset=digits&parties=20000&public_rows=500&repeats=4", marks=pytest.mark.soak),
        pytest.param("hypotheses?epsilon=1", marks=pytest.mark.soak),
    ],
)
def test_long_work_gives_way_to_a_movement_whose_link_is_there_at_once(lab, slow, path):
    page = lab(path, address=slow.address)
    bar, numbers = page.get_by_role("progressbar", name="Work in progress"), page.locator(".lab-numbers")
    expect(bar).to_be_visible()
    before = numbers.inner_html()
    enter(page, "7")
    page.wait_for_function("before => document.querySelector('.lab-numbers').innerHTML !== before", arg=before)
    page.wait_for_url("**epsilon=7.0*")
    expect(bar).to_be_visible()
    assert int(bar.get_attribute("aria-valuenow")) < 90
    tab(page, "Share")
    says(page, "epsilon=7.0", "[data-testid=stCode]")
    slow.go_on()
    if path.startswith("classifier"):
        expect(bar).to_be_hidden()


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


def test_a_weight_takes_from_the_others_and_the_link_remembers(lab):
    page = lab("hypotheses?repeats=4&source_rows=200&unlabelled_rows=200&target_rows=400&public_rows=300")
    page.get_by_text("More settings", exact=True).click()
    enter(page, "0.5", "Mixture weight of source 2")
    expect(field(page, "Mixture weight of source 1")).to_have_value("0.3")
    expect(field(page, "Mixture weight of source 4")).to_have_value("0.2")
    page.wait_for_url("**mixture=0.3-0.5-0-0.2-0*")


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


@pytest.mark.parametrize("how", [LOOKS[0], pytest.param(LOOKS[1], marks=pytest.mark.soak)], ids=LOOK_IDS)
def test_a_training_plays_from_the_first_step_to_the_last(lab, how):
    page = lab(TRAINING, charts=3, **how)
    says(page, "After 60 steps of 60, epsilon 3 is spent")
    page.evaluate(LISTEN)
    button(page, "Play").click()
    page.locator("[data-chart='map.private']").scroll_into_view_if_needed()
    page.wait_for_function("() => heard.length > 30 && heard.at(-1).includes('After 60 steps')")
    heard = page.evaluate("heard")
    steps = [int(found.group(1)) for words in heard if (found := re.search(r"After (\d+) steps? of", words))]
    after = steps[1:]  # the first is where it stood before
    assert after == sorted(after)
    assert after[-1] == 60
    assert any("nothing is spent" in words for words in heard)
    spent = [float(found.group(1)) for words in heard[1:] if (found := re.search(r"epsilon ([\d.]+) is spent", words))]
    assert spent == sorted(spent)
    assert len(set(spent)) > 20
    assert page.evaluate("regions.size") > 20


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


def test_a_pause_agrees_with_a_fresh_page_at_its_link(lab):
    page = lab(f"{TRAINING}&shown=0", charts=3, width=1440)

    def seen(opened, step: int) -> dict:
        """What is seen once this step is shown and all is computed: the last slice is the one over lot sizes."""
        opened.wait_for_url(f"**shown={step}&**")
        says(opened, "At this budget, batches of", ".lab-words-why")
        still(opened)
        return opened.evaluate(SEEN)

    def agrees(wanted: dict) -> None:
        """Wait until this is what is seen: Plotly draws what was painted once nothing moves."""
        page.bring_to_front()
        with suppress(TimeoutError):
            page.wait_for_function(f"wanted => JSON.stringify(({SEEN})()) === wanted", arg=page.evaluate(TEXT, wanted))
        assert page.evaluate(SEEN) == wanted

    first = seen(page, 0)
    button(page, "Play").click()
    button(page, "Pause").evaluate(PRESS_AFTER, 17)
    expect(button(page, "Play")).to_be_visible()
    step = int(field(page, "Step shown").input_value())
    assert 17 < step < 60
    fresh = lab(TRAINING, charts=3, width=1440)
    for _ in range(2):  # as it rests, and one step on
        there = seen(page, step) and page.url
        fresh.bring_to_front()
        fresh.goto(there)
        drawn(fresh, 3)
        agrees(seen(fresh, step))
        button(page, "One step on").click()
        step += 1
    button(page, "Restart").click()
    seen(page, 0)
    agrees(first)


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
# How far the page is scrolled, whatever it is that scrolls.
SCROLLED = "scrollY + document.querySelector('[data-testid=stMain]').scrollTop"
MAP, HANDLE = "[data-chart='map'] .js-plotly-plot", "[data-chart='map'] [data-handle]"


@pytest.mark.parametrize("how", LOOKS, ids=LOOK_IDS)
def test_a_press_on_a_point_chooses_that_person(lab, how):
    page = lab(PEOPLE, charts=3, height=1000, **how)
    says(page, "an outlier", MAP)
    hold_still(page.locator(MAP))
    spot = page.locator(MAP).evaluate(LONELY)
    (page.touchscreen.tap if "touch" in how else page.mouse.click)(spot["x"], spot["y"])
    says(page, f"row {spot['row']}", MAP)
    if "touch" not in how:  # there the field is folded away
        expect(field(page, "Person (row)")).to_have_value(str(spot["row"]))
        slider(page, "Person (row)").press("ArrowRight")
        says(page, f"row {spot['row'] + 1}", MAP)
        spot["row"] += 1
    page.wait_for_url(re.compile(f"person={spot['row']}&.*who=row"))


def test_a_click_beside_all_points_puts_an_outlier_there_and_a_drag_does_not(lab):
    page = lab(f"{PEOPLE}&who=row", charts=3, width=1440, height=1000)
    says(page, "row 0", MAP)
    box = page.locator(f"{MAP} .nsewdrag").bounding_box()
    x, y = box["x"] + 0.9 * box["width"], box["y"] + 0.1 * box["height"]
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x - 30, y + 30, steps=5)
    page.mouse.up()
    still(page)
    says(page, "row 0", MAP)
    page.mouse.click(box["x"] + 0.95 * box["width"], box["y"] + 0.05 * box["height"])
    says(page, "an outlier", MAP)


def swipe(page, places: list[tuple[float, float]]) -> Callable[[], None]:
    """Put a finger on the first place, and move it to the last; it stays there until what is returned is called.

    It is what the browser gets from its screen: unlike Playwright's taps, it may scroll the page.
    """
    session = page.context.new_cdp_session(page)

    def touch(kind: str, *places: tuple[float, float]) -> None:
        points = [{"x": x, "y": y} for x, y in places]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", places[0])
    for place in places[1:]:
        touch("touchMove", place)
    return partial(touch, "touchEnd")


@pytest.mark.parametrize("how", LOOKS, ids=LOOK_IDS)
def test_the_person_is_dragged_and_the_picture_follows(lab, how):
    page = lab(f"{PEOPLE}&who=row", charts=3, height=1000, **how)
    hold_still(page.locator(HANDLE))
    x, y = middle(page.locator(HANDLE))
    top = page.evaluate(SCROLLED)
    places = [(x - 50 * step / 12, y - 60 * step / 12) for step in range(13)]
    if touch := "touch" in how:
        lift = swipe(page, places)
    else:
        page.mouse.move(x, y)
        page.mouse.down()
        for place in places:
            page.mouse.move(*place)
        lift = page.mouse.up
    says(page, "an outlier", MAP)  # before it is let go
    lift()
    page.wait_for_url(lambda address: "who=" not in address)  # as it is by default
    assert middle(page.locator(HANDLE)) == pytest.approx(places[-1], abs=3)
    assert page.evaluate(SCROLLED) == top
    if not touch:
        return
    still(page)  # beside the person the same movement scrolls, and moves nobody
    there, box = page.url, page.locator(f"{MAP} .nsewdrag").bounding_box()
    x, y = box["x"] + 0.1 * box["width"], box["y"] + 0.9 * box["height"]
    swipe(page, [(x, y - 10 * step) for step in range(13)])()
    page.wait_for_function(f"top => {SCROLLED} > top + 60", arg=top)
    still(page)
    assert page.url == there
