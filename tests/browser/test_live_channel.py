"""Words and pictures by the channel, in a real browser: at once while something moves, and the ordinary way at rest."""

import json
import random
import re
import time
from contextlib import suppress
from dataclasses import asdict
from itertools import groupby

import numpy as np
import pytest
from playwright.sync_api import Page, TimeoutError, expect

from tests.browser.person import PATIENCE, button, drag_until, enter, field, grab, slider, sweep, tab
from tests.browser.sight import VERDICT, drawn, rests, still
from tests.toy.page import Toy

APP, ALONE = "tests/browser/apps/toy_app.py", "tests/browser/apps/toy_page.py"
# What the browser writes into the console where a connection does not come about.
EXPECTED = ("WebSocket connection to",)
# Notes what is to be seen of the toy at each frame of the browser, and who is told of it.
NOTE = """() => {
  window.seen = []
  window.told = { channel: 0, questions: 0, streamlit: 0 }
  const send = WebSocket.prototype.send
  WebSocket.prototype.send = function (message) {
    const channel = this.url.includes("lab-channel")
    told[channel ? "channel" : "streamlit"] += 1
    told.questions += channel && !("ahead" in JSON.parse(message))
    return send.call(this, message)
  }
  const note = () => {
    const words = document.querySelector(".lab-verdict")?.textContent
    if (words && words !== seen.at(-1)) seen.push(words)
    requestAnimationFrame(note)
  }
  note()
}"""
# All that the moving part of the toy shows.
LOOK = """() => {
  const [moves, stays] = ["moves", "stays"].map((name) => document.querySelector(`[data-chart=${name}]`))
  const plot = moves.querySelector(".js-plotly-plot")
  return [
    document.querySelector(".lab-verdict").innerHTML,
    document.querySelector(".lab-numbers").innerHTML,
    document.querySelector(".lab-words-why").innerHTML,
    moves.querySelector("[role=img]").getAttribute("aria-label"),
    moves.querySelector(".gtitle").textContent,
    moves.querySelector(".shapelayer path").getAttribute("d"),
    moves.querySelector(".scatterlayer .js-line").getAttribute("d"),
    stays.querySelector(".gtitle").textContent,
    plot.layout.title.text,
  ]
}"""
HOVERS = """() => [...document.querySelectorAll("[data-chart=moves] .hovertext")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true })).map((one) => one.textContent)"""


@pytest.fixture
def toy(page, serve):
    """toy(query, script) -> the toy page, drawn and at rest, and connected where there is a channel."""

    def open_page(query: str = "", script: str = APP, *options: str) -> Page:
        opened = page(f"{serve(script, *options)}/?{query}")
        drawn(opened)
        rests(opened)
        opened.evaluate(NOTE)
        if script == APP and "own" not in query:
            connected(opened)
        return opened

    return open_page


def connected(page: Page) -> None:
    """Wait until there is a connection: a pointer over a slider then asks for its next stops."""
    while not page.evaluate("told.channel"):
        slider(page).hover()
        page.wait_for_timeout(100)
        page.mouse.move(0, 0)
    page.evaluate("() => { told.channel = 0 }")


def says(page: Page, epsilon: float | str, shown: int | str = 0, done: int | str = 1) -> None:
    """Wait until the sentence is of this."""
    expect(page.locator(VERDICT)).to_have_text(f"Epsilon {epsilon}, shown {shown}, {done} done")


def address(page: Page, **settings: float | str) -> None:
    """Wait until the address holds these settings, and no run is at work."""
    usual = asdict(Toy())
    for name, value in settings.items():
        there = re.compile(rf"[?&]{name}={re.escape(str(value))}(&|$)")
        page.wait_for_url(there if str(value) != str(usual[name]) else lambda url, name=name: f"{name}=" not in url)
    rests(page)


def test_a_key_is_answered_by_the_channel_and_streamlit_is_told_once(toy):
    page = toy()
    slider(page).press("ArrowRight")
    says(page, 1.06)
    assert page.evaluate("told.channel") > 0
    address(page, epsilon=1.06)
    assert page.evaluate("told.streamlit") == 1
    expect(page.locator("[data-chart=moves] .gtitle")).to_have_text("Epsilon 1.06, shown 0, 1 done")
    expect(page.get_by_role("img", name="Curve: Epsilon 1.06, shown 0, 1 done")).to_be_visible()


# Counts how often the hand rests for as long as Streamlit is then told: on a busy machine it does in a drag, too.
HAND = """() => {
  window.hand = { rests: 0, last: performance.now() }
  addEventListener("pointermove", () => {
    const now = performance.now()
    hand.rests += now - hand.last >= 300
    hand.last = now
  }, true)
}"""


