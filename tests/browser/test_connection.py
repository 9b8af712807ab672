"""A connection that is lost under an open page, with and without its server: what was moved counts, and all agree."""

import contextlib
import re
import socket
import threading
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE, drawn, field, grab, slider

# What the browser and Streamlit write into the console while there is no server; anything else is still a fault.
EXPECTED = (
    "net::ERR_",
    "Cannot send rerun backMessage when disconnected",
    "Client Error",
    "DoInitPings timed out",
    "Is Streamlit still running?",
)
LOST = "Connection lost"
ADDRESS = "([name, value]) => Number(new URLSearchParams(location.search).get(name)) === value"


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
def rested(page, line):
    """The page of mechanisms, open and at rest."""
    opened = page(f"{line.address}/mechanisms?epsilon=1")
    drawn(opened)
    slider(opened).press("ArrowRight")
    opened.wait_for_url("**epsilon=1.06*", timeout=PATIENCE)
    opened.wait_for_function(
        "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"
    )
    yield opened
    opened.goto("about:blank")
    faults = page.watches[-1].faults
    faults[:] = [fault for fault in faults if not any(known in fault for known in EXPECTED)]


def agree(page: Page, epsilon: str) -> None:
    """Wait until slider, field, picture and address all say this epsilon."""
    expect(page.get_by_role("img", name=f"never above ε = {epsilon})")).to_be_visible(timeout=PATIENCE)
    page.wait_for_function(ADDRESS, arg=["epsilon", float(epsilon)], timeout=PATIENCE)
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(rf"^{re.escape(epsilon)}(,|$)"))
    expect(field(page)).to_have_value(epsilon)


def drag(page: Page, track: tuple[float, float, float], begin: float, end: float) -> None:
    """Move the pressed mouse over these shares of the track."""
    left, width, middle = track
    for step in range(11):
        page.mouse.move(left + width * (begin + (end - begin) * step / 10), middle)
        page.wait_for_timeout(30)


def test_a_server_that_is_killed_in_the_middle_of_a_drag(rested, server):
    track = grab(rested)
    drag(rested, track, 0.5, 0.6)
    server.kill()
    drag(rested, track, 0.6, 0.7)
    rested.mouse.up()
    last = field(rested).input_value()
    expect(rested.get_by_role("status").filter(has_text=LOST)).to_be_visible()
    server.start()
    agree(rested, last)
    expect(rested.get_by_text(LOST)).to_have_count(0)
    slider(rested).press("Home")
    agree(rested, "0.01")


def test_a_server_that_is_restarted_while_nothing_moves(rested, server):
    server.kill()
    server.start()
    expect(rested.get_by_text(LOST)).to_have_count(0, timeout=PATIENCE)
    slider(rested).press("ArrowRight")
    agree(rested, "1.12")


def test_values_that_the_address_does_not_hold_yet(rested, server):
    """The server had drawn them, but the page had not come to rest."""
    slider(rested).press("Home")
    expect(rested.get_by_role("img", name="never above ε = 0.01)")).to_be_visible(timeout=PATIENCE)
    server.kill()
    server.start()
    agree(rested, "0.01")


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
    rested.wait_for_function(ADDRESS, arg=["prior", float(prior)], timeout=PATIENCE)


def test_streamlits_dialog_does_not_lie_over_the_page(rested, server):
    """It opens some seconds after the connection is lost, and is closed before anybody sees it."""
    rested.evaluate("""() => {
      window.frames = window.opened = 0
      const dialog = () => document.querySelector("[data-testid=stDialog]") !== null
      new MutationObserver(() => opened += dialog()).observe(document.body, { childList: true })
      const look = () => (frames += dialog(), requestAnimationFrame(look))
      look()
    }""")
    server.kill()
    rested.wait_for_function("() => opened > 0", timeout=PATIENCE)
    expect(rested.get_by_test_id("stDialog")).to_have_count(0)
    slider(rested).press("ArrowRight")
    last = field(rested).input_value()
    expect(rested.get_by_role("status").filter(has_text=LOST)).to_be_visible()
    assert rested.evaluate("frames") == 0
    server.start()
    agree(rested, last)
