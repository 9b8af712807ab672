"""Measure the time from a key on the slider to the redrawn charts, in Chromium.

    make bench ARGS=latency
    make bench ARGS="latency --rounds 1"
    PAGES=accounting,attack make bench ARGS=latency   # these pages next to the bare page

The lab's pages take turns with a bare Streamlit page (`bare/bare.py`) that has one native slider
and one line chart. All are served with the lab's configuration.

- *value*: "new" if nobody requested the value before, in a browser that requests nothing ahead of
  time. "at hand" if the slider had the focus for four seconds, so that the next stops were
  requested.
- *charts*, *in view*: number of charts that depend on the slider. *presses*: keys pressed.
- *p50*, *p95*, *longest*: milliseconds from the keydown event to the end of the first complete
  picture in view, by the browser's clock. A picture is complete when every chart in view that
  depends on the slider has changed. A change is a mutation of the page that makes a difference, or
  a drawing call on a canvas.
- *all*: the same with the charts out of view. *at rest*: until nothing changes any more.
- *incomplete*: presses without a complete picture within ten seconds.

The lines after the table are drags from end to end. A redraw counts when all charts in view that
depend on the slider have changed since the one before, and no more redraws count than the slider
had values. Each drag has a seed that nobody used before.
"""

import gzip
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
from pathlib import Path

import numpy as np

from benchmarks.report import Line, Outcome, Print, at_least, at_most, number, row
from benchmarks.subjects import DRAGGED, QUICK, SUBJECTS, Subject

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

# Milliseconds: how long nothing may happen before a redraw is over; how long to wait for one at
# most; how close the changes are that are one picture.
QUIET, PATIENCE, PICTURE = 300, 10_000, 12
WARM_UP, PRESSES = 5, 10
DRAGS, DRAG_SECONDS, MOVE_SECONDS = 3, 4.0, 0.016

# Seconds that the next stops have; their frames; what must be reached, over the bare page's p50,
# and a second.
FOCUS_SECONDS = 4.0
NEW_AT_MOST, COSTLY_AT_MOST, AT_HAND_AT_MOST, P95_AT_MOST = 0.5, 0.8, 0.3, 1.0
REDRAWS_AT_LEAST, COSTLY_REDRAWS_AT_LEAST = 20.0, 12.0

WAYS = ("new", "at hand")
COLUMNS = (
    "page",
    "value",
    "charts",
    "in view",
    "presses",
    "p50",
    "p95",
    "longest",
    "all",
    "at rest",
    "incomplete",
)
WIDTHS = (12, 8, 6, 7, 7, 8, 8, 8, 8, 8, 10)


def browser_path() -> str | None:
    """The browser to drive: $CHROME, else Chromium or Chrome on the path."""
    chosen = os.environ.get("CHROME")
    names = [chosen] if chosen else ["chromium", "chromium-browser", "google-chrome"]
    return next(filter(None, map(shutil.which, names)), None)


def missing_here() -> list[str]:
    """What a benchmark in a browser needs and does not find."""
    missing = [] if importlib.util.find_spec("playwright") else ["playwright"]
    return missing if browser_path() else [*missing, "Chromium or Chrome ($CHROME names one)"]


@contextmanager
def served(script: str, *, first_picture: str = "off", root: Path = ROOT) -> Iterator[str]:
    """Serve a script on a free port from a root, whose configuration Streamlit then reads; yield
    its address.

    first_picture: "on" has it record first pictures in spare time.
    """
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    address = f"http://localhost:{port}"
    with tempfile.TemporaryFile() as log:
        environment = os.environ | {"LAB_FIRST_PICTURE": first_picture}
        process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
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


