"""Measure what uploads that were made to hurt cost the server and its other visitors.

    make bench ARGS=hostile_uploads
    python -m benchmarks.hostile_uploads FOLDER   # another checkout of the lab

Runs on Linux with Chromium. A row is a file of 99 MB that a visitor uploads.

- *server*: peak memory of the server above its memory before. *its children*: the same of the
  processes that it starts.
- *stall*: longest answer to another visitor, who requests a small file every 20 ms.
- *until*: seconds until the visitor reads why the file was refused.

In the row "stalled", four visitors send 74 MB and hold back the end, and *until* is the time until
another visitor's 5 MB are read. In the row "messages", four websocket messages have 150 MB each.
"""

import asyncio
import http.client
import re
import socket
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import urlparse

from websockets.asyncio.client import connect
from websockets.exceptions import WebSocketException

from benchmarks.latency import FLAGS, ROOT, browser_path, missing_here, served
from benchmarks.report import Line, Outcome, Print, at_most, number, row

SIZE = 99_000_000
FILES: dict[str, Callable[[], bytes]] = {
    "line feeds": lambda: b"\n" * SIZE,
    "bars": lambda: b"|" * SIZE,
    "spaces": lambda: b" " * SIZE,
    "sep= lines": lambda: b"sep=,\n" * (SIZE // 6),
    "commas": lambda: b",\n" * (SIZE // 2),
    "quotes": lambda: b'"' * SIZE,
    "a table": lambda: b"a,b,c,d\n" + b"123456,23.4567,three,4.5\n" * (SIZE // 25),
}
# Uploads that stop before their end, and messages to the channel: how many, and bytes of each.
STALLS = 4
STALLED_SIZE = 74_000_000
MESSAGES = 4
MESSAGE_SIZE = 150_000_000
# Seconds between two questions of the other visitor, between two looks at the memory, and until one
# is given up.
ASK = 0.02
LOOK = 0.02
PATIENCE = 120.0
# Requirements: megabytes, and seconds of the other visitor and of an upload.
MEMORY_AT_MOST = 250.0
STALL_AT_MOST = 1.0
UPLOAD_AT_MOST = 15.0
WIDTHS = (14, 12, 12, 9, 9)


def run(*, rounds: int, say: Print, root: Path = ROOT) -> Outcome:
    """Measure each file, then the stalled uploads and the messages, once each."""
    missing = missing_here()
    if missing:
        return Outcome(missing=missing)
    from playwright.sync_api import sync_playwright

    memories = []
    stalls = []
    say(row(("file", "server", "its children", "stall", "until"), WIDTHS))
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=browser_path(), args=FLAGS)
        path = Path(folder) / "made.csv"
        for name, make in FILES.items():
            path.write_bytes(make())
            with (
                served("app.py", root=root) as address,
                _opened_data_page(browser, address) as page,
                _watched_server(address) as seen,
            ):
                began = time.perf_counter()
                page.locator("input[type=file]").set_input_files(path)
                taken = _wait_for_answer(page)
                seen["until"] = time.perf_counter() - began
            say(_table_row(name, seen) + f"  {taken}")
            memories.append(seen["server"])
            stalls.append(seen["stall"])
        with served("app.py", root=root) as address:
            waited = _wait_beside_stalled_uploads(browser, address)
        say(row(("stalled", "", "", "", f"{number(waited)} s"), WIDTHS))
        # In another thread, because Playwright has an event loop in this one.
        with (
            served("app.py", root=root) as address,
            _watched_server(address) as seen,
            ThreadPoolExecutor() as other,
        ):
            closed = other.submit(asyncio.run, _messages(address)).result()
        say(_table_row("messages", seen) + f"  {closed}")
        memories.append(seen["server"])
        stalls.append(seen["stall"])
        browser.close()
    return Outcome(lines=_requirements(memories, stalls, waited))


def _requirements(memories: list[float], stalls: list[float], waited: float) -> list[Line]:
    """Return the requirements on memory (MB), stalls and the wait beside stalled uploads (s)."""
    return [
        at_most("memory of the server in MB", MEMORY_AT_MOST, [max(memories)], unit=""),
        at_most(
            "longest wait of another visitor in seconds", STALL_AT_MOST, [max(stalls)], unit=""
        ),
        at_most("seconds until an upload beside stalled ones", UPLOAD_AT_MOST, [waited], unit=""),
    ]


def _table_row(name: str, seen: dict[str, float]) -> str:
    """Return the row of one file."""
    cells = [
        name,
        f"{number(seen['server'])} MB",
        f"{number(seen['children'])} MB",
        f"{number(seen['stall'])} s",
    ]
    return row([*cells, f"{number(seen.get('until', 0.0))} s"], WIDTHS)


@contextmanager
def _opened_data_page(browser: Any, address: str) -> Iterator[Any]:
    """Open the page *My data*, and close it at the end of the context."""
    page = browser.new_page()
    page.goto(f"{address}/data")
    page.locator("input[type=file]").wait_for(state="attached", timeout=60_000)
    time.sleep(2)
    yield page
    page.close()


def _wait_for_answer(page: Any) -> str:
    """Wait until the page shows a file or says why it was not taken, and return its words."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        for selector in ("[data-testid=stAlert]", ".lab-upload", "[class*=st-key-data-remove]"):
            shown = page.locator(selector)
            if shown.count() and shown.first.inner_text().strip():
                return shown.first.inner_text().replace("\n", " ")[:90]
        time.sleep(0.05)
    return "no answer"


@contextmanager
def _watched_server(address: str) -> Iterator[dict[str, float]]:
    """Yield the largest memory and the longest answer of the server during the context."""
    process = _process_of(urlparse(address).port or 0)
    before = _memory(process)
    seen = {"server": 0.0, "children": 0.0, "stall": 0.0}
    over = threading.Event()

    def watch_memory() -> None:
        while not over.wait(LOOK):
            seen["server"] = max(seen["server"], _memory(process) - before)
            seen["children"] = max(seen["children"], sum(map(_memory, _children(process))))

    def watch_answers() -> None:
        connection = http.client.HTTPConnection(
            "localhost", urlparse(address).port, timeout=PATIENCE
        )
        while not over.wait(ASK):
            began = time.perf_counter()
            connection.request("GET", "/_stcore/health")
            connection.getresponse().read()
            seen["stall"] = max(seen["stall"], time.perf_counter() - began)

    watchers = [
        threading.Thread(target=watcher, daemon=True) for watcher in (watch_memory, watch_answers)
    ]
    for watcher in watchers:
        watcher.start()
    time.sleep(1)
    try:
        yield seen
        time.sleep(1)
    finally:
        over.set()
        for watcher in watchers:
            watcher.join()


def _process_of(port: int) -> int:
    """Return the process that serves this port."""
    sign = f"--server.port\0{port}\0".encode()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            if sign in path.read_bytes():
                return int(path.parent.name)
    raise RuntimeError(f"no process serves port {port}")


def _memory(process: int) -> float:
    """Return the memory of a process in MB, or 0 if it has ended."""
    with suppress(OSError):
        match = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{process}/status").read_text())
        if match is not None:
            return int(match[1]) / 1000
    return 0.0


def _children(process: int) -> list[int]:
    """Return the numbers of the processes that a process has started."""
    children: list[int] = []
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            children += [int(child) for child in path.read_text().split()]
    return children


def _wait_beside_stalled_uploads(browser: Any, address: str) -> float:
    """Return seconds until an upload is taken beside others that have stopped."""
    port = urlparse(address).port or 0
    sockets = [_begin_upload(browser, address, port) for _ in range(STALLS)]
    began = time.monotonic()
    with _opened_data_page(browser, address) as page, tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "other.csv"
        path.write_bytes(b"a,b\n" + b"1234,5\n" * 700_000)
        while time.monotonic() < began + PATIENCE:
            page.locator("input[type=file]").set_input_files(path)
            with suppress(Exception):
                page.locator("[class*=st-key-data-remove]").first.wait_for(timeout=3_000)
                break
    waited = time.monotonic() - began
    for open_socket in sockets:
        open_socket.close()
    return waited


def _begin_upload(browser: Any, address: str, port: int) -> socket.socket:
    """Send an upload without its end, as the page of a visitor would."""
    context = browser.new_context()
    page = context.new_page()
    heads: list[tuple[str, dict[str, str]]] = []

    def stop(route: Any) -> None:
        if route.request.method != "PUT":
            route.continue_()
            return
        heads.append((urlparse(route.request.url).path, route.request.all_headers()))
        route.abort()

    page.route("**/_stcore/upload_file/**", stop)
    page.goto(f"{address}/data")
    page.locator("input[type=file]").wait_for(state="attached", timeout=60_000)
    time.sleep(1)
    page.locator("input[type=file]").set_input_files(
        {"name": "a.csv", "mimeType": "text/csv", "buffer": b"a,b\n1,2\n"}
    )
    end = time.monotonic() + 20
    while not heads and time.monotonic() < end:
        page.wait_for_timeout(100)
    path, headers = heads[0]
    cookies = "; ".join(f"{cookie['name']}={cookie['value']}" for cookie in context.cookies())
    headers |= {"content-length": str(STALLED_SIZE), "host": f"localhost:{port}", "cookie": cookies}
    head = "".join(
        f"{name}: {value}\r\n" for name, value in headers.items() if not name.startswith(":")
    )
    opened = socket.create_connection(("localhost", port))
    boundary = headers["content-type"].partition("boundary=")[2]
    part = f'--{boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    opened.sendall(
        f"PUT {path} HTTP/1.1\r\n{head}\r\n{part}".encode() + b"x" * (STALLED_SIZE - 1_000)
    )
    return opened


async def _messages(address: str) -> str:
    """Send large messages; return why the connections were closed."""
    message = b"x" * MESSAGE_SIZE
    answers = []
    for _ in range(MESSAGES):
        try:
            async with connect(
                address.replace("http", "ws", 1) + "/_stcore/stream",
                max_size=None,
                subprotocols=["streamlit"],
            ) as opened:
                await opened.send(message)
                await asyncio.wait_for(opened.recv(), 5)
            answers.append("taken")
        except WebSocketException as error:
            answers.append(type(error).__name__ + " " + str(error)[:40])
        except (TimeoutError, OSError) as error:
            answers.append(type(error).__name__)
    return ", ".join(sorted(set(answers)))


if __name__ == "__main__":
    checkout = ROOT
    if len(sys.argv) > 1:
        checkout = Path(sys.argv[1]).resolve()
    print(*run(rounds=1, say=print, root=checkout).lines, sep="\n")
