"""A server that is gone or stands still: the page says so, keeps what is moved, and agrees with it afterwards."""

import contextlib
import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import AWAY, Server
from tests.browser.person import enter, field, grab, hold_still, slider
from tests.browser.sight import AXE, RUN, darken, drawn, rests

LOST = "Connection lost"
PALE = """() => [...document.querySelectorAll(".lab-numbers, .lab-verdict, [data-chart]")]
  .map((one) => Number(getComputedStyle(one).opacity) < 1)"""
# Counts how often Streamlit's dialog is there, and in how many frames it is seen.
DIALOGS = """() => {
  window.frames = window.opened = 0
  const dialog = () => document.querySelector("[data-testid=stDialog]") !== null
  new MutationObserver(() => opened += dialog()).observe(document.body, { childList: true })
  const look = () => (frames += dialog(), requestAnimationFrame(look))
  look()
}"""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that a test may kill, and start again where it was."""
    own = Server("app.py", (), tmp_path_factory.mktemp("server") / "server.log")
    own.start()
    yield own
    own.kill()


@pytest.fixture
def rested(lab, page, server) -> Page:
    """The page of mechanisms, open and at rest: its first run does all of the work."""
    opened = lab("mechanisms?epsilon=1", address=server.address)
    page.watches[-1].expected = AWAY
    opened.wait_for_url("**v=*")
    rests(opened)
    return opened


def agree(page: Page, epsilon: str) -> None:
    """Wait until slider, field, picture and address all say this epsilon, and the page is at rest."""
    expect(page.get_by_role("img", name=f"never above ε = {epsilon})")).to_be_visible()
    page.wait_for_url(re.compile(rf"[?&]epsilon={re.escape(epsilon)}(\.0)?(&|$)"))
    expect(slider(page)).to_have_count(1)  # a new run may put a new panel beside the old one for a moment
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(rf"^{re.escape(epsilon)}(,|$)"))
    expect(field(page)).to_have_value(epsilon)
    expect(page.get_by_text(LOST)).to_have_count(0)
    rests(page)
    hold_still(slider(page))


def test_a_server_that_is_killed_and_started_anew(rested, server):
    """Streamlit's dialog opens some seconds after the connection is lost, and is closed before anybody sees it."""
    rested.evaluate(DIALOGS)
    left, width, middle = grab(rested)
    for step in range(20):
        rested.mouse.move(left + width * (0.5 + step / 100), middle)
        if step == 9:
            server.kill()
    rested.mouse.up()
    expect(rested.get_by_role("status").filter(has_text=LOST)).to_be_visible()
    rested.wait_for_function("() => opened > 0")
    expect(rested.get_by_test_id("stDialog")).to_have_count(0)
    slider(rested).press("ArrowRight")
    last = field(rested).input_value()
    assert rested.evaluate("frames") == 0
    server.start()
    agree(rested, last)
    slider(rested).press("Home")
    expect(rested.get_by_role("img", name="never above ε = 0.01)")).to_be_visible()
    server.kill()  # it has drawn what the address may not hold yet
    server.start()
    agree(rested, "0.01")


def test_a_cut_line_to_a_server_that_stays(rested):
    up, ends = [True], []

    def carry(socket):
        ends.append(socket)
        socket.connect_to_server() if up else socket.close()

    rested.route_web_socket("**", carry)
    rested.route("**/_stcore/h*", lambda route: route.continue_() if up else route.abort())
    rested.reload()
    drawn(rested)
    rests(rested)
    up.clear()
    for end in ends:
        end.close()
    expect(rested.get_by_text(LOST)).to_be_visible()
    for name, key in (("Your prior", "ArrowRight"), ("Epsilon", "PageUp"), ("Epsilon", "ArrowRight")):
        slider(rested, name).press(key)
    last, prior = field(rested).input_value(), field(rested, "Your prior").input_value()
    up.append(True)
    agree(rested, last)
    assert prior != "0.5"
    guess = re.compile(rf"{100 * float(prior):.0f}.% becomes")
    expect(rested.locator("[data-chart=posterior] [role=img]")).to_have_attribute("aria-label", guess)
    rested.wait_for_url(f"**prior={prior}*")
    rested.close()  # its connections stay routed


@contextlib.contextmanager
def silent(page: Page, server: Server) -> Iterator[None]:
    """The server's process stands still for as long, and the system keeps its connections open. Afterwards nothing of
    it is said or to be seen.
    """
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)
    expect(page.get_by_text("No answer")).to_have_count(0)
    page.wait_for_function(f"() => !({PALE})().some(Boolean)")  # what was pale fades in


def pales(page: Page, shown: str) -> Locator:
    """Wait until the page says of which settings its result is. Then all of the result is pale. The notice."""
    words = re.compile(rf"^No answer for \d+ s\. The results shown {re.escape(shown)}\.$")
    notice = page.get_by_role("status").filter(has_text=words)
    expect(notice).to_be_visible()
    pale = page.evaluate(PALE)
    assert len(pale) >= 3
    assert all(pale)
    return notice


def test_a_silent_server_leaves_a_pale_result_with_the_settings_it_is_of(rested, server):
    rested.evaluate(AXE)
    with silent(rested, server):
        enter(rested, "3.77")
        notice = pales(rested, "are for Epsilon 1")
        expect(field(rested)).to_have_value("3.77")
        expect(notice).not_to_have_text(notice.inner_text())  # it counts
        assert rested.evaluate(RUN) == []
        darken(rested)
        rested.set_viewport_size({"width": 390, "height": 844})
        assert rested.evaluate(RUN) == []
        assert rested.evaluate("document.documentElement.scrollWidth") <= 390
    agree(rested, "3.77")