def recorded(address: str) -> None:
    """Wait until the page at this address is sent with its recorded first picture."""
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    end = time.monotonic() + 180
    while time.monotonic() < end:
        with urllib.request.urlopen(request, timeout=10) as answer:
            if b"lab-recorded" in gzip.decompress(answer.read()):
                return
        time.sleep(1)
    raise TimeoutError(f"{address} has no recorded first picture")


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

    def __init__(
        self,
        browser,
        subject: Subject,
        address: str,
        *,
        unseen: int | None = None,
        alone: bool = False,
    ):
        self.subject = subject
        self.context = browser.new_context(viewport=VIEWPORT)
        self.context.add_init_script(path=RECORDER)
        self.context.add_init_script(f"recorder.alone = {str(alone).lower()}")
        self.page = self.context.new_page()
        field, values = subject.unseen
        query = [subject.query] if unseen is None else [subject.query, f"{field}={values[unseen]}"]
        self.page.goto(f"{address}/{subject.path}?{'&'.join(filter(None, query))}".rstrip("?"))
        self.slider = self.page.locator(f'input[type=range][aria-label="{subject.slider}"]')
        self.slider.wait_for(state="attached", timeout=60_000)
        for chart in subject.charts:
            self.page.locator(f"{chart} .main-svg, {chart} canvas").first.wait_for(timeout=60_000)
        self._settled(must=())
        self.page.evaluate("charts => recorder.watch(charts)", list(subject.charts))
        seen = self.page.evaluate("charts => recorder.inView(charts)", list(subject.charts))
        self.moving = tuple(chart for chart in subject.moving if seen[chart])

    def close(self) -> None:
        self.context.close()

    def _settled(self, must: tuple[int, ...]) -> dict:
        how = {"must": list(must), "quiet": QUIET, "patience": PATIENCE}
        return self.page.evaluate("how => recorder.settled(how)", how)

    def press(self) -> tuple[float, float, float]:
        """Press an arrow key; milliseconds until the redraw in view, that of all charts, and rest;
        or infinite.
        """
        self.page.bring_to_front()
        self.slider.focus()
        self.page.evaluate("recorder.reset()")
        self.page.keyboard.press("ArrowRight")
        seen = self._settled(self.subject.moving)
        if not seen["complete"]:
            return np.inf, np.inf, np.inf
        changes = seen["changes"]
        pictures = [first_picture(changes, charts) for charts in (self.moving, self.subject.moving)]
        ends = [*pictures, max(at for _, at in changes)]
        return tuple(end - seen["down"] for end in ends)

    def linger(self) -> None:
        """Have the focus for a while: the next stops are asked for."""
        self.slider.blur()
        self.page.bring_to_front()
        self.slider.focus()
        time.sleep(FOCUS_SECONDS)

    def drag(self) -> dict:
        """Drag the slider from end to end; what was recorded."""
        box = self.slider.bounding_box()
        height = box["y"] + box["height"] / 2
        low, width = box["x"] + 0.05 * box["width"], 0.9 * box["width"]
        self.page.mouse.move(low, height)
        self.page.mouse.down()
        self._settled(must=())  # the jump to where the drag begins is not part of it
        self.page.evaluate(
            "recorder.reset(); performance.mark('drag')"
        )  # the marks are for a trace
        begin = time.monotonic()
        while (share := (time.monotonic() - begin) / DRAG_SECONDS) < 1:
            self.page.mouse.move(low + share * width, height)
            time.sleep(MOVE_SECONDS)
        self.page.evaluate("performance.mark('drag')")
        seen = self.page.evaluate(
            "({ moved: recorder.moved, changes: recorder.changes, seconds: 0 })"
        )
        seen["seconds"] = time.monotonic() - begin
        self.page.mouse.up()
        self._settled(must=())
        return seen


def first_picture(changes: list[list[float]], moving: tuple[int, ...]) -> float:
    """When the picture ended in which the last of the ``moving`` charts changed for the
    first time.
    """
    end, seen = -np.inf, set()
    for chart, at in changes:
        if chart not in moving:
            continue
        if seen.issuperset(moving) and at - end > PICTURE:
            break
        seen.add(chart)
        end = at
    return end


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
    """All pages in turn, then the drags."""
    if missing := missing_here():
        return Outcome(lines=_lines({}, {}), missing=missing)
    from playwright.sync_api import sync_playwright

    asked = os.environ.get("PAGES", ",".join(SUBJECTS)).split(",")
    pages = {name: subject for name, subject in SUBJECTS.items() if name in ["bare", *asked]}
    with ExitStack() as stack:
        scripts = {one.script for one in pages.values()}
        servers = {script: stack.enter_context(served(script)) for script in sorted(scripts)}
        addresses = {name: servers[one.script] for name, one in pages.items()}
        browser = stack.enter_context(sync_playwright()).chromium.launch(
            executable_path=browser_path(), args=FLAGS
        )
        stack.callback(browser.close)
        say(f"  Chromium {browser.version}, {VIEWPORT['width']} x {VIEWPORT['height']}")
        taken = _presses(browser, addresses, rounds=rounds, say=say)
        rates = {
            name: _drags(browser, name, addresses[name], say=say)
            for name in DRAGGED
            if name in pages
        }
    return Outcome(lines=_lines(taken, rates))


