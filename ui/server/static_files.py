"""What a browser fetches before anything can be seen: asked for early, sent compressed, kept for
good.

Streamlit sends its front end as it is, 2.5 MB before the first word, and a module is found only
when the one that imports it has come. Here each file is compressed at its first request and held in
memory, and the page names all that it will need. plotly.js, as large as all the rest, is compressed
when the server starts, and asked for (`skeleton.js`) once the front end has come. Until the app is
there, the page shows its question. Streamlit answers requests without gzip, and all others.
"""

import gzip
import html
import os
import posixpath
import re
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from ui.charts import attacker_icons
from ui.server.head_tags import PICTURE, PREVIEW, SITEMAP, Head, address, sitemap, tags
from ui.widgets import assets

STATIC = Path(st.__file__).parent / "static"
# Parts of the front end that are asked for only when a first message names them: by a page with
# charts, and by home.
PARTS = {
    True: ("BidiComponent", "Html", "ButtonGroup", "Button"),
    False: ("BidiComponent", "Html", "PageLink"),
}
ROOT = '<div id="root"></div>'
KINDS = {".js": "text/javascript", ".css": "text/css"}
# First parts of paths that Streamlit answers itself.
RESERVED = ("_stcore", "app", "component", "media", "static")
# A name that holds a hash of the file: what a browser has of it is right for good.
KEPT = "public, max-age=31536000, immutable"

# Chromium compiles a script that begins so beside the page, while it arrives. Else the page would
# stand still while it compiles plotly.js, for three times as long. Other browsers read a comment.
_COMPILE_EARLY = b"//# allFunctionsCalledOnLoad\n"

_IMPORT = re.compile(r'(?:from|import) ?"(\.{1,2}/[\w./-]+\.js)"')
FIRST = Path(__file__).parent / "static" / "skeleton.css"
STYLE = Path(__file__).parent / "static" / "style"
# In the order in which they are joined: of two rules that are equally specific the later one wins.
STYLE_PARTS = (
    "tokens",
    "layout",
    "controls",
    "tiles",
    "verdict",
    "tables",
    "compare",
    "lessons",
    "home",
    "glossary",
    "presenter",
    "forced_colors",
    "print",
)
_CSS_COMMENT = re.compile(r"/\*.*?\*/\s*", re.DOTALL)
# The module that shows the app in place of its skeleton, of the component "connection".
SKELETON = "page/skeleton.js"
# Hole in these rules -> the option of the theme that fills it.
_LOOKS = {"LIGHT": "light.backgroundColor", "INK": "light.textColor", "FONT": "font"}
_LOOKS |= {"DARK": "dark.backgroundColor", "PALE": "dark.textColor"}
# The theme has the fonts of the visitor's system. Before it is known, a link out of view asks for
# 170 kB of Streamlit's own font: here its name means one of these.
_FONT = re.compile(r'<link\s+rel="preload"[^>]*as="font"[^>]*>')
_SYSTEM = ",".join(
    f'local("{name}")'
    for name in ("Arial", "Roboto", "Liberation Sans", "Noto Sans", "DejaVu Sans")
)
FACE = (
    f'@font-face{{font-family:"Source Sans";font-weight:100 900;font-style:normal;src:{_SYSTEM}}}'
)


def needed(folder: Path, names: Iterable[str]) -> list[str]:
    """Return these modules of a folder and all that they import, from near to far."""
    found = list(names)
    for name in found:
        here = posixpath.dirname(name)
        for target in _IMPORT.findall((folder / name).read_text("utf-8")):
            module = posixpath.normpath(posixpath.join(here, target))
            if module not in found:
                found.append(module)
    return found


def first_page(name: str, head: Head, *, at: str = "") -> str:
    """Return Streamlit's page for the page of this name, "" for home: with tags for search engines,
    ``at`` the address that the lab is served at, and with its question over its shape until the app
    is there to be seen.
    """
    shape = "text"
    if head.charts and name:
        shape = "page"
    elif head.charts:
        shape = "home"
    inside = f"<h1>{html.escape(head.question)}</h1>{'<i></i>' * 4}<p>Loading …</p>"
    # beside the root, which the front end empties
    first = f'<main class="lab-first {shape}">{inside}</main>'
    source = assets.address("connection", SKELETON)
    script = f'<script type="module" async src=".{source}"></script>'
    body = f'<style id="lab-rules">{rules()}{look()}</style>{first}{ROOT}{script}'
    page = re.sub(
        r"<title>.*?</title>", lambda _: tags(name, head, at=at), _with_links(charts=bool(name))
    )
    return page.replace(ROOT, body)


@cache
def _with_links(*, charts: bool) -> str:
    page = (STATIC / "index.html").read_text("utf-8")
    page = _FONT.sub("", page)
    return page.replace("</head>", f"<style>{FACE}</style>{_links(page, charts=charts)}</head>")


def rules() -> str:
    """Return the style sheet of a page, with the background colours of the theme."""
    light = st.get_option("theme.light.backgroundColor") or "white"
    dark = st.get_option("theme.dark.backgroundColor") or "black"
    return _joined_rules().replace("LIGHT", light).replace("DARK", dark)


@cache
def _joined_rules() -> str:
    """Join the parts of the style sheet, without comments."""
    files = [STYLE / f"{name}.css" for name in STYLE_PARTS]
    files.append(attacker_icons.RULES)
    sheet = "".join(file.read_text("utf-8") for file in files)
    return _CSS_COMMENT.sub("", sheet)


