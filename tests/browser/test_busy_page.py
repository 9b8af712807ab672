"""What people see where there are too many: those who are in, a line that says how long; newcomers, the door."""

import asyncio
import re
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count

import pytest
from playwright.sync_api import Page, expect

from benchmarks import people
from dpcore.cores import cores
from tests.browser.person import PATIENCE, slider
from tests.browser.sight import drawn
from ui.waiting_room import FEW, INSIDE

# Or one more, where a run of a page stands in the same line.
LINE = re.compile(rf"The lab is busy, ({FEW}|{FEW + 1}) others are before you: about \d+ s\.")
FULL = re.compile(r"\d+ pages are open, and an answer takes about (a second|\d+ seconds)\. You are the next\.")
HEADING = "The lab is full at the moment"


class Crowd:
    """People who are in and move without a pause, on a loop in a thread of its own, until they are told to stop."""

    def __init__(self, address: str, count: int):
        self.going, self.members = True, people.members(address, count, seed=5000)
        self._visit = ThreadPoolExecutor(1).submit(asyncio.run, self._come_and_go())

    async def _come_and_go(self) -> None:
        for one in self.members:
            one.jar[INSIDE] = "1"
        try:
            await people.come(self.members)
            await asyncio.gather(*map(self._move, self.members))
        finally:
            await people.go(self.members)

    async def _move(self, one: people.Member) -> None:
        for place in count(1):
            if not self.going:
                return
            await one.moves(one.value(place * 7 % 201 / 201))

    def until(self, holds: Callable[[list[people.Member]], bool]) -> None:
        """Wait until this is true of them."""
        end = time.monotonic() + PATIENCE / 1000
        while not holds(self.members):
            assert time.monotonic() < end
            time.sleep(0.05)

    def stop(self) -> None:
        """Let all have their last answer, and leave."""
        self.going = False
        self._visit.result(2 * PATIENCE / 1000)


@pytest.fixture
def held(serve, tmp_path, monkeypatch) -> tuple[str, Callable]:
    """(address, hold): in ``with hold() as crowd`` the server's threads are at work for as long as the test wants, and
    FEW others wait in line behind them.
    """
    gate = tmp_path / "answers"
    monkeypatch.setenv("LAB_HELD", str(tmp_path))
    monkeypatch.setenv("LAB_LONGEST_WAIT", "0.5")
    address = serve("tests/browser/apps/held_app.py", "--server.maxMessageSize", "201")  # another than all others

    @contextmanager
    def hold() -> Iterator[Crowd]:
        gate.touch()
        crowd = Crowd(address, cores() + FEW)
        try:
            # Who is in line is told so after a second: then all are where they will be.
            crowd.until(lambda members: sum(bool(one.told) for one in members) == FEW)
            yield crowd
        finally:
            gate.unlink()
            crowd.stop()

    return address, hold


def readable(page: Page, *, dark: bool) -> None:
    """The page at the door is of the visitor's colours, in letters that stand out, and no wider than a phone."""
    page.emulate_media(color_scheme="dark" if dark else "light")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.evaluate("document.documentElement.lang") == "en"
    colours = page.evaluate(
        "(({ color, backgroundColor }) => [color, backgroundColor])(getComputedStyle(document.querySelector('main')))"
    )
    light, deep = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
    assert (light > deep) == dark
    assert abs(light - deep) > 450


def test_who_is_in_is_told_how_long_and_newcomers_wait_at_the_door(held, lab, visitor):
    address, hold = held
    inside = lab("classifier", address=address)
    with hold() as crowd:
        slider(inside).press("ArrowRight")
        expect(inside.get_by_role("status").filter(has_text=LINE)).to_be_visible()
        outside = visitor("about:blank", width=390, reduced_motion="reduce")
        assert outside.goto(f"{address}/classifier?epsilon=2").status == 503
        expect(outside.get_by_role("heading", level=1)).to_have_text(HEADING)
        expect(outside.get_by_role("status")).to_have_text(FULL)
        expect(outside.get_by_role("status")).to_contain_text(f"{1 + cores() + FEW} pages are open")
        assert outside.locator("[data-testid=stApp]").count() == 0
        for dark in (False, True):
            readable(outside, dark=dark)
        assert inside.reload(wait_until="commit").status == 200  # who is in stays in
        expect(outside.get_by_role("heading", level=1)).to_have_text(HEADING)
    drawn(inside)
    expect(inside.get_by_role("status").filter(has_text="The lab is busy")).to_have_count(0)
    drawn(outside)  # it has come in by itself
    expect(outside).to_have_url(re.compile(r"/classifier\?.*epsilon=2"))
    assert not [error for one in crowd.members for error in one.errors]
    assert {word for one in crowd.members for line in one.told for word in line} == {"before", "seconds"}
