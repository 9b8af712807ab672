"""The server's connections answer at once: Nagle's algorithm is off for them, whoever opened them and how."""

import os
import socket

from ui.live import wire


def delays(sock: socket.socket) -> bool:
    """Whether small messages of this socket wait for each other."""
    return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0


def test_open_sockets_and_later_connections_do_not_wait():
    """Others are left alone, and nothing is left open."""
    socket.socket().close()
    with socket.create_server(("127.0.0.1", 0)) as listening, socket.socket(type=socket.SOCK_DGRAM) as datagrams:
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            assert delays(accepted)  # else Python or Streamlit has mended it, and ui/live/wire.py can go
            before = os.listdir("/dev/fd")
            assert wire.hurry() >= 2
            assert os.listdir("/dev/fd") == before
            assert not delays(accepted)
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as later:
            assert not delays(later)
        assert datagrams.fileno() >= 0