def _presses(
    browser, addresses: dict[str, str], *, rounds: int, say: Print
) -> dict[tuple[str, str], np.ndarray]:
    """(page, "new" or "at hand") -> milliseconds of every press, (rounds, presses)."""
    visits = {
        (name, how): Visit(
            browser,
            SUBJECTS[name],
            address,
            unseen=None if how == "new" else -1,
            alone=how == "new",
        )
        for name, address in addresses.items()
        for how in WAYS
    }
    for visit in visits.values():
        for _ in range(WARM_UP):
            visit.press()
    taken = {each: np.empty((rounds, PRESSES, 3)) for each in visits}
    for turn in range(rounds):
        for (name, how), visit in visits.items() if turn % 2 else reversed(visits.items()):
            if how == "at hand":
                visit.linger()
            taken[name, how][turn] = [visit.press() for _ in range(PRESSES)]
    say(row(COLUMNS, WIDTHS))
    for visit in visits.values():
        visit.close()
    for (name, how), times in taken.items():
        visit = visits[name, how]
        times, whole, rest = np.moveaxis(times, -1, 0)
        ends = (*_percentiles(times), times.max(), _percentiles(whole)[0], _percentiles(rest)[0])
        charts = [len(visit.subject.charts), len(visit.moving), times.size]
        say(
            row(
                [
                    name,
                    how,
                    *charts,
                    *(f"{number(end)} ms" for end in ends),
                    int(np.isinf(times).sum()),
                ],
                WIDTHS,
            )
        )
    return {name: ends[..., 0] for name, ends in taken.items()}


def _percentiles(times: np.ndarray) -> tuple[float, float]:
    """p50 and p95, each a time that was taken (one that is infinite has no neighbours to
    mix with).
    """
    return tuple(np.quantile(times, (0.5, 0.95), method="higher"))


def _drags(browser, name: str, address: str, *, say: Print) -> list[float]:
    """Complete redraws a second of each drag."""
    subject, rates = SUBJECTS[name], []
    for drag in range(DRAGS):
        visit = Visit(browser, subject, address, unseen=drag)
        seen = visit.drag()
        visit.close()
        ends = complete_redraws(seen["changes"], visit.moving)
        rates.append(min(len(ends), seen["moved"]) / seen["seconds"])
        gap = f", longest wait {number(np.diff(ends).max())} ms" if len(ends) > 1 else ""
        say(
            f"  {name}, drag {drag + 1}: {seen['moved']} values and {len(ends)} complete redraws in"
            f" {seen['seconds']:.1f} s: {number(rates[-1])} a second{gap}"
        )
    return rates


def _lines(taken: dict[tuple[str, str], np.ndarray], rates: dict[str, list[float]]) -> list[Line]:
    """Each page over the bare one: a ratio a round, as they take turns."""
    bare = np.median(taken["bare", "new"], axis=1) if taken else np.ones(0)
    lines = []
    for name in DRAGGED:
        quick = name in QUICK
        new, hand = (taken.get((name, how)) for how in WAYS)
        for what, limit, ratio in (
            ("p50 of a new value", NEW_AT_MOST if quick else COSTLY_AT_MOST, _over(new, bare, 0.5)),
            ("p50 of a value at hand", AT_HAND_AT_MOST, _over(hand, bare, 0.5)),
            ("p95 of a new value", P95_AT_MOST, _over(new, bare, 0.95)),
        ):
            lines.append(
                at_most(f"key to picture, {name}: {what} over the bare page's p50", limit, ratio)
            )
        least = REDRAWS_AT_LEAST if quick else COSTLY_REDRAWS_AT_LEAST
        lines.append(
            at_least(
                f"drag: complete redraws of {name}", least, rates.get(name, []), unit=" a second"
            )
        )
    return lines


def _over(times: np.ndarray | None, bare: np.ndarray, share: float) -> list[float]:
    """This quantile of each round, over the bare page's median of the round."""
    return [] if times is None else list(np.quantile(times, share, axis=1, method="higher") / bare)
