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
from weakref import WeakValueDictionary

from starlette.datastructures import Headers
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
_STALLED = "The upload has stopped. Check the connection and upload the file again."


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
        # Declared bytes of the uploads that are under way.
        self._receiving = 0.0
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
            await self._upload(scope, receive, send)
            self._completed[session, file] = time.monotonic()

    def _remove_earlier(self, session: str) -> None:
        """Remove the earlier uploads of a session, and forget those that are gone."""
        manager = file_manager(self._server())
        for file in list(manager.file_storage.get(session, ())):
            manager.remove_file(session, file)
        for other_session, file in list(self._completed):
            if file not in manager.file_storage.get(other_session, ()):
                del self._completed[other_session, file]

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass an upload on if there is room for it, and end it if its bytes stop coming.

        A refusal is sent once the browser has sent its file and so reads the answer.
        """
        size = _declared_size(scope)
        try:
            async with asyncio.timeout(STALLED) as limit:
                receive_in_time = _within(limit, receive)
                if self._has_room(size):
                    await self._pass_on(size, scope, receive_in_time, send)
                    return
                while (await receive_in_time()).get("more_body", False):
                    pass
            answer = self._no_room()
        except TimeoutError:
            answer = PlainTextResponse(_STALLED, status_code=408)
        await answer(scope, receive, send)

    async def _pass_on(self, size: float, scope: Scope, receive: Receive, send: Send) -> None:
        self._receiving += size
        try:
            await self._app(scope, receive, send)
        finally:
            self._receiving -= size

    def _no_room(self) -> PlainTextResponse:
        size = f"{self._limit / _BYTES_A_MEGABYTE:g} MB"
        text = (
            "The server has no room for this file now. Uploads that wait to be read may take"
            f" {size} together. Try again in a minute."
        )
        return PlainTextResponse(text, status_code=503, headers={"Retry-After": f"{UNREAD:g}"})

    def _has_room(self, size: float) -> bool:
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

    def _used_bytes(self) -> float:
        """Return the bytes of all uploads, stored and under way."""
        used = self._receiving
        for files in file_manager(self._server()).file_storage.values():
            for record in files.values():
                used += len(record.data)
        return used


def _declared_size(scope: Scope) -> float:
    """Return the bytes that a request announces, which are all that a server takes of it.

    It is infinite for a request that announces none, as no browser sends it.
    """
    declared = Headers(scope=scope).get("content-length", "")
    if declared.isdecimal():
        return int(declared)
    return math.inf


def _within(limit: asyncio.Timeout, receive: Receive) -> Receive:
    """Return ``receive``, each message of which puts off the end of an upload."""
    loop = asyncio.get_running_loop()
    latest_end = loop.time() + LONGEST_UPLOAD

    async def receive_in_time() -> Message:
        message = await receive()
        limit.reschedule(min(loop.time() + STALLED, latest_end))
        return message

    return receive_in_time
