"""What the server does once, before it answers its first visitor."""

import asyncio
import ctypes
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib import import_module

from ui import metrics
from ui.live import wire

# The pages, and a slow library that the engine loads only where it is asked for.
_SLOW = ("pages.table", "pages.lessons.page", "dp_accounting.pld.privacy_loss_distribution")
# Of glibc's allocator, as malloc.h has it: how many arenas there may be, and how many are enough, as Python lets hardly
# more than one thread at a time allocate. Each run of a page has a thread of its own, and what is free in one arena is
# of no use to a thread of another: with the usual eight a core an hour of a class takes half as much memory again.
_ARENA_MAX, _ARENAS = -8, 2
# Seconds after which the server has accepted who came while it started.
_ACCEPTED = 0.5


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Import what the first visitor would wait for, let the answers out at once, and keep memory together."""
    with suppress(AttributeError, OSError, TypeError):  # no such allocator, or no such system
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)
    for name in _SLOW:
        import_module(name)
    wire.hurry()
    # A proxy that looks for a process that starts anew comes before its imports are done, and keeps that connection for
    # its visitors, each of whom would then wait for 40 ms.
    asyncio.get_running_loop().call_later(_ACCEPTED, wire.hurry)
    async with metrics.log():
        yield
