"""A real browser and real servers.

An error in the console, an exception or a request elsewhere fails a test.
"""

import contextlib
import os
import random
import socket
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Error,
    Page,
    Playwright,
    expect,
    sync_playwright,
)

pytest.register_assert_rewrite("tests.browser.sight", "tests.browser.person")

from benchmarks.latency import FLAGS, browser_path  # noqa: E402
from tests.browser.person import PATIENCE, until  # noqa: E402
from tests.browser.sight import drawn, rests  # noqa: E402

ROOT = Path(__file__).parents[2]
expect.set_options(timeout=PATIENCE)
# Streamlit, opened at a link, looks for its server below that link before it looks above it.
PROBES = ("/_stcore/health", "/_stcore/host-config")

collect_ignore = ["apps"]  # scripts for the server


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that drive a browser, or ask a server."""
    for item in items:
        if {"chromium", "serve"} & {*getattr(item, "fixturenames", ())}:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    """Start Playwright, and stop it at the end."""
    with sync_playwright() as driver:
        yield driver


def program(playwright: Playwright) -> str:
    """Return the browser: $CHROME, an installed one, or the one that Playwright has downloaded."""
    path = browser_path() or playwright.chromium.executable_path
    if not Path(path).exists():
        pytest.fail("There is no Chromium or Chrome. Install one, or set CHROME to its path.")
    return path


@pytest.fixture(scope="session")
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """Start the browser without a window, and close it at the end."""
    browser = playwright.chromium.launch(executable_path=program(playwright), args=FLAGS)
    yield browser
    browser.close()


def _free_port() -> int:
    """Return a free port below those that a system hands out, so that it stays free until the
    server has started.
    """
    for port in random.Random().sample(range(20_000, 30_000), 100):
        with contextlib.suppress(OSError), socket.socket() as free:
            free.bind(("127.0.0.1", port))
            return port
    raise OSError("of a hundred ports none is free")


@dataclass
class Server:
    """A script on Streamlit, started from the root of the repository, whose configuration it then
    reads.
    """

    script: str | Path
    options: tuple[str, ...]
    log: Path
    port: int = field(default_factory=_free_port)
    process: subprocess.Popen[bytes] | None = None

    @property
    def address(self) -> str:
        """Return the address of the server, without a slash at its end."""
        return f"http://localhost:{self.port}"

    def start(self) -> None:
        """Return once it answers. Fail with its own words if it ends instead."""
        command = [
            sys.executable,
            "-m",
            "streamlit",
            "run",
            str(ROOT / self.script),
            "--server.port",
            str(self.port),
        ]
        how = {
            "cwd": ROOT,
            "env": os.environ | {"PYTHONPATH": str(ROOT), "LAB_FIRST_PICTURE": "off"},
        }
        with self.log.open("wb") as output:
            self.process = subprocess.Popen(
                [*command, *self.options], stdout=output, stderr=output, **how
            )
        until(lambda: self._answers() or self.process.poll() is not None)
        assert self._answers(), self.log.read_text()

    def _answers(self) -> bool:
        """Return whether the server says that it is healthy."""
        with (
            contextlib.suppress(OSError),
            urllib.request.urlopen(f"{self.address}/_stcore/health", timeout=2),
        ):
            return True
        return False

    def kill(self) -> None:
        """At once: it has no time to say goodbye to anybody, which would take seconds."""
        if self.process:
            self.process.kill()
            self.process.wait()


@pytest.fixture(scope="session")
def serve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., str]]:
    """serve(script, *options) -> its address. Each is started once, and ends with the test run."""
    servers, logs = {}, tmp_path_factory.mktemp("servers")

    def start(script: str, *options: str) -> str:
        """Return the address of the script's server, which is started if it was not yet."""
        if (script, *options) not in servers:
            servers[script, *options] = one = Server(script, options, logs / f"{len(servers)}.log")
            one.start()
        return servers[script, *options].address

    yield start
    for one in servers.values():
        one.kill()


