"""Make the page that a browser gets before the front end: question, shape, styles and links.

A module of Streamlit's front end is found only when the one that imports it has come. So the page
names all that it will need, and is seen with its question until the app is there. It is Streamlit's
own page with these additions.
"""

import html
import posixpath
import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

import streamlit as st

from ui.charts import attacker_icons
from ui.server.head_tags import Head, tags
from ui.widgets import assets

STREAMLIT = Path(st.__file__).parent / "static"
# The element that the front end fills.
ROOT = '<div id="root"></div>'
# Parts of the front end that are asked for only when a first message names them.
_PARTS_WITH_CHARTS = ("BidiComponent", "Html", "ButtonGroup", "Button")
_PARTS_OF_HOME = ("BidiComponent", "Html", "PageLink")
_IMPORT = re.compile(r'(?:from|import) ?"(\.{1,2}/[\w./-]+\.js)"')
_STATIC = Path(__file__).parent / "static"
# The parts of the style sheet in the order in which they are joined: of two rules that are equally
# specific the later one wins.
_STYLE_PARTS = (
    "tokens",
    "layout",
    "controls",
    "tiles",
    "card",
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
_SKELETON = "page/skeleton.js"
# Hole in the skeleton's rules -> the option of the theme that fills it.
_THEME_OPTIONS = {
    "LIGHT": "light.backgroundColor",
    "INK": "light.textColor",
    "FONT": "font",
    "DARK": "dark.backgroundColor",
    "PALE": "dark.textColor",
}
# The theme has the fonts of the visitor's system. Before it is known, a link out of view asks for
# 170 kB of Streamlit's own font: here its name means one of these.
_FONT_LINK = re.compile(r'<link\s+rel="preload"[^>]*as="font"[^>]*>')
_SYSTEM_FONTS = ("Arial", "Roboto", "Liberation Sans", "Noto Sans", "DejaVu Sans")
FONT_FACE = (
    '@font-face{font-family:"Source Sans";font-weight:100 900;font-style:normal;src:'
    + ",".join(f'local("{name}")' for name in _SYSTEM_FONTS)
    + "}"
)


def first_page(name: str, head: Head, *, at: str) -> str:
    """Return the first page (HTML) of a page of the lab.

    Args:
        name: The name of the page; "" for home.
        head: What its head says.
        at: The address that the lab is served at; "" if it is not known.
    """
    shape = "text"
    if head.charts:
        shape = "page"
        if not name:
            shape = "home"
    placeholders = "<i></i>" * 4
    skeleton = (
        f'<main class="lab-first {shape}"><h1>{html.escape(head.question)}</h1>'
        f"{placeholders}<p>Loading …</p></main>"
    )
    rules = f'<style id="lab-rules">{style_sheet()}{skeleton_rules()}</style>'
    address = assets.address("connection", _SKELETON)
    script = f'<script type="module" async src=".{address}"></script>'
    head_tags = tags(name, head, at=at)
    page = re.sub("<title>.*?</title>", lambda _: head_tags, _page_with_links(charts=bool(name)))
    # Beside the root, which the front end empties.
    return page.replace(ROOT, rules + skeleton + ROOT + script)


@cache
def _page_with_links(*, charts: bool) -> str:
    """Return Streamlit's page with links to all that it will need.

    charts: Whether the page needs what draws charts at once.
    """
    page = (STREAMLIT / "index.html").read_text("utf-8")
    page = _FONT_LINK.sub("", page)
    links = _links(page, charts=charts)
    return page.replace("</head>", f"<style>{FONT_FACE}</style>{links}</head>")


def _links(page: str, *, charts: bool) -> str:
    """Return links to what a page will import; without charts, in spare time for the next page."""
    folder = STREAMLIT / "static/js"
    parts: tuple[str, ...] = _PARTS_OF_HOME
    later_relation = "prefetch"
    plotly_relation = "prefetch"
    if charts:
        parts = _PARTS_WITH_CHARTS
        later_relation = "modulepreload"
        plotly_relation = "preload"
    files = [next(folder.glob(f"{part}.*.js")).name for part in parts]
    addresses = [f"/static/js/{name}" for name in with_imports(folder, files) if name not in page]
    addresses += _module_addresses("connection", assets.ENTRIES["connection"], _SKELETON)
    later_addresses = [
        *_module_addresses("chart", assets.ENTRIES["chart"]),
        *_module_addresses("sliders", assets.ENTRIES["sliders"]),
    ]
    links = [f'<link rel="modulepreload" href=".{address}">' for address in addresses]
    links += [f'<link rel="{later_relation}" href=".{address}">' for address in later_addresses]
    plotly = f'as="script" fetchpriority="low" href=".{assets.plotly_address()}"'
    links.append(f'<link data-later="{plotly_relation}" {plotly}>')
    return "".join(links)


def _module_addresses(component: str, *names: str) -> list[str]:
    """Return the addresses of modules of a component, and of all that they import."""
    files = with_imports(assets.ASSETS, names)
    return [assets.address(component, name) for name in files]


def with_imports(folder: Path, names: Iterable[str]) -> list[str]:
    """Return modules of a folder and all that they import, from near to far."""
    modules = list(names)
    # The list grows while it is read.
    for name in modules:
        for target in _IMPORT.findall((folder / name).read_text("utf-8")):
            module = posixpath.normpath(posixpath.join(posixpath.dirname(name), target))
            if module not in modules:
                modules.append(module)
    return modules


def style_sheet() -> str:
    """Return the style sheet of a page, with the background colours of the theme."""
    light = st.get_option("theme.light.backgroundColor") or "white"
    dark = st.get_option("theme.dark.backgroundColor") or "black"
    return _joined_rules().replace("LIGHT", light).replace("DARK", dark)


@cache
def _joined_rules() -> str:
    """Join the parts of the style sheet, without comments."""
    files = [_STATIC / "style" / f"{name}.css" for name in _STYLE_PARTS]
    files.append(attacker_icons.RULES)
    sheet = "".join(file.read_text("utf-8") for file in files)
    return _CSS_COMMENT.sub("", sheet)


def skeleton_rules() -> str:
    """Return the rules of what stands on a page before the front end, in the look of the theme."""
    sheet = (_STATIC / "skeleton.css").read_text("utf-8")
    for hole, option in _THEME_OPTIONS.items():
        sheet = sheet.replace(hole, st.get_option(f"theme.{option}") or "inherit")
    return sheet