def _links(page: str, *, charts: bool) -> str:
    """Return links to what the page will import; on one without charts, to what the next page will,
    in spare time.
    """
    folder = STATIC / "static/js"
    chunks = needed(folder, [next(folder.glob(f"{part}.*.js")).name for part in PARTS[charts]])
    early = [f"/static/js/{chunk}" for chunk in chunks if chunk not in page]
    early += _modules("connection", assets.ENTRIES["connection"], SKELETON)
    later = [
        *_modules("chart", assets.ENTRIES["chart"]),
        *_modules("sliders", assets.ENTRIES["sliders"]),
    ]
    later_relation = "prefetch"
    plotly_relation = "prefetch"
    if charts:
        later_relation = "modulepreload"
        plotly_relation = "preload"
    links = [f'<link rel="modulepreload" href=".{address}">' for address in early]
    links += [f'<link rel="{later_relation}" href=".{address}">' for address in later]
    plotly = f'as="script" fetchpriority="low" href=".{assets.plotly_address()}"'
    links.append(f'<link data-later="{plotly_relation}" {plotly}>')
    return "".join(links)


def _modules(component: str, *names: str) -> list[str]:
    """Return the addresses of these modules of a component, and of all that they import."""
    return [assets.address(component, name) for name in needed(assets.ASSETS, names)]


def look() -> str:
    """Return the rules of what stands on a page before the front end does, in the colours and the
    font of the theme.
    """
    sheet = FIRST.read_text("utf-8")
    for hole, option in _LOOKS.items():
        sheet = sheet.replace(hole, st.get_option(f"theme.{option}") or "inherit")
    return sheet


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


class Delivery:
    """ASGI middleware. ``heads``: name of a page -> what its head says; "" is the home page.
    ``firsts``: the same -> its recorded first picture (HTML), once there is one, for an address
    without a query; ``scripts``: address -> a script of that.
    """

    def __init__(
        self,
        app: ASGIApp,
        heads: Mapping[str, Head],
        firsts: Mapping[str, str] = MappingProxyType({}),
        scripts: Mapping[str, str] = MappingProxyType({}),
    ) -> None:
        self._app, self._firsts = app, firsts
        base, at = assets.base(), address(os.environ)
        static = {
            f"/{file.relative_to(STATIC).as_posix()}": file
            for file in (STATIC / "static").rglob("*")
        }
        self._files = {
            base + name: file
            for name, file in (static | assets.files()).items()
            if file.suffix in KINDS
        }
        self._names = {f"{base}/{name}": name for name in heads}
        self._pages = {name: first_page(name, head, at=at) for name, head in heads.items()}
        # first of all: else it would wait for all the rest, which the page asks for as early
        self._early = "".join(
            f'<link rel="preload" as="script" fetchpriority="high" href=".{name}">'
            for name in scripts
        )
        self._made = {
            base + name: _packed(_gzip(text), KINDS[".js"], KEPT) for name, text in scripts.items()
        }
        self._told = {f"{base}/{PREVIEW}": Response(PICTURE.read_bytes(), media_type="image/png")}
        if at:
            self._told[f"{base}/{SITEMAP}"] = Response(
                sitemap(heads, at=at), media_type="application/xml"
            )
        self._base = base

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer with a file or a page that is known here; redirect a path below a page to the
        page.
        """
        if scope["type"] != "http" or scope["method"] != "GET":
            await self._app(scope, receive, send)
            return
        page = self._page_above(scope)
        if page is not None:
            address = page
            query = scope.get("query_string", b"").decode("latin-1")
            if query:
                address = f"{page}?{query}"
            await RedirectResponse(address, 307)(scope, receive, send)
            return
        if scope["path"] in self._told:
            await self._told[scope["path"]](scope, receive, send)
            return
        answer = None
        if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            answer = await self._answer(scope["path"], bool(scope.get("query_string")))
        await (answer or self._app)(scope, receive, send)

    def _page_above(self, scope: Scope) -> str | None:
        """Return the path of the page, or of home, that a browser asks for something below.

        The front end finds its files relative to the address, so a page shows nothing below its own
        path.
        """
        path = scope["path"]
        if not path.startswith(f"{self._base}/"):
            return None
        first, slash, _ = path.removeprefix(f"{self._base}/").partition("/")
        if not slash or first in RESERVED:
            return None
        if "text/html" not in Headers(scope=scope).get("accept", ""):
            return None
        page = f"{self._base}/{first}"
        if page in self._names:
            return page
        return f"{self._base}/"

    async def _answer(self, path: str, has_query: bool) -> Response | None:
        """Return the compressed page or file at a path; None if it is neither.

        A page without a query holds the recording of its first screen, if there is one.
        """
        if path in self._names:
            name = self._names[path]
            first = ""
            if not has_query:
                first = self._firsts.get(name, "")
            path = f"{path}?{bool(first)}"
            if path not in self._made:
                page = self._pages[name].replace(ROOT, ROOT + first)
                if first:
                    page = page.replace("<head>", "<head>" + self._early)
                self._made[path] = _packed(
                    await run_in_threadpool(_gzip, page), "text/html", "no-cache"
                )
        if path in self._made:
            return self._made[path]
        file = self._files.get(path)
        if file is None:
            return None
        return _packed(await run_in_threadpool(compressed, file), KINDS[file.suffix], KEPT)


def _gzip(text: str) -> bytes:
    return gzip.compress(text.encode())


def _packed(body: bytes, kind: str, kept: str) -> Response:
    headers = {"Content-Encoding": "gzip", "Vary": "Accept-Encoding", "Cache-Control": kept}
    return Response(body, media_type=kind, headers=headers)
