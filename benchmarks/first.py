"""Measure a first visit of *Classifier* in Chromium: what is visible when, and what is transferred.

    make bench ARGS=first

A row is a network ("local", or "slow" with 1 Mbit/s and 200 ms) and a visit: "cold" in a new
browser, "warm" in another tab of it. The rows "static" open a recorded page of `make site` from a
server that compresses it, cold and slow.

- *sign*, *recorded*, *words*, *charts*: seconds from the start of the navigation until something is
  painted, the recorded first picture is painted, the verdict stands there, and every chart in view
  is drawn.
- *shift*: Chromium's layout shift score from the words on until nothing changes any more.
- *front end*, *fonts*, *Plotly*, *ours*, *others*, *socket*: kilobytes of the visit by kind, as
  transferred, headers included. *socket* is Streamlit's websocket.
"""

import gzip
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

import numpy as np

from benchmarks.latency import FLAGS, VIEWPORT, browser_path, missing_here, recorded, served
from benchmarks.report import Outcome, Print, at_most, number, row
from pages.topics import PAGES
from ui.export.recording import Recording

PATH = "classifier"
SLOW = {
    "offline": False,
    "latency": 200,
    "downloadThroughput": 125_000,
    "uploadThroughput": 125_000,
}
NETWORKS = {"local": None, "slow": SLOW}
CHARTS_AT_MOST, KILOBYTES_AT_MOST, STATIC_AT_MOST = 35.0, 3000.0, 3.0
STATIC = ("classifier", "network")
# Milliseconds: how long a picture may take; how long after it a visit goes on.
PATIENCE, AFTERWARDS = 180_000, 4000

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
WORDS = "() => document.querySelector('.lab-verdict')?.textContent.trim() && performance.now()"
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


def run(*, rounds: int, say: Print) -> Outcome:
    """A cold and a warm visit on each network, ``rounds`` times."""
    asked = (
        "charts after",
        "all that travels",
        "charts of the static site after",
        "recorded first picture after",
    )
    if missing := missing_here():
        return Outcome(lines=_lines(asked, [], [], [], []), missing=missing)
    from playwright.sync_api import sync_playwright

    say(row(COLUMNS, WIDTHS))
    seconds, sizes, static, first = [], [], [], []
    with ExitStack() as stack:
        address, site = (
            stack.enter_context(served("app.py", first_picture="on")),
            stack.enter_context(hosted(_site())),
        )
        recorded(f"{address}/{PATH}")
        chromium = stack.enter_context(sync_playwright()).chromium
        for _ in range(rounds):
            for network, how in NETWORKS.items():
                browser = chromium.launch(executable_path=browser_path(), args=FLAGS)
                context = browser.new_context(viewport=VIEWPORT)
                for kind in ("cold", "warm"):
                    seen = visit(context, f"{address}/{PATH}", how)
                    say(row([network, kind, *_told(seen)], WIDTHS))
                    if kind == "cold":
                        sizes.append(sum(seen["bytes"].values()) / 1000)
                        seconds += [seen["charts"]] if how else []
                        first += [seen["recorded"]] if how else []
                browser.close()
            for name in STATIC:
                browser = chromium.launch(executable_path=browser_path(), args=FLAGS)
                seen = visit(browser.new_context(viewport=VIEWPORT), f"{site}/{name}.html", SLOW)
                say(row(["static", name[:5], *_told(seen)], WIDTHS))
                static.append(seen["charts"])
                browser.close()
    return Outcome(lines=_lines(asked, seconds, sizes, static, first))


def _lines(asked, seconds, sizes, static, first) -> list:
    slow, cold = "cold, at 1 Mbit/s and 200 ms", "cold"
    return [
        at_most(f"{slow}: {asked[0]}", CHARTS_AT_MOST, seconds, unit=" s"),
        at_most(f"{cold}: {asked[1]}", KILOBYTES_AT_MOST, sizes, unit=" kB"),
        at_most(f"{slow}: {asked[2]}", STATIC_AT_MOST, static, unit=" s"),
        at_most(f"{slow}: {asked[3]}", STATIC_AT_MOST, first, unit=" s"),
    ]


def _site() -> Mapping[str, str]:
    """Return file -> HTML of the pages that are measured."""
    chosen = (page for page in PAGES if page.name in STATIC)
    how = {"settings_text": "", "date": ""}
    return {
        f"/{one.name}.html": Recording(page=one, settings=one.settings(), **how).html()
        for one in chosen
    }


@contextmanager
def hosted(files: Mapping[str, str]) -> Iterator[str]:
    """Serve these files by path, compressed, as static hosts do; their address."""
    packed = {path: gzip.compress(text.encode()) for path, text in files.items()}

    class Host(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = packed.get(self.path, b"")
            self.send_response(200 if body else 404)
            for name, value in (("Content-Type", "text/html"), ("Content-Encoding", "gzip")):
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Host) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def visit(context, address: str, network: dict | None) -> dict:
    """What was seen, when (seconds), and how many bytes of each kind came."""
    page = context.new_page()
    page.add_init_script(WATCH)
    session = context.new_cdp_session(page)
    session.send("Network.enable")
    if network:
        session.send("Network.emulateNetworkConditions", network)
    kinds, came, requests = {}, Counter(), Counter()

    def answered(event: dict) -> None:
        kinds[event["requestId"]] = kind_of(event["response"]["url"])

    def ended(event: dict) -> None:
        kind = kinds.get(event["requestId"])
        came[kind] += event["encodedDataLength"]
        requests[kind] += event["encodedDataLength"] > 0

    def heard(event: dict) -> None:
        size = len(event["response"]["payloadData"])
        came["socket"] += size * 3 // 4 if event["response"]["opcode"] == 2 else size  # in base 64

    session.on("Network.responseReceived", answered)
    session.on("Network.loadingFinished", ended)
    session.on("Network.webSocketFrameReceived", heard)
    page.goto(address, wait_until="commit", timeout=PATIENCE)
    at = {
        name: _when(page, what)
        for name, what in (("sign", SIGN), ("words", WORDS), ("charts", CHARTS))
    }
    at["recorded"] = (page.evaluate(RECORDED) or 0) / 1000
    page.wait_for_timeout(AFTERWARDS)
    shift = page.evaluate(SHIFT, 1000 * at["words"])
    page.close()
    return at | {"shift": shift, "bytes": came, "requests": sum(requests.values())}


def _when(page, what: str) -> float:
    """Seconds after which this was so."""
    return page.wait_for_function(what, timeout=PATIENCE).json_value() / 1000


def kind_of(address: str) -> str:
    """What an address of the server belongs to.

    >>> kind_of("http://localhost:1/lab/static/js/index.x.js"), kind_of("http://localhost:1/classifier")
    ('front end', 'others')
    """
    path = urlsplit(address).path
    if "/_stcore/bidi-components/" in path:
        return "Plotly" if "/plotly" in path else "ours"
    if "/static/" in path:
        return "fonts" if path.endswith((".woff2", ".ttf")) else "front end"
    return "others"


def _told(seen: dict) -> list[str]:
    kilobytes = [seen["bytes"][kind] / 1000 for kind in KINDS]
    times = [f"{seen[name]:.1f}" for name in ("sign", "recorded", "words", "charts")]
    return [
        *times,
        f"{seen['shift']:.3f}",
        seen["requests"],
        *map(number, kilobytes),
        number(np.sum(kilobytes)),
    ]
