"""Let the server's answers out at once.

Streamlit opens its listening socket without naming TCP as the protocol, so Python's event loop
leaves Nagle's algorithm on (`asyncio.base_events._set_nodelay`). The messages of a script run then
wait until the browser confirms the first of them, after 40 ms (Linux) to 200 ms (Windows), at each
redraw of a dragged slider.
"""

import gc
import os
import socket
import stat
from collections.abc import Iterator
from contextlib import suppress

# Where Linux and macOS list what a process has open.
_OPEN = "/dev/fd"


def hurry() -> int:
    """Switch Nagle's algorithm off for all TCP sockets of this process; how many there were.

    Once is enough: a connection inherits the option from the listening socket that accepted it.
    """
    return sum(map(_switch, _sockets()))


def _sockets() -> Iterator[socket.socket]:
    """Return those of this process. Python's collector is asked only where nothing else tells: what
    it shows of a tuple that another thread is about to make breaks that thread.
    """
    if not os.path.isdir(_OPEN):
        yield from (thing for thing in gc.get_objects() if isinstance(thing, socket.socket))
        return
    for descriptor in map(int, os.listdir(_OPEN)):
        with suppress(OSError):  # it was closed meanwhile
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                with socket.socket(fileno=os.dup(descriptor)) as sock:  # another name for the same
                    yield sock


def _switch(sock: socket.socket) -> bool:
    """Set the option on one socket; False for a closed one and for what is not TCP."""
    if (
        sock.fileno() < 0
        or sock.family not in (socket.AF_INET, socket.AF_INET6)
        or sock.type != socket.SOCK_STREAM
    ):
        return False
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:  # it was closed meanwhile, by the thread that owns it
        return False
    return True