def test_a_drag_is_answered_while_it_lasts(toy):
    page = toy("work=0")
    page.evaluate(HAND)
    drag_until(page, lambda: page.evaluate("new Set(seen).size"), least=12)
    told, pauses = page.evaluate("[told.streamlit, hand.rests]")
    assert told <= pauses + 1  # the hand rests for good now
    value = float(field(page).input_value())
    says(page, f"{value:g}")
    address(page, epsilon=value)


def test_later_slices_are_shown_as_they_come(toy):
    page = toy("work=150")
    slider(page, "Repeats").press("End")
    says(page, 1, 0, 50)
    assert len(page.evaluate("seen")) > 2  # slices grow
    address(page, repeats=50)
    assert page.evaluate("told.streamlit") <= 5  # and not once a slice


def test_a_stop_that_is_at_hand_is_shown_without_a_question(toy):
    page, stops, heard = toy("work=30"), {1.06, 1.12, 1.19, 1.26, 1.33}, set()

    def note(frame: str | bytes) -> None:
        if isinstance(frame, str):
            heard.add(json.loads(frame).get("value"))

    page.on("websocket", lambda socket: socket.on("framereceived", note))
    page.reload()
    drawn(page)
    rests(page)
    page.evaluate(NOTE)
    slider(page).focus()
    end = time.monotonic() + PATIENCE / 1000
    while not heard >= stops:
        assert time.monotonic() < end, heard
        page.wait_for_timeout(50)
    for value in sorted(stops):
        slider(page).press("ArrowRight")
        says(page, value)
    assert page.evaluate("told.questions") == 0


def test_the_pictures_of_an_open_tab_follow_and_those_of_others_are_not_asked_for(toy):
    page = toy()
    expect(page.locator("[data-chart=too]")).to_have_count(0)
    tab(page, "More")
    too = page.locator("[data-chart=too] [role=img]")
    expect(too).to_have_attribute("aria-label", "Curve: Epsilon 1, shown 0, 1 done")
    rests(page)
    page.evaluate("() => { told.streamlit = 0 }")
    slider(page).press("ArrowRight")
    expect(too).to_have_attribute("aria-label", "Curve: Epsilon 1.06, shown 0, 1 done")
    says(page, 1.06)
    address(page, epsilon=1.06)
    assert page.evaluate("told.streamlit") == 1
    agrees(page)


def test_on_a_private_file_nothing_is_asked_on_the_channel(toy):
    page = toy("dataset=own")
    slider(page).press("Home")
    says(page, 0.1)
    address(page, epsilon=0.1)
    assert page.evaluate("told.channel") == 0


def test_what_hovers_is_never_of_an_older_picture(toy):
    page = toy()
    slider(page).focus()
    plane = page.locator("[data-chart=moves] .draglayer .nsewdrag")
    box = plane.bounding_box()
    plane.hover(position={"x": box["width"] / 2, "y": box["height"] * (1 - np.sin(0.5)) / 2})  # on the curve
    expect(page.locator("[data-chart=moves] .hovertext")).to_be_visible()
    [before] = page.evaluate(HOVERS)
    page.keyboard.press("ArrowRight")
    says(page, 1.06)
    assert before not in page.evaluate(HOVERS)
    address(page, epsilon=1.06)
    assert before not in page.evaluate(HOVERS)


def test_it_plays_every_moment_in_order_and_all_together(toy):
    page = toy()
    page.evaluate("""() => {
      window.looks = []
      const note = () => {
        const now = [document.querySelector(".lab-verdict").textContent,
          document.querySelector("[data-chart=moves] [role=img]").getAttribute("aria-label").replace("Curve: ", "")]
        if (String(now) !== String(looks.at(-1))) looks.push(now)
        requestAnimationFrame(note)
      }
      note()
    }""")
    button(page, "Play").click()
    expect(button(page, "Play")).to_be_visible(timeout=PATIENCE)
    says(page, 1, 60)
    address(page, shown=60)
    looks = page.evaluate("looks")
    assert [look for look in looks if look[0] != look[1]] == []
    assert [words for words, _ in looks] == [f"Epsilon 1, shown {step}, 1 done" for step in range(61)]
    assert page.evaluate("told.streamlit") <= 2
    agrees(page)


def test_what_is_shown_stays_until_the_pictures_of_it_have_come(toy):
    page = toy()
    slider(page).press("ArrowRight")
    says(page, 1.06)
    words, picture = page.evaluate("""() => {
      dispatchEvent(new CustomEvent("epsilon-lab:release", { detail: "other settings" }))
      dispatchEvent(new Event("epsilon-lab:complete"))
      return [".lab-verdict", "[data-chart=moves] [role=img]"].map((each) => document.querySelector(each))
        .map((node) => node.getAttribute("aria-label")?.replace("Curve: ", "") ?? node.textContent)
    }""")
    assert words == picture == "Epsilon 1.06, shown 0, 1 done"
    address(page, epsilon=1.06)
    agrees(page)


