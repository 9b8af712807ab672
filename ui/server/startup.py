"""Prepare the server before it answers its first visitor."""

import asyncio
import ctypes
import gc
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from typing import Any

from ui.server import tcp_nodelay

# The pages, and a slow library that the engine loads only where it is asked for.
_SLOW_MODULES = (
    "pages.topics",
    "pages.lessons.page",
    "dp_accounting.pld.privacy_loss_distribution",
)
# Parameters of glibc's allocator, by their numbers in malloc.h, and their values.
# One arena is enough, as Python lets hardly more than one thread at a time allocate. Each run of a
# page has a thread of its own, and what is free in one arena is of no use to a thread of another:
# with the usual eight a core an hour of a class takes half as much memory again.
_ARENA_MAX = -8
_ARENAS = 1
# Bytes from which on an array has pages of its own, and bytes that stay free at the heap's end. The
# allocator raises both, to 32 and 64 MB, with the arrays that are freed, and small values then lie
# in the places of large ones. At 1 MB 20 people take 15 MB more than at 256 kB, where a movement on
# the Classifier takes a fifth more CPU time.
_MMAP_THRESHOLD = -3
_LARGE_BYTES = 512_000
_TRIM_THRESHOLD = -1
_FREE_BYTES = 8_000_000
# Seconds after which the server has accepted who came while it started.
_ACCEPT_SECONDS = 0.5
# Seconds between two times at which free pages go back to the system. Those that lie between what
# is in use are kept otherwise: 45 to 110 MB after some minutes of a class. Each time takes some 30
# ms on a busy machine and returns 10 to 40 MB with 20 people.
_TRIM_SECONDS = 5.0


@asynccontextmanager
async def lifespan(app: object, later: Sequence[Callable[[], Coroutine]]) -> AsyncIterator[None]:
    """Prepare the server, and run the work of ``later`` beside its visitors."""
    libc = _tuned_allocator()
    for name in _SLOW_MODULES:
        import_module(name)
    # What is imported stays. The collector, which would wait for as much again, looks past it.
    gc.freeze()
    tcp_nodelay.disable_nagle()
    # A proxy that looks for a process that starts anew comes before its imports are done, and keeps
    # that connection for its visitors, each of whom would then wait for 40 ms.
    asyncio.get_running_loop().call_later(_ACCEPT_SECONDS, tcp_nodelay.disable_nagle)
    tasks = [asyncio.create_task(_trim(libc))]
    for work in later:
        tasks.append(asyncio.create_task(work()))
    yield
    for task in tasks:
        task.cancel()


def _tuned_allocator() -> Any:
    """Set the parameters of glibc's allocator; return the library, or None on another system."""
    libc: Any = None
    with suppress(AttributeError, OSError, TypeError):  # no such allocator, or no such system
        libc = ctypes.CDLL(None)
        libc.mallopt(_ARENA_MAX, _ARENAS)
        libc.mallopt(_MMAP_THRESHOLD, _LARGE_BYTES)
        libc.mallopt(_TRIM_THRESHOLD, _FREE_BYTES)
    return libc


async def _trim(libc: Any) -> None:
    """Give free pages back to the system now and then, where the allocator is glibc's."""
    while hasattr(libc, "malloc_trim"):
        await asyncio.sleep(_TRIM_SECONDS)
        await asyncio.to_thread(libc.malloc_trim, 0)
