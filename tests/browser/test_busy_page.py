"""What people see where there are too many: those who are in, a line that says how long; newcomers, the door."""

import asyncio
import re
import threading
from collections.abc import Iterator
from itertools import count

import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks import people
from tests.browser.person import PATIENCE, drawn, slider
from ui.admission import INSIDE

SIZES = count(201)
LINE = re.compile(r"The lab is busy, (you are next|1 other is before you|\d+ others are before you): about \d+ s\.")
FULL = re.compile(r"\d+ pages are open, and an answer takes about (a second|\d+ seconds)\. You are the next\.")


class Crowd:
    """People who are in and move without a pause, in a thread of their own, until they are told to stop. ``here``: each
    has waited for two answers, so that it is known how long that takes.
    """

    def __init__(self, address: str, count: int):
        self.crowd, self.going = people.members(address, count, seed=5000), True
        for one in self.crowd:
            one.jar[INSIDE] = "1"
        self.here = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.lives()), daemon=True)
        self.thread.start()

    async def lives(self) -> None:
        await people.come(self.crowd)
        await asyncio.gather(*map(self.moves, self.crowd))
        await people.go(self.crowd)

    async def moves(self, one: people.Member) -> None:
        place = 0
        while self.going:
            place += 1
            await one.moves(people.value(place * 7 % 201 / 201))
            if all(len(other.answers) > 1 for other in self.crowd):
                self.here.set()

    def stop(self) -> None:
        self.going = False
        self.thread.join(60)


@pytest.fixture
def full(serve) -> str:
    """A server of one test alone, on which forty people who move take too long on any machine: .05 s."""
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAB_LONGEST_WAIT", "0.05")
        return serve("app.py", "--server.maxMessageSize", str(next(SIZES)))  # which makes it another than all others


@pytest.fixture
def newcomer(chromium: Browser) -> Iterator:
    """newcomer(address, **how) -> a page of somebody who has no cookie; opened, not watched: 503 is an error there."""
    contexts = []

    def come(address: str, **how) -> Page:
        contexts.append(chromium.new_context(**how))
        contexts[-1].set_default_timeout(PATIENCE)
        page = contexts[-1].new_page()
        page.goto(address)
        return page

    yield come
    for context in contexts:
        context.close()


def test_who_is_in_is_told_how_long_and_newcomers_wait_at_the_door(full, page, newcomer):
    inside = page(f"{full}/classifier")
    drawn(inside)
    crowd = Crowd(full, 40)
    try:
        assert crowd.here.wait(PATIENCE / 1000)
        status = inside.get_by_role("status").filter(has_text=LINE)
        for _ in range(20):
            slider(inside).press("ArrowRight")
            inside.wait_for_timeout(1000)
            if status.count():
                break
        expect(status).to_be_visible(timeout=PATIENCE)
        outside = newcomer(f"{full}/classifier?epsilon=2")
        expect(outside.get_by_role("heading", level=1)).to_have_text("The lab is full at the moment")
        expect(outside.get_by_role("status")).to_have_text(FULL)
        assert outside.locator("[data-testid=stApp]").count() == 0
        inside.reload()
        drawn(inside)  # who is in stays in
    finally:
        crowd.stop()
    expect(inside.get_by_role("status").filter(has_text=LINE)).to_have_count(0, timeout=PATIENCE)
    drawn(outside)  # it has come in by itself
    expect(outside).to_have_url(re.compile(r"/classifier\?.*epsilon=2"))
    assert not [error for one in crowd.crowd for error in one.errors]
    assert {word for one in crowd.crowd for line in one.told for word in line} == {"before", "seconds"}


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_the_page_at_the_door_can_be_read(full, newcomer, dark):
    crowd = Crowd(full, 40)
    try:
        assert crowd.here.wait(PATIENCE / 1000)
        outside = newcomer(
            full,
            viewport={"width": 390, "height": 800},
            color_scheme="dark" if dark else "light",
            reduced_motion="reduce",
        )
        expect(outside.get_by_role("status")).to_have_text(FULL)
        assert outside.evaluate("document.documentElement.scrollWidth") <= 390
        assert outside.evaluate("document.documentElement.lang") == "en"
        colours = outside.evaluate(
            "[getComputedStyle(document.body).color, getComputedStyle(document.body).backgroundColor]"
        )
        light, deep = (sum(map(int, re.findall(r"\d+", colour)[:3])) for colour in colours)
        assert (light > deep) == dark
        assert abs(light - deep) > 450
    finally:
        crowd.stop()
