"""What the server does once, before it answers its first visitor."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module

from ui import watch
from ui.live import wire

# The pages, and a slow library that the engine loads only where it is asked for.
_SLOW = ("pages.table", "pages.lessons.page", "dp_accounting.pld.privacy_loss_distribution")


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Import what the first visitor would wait for, and let the answers out at once."""
    for name in _SLOW:
        import_module(name)
    wire.hurry()
    async with watch.log():
        yield
