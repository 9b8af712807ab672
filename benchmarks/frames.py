"""Measure the CPU time of one redraw of each page on the server, and of its parts.

    make bench ARGS=frames

Each page stands at its default settings with its work done. Then its main slider goes to values
that nobody requested before. Each is answered by the functions that answer the channel
(`ui/live/frames.py`), up to the JSON for a browser that has the previous frame. The columns are
medians over all frames, in CPU time of the whole process.

- *a frame*: one answer. *95 %*: its 95th percentile.
- *train*: what has to be computed, and the result that is made of it.
- *figures*: charts with their alternative texts.
- *words*: verdict and tiles.
- *JSON*: everything else, from reading the request to writing what differs.
- *sent*: size of the message.
"""

import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import numpy as np
import orjson

import ui.page.page
import ui.page.screen
from benchmarks.report import Line, Outcome, Print, at_most, duration, number, row
from pages.attack.settings import PARTS
from pages.mechanisms.settings import RELEASED
from pages.topics import PAGES
from ui.compute.runner import compute
from ui.live.frames import ClientState, make_frame
from ui.live.messages import Request
from ui.page.page import Page

# Pages whose frames may not take longer, in milliseconds.
AT_MOST = {"classifier": 17.0}
# Page with several subjects -> the field that chooses one, and its values.
SUBJECTS = {"attack": ("part", PARTS), "mechanisms": ("answers", RELEASED)}
# Frames of a page in a round.
FRAMES = 12
# Seconds in which a page may do all of its work before.
SECONDS_OF_WORK = 6.0
# The slider stays within this factor of its default. Its positions are spread by the golden ratio,
# so that none comes twice.
LARGEST_FACTOR = 3
GOLDEN_RATIO = (5**0.5 - 1) / 2

SHARES = ("train", "figures", "words", "JSON")
COLUMNS = ("", "a frame", *SHARES, "95 %", "sent")
WIDTHS = (18, 8, 8, 8, 8, 8, 8, 8)
# Owner and name of the functions whose time belongs to a share. The remaining time is "JSON".
PARTS_OF_A_FRAME = (
    (ui.page.screen, "compute", "train"),
    (ui.page.page, "_cached_charts", "figures"),
    (Page, "view", "words"),
    (Page, "tab_texts", "words"),
)


class Drag:
    """A slider that is dragged over values that nobody requested before.

    link: the settings of the page that differ from its defaults.
    taken: CPU seconds of each frame by share, "total", and bytes "sent".
    """

    def __init__(self, page: Page, link: dict[str, str]):
        self.name = " ".join([page.name, *link.values()])
        self.taken: list[Counter] = []
        self._page = page
        self._link = link
        self._settings = page.settings().change(**link)
        self._hero = page.at(self._settings).slider_layout(self._settings).hero
        self._client = ClientState()
        self._values = self._new_values()

    def prepare(self) -> None:
        """Do the work that the page does at rest, and send its first frame."""
        end = time.monotonic() + SECONDS_OF_WORK
        done = 0.0
        while done < 1 and time.monotonic() < end:
            _, done = compute(self._settings, seconds=0.2)
        self.measure_frame()
        self.taken.clear()

    def _new_values(self) -> Iterator[float]:
        """Yield values of the slider on both sides of its default, each once."""
        usual = getattr(self._settings, self._hero)
        turn = 0
        while True:
            turn += 1
            share = (turn * GOLDEN_RATIO) % 1
            if isinstance(usual, int):
                yield usual + turn
            else:
                yield usual * LARGEST_FACTOR ** (2 * share - 1)

    def measure_frame(self) -> None:
        """Answer one movement, and record the CPU seconds of its parts."""
        moves = ((self._hero, next(self._values)),)
        number_of_request = {"number": len(self.taken)}
        request = Request(number_of_request, self._page, self._link, moves=moves)
        spent: Counter = Counter()
        with _counted(spent):
            begin = time.process_time()
            changes = self._client.diff(make_frame(request, 0))
            spent["sent"] = len(orjson.dumps(changes))
            spent["total"] = time.process_time() - begin
        spent["JSON"] = spent["total"] - spent["train"] - spent["figures"] - spent["words"]
        self.taken.append(spent)

    def column(self, name: str) -> np.ndarray:
        """Return a figure of every frame."""
        return np.array([frame[name] for frame in self.taken])

    def cells(self) -> list[str]:
        """Return the row of the table."""
        medians = [float(np.median(self.column(name))) for name in ("total", *SHARES)]
        slow = float(np.quantile(self.column("total"), 0.95))
        kilobytes = float(np.median(self.column("sent"))) / 1000
        times = [duration(seconds) for seconds in (*medians, slow)]
        return [self.name, *times, f"{number(kilobytes)} kB"]

    def requirement(self) -> Line:
        """Compare the median frame of each round with the largest one allowed."""
        by_round = self.column("total").reshape(-1, FRAMES)
        milliseconds = 1000 * np.median(by_round, axis=1)
        asked = f"{self.name}: CPU a frame"
        return at_most(asked, AT_MOST[self.name], milliseconds, unit=" ms")


@contextmanager
def _counted(spent: Counter) -> Iterator[None]:
    """Add up the CPU time of ``PARTS_OF_A_FRAME`` by share in the meantime."""

    def counting(function: Callable, share: str) -> Callable:
        def counted(*args: Any, **named: Any) -> Any:
            begin = time.process_time()
            try:
                return function(*args, **named)
            finally:
                spent[share] += time.process_time() - begin

        return counted

    with ExitStack() as patches:
        for owner, name, share in PARTS_OF_A_FRAME:
            function = counting(getattr(owner, name), share)
            patches.enter_context(mock.patch.object(owner, name, function))
        yield


def all_drags() -> list[Drag]:
    """Return a drag for each page, and for each subject of a page with several."""
    drags = []
    for page in PAGES:
        if page.name in SUBJECTS:
            field, values = SUBJECTS[page.name]
            drags += [Drag(page, {field: value}) for value in values]
        else:
            drags.append(Drag(page, {}))
    return drags


def run(*, rounds: int, say: Print) -> Outcome:
    """Measure all pages in turns, in alternating order."""
    drags = all_drags()
    for drag in drags:
        drag.prepare()
    for _ in range(rounds):
        for drag in drags:
            for _ in range(FRAMES):
                drag.measure_frame()
        drags.reverse()
    say(row(COLUMNS, WIDTHS))
    for drag in drags:
        say(row(drag.cells(), WIDTHS))
    return Outcome(lines=[drag.requirement() for drag in drags if drag.name in AT_MOST])
