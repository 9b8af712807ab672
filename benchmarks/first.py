"""Measure a first visit of *Classifier* in Chromium: what is visible when, and what is transferred.

    make bench ARGS=first

A row is a network ("local", or "slow" with 1 Mbit/s and 200 ms) and a visit: "cold" in a new
browser, "warm" in another tab of it. The rows "static" open a recorded page of `make site` from a
server that compresses it, cold and slow.

- *sign*, *recorded*, *words*, *charts*: seconds from the start of the navigation until something is
  painted, the recorded first picture is painted, the verdict stands there, and every chart in view
  is drawn.
- *shift*: Chromium's layout shift score from the words on until nothing changes any more.
- *requests*: number of requests that were not answered by the browser's cache.
- *front end*, *fonts*, *Plotly*, *ours*, *others*, *socket*: kilobytes of the visit by kind, as
  transferred, headers included. *socket* is Streamlit's websocket. *kB*: their sum.
"""

import gzip
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

from benchmarks.latency import (
    FLAGS,
    VIEWPORT,
    browser_path,
    missing_here,
    served,
    wait_for_first_picture,
)
from benchmarks.report import Line, Outcome, Print, at_most, number, row
from pages.topics import PAGES
from ui.export.recording import Recording

PATH = "classifier"
# 1 Mbit/s and 200 ms, in bytes per second and milliseconds.
SLOW = {
    "offline": False,
    "latency": 200,
    "downloadThroughput": 125_000,
    "uploadThroughput": 125_000,
}
NETWORKS = {"local": None, "slow": SLOW}
# Requirements: seconds, kilobytes, seconds.
CHARTS_AT_MOST = 35.0
KILOBYTES_AT_MOST = 3000.0
STATIC_AT_MOST = 3.0
# Recorded pages that are measured.
STATIC = ("classifier", "network")
# Milliseconds that a picture may take, and that a visit goes on after it.
PICTURE_MILLISECONDS = 180_000
MILLISECONDS_AFTER_PICTURE = 4000
BINARY_FRAME = 2

KINDS = ("front end", "fonts", "Plotly", "ours", "others", "socket")
COLUMNS = (
    "network",
    "visit",
    "sign",
    "recorded",
    "words",
    "charts",
    "shift",
    "requests",
    *KINDS,
    "kB",
)
WIDTHS = (7, 5, 6, 8, 6, 6, 6, 8, 9, 6, 7, 5, 6, 6, 6)

WATCH = """new PerformanceObserver((news) => {
  window.shifts = [...window.shifts ?? [], ...news.getEntries().map(({ startTime, value }) => [startTime, value])]
}).observe({ type: "layout-shift", buffered: true })"""
SIGN = "() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
RECORDED = "() => performance.getEntriesByName('lab-recorded')[0]?.startTime"
VERDICT = "() => document.querySelector('.lab-verdict')?.textContent.trim() && performance.now()"
CHARTS = """() => {
  const seen = [...document.querySelectorAll("[data-chart]")].filter((one) => {
    const { top, bottom } = one.getBoundingClientRect()
    return bottom > 0 && top < innerHeight
  })
  const drawn = (one) =>
    one.querySelector(".room > canvas[style]") || one.querySelector(".main-svg") && !one.querySelector("[data-waiting]")
  return seen.length && seen.every(drawn) && performance.now()
}"""
SHIFT = (
    "since => (window.shifts ?? []).filter(([at]) => at > since).reduce((sum, [_, value]) => sum +"
    " value, 0)"
)


@dataclass(frozen=True, kw_only=True)
class Visit:
    """What one visit saw. Times are in seconds from the start of the navigation.

    Attributes:
        sign: When anything was painted.
        recorded: When the recorded first picture was painted.
        words: When the verdict was there.
        charts: When every chart in view was drawn.
        shift: Layout shift score from the words on.
        kind_bytes: Kind of file -> bytes that were transferred.
        requests: Number of requests that transferred something.
    """

    sign: float
    recorded: float
    words: float
    charts: float
    shift: float
    kind_bytes: Mapping[str, int]
    requests: int

    @property
    def kilobytes(self) -> float:
        return sum(self.kind_bytes.values()) / 1000


