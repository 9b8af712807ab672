"""A page in one file: it opens from a disk, asks nobody for anything, and holds its scripts and
styles.
"""

import re
from collections.abc import Iterator
from functools import cache
from html import escape
from pathlib import Path
from typing import Any

import orjson

HERE = Path(__file__).parent
CHART_RULES = HERE / "player" / "chart.css"
# The page may ask nobody for anything.
_POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function\*?|const|let|class) (\w+))", re.MULTILINE)
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "((?:.*/)?(\w+)\.js)"$', re.MULTILINE)


def document(title: str, body: str, *, style: str, width: str = "device-width") -> str:
    """Return a page (HTML) with this title, which is text, and these rules; width: of a phone's
    window.
    """
    head = (
        '<meta charset="utf-8"><meta http-equiv="Content-Security-Policy"'
        f' content="{_POLICY}"><meta name="viewport" content="width={width}"><title>{escape(title)}'
        " · Epsilon Lab</title>"
    )
    return (
        "<!doctype html><html"
        f' lang="en"><head>{head}<style>{style}</style></head><body>{body}</body></html>\n'
    )


def data(value: Any, *, name: str = "") -> str:
    """Return what a script reads from the page, as an element with this id; nothing in it acts."""
    text = orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY).decode().replace("<", "\\u003c")
    return f'<script type="application/json"{f" id={name}" if name else ""}>{text}</script>'


def program(file: str) -> str:
    """Return a module of ``ui`` and all that it imports as one script (HTML)."""
    return f"<script>{_inside(bundle(file))}</script>"


@cache
def bundle(file: str) -> str:
    """Return a module of ``ui`` and all that it imports as one script: each in a scope, a constant
    of its name.
    """
    found = []
    for path in dict.fromkeys(_needed((HERE / file).resolve())):
        text = _IMPORT.sub(lambda one: f"const {one[1]} = of_{one[3]}", path.read_text("utf-8"))
        exports = ", ".join(_EXPORT.findall(text))
        body = _EXPORT.sub("", text)
        found.append(f"const of_{path.stem} = (() => {{\n{body}\nreturn {{ {exports} }}\n}})()")
    return "\n".join(found)


def _needed(path: Path) -> Iterator[Path]:
    """Yield what a module imports, and then the module."""
    for found in _IMPORT.finditer(path.read_text("utf-8")):
        yield from _needed((path.parent / found[2]).resolve())
    yield path


def _inside(script: str) -> str:
    """Return text that cannot end the script it stands in: only strings hold these signs, where
    they mean the same.
    """
    return re.sub(r"</(?=script)", r"<\\/", script, flags=re.IGNORECASE).replace("<!--", "<\\!--")
