"""Describe a chart in words for a screen reader: title, axes, and named lines with some values."""

import base64
import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import numpy as np

from ui.charts import theme
from ui.text.numbers import number

_MAX_VALUES = 7
_TAG = re.compile(r"<[^>]*>")
_SPACE = re.compile(r"\s+")


def describe(figure: Mapping[str, Any]) -> str:
    """Return the content of a figure (Plotly's, as plain data) in sentences."""
    layout = figure["layout"]
    horizontal = _title(layout.get("xaxis", {}))
    vertical = ""
    notes = []
    for annotation in layout.get("annotations", ()):
        text = annotation.get("text", "")
        plain_text = _plain(text)
        if annotation == theme.vertical_title(text):
            vertical = plain_text
        elif plain_text:
            notes.append(plain_text)
    axes = horizontal or vertical
    if horizontal and vertical:
        axes = f"The axes are {vertical} (vertical) and {horizontal} (horizontal)"
    sentences = [_title(layout), axes]
    for trace in figure["data"]:
        sentences.append(_describe_line(trace))
    sentences.append(", ".join(notes))
    return " ".join(f"{sentence}." for sentence in sentences if sentence)


def _title(titled: Mapping[str, Any]) -> str:
    """Return the title of a layout or an axis."""
    return _plain(titled.get("title", {}).get("text", ""))


def _describe_line(trace: Mapping[str, Any]) -> str:
    """Return the name of a trace in the legend, and some of its values; "" if it has none."""
    # After the name stands the current value.
    name, _, _ = str(trace.get("name") or "").partition("  <b>")
    name = _plain(name)
    if not name or trace.get("showlegend") is False or "y" not in trace:
        return ""
    x = _values(trace.get("x", ()))
    y = _values(trace["y"])
    if trace.get("orientation") == "h":  # bars to the right of their names
        x, y = y, x
    y = np.asarray(y, dtype=float)
    if y.ndim != 1 or len(y) != len(x) or not np.isfinite(y).any():
        return ""
    if trace.get("mode") == "markers" or not np.isfinite(y).all():
        return name
    if np.ptp(y) == 0:
        return f"{name}: {number(float(y[0]))}"
    indices = np.unique(np.linspace(0, len(y) - 1, _MAX_VALUES).round().astype(int))
    values = [f"{number(float(y[index]))} at {_position(x[index])}" for index in indices]
    return f"{name}: {', '.join(values)}"


def _values(values: Any) -> Any:
    """Decode Plotly's typed array (``theme.array``); return a list as it is."""
    if not isinstance(values, Mapping):
        return values
    return np.frombuffer(base64.b64decode(values["bdata"]), dtype=np.dtype(values["dtype"]))


def _position(value: Any) -> str:
    if isinstance(value, str):
        return value
    return number(float(value))


def _plain(text: str) -> str:
    """Return text without tags, on one line, without a colon or full stop at the end."""
    text = unescape(_TAG.sub(" ", text))
    return _SPACE.sub(" ", text).strip().rstrip(".:")
