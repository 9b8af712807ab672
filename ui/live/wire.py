"""Let the server's answers out at once.

Streamlit opens its listening socket without naming TCP as the protocol, and Python's event loop then does not switch
off Nagle's algorithm for the connections (`asyncio.base_events._set_nodelay` looks at the protocol's number). The
small messages of a script run so wait for the browser to confirm the first of them, and a browser that has nothing
to say does that only after 40 ms (Linux) to 200 ms (Windows). While a slider is dragged, each redraw pays for it.
"""

from __future__ import annotations

import gc
import socket


def hurry() -> int:
    """Switch Nagle's algorithm off for all TCP sockets of this process; how many there were.

    A connection inherits the option from the listening socket that accepted it, so that once, at the start of the
    server, is enough.
    """
    ours = [thing for thing in gc.get_objects() if isinstance(thing, socket.socket)]
    return sum(_switch(sock) for sock in ours)


def _switch(sock: socket.socket) -> bool:
    """Set the option on one socket; False for a closed one and for what is not TCP."""
    if sock.fileno() < 0 or sock.family not in (socket.AF_INET, socket.AF_INET6) or sock.type != socket.SOCK_STREAM:
        return False
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError:  # it was closed meanwhile, by the thread that owns it
        return False
    return True
