"""The server's connections answer at once: Nagle's algorithm is off for them, whoever opened them and how."""

import os
import socket
from collections.abc import Iterator

import pytest

from ui.live import wire


@pytest.fixture
def pair() -> Iterator[tuple[socket.socket, socket.socket]]:
    """(a listening socket, a connection that it has accepted), opened as Streamlit opens its own."""
    with socket.socket(socket.AF_INET) as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        with socket.create_connection(listening.getsockname()), listening.accept()[0] as accepted:
            yield listening, accepted


def delays(sock: socket.socket) -> bool:
    """Whether small messages of this socket wait for each other."""
    return sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) == 0


def test_open_sockets_and_later_connections_do_not_wait(pair):
    listening, accepted = pair
    assert delays(accepted)  # else Python or Streamlit has mended it, and ui/live/wire.py can go
    assert wire.hurry() >= 2
    assert not delays(accepted)
    with socket.create_connection(listening.getsockname()), listening.accept()[0] as later:
        assert not delays(later)


def test_nothing_is_left_open(pair):
    before = os.listdir("/dev/fd")
    wire.hurry()
    assert os.listdir("/dev/fd") == before


def test_sockets_of_other_kinds_are_left_alone(pair):
    closed = socket.socket()
    closed.close()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        assert wire.hurry() >= 2
        assert datagrams.fileno() >= 0