def test_another_knob_moves_while_it_plays(toy):
    page = toy()
    button(page, "Play").click()
    page.wait_for_function("() => seen.length > 8")
    slider(page).press("End")
    slider(page).press("ArrowLeft")
    slider(page).press("PageDown")
    expect(button(page, "Play")).to_be_visible()
    step, epsilon = field(page, "Step shown").input_value(), field(page).input_value()
    says(page, epsilon, step)
    address(page, shown=step)
    agrees(page)
    steps = [int(re.search(r"shown (\d+)", words)[1]) for words in page.evaluate("seen")]
    assert [step for step, _ in groupby(steps)] == list(range(int(step) + 1))


def agrees(page: Page) -> None:
    """Wait until this page shows all that a new one shows at its link."""
    rests(page)
    other = page.context.new_page()
    other.set_viewport_size(page.viewport_size)
    other.goto(page.url)
    drawn(other)
    rests(other)
    other.wait_for_function(f"() => {{ const look = ({LOOK})(); return look[3] === `Curve: ${{look[4]}}` }}")
    fresh = other.evaluate(LOOK)
    other.close()
    page.bring_to_front()
    with suppress(TimeoutError):
        page.wait_for_function(f"fresh => String(({LOOK})()) === fresh", arg=",".join(fresh))
    still(page)  # what is under way may change it still
    assert page.evaluate(LOOK) == fresh


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 8))])
def test_whatever_is_dragged_in_whatever_time_ends_as_a_fresh_page_at_its_link(toy, seed):
    """With work that is slower than the hand, and ordinary runs that come late."""
    chance = random.Random(seed)
    page = toy(f"work={chance.choice([5, 60, 150])}&repeats=8")
    names = ["Epsilon", "Repeats", "Step shown"]
    for _ in range(6):
        name = chance.choice(names)
        if chance.random() < 0.5:
            slider(page, name).press(chance.choice(["ArrowRight", "PageUp", "Home", "ArrowLeft"]))
        else:
            track = grab(page, name)
            sweep(page, track, chance.randint(2, 12), chance.randint(0, 9))
            page.mouse.up()
        page.wait_for_timeout(chance.choice([0, 40, 250, 450, 1200]))
    wanted = {name: field(page, name).input_value() for name in names}
    address(page, epsilon=float(wanted["Epsilon"]), repeats=wanted["Repeats"], shown=wanted["Step shown"])
    says(page, wanted["Epsilon"], wanted["Step shown"], wanted["Repeats"])
    rests(page)
    agrees(page)


def test_where_there_is_no_channel_the_ordinary_run_does_everything(page, toy):
    opened = toy("work=5", ALONE)
    slider(opened).press("End")
    slider(opened).press("PageDown")
    says(opened, 56.2)
    address(opened, epsilon=56.2)
    assert opened.evaluate("told.channel") == 0
    agrees(opened)
    faults = page.watches[-1].faults
    faults[:] = [fault for fault in faults if not any(known in fault for known in EXPECTED)]


@pytest.mark.soak  # at a commit, a line that is cut takes the channel with it (test_connection.py)
def test_a_channel_that_is_cut_in_the_middle_of_a_drag(page, serve):
    closes = []
    opened = page(f"{serve(APP)}/?work=5").context.new_page()
    opened.route_web_socket(re.compile("lab-channel"), lambda route: closes.append((route, route.connect_to_server())))
    opened.goto(f"{serve(APP)}/?work=5")
    drawn(opened)
    rests(opened)
    opened.evaluate(NOTE)
    track = grab(opened)
    sweep(opened, track, 4)
    opened.wait_for_function("() => seen.length > 1")
    for route, _ in closes:
        route.close()
    sweep(opened, track, 6, 3)
    opened.mouse.up()
    value = float(field(opened).input_value())
    says(opened, f"{value:g}")
    address(opened, epsilon=value)
    agrees(opened)
    opened.evaluate("() => { told.questions = 0 }")
    for value in (2.22, 3.33, 4.44, 5.55, 6.66, 7.77, 8.88):  # the first may begin the new connection
        enter(opened, str(value))
        says(opened, value)
        address(opened, epsilon=value)
        if opened.evaluate("told.questions"):
            break
    assert opened.evaluate("told.questions") > 0
    opened.close()


@pytest.mark.soak  # at a commit, tests/test_channel.py asks below one
def test_the_channel_below_a_base_path(toy):
    page = toy("", APP, "--server.baseUrlPath", "lab")
    slider(page).press("ArrowRight")
    says(page, 1.06)
    assert page.evaluate("told.channel") > 0
