"""A server that is late, gone or silent: no choice is lost, and the page says what it shows and
agrees afterwards.
"""

import re
import signal
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from pages.classifier.settings import ClassifierSettings
from pages.regression.settings import RegressionSettings
from tests.browser.conftest import Server
from tests.browser.person import PATIENCE, button, choose, enter, field, grab, hold_still, slider
from tests.browser.sight import AXE, RUN, addressed, darken, drawn, rests, settings_of, still

LOST = "Connection lost"
# What the browser and Streamlit write into the console while there is no server.
AWAY = (
    "net::ERR_",
    "when disconnected",
    "Client Error",
    "timed out",
    "Is Streamlit still running?",
)
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
    """Wait until slider, field, picture and address all say this epsilon, and the page is
    at rest.
    """
    expect(page.get_by_role("img", name=f"never above ε = {epsilon})")).to_be_visible()
    page.wait_for_url(re.compile(rf"[?&]epsilon={re.escape(epsilon)}(\.0)?(&|$)"))
    expect(slider(page)).to_have_count(
        1
    )  # a new run may put a new panel beside the old one for a moment
    expect(slider(page)).to_have_attribute(
        "aria-valuetext", re.compile(rf"^{re.escape(epsilon)}(,|$)")
    )
    expect(field(page)).to_have_value(epsilon)
    expect(page.get_by_text(LOST)).to_have_count(0)
    rests(page)
    hold_still(slider(page))


def test_a_page_recovers_when_its_server_is_killed_and_started_anew(rested, server):
    """Streamlit's dialog opens some seconds after the connection is lost, and is closed before
    anybody sees it.
    """
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


def test_a_page_recovers_when_its_line_to_the_server_is_cut(rested):
    up, ends = [True], []

    def carry(socket):
        """Note a socket of the page, and connect it to the server unless the line is cut."""
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
    for name, key in (
        ("Your prior", "ArrowRight"),
        ("Epsilon", "PageUp"),
        ("Epsilon", "ArrowRight"),
    ):
        slider(rested, name).press(key)
    last, prior = field(rested).input_value(), field(rested, "Your prior").input_value()
    up.append(True)
    agree(rested, last)
    assert prior != "0.5"
    guess = re.compile(rf"{100 * float(prior):.0f}.% becomes")
    expect(rested.locator("[data-chart=posterior] [role=img]")).to_have_attribute(
        "aria-label", guess
    )
    rested.wait_for_url(f"**prior={prior}*")
    rested.close()  # its connections stay routed


def test_a_silent_server_leaves_a_pale_result_with_the_settings_it_is_of(rested, server):
    """Its process stands still, and the system keeps its connections open."""
    rested.evaluate(AXE)
    server.process.send_signal(signal.SIGSTOP)
    try:
        enter(rested, "3.77")
        words = re.compile(r"^No answer for \d+ s\. The results shown are for Epsilon 1\.$")
        notice = rested.get_by_role("status").filter(has_text=words)
        expect(notice).to_be_visible()
        pale = rested.evaluate(PALE)
        assert len(pale) >= 3
        assert all(pale)
        expect(field(rested)).to_have_value("3.77")
        expect(notice).not_to_have_text(notice.inner_text())  # it counts
        darken(rested)
        rested.set_viewport_size({"width": 390, "height": 844})
        assert rested.evaluate(RUN) == []
        assert rested.evaluate("document.documentElement.scrollWidth") <= 390
    finally:
        server.process.send_signal(signal.SIGCONT)
    expect(rested.get_by_text("No answer")).to_have_count(0)
    rested.wait_for_function(f"() => !({PALE})().some(Boolean)")  # what was pale fades in
    agree(rested, "3.77")


