"""A real browser and real servers. An error in the console, an exception or a request elsewhere fails a test."""

import contextlib
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Playwright, expect, sync_playwright

pytest.register_assert_rewrite("tests.browser.sight", "tests.browser.person")

from tests.browser.person import PATIENCE  # noqa: E402
from tests.browser.sight import drawn, rests  # noqa: E402

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
# Streamlit, opened at a link, looks for its server below that link before it looks above it.
PROBES = ("/_stcore/health", "/_stcore/host-config")
# What the browser and Streamlit write into the console while there is no server.
AWAY = (
    "net::ERR_",
    "Cannot send rerun backMessage when disconnected",
    "Client Error",
    "DoInitPings timed out",
    "Is Streamlit still running?",
)

collect_ignore = ["apps"]  # scripts for the server


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
        pytest.fail("There is no Chromium or Chrome. Install one, or set CHROME to its path.")
    return path


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """A running Chromium or Chrome."""
    browser = playwright.chromium.launch(executable_path=program(playwright), args=FLAGS)
    yield browser
    browser.close()


def _free_port() -> int:
    """One below those that a system gives to whoever asks for any: it is still free when the server has started."""
    for port in random.Random().sample(range(20_000, 30_000), 100):
        with contextlib.suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port
    raise OSError("of a hundred ports none is free")


@dataclass
class Server:
    """A script on Streamlit, started from the root of the repository, whose configuration it then reads."""

    script: str | Path
    options: tuple[str, ...]
    log: Path
    port: int = field(default_factory=_free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        options = dict(zip(self.options[::2], self.options[1::2], strict=True))
        return f"http://localhost:{self.port}/{options.get('--server.baseUrlPath', '')}".rstrip("/")

    def start(self) -> None:
        """Return once it answers. Fail with its own words if it never does."""
        command = [sys.executable, "-m", "streamlit", "run", str(ROOT / self.script), "--server.port", str(self.port)]
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        environment = {"LAB_FIRST_PICTURE": "off"} | os.environ | {"PYTHONPATH": paths}
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [*command, *self.options], cwd=ROOT, env=environment, stdout=output, stderr=subprocess.STDOUT
            )
        end = time.monotonic() + PATIENCE / 1000
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=2):
                    return
            except (urllib.error.URLError, OSError):
                time.sleep(0.05)
        self.kill()
        pytest.fail(f"Streamlit did not start at {self.address}:\n{self.log.read_text()}")

    def kill(self) -> None:
        """At once: it has no time to say goodbye to anybody, which would take seconds."""
        if self.process:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """serve(script, *options) -> its address. Each is started once, and ends with the test run."""
    servers: dict[tuple[str, ...], Server] = {}
    logs = tmp_path_factory.mktemp("servers")

    def start(script: str, *options: str) -> str:
        if (script, *options) not in servers:
            servers[script, *options] = one = Server(script, options, logs / f"{len(servers)}.log")
            one.start()
        return servers[script, *options].address

    yield start
    for one in servers.values():
        one.kill()


@contextlib.contextmanager
def hosted(folder: Path) -> Iterator[int]:
    """Files of a folder on a plain web server, which answers to all names of this machine at this port."""
    with ThreadingHTTPServer(("", 0), partial(SimpleHTTPRequestHandler, directory=folder)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


@pytest.fixture
def slow(serve: Callable[..., str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    """A server (``address``) on which work that can wait is left until ``go_on()``, however quick the machine is."""
    folder = tmp_path_factory.getbasetemp() / "held"
    folder.mkdir(exist_ok=True)
    (work := folder / "work").touch()
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("LAB_HELD", str(folder))
        address = serve("tests/browser/apps/held_app.py")
    yield SimpleNamespace(address=address, go_on=lambda: work.unlink(missing_ok=True))
    work.unlink(missing_ok=True)


@dataclass
class Watch:
    """Faults of a window's page, opened at this address, but for those that contain an ``expected`` text."""

    address: str = ""
    expected: tuple[str, ...] = ()
    _seen: list[str] = field(default_factory=list)

    def begin(self, address: str) -> None:
        self.address, self.expected, self._seen = address, (), []

    @property
    def faults(self) -> list[str]:
        return [one for one in self._seen if not any(known in one for known in self.expected)]

    def listen(self, page: Page) -> None:
        """Note every error and every request that leaves the server's own address."""
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._seen.append(f"exception: {error}"))
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda socket: self._request(socket.url))

    def _console(self, message: ConsoleMessage) -> None:
        source, link = message.location.get("url", ""), urlsplit(self.address).path.rstrip("/")
        probe = "404" in message.text and link and urlsplit(source).path in [link + probe for probe in PROBES]
        # A page that is left, or whose server restarts, may cut a connection before it is made.
        cut = message.text.startswith(f"WebSocket connection to 'ws://{urlsplit(self.address).netloc}/")
        if message.type == "error" and not probe and not cut:
            self._seen.append(f"console: {message.text} ({source})")

    def _request(self, url: str) -> None:
        at = urlsplit(url)
        if at.netloc != urlsplit(self.address).netloc and at.scheme not in ("data", "blob"):
            self._seen.append(f"request to {url}")


@dataclass
class Windows:
    """Windows of one kind of visitor, each watched. A new one compiles all scripts again, which takes long."""

    profile: BrowserContext
    idle: list[tuple[Page, Watch]] = field(default_factory=list)

    def take(self, address: str) -> tuple[Page, Watch]:
        """An empty window for this address, with no fault."""
        opened, watch = self.idle.pop() if self.idle else (self.profile.new_page(), None)
        if watch is None:
            (watch := Watch()).listen(opened)
        watch.begin(address)
        return opened, watch

    def give_back(self, opened: Page, watch: Watch) -> None:
        """Leave the page. Only what the browser has stored stays."""
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
    """page(address, width=, height=, dark=, touch=) -> a page with something on it. ``page.watches`` tell of faults."""
    taken: list[tuple[Windows, Page, Watch]] = []

    def open_page(
        address: str, *, width: int = 1200, height: int = 900, dark: bool = False, touch: bool = False
    ) -> Page:
        opened, watch = windows[touch].take(address)
        taken.append((windows[touch], opened, watch))
        open_page.watches.append(watch)
        opened.set_viewport_size({"width": width, "height": height})
        opened.emulate_media(color_scheme="dark" if dark else "light", reduced_motion="null")
        opened.goto(address)
        opened.wait_for_selector("[data-testid=stMain] [data-testid=stElementContainer]:not(.st-key-connection)")
        return opened

    open_page.watches = []
    yield open_page
    for kind, opened, watch in taken:
        if watch.faults or request.node.stash.get(FAILED, False):
            opened.close()
        elif not opened.is_closed():
            kind.give_back(opened, watch)
    assert [fault for watch in open_page.watches for fault in watch.faults] == []


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
def toy(page: Callable[..., Page], serve: Callable[..., str]) -> Callable[..., Page]:
    """toy(query, channel=, **how) -> the page of tests/toy, at rest, on a server with or without a channel."""

    def open_toy(query: str = "", *, channel: bool = True, **how) -> Page:
        script = "toy_app" if channel else "toy_page"
        opened = page(f"{serve(f'tests/browser/apps/{script}.py')}/?{query}", **how)
        drawn(opened)
        rests(opened)
        return opened

    return open_toy


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
