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
_OPEN_FILES = "/dev/fd"


def disable_nagle() -> int:
    """Switch Nagle's algorithm off for all TCP sockets of this process; return their number.

    Once is enough: a connection inherits the option from the listening socket that accepted it.
    """
    count = 0
    for open_socket in _open_sockets():
        if _set_nodelay(open_socket):
            count += 1
    return count


def _open_sockets() -> Iterator[socket.socket]:
    """Yield the sockets of this process.

    Python's collector is asked only where the system lists none, because what it shows of a tuple
    that another thread is about to make breaks that thread.
    """
    if not os.path.isdir(_OPEN_FILES):
        for candidate in gc.get_objects():
            if isinstance(candidate, socket.socket):
                yield candidate
        return
    for name in os.listdir(_OPEN_FILES):
        descriptor = int(name)
        with suppress(OSError):  # it was closed meanwhile
            if stat.S_ISSOCK(os.fstat(descriptor).st_mode):
                # Another name for the same socket.
                with socket.socket(fileno=os.dup(descriptor)) as duplicate:
                    yield duplicate


def _set_nodelay(open_socket: socket.socket) -> bool:
    """Set the option on one socket; return False for a closed one and for what is not TCP."""
    if open_socket.fileno() < 0:
        return False
    if open_socket.family not in (socket.AF_INET, socket.AF_INET6):
        return False
    if open_socket.type != socket.SOCK_STREAM:
        return False
    try:
        open_socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:  # it was closed meanwhile, by the thread that owns it
        return False
    return True
