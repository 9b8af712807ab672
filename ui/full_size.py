"""Sweeps at full size on behalf of visitors: in threads of this process, which give way to whatever anybody waits for.

A visitor has one run at a time, ``AT_ONCE`` are trained together, and the others wait in line. Who asks for the same
shares the run. What is trained stays in the one memory (``dpcore.cache``) for as long as there is room, and who comes
back goes on from there. No file is written.
"""

import logging
import threading
import time
from collections import deque
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from functools import partial
from itertools import chain, count
from typing import Any
from weakref import WeakSet, WeakValueDictionary

import numpy as np

from dpcore.cache import CACHE
from lab import at_scale
from lab.at_scale import Cell
from lab.settings import Settings
from lab.sweep import Measurement
from ui import debounce, sweeps

# Runs that are trained at the same time; and that hold what they have found, whoever still looks at it.
AT_ONCE, HELD = 2, 8
# Seconds of the first chunk, from which it is said how long all takes; of a piece of work, which on threads is one part
# of a cell, handed over at once; how often it is looked whether others still wait for something.
CHUNK, PIECES, LOOK = 1.0, {"dask": 1.0, "threads": 0.0}, 0.01
# Seconds that each small part of the work waits at most while others want something: a class never stops to.
GIVES_WAY = 1.0
# Seconds between two looks whether somebody still waits in the line.
WAIT = 0.25
# Seconds from which it is told how quickly it goes.
LATELY = 10.0

# Of what is begun, in the one memory.
_PARTS = "parts at full size"

_log = logging.getLogger(__name__)


class EndedError(Exception):
    """Nobody wants a run to go on."""


class Line:
    """The runs that are trained, at most so many ``at_once``, and behind them those that wait, in order."""

    def __init__(self, at_once: int):
        self._at_once, self._runs, self._moves = at_once, [], threading.Condition()

    @contextmanager
    def turn(self, run: "Run") -> Iterator[None]:
        """From when it is this run's turn. Raises EndedError where nobody wants it any more."""
        with self._moves:
            self._runs.append(run)
        try:
            with self._moves:
                while self.ahead(run) and run.wanted:
                    self._moves.wait(WAIT)
            if not run.wanted:
                raise EndedError
            yield
        finally:
            with self._moves:
                self._runs.remove(run)
                self._moves.notify_all()

    def ahead(self, run: "Run") -> int:
        """How many have to end before this one begins."""
        runs = [*self._runs]
        return max(0, runs.index(run) + 1 - self._at_once) if run in runs else 0


LINE, FIRST_CHUNKS = Line(AT_ONCE), Line(1)


