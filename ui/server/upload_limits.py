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
from typing import Literal, NamedTuple
from urllib.parse import urlencode
from weakref import WeakValueDictionary

import streamlit as st
from starlette.datastructures import Headers
from starlette.requests import ClientDisconnect
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit.runtime import Runtime, get_instance
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext
from streamlit.runtime.uploaded_file_manager import UploadedFile
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME

from ui.widgets import assets

SETTING, MEGABYTES = "LAB_UPLOADS_MB", 300
_NO_COOKIE = (
    "**No file can be uploaded here**, because your browser sends the lab no cookies. Inside"
    " another site, such as a course page, most browsers send none. Open the lab in a separate tab."
    " If you read this there too, allow cookies for this site."
)
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


def ask(
    page: str, label: str, *, megabytes: int, key: str = "", hidden: bool = False
) -> tuple[UploadedFile | None, bool]:
    """Show the uploader of a page; return its file, and whether this file was not there in an
    earlier run.

    key: tells apart several uploaders of a page, one after another. hidden: without its label.
    """
    if not possible():
        return None, False
    visibility: Literal["collapsed", "visible"] = "visible"
    if hidden:
        visibility = "collapsed"
    key = f"{page}.file{key}"
    read = f"{page}.read"
    # Files of any type are taken: the page then names the type of a file that is no table, and says
    # what to do.
    file = st.file_uploader(label, key=key, max_upload_size=megabytes, label_visibility=visibility)
    new = file is not None and st.session_state.get(read) != file.file_id
    if file is not None:
        st.session_state[read] = file.file_id
    return file, new


def release(upload: UploadedFile) -> None:
    """Free the bytes of an upload that this page has read; its name stays, so that it is not read
    again.
    """
    if run := get_script_run_ctx():
        files = _files(run)
        for record in files.get_files(run.session_id, [upload.file_id]):
            files.add_file(run.session_id, record._replace(data=b""))
    upload.close()


def possible() -> bool:
    """Return whether this browser sends the cookie that an upload needs; if not, say so and offer
    the page in a tab.
    """
    known = st.context.headers and st.get_option("server.enableXsrfProtection")
    if not known or XSRF_COOKIE_NAME in st.context.cookies:
        return True
    with st.container(border=True):
        st.markdown(_NO_COOKIE)
        link = f"{(st.context.url or '').split('?')[0]}?{urlencode(st.query_params.to_dict())}"
        st.link_button("Open this page in its own tab", link, icon=":material/open_in_new:")
    return False


class _Refusal(NamedTuple):
    """The answer to an upload that is not taken."""

    status: int
    text: str
    headers: Mapping[str, str] = MappingProxyType({})


_STALLED = _Refusal(408, "The upload has stopped. Check the connection and upload the file again.")
_DISCONNECT: Message = {"type": "http.disconnect"}


class _Body:
    """The body of a request.

    ``read`` raises TimeoutError where its bytes stop coming, or its session has ended.
    """

    def __init__(self, receive: Receive, *, alive: Callable[[], bool]) -> None:
        self._receive = receive
        self._alive = alive
        self._end = time.monotonic() + LONGEST_UPLOAD
        self.received = 0
        self.more = True

    async def read(self) -> Message:
        """Return the next message of the request."""
        left = self._end - time.monotonic()
        message = await asyncio.wait_for(self._receive(), max(0.0, min(STALLED, left)))
        self.received += len(message.get("body", b""))
        self.more = message.get("more_body", False)
        if self.more and not self._alive():
            raise TimeoutError("the session of the upload has ended")
        return message


class Uploads:
    """ASGI middleware. ``server`` returns Streamlit's runtime, once it has started."""

    def __init__(self, app: ASGIApp, server: Callable[[], Runtime] = get_instance) -> None:
        self._app, self._server = app, server
        self._limit = limit_mb() * 1e6
        self._path = f"{assets.base()}/_stcore/upload_file/"
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        self._receiving = 0
        self._since: dict[tuple[str, str], float] = {}  # (session, file) -> when it was complete

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle uploads, one of a session at a time; pass on everything else."""
        path = scope.get("path", "")
        if scope["type"] != "http" or scope["method"] != "PUT" or not path.startswith(self._path):
            await self._app(scope, receive, send)
            return
        session, _, file = path.removeprefix(self._path).partition("/")
        turn = self._turns.setdefault(session, asyncio.Lock())
        async with turn:
            manager = _files(self._server())
            stored = manager.file_storage
            for earlier in [*stored.get(session, ())]:
                manager.remove_file(session, earlier)
            self._since = {
                (s, f): since for (s, f), since in self._since.items() if f in stored.get(s, ())
            }
            await self._upload(session, scope, receive, send)
            self._since[session, file] = time.monotonic()

    async def _upload(self, session: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the body on while there is room for it and its bytes come; else refuse the
        upload.
        """
        body = _Body(receive, alive=lambda: self._server().is_active_session(session))
        answered = False
        refusal: _Refusal | None = None

        async def counted() -> Message:
            nonlocal refusal
            before = body.received
            try:
                message = await body.read()
            except TimeoutError:
                refusal = _STALLED
                return _DISCONNECT
            self._receiving += body.received - before
            if not answered and not self._has_room(0):
                refusal = self._full()
                return _DISCONNECT
            return message

        async def unless_refused(message: Message) -> None:
            nonlocal answered
            if refusal is None:
                answered = True
                await send(message)

        declared = Headers(scope=scope).get("content-length", "")
        size = 0
        if declared.isdecimal():
            size = int(declared)
        if not self._has_room(size):
            refusal = self._full()
        try:
            if refusal is None:
                await self._app(scope, counted, unless_refused)
        except ClientDisconnect:
            if refusal is None:
                raise
        finally:
            self._receiving -= body.received
        if refusal is not None:
            # A browser that is still sending would not read the answer.
            with suppress(TimeoutError):
                while body.more and refusal is not _STALLED:
                    await body.read()
            answer = PlainTextResponse(
                refusal.text, status_code=refusal.status, headers=refusal.headers
            )
            await answer(scope, receive, send)

    def _full(self) -> "_Refusal":
        size = f"{self._limit / 1e6:g} MB"
        text = (
            "The server has no room for this file now. Uploads that wait to be read may take"
            f" {size} together. Try again in a minute."
        )
        return _Refusal(503, text, {"Retry-After": f"{UNREAD:g}"})

    def _has_room(self, size: int) -> bool:
        """Return whether ``size`` more bytes fit, if need be once uploads are dropped that no page
        will read.
        """
        if self._held() + self._receiving + size > self._limit:
            server, late = self._server(), time.monotonic() - UNREAD
            for session, file in [*self._since]:
                if self._since[session, file] < late or not server.is_active_session(session):
                    _files(server).remove_file(session, file)
                    del self._since[session, file]
        return self._held() + self._receiving + size <= self._limit

    def _held(self) -> int:
        stored = _files(self._server()).file_storage.values()
        return sum(len(record.data) for files in stored for record in files.values())


def _files(server: Runtime | ScriptRunContext) -> MemoryUploadedFileManager:
    manager = server.uploaded_file_mgr
    assert isinstance(manager, MemoryUploadedFileManager)
    return manager
