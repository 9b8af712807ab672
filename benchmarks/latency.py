"""From the slider to the redrawn charts, in headless Chromium: the classifier beside a bare Streamlit page.

The bare page (``bare/bare.py``) is one native slider and one ``st.plotly_chart`` line. Both pages are served with the
lab's own configuration, and take turns in one run.

- *key*: from the keydown event of an arrow key to the last change of the last chart, on the browser's own clock. A
  change is a mutation of the page that makes a difference, or a drawing call on a canvas. All five charts of the
  classifier count; the four that depend on epsilon must have changed before a redraw counts as complete. What follows
  on release, and still touches a chart, is in.
- *drag*: the classifier's epsilon slider is dragged once, slowly, from end to end. A redraw counts when all four charts
  have changed since the one before, and no more redraws count than values were sent. Each drag has a seed of its own:
  nothing that is drawn was computed before.
"""

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from benchmarks.report import Line, Outcome, Print, at_least, at_most, number, row

ROOT = Path(__file__).parents[1]
RECORDER = Path(__file__).with_name("recorder.js")
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
VIEWPORT = {"width": 1440, "height": 1000}

# Milliseconds: how long nothing may happen before a redraw is over; how long to wait for one at most.
QUIET, PATIENCE = 300, 10_000
WARM_UP, PRESSES = 5, 10
DRAGS, DRAG_SECONDS, MOVE_SECONDS = 3, 4.0, 0.016
SLIDER = 'input[type=range][aria-label="Epsilon"]'

SLOWER_AT_MOST, REDRAWS_AT_LEAST = 2.0, 10.0

COLUMNS = ("page", "charts", "presses", "p50", "p95", "longest", "incomplete")
WIDTHS = (12, 6, 7, 8, 8, 8, 10)


@dataclass(frozen=True, kw_only=True)
class Subject:
    """A page to measure: its script and path, its charts, and which of them depend on the slider."""

    script: str
    path: str
    charts: tuple[str, ...]
    moving: tuple[int, ...]


SUBJECTS = {
    "bare": Subject(script="benchmarks/bare/bare.py", path="", charts=(".st-key-line",), moving=(0,)),
    "classifier": Subject(
        script="app.py",
        path="classifier",
        charts=(
            '[data-chart="map.reference"]',  # without privacy: it depends on nothing that epsilon moves
            '[data-chart="map.scratch"]',
            '[data-chart="map.public"]',
            "[data-chart=accuracy]",
            "[data-chart=loss]",
        ),
        moving=(1, 2, 3, 4),
    ),
}


def browser_path() -> str | None:
    """The browser to drive: $CHROME, else Chromium or Chrome on the path."""
    chosen = os.environ.get("CHROME")
    names = [chosen] if chosen else ["chromium", "chromium-browser", "google-chrome"]
    return next(filter(None, map(shutil.which, names)), None)


