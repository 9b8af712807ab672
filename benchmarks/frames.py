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
from pages.topics import PAGES
from ui.compute.runner import compute
from ui.live.frames import ClientState, make_frame
from ui.live.messages import Request
from ui.page.page import Page

# Pages whose frames may not take longer, in milliseconds.
AT_MOST = {"classifier": 17.0}
# Frames of a page in a round. Seconds in which a page may do all of its work before.
FRAMES, STANDS = 12, 6.0
SHARES = ("train", "figures", "words", "JSON")
COLUMNS, WIDTHS = ("", "a frame", *SHARES, "95 %", "sent"), (18, 8, 8, 8, 8, 8, 8, 8)


class Drag:
    """Somebody who drags the hero slider of a page, where nobody has been."""

    def __init__(self, page: Page, part: str | None):
        self.name = f"{page.name} {part}" if part else page.name
        self._page, self._link = page, {"part": part} if part else {}
        self._settings = page.settings().change(**self._link)
        self._seen, self._values = ClientState(), self._unasked()
        self._hero = page.at(self._settings).slider_layout(self._settings).hero
        self.taken: list[Counter] = []

    def stand(self) -> None:
        """Do what the page does at rest, and see it."""
        end, done = time.monotonic() + STANDS, 0.0
        while done < 1 and time.monotonic() < end:
            _, done = compute(self._settings, seconds=0.2)
        self.frame()
        self.taken.clear()

    def _unasked(self) -> Iterator[float]:
        """Values of the hero: from the middle of its drag to all sides, never one twice."""
        begin, turn = getattr(self._settings, self._hero), 0
        while True:
            turn += 1
            share = (turn * (5**0.5 - 1) / 2) % 1
            yield begin + turn if isinstance(begin, int) else begin * 3 ** (2 * share - 1)

    def frame(self) -> None:
        """One answer, and the CPU seconds of its parts."""
        spent = Counter()
        moves = ((self._hero, next(self._values)),)
        asked = Request({"number": len(self.taken)}, self._page, self._link, moves=moves)
        parts = (
            (ui.page.screen, "compute", "train"),
            (ui.page.page, "_cached_charts", "figures"),
            (Page, "view", "words"),
            (Page, "tab_texts", "words"),
        )
        with _counted(spent, *parts):
            begin = time.process_time()
            news = self._seen.diff(make_frame(asked, 0))
            spent["sent"] = len(orjson.dumps(news))
            spent["whole"] = time.process_time() - begin
        spent["JSON"] = spent["whole"] - sum(spent[name] for name in SHARES)
        self.taken.append(spent)

    def cells(self) -> list[str]:
        """What is printed of it."""
        found = {
            name: np.array([one[name] for one in self.taken]) for name in ("whole", *SHARES, "sent")
        }
        times = [duration(float(np.median(found[name]))) for name in ("whole", *SHARES)]
        late, sent = float(np.quantile(found["whole"], 0.95)), float(np.median(found["sent"]))
        return [self.name, *times, duration(late), f"{number(sent / 1000)} kB"]


@contextmanager
def _counted(spent: Counter, *parts: tuple[Any, str, str]) -> Iterator[None]:
    """While it lasts, the CPU time of these functions (owner, name, share) is added up by share."""

    def counting(function: Callable, share: str) -> Callable:
        def counted(*args: Any, **named: Any) -> Any:
            begin = time.process_time()
            try:
                return function(*args, **named)
            finally:
                spent[share] += time.process_time() - begin

        return counted

    with ExitStack() as patches:
        for owner, name, share in parts:
            patches.enter_context(
                mock.patch.object(owner, name, counting(getattr(owner, name), share))
            )
        yield


def run(*, rounds: int, say: Print) -> Outcome:
    """All pages in turns, so many times."""
    drags = [Drag(page, part) for page in PAGES for part in (PARTS if page.variant else (None,))]
    for drag in drags:
        drag.stand()
    for turn in range(rounds):
        for drag in drags[:: -1 if turn % 2 else 1]:
            for _ in range(FRAMES):
                drag.frame()
    say(row(COLUMNS, WIDTHS))
    for drag in drags:
        say(row(drag.cells(), WIDTHS))
    return Outcome(lines=[_judged(drag) for drag in drags if drag.name in AT_MOST])


def _judged(drag: Drag) -> Line:
    each = np.array([one["whole"] for one in drag.taken]).reshape(-1, FRAMES)
    return at_most(
        f"{drag.name}: CPU a frame", AT_MOST[drag.name], 1000 * np.median(each, axis=1), unit=" ms"
    )