@dataclass(kw_only=True)
class Measurements:
    """What is required of visits, each from all rounds.

    Attributes:
        charts: Seconds until the charts of a cold and slow visit.
        recorded: Seconds until its recorded first picture.
        kilobytes: Of cold visits on both networks.
        static: Seconds until the charts of recorded pages.
    """

    charts: list[float] = field(default_factory=list)
    recorded: list[float] = field(default_factory=list)
    kilobytes: list[float] = field(default_factory=list)
    static: list[float] = field(default_factory=list)

    def requirements(self) -> list[Line]:
        slow = "cold, at 1 Mbit/s and 200 ms"
        return [
            at_most(f"{slow}: charts after", CHARTS_AT_MOST, self.charts, unit=" s"),
            at_most("cold: all that travels", KILOBYTES_AT_MOST, self.kilobytes, unit=" kB"),
            at_most(
                f"{slow}: charts of the static site after",
                STATIC_AT_MOST,
                self.static,
                unit=" s",
            ),
            at_most(
                f"{slow}: recorded first picture after",
                STATIC_AT_MOST,
                self.recorded,
                unit=" s",
            ),
        ]


def run(*, rounds: int, say: Print) -> Outcome:
    """Visit the lab and the recorded pages in each round."""
    measurements = Measurements()
    missing = missing_here()
    if missing:
        return Outcome(lines=measurements.requirements(), missing=missing)
    from playwright.sync_api import sync_playwright

    say(row(COLUMNS, WIDTHS))
    with ExitStack() as stack:
        lab = stack.enter_context(served("app.py", first_picture="on"))
        site = stack.enter_context(hosted(_recorded_pages()))
        wait_for_first_picture(f"{lab}/{PATH}")
        chromium = stack.enter_context(sync_playwright()).chromium
        for _ in range(rounds):
            for network in NETWORKS:
                _visit_lab(chromium, f"{lab}/{PATH}", network, measurements, say)
            for name in STATIC:
                with _new_context(chromium) as context:
                    seen = visit(context, f"{site}/{name}.html", SLOW)
                # The column is as wide as "cold".
                say(row(["static", name[:5], *_cells(seen)], WIDTHS))
                measurements.static.append(seen.charts)
    return Outcome(lines=measurements.requirements())


def _visit_lab(
    chromium: Any, address: str, network: str, measurements: Measurements, say: Print
) -> None:
    """Visit an address in a new browser and again in another tab, and add what was measured."""
    with _new_context(chromium) as context:
        cold = visit(context, address, NETWORKS[network])
        say(row([network, "cold", *_cells(cold)], WIDTHS))
        warm = visit(context, address, NETWORKS[network])
        say(row([network, "warm", *_cells(warm)], WIDTHS))
    measurements.kilobytes.append(cold.kilobytes)
    if network == "slow":
        measurements.charts.append(cold.charts)
        measurements.recorded.append(cold.recorded)


@contextmanager
def _new_context(chromium: Any) -> Iterator[Any]:
    """Start a browser, yield a context in it, and end it."""
    browser = chromium.launch(executable_path=browser_path(), args=FLAGS)
    try:
        yield browser.new_context(viewport=VIEWPORT)
    finally:
        browser.close()


def _recorded_pages() -> dict[str, str]:
    """Return path -> HTML of the recorded pages that are measured."""
    recorded_pages = {}
    for page in PAGES:
        if page.name in STATIC:
            recording = Recording(page=page, settings=page.settings(), settings_text="", date="")
            recorded_pages[f"/{page.name}.html"] = recording.html()
    return recorded_pages


