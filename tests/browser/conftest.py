"""A real browser and a real server for the tests in this folder, and what no page may ever do.

Every page that a test opens is watched: an error in the console, an exception, or a request to anywhere but
the server itself fails the test.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

pytest.register_assert_rewrite("tests.browser.sight", "tests.browser.person")

from tests.browser.person import PATIENCE  # noqa: E402
from tests.browser.sight import drawn  # noqa: E402

ROOT = Path(__file__).parents[2]
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
]
expect.set_options(timeout=PATIENCE)
FAILED = pytest.StashKey[bool]()
PROBES = ("/_stcore/health", "/_stcore/host-config")

collect_ignore = ["apps"]  # scripts for the server: a script is not a module to look for doctests in


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that drive a browser, or ask a server."""
    for item in items:
        if {"chromium", "serve"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.browser)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test has failed: no other gets what it leaves."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """The driver of the browser."""
    with sync_playwright() as driver:
        yield driver


def program(playwright: Playwright) -> str:
    """The browser: $CHROME, an installed one, or the one that Playwright has downloaded."""
    names = ("chromium", "chromium-browser", "google-chrome")
    installed = filter(None, map(shutil.which, names))
    path = os.environ.get("CHROME") or next(installed, playwright.chromium.executable_path)
    if not Path(path).exists():
        pytest.fail(
            "The browser tests need Chromium or Chrome, and there is none. Install one (Debian: apt install"
            " chromium; anywhere: python -m playwright install chromium), or set CHROME to its path."
        )
    return path


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """A running Chromium or Chrome."""
    browser = playwright.chromium.launch(executable_path=program(playwright), args=FLAGS)
    yield browser
    browser.close()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """serve(script, *options) -> its address. Each is started once, and ends with the test run."""
    servers: dict[tuple[str, ...], tuple[subprocess.Popen[bytes], str]] = {}
    logs = tmp_path_factory.mktemp("servers")

    def start(script: str | Path, *options: str) -> str:
        asked = (str(script), *options)
        if asked not in servers:
            servers[asked] = _start(ROOT / script, options, logs / f"{len(servers)}.log", _free_port())
        return servers[asked][1]

    yield start
    for process, _ in servers.values():
        process.kill()  # there is nobody to say goodbye to, which takes seconds
        process.wait()


@dataclass
class Slow:
    """A server on which work that can wait is left until ``go_on``, however quick the machine is."""

    address: str
    file: Path

    def go_on(self) -> None:
        self.file.unlink(missing_ok=True)


@pytest.fixture(scope="session")
def own_slow(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Slow:
    folder = tmp_path_factory.mktemp("held")
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAB_HELD", str(folder))
        return Slow(serve("tests/browser/apps/held_app.py"), folder / "work")


@pytest.fixture
def slow(own_slow: Slow) -> Iterator[Slow]:
    """From the first picture on nothing is computed, until the test says so or ends."""
    own_slow.file.touch()
    yield own_slow
    own_slow.go_on()


@dataclass
class Server:
    """The app on a server of one file's own, which may be killed and started again where it was."""

    log: Path
    port: int
    process: subprocess.Popen[bytes] | None = None
    address: str = ""

    def start(self) -> None:
        self.process, self.address = _start(ROOT / "app.py", (), self.log, self.port)

    def kill(self) -> None:
        """At once: it has no time to say goodbye to anybody."""
        if self.process:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="module")
