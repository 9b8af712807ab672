"""What the server does once, before it answers its first visitor."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

from ui import watch
from ui.live import wire

# The pages, and a slow library that the engine loads only where it is asked for.
_SLOW = ("pages.table", "pages.lessons.page", "dp_accounting.pld.privacy_loss_distribution")


# Seconds after which the server has accepted who came while it started.
_ACCEPTED = 0.5


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Import what the first visitor would wait for, and let the answers out at once."""
    for name in _SLOW:
        import_module(name)
    wire.hurry()
    # A proxy that looks for a process that starts anew comes before its imports are done, and keeps that connection for
    # its visitors, each of whom would then wait for 40 ms.
    asyncio.get_running_loop().call_later(_ACCEPTED, wire.hurry)
    async with watch.log():
        yield
