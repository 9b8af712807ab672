"""Measure the time from a key on the slider to the redrawn charts, in Chromium.

    make bench ARGS=latency
    make bench ARGS="latency --rounds 1"
    PAGES=accounting,attack make bench ARGS=latency   # these pages next to the bare page

The lab's pages take turns with a bare Streamlit page (`bare/bare.py`) that has one native slider
and one line chart. All are served with the lab's configuration.

- *value*: "new" if nobody requested the value before, in a browser that requests nothing ahead of
  time. "at hand" if the slider had the focus for four seconds, so that the next stops were
  requested.
- *charts*, *in view*: number of charts of the page, and of those in view that depend on the
  slider. *presses*: keys pressed.
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
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

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
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
VIEWPORT = {"width": 1440, "height": 1000}

# Seconds that a server has to start, to end, and to record a first picture.
START_SECONDS = 60
END_SECONDS = 10
RECORD_SECONDS = 180
# Milliseconds that a page has to open.
OPEN_MILLISECONDS = 60_000
# Milliseconds in which nothing may happen before a redraw is over, and that a redraw may take.
QUIET_MILLISECONDS = 300
REDRAW_MILLISECONDS = 10_000
# Changes that are closer to each other belong to one picture, in milliseconds.
PICTURE_MILLISECONDS = 12

WARM_UP_PRESSES = 5
PRESSES = 10
# Seconds of focus in which the next stops are requested.
FOCUS_SECONDS = 4.0
DRAGS = 3
DRAG_SECONDS = 4.0
MOVE_SECONDS = 0.016
# Share of the slider's width at each end that a drag leaves out.
DRAG_MARGIN = 0.05

# Requirements: milliseconds over the bare page's median, and redraws a second.
NEW_AT_MOST = 0.5
COSTLY_NEW_AT_MOST = 0.8
AT_HAND_AT_MOST = 0.3
P95_AT_MOST = 1.0
REDRAWS_AT_LEAST = 20.0
COSTLY_REDRAWS_AT_LEAST = 12.0

NEW = "new"
AT_HAND = "at hand"
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

# (page, NEW or AT_HAND) -> milliseconds, (rounds, presses).
Times = dict[tuple[str, str], np.ndarray]


def browser_path() -> str | None:
    """Return the path of $CHROME, or else of Chromium or Chrome, or None if there is none."""
    names: Sequence[str] = BROWSERS
    if os.environ.get("CHROME"):
        names = [os.environ["CHROME"]]
    for name in names:
        path = shutil.which(name)
        if path is not None:
            return path
    return None


def missing_here() -> list[str]:
    """Return what a benchmark in a browser needs and this machine does not have."""
    missing = []
    if importlib.util.find_spec("playwright") is None:
        missing.append("playwright")
    if browser_path() is None:
        missing.append("Chromium or Chrome ($CHROME names one)")
    return missing


@contextmanager
def served(script: str, *, first_picture: str = "off", root: Path = ROOT) -> Iterator[str]:
    """Serve a script on a free port, and yield its address.

    Args:
        script: Path of the script, relative to ``root``.
        first_picture: "on" records first pictures in spare time.
        root: Folder of the script, and of the configuration that Streamlit reads.
    """
    port = _free_port()
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port)]
    environment = {**os.environ, "LAB_FIRST_PICTURE": first_picture}
    address = f"http://localhost:{port}"
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, cwd=root, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            if not _has_started(f"{address}/_stcore/health", process):
                log.seek(0)
                raise RuntimeError(f"{script} did not start:\n{log.read().decode()}")
            yield address
        finally:
            _end(process)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def _has_started(address: str, process: subprocess.Popen) -> bool:
    """Wait until the server answers, and return False if it ends or never does."""
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        try:
            with urllib.request.urlopen(address, timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            time.sleep(0.1)
    return False


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def wait_for_first_picture(address: str) -> None:
    """Wait until the page at this address is sent with its recorded first picture."""
    request = urllib.request.Request(address, headers={"Accept-Encoding": "gzip"})
    end = time.monotonic() + RECORD_SECONDS
    while time.monotonic() < end:
        with urllib.request.urlopen(request, timeout=10) as answer:
            if b"lab-recorded" in gzip.decompress(answer.read()):
                return
        time.sleep(1)
    raise TimeoutError(f"{address} has no recorded first picture")


class Press(NamedTuple):
    """Milliseconds from a key to the redraw, infinite if there was no complete one.

    Attributes:
        in_view: Until the charts in view have changed.
        all_charts: Until all charts have changed.
        rest: Until nothing changes any more.
    """

    in_view: float
    all_charts: float
    rest: float


class Drag(NamedTuple):
    """What a drag of the slider showed.

    Attributes:
        values: Number of values that the slider had.
        redraws: Times of the complete redraws of the charts in view, in milliseconds.
        seconds: Duration of the drag.
    """

    values: int
    redraws: list[float]
    seconds: float

    @property
    def counted_redraws(self) -> int:
        """Return the number of redraws, at most one for each value."""
        return min(len(self.redraws), self.values)

    @property
    def redraws_per_second(self) -> float:
        return self.counted_redraws / self.seconds


class Visit:
    """A page in a tab of its own.

    Args:
        browser: Of Playwright.
        subject: The page.
        address: Of its server.
        unseen: Index of one of the subject's unseen values, or None for the default settings.
        alone: Request nothing ahead of time.
    """

    def __init__(
        self,
        browser: Any,
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
        self.page.goto(f"{address}/{subject.path}{_query_text(subject, unseen)}")
        self.slider = self.page.locator(f'input[type=range][aria-label="{subject.slider}"]')
        self.slider.wait_for(state="attached", timeout=OPEN_MILLISECONDS)
        for chart in subject.charts:
            drawing = self.page.locator(f"{chart} .main-svg, {chart} canvas").first
            drawing.wait_for(timeout=OPEN_MILLISECONDS)
        self._wait_until_settled(must_change=())
        charts = list(subject.charts)
        self.page.evaluate("charts => recorder.watch(charts)", charts)
        is_in_view = self.page.evaluate("charts => recorder.inView(charts)", charts)
        self.moving = tuple(chart for chart in subject.moving if is_in_view[chart])

    def close(self) -> None:
        self.context.close()

    def _wait_until_settled(self, must_change: tuple[int, ...]) -> dict[str, Any]:
        """Wait until nothing changes any more, and return what the recorder saw.

        Args:
            must_change: Indices of charts that have to change before.
        """
        options = {
            "must": list(must_change),
            "quiet": QUIET_MILLISECONDS,
            "patience": REDRAW_MILLISECONDS,
        }
        return self.page.evaluate("how => recorder.settled(how)", options)

    def press(self) -> Press:
        """Press an arrow key on the slider, and wait for the redraw."""
        self.page.bring_to_front()
        self.slider.focus()
        self.page.evaluate("recorder.reset()")
        self.page.keyboard.press("ArrowRight")
        recorded = self._wait_until_settled(self.subject.moving)
        if not recorded["complete"]:
            return Press(np.inf, np.inf, np.inf)
        changes = recorded["changes"]
        begin = recorded["down"]
        return Press(
            in_view=first_picture(changes, self.moving) - begin,
            all_charts=first_picture(changes, self.subject.moving) - begin,
            rest=max(time for _, time in changes) - begin,
        )

    def linger(self) -> None:
        """Focus the slider for some seconds, so that the next stops are requested."""
        self.slider.blur()
        self.page.bring_to_front()
        self.slider.focus()
        time.sleep(FOCUS_SECONDS)

    def drag(self) -> Drag:
        """Drag the slider from end to end. Two marks named "drag" enclose it in a trace."""
        mouse = self.page.mouse
        box = self.slider.bounding_box()
        height = box["y"] + box["height"] / 2
        low = box["x"] + DRAG_MARGIN * box["width"]
        width = (1 - 2 * DRAG_MARGIN) * box["width"]
        mouse.move(low, height)
        mouse.down()
        # The jump to where the drag begins is not part of it.
        self._wait_until_settled(must_change=())
        self.page.evaluate("recorder.reset(); performance.mark('drag')")
        begin = time.monotonic()
        elapsed = 0.0
        while elapsed < DRAG_SECONDS:
            mouse.move(low + elapsed / DRAG_SECONDS * width, height)
            time.sleep(MOVE_SECONDS)
            elapsed = time.monotonic() - begin
        self.page.evaluate("performance.mark('drag')")
        recorded = self.page.evaluate("({ moved: recorder.moved, changes: recorder.changes })")
        seconds = time.monotonic() - begin
        mouse.up()
        self._wait_until_settled(must_change=())
        return Drag(
            values=recorded["moved"],
            redraws=complete_redraws(recorded["changes"], self.moving),
            seconds=seconds,
        )


def _query_text(subject: Subject, unseen: int | None) -> str:
    """Return the settings of an address, with the question mark."""
    fields = []
    if subject.query:
        fields.append(subject.query)
    if unseen is not None:
        fields.append(f"{subject.unseen_field}={subject.unseen_values[unseen]}")
    if not fields:
        return ""
    return f"?{'&'.join(fields)}"


def first_picture(changes: list[list[float]], moving: tuple[int, ...]) -> float:
    """Return the time at which the picture ended that completed the first redraw.

    Args:
        changes: (chart, milliseconds) of each change.
        moving: Charts that all have to change.
    """
    end = -np.inf
    seen: set[float] = set()
    for chart, at in changes:
        if chart not in moving:
            continue
        if seen.issuperset(moving) and at - end > PICTURE_MILLISECONDS:
            break
        seen.add(chart)
        end = at
    return end


def complete_redraws(changes: list[list[float]], moving: tuple[int, ...]) -> list[float]:
    """Return each time at which all ``moving`` charts had changed since the one before."""
    times = []
    seen: set[float] = set()
    for chart, at in changes:
        seen.add(chart)
        if seen.issuperset(moving):
            times.append(at)
            seen.clear()
    return times


def run(*, rounds: int, say: Print) -> Outcome:
    """Press keys on all pages in turn, then drag their sliders."""
    missing = missing_here()
    if missing:
        return Outcome(lines=_requirements({}, {}), missing=missing)
    from playwright.sync_api import sync_playwright

    wanted = os.environ.get("PAGES", ",".join(SUBJECTS)).split(",")
    subjects = {}
    for name, subject in SUBJECTS.items():
        if name == "bare" or name in wanted:
            subjects[name] = subject
    with ExitStack() as stack:
        servers = {}
        for script in sorted({subject.script for subject in subjects.values()}):
            servers[script] = stack.enter_context(served(script))
        addresses = {name: servers[subject.script] for name, subject in subjects.items()}
        playwright = stack.enter_context(sync_playwright())
        browser = playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)
        stack.callback(browser.close)
        say(f"  Chromium {browser.version}, {VIEWPORT['width']} x {VIEWPORT['height']}")
        times = _press_keys(browser, addresses, rounds=rounds, say=say)
        rates = {}
        for name in DRAGGED:
            if name in subjects:
                rates[name] = _drag_slider(browser, name, addresses[name], say=say)
    return Outcome(lines=_requirements(times, rates))


def _press_keys(browser: Any, addresses: dict[str, str], *, rounds: int, say: Print) -> Times:
    """Print the table of all presses, and return their milliseconds until the charts in view."""
    visits = {}
    for name, address in addresses.items():
        subject = SUBJECTS[name]
        visits[name, NEW] = Visit(browser, subject, address, alone=True)
        visits[name, AT_HAND] = Visit(browser, subject, address, unseen=-1)
    for visit in visits.values():
        for _ in range(WARM_UP_PRESSES):
            visit.press()
    presses: dict[tuple[str, str], list[list[Press]]] = {key: [] for key in visits}
    for turn in range(rounds):
        keys = list(visits)
        if turn % 2 == 0:
            keys.reverse()
        for key in keys:
            _, value = key
            if value == AT_HAND:
                visits[key].linger()
            presses[key].append([visits[key].press() for _ in range(PRESSES)])
    say(row(COLUMNS, WIDTHS))
    times = {}
    for key, visit in visits.items():
        # (rounds, presses, kind of time).
        of_presses = np.array(presses[key])
        times[key] = of_presses[..., 0]
        say(row([*key, *_press_cells(visit, of_presses)], WIDTHS))
        visit.close()
    return times


def _press_cells(visit: Visit, presses: np.ndarray) -> list[object]:
    """Return the cells of the table after page and value.

    Args:
        visit: The page.
        presses: Milliseconds, (rounds, presses, kinds of ``Press``).
    """
    in_view, all_charts, rest = np.moveaxis(presses, -1, 0)
    milliseconds = [
        _quantile(in_view, 0.5),
        _quantile(in_view, 0.95),
        in_view.max(),
        _quantile(all_charts, 0.5),
        _quantile(rest, 0.5),
    ]
    return [
        len(visit.subject.charts),
        len(visit.moving),
        in_view.size,
        *(f"{number(value)} ms" for value in milliseconds),
        int(np.isinf(in_view).sum()),
    ]


def _quantile(times: np.ndarray, share: float) -> float:
    """Return the quantile as one of the times, because an infinite one cannot be averaged."""
    return float(np.quantile(times, share, method="higher"))


def _drag_slider(browser: Any, name: str, address: str, *, say: Print) -> list[float]:
    """Print each drag of a page, and return its complete redraws per second."""
    rates = []
    for index in range(DRAGS):
        visit = Visit(browser, SUBJECTS[name], address, unseen=index)
        drag = visit.drag()
        visit.close()
        rates.append(drag.redraws_per_second)
        longest_wait = ""
        if len(drag.redraws) > 1:
            longest_wait = f", longest wait {number(np.diff(drag.redraws).max())} ms"
        say(
            f"  {name}, drag {index + 1}: {drag.values} values and {len(drag.redraws)} complete"
            f" redraws in {drag.seconds:.1f} s: {number(drag.redraws_per_second)} a second"
            f"{longest_wait}"
        )
    return rates


def _requirements(times: Times, rates: dict[str, list[float]]) -> list[Line]:
    """Compare each page with the bare one of the same round, and its redraws with a constant."""
    lines = []
    for name in DRAGGED:
        new_at_most = COSTLY_NEW_AT_MOST
        redraws_at_least = COSTLY_REDRAWS_AT_LEAST
        if name in QUICK:
            new_at_most = NEW_AT_MOST
            redraws_at_least = REDRAWS_AT_LEAST
        limits = [
            ("p50 of a new value", new_at_most, _over_bare(times, (name, NEW), 0.5)),
            ("p50 of a value at hand", AT_HAND_AT_MOST, _over_bare(times, (name, AT_HAND), 0.5)),
            ("p95 of a new value", P95_AT_MOST, _over_bare(times, (name, NEW), 0.95)),
        ]
        for text, limit, ratios in limits:
            asked = f"key to picture, {name}: {text} over the bare page's p50"
            lines.append(at_most(asked, limit, ratios))
        asked = f"drag: complete redraws of {name}"
        lines.append(at_least(asked, redraws_at_least, rates.get(name, []), unit=" a second"))
    return lines


def _over_bare(times: Times, key: tuple[str, str], share: float) -> list[float]:
    """Return a quantile of each round over the bare page's median, or nothing if not measured."""
    if key not in times:
        return []
    medians_of_bare = np.median(times["bare", NEW], axis=1)
    return list(np.quantile(times[key], share, axis=1, method="higher") / medians_of_bare)
