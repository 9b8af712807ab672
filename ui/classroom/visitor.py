"""Tell browsers apart by a signed cookie, so that each has one guess in the room of a class.

The cookie holds a random word and its signature, and nothing about the person. The key of the
signature is stored with the rooms (`ui/classroom/rooms.py`), so that processes that share rooms
accept each other's cookies.
"""

import hashlib
import hmac
import re
import secrets
from collections.abc import Mapping

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import HTTPConnection
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ui.classroom.rooms import classroom
from ui.widgets import assets

COOKIE = "lab_visitor"
MAX_AGE = 12 * 3600  # seconds
_VALUE = re.compile(r"([0-9a-f]{32})\.([0-9a-f]{64})")
# Addresses of pages; those of files have a dot, or stand deeper.
_PAGE = re.compile(r"/[\w-]*")


def new_cookie() -> str:
    """Return the cookie of a new visitor."""
    word = secrets.token_hex(16)
    return f"{word}.{_signature(word)}"


def visitor_word(cookies: Mapping[str, str]) -> str:
    """Return the random word of the browser that sent these cookies; "" without a valid cookie."""
    match = _VALUE.fullmatch(cookies.get(COOKIE, ""))
    if match is None:
        return ""
    word, signature = match.groups()
    if not hmac.compare_digest(signature, _signature(word)):
        return ""
    return word


def _signature(word: str) -> str:
    return hmac.new(classroom().cookie_key, word.encode(), hashlib.sha256).hexdigest()


class VisitorCookie:
    """ASGI middleware that gives the cookie to browsers that open a page without it."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._base = assets.base()
        classroom()  # opened now, so that a fault of its file is found at the start

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, with a cookie where the browser needs one."""
        if not self._needs_cookie(scope):
            await self._app(scope, receive, send)
            return
        response = Response()
        path = self._base or "/"
        response.set_cookie(
            COOKIE, new_cookie(), max_age=MAX_AGE, path=path, httponly=True, samesite="lax"
        )
        cookie_header = response.headers["set-cookie"]

        async def send_with_cookie(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).append("set-cookie", cookie_header)
            await send(message)

        await self._app(scope, receive, send_with_cookie)

    def _needs_cookie(self, scope: Scope) -> bool:
        if scope["type"] != "http" or scope["method"] != "GET":
            return False
        if _PAGE.fullmatch(scope["path"].removeprefix(self._base)) is None:
            return False
        if "text/html" not in Headers(scope=scope).get("accept", ""):
            return False
        return not visitor_word(HTTPConnection(scope).cookies)
