"""A class on several processes behind one address."""

import asyncio
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie
from itertools import takewhile
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect
from websockets.exceptions import WebSocketException

from benchmarks import people
from scripts.replicas import free_ports
from tests.browser.conftest import ROOT
from tests.browser.person import PATIENCE, button, enter, until

COOKIE = "lab_replica"
REPLICAS = [sys.executable, "-m", "scripts.replicas", "--replicas", "2", "--port"]
pytestmark = pytest.mark.browser


class Class:
    """Two processes and Caddy, as ``make class`` starts them."""

    def __init__(self, log: Path):
        caddy = subprocess.run(
            ["sh", "scripts/caddy.sh"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        if caddy.returncode:
            pytest.skip(caddy.stderr)
        (self.port,) = free_ports(1)
        command = [*REPLICAS, str(self.port), "--caddy", caddy.stdout.strip()]
        how = {"cwd": ROOT, "stdout": subprocess.PIPE}
        with log.open("wb") as output:
            self.process = psutil.Popen(command, stderr=output, **how)
        assert list(takewhile(lambda line: b"processes" not in line, self.process.stdout)), (
            log.read_text()
        )
        self.address = f"http://localhost:{self.port}"

    @property
    def replicas(self) -> list[psutil.Process]:
        """Return the processes that run Streamlit."""
        return [
            one for one in self.process.children(recursive=True) if "streamlit" in one.cmdline()
        ]

    def end(self) -> None:
        """Stop the program that started the processes, unless it has ended."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)
            self.process.stdout.close()

    def newcomer(self) -> str:
        """To which process Caddy sends who has no cookie: of those that it has tried, the last has
        answered.
        """
        with urllib.request.urlopen(f"{self.address}/_stcore/health") as answer:
            told = [SimpleCookie(one) for one in answer.headers.get_all("set-cookie")]
        return [one[COOKIE].value for one in told if COOKIE in one][-1]

    def both(self) -> set[str]:
        """Return the names of the processes, once both take newcomers: an earlier test may have
        killed one.
        """
        found = set()
        until(lambda: found.add(self.newcomer()) or len(found) == 2)
        return found


@pytest.fixture(scope="module")
def lecture(tmp_path_factory) -> Iterator[Class]:
    """Start two processes and Caddy, and stop them at the end."""
    own = Class(tmp_path_factory.mktemp("class") / "class.log")
    yield own
    own.end()


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


def test_people_stay_where_they_are_and_go_on_when_a_process_is_killed_and_newcomers_come_to_both(
    lecture,
):
    """Their connections, without browsers: cookies, Streamlit's protocol and the channel."""
    lecture.both()
    crowd = people.make_people(lecture.address, 40, seed=100)

    async def visit() -> None:
        """Connect the crowd, kill a process, and check whose connection is lost.

        Before, each person moves a slider and some upload a file; all move it again after.
        """
        await people.connect_all(crowd)
        await asyncio.gather(*(one.move_on_channel(one.value(0.6)) for one in crowd))
        assert {await one.upload(b"a,b\n1,2\n") for one in crowd[::10]} == {204}
        assert {len(one.replicas) for one in crowd} == {1}
        here = sum(one.replicas[-1] == crowd[0].replicas[-1] for one in crowd)
        before = [one.stated_texts for one in crowd]
        lecture.replicas[0].kill()
        assert sum(await asyncio.gather(*map(loses, crowd))) in (here, len(crowd) - here)
        assert [one.stated_texts for one in crowd] == before
        await people.disconnect_all(crowd)

    async def loses(one: people.Person) -> bool:
        """Return whether a person's connection is lost when they move a slider.

        They are connected again before the return.
        """
        try:
            await one.move_on_channel(one.value(0.6))
        except (OSError, WebSocketException):
            one.stated.clear()
            await one.reconnect()
            await one.move_on_channel(one.value(0.6))
            return True
        return False

    with ThreadPoolExecutor(
        1
    ) as beside:  # the browser's driver has a loop of its own in this thread
        beside.submit(lambda: asyncio.run(visit())).result()
    assert not [error for one in crowd for error in one.errors]
    lecture.both()  # the process that was killed is started anew
    assert len(lecture.replicas) == 2
    came = Counter(lecture.newcomer() for _ in range(300))  # each comes to one by chance
    assert max(came.values()) <= 200  # more: once in 100 million runs


def test_a_port_that_is_taken_is_said_at_once_and_when_a_class_ends_nothing_is_left(lecture):
    """The last test here: nobody comes any more."""
    done = subprocess.run(
        [*REPLICAS, str(lecture.port)], cwd=ROOT, capture_output=True, timeout=60, check=False
    )
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
