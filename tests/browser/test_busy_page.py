"""What people see where there are too many: those who are in, a line that says how long; newcomers, the door."""

import asyncio
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count

import pytest
from playwright.sync_api import Page, Response, expect

from benchmarks import people
from dpcore.cores import cores
from tests.browser.person import PATIENCE, slider
from tests.browser.sight import drawn
from ui.waiting_room import FEW, INSIDE

SIZES = count(201)
# Or one more, where a run of a page stands in the same line.
LINE = re.compile(rf"The lab is busy, ({FEW}|{FEW + 1}) others are before you: about \d+ s\.")
FULL = re.compile(r"\d+ pages are open, and an answer takes about (a second|\d+ seconds)\. You are the next\.")
HEADING = "The lab is full at the moment"
# A crowd that grows: by so many, up to so many.
STEP, MOST = 20, 200


class Crowd:
    """People who are in and move without a pause, on a loop in a thread of its own, until they are told to stop."""

    def __init__(self, address: str):
        self.address, self.members, self.going = address, [], True
        self._moving: list[asyncio.Task] = []
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()

    def grow(self, more: int) -> None:
        """Let so many more come, who begin to move once all of them are here."""
        new = people.members(self.address, more, seed=5000 + len(self.members))
        for one in new:
            one.jar[INSIDE] = "1"
        self._do(self._come(new))

    async def _come(self, new: list[people.Member]) -> None:
        await people.come(new)
        self.members += new
        self._moving += [asyncio.create_task(self._move(one)) for one in new]

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
        if self.going:
            self.going = False
            try:
                self._do(self._leave())
            finally:
                self._loop.call_soon_threadsafe(self._loop.stop)
                self._thread.join()
                self._loop.close()

    async def _leave(self) -> None:
        try:
            await asyncio.gather(*self._moving)
        finally:
            await people.go(self.members)

    def _do(self, work) -> None:
        asyncio.run_coroutine_threadsafe(work, self._loop).result(2 * PATIENCE / 1000)


@pytest.fixture
def alone(serve) -> Callable[[str, float], str]:
    """alone(script, longest wait in seconds) -> the address of a server of one test alone."""

    def start(script: str, longest: float) -> str:
        with pytest.MonkeyPatch.context() as environment:
            environment.setenv("LAB_LONGEST_WAIT", str(longest))
            return serve(script, "--server.maxMessageSize", str(next(SIZES)))  # makes it another than all others

    return start


@pytest.fixture
def held(alone, tmp_path, monkeypatch) -> Iterator[tuple[str, Callable]]:
    """(address, hold): in ``with hold() as crowd`` the server's threads are at work for as long as the test wants, and
    FEW others wait in line behind them.
    """
    gate = tmp_path / "answers"
    monkeypatch.setenv("LAB_HELD", str(tmp_path))
    address = alone("tests/browser/apps/held_app.py", 0.5)

    @contextmanager
    def hold() -> Iterator[Crowd]:
        gate.touch()
        crowd = Crowd(address)
        try:
            crowd.grow(cores() + FEW)
            # Who is in line is told so after a second: then all are where they will be.
            crowd.until(lambda members: sum(bool(one.told) for one in members) == FEW)
            yield crowd
        finally:
            gate.unlink()
            crowd.stop()

    return address, hold


def comes(visitor, address: str, **how) -> tuple[Page, Response]:
    """Somebody who has no cookie, and the server's answer."""
    page = visitor("about:blank", **how)
    return page, page.goto(address)


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
        outside, answer = comes(visitor, f"{address}/classifier?epsilon=2", width=390, reduced_motion="reduce")
        assert answer.status == 503
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


@pytest.mark.soak
def test_a_crowd_that_grows_closes_the_door_and_goes_on(alone, visitor):
    """How many make others wait depends on the machine: they come until it is too many, and all are answered."""
    address = alone("app.py", 0.05)
    crowd = Crowd(address)
    try:
        status = 200
        while status == 200 and len(crowd.members) < MOST:
            crowd.grow(STEP)
            crowd.until(lambda members: all(len(one.answers) > 1 for one in members))
            outside, answer = comes(visitor, f"{address}/classifier?epsilon=2")
            status = answer.status
        assert status == 503, f"{len(crowd.members)} people make nobody wait"
        assert f"<h1>{HEADING}</h1>" in answer.text()
        assert FULL.search(answer.text())
    finally:
        crowd.stop()
    drawn(outside)
    expect(outside).to_have_url(re.compile(r"/classifier\?.*epsilon=2"))
    assert not [error for one in crowd.members for error in one.errors]