@contextlib.contextmanager
def hosted(folder: Path) -> Iterator[int]:
    """Files of a folder on a plain web server, which answers to all names of this machine at this
    port.
    """
    with ThreadingHTTPServer(
        ("", 0), partial(SimpleHTTPRequestHandler, directory=folder)
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


class Watch:
    """A window and the faults of its page, opened at this address, but for those that contain an
    ``expected`` text.
    """

    def __init__(self, page: Page) -> None:
        self.page = page
        page.on("console", self._console)
        page.on("pageerror", lambda error: self._seen.append(f"exception: {error}"))
        page.on("request", lambda request: self._request(request.url))
        page.on("websocket", lambda socket: self._request(socket.url))

    def begin(self, address: str, *expected: str) -> None:
        """Forget all faults, and note those of the page at this address from now on.

        expected: Texts; a fault that contains one of them is none.
        """
        self.address, self.expected, self._seen = urlsplit(address), expected, []

    @property
    def faults(self) -> list[str]:
        """Return the noted faults that contain no expected text."""
        return [one for one in self._seen if not any(known in one for known in self.expected)]

    def _console(self, message: ConsoleMessage) -> None:
        """Note an error in the console, unless it is a failed probe or a socket that was cut."""
        source, link = message.location.get("url", ""), self.address.path.rstrip("/")
        probe = (
            "404" in message.text
            and link
            and urlsplit(source).path in [link + probe for probe in PROBES]
        )
        # A page that is left, or whose server restarts, may cut a connection before it is made.
        cut = message.text.startswith(f"WebSocket connection to 'ws://{self.address.netloc}/")
        if message.type == "error" and not probe and not cut:
            self._seen.append(f"console: {message.text} ({source})")

    def _request(self, url: str) -> None:
        """Note a request to another server than that of the page."""
        at = urlsplit(url)
        if at.netloc != self.address.netloc and at.scheme not in ("data", "blob"):
            self._seen.append(f"request to {url}")

    def leave(self) -> None:
        """Leave the page, and forget what it has stored.

        Streamlit stores whether the sidebar is open. A page that was wide opens it again on a
        phone.
        """
        self.page.unroute_all(behavior="ignoreErrors")
        with contextlib.suppress(Error):  # a page without an address may store nothing
            self.page.evaluate("localStorage.clear()")
        self.page.mouse.up()
        self.page.mouse.move(0, 0)
        self.page.goto("about:blank")


@pytest.fixture(scope="session")
def windows(chromium: Browser) -> Iterator[dict[bool, tuple[BrowserContext, list[Watch]]]]:
    """Browser and idle windows of a visitor with a mouse, and with a finger.

    A new one compiles all scripts again.
    """
    kinds = {
        touch: (chromium.new_context(has_touch=touch, is_mobile=touch), [])
        for touch in (False, True)
    }
    for profile, _ in kinds.values():
        profile.set_default_timeout(PATIENCE)
    yield kinds
    for profile, _ in kinds.values():
        profile.close()


@pytest.fixture
def page(windows, request: pytest.FixtureRequest) -> Iterator[Callable[..., Page]]:
    """page(address, width=, height=, dark=, touch=, forced=) -> a page with something on it.

    forced: whether the visitor has chosen a few colours for all pages. ``page.watches`` tell of
    faults.
    """
    taken, failed = [], request.session.testsfailed

    def open_page(
        address: str,
        *,
        width: int = 1200,
        height: int = 900,
        dark: bool = False,
        touch: bool = False,
        forced: bool = False,
    ) -> Page:
        """Return a page at this address, once something is on it.

        It is in an idle window of an earlier test if there is one.
        """
        profile, idle = windows[touch]
        watch = idle.pop() if idle else Watch(profile.new_page())
        watch.begin(address)
        taken.append(idle)
        open_page.watches.append(watch)
        opened = watch.page
        opened.set_viewport_size({"width": width, "height": height})
        opened.emulate_media(
            color_scheme="dark" if dark else "light",
            reduced_motion="null",
            forced_colors="active" if forced else "none",
        )
        opened.goto(address)
        opened.wait_for_selector(
            "[data-testid=stMain] [data-testid=stElementContainer]:not(.st-key-connection)"
        )
        return opened

    open_page.watches = []
    yield open_page
    for idle, watch in zip(taken, open_page.watches, strict=True):
        if (
            watch.faults or request.session.testsfailed > failed
        ):  # no other test gets what a failed one leaves
            watch.page.close()
        elif not watch.page.is_closed():
            watch.leave()
            idle.append(watch)
    assert [fault for watch in open_page.watches for fault in watch.faults] == []


@pytest.fixture
def lab(page: Callable[..., Page], serve: Callable[..., str]) -> Callable[..., Page]:
    """lab(path, charts=, address=, **how) -> a page of the lab with so many charts drawn; 0:
    without waiting.
    """

    def open_lab(path: str = "", *, charts: int = 2, address: str = "", **how) -> Page:
        """Return the page of the lab at this path, once so many charts are drawn."""
        opened = page(f"{address or serve('app.py')}/{path}", **how)
        if charts:
            drawn(opened, charts)
        return opened

    return open_lab


@pytest.fixture
def toy(page: Callable[..., Page], serve: Callable[..., str]) -> Callable[..., Page]:
    """toy(query, channel=, **how) -> the page of tests/toy, at rest, on a server with or without a
    channel.
    """

    def open_toy(query: str = "", *, channel: bool = True, **how) -> Page:
        """Return the toy page with this query, once it is drawn and at rest."""
        script = "toy_app" if channel else "toy_page"
        opened = page(f"{serve(f'tests/browser/apps/{script}.py')}/?{query}", **how)
        drawn(opened)
        rests(opened)
        return opened

    return open_toy


@pytest.fixture
def visitor(chromium: Browser) -> Iterator[Callable[..., Page]]:
    """visitor(address, **how) -> the page of a browser of its own, which has no cookie yet; opened,
    not watched.
    """
    with contextlib.ExitStack() as open_:

        def come(address: str, *, width: int = 1200, height: int = 900, **how) -> Page:
            """Return the page of a browser without cookies, opened at this address."""
            context = chromium.new_context(viewport={"width": width, "height": height}, **how)
            open_.callback(context.close)
            context.set_default_timeout(PATIENCE)
            page = context.new_page()
            page.goto(address)
            return page

        yield come
