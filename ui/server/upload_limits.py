"""Bound what uploaded files may take in memory before a page has read them.

Streamlit keeps whatever is sent to its upload address until the session ends. Here a new upload
replaces the earlier one of its session, and all sessions together may hold `LAB_UPLOADS_MB`. An
upload beyond that gets status 503, which `ui/widgets/frontend/page/uploads.js` puts into words
beside the uploader.
"""

import asyncio
import math
import os
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import NamedTuple
from weakref import WeakValueDictionary

from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext

from ui.widgets import assets

SETTING = "LAB_UPLOADS_MB"
MEGABYTES = 300
_BYTES_A_MEGABYTE = 1e6
# Seconds that a page has to read an upload before the upload may be dropped to make room for
# others.
UNREAD = 30.0
# Seconds without a byte after which an upload ends, and seconds that one may take. An upload that
# stands still would keep its room from everybody else's.
STALLED = 10.0
LONGEST_UPLOAD = 600.0


def limit_mb(environment: Mapping[str, str] = os.environ) -> float:
    """Return the megabytes of `LAB_UPLOADS_MB`.

    Raises:
        ValueError: It is no positive number.
    """
    value = environment.get(SETTING, "").strip()
    if not value:
        return MEGABYTES
    try:
        megabytes = float(value)
    except ValueError:
        megabytes = math.nan
    if not 0 < megabytes < math.inf:
        raise ValueError(f"{SETTING} is {value!r}, but must be a number of megabytes above 0")
    return megabytes


def file_manager(server: Runtime | ScriptRunContext) -> MemoryUploadedFileManager:
    """Return Streamlit's store of uploads."""
    manager = server.uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    return manager


class _Refusal(NamedTuple):
    """The answer to an upload that is not taken."""

    status: int
    text: str
    headers: Mapping[str, str] = MappingProxyType({})


_STALLED = _Refusal(408, "The upload has stopped. Check the connection and upload the file again.")
_DISCONNECT: Message = {"type": "http.disconnect"}


class _Body:
    """The body of a request.

    Attributes:
        received: The bytes that have come.
        is_complete: Whether all of it has come.
    """

    def __init__(self, receive: Receive, *, is_alive: Callable[[], bool]) -> None:
        """Begin to read a body.

        Args:
            receive: Returns the next message of the request.
            is_alive: Tells whether the session of the upload has not ended.
        """
        self._receive = receive
        self._is_alive = is_alive
        self._deadline = time.monotonic() + LONGEST_UPLOAD
        self.received = 0
        self.is_complete = False

    async def read(self) -> Message:
        """Return the next message of the request.

        Raises:
            TimeoutError: No bytes come any more, or the session has ended.
        """
        seconds_left = self._deadline - time.monotonic()
        timeout = max(0.0, min(STALLED, seconds_left))
        message = await asyncio.wait_for(self._receive(), timeout)
        self.received += len(message.get("body", b""))
        self.is_complete = not message.get("more_body", False)
        if not self.is_complete and not self._is_alive():
            raise TimeoutError("the session of the upload has ended")
        return message


class Uploads:
    """ASGI middleware that bounds uploads."""

    def __init__(self, app: ASGIApp, server: Callable[[], Runtime] = get_instance) -> None:
        """Wrap an app.

        Args:
            app: The app.
            server: Returns Streamlit's runtime, once it has started.
        """
        self._app = app
        self._server = server
        self._limit = limit_mb() * _BYTES_A_MEGABYTE
        self._path = f"{assets.base()}/_stcore/upload_file/"
        self._session_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        # Bytes of the uploads that are under way.
        self._receiving = 0
        # (session, file) -> when the upload was complete.
        self._completed: dict[tuple[str, str], float] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle uploads, one of a session at a time; pass on everything else."""
        path = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "PUT" or not path.startswith(self._path):
            await self._app(scope, receive, send)
            return
        session, _, file = path.removeprefix(self._path).partition("/")
        lock = self._session_locks.setdefault(session, asyncio.Lock())
        async with lock:
            self._remove_earlier(session)
            await self._upload(session, scope, receive, send)
            self._completed[session, file] = time.monotonic()

    def _remove_earlier(self, session: str) -> None:
        """Remove the earlier uploads of a session, and forget those that are gone."""
        manager = file_manager(self._server())
        for file in list(manager.file_storage.get(session, ())):
            manager.remove_file(session, file)
        for other_session, file in list(self._completed):
            if file not in manager.file_storage.get(other_session, ()):
                del self._completed[other_session, file]

    async def _upload(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the body on while there is room for it and its bytes come; else refuse it."""
        body = _Body(receive, is_alive=lambda: self._server().is_active_session(session))
        has_answered = False
        refusal: _Refusal | None = None

        async def read_with_limit() -> Message:
            nonlocal refusal
            received_before = body.received
            try:
                message = await body.read()
            except TimeoutError:
                refusal = _STALLED
                return _DISCONNECT
            self._receiving += body.received - received_before
            if not has_answered and not self._has_room(0):
                refusal = self._no_room()
                return _DISCONNECT
            return message

        async def send_unless_refused(message: Message) -> None:
            nonlocal has_answered
            if refusal is None:
                has_answered = True
                await send(message)

        if not self._has_room(_declared_size(scope)):
            refusal = self._no_room()
        try:
            if refusal is None:
                await self._app(scope, read_with_limit, send_unless_refused)
        except ClientDisconnect:
            if refusal is None:
                raise
        finally:
            self._receiving -= body.received
        if refusal is not None:
            await self._refuse(refusal, body, scope, receive, send)

    async def _refuse(
        self, refusal: _Refusal, body: _Body, scope: Scope, receive: Receive, send: Send
    ) -> None:
        """Answer with a refusal, once the browser has sent its file and so reads the answer."""
        with suppress(TimeoutError):
            while refusal is not _STALLED and not body.is_complete:
                await body.read()
        answer = PlainTextResponse(
            refusal.text, status_code=refusal.status, headers=refusal.headers
        )
        await answer(scope, receive, send)

    def _no_room(self) -> _Refusal:
        size = f"{self._limit / _BYTES_A_MEGABYTE:g} MB"
        text = (
            "The server has no room for this file now. Uploads that wait to be read may take"
            f" {size} together. Try again in a minute."
        )
        return _Refusal(503, text, {"Retry-After": f"{UNREAD:g}"})

    def _has_room(self, size: int) -> bool:
        """Return whether so many more bytes fit, if need be without uploads that no page reads."""
        if self._used_bytes() + size > self._limit:
            self._drop_unread()
        return self._used_bytes() + size <= self._limit

    def _drop_unread(self) -> None:
        """Remove uploads that no page has read in time, and those of sessions that have ended."""
        server = self._server()
        earliest = time.monotonic() - UNREAD
        for (session, file), completed in list(self._completed.items()):
            if completed < earliest or not server.is_active_session(session):
                file_manager(server).remove_file(session, file)
                del self._completed[session, file]

    def _used_bytes(self) -> int:
        """Return the bytes of all uploads, stored and under way."""
        used = self._receiving
        for files in file_manager(self._server()).file_storage.values():
            for record in files.values():
                used += len(record.data)
        return used


def _declared_size(scope: Scope) -> int:
    """Return the bytes that a request announces, 0 if it announces none."""
    declared = Headers(scope=scope).get("content-length", "")
    if declared.isdecimal():
        return int(declared)
    return 0
