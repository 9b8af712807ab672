"""FairQueue at the cores: the request that has waited longest goes first, and work that nobody
waits for is given up.

Questions of the channel and runs of pages stand in one line. What can wait, such as the later
slices of an ensemble, stands behind all who come within ``GIVES_WAY`` seconds. Between two tasks
(``pause``) a thread lets go first who has waited longer, and learns whether anybody still waits for
its own work.
"""

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager

from dpcore import cores

# Seconds: that what can wait lets others go first; between two looks whether anybody still waits
# for it.
GIVES_WAY, LOOK = 30.0, 0.1
_here = threading.local()


class GivenUpError(BaseException):
    """Nobody waits for this work. No ``Exception``, so that nothing takes it for a fault."""


class Ticket:
    """A place in the line. since: when its request came (``time.monotonic``), or ``GIVES_WAY``
    seconds ``later``. came: done once it may begin. heed: raises where nobody waits for it any
    more. pressed: whether a request waits for its end.
    """

    def __init__(
        self,
        since: float,
        number: int,
        *,
        later: bool,
        heed: Callable[[], object],
        pressed: Callable[[], bool],
    ):
        self.since, self.number, self.later = since + GIVES_WAY * later, number, later
        self.heed, self.pressed = heed, pressed
        self.came: Future[None] = Future()

    def __lt__(self, other: "Ticket") -> bool:
        return (self.since, self.number) < (other.since, other.number)


class FairQueue:
    """So many ``places`` to work at, and the line before them."""

    def __init__(self, places: int):
        self.places = self._free = places
        self._line: list[Ticket] = []
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def join(
        self,
        *,
        since: float | None = None,
        later: bool = False,
        heed: Callable[[], object] = lambda: None,
        pressed: Callable[[], bool] = lambda: False,
    ) -> Ticket:
        """Return the turn of a request that came at a time ``since``, by default now."""
        since = time.monotonic() if since is None else since
        turn = Ticket(since, next(self._numbers), later=later, heed=heed, pressed=pressed)
        with self._lock:
            heapq.heappush(self._line, turn)
            self._give()
        return turn

    def _give(self) -> None:
        while self._free and self._line:
            turn = heapq.heappop(self._line)
            if turn.came.set_running_or_notify_cancel():
                self._free -= 1
                turn.came.set_result(None)

    def leave(self, turn: Ticket) -> None:
        """End a turn, whether it has come or not."""
        if not turn.came.cancel():
            with self._lock:
                self._free += 1
                self._give()

    def waiting(self) -> list[Ticket]:
        """Return the turns that have yet to come, the next one first."""
        with self._lock:
            return sorted(one for one in self._line if not one.came.cancelled())

    @contextmanager
    def at_work(self, turn: Ticket) -> Iterator[None]:
        """Wait until the turn has come, and hold it in this thread meanwhile."""
        turn.came.result()
        _here.held = self, turn
        try:
            yield
        finally:
            _here.held = None
            self.leave(turn)

    def pause(self, turn: Ticket) -> None:
        """Let those go first who have waited longer than this turn, which has come."""
        with self._lock:
            first = min((one for one in self._line if not one.came.cancelled()), default=turn)
            if not first < turn:
                return
            turn.came = Future()
            heapq.heappush(self._line, turn)
            self._free += 1
            self._give()
        while not turn.came.done():
            turn.heed()
            if turn.later and turn.pressed():
                self._hasten(turn)
            wait([turn.came], timeout=LOOK)

    def _hasten(self, turn: Ticket) -> None:
        """Give a turn that is later the place in the line that it would have had."""
        with self._lock:
            turn.since, turn.later = turn.since - GIVES_WAY, False
            heapq.heapify(self._line)


def pause() -> float:
    """Let those go first who have waited longer than this thread's request; return the seconds that
    this took.

    Raise what the turn's ``heed`` raises where nobody waits for its work. Without a turn, do
    nothing.
    """
    if (held := _held()) is None:
        return 0.0
    turns, turn = held
    began = time.monotonic()
    turn.heed()
    turns.pause(turn)
    turn.heed()
    return time.monotonic() - began


def hurried() -> bool:
    """Return whether somebody waits for the picture of this thread's request, and others for their
    turn.
    """
    held = _held()
    return held is not None and not held[1].later and bool(held[0].waiting())


def pressed() -> bool:
    """Return whether a request waits for the end of this thread's work, so that no more should be
    begun.
    """
    held = _held()
    return held is not None and held[1].pressed()


def later() -> None:
    """Let the rest of this thread's turn give way: nobody waits for a picture of it."""
    if (held := _held()) and not held[1].later:
        held[1].since, held[1].later = held[1].since + GIVES_WAY, True


def _held() -> "tuple[FairQueue, Ticket] | None":
    return getattr(_here, "held", None)


# Of this process: more threads than cores would only take longer each.
SHARED = FairQueue(cores.cores())
