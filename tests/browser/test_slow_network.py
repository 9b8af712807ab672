"""What a person does while messages of the server are late: no choice is lost, none flips back, and Back leads back."""

import os
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser.person import PATIENCE, drawn, field, grab, still

DELAY = 300  # milliseconds
# JavaScript: each message of the server comes `window.delay` milliseconds late, in order.
LATE = """() => {
  window.delay = 0
  const add = WebSocket.prototype.addEventListener
  const late = (listener) => (event) => window.delay ? setTimeout(listener, window.delay, event) : listener(event)
  WebSocket.prototype.addEventListener = function (name, listener, how) {
    add.call(this, name, name === "message" ? late(listener) : listener, how)
  }
  Object.defineProperty(WebSocket.prototype, "onmessage", {
    set(listener) { add.call(this, "message", late(listener)) },
  })
}"""


def settings(address: str) -> dict[str, str]:
    return dict(parse_qsl(urlsplit(address).query))


@dataclass(frozen=True)
class Kind:
    """A page: its path, a knob with its field in the address and values to type, and a choice with its field and
    options, each as (what is shown, what the address says). ``buttons``: a row of buttons in place of a list."""

    path: str
    knob: str
    field: str
    typed: tuple[str, str, str, str]
    choice: str
    name: str
    options: tuple[tuple[str, str], tuple[str, str]]
    buttons: bool = False

    def open(self, page: Page, address: str) -> None:
        page.goto(f"{address}/{self.path}")
        if self.path == "data":
            page.get_by_role("button", name="Use the customers table").click()
            page.get_by_role("button", name="Use the bounds from the sample's notes").click()
            page.get_by_role("button", name="Attacks and audits with these rows").click()
        drawn(page, 2)
        self.settled(page)

    def settled(self, page: Page, **said: str) -> dict[str, str]:
        """Wait until the address says this; return its settings once all that was sent is answered."""
        page.wait_for_url(lambda address: said.items() <= settings(address).items())
        page.wait_for_timeout(5 * DELAY)
        still(page)
        return settings(page.url)

    def choose(self, page: Page, option: str) -> None:
        if self.buttons:
            page.get_by_role("radio", name=option, exact=True).click()
        else:
            page.get_by_role("combobox", name=self.choice).click()
            page.get_by_role("option", name=option, exact=True).click()

    def expect_chosen(self, page: Page, option: str) -> None:
        if self.buttons:
            expect(page.get_by_role("radio", name=option, exact=True)).to_be_checked()
        else:
            expect(page.get_by_role("combobox", name=self.choice)).to_have_value(option)


OWN_ROWS = Kind(
    path="data",
    knob="Epsilon",
    field="epsilon",
    typed=("0.7", "1.3", "0.9", "2.1"),
    choice="Target person",
    name="who",
    options=(("one by number", "row"), ("the median person", "middle")),
)
PLANNER = Kind(
    path="what-if",
    knob="Target",
    field="target",
    typed=("78", "74", "76", "72"),
    choice="Runs",
    name="repeats",
    options=(("100", "100"), ("24", "24")),
    buttons=True,
)
TOPIC = Kind(
    path="classifier?repeats=4",
    knob="Epsilon",
    field="epsilon",
    typed=("0.7", "1.3", "0.9", "2.1"),
    choice="Data",
    name="dataset",
    options=(("Two moons", "moons"), ("Two Gaussians", "gaussians")),
)
KINDS = {"own rows": OWN_ROWS, "planner": PLANNER, "topic": TOPIC}


def buttons(path: str, choice: str, name: str, *options: tuple[str, str], **changes: Any) -> Kind:
    """A page whose choice is a row of buttons and whose knob is epsilon, unless ``changes`` says otherwise."""
    return replace(TOPIC, path=path, choice=choice, name=name, options=options, buttons=True, **changes)


if "SOAK" in os.environ:  # the pages that are built as these are
    multiplier = {"knob": "Noise multiplier", "field": "noise_multiplier", "typed": ("2", "3", "5", "6")}
    KINDS |= {
        "network": buttons(
            "network", "DP-SGD variant", "variant", ("Shuffled batches", "shuffled"), ("Correct", "sound")
        ),
        "regression": replace(
            buttons("regression", "Mechanism", "mechanism", ("As published", "published"), ("AdaSSP", "adassp")),
            buttons=False,
        ),
        "mechanisms": buttons("mechanisms", "Mechanism", "mechanism", ("Laplace", "laplace"), ("Gaussian", "gaussian")),
        "accounting": buttons(
            "accounting", "Post-processing", "afterwards", ("average", "average"), ("round", "round"), **multiplier
        ),
        "transfer": buttons(
            "transfer", "Selection", "selection", ("Sources detected privately", "detected"), ("Sources known", "known")
        ),
        "parties": buttons(
            "parties", "Mechanism", "method", ("Averaged weights", "average"), ("Majority vote", "vote")
        ),
        "hypotheses": buttons(
            "hypotheses", "Mechanism", "noise", ("Gaussian", "gaussian"), ("Output perturbation", "exponential")
        ),
    }


@pytest.fixture(scope="module", params=KINDS)
def slow(request, chromium, serve):
    """(a page of each kind at rest, its kind); from now on messages of the server are late."""
    kind = KINDS[request.param]
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


def type_in(page: Page, name: str, value: str) -> None:
    box = field(page, name)
    box.fill(value)
    box.press("Enter")


@pytest.mark.parametrize("move", ["drag", "type"])
def test_a_choice_right_after_a_movement_is_kept_and_so_is_the_movement(slow, move):
    page, kind = slow
    for (shown, said), value, share in zip(kind.options, kind.typed, (0.7, 0.4), strict=False):
        before = kind.settled(page)[kind.field]
        drag(page, kind.knob, share) if move == "drag" else type_in(page, kind.knob, value)
        moved = field(page, kind.knob).input_value()
        kind.choose(page, shown)
        after = kind.settled(page, **{kind.name: said})
        kind.expect_chosen(page, shown)
        expect(field(page, kind.knob)).to_have_value(moved)
        assert after[kind.name] == said
        assert after[kind.field] != before


def test_the_last_of_two_quick_choices_is_kept(slow):
    page, kind = slow
    for first, last in (kind.options, kind.options[::-1]):
        kind.choose(page, first[0])
        kind.choose(page, last[0])
        assert kind.settled(page, **{kind.name: last[1]})[kind.name] == last[1]
        kind.expect_chosen(page, last[0])


def test_back_right_after_a_movement_leads_to_the_settings_before_it(slow):
    page, kind = slow
    for value in kind.typed[2:]:
        before = kind.settled(page)
        type_in(page, kind.knob, value)
        page.wait_for_url(lambda address, before=before: settings(address) != before)
        page.go_back()
        assert kind.settled(page, **before) == before
        expect(field(page, kind.knob)).not_to_have_value(value)
