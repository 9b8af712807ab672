"""A server that is stopped but not gone: no connection ends and nothing answers. The page says so and pales."""

import re
import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import Server
from tests.browser.person import PATIENCE, STANDS, darken, drawn, field, slider
from tests.browser.test_accessibility import AXE, RUN

RESULTS = ".lab-numbers, .lab-verdict, [data-chart]"
PALE = f"""() => [...document.querySelectorAll("{RESULTS}")].map((one) => Number(getComputedStyle(one).opacity) < 1)"""
RESTED = "() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'"


@contextmanager
def silent(server: Server) -> Iterator[None]:
    """The server's process stands still for as long; the system keeps its connections open."""
    server.process.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        server.process.send_signal(signal.SIGCONT)


def rests(page: Page) -> Page:
    drawn(page)
    page.wait_for_url("**/mechanisms?**seed=**", timeout=PATIENCE)
    page.wait_for_function(RESTED)
    return page


@pytest.fixture
def mechanisms(page, server) -> Page:
    """The page of mechanisms. Its first run does all of the work, and nothing is asked until something is moved."""
    return rests(page(f"{server.address}/mechanisms?epsilon=1"))


def notice(page: Page, settings: str) -> Locator:
    """The notice that no answer comes, and that the result is of these settings."""
    words = re.compile(rf"^No answer for \d+ s\. The results shown are for {re.escape(settings)}\.$")
    return page.get_by_role("status").filter(has_text=words)


def pales(page: Page, settings: str) -> None:
    """Wait until the page says that its result is of these settings; then all of the result is pale."""
    expect(notice(page, settings)).to_be_visible(timeout=PATIENCE)
    pale = page.evaluate(PALE)
    assert len(pale) >= 3
    assert all(pale)


def clears(page: Page) -> None:
    """Wait until nothing is said, and nothing is pale."""
    expect(page.get_by_text("No answer")).to_have_count(0, timeout=PATIENCE)
    assert not any(page.evaluate(PALE))


def agrees(page: Page, epsilon: str) -> None:
    """Wait until field, slider, address and picture all say this epsilon."""
    page.wait_for_url(re.compile(rf"[?&]epsilon={re.escape(epsilon)}(&|$)"), timeout=PATIENCE)
    expect(page.get_by_role("img", name=f"never above ε = {epsilon})")).to_be_visible(timeout=PATIENCE)
    expect(field(page)).to_have_value(epsilon)
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile(rf"^{re.escape(epsilon)}(,|$)"))


def types(page: Page, value: str) -> None:
    field(page).fill(value)
    field(page).press("Enter")


def test_what_is_typed_stands_beside_a_pale_result_of_the_setting_before(mechanisms, server):
    with silent(server):
        types(mechanisms, "3.77")
        pales(mechanisms, "Epsilon 1")
        expect(field(mechanisms)).to_have_value("3.77")
        since = mechanisms.get_by_text("No answer").inner_text()
        expect(mechanisms.get_by_text("No answer")).not_to_have_text(since)  # it counts
    clears(mechanisms)
    agrees(mechanisms, "3.77")


def test_without_the_channel_it_is_the_same(page, server):
    opened = page(f"{server.address}/works").context.new_page()
    opened.route_web_socket(re.compile("lab-channel"), lambda route: route.close())
    opened.goto(f"{server.address}/mechanisms?epsilon=1")
    rests(opened)
    with silent(server):
        slider(opened).press("ArrowRight")
        pales(opened, "Epsilon 1")
        slider(opened, "Your prior").press("ArrowRight")
        pales(opened, "Epsilon 1, Your prior 0.5")
    clears(opened)
    agrees(opened, "1.06")
    opened.close()


def test_a_choice_that_starts_no_run_is_named(mechanisms, server):
    with silent(server):
        mechanisms.get_by_role("radio", name="Gaussian", exact=True).click()
        pales(mechanisms, "Mechanism “Laplace”")
    clears(mechanisms)
    mechanisms.wait_for_url("**mechanism=gaussian**", timeout=PATIENCE)


def test_a_choice_that_was_unfolded_is_named(mechanisms, server):
    mechanisms.get_by_text("More settings", exact=True).click()
    box = mechanisms.get_by_role("combobox").first
    label, before = box.get_attribute("aria-label"), box.input_value()
    box.evaluate(STANDS)  # a list that is open closes when the page scrolls
    with silent(server):
        box.click()
        mechanisms.get_by_role("option").filter(has_not_text=before).first.click()
        pales(mechanisms, f"{label} “{before}”")
    clears(mechanisms)


def test_a_button_that_starts_no_run_leaves_a_result_that_may_be_out_of_date(mechanisms, server):
    seed = int(re.search(r"seed=(\d+)", mechanisms.url)[1])
    with silent(server):
        mechanisms.get_by_role("button", name="Resample").click()
        words = re.compile(r"^No answer for \d+ s\. The results shown may be out of date\.$")
        expect(mechanisms.get_by_role("status").filter(has_text=words)).to_be_visible(timeout=PATIENCE)
        assert all(mechanisms.evaluate(PALE))
    clears(mechanisms)
    mechanisms.wait_for_url(f"**seed={seed + 1}**", timeout=PATIENCE)


def test_a_pale_result_can_be_read(mechanisms, server):
    mechanisms.evaluate(AXE)
    with silent(server):
        types(mechanisms, "3.77")
        pales(mechanisms, "Epsilon 1")
        assert mechanisms.evaluate(RUN) == []
        darken(mechanisms)
        mechanisms.set_viewport_size({"width": 390, "height": 844})
        assert mechanisms.evaluate(RUN) == []
        assert mechanisms.evaluate("document.documentElement.scrollWidth") <= 390
    clears(mechanisms)
