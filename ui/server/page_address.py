"""Addresses of this page: in the browser, and for others on the same network."""

import socket
from urllib.parse import urlsplit

import streamlit as st

from ui.server.security_headers import answers

LOCAL = ("localhost", "127.0.0.1", "[::1]")
# An address of documentation (RFC 5737): no packet is sent to it, the system only says by which way
# one would go.
_DOCUMENTATION_ADDRESS = ("192.0.2.1", 9)


def page_address() -> str:
    """Return the address of this page in the browser, without its query."""
    address, _, _ = (st.context.url or "").partition("?")
    return address


def network_link(link: str) -> str:
    """Return a local link for others on the same network; "" if it is not local or not answered."""
    parts = urlsplit(link)
    host = parts.hostname
    if host and ":" in host:
        host = f"[{host}]"
    if host not in LOCAL or st.get_option("server.address") in (*LOCAL, "::1"):
        return ""
    address = own_address()
    if not address or not answers(address):
        return ""
    if parts.port:
        address = f"{address}:{parts.port}"
    return parts._replace(netloc=address).geturl()


def own_address() -> str:
    """Return this machine's address on its network; "" if it has none."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as connection:
        try:
            connection.connect(_DOCUMENTATION_ADDRESS)
            address = connection.getsockname()[0]
        except OSError:  # no network
            return ""
    if address.startswith("127.") or address == "0.0.0.0":
        return ""
    return address
