"""Words and pictures by the channel: at once while something moves, and the ordinary way at
rest.
"""

import json
import os
import random
import re
import socket
from itertools import groupby

import numpy as np
import pytest
import streamlit as st
from playwright.sync_api import Page, expect

from tests.browser.person import button, drag_until, field, grab, slider, sweep, tab, until
from tests.browser.sight import VERDICT, addressed, becomes, drawn, rests, still
from tests.browser.sight import toy_says as says
from tests.toy.page import Toy
from ui.server import tcp_nodelay
from ui.widgets import Movement, movement

# Notes what is to be seen of the toy at each frame, and who is told of it.
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
    const picture = document.querySelector("[data-chart=moves] [role=img]")?.getAttribute("aria-label")
    if (words && String([words, picture]) !== String(seen.at(-1))) seen.push([words, picture])
    requestAnimationFrame(note)
  }
  note()
}"""
# All that the moving part of the toy shows.
LOOK = """() => {
  const [moves, stays] = ["moves", "stays"].map((name) => document.querySelector(`[data-chart=${name}]`))
  return [
    ...[".lab-verdict", ".lab-numbers", ".lab-words-why"].map((where) => document.querySelector(where).innerHTML),
    moves.querySelector("[role=img]").getAttribute("aria-label"),
    moves.querySelector(".gtitle").textContent,
    moves.querySelector(".shapelayer path").getAttribute("d"),
    moves.querySelector(".scatterlayer .js-line").getAttribute("d"),
    stays.querySelector(".gtitle").textContent,
    moves.querySelector(".js-plotly-plot").layout.title.text,
  ]
}"""
HOVERS = """() => [...document.querySelectorAll("[data-chart=moves] .hovertext")]
  .filter((one) => one.checkVisibility({ visibilityProperty: true })).map((one) => one.textContent)"""


@pytest.fixture
def noted(toy):
    """noted(query, channel=) -> the toy, which notes what it shows, and connected where there is a
    channel.
    """

    def open_page(query: str = "", *, channel: bool = True) -> Page:
        """Return the toy page with this query, which notes from now on what it shows.

        Its channel is in use by then, if it has one and the rows are shared.
        """
        opened = toy(query, channel=channel)
        opened.evaluate(NOTE)
        if channel and "own" not in query:

            def connected() -> bool:
                """Return whether the page asks for the next stops of a slider under the pointer."""
                opened.mouse.move(0, 0)
                slider(opened).hover()
                return opened.evaluate("told.channel") > 0

            until(connected)
            opened.evaluate("() => { told.channel = 0 }")
        return opened

    return open_page


def wait_for_address(page: Page, **settings: float | str) -> None:
    """Wait until the address holds these settings, and no run is at work."""
    addressed(page, Toy(), **settings)
    rests(page)


def assert_shows_the_same_as_a_new_page(page: Page) -> None:
    """Wait until this page shows all that a new one shows at its link."""
    rests(page)
    other = page.context.new_page()
    other.set_viewport_size(page.viewport_size)
    other.goto(page.url)
    drawn(other)
    rests(other)
    other.wait_for_function(
        f"() => {{ const look = ({LOOK})(); return look[3] === `Curve: ${{look[4]}}` }}"
    )
    fresh = other.evaluate(LOOK)
    other.close()
    page.bring_to_front()
    becomes(page, LOOK, fresh)
    still(page)  # what is under way may change it still
    assert page.evaluate(LOOK) == fresh


def test_the_channel_answers_and_streamlit_is_told_once(noted):
    """Pictures of an open tab follow. Those of others are not there."""
    page = noted()
    too = page.locator("[data-chart=too] [role=img]")
    expect(too).to_have_count(0)
    tab(page, "More")
    expect(too).to_have_attribute("aria-label", "Curve: Epsilon 1, shown 0, 1 done")
    page.wait_for_url("**/*tab=more*")  # which the run of the page writes that follows the tab
    rests(page)
    page.evaluate("() => { told.streamlit = 0 }")
    slider(page).press("ArrowRight")
    expect(too).to_have_attribute("aria-label", "Curve: Epsilon 1.06, shown 0, 1 done")
    says(page, 1.06)
    assert page.evaluate("told.channel") > 0
    wait_for_address(page, epsilon=1.06)
    assert page.evaluate("told.streamlit") == 1
    assert_shows_the_same_as_a_new_page(page)


def test_a_drag_is_answered_while_it_lasts(noted):
    page = noted("work=0")
    drag_until(page, page.locator(VERDICT).inner_text, least=8)
    value = float(field(page).input_value())
    says(page, value)
    wait_for_address(page, epsilon=value)


def test_a_prefetched_stop_is_shown_without_a_request(noted):
    page, stops, heard = noted("work=30"), {1.06, 1.12, 1.19, 1.26, 1.33}, set()

    def note(frame: str | bytes) -> None:
        """Note the value that a text message of the server names, None if it names none."""
        if isinstance(frame, str):
            heard.add(json.loads(frame).get("value"))

    page.on("websocket", lambda socket: socket.on("framereceived", note))
    page.reload()
    drawn(page)
    rests(page)
    page.evaluate(NOTE)
    slider(page).focus()
    until(lambda: heard >= stops, page)
    for value in sorted(stops):
        slider(page).press("ArrowRight")
        says(page, value)
    assert page.evaluate("told.questions") == 0


def test_the_hover_label_never_shows_an_older_chart(noted):
    page = noted()
    slider(page).focus()
    plane = page.locator("[data-chart=moves] .draglayer .nsewdrag")
    box = plane.bounding_box()
    plane.hover(
        position={"x": box["width"] / 2, "y": box["height"] * (1 - np.sin(0.5)) / 2}
    )  # on the curve
    expect(page.locator("[data-chart=moves] .hovertext")).to_be_visible()
    [before] = page.evaluate(HOVERS)
    page.keyboard.press("ArrowRight")
    says(page, 1.06)
    assert before not in page.evaluate(HOVERS)
    wait_for_address(page, epsilon=1.06)
    assert before not in page.evaluate(HOVERS)


def test_a_training_plays_every_step_in_order_in_all_charts_together(noted):
    page = noted()
    page.evaluate("() => { seen.length = 0 }")
    button(page, "Play").click()
    says(page, 1, 60)
    expect(button(page, "Play")).to_be_visible()
    expect(button(page, "One step on")).to_have_attribute("aria-disabled", "true")
    wait_for_address(page, shown=60)
    moments = [f"Epsilon 1, shown {step}, 1 done" for step in range(61)]
    seen = page.evaluate("seen")
    assert seen[seen[0] == [moments[0], f"Curve: {moments[0]}"] :] == [
        [one, f"Curve: {one}"] for one in moments[1:]
    ]
    assert page.evaluate("told.streamlit") <= 2
    assert_shows_the_same_as_a_new_page(page)


def test_another_slider_moves_while_it_plays(noted):
    page = noted()
    button(page, "Play").click()
    page.wait_for_function("() => seen.length > 8")
    for key in ("End", "ArrowLeft", "PageDown"):
        slider(page).press(key)
    expect(button(page, "Play")).to_be_visible()
    step, epsilon = field(page, "Step shown").input_value(), field(page).input_value()
    says(page, epsilon, step)
    wait_for_address(page, shown=step)
    assert_shows_the_same_as_a_new_page(page)
    steps = [int(re.search(r"shown (\d+)", words)[1]) for words, _ in page.evaluate("seen")]
    assert [step for step, _ in groupby(steps)] == list(range(int(step) + 1))


@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.soak) for seed in range(1, 8))]
)
def test_whatever_is_dragged_ends_as_a_fresh_page_at_its_link(noted, seed):
    """With work that is slower than the hand, and ordinary runs that come late."""
    chance = random.Random(seed)
    page = noted(f"work={chance.choice([5, 60, 150])}&repeats=8")
    names = ["Epsilon", "Repeats", "Step shown"]
    for _ in range(6):
        name = chance.choice(names)
        if chance.random() < 0.5:
            slider(page, name).press(chance.choice(["ArrowRight", "PageUp", "Home", "ArrowLeft"]))
        else:
            sweep(page, grab(page, name), chance.randint(2, 12), chance.randint(0, 9))
            page.mouse.up()
        page.wait_for_timeout(chance.choice([0, 40, 250, 450, 1200]))
    wanted = {name: field(page, name).input_value() for name in names}
    wait_for_address(
        page,
        epsilon=float(wanted["Epsilon"]),
        repeats=wanted["Repeats"],
        shown=wanted["Step shown"],
    )
    says(page, wanted["Epsilon"], wanted["Step shown"], wanted["Repeats"])
    assert_shows_the_same_as_a_new_page(page)


@pytest.mark.parametrize(("query", "channel"), [("", False), ("&dataset=own", True)])
def test_without_a_channel_and_on_a_private_file_the_ordinary_run_does_everything(
    noted, query, channel
):
    page = noted(f"work=5&shown=52{query}", channel=channel)
    for key in ("End", "PageDown"):
        slider(page).press(key)
    says(page, 56.2, 52)
    wait_for_address(page, epsilon=56.2)
    button(page, "Play").click()
    says(page, 56.2, 60)
    wait_for_address(page, shown=60)
    assert page.evaluate("told.channel") == 0
    assert_shows_the_same_as_a_new_page(page)


GOOD = {"name": "epsilon", "value": 1.5, "seq": 7, "final": False, "tick": False}
WRONG = {
    "name": (5, "", "x" * 10_000),
    "value": (None, True, float("nan"), float("inf"), 10**400, [1]),
    "seq": ("7", 7.0, -1, 2**60),
    "final": (1,),
    "tick": ("yes",),
    "page": (1,),
}
FORGED = [None, [], "epsilon", {}, {name: value for name, value in GOOD.items() if name != "final"}]
FORGED += [GOOD | {name: value} for name, values in WRONG.items() for value in values]


def test_a_movement_is_read_as_it_was_sent_and_forged_state_is_ignored(monkeypatch):
    def read(state: object, after: int = -1) -> Movement | None:
        """Return the movement that is read while the session holds this state of the sliders."""
        monkeypatch.setattr(st, "session_state", {"sliders": state})
        return movement("sliders", after=after)

    assert read({"movement": GOOD}, after=6) == Movement(**GOOD)
    assert read({"movement": GOOD}, after=7) is None, "it is applied already"
    assert (
        read({"movement": GOOD | {"value": "<b>many</b>" * 99}}).value == ("<b>many</b>" * 99)[:64]
    )
    tick = read({"movement": GOOD | {"tick": True, "final": True}})
    assert tick == Movement(name="", value=0.0, seq=7, final=False, tick=True)
    assert read({"movement": GOOD | {"page": True}}).page
    states = [*({"movement": sent} for sent in FORGED), None, 3, "x", [GOOD], {}, {"other": GOOD}]
    assert [state for state in states if read(state) is not None] == []


def test_small_messages_of_open_sockets_and_later_connections_do_not_wait():
    """Nagle's algorithm is off for them. Others are left alone, and nothing is left open."""

    def delays(sock: socket.socket) -> bool:
        return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0

    with (
        socket.create_server(("127.0.0.1", 0)) as listening,
        socket.socket(type=socket.SOCK_DGRAM) as datagrams,
    ):
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert delays(
                accepted
            )  # else Python or Streamlit has mended it, and ui/server/tcp_nodelay.py can go
            before = os.listdir("/dev/fd")
            assert tcp_nodelay.disable_nagle() >= 2
            assert os.listdir("/dev/fd") == before
            assert not delays(accepted)
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as later:
            assert not delays(later)
        assert datagrams.fileno() >= 0