@contextmanager
def hosted(files: Mapping[str, str]) -> Iterator[str]:
    """Serve files by path, compressed as static hosts do, and yield the server's address."""
    compressed = {path: gzip.compress(text.encode()) for path, text in files.items()}

    class Host(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path not in compressed:
                self.send_error(404)
                return
            body = compressed[self.path]
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.send_header("Content-Encoding", "gzip")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Traffic:
    """Counts bytes and requests of a page by kind, from events of Chromium's protocol."""

    def __init__(self, session: Any):
        self.kind_bytes = Counter[str]()
        self.requests = 0
        self._kind_of_request: dict[str, str] = {}
        session.on("Network.responseReceived", self._on_response)
        session.on("Network.loadingFinished", self._on_finish)
        session.on("Network.webSocketFrameReceived", self._on_frame)

    def _on_response(self, event: dict) -> None:
        self._kind_of_request[event["requestId"]] = kind_of(event["response"]["url"])

    def _on_finish(self, event: dict) -> None:
        # A request that was never answered belongs to no kind.
        kind = self._kind_of_request.get(event["requestId"], "unanswered")
        size = event["encodedDataLength"]
        self.kind_bytes[kind] += size
        if size > 0:
            self.requests += 1

    def _on_frame(self, event: dict) -> None:
        size = len(event["response"]["payloadData"])
        if event["response"]["opcode"] == BINARY_FRAME:
            # The protocol has binary data in base 64.
            size = size * 3 // 4
        self.kind_bytes["socket"] += size


def visit(context: Any, address: str, network: dict | None) -> Visit:
    """Open an address in a new tab, and return what was seen and transferred.

    Args:
        context: Of a browser, with the cache of the visits before.
        address: Of the page.
        network: As ``SLOW``, or None for the local network.
    """
    page = context.new_page()
    page.add_init_script(WATCH)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    if network is not None:
        session.send("Network.emulateNetworkConditions", network)
    traffic = Traffic(session)
    page.goto(address, wait_until="commit", timeout=PICTURE_MILLISECONDS)
    sign = _seconds_until(page, SIGN)
    words = _seconds_until(page, VERDICT)
    charts = _seconds_until(page, CHARTS)
    # A page without a recorded first picture has no such time.
    recorded_milliseconds = page.evaluate(RECORDED) or 0
    page.wait_for_timeout(MILLISECONDS_AFTER_PICTURE)
    shift = page.evaluate(SHIFT, 1000 * words)
    page.close()
    return Visit(
        sign=sign,
        recorded=recorded_milliseconds / 1000,
        words=words,
        charts=charts,
        shift=shift,
        kind_bytes=traffic.kind_bytes,
        requests=traffic.requests,
    )


def _seconds_until(page: Any, condition: str) -> float:
    """Wait until a script returns milliseconds, and return them in seconds."""
    return page.wait_for_function(condition, timeout=PICTURE_MILLISECONDS).json_value() / 1000


def kind_of(address: str) -> str:
    """Return the kind of file that an address of the server belongs to.

    >>> kind_of("http://localhost:1/lab/static/js/index.x.js")
    'front end'
    >>> kind_of("http://localhost:1/classifier")
    'others'
    """
    path = urlsplit(address).path
    if "/_stcore/bidi-components/" in path:
        if "/plotly" in path:
            return "Plotly"
        return "ours"
    if "/static/" not in path:
        return "others"
    if path.endswith((".woff2", ".ttf")):
        return "fonts"
    return "front end"


def _cells(seen: Visit) -> list[object]:
    """Return the cells of the table after network and visit."""
    times = [seen.sign, seen.recorded, seen.words, seen.charts]
    kilobytes = [seen.kind_bytes[kind] / 1000 for kind in KINDS]
    return [
        *(f"{seconds:.1f}" for seconds in times),
        f"{seen.shift:.3f}",
        seen.requests,
        *(number(value) for value in kilobytes),
        number(sum(kilobytes)),
    ]
