"""Answer requests for pages and files that are known before Streamlit runs, compressed.

Streamlit sends its front end as it is, 2.5 MB before the first word. Here each file is compressed
at its first request and held in memory, and a browser keeps it for good. plotly.js, as large as all
the rest, is compressed when the server starts, and asked for (`skeleton.js`) once the front end has
come. Streamlit answers requests without gzip, and all others.
"""

import gzip
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.server.first_page import ROOT, STREAMLIT, first_page
from ui.server.head_tags import PICTURE, PREVIEW, SITEMAP, Head, address, sitemap
from ui.widgets import assets

_MEDIA_TYPES = {".js": "text/javascript", ".css": "text/css"}
# First parts of paths that Streamlit answers itself.
_STREAMLIT_PATHS = ("_stcore", "app", "component", "media", "static")
# For a name that holds a hash of the file: what a browser has of it is right for good.
_KEPT_FOR_GOOD = "public, max-age=31536000, immutable"
# Chromium compiles a script that begins so beside the page, while it arrives. Else the page would
# stand still while it compiles plotly.js, for three times as long. Other browsers read a comment.
_COMPILE_EARLY = b"//# allFunctionsCalledOnLoad\n"


@cache
def compressed(file: Path) -> bytes:
    """Return the content of a file, compressed at the first call."""
    content = file.read_bytes()
    if file == assets.PLOTLY:
        content = _COMPILE_EARLY + content
    return gzip.compress(content)


async def compress_plotly() -> None:
    """Compress plotly.js in a thread, before the first visitor asks for it."""
    await run_in_threadpool(compressed, assets.PLOTLY)


class StaticFiles:
    """ASGI middleware that answers with files and first pages."""

    def __init__(
        self,
        app: ASGIApp,
        heads: Mapping[str, Head],
        recordings: Mapping[str, str] = MappingProxyType({}),
        scripts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        """Wrap an app.

        Args:
            app: The app.
            heads: Name of a page -> what its head says; "" is the home page.
            recordings: Name of a page -> its recorded first screen (HTML), once there is one, for
                an address without a query.
            scripts: Address -> a script of the recordings.
        """
        self._app = app
        self._recordings = recordings
        self._base = assets.base()
        at = address(os.environ)
        self._files = self._addressed_files()
        self._names = {f"{self._base}/{name}": name for name in heads}
        self._pages = {name: first_page(name, head, at=at) for name, head in heads.items()}
        # First of all links: else the script would wait for all that the page asks for as early.
        self._script_links = "".join(
            f'<link rel="preload" as="script" fetchpriority="high" href=".{name}">'
            for name in scripts
        )
        # Path, and for a page whether it has its recording -> its answer.
        self._answers: dict[tuple[str, bool], Response] = {}
        for name, text in scripts.items():
            answer = _gzip_response(_gzip(text), _MEDIA_TYPES[".js"], _KEPT_FOR_GOOD)
            self._answers[self._base + name, False] = answer
        picture = Response(PICTURE.read_bytes(), media_type="image/png")
        self._uncompressed = {f"{self._base}/{PREVIEW}": picture}
        if at:
            text = sitemap(heads, at=at)
            self._uncompressed[f"{self._base}/{SITEMAP}"] = Response(
                text, media_type="application/xml"
            )

    def _addressed_files(self) -> dict[str, Path]:
        """Return path -> file of all scripts and style sheets, of Streamlit and of the widgets."""
        files = {}
        for file in (STREAMLIT / "static").rglob("*"):
            files[f"/{file.relative_to(STREAMLIT).as_posix()}"] = file
        files |= assets.files()
        return {
            self._base + name: file for name, file in files.items() if file.suffix in _MEDIA_TYPES
        }

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a known file or page; redirect a path below a page to the page."""
        answer = None
        if scope["type"] == "http" and scope["method"] == "GET":
            answer = await self._answer(scope)
        if answer is None:
            await self._app(scope, receive, send)
        else:
            await answer(scope, receive, send)

    async def _answer(self, scope: Scope) -> Response | None:
        path = scope["path"]
        headers = Headers(scope=scope)
        if "text/html" in headers.get("accept", ""):
            page = self._page_above(path)
            if page is not None:
                return RedirectResponse(_with_query(page, scope), 307)
        if path in self._uncompressed:
            return self._uncompressed[path]
        if "gzip" not in headers.get("accept-encoding", ""):
            return None
        if path in self._names:
            return await self._page_answer(path, has_query=bool(scope.get("query_string")))
        if (path, False) in self._answers:
            return self._answers[path, False]
        file = self._files.get(path)
        if file is None:
            return None
        body = await run_in_threadpool(compressed, file)
        return _gzip_response(body, _MEDIA_TYPES[file.suffix], _KEPT_FOR_GOOD)

    def _page_above(self, path: str) -> str | None:
        """Return the path of the page, or of home, that a path is below.

        The front end finds its files relative to the address, so a page shows nothing below its own
        path.
        """
        if not path.startswith(f"{self._base}/"):
            return None
        first, slash, _ = path.removeprefix(f"{self._base}/").partition("/")
        if not slash or first in _STREAMLIT_PATHS:
            return None
        page = f"{self._base}/{first}"
        if page in self._names:
            return page
        return f"{self._base}/"

    async def _page_answer(self, path: str, *, has_query: bool) -> Response:
        """Return a page, which without a query holds the recording of its first screen."""
        name = self._names[path]
        recording = ""
        if not has_query:
            recording = self._recordings.get(name, "")
        key = (path, bool(recording))
        if key not in self._answers:
            page = self._pages[name]
            if recording:
                page = page.replace(ROOT, ROOT + recording)
                page = page.replace("<head>", "<head>" + self._script_links)
            body = await run_in_threadpool(_gzip, page)
            self._answers[key] = _gzip_response(body, "text/html", "no-cache")
        return self._answers[key]


def _with_query(path: str, scope: Scope) -> str:
    """Return a path with the query of a request, if it has one."""
    query = scope.get("query_string", b"").decode("latin-1")
    if not query:
        return path
    return f"{path}?{query}"


def _gzip(text: str) -> bytes:
    return gzip.compress(text.encode())


def _gzip_response(body: bytes, media_type: str, cache_control: str) -> Response:
    headers = {
        "Content-Encoding": "gzip",
        "Vary": "Accept-Encoding",
        "Cache-Control": cache_control,
    }
    return Response(body, media_type=media_type, headers=headers)
