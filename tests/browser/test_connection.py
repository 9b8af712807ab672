"""A server that is gone, or stands still: the page says so, keeps what is moved, and agrees with it afterwards."""

import contextlib
import re
import signal
import socket
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.mechanisms.experiment import MechanismsSettings
from tests.browser.conftest import Server
from tests.browser.person import button, enter, field, grab, slider
from tests.browser.sight import AXE, RUN, darken, drawn, rests

# What the browser and Streamlit write into the console while there is no server; anything else is still a fault.
EXPECTED = (
    "net::ERR_",
    "Cannot send rerun backMessage when disconnected",
    "Client Error",
    "DoInitPings timed out",
    "Is Streamlit still running?",
)
LOST = "Connection lost"
PALE = """() => [...document.querySelectorAll(".lab-numbers, .lab-verdict, [data-chart]")]
  .map((one) => Number(getComputedStyle(one).opacity) < 1)"""


class Line:
    """A way to the server that can be cut, and mended again, without the server."""

    def __init__(self, port: int):
        self.port, self.up, self.ends = port, True, []
        self.door = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self.serve, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://localhost:{self.door.getsockname()[1]}"

    def serve(self) -> None:
        while True:
            try:
                near, _ = self.door.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("localhost", self.port if self.up else 0))
            except OSError:
                near.close()
                continue
            self.ends += [near, far]
            for one, other in ((near, far), (far, near)):
                threading.Thread(target=self.carry, args=(one, other), daemon=True).start()

    def carry(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while some := one.recv(65536):
                other.sendall(some)
        with contextlib.suppress(OSError):  # a server that is killed may end its line with an error
            other.shutdown(socket.SHUT_RDWR)

    def cut(self) -> None:
        self.up = False
        for end in self.ends:
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()
        self.ends.clear()

    def mend(self) -> None:
        self.up = True


@pytest.fixture(scope="module")
def own_line(own_server) -> Iterator[Line]:
    own = Line(own_server.port)
    yield own
    own.cut()
    own.door.shutdown(socket.SHUT_RDWR)  # ends the wait for the next visitor
    own.door.close()


@pytest.fixture
def line(own_line, server) -> Line:
    """A line to a server that runs."""
    own_line.mend()
    return own_line


@pytest.fixture
def rested(lab, page, line) -> Iterator[Page]:
    """The page of mechanisms, open and at rest: its first run does all of the work."""
    opened = lab("mechanisms?epsilon=1", address=line.address)
    opened.wait_for_url("**v=*")
    rests(opened)
    yield opened
    opened.goto("about:blank")
    faults = page.watches[-1].faults
    faults[:] = [fault for fault in faults if not any(known in fault for known in EXPECTED)]


# Counts how often Streamlit's dialog is there, and in how many frames it is seen.
DIALOGS = """() => {
  window.frames = window.opened = 0
  const dialog = () => document.querySelector("[data-testid=stDialog]") !== null
  new MutationObserver(() => opened += dialog()).observe(document.body, { childList: true })
  const look = () => (frames += dialog(), requestAnimationFrame(look))
  look()
}"""


def agree(page: Page, epsilon: str) -> None:
    """Wait until slider, field, picture and address all say this epsilon."""
    expect(page.get_by_role("img", name=f"never above ε = {epsilon})")).to_be_visible()
    page.wait_for_url(re.compile(rf"[?&]epsilon={re.escape(epsilon)}(\.0)?(&|$)"))
    expect(slider(page)).to_have_count(1)  # a new run may put a new panel beside the old one for a moment
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(rf"^{re.escape(epsilon)}(,|$)"))
    expect(field(page)).to_have_value(epsilon)


def test_a_server_that_is_killed_in_the_middle_of_a_drag(rested, server):
    """Streamlit's dialog opens some seconds after the connection is lost, and is closed before anybody sees it."""
    rested.evaluate(DIALOGS)
    left, width, middle = grab(rested)
    for step in range(20):
        rested.mouse.move(left + width * (0.5 + step / 100), middle)
        if step == 9:
            server.kill()
    rested.mouse.up()
    last = field(rested).input_value()
    expect(rested.get_by_role("status").filter(has_text=LOST)).to_be_visible()
    rested.wait_for_function("() => opened > 0")
    expect(rested.get_by_test_id("stDialog")).to_have_count(0)
    slider(rested).press("ArrowRight")
    last = field(rested).input_value()
    assert rested.evaluate("frames") == 0
    server.start()
    agree(rested, last)
    expect(rested.get_by_text(LOST)).to_have_count(0)
    slider(rested).press("Home")
    agree(rested, "0.01")


