"""Bound what uploaded files may take in memory before a page has read them.

Streamlit keeps whatever is sent to its upload address until the session ends. Here a new upload replaces the earlier
one of its session, and all sessions together may hold `LAB_UPLOADS_MB`. An upload beyond that gets status 503, which
`ui/live/assets/uploads.js` puts into words beside the uploader.
"""

import asyncio
import math
import os
import time
from collections.abc import Callable, Mapping
from typing import Literal
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

from ui.live import serving

SETTING, MEGABYTES = "LAB_UPLOADS_MB", 300
_NO_COOKIE = (
    "**No file can be uploaded here**, because your browser sends the lab no cookies. Inside another site, "
    "such as a course page, most browsers send none. Open the lab in a separate tab. If you read this there too, "
    "allow cookies for this site."
)
_TYPES = ["csv", "tsv", "txt", "parquet"]
# Seconds that a page has to read an upload before the upload may be dropped to make room for others.
UNREAD = 30.0


def limit_mb(environment: Mapping[str, str] = os.environ) -> float:
    """Return the megabytes of `LAB_UPLOADS_MB`. Raise ValueError unless it is a positive number."""
    said = environment.get(SETTING, "").strip()
    try:
        megabytes = float(said) if said else MEGABYTES
    except ValueError:
        megabytes = math.nan
    if not 0 < megabytes < math.inf:
        raise ValueError(f"{SETTING} is {said!r}, but must be a number of megabytes above 0")
    return megabytes


def ask(
    page: str, label: str, *, megabytes: int, key: str = "", hidden: bool = False
) -> tuple[UploadedFile | None, bool]:
    """Show the uploader of a page; return its file, and whether this file was not there in an earlier run.

    key: tells apart several uploaders of a page, one after another. hidden: without its label.
    """
    if not possible():
        return None, False
    look: Literal["collapsed", "visible"] = "collapsed" if hidden else "visible"
    key, read = f"{page}.file{key}", f"{page}.read"
    file = st.file_uploader(label, _TYPES, key=key, max_upload_size=megabytes, label_visibility=look)
    new = file is not None and st.session_state.get(read) != file.file_id
    if file is not None:
        st.session_state[read] = file.file_id
    return file, new


def release(upload: UploadedFile) -> None:
    """Free the bytes of an upload that this page has read; its name stays, so that it is not read again."""
    if run := get_script_run_ctx():
        files = _files(run)
        for record in files.get_files(run.session_id, [upload.file_id]):
            files.add_file(run.session_id, record._replace(data=b""))
    upload.close()


def possible() -> bool:
    """Return whether this browser sends the cookie that an upload needs; if not, say so and offer the page in a tab."""
    known = st.context.headers and st.get_option("server.enableXsrfProtection")
    if not known or XSRF_COOKIE_NAME in st.context.cookies:
        return True
    with st.container(border=True):
        st.markdown(_NO_COOKIE)
        link = f"{(st.context.url or '').split('?')[0]}?{urlencode(st.query_params.to_dict())}"
        st.link_button("Open this page in its own tab", link, icon=":material/open_in_new:")
    return False


class Uploads:
    """ASGI middleware. ``server`` returns Streamlit's runtime, once it has started."""

    def __init__(self, app: ASGIApp, server: Callable[[], Runtime] = get_instance) -> None:
        self._app, self._server = app, server
        self._limit = limit_mb() * 1e6
        self._path = f"{serving.base()}/_stcore/upload_file/"
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
            self._since = {(s, f): since for (s, f), since in self._since.items() if f in stored.get(s, ())}
            await self._upload(scope, receive, send)
            self._since[session, file] = time.monotonic()

    async def _upload(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the body on while there is room for it; else refuse the upload."""
        received, more, refused, started = 0, True, False, False

        async def counted() -> Message:
            nonlocal received, more, refused
            message = await receive()
            size, more = len(message.get("body", b"")), message.get("more_body", False)
            received += size
            self._receiving += size
            refused = not started and not self._has_room(0)
            return {"type": "http.disconnect"} if refused else message

        async def unless_refused(message: Message) -> None:
            nonlocal started
            if not refused:
                started = True
                await send(message)

        declared = Headers(scope=scope).get("content-length", "")
        refused = not self._has_room(int(declared) if declared.isdecimal() else 0)
        try:
            if not refused:
                await self._app(scope, counted, unless_refused)
        except ClientDisconnect:
            if not refused:
                raise
        finally:
            self._receiving -= received
        if refused:
            while more:  # a browser that is still sending would not read the answer
                more = (await receive()).get("more_body", False)
            size = f"{self._limit / 1e6:g} MB"
            said = f"Uploads that wait to be read may take {size} together, and they do. Try again later."
            answer = PlainTextResponse(said, status_code=503, headers={"Retry-After": f"{UNREAD:g}"})
            await answer(scope, receive, send)

    def _has_room(self, size: int) -> bool:
        """Return whether ``size`` more bytes fit, if need be once uploads are dropped that no page will read."""
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