class Run:
    """A sweep: ``cells`` in the order in which they are trained, a cell in all of its parts.

    private: about a file of somebody's own, which stays in this process. state: "new", "measuring", "measured",
    "waiting", "training", "stopped", "done" or "failed". trained: how many trainings are done, of ``count``. speed:
    trainings a second, lately. wanted: the seats that wait for it.
    """

    def __init__(self, cells: Sequence[Cell], *, measure: str, repeats: int, private: bool = False):
        self.cells, self.measure, self.repeats, self.private = tuple(cells), measure, repeats, private
        self.count = repeats * len({cell.settings for cell in self.cells})
        self.state, self.trained, self.speed = "new", 0, None
        self.wanted: WeakSet[Seat] = WeakSet()
        # settings of a cell -> its numbers (repeats,); of one that is begun, part -> numbers
        self._whole: dict[Settings, np.ndarray] = {}
        self._parts: dict[Settings, dict[int, np.ndarray]] = {}
        # What was last read off it, by whoever reads.
        self.last: dict[Hashable, Any] = {}
        self._lock = threading.Lock()

    @property
    def busy(self) -> bool:
        return self.state in ("measuring", "waiting", "training")

    @property
    def left(self) -> float | None:
        """Seconds that are left, about; None before a first chunk is measured."""
        return (self.count - self.trained) / self.speed if self.speed else None

    def measure_first(self, seat: "Seat") -> None:
        """Train a first chunk, to say how long all takes."""
        self._begin(seat, "measuring", self._first)

    def start(self, seat: "Seat") -> None:
        """Train what is missing, when it is this run's turn."""
        self._begin(seat, "waiting", self._all)

    def _begin(self, seat: "Seat", state: str, work: Callable[[], str]) -> None:
        with self._lock:
            self.wanted.add(seat)
            if self.busy or self.state == "done":
                return
            self.state = state
        threading.Thread(target=self._work, args=[work], name="lab-full-size", daemon=True).start()

    def _work(self, work: Callable[[], str]) -> None:
        """Do this in a thread of its own, again where somebody wants it while it ends."""
        try:
            while not self._over(work):
                pass
        except Exception:
            _log.exception("a sweep at full size met a fault")
            self.state = "failed"

    def _over(self, work: Callable[[], str]) -> bool:
        state = ""
        with suppress(EndedError):
            state = work()
        self._remember()
        with self._lock:
            if self.trained == self.count:
                state = "done"
            if not state and self.wanted:
                return False
            self.state = state or self._resting
        if self.private and not self.wanted:
            self.let_go()
        return True

    @property
    def _resting(self) -> str:
        return "done" if self.trained == self.count else "stopped" if self.trained else "new"

    def _first(self) -> str:
        with FIRST_CHUNKS.turn(self):
            # from the end: of the beginning a part is trained already, for the page's own picture
            self._train(self._todo()[::-1], seconds=CHUNK)
        return "measured"

    def _all(self) -> str:
        with LINE.turn(self):
            self.state = "training"
            self._train(self._todo())
        return "done"

    def _todo(self) -> list[Cell]:
        known = self._parts
        return [
            cell
            for cell in self.cells
            if cell.settings not in self._whole and cell.part not in known.get(cell.settings, ())
        ]

    def _train(self, cells: Sequence[Cell], *, seconds: float = np.inf) -> None:
        """As many of these as that takes. Raises EndedError."""
        counted: deque[tuple[float, int]] = deque()

        def ended() -> bool:
            return not self.wanted or (len(counted) > 1 and time.monotonic() - counted[0][0] > seconds)

        def goes_on() -> bool:
            end = time.monotonic() + GIVES_WAY
            while debounce.at_work() and not ended() and time.monotonic() < end:
                time.sleep(LOOK)
            return not ended()

        how = {"measure": self.measure, "repeats": self.repeats, "goes_on": goes_on}
        with nullcontext("threads") if self.private else sweeps.engine("threads") as name:
            for cell, numbers in at_scale.stream(cells, backend=name, piece=PIECES[name], **how):
                self._keep(cell, numbers)
                counted.append((time.monotonic(), self.trained))
                self._time(counted, least=min(seconds / 2, LATELY / 4))
                if name == "dask" and ended():  # threads end by themselves
                    break
        if not self.wanted:
            raise EndedError

    def _time(self, counted: deque[tuple[float, int]], *, least: float) -> None:
        """Trainings a second of late, once that is so many seconds."""
        while counted[-1][0] - counted[0][0] > LATELY:
            counted.popleft()
        (then, before), (now, after) = counted[0], counted[-1]
        if now - then > least or (self.speed is None and now > then):
            self.speed = (after - before) / (now - then)

    def _keep(self, cell: Cell, numbers: np.ndarray) -> None:
        parts = self._parts.setdefault(cell.settings, {})
        parts[cell.part] = numbers
        self.trained += len(numbers)
        if len(parts) == cell.parts:
            whole = np.concatenate([parts[part] for part in range(cell.parts)])
            self._whole[cell.settings] = whole
            del self._parts[cell.settings]
            CACHE.answer(self._measurement(cell.settings), lambda: whole)

    def numbers(self, settings: Settings) -> np.ndarray:
        """The first of the numbers of a cell, as many as there are."""
        whole, parts = self._whole.get(settings), self._parts.get(settings, {})
        return np.concatenate([np.empty(0), *_leading(parts)]) if whole is None else whole

    def _measurement(self, settings: Settings) -> Measurement:
        """What the one memory knows a cell by."""
        return Measurement(settings=settings, measure=self.measure, repeats=self.repeats)

    def recall(self) -> None:
        """Take over what the one memory holds."""
        with self._lock:
            if self.busy or self.trained:
                return
            for cell in self.cells:
                if cell.part:  # of each once
                    continue
                (known, whole), (begun, parts) = (
                    CACHE.find(self._measurement(cell.settings)),
                    CACHE.find(self._begun(cell)),
                )
                if known:
                    self._whole[cell.settings] = whole[: self.repeats]
                elif begun:
                    self._parts[cell.settings] = dict(parts)
            parts = (numbers for one in self._parts.values() for numbers in one.values())
            self.trained = sum(map(len, chain(self._whole.values(), parts)))
            self.state = self._resting

    def _begun(self, cell: Cell) -> tuple[str, Measurement]:
        """What the one memory knows the parts of a cell by."""
        return _PARTS, replace(self._measurement(cell.settings), parts=cell.parts)

    def _remember(self) -> None:
        """Put what is begun into the one memory, where what is whole is already."""
        mine = {self._begun(cell): self._parts.get(cell.settings) for cell in self.cells if not cell.part}
        CACHE.forget(lambda question: isinstance(question, tuple) and question in mine)
        for question, parts in mine.items():
            if parts:
                CACHE.answer(question, partial(dict, parts))

    def let_go(self) -> None:
        """Forget what was found, but for what the one memory holds."""
        with self._lock:
            for held in (self._whole, self._parts, self.last):
                held.clear()
            self.state, self.trained = "new", 0


def _leading(parts: Mapping[int, np.ndarray]) -> Iterator[np.ndarray]:
    """The first ones, as far as there is no gap."""
    for part in count():
        if part not in parts:
            return
        yield parts[part]


class Seat:
    """A visitor's place, for one run at a time."""

    def __init__(self) -> None:
        self._key: Hashable = None
        self._run: Run | None = None

    def at(self, key: Hashable) -> Run | None:
        """The run that was begun here last, if it is this one; a visitor who looks at another has left it."""
        if key != self._key or self._run is None:
            self.leave()
            return None
        self._run.recall()
        return self._run

    def take(self, key: Hashable, make: Callable[[], Run]) -> Run:
        """Leave what there is for this run, which others may have begun."""
        self.leave()
        self._key, self._run = key, _shared(key, make)
        return self._run

    def leave(self) -> None:
        """Want nothing any more: what nobody wants ends."""
        if self._run:
            self._run.wanted.discard(self)

    def end(self) -> None:
        """The visitor is gone, and with them all about a file of theirs."""
        self.leave()
        if self._run and self._run.private:
            self._run.let_go()
        self._key = self._run = None


_runs: WeakValueDictionary[Hashable, Run] = WeakValueDictionary()
_held: deque[Run] = deque()
_lock = threading.Lock()


def _shared(key: Hashable, make: Callable[[], Run]) -> Run:
    with _lock:
        run = _runs.get(key)
        if run is None:
            run = _runs[key] = make()
        if run in _held:
            _held.remove(run)
        if not run.private:
            _held.append(run)
        old = [one for one in [*_held][:-HELD] if not one.busy]
        for one in old:
            _held.remove(one)
            one.let_go()
    run.recall()
    return run
