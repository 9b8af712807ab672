"""A page in one file with its scripts and styles, which opens from a disk without any request."""

import re
from collections.abc import Iterable
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import orjson

HERE = Path(__file__).parent
CHART_RULES = HERE / "player" / "chart.css"
# The page makes no requests.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|let|class) (\w+))", re.MULTILINE)
# Comments on lines of their own, which nobody reads in a page.
_COMMENT = re.compile(r"^[ \t]*(?:/\*\*.*?\*/|//.*?)[ \t]*\n", re.MULTILINE | re.DOTALL)
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "((?:.*/)?(\w+)\.js)"$', re.MULTILINE)


def document(
    title: str, body: str, *, style: str, width: str = "device-width", head: str = ""
) -> str:
    """Return a page (HTML).

    Args:
        title: Its title, plain text.
        body: Its content (HTML).
        style: Its rules (CSS).
        width: Width of a phone's window.
        head: More tags for its head (HTML).
    """
    tags = (
        '<meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
        f'<meta name="viewport" content="width={width}">'
        f"<title>{escape(title)} · Epsilon Lab</title>{head}"
    )
    return (
        f'<!doctype html><html lang="en"><head>{tags}<style>{style}</style></head>'
        f"<body>{body}</body></html>\n"
    )


def joined(sheets: Iterable[Path]) -> str:
    """Return the rules of some style sheets."""
    return "".join(sheet.read_text("utf-8") for sheet in sheets)


def data(value: Any, *, name: str = "") -> str:
    """Return data for scripts as an element with this id, in which no tag can begin (HTML)."""
    text = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode()
    text = text.replace("<", "\\u003c")
    attributes = 'type="application/json"'
    if name:
        attributes += f" id={name}"
    return f"<script {attributes}>{text}</script>"


def program(file: str) -> str:
    """Return a module of ``ui`` and all that it imports as one script (HTML)."""
    return f"<script>{_without_end_tag(bundle(file))}</script>"


@cache
def bundle(file: str) -> str:
    """Return a module of ``ui`` and all that it imports as one script.

    Each module is a function that returns what it exports, stored in the constant of_<name>.
    """
    parts = []
    for path in _with_imports((HERE / file).resolve()):
        text = _COMMENT.sub("", path.read_text("utf-8"))
        text = _IMPORT.sub(lambda match: f"const {match[1]} = of_{match[3]}", text)
        exports = ", ".join(_EXPORT.findall(text))
        body = _EXPORT.sub("", text)
        parts.append(f"const of_{path.stem} = (() => {{\n{body}\nreturn {{ {exports} }}\n}})()")
    return "\n".join(parts)


def _with_imports(path: Path) -> list[Path]:
    """Return a module after all modules that it imports, each once."""
    modules: list[Path] = []
    for match in _IMPORT.finditer(path.read_text("utf-8")):
        for imported in _with_imports((path.parent / match[2]).resolve()):
            if imported not in modules:
                modules.append(imported)
    modules.append(path)
    return modules


def _without_end_tag(script: str) -> str:
    """Return a script that cannot end its element.

    Only strings hold these characters, and mean the same with a backslash.
    """
    script = re.sub(r"</(?=script)", r"<\\/", script, flags=re.IGNORECASE)
    return script.replace("<!--", "<\\!--")
