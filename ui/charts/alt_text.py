"""Describe a figure in words, for a screen reader: title, axes, and named lines with some of their
values.
"""

import base64
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import numpy as np

from ui.charts import theme
from ui.text.numbers import number

# At most so many values of a line are read out.
_MOST = 7


def describe(figure: Mapping[str, Any]) -> str:
    """Return what a figure (Plotly's, as plain data) shows, as sentences."""
    layout = figure["layout"]
    up, over, notes = "", _title(layout.get("xaxis", {})), []
    for note in layout.get("annotations", ()):
        text = note.get("text", "")
        if note == theme.vertical_title(text):
            up = _plain(text)
        elif text := _plain(text):
            notes.append(text)
    axes = f"The axes are {up} (vertical) and {over} (horizontal)" if up and over else over or up
    lines = (_line(trace) for trace in figure["data"])
    return " ".join(f"{said}." for said in (_title(layout), axes, *lines, ", ".join(notes)) if said)


def _title(titled: Mapping[str, Any]) -> str:
    return _plain(titled.get("title", {}).get("text", ""))


def _line(trace: Mapping[str, Any]) -> str:
    """Return the values of a trace that has a name in the legend."""
    name = _plain(str(trace.get("name") or "").partition("  <b>")[0])
    if not name or trace.get("showlegend") is False or "y" not in trace:
        return ""
    x, y = _values(trace.get("x", ())), _values(trace["y"])
    if trace.get("orientation") == "h":  # bars to the right of their names
        x, y = y, x
    y = np.asarray(y, dtype=float)
    known = np.flatnonzero(np.isfinite(y)) if y.ndim == 1 and len(y) == len(x) else np.empty(0)
    if not len(known):
        return ""
    if trace.get("mode") == "markers" or len(known) < len(y):
        return name
    if np.ptp(y) == 0:
        return f"{name}: {number(float(y[0]))}"
    places = np.unique(np.linspace(0, len(y) - 1, _MOST).round().astype(int))
    return f"{name}: " + ", ".join(f"{number(float(y[at]))} at {_place(x[at])}" for at in places)


def _values(values: Any) -> Any:
    """Return the numbers of Plotly's typed array (``theme.array``), or a list as it is."""
    if not isinstance(values, Mapping):
        return values
    return np.frombuffer(base64.b64decode(values["bdata"]), dtype=np.dtype(values["dtype"]))


def _place(value: Any) -> str:
    return value if isinstance(value, str) else number(float(value))


def _plain(text: str) -> str:
    bare = re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]*>", " ", text))).strip()
    return bare.rstrip(".:")
