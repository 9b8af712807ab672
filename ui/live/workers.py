"""Run the work of the channel in threads, each piece when its turn comes."""

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Any
from weakref import WeakValueDictionary

from ui.compute import debounce
from ui.compute.scheduler import FairQueue, Ticket, WorkCancelledError

# Threads for each slot of the queue: work that lets other work go first waits in its thread.
THREADS_PER_SLOT = 4
# Seconds between two checks whether nobody waits for anything.
IDLE_CHECK_SECONDS = 0.02

Work = Callable[[], Any]


def _raise_cancelled() -> None:
    raise WorkCancelledError


class Workers:
    """Threads that answer requests, in the order of a fair queue (``ui.compute.scheduler``)."""

    def __init__(self, queue: FairQueue):
        self._queue = queue
        self._pool = ThreadPoolExecutor(
            THREADS_PER_SLOT * queue.slots, thread_name_prefix="lab-channel"
        )
        self._idle_lock = asyncio.Lock()
        # Browser -> lock that its connections share, for requests and for idle work.
        self._request_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._idle_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def submit(self, browser: str, choose_work: Callable[[], Work]) -> Any:
        """Run one request of a browser at a time; its work is chosen only when its turn comes."""
        browser_lock = self._request_locks.setdefault(browser, asyncio.Lock())
        async with browser_lock:
            return await self._run_in_turn(choose_work)

    async def submit_deferred(self, work: Work) -> Any:
        """Run work that lets all go first who wait for a chart."""
        return await self._run_in_turn(lambda: work, deferred=True)

    async def _run_in_turn(self, choose_work: Callable[[], Work], *, deferred: bool = False) -> Any:
        """Run work in its turn. If this task is cancelled, the work ends between two tasks."""
        job: Future | None = None
        ticket = self._queue.enqueue(deferred=deferred)
        with debounce.channel_request():
            try:
                await asyncio.wrap_future(ticket.started)
                job = self._pool.submit(self._run, choose_work(), ticket)
                return await asyncio.wrap_future(job)
            finally:
                ticket.check_cancelled = _raise_cancelled
                if job is None or job.cancelled():
                    self._queue.release(ticket)

    def _run(self, work: Work, ticket: Ticket) -> Any:
        with suppress(WorkCancelledError), self._queue.slot(ticket):
            return work()

    async def run_when_idle(self, browser: str, work: Callable, *args: Any) -> Any:
        """Run this, one call at a time, once nobody in the whole process waits for anything.

        Browsers take turns, however many connections one of them has.
        """
        browser_lock = self._idle_locks.setdefault(browser, asyncio.Lock())
        async with browser_lock, self._idle_lock:
            while debounce.is_busy():
                await asyncio.sleep(IDLE_CHECK_SECONDS)
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._pool, work, *args)

    def close(self) -> None:
        """Cancel what has not begun, and wait for what runs."""
        self._pool.shutdown(cancel_futures=True)
