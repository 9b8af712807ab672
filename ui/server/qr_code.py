"""How others come to what is on this screen: the link for who is on the same network, and its
picture.
"""

import socket
from urllib.parse import urlsplit

import segno
import streamlit as st

from ui.server.security_headers import answers

LOCAL = ("localhost", "127.0.0.1", "[::1]")
# What a screen reader says in place of the picture.
QR_ALT = "QR code of the link"
# An address of documentation (RFC 5737): no packet is sent to it, the system only says by which way
# one would go.
_ELSEWHERE = ("192.0.2.1", 9)


def elsewhere(link: str) -> str:
    """Return the same for who is on the same network, where the link is this machine's own and
    others are answered; else nothing.
    """
    parts = urlsplit(link)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    if host not in LOCAL or st.get_option("server.address") in (*LOCAL, "::1"):
        return ""
    mine = own_address()
    if not mine or not answers(mine):
        return ""
    return parts._replace(netloc=f"{mine}:{parts.port}" if parts.port else mine).geturl()


def own_address() -> str:
    """Return this machine's address on its network."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as way:
        try:
            way.connect(_ELSEWHERE)
            mine = way.getsockname()[0]
        except OSError:  # no network
            return ""
    return "" if mine.startswith("127.") or mine == "0.0.0.0" else mine


def qr(link: str) -> str:
    """Return the link as a picture to photograph, SVG, dark on white on every ground."""
    drawn = segno.make(link, error="l").svg_inline(
        scale=4, border=3, dark="#000", light="#fff", omitsize=False
    )
    return drawn.replace("<svg ", f'<svg role="img" aria-label="{QR_ALT}" ', 1)
