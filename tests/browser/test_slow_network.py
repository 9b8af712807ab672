"""What a person does while messages of the server are late: no choice is lost, none flips back, and Back leads back."""

from dataclasses import asdict
from typing import NamedTuple
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from pages.table import PAGES
from tests.browser.person import PATIENCE, button, choose, enter, field, grab
from tests.browser.sight import drawn, still

DELAY = 300  # milliseconds
# JavaScript: each message of the server comes `window.delay` milliseconds late, in order; `late` are on their way.
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
# JavaScript: whether for so long no message has been on its way, and no run of the page at work or asked for: longer
# than a knob waits with its value, and than a question and its answer take.
QUIET = """(time) => {
  const busy = late > 0 || document.querySelector("[aria-busy]") ||
    document.querySelector("[data-testid=stApp]").dataset.testScriptState !== "notRunning"
  const now = performance.now()
  if (busy || !window.quiet) window.quiet = now
  return !busy && now - quiet > time
}"""


class Kind(NamedTuple):
    """A page: its path, the choice with its field in the address and two options, each as (what is shown, what the
    address says).
    """

    path: str
    choice: str
    name: str
    options: tuple[tuple[str, str], tuple[str, str]]

    @property
    def topic(self) -> str:
        return "regression" if self.path == "data" else self.path.partition("?")[0]

    def settings(self, address: str) -> dict[str, str]:
        """What an address holds, with the defaults that it leaves out."""
        usual = next(page.settings for page in PAGES if page.name == self.topic)()
        return {name: str(value) for name, value in asdict(usual).items()} | dict(parse_qsl(urlsplit(address).query))

    def open(self, page: Page, address: str) -> None:
        page.goto(f"{address}/{self.path}")
        if self.path == "data":
            button(page, "Use the salaries table").click()
            button(page, "Use the bounds from the sample's notes").click()
            button(page, "Regression with these rows").click()
        drawn(page)
        self.settled(page)

    def settled(self, page: Page, **said: str) -> dict[str, str]:
        """Wait until the address says this. Return its settings once all that was sent is answered."""
        page.wait_for_url(lambda address: said.items() <= self.settings(address).items())
        page.evaluate("() => (window.quiet = 0)")
        page.wait_for_function(QUIET, arg=3 * DELAY)
        still(page)
        return self.settings(page.url)


KINDS = [
    Kind("data", "Mechanism", "mechanism", (("Tight sensitivity", "functional"), ("AdaSSP", "adassp"))),
    Kind("classifier?repeats=4", "Data", "dataset", (("Two moons", "moons"), ("Two Gaussians", "gaussians"))),
]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind.topic)
def late(request, chromium, serve):
    """(a page of each kind at rest, its kind). From now on messages of the server are late."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    context.add_init_script(f"({LATE})()")
    page = context.new_page()
    request.param.open(page, serve("app.py"))
    page.evaluate("milliseconds => window.delay = milliseconds", DELAY)
    yield page, request.param
    context.close()


def chosen(page: Page, kind: Kind, option: str) -> None:
    expect(page.get_by_role("combobox", name=kind.choice, exact=True)).to_have_value(option)


@pytest.mark.parametrize("move", ["drag", "type"])
def test_a_choice_right_after_a_movement_is_kept_and_so_is_the_movement(late, move):
    page, kind = late
    before = kind.settled(page)
    shown, said = next(option for option in kind.options if option[1] != before[kind.name])
    if move == "drag":
        left, width, middle = grab(page)
        page.mouse.move(left + width * 0.7, middle, steps=8)
        page.mouse.up()
    else:
        enter(page, "0.7")
    moved = field(page).input_value()
    choose(page, kind.choice, shown)
    after = kind.settled(page, **{kind.name: said})
    chosen(page, kind, shown)
    expect(field(page)).to_have_value(moved)
    assert after[kind.name] == said
    assert after["epsilon"] != before["epsilon"]


def test_the_last_of_two_quick_choices_is_kept(late):
    page, kind = late
    now = kind.settled(page)[kind.name]
    first, last = sorted(kind.options, key=lambda option: option[1] == now)  # away, and back
    choose(page, kind.choice, first[0])
    choose(page, kind.choice, last[0])
    assert kind.settled(page, **{kind.name: last[1]})[kind.name] == last[1]
    chosen(page, kind, last[0])


def test_back_right_after_a_movement_leads_to_the_settings_before_it(late):
    page, kind = late
    before = kind.settled(page)
    enter(page, "2.1")
    page.wait_for_url(lambda address: kind.settings(address) != before)
    page.go_back()
    assert kind.settled(page, **before) == before
    expect(field(page)).not_to_have_value("2.1")