DELAY = 300  # milliseconds
# JavaScript: each message of the server comes `window.delay` milliseconds late, in order; `late`
# are on their way.
LATE = """() => {
  window.delay = window.late = 0
  const add = WebSocket.prototype.addEventListener
  const late = (listener) => (event) => {
    if (!delay) return listener(event)
    window.late += 1
    setTimeout(() => (listener(event), window.late -= 1), delay)
  }
  WebSocket.prototype.addEventListener = function (name, listener, how) {
    add.call(this, name, name === "message" ? late(listener) : listener, how)
  }
  Object.defineProperty(WebSocket.prototype, "onmessage", {
    set(listener) { add.call(this, "message", late(listener)) },
  })
}"""
# JavaScript: whether for so long no message has been on its way, and no run of the page at work or
# asked for: longer than a slider waits with its value, and than a question and its answer take.
QUIET = """(time) => {
  const busy = late > 0 || document.querySelector("[aria-busy]") ||
    document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning"
  const now = performance.now()
  if (busy || !window.quiet) window.quiet = now
  return !busy && now - quiet > time
}"""


# Options of a choice: what is shown, and what the address says.
MECHANISMS = (("Tight sensitivity", "functional"), ("AdaSSP", "adassp"))
DATA = (("Two moons", "moons"), ("Two Gaussians", "gaussians"))
PATHS = {
    "data": (RegressionSettings(), "Method", "mechanism", MECHANISMS),
    "classifier?repeats=4": (ClassifierSettings(), "Data", "dataset", DATA),
}


@pytest.fixture
def late(chromium, serve):
    """late(path) -> its page, of which messages of the server are late from now on."""
    with chromium.new_context(viewport={"width": 1440, "height": 900}) as context:
        context.set_default_timeout(PATIENCE)
        context.add_init_script(f"({LATE})()")

        def open_page(path: str) -> Page:
            """Return the drawn page at this path, with messages of the server late from now on.

            The path ``data`` leads on to the page of regression, with rows of the salaries table.
            """
            page = context.new_page()
            page.goto(f"{serve('app.py')}/{path}")
            if path == "data":
                button(page, "Use the salaries table").click()
                button(page, "Use the bounds from the sample's notes").click()
                button(page, "Regression with these rows").click()
            drawn(page)
            page.evaluate("milliseconds => window.delay = milliseconds", DELAY)
            return page

        yield open_page


@pytest.mark.parametrize("path", PATHS)
def test_with_late_messages_no_choice_is_lost_and_back_leads_back(late, path):
    """A choice right after a movement is kept, and so is the movement; so is the last of two quick
    choices.
    """
    page, (usual, label, name, options) = late(path), PATHS[path]
    choice = page.get_by_role("combobox", name=label, exact=True)

    def settled(**said: str) -> dict[str, str]:
        """Wait until the address says this.

        Return its settings once all that was sent is answered.
        """
        addressed(page, usual, **said)
        page.evaluate("() => (window.quiet = 0)")
        page.wait_for_function(QUIET, arg=3 * DELAY)
        still(page)
        return settings_of(page.url, usual)

    def drag() -> None:
        """Drag the slider of epsilon from the middle of its track to 70 % of it."""
        left, width, middle = grab(page)
        page.mouse.move(left + width * 0.7, middle, steps=8)
        page.mouse.up()

    after = settled()
    for move in (drag, lambda: enter(page, "0.7")):
        before = after
        shown, said = next(option for option in options if option[1] != before[name])
        move()
        moved = field(page).input_value()
        choose(page, label, shown)
        after = settled(**{name: said})
        expect(choice).to_have_value(shown)
        expect(field(page)).to_have_value(moved)
        assert after[name] == said
        assert after["epsilon"] != before["epsilon"]
    first, last = sorted(options, key=lambda option: option[1] == after[name])  # away, and back
    choose(page, label, first[0])
    choose(page, label, last[0])
    before = settled(**{name: last[1]})
    assert before[name] == last[1]
    expect(choice).to_have_value(last[0])
    enter(page, "2.1")
    page.wait_for_url(lambda address: settings_of(address, usual) != before)
    page.go_back()
    assert settled(**before) == before
    expect(field(page)).not_to_have_value("2.1")
