"""Many people: a line and a door where there are too many, and several processes behind one address."""

import asyncio
import os
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.cookies import SimpleCookie
from itertools import count, takewhile
from pathlib import Path
from threading import Event

import psutil
import pytest
from playwright.sync_api import expect
from websockets.exceptions import WebSocketException

from benchmarks import people
from dpcore.cores import cores
from scripts.replicas import free_ports
from tests.browser.conftest import ROOT
from tests.browser.person import PATIENCE, button, enter, slider, until
from tests.browser.sight import drawn
from ui.waiting_room import FEW, INSIDE

COOKIE = "lab_replica"
REPLICAS = [sys.executable, "-m", "scripts.replicas", "--replicas", "2", "--port"]
pytestmark = pytest.mark.browser
# FEW others or more: runs of a page stand in the same line.
LINE = re.compile(rf"The lab is busy, ([{FEW}-9]|\d\d) others are before you: about \d+ s\.")
FULL = re.compile(r"\d+ pages are open, and an answer takes about (a second|\d+ seconds)\. You are the next\.")
HEADING = "The lab is full at the moment"
COLOURS = ("color", "backgroundColor")


@contextmanager
def crowded(address: str, gate: Path) -> Iterator[list[people.Member]]:
    """People who move without a pause: while the gate stands, all threads are at work and FEW others wait in line."""
    members, over = people.members(address, cores() + FEW, seed=5000), Event()

    async def moves(one: people.Member) -> None:
        for place in count(1):
            await one.moves(one.value(place * 7 % 201 / 201))
            if over.is_set():
                return

    async def come_and_go() -> None:
        for one in members:
            one.jar[INSIDE] = "1"
        try:
            await people.come(members)
            await asyncio.gather(*map(moves, members))
        finally:
            await people.go(members)

    gate.touch()
    with ThreadPoolExecutor(1) as beside:
        visit = beside.submit(asyncio.run, come_and_go())
        try:
            # Who is in line is told so after a second: then all are where they will be.
            until(lambda: sum(bool(one.told) for one in members) == FEW)
            yield members
        finally:
            gate.unlink()
            over.set()
        visit.result(2 * PATIENCE / 1000)


def test_who_is_in_is_told_how_long_and_newcomers_wait_at_the_door(serve, lab, visitor, tmp_path, monkeypatch):
    monkeypatch.setenv("LAB_HELD", str(tmp_path))
    monkeypatch.setenv("LAB_LONGEST_WAIT", "0.5")
    address = serve("tests/browser/apps/held_app.py", "--server.maxMessageSize", "201")  # another than all others
    inside = lab("classifier", address=address)
    with crowded(address, tmp_path / "answers") as crowd:
        slider(inside).press("ArrowRight")
        expect(inside.get_by_role("status").filter(has_text=LINE)).to_be_visible()
        outside = visitor("about:blank", width=390, reduced_motion="reduce")
        assert outside.goto(f"{address}/classifier?epsilon=2").status == 503
        expect(outside.get_by_role("heading", level=1)).to_have_text(HEADING)
        expect(outside.get_by_role("status")).to_have_text(FULL)
        expect(outside.get_by_role("status")).to_contain_text(f"{1 + cores() + FEW} pages are open")
        assert outside.locator("[data-testid=stApp]").count() == 0
        assert outside.evaluate("document.documentElement.scrollWidth") <= 390
        assert outside.evaluate("document.documentElement.lang") == "en"
        for scheme in ("light", "dark"):
            outside.emulate_media(color_scheme=scheme)
            shown = (outside.locator("main").evaluate(f"one => getComputedStyle(one).{which}") for which in COLOURS)
            letters, ground = (sum(map(int, re.findall(r"\d+", one)[:3])) for one in shown)
            assert (letters - ground if scheme == "dark" else ground - letters) > 450
        assert inside.reload(wait_until="commit").status == 200  # who is in stays in
        expect(outside.get_by_role("heading", level=1)).to_have_text(HEADING)
    drawn(inside)
    expect(inside.get_by_role("status").filter(has_text="The lab is busy")).to_have_count(0)
    drawn(outside)  # it has come in by itself
    expect(outside).to_have_url(re.compile(r"/classifier\?.*epsilon=2"))
    assert not [error for one in crowd for error in one.errors]
    assert {word for one in crowd for line in one.told for word in line} == {"before", "seconds"}


