"""What a person does while messages of the server are late: no choice is lost, none flips back, and Back leads back."""

from dataclasses import asdict, dataclass, replace
from typing import Any
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


def settings(address: str) -> dict[str, str]:
    """What an address holds, with the defaults that it leaves out."""
    parts = urlsplit(address)
    kind = next((page.settings for page in PAGES if page.name == parts.path.rpartition("/")[2]), None)
    usual = {name: str(value) for name, value in asdict(kind()).items()} if kind else {}
    return usual | dict(parse_qsl(parts.query))


@dataclass(frozen=True)
class Kind:
    """A page: its path, a knob with its field in the address and values to type, and a choice with its field and
    options, each as (what is shown, what the address says). ``buttons``: a row of buttons in place of a list."""

    path: str
    choice: str
    name: str
    options: tuple[tuple[str, str], ...]
    buttons: bool = True
    knob: str = "Epsilon"
    field: str = "epsilon"
    typed: tuple[str, ...] = ("0.7", "2.1")

    def open(self, page: Page, address: str) -> None:
        page.goto(f"{address}/{self.path}")
        if self.path == "data":
            button(page, "Use the salaries table").click()
            button(page, "Use the bounds from the sample's notes").click()
            button(page, "Regression with these rows").click()
        drawn(page)
        self.settled(page)

    def settled(self, page: Page, **said: str) -> dict[str, str]:
        """Wait until the address says this; return its settings once all that was sent is answered."""
        page.wait_for_url(lambda address: said.items() <= settings(address).items())
        page.evaluate("() => (window.quiet = 0)")
        page.wait_for_function(QUIET, arg=3 * DELAY)
        still(page)
        return settings(page.url)

    def choose(self, page: Page, option: str) -> None:
        if self.buttons:
            page.get_by_role("radio", name=option, exact=True).click()
        else:
            choose(page, self.choice, option)

    def expect_chosen(self, page: Page, option: str) -> None:
        if self.buttons:
            expect(page.get_by_role("radio", name=option, exact=True)).to_be_checked()
        else:
            expect(page.get_by_role("combobox", name=self.choice, exact=True)).to_have_value(option)


def of(path: str, choice: str, name: str, first: tuple[str, str], other: tuple[str, str], **changes: Any) -> Kind:
    return replace(Kind(path, choice, name, (first, other)), **changes)


TARGET = {"knob": "Target", "field": "target", "typed": ("78", "72")}
NOISE = {"knob": "Noise multiplier", "field": "noise_multiplier", "typed": ("2", "6")}
KINDS = [
    of("data", "Mechanism", "mechanism", ("Tight sensitivity", "functional"), ("AdaSSP", "adassp"), buttons=False),
    of(
        "classifier?repeats=4", "Data", "dataset", ("Two moons", "moons"), ("Two Gaussians", "gaussians"), buttons=False
    ),
]
# The pages that are built as these are.
OTHERS = [
    of("what-if", "Runs", "repeats", ("100", "100"), ("24", "24"), **TARGET),
    of("network", "DP-SGD variant", "variant", ("Shuffled batches", "shuffled"), ("Correct", "sound")),
    of("regression", "Mechanism", "mechanism", ("As published", "published"), ("AdaSSP", "adassp"), buttons=False),
    of("mechanisms", "Mechanism", "mechanism", ("Laplace", "laplace"), ("Gaussian", "gaussian")),
    of("accounting", "Post-processing", "afterwards", ("average", "average"), ("round", "round"), **NOISE),
    of("transfer", "Selection", "selection", ("Sources detected privately", "detected"), ("Sources known", "known")),
    of("parties", "Mechanism", "method", ("Averaged weights", "average"), ("Majority vote", "vote")),
    of("hypotheses", "Mechanism", "noise", ("Gaussian", "gaussian"), ("Output perturbation", "exponential")),
]


@pytest.fixture(
    scope="module",
    params=[*KINDS, *(pytest.param(kind, marks=pytest.mark.soak) for kind in OTHERS)],
    ids=lambda kind: kind.path.partition("?")[0],
)
def late(request, chromium, serve):
    """(a page of each kind at rest, its kind); from now on messages of the server are late."""
    kind = request.param
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    context.add_init_script(f"({LATE})()")
    page = context.new_page()
    kind.open(page, serve("app.py"))
    page.evaluate("milliseconds => window.delay = milliseconds", DELAY)
    yield page, kind
    context.close()


def drag(page: Page, name: str, share: float) -> None:
    left, width, middle = grab(page, name)
    for step in range(1, 9):
        page.mouse.move(left + width * (0.5 + (share - 0.5) * step / 8), middle)
    page.mouse.up()


@pytest.mark.parametrize("move", ["drag", "type"])
def test_a_choice_right_after_a_movement_is_kept_and_so_is_the_movement(late, move):
    page, kind = late
    before = kind.settled(page)
    shown, said = next(option for option in kind.options if option[1] != before[kind.name])
    drag(page, kind.knob, 0.7) if move == "drag" else enter(page, kind.typed[0], kind.knob)
    moved = field(page, kind.knob).input_value()
    kind.choose(page, shown)
    after = kind.settled(page, **{kind.name: said})
    kind.expect_chosen(page, shown)
    expect(field(page, kind.knob)).to_have_value(moved)
    assert after[kind.name] == said
    assert after[kind.field] != before[kind.field]


def test_the_last_of_two_quick_choices_is_kept(late):
    page, kind = late
    now = kind.settled(page)[kind.name]
    first, last = sorted(kind.options, key=lambda option: option[1] == now)  # away, and back
    kind.choose(page, first[0])
    kind.choose(page, last[0])
    assert kind.settled(page, **{kind.name: last[1]})[kind.name] == last[1]
    kind.expect_chosen(page, last[0])


def test_back_right_after_a_movement_leads_to_the_settings_before_it(late):
    page, kind = late
    before = kind.settled(page)
    enter(page, kind.typed[1], kind.knob)
    page.wait_for_url(lambda address: settings(address) != before)
    page.go_back()
    assert kind.settled(page, **before) == before
    expect(field(page, kind.knob)).not_to_have_value(kind.typed[1])
