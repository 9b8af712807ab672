"""Share the cores fairly among requests.

Requests of the channel and runs of pages wait in one queue for a core. The one that has waited
longest goes first. Deferred work, such as the later slices of an ensemble, waits as if it had come
``DEFER_SECONDS`` later. Between two tasks a thread calls ``yield_slot``, which lets requests go
first that have waited longer, and ends work that nobody waits for.
"""

import heapq
import itertools
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import contextmanager
from dataclasses import dataclass, field

from dpcore import thread_pool

# Seconds for which deferred work lets all other requests go first.
DEFER_SECONDS = 30.0
# Seconds between two checks whether somebody still waits for work that has yielded its slot.
CHECK_SECONDS = 0.1

_thread = threading.local()


class WorkCancelledError(BaseException):
    """Nobody waits for this work. No ``Exception``, so that nothing takes it for a fault."""


def _never_cancelled() -> None:
    pass


def _no_rerun() -> bool:
    return False


@dataclass(eq=False, kw_only=True)
class Ticket:
    """A place in the queue.

    Attributes:
        since: When the request came (``time.monotonic``), or ``DEFER_SECONDS`` later if deferred.
        number: Orders tickets of the same time.
        deferred: Whether the work lets others go first.
        check_cancelled: Raises where nobody waits for the work any more.
        rerun_requested: Tells whether another request waits for the end of this work.
        started: Is done once the work may start.
    """

    since: float
    number: int
    deferred: bool
    check_cancelled: Callable[[], object]
    rerun_requested: Callable[[], bool]
    started: Future[None] = field(default_factory=Future)

    def __lt__(self, other: "Ticket") -> bool:
        return (self.since, self.number) < (other.since, other.number)


class FairQueue:
    """A number of slots to work in, and the queue before them."""

    def __init__(self, slots: int):
        self.slots = slots
        self._free_slots = slots
        self._heap: list[Ticket] = []
        self._numbers = itertools.count()
        self._lock = threading.Lock()

    def enqueue(
        self,
        *,
        since: float | None = None,
        deferred: bool = False,
        check_cancelled: Callable[[], object] = _never_cancelled,
        rerun_requested: Callable[[], bool] = _no_rerun,
    ) -> Ticket:
        """Add a request that came at the time ``since``, by default now."""
        if since is None:
            since = time.monotonic()
        if deferred:
            since += DEFER_SECONDS
        ticket = Ticket(
            since=since,
            number=next(self._numbers),
            deferred=deferred,
            check_cancelled=check_cancelled,
            rerun_requested=rerun_requested,
        )
        with self._lock:
            heapq.heappush(self._heap, ticket)
            self._dispatch()
        return ticket

    def _dispatch(self) -> None:
        """Start the tickets that free slots allow; the caller holds the lock."""
        while self._free_slots and self._heap:
            ticket = heapq.heappop(self._heap)
            if ticket.started.set_running_or_notify_cancel():
                self._free_slots -= 1
                ticket.started.set_result(None)

    def release(self, ticket: Ticket) -> None:
        """Remove a ticket from the queue, or free its slot if it has started."""
        was_waiting = ticket.started.cancel()
        if was_waiting:
            return
        with self._lock:
            self._free_slots += 1
            self._dispatch()

    def waiting(self) -> list[Ticket]:
        """Return the tickets that have yet to start, the next one first."""
        with self._lock:
            return sorted(self._waiting())

    def _waiting(self) -> list[Ticket]:
        return [ticket for ticket in self._heap if not ticket.started.cancelled()]

    @contextmanager
    def slot(self, ticket: Ticket) -> Iterator[None]:
        """Wait until the ticket starts, and give its slot to this thread meanwhile."""
        ticket.started.result()
        _thread.current = (self, ticket)
        try:
            yield
        finally:
            _thread.current = None
            self.release(ticket)

    def yield_slot(self, ticket: Ticket) -> None:
        """Let requests go first that have waited longer than this ticket, which has started."""
        with self._lock:
            first = min(self._waiting(), default=None)
            if first is None or not first < ticket:
                return
            ticket.started = Future()
            heapq.heappush(self._heap, ticket)
            self._free_slots += 1
            self._dispatch()
        while not ticket.started.done():
            ticket.check_cancelled()
            if ticket.deferred and ticket.rerun_requested():
                self._promote(ticket)
            wait([ticket.started], timeout=CHECK_SECONDS)

    def _promote(self, ticket: Ticket) -> None:
        """Move a deferred ticket to the place that it would have had otherwise."""
        with self._lock:
            ticket.since -= DEFER_SECONDS
            ticket.deferred = False
            heapq.heapify(self._heap)


def yield_slot() -> float:
    """Let requests go first that have waited longer than this thread's; return the seconds waited.

    Raise whatever the ticket's ``check_cancelled`` raises where nobody waits for the work. Do
    nothing in a thread without a ticket.
    """
    current = _current()
    if current is None:
        return 0.0
    queue, ticket = current
    start = time.monotonic()
    ticket.check_cancelled()
    queue.yield_slot(ticket)
    ticket.check_cancelled()
    return time.monotonic() - start


def others_waiting() -> bool:
    """Return whether requests wait for this thread's slot, whose own work is not deferred."""
    current = _current()
    if current is None:
        return False
    queue, ticket = current
    return not ticket.deferred and bool(queue.waiting())


def rerun_requested() -> bool:
    """Return whether a request waits for the end of this thread's work."""
    current = _current()
    if current is None:
        return False
    _, ticket = current
    return ticket.rerun_requested()


def demote() -> None:
    """Defer the rest of this thread's work, as nobody waits for a chart of it."""
    current = _current()
    if current is None:
        return
    _, ticket = current
    if not ticket.deferred:
        ticket.since += DEFER_SECONDS
        ticket.deferred = True


def _current() -> tuple[FairQueue, Ticket] | None:
    return getattr(_thread, "current", None)


# The queue of this process. More threads than cores would only take longer each.
SHARED = FairQueue(thread_pool.core_count())
