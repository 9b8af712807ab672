"""Give every answer its security headers, and answer the hosts of this server only.

The browser then loads nothing from anywhere else, runs no script that is not a file of the server,
and shows the lab inside of another page only where the environment variable `LAB_FRAME_ANCESTORS`
names that page's origin.
"""

import base64
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlsplit

import streamlit as st
from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Sources of a Content-Security-Policy: keywords and origins, and nothing that could begin another
# rule.
_SOURCES = re.compile(r"[\w'*:/.\[\] -]+")
_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
# Numbers on the process and its sessions, which are nobody's business but the operator's.
_CLOSED = "/_stcore/metrics"


def policy(environment: Mapping[str, str] = os.environ) -> str:
    """Return the Content-Security-Policy.

    Streamlit and Plotly write styles into the page, and pictures are saved through data and blob
    addresses. The script inside of Streamlit's page is allowed by its hash. In Firefox
    `rel="prefetch"` falls under `default-src`, so that allows our own files, and what else would
    fall back on it is forbidden by name.

    Raises:
        ValueError: `LAB_FRAME_ANCESTORS` is no list of sources.
    """
    ancestors = environment.get("LAB_FRAME_ANCESTORS", "").strip() or "'self'"
    if not _SOURCES.fullmatch(ancestors):
        raise ValueError(
            f"LAB_FRAME_ANCESTORS is {ancestors!r}, but must be origins, with spaces between them"
        )
    rules = {
        "default-src": "'self'",
        "script-src": " ".join(["'self'", *_inline_scripts()]),
        "style-src": "'self' 'unsafe-inline'",
        "img-src": "'self' data: blob:",
        "font-src": "'self' data:",
        "connect-src": "'self'",
        "manifest-src": "'self'",
        "frame-src": "'none'",
        "media-src": "'none'",
        "object-src": "'none'",
        "base-uri": "'none'",
        "form-action": "'self'",
        "frame-ancestors": ancestors,
    }
    return "; ".join(f"{name} {sources}" for name, sources in rules.items())


def _inline_scripts() -> list[str]:
    """Return the sources that allow the scripts inside of Streamlit's page."""
    page = (Path(st.__file__).parent / "static" / "index.html").read_text("utf-8")
    sources = []
    for script in _INLINE.findall(page):
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        sources.append(f"'sha256-{digest}'")
    return sources


def same_origin(headers: Headers) -> bool:
    """Return whether a page of this server asks, or no page at all. Browsers name its origin.

    Streamlit's option `server.corsAllowedOrigins` adds others, as for its own websocket.
    """
    origin = headers.get("origin")
    if origin is None or origin in (st.get_option("server.corsAllowedOrigins") or ()):
        return True
    return urlsplit(origin).netloc == headers.get("host")


def allowed() -> Sequence[str]:
    """Return the hosts of Streamlit's option `server.allowedHosts`; "*" stands for any."""
    return st.get_option("server.allowedHosts") or ["*"]


def answers(host: str) -> bool:
    """Return whether an address with this host is answered; "*.x" allows all hosts that end so."""
    for name in allowed():
        name = name.lower()
        if host == name:
            return True
        if name.startswith("*") and host.endswith(name[1:]):
            return True
    return False


class HostFilter:
    """ASGI middleware that adds security headers, and answers the allowed hosts only."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = TrustedHostMiddleware(app, allowed_hosts=allowed(), www_redirect=False)
        self._headers = {"Content-Security-Policy": policy(), "X-Content-Type-Options": "nosniff"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with the headers; a closed path is not found."""

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(self._headers)
            await send(message)

        answer: ASGIApp = self._app
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith(_CLOSED):
            answer = PlainTextResponse("Not Found", status_code=404)
        await answer(scope, receive, send_with_headers)