class Class:
    """Two processes and Caddy, as ``make class`` starts them."""

    def __init__(self, log: Path):
        caddy = subprocess.run(["sh", "scripts/caddy.sh"], cwd=ROOT, capture_output=True, text=True, check=False)
        if caddy.returncode:
            pytest.skip(caddy.stderr)
        (self.port,) = free_ports(1)
        command = [*REPLICAS, str(self.port), "--caddy", caddy.stdout.strip()]
        how = {"cwd": ROOT, "env": os.environ | {"LAB_METRICS": "1"}, "stdout": subprocess.PIPE}
        with log.open("wb") as output:
            self.process = psutil.Popen(command, stderr=output, **how)
        assert list(takewhile(lambda line: b"processes" not in line, self.process.stdout)), log.read_text()
        self.address = f"http://localhost:{self.port}"

    @property
    def replicas(self) -> list[psutil.Process]:
        return [one for one in self.process.children(recursive=True) if "streamlit" in one.cmdline()]

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
            self.process.stdout.close()

    def newcomer(self) -> str:
        """To which process Caddy sends who has no cookie: of those that it has tried, the last has answered."""
        with urllib.request.urlopen(f"{self.address}/_stcore/health") as answer:
            told = [SimpleCookie(one) for one in answer.headers.get_all("set-cookie")]
        return [one[COOKIE].value for one in told if COOKIE in one][-1]

    def both(self) -> set[str]:
        """The names of the processes, once both take newcomers: an earlier test may have killed one."""
        found = set()
        until(lambda: found.add(self.newcomer()) or len(found) == 2)
        return found


@pytest.fixture(scope="module")
def lecture(tmp_path_factory) -> Iterator[Class]:
    own = Class(tmp_path_factory.mktemp("class") / "class.log")
    yield own
    own.end()


def test_each_process_tells_its_figures_to_this_machine_and_caddy_to_nobody(lecture):
    addresses = lecture.process.stdout.readline().split()[3:]
    assert len(addresses) == 2
    for address in map(bytes.decode, addresses):
        with urllib.request.urlopen(address) as answer:
            assert "lab_visitors " in answer.read().decode()
    with pytest.raises(urllib.error.HTTPError, match="404"):
        urllib.request.urlopen(f"{lecture.address}/metrics")


def test_a_class_meets_in_one_room_whichever_process_it_came_to(visitor, lecture):
    teacher, pupil = (visitor("about:blank") for _ in range(2))
    for page, replica in zip((teacher, pupil), lecture.both(), strict=True):
        page.context.add_cookies([{"name": COOKIE, "value": replica, "url": lecture.address}])
    teacher.goto(f"{lecture.address}/lessons?lesson=public_start")
    button(teacher, "Ask a class").click()
    expect(button(teacher, "Close and show")).to_be_visible()
    pupil.goto(f"{lecture.address}/lessons?room={teacher.locator('.lab-room b').inner_text()}")
    enter(pupil.get_by_role("spinbutton").first, "60")
    button(pupil, "Send my guess").click()
    expect(pupil.get_by_text("Your guess is in")).to_be_visible()
    expect(teacher.locator(".lab-room-count")).to_have_text("1 guess so far")
    button(teacher, "Close and show").click()
    for page in (teacher, pupil):
        expect(page.get_by_text("1 guess, median")).to_be_visible()


def test_people_stay_where_they_are_and_go_on_when_a_process_is_killed_and_newcomers_come_to_both(lecture):
    """Their connections, without browsers: cookies, Streamlit's protocol and the channel."""
    lecture.both()
    crowd = people.members(lecture.address, 40, seed=100)

    async def visit() -> None:
        await people.come(crowd)
        await asyncio.gather(*(one.moves(one.value(0.6)) for one in crowd))
        assert {await one.uploads(b"a,b\n1,2\n") for one in crowd[::10]} == {204}
        assert {len(one.replicas) for one in crowd} == {1}
        here = sum(one.replicas[-1] == crowd[0].replicas[-1] for one in crowd)
        before = [one.says for one in crowd]
        lecture.replicas[0].kill()
        assert sum(await asyncio.gather(*map(loses, crowd))) in (here, len(crowd) - here)
        assert [one.says for one in crowd] == before
        await people.go(crowd)

    async def loses(one: people.Member) -> bool:
        """Whether it has lost its connection when it asks for what it had; then it comes back first."""
        try:
            await one.moves(one.value(0.6))
        except (OSError, WebSocketException):
            one.words.clear()
            await one.comes_back()
            await one.moves(one.value(0.6))
            return True
        return False

    with ThreadPoolExecutor(1) as beside:  # the browser's driver has a loop of its own in this thread
        beside.submit(lambda: asyncio.run(visit())).result()
    assert not [error for one in crowd for error in one.errors]
    lecture.both()  # the process that was killed is started anew
    assert len(lecture.replicas) == 2
    came = Counter(lecture.newcomer() for _ in range(300))  # each comes to one by chance
    assert max(came.values()) <= 200  # more: once in 100 million runs


def test_a_port_that_is_taken_is_said_at_once_and_when_a_class_ends_nothing_is_left(lecture):
    """The last test here: nobody comes any more."""
    done = subprocess.run([*REPLICAS, str(lecture.port)], cwd=ROOT, capture_output=True, timeout=60, check=False)
    assert (done.returncode, b"in use" in done.stderr) == (1, True)
    children = lecture.process.children(recursive=True)
    assert len(children) >= 3
    caddy = next(one for one in children if "--config" in one.cmdline())
    folder = Path(caddy.environ()["HOME"])
    assert folder.exists()
    lecture.end()
    _, alive = psutil.wait_procs(children, timeout=PATIENCE / 1000)
    assert alive == []
    assert not folder.exists()
    assert lecture.process.returncode == 0