@contextmanager
def served(script: str) -> Iterator[str]:
    """Serve a script on a free port from the root, whose configuration Streamlit then reads; yield its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    address = f"http://localhost:{port}"
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT)
        try:
            if not _answers(f"{address}/_stcore/health", process):
                log.seek(0)
                raise RuntimeError(f"{script} did not start:\n{log.read().decode()}")
            yield address
        finally:
            process.terminate()
            try:
                process.wait(10)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _answers(address: str, process: subprocess.Popen) -> bool:
    """Wait for the server; False if it ends or never answers."""
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False


class Visit:
    """A browser that has a page open, and what can be done there."""

    def __init__(self, browser, subject: Subject, address: str, query: str = ""):
        self.subject = subject
        self.context = browser.new_context(viewport=VIEWPORT)
        self.context.add_init_script(path=RECORDER)
        self.page = self.context.new_page()
        self.page.goto(f"{address}/{subject.path}{query}")
        self.slider = self.page.locator(SLIDER)
        self.slider.wait_for(state="attached", timeout=60_000)
        for chart in subject.charts:
            self.page.locator(f"{chart} .main-svg, {chart} canvas").first.wait_for(timeout=60_000)
        self._settled(must=())
        self.page.evaluate("charts => recorder.watch(charts)", list(subject.charts))

    def close(self) -> None:
        self.context.close()

    def _settled(self, must: tuple[int, ...]) -> dict:
        how = {"must": list(must), "quiet": QUIET, "patience": PATIENCE}
        return self.page.evaluate("how => recorder.settled(how)", how)

    def press(self) -> float:
        """Press an arrow key; milliseconds until the last chart was redrawn, infinite if one never was."""
        self.page.bring_to_front()
        self.slider.focus()
        self.page.evaluate("recorder.reset()")
        self.page.keyboard.press("ArrowRight")
        seen = self._settled(self.subject.moving)
        return max(at for _, at in seen["changes"]) - seen["down"] if seen["complete"] else np.inf

    def drag(self) -> dict:
        """Drag the slider from end to end; what was recorded."""
        box = self.slider.bounding_box()
        height = box["y"] + box["height"] / 2
        low, width = box["x"] + 0.05 * box["width"], 0.9 * box["width"]
        self.page.mouse.move(low, height)
        self.page.mouse.down()
        self._settled(must=())  # the jump to where the drag begins is not part of it
        self.page.evaluate("recorder.reset()")
        begin = time.monotonic()
        while (share := (time.monotonic() - begin) / DRAG_SECONDS) < 1:
            self.page.mouse.move(low + share * width, height)
            time.sleep(MOVE_SECONDS)
        seen = self.page.evaluate("({ sent: recorder.sent, changes: recorder.changes, seconds: 0 })")
        seen["seconds"] = time.monotonic() - begin
        self.page.mouse.up()
        self._settled(must=())
        return seen


def complete_redraws(changes: list[list[float]], moving: tuple[int, ...]) -> list[float]:
    """When all the ``moving`` charts had changed since the time before."""
    ends, seen = [], set()
    for chart, at in changes:
        seen.add(chart)
        if seen.issuperset(moving):
            ends.append(at)
            seen.clear()
    return ends


def run(*, rounds: int, say: Print) -> Outcome:
    """Both pages in turn, then the drags."""
    path, missing = browser_path(), []
    if importlib.util.find_spec("playwright") is None:
        missing.append("playwright")
    if path is None:
        missing.append("Chromium or Chrome ($CHROME names one)")
    if missing:
        return Outcome(lines=_lines({}, []), missing=missing)
    from playwright.sync_api import sync_playwright

    with ExitStack() as stack:
        addresses = {name: stack.enter_context(served(one.script)) for name, one in SUBJECTS.items()}
        browser = stack.enter_context(sync_playwright()).chromium.launch(executable_path=path, args=FLAGS)
        stack.callback(browser.close)
        say(f"  Chromium {browser.version}, {VIEWPORT['width']} x {VIEWPORT['height']}")
        taken = _presses(browser, addresses, rounds=rounds, say=say)
        rates = _drags(browser, addresses["classifier"], say=say)
    return Outcome(lines=_lines(taken, rates))


def _presses(browser, addresses: dict[str, str], *, rounds: int, say: Print) -> dict[str, np.ndarray]:
    """Page -> milliseconds of every press, (rounds, presses)."""
    visits = {name: Visit(browser, subject, addresses[name]) for name, subject in SUBJECTS.items()}
    for visit in visits.values():
        for _ in range(WARM_UP):
            visit.press()
    taken = {name: np.empty((rounds, PRESSES)) for name in visits}
    for turn in range(rounds):
        for name, visit in visits.items() if turn % 2 else reversed(visits.items()):
            taken[name][turn] = [visit.press() for _ in range(PRESSES)]
    say(row(COLUMNS, WIDTHS))
    for name, visit in visits.items():
        visit.close()
        times = taken[name]
        marks = [f"{number(mark)} ms" for mark in (*_percentiles(times), times.max())]
        say(row([name, len(visit.subject.charts), times.size, *marks, int(np.isinf(times).sum())], WIDTHS))
    return taken


def _percentiles(times: np.ndarray) -> tuple[float, float]:
    """p50 and p95, each a time that was taken (one that is infinite has no neighbours to mix with)."""
    return tuple(np.quantile(times, (0.5, 0.95), method="higher"))


def _drags(browser, address: str, *, say: Print) -> list[float]:
    """Complete redraws a second of each drag."""
    subject, rates = SUBJECTS["classifier"], []
    for drag in range(DRAGS):
        visit = Visit(browser, subject, address, f"?seed={100 + drag}")
        seen = visit.drag()
        visit.close()
        ends = complete_redraws(seen["changes"], subject.moving)
        rates.append(min(len(ends), seen["sent"]) / seen["seconds"])
        gap = f", longest wait {number(np.diff(ends).max())} ms" if len(ends) > 1 else ""
        say(
            f"  drag {drag + 1}: {seen['sent']} values sent and {len(ends)} complete redraws in "
            f"{seen['seconds']:.1f} s: {number(rates[-1])} a second{gap}"
        )
    return rates


def _lines(taken: dict[str, np.ndarray], rates: list[float]) -> list[Line]:
    ratio = [_percentiles(taken["classifier"])[1] / _percentiles(taken["bare"])[1]] if taken else []
    return [
        at_most("key to redraw: p95 of the classifier over p95 of the bare page", SLOWER_AT_MOST, ratio),
        at_least("drag: complete redraws", REDRAWS_AT_LEAST, rates, unit=" a second"),
    ]
