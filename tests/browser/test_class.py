"""Several processes behind one address: who stays where, and what happens when one of them is killed."""

import asyncio
import os
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.cookies import SimpleCookie
from pathlib import Path

import psutil
import pytest
from playwright.sync_api import expect
from websockets.exceptions import WebSocketException

from benchmarks import people
from scripts.replicas import free_ports
from tests.browser.conftest import ROOT
from tests.browser.person import PATIENCE, button, enter

COOKIE = "lab_replica"
pytestmark = pytest.mark.browser


class Class:
    """Two processes and Caddy, as ``make class`` starts them."""

    def __init__(self, port: int, log: Path):
        caddy = subprocess.run(["sh", "scripts/caddy.sh"], cwd=ROOT, capture_output=True, text=True, check=False)
        if caddy.returncode:
            pytest.skip(caddy.stderr)
        command = [sys.executable, "-m", "scripts.replicas", "--replicas", "2", "--port", str(port)]
        with log.open("wb") as output:
            self.process = subprocess.Popen(
                [*command, "--caddy", caddy.stdout.strip()],
                cwd=ROOT,
                env=os.environ | {"LAB_METRICS": "1"},
                stdout=subprocess.PIPE,
                stderr=output,
            )
        self.address, self.log = f"http://localhost:{port}", log
        self.said = b""
        while (line := self.process.stdout.readline()) and b"processes" not in line:
            self.said += line
        self.said += line

    @property
    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    @property
    def replicas(self) -> list[psutil.Process]:
        return [one for one in self.children if "streamlit" in one.cmdline()]

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            self.process.wait(30)
            self.process.stdout.close()


@pytest.fixture(scope="module")
def lecture(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Class]:
    (port,) = free_ports(1)
    own = Class(port, tmp_path_factory.mktemp("class") / "class.log")
    assert b"http://" in own.said, own.log.read_text()
    yield own
    own.end()


def newcomer(lecture: Class) -> str:
    """To which process Caddy sends who has no cookie: of those that it has tried, the last has answered."""
    with urllib.request.urlopen(f"{lecture.address}/_stcore/health") as answer:
        told = [SimpleCookie(one) for one in answer.headers.get_all("set-cookie")]
    return [one[COOKIE].value for one in told if COOKIE in one][-1]


def both_take_newcomers(lecture: Class) -> set[str]:
    """Wait until they do, and return their names: an earlier test may have killed one, and who comes meanwhile comes to
    the other.
    """
    end, found = time.monotonic() + PATIENCE / 1000, set()
    while len(found) < 2:
        assert time.monotonic() < end
        found.add(newcomer(lecture))
        time.sleep(0.02)
    return found


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
    for page, replica in zip((teacher, pupil), both_take_newcomers(lecture), strict=True):
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


def test_people_stay_where_they_are_and_go_on_when_a_process_is_killed(lecture):
    """Their connections, without browsers: cookies, Streamlit's protocol and the channel."""
    both_take_newcomers(lecture)
    crowd = people.members(lecture.address, 40, seed=100)

    async def visit() -> tuple[int, list[int], int]:
        await people.come(crowd)
        await asyncio.gather(*(one.moves(one.value(0.6)) for one in crowd))
        uploads = [await one.uploads(b"a,b\n1,2\n") for one in crowd[::10]]
        assert {len(one.replicas) for one in crowd} == {1}
        here = sum(one.replicas[-1] == crowd[0].replicas[-1] for one in crowd)
        before = [one.says for one in crowd]
        lecture.replicas[0].kill()
        lost = sum(await asyncio.gather(*map(goes_on, crowd)))
        assert [one.says for one in crowd] == before
        await people.go(crowd)
        return here, uploads, lost

    async def goes_on(one: people.Member) -> bool:
        """All ask for what they had; who has lost a connection comes back first. Whether they had."""
        try:
            await one.moves(one.value(0.6))
        except (OSError, WebSocketException):
            one.words.clear()
            await one.comes_back()
            await one.moves(one.value(0.6))
            return True
        return False

    with ThreadPoolExecutor(1) as beside:  # the browser's driver has a loop of its own in this thread
        here, uploads, lost = beside.submit(lambda: asyncio.run(visit())).result()
    assert uploads == [204] * len(crowd[::10])
    assert lost in (here, len(crowd) - here)
    assert not [error for one in crowd for error in one.errors]


def test_newcomers_come_to_both_processes_alike(lecture):
    """Each comes to one by chance. The process that was killed above is started anew."""
    both_take_newcomers(lecture)
    assert len(lecture.replicas) == 2
    came = Counter(newcomer(lecture) for _ in range(300))
    assert len(came) == 2
    assert max(came.values()) <= 200  # more: once in 100 million runs


def test_a_port_that_is_taken_is_said_at_once(lecture, tmp_path):
    command = [sys.executable, "-m", "scripts.replicas", "--port", lecture.address.rpartition(":")[2]]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1
    assert "in use" in done.stderr


def test_when_it_ends_nothing_is_left(lecture):
    """The last test here: nobody comes any more."""
    children = lecture.children
    assert len(children) >= 3
    caddy = next(one for one in children if "--config" in one.cmdline())
    folder = Path(caddy.environ()["HOME"])
    assert folder.exists()
    lecture.end()
    _, alive = psutil.wait_procs(children, timeout=PATIENCE / 1000)
    assert alive == []
    assert not folder.exists()
    assert lecture.process.returncode == 0