def test_a_server_that_is_restarted_has_what_the_address_does_not_hold_yet(rested, server):
    """It had drawn it, but the page had not come to rest."""
    slider(rested).press("Home")
    expect(rested.get_by_role("img", name="never above ε = 0.01)")).to_be_visible()
    server.kill()
    server.start()
    agree(rested, "0.01")
    expect(rested.get_by_text(LOST)).to_have_count(0)
    rests(rested)
    server.kill()
    server.start()
    expect(rested.get_by_text(LOST)).to_have_count(0)  # while nothing moved
    slider(rested).press("ArrowRight")
    agree(rested, "0.0106")


def test_a_cut_line_to_a_server_that_stays(rested, line):
    line.cut()
    expect(rested.get_by_text(LOST)).to_be_visible()
    for name, key in (("Your prior", "ArrowRight"), ("Epsilon", "PageUp"), ("Epsilon", "ArrowRight")):
        slider(rested, name).press(key)
    last, prior = field(rested).input_value(), field(rested, "Your prior").input_value()
    rested.wait_for_timeout(2500)  # longer than an answer is waited for
    line.mend()
    agree(rested, last)
    assert prior != "0.5"
    guess = re.compile(rf"{100 * float(prior):.0f}.% becomes")
    expect(rested.locator("[data-chart=posterior] [role=img]")).to_have_attribute("aria-label", guess)
    rested.wait_for_url(f"**prior={prior}*")


@contextlib.contextmanager
def silent(page: Page, server: Server) -> Iterator[None]:
    """The server's process stands still for as long, and the system keeps its connections open; then nothing of it is
    said or to be seen any more.
    """
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)
    expect(page.get_by_text("No answer")).to_have_count(0)
    page.wait_for_function(f"() => !({PALE})().some(Boolean)")  # what was pale fades in


def pales(page: Page, shown: str) -> Locator:
    """Wait until the page says of which settings its result is; then all of the result is pale. The notice."""
    words = re.compile(rf"^No answer for \d+ s\. The results shown {re.escape(shown)}\.$")
    notice = page.get_by_role("status").filter(has_text=words)
    expect(notice).to_be_visible()
    pale = page.evaluate(PALE)
    assert len(pale) >= 3
    assert all(pale)
    return notice


def test_what_is_typed_stands_beside_a_pale_result_of_the_setting_before_that_can_be_read(rested, server):
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


@pytest.mark.soak
def test_without_the_channel_it_is_the_same(rested, server):
    page = rested.context.new_page()
    page.route_web_socket(re.compile("lab-channel"), lambda route: route.close())
    page.goto(f"{server.address}/mechanisms?epsilon=1")
    drawn(page)
    page.wait_for_url("**v=*")
    rests(page)
    with silent(page, server):
        slider(page).press("ArrowRight")
        pales(page, "are for Epsilon 1")
        slider(page, "Your prior").press("ArrowRight")
        pales(page, "are for Epsilon 1, Your prior 0.5")
    agree(page, "1.06")
    page.close()


def test_a_choice_and_a_button_that_start_no_run_are_told(rested, server):
    """A choice by its name; what a button does has none."""
    with silent(rested, server):
        rested.get_by_role("radio", name="Gaussian", exact=True).click()
        pales(rested, "are for Mechanism “Laplace”")
    rested.wait_for_url("**mechanism=gaussian**")
    rests(rested)
    with silent(rested, server):
        button(rested, "Resample").click()
        pales(rested, "may be out of date")
    rested.wait_for_url(f"**seed={MechanismsSettings().seed + 1}**")


@pytest.mark.soak
def test_who_leaves_a_page_while_the_server_is_silent_finds_the_next_one(rested, server):
    """What was moved is asked for again when no answer comes; then it is of a page that is not there any more."""
    with silent(rested, server):
        slider(rested).press("ArrowRight")
        rested.get_by_test_id("stTopNavLink").first.click(delay=200)  # a hand is slower than the panel
        rested.wait_for_timeout(2500)  # longer than an answer is waited for
    drawn(rested, 1)
    expect(rested.get_by_role("link", name="My data").first).to_be_visible()