def own_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One that a test may kill."""
    own = Server(log=tmp_path_factory.mktemp("server") / "server.log", port=_free_port())
    yield own
    own.kill()


@pytest.fixture
def server(own_server: Server) -> Server:
    """A server that runs."""
    if own_server.process is None or own_server.process.poll() is not None:
        own_server.start()
    return own_server


def _free_port() -> int:
    """One below those that a system gives to whoever asks for any: it is still free when the server has started."""
    for port in random.Random().sample(range(20_000, 30_000), 100):
        with contextlib.suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port
    raise OSError("of a hundred ports none is free")


def _start(script: Path, options: tuple[str, ...], log: Path, port: int) -> tuple[subprocess.Popen[bytes], str]:
    """Start Streamlit on this port, from the root of the repository, whose configuration it then reads."""
    command = [sys.executable, "-m", "streamlit", "run", str(script), "--server.port", str(port), *options]
    paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    with log.open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={"LAB_FIRST_PICTURE": "off"} | os.environ | {"PYTHONPATH": paths},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    base = options[options.index("--server.baseUrlPath") + 1] if "--server.baseUrlPath" in options else ""
    address = f"http://localhost:{port}/{base}".rstrip("/")
    _wait(address, process, log)
    return process, address


def _wait(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    """Return once the server answers; fail with its own words if it never does."""
    end = time.monotonic() + PATIENCE / 1000
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.05)
    process.kill()
    process.wait()
    pytest.fail(f"Streamlit did not start at {address}:\n{log.read_text()}")


@dataclass
class Watch:
    """What a window's page, opened at this address, did that it must not do."""

    address: str = ""
    faults: list[str] = field(default_factory=list)

    def listen(self, page: Page) -> None:
        """Note every error and every request that leaves the server's own address."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.faults.append(f"exception: {error}"))
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda socket: self._request(socket.url))

    def _console(self, message: ConsoleMessage) -> None:
        source = message.location.get("url", "")
        if message.type == "error" and not ("404" in message.text and self._probe(source)):
            self.faults.append(f"console: {message.text} ({source})")

    def _probe(self, url: str) -> bool:
        """Opened at a deep link, Streamlit looks for its server below that link before it looks above it."""
        link = urlsplit(self.address).path.rstrip("/")
        return link != "" and urlsplit(url).path in [link + probe for probe in PROBES]

    def _request(self, url: str) -> None:
        at = urlsplit(url)
        if at.netloc != urlsplit(self.address).netloc and at.scheme not in ("data", "blob"):
            self.faults.append(f"request to {url}")


@dataclass
class Windows:
    """Windows of one kind of visitor, each watched. One that is opened anew takes three times the work of one that is
    led to another address: it compiles again what it has compiled before."""

    profile: BrowserContext
    idle: list[tuple[Page, Watch]] = field(default_factory=list)

    def take(self) -> tuple[Page, Watch]:
        """A window with nothing in it, and no fault."""
        opened, watch = self.idle.pop() if self.idle else self._open()
        watch.faults = []
        return opened, watch

    def _open(self) -> tuple[Page, Watch]:
        opened, watch = self.profile.new_page(), Watch()
        watch.listen(opened)
        return opened, watch

    def give_back(self, opened: Page, watch: Watch) -> None:
        """Leave the page; nothing of it stays but what the browser has stored."""
        opened.unroute_all(behavior="ignoreErrors")
        opened.mouse.up()
        opened.mouse.move(0, 0)
        opened.goto("about:blank")
        self.idle.append((opened, watch))


@pytest.fixture(scope="session")
def windows(chromium: Browser) -> Iterator[dict[bool, Windows]]:
    """The windows of a visitor with a mouse, and of one with a finger."""
    kinds = {touch: Windows(chromium.new_context(has_touch=touch, is_mobile=touch)) for touch in (False, True)}
    for each in kinds.values():
        each.profile.set_default_timeout(PATIENCE)
    yield kinds
    for each in kinds.values():
        each.profile.close()


@pytest.fixture
def page(windows: dict[bool, Windows], request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """page(address, width=, height=, dark=, touch=) -> a page with something on it; watched until the test ends."""
    taken: list[tuple[Windows, Page, Watch]] = []

    def open_page(
        address: str, *, width: int = 1200, height: int = 900, dark: bool = False, touch: bool = False
    ) -> Page:
        opened, watch = windows[touch].take()
        taken.append((windows[touch], opened, watch))
        open_page.watches.append(watch)
        watch.address = address
        opened.set_viewport_size({"width": width, "height": height})
        opened.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="null")
        opened.goto(address)
        opened.wait_for_selector("[data-testid=stMain] [data-testid=stElementContainer]:not(.st-key-connection)")
        return opened

    open_page.watches = []
    yield open_page
    faults = [fault for _, _, watch in taken for fault in watch.faults]
    failed = faults or request.node.stash.get(FAILED, False)
    for kind, opened, watch in taken:
        if failed:
            opened.close()
        elif not opened.is_closed():
            kind.give_back(opened, watch)
    assert faults == []


@pytest.fixture
def lab(page: Callable[..., Page], serve: Callable[..., str]) -> Callable[..., Page]:
    """lab(path, charts=, address=, **how) -> a page of the lab with so many charts drawn; 0: without waiting."""

    def open_lab(path: str = "", *, charts: int = 2, address: str = "", **how) -> Page:
        opened = page(f"{address or serve('app.py')}/{path}", **how)
        if charts:
            drawn(opened, charts)
        return opened

    return open_lab


@pytest.fixture
def demo(lab: Callable[..., Page], serve: Callable[..., str]) -> Callable[..., Page]:
    """demo(query, **how) -> the demo of the live widgets, drawn."""
    return lambda query="", **how: lab(f"?{query}", address=serve("tests/browser/apps/live_demo.py"), **how)


@pytest.fixture
def visitor(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """visitor(address, **how) -> the page of a browser of its own, which has no cookie yet; opened, not watched."""
    with contextlib.ExitStack() as open_:

        def come(address: str, *, width: int = 1200, height: int = 900, **how) -> Page:
            context = chromium.new_context(viewport={"width": width, "height": height}, **how)
            open_.callback(context.close)
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(address)
            return page

        yield come
