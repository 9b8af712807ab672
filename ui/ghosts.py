"""The ghost of pinned settings in the pictures of today's.

A topic marks what has a ghost with ``theme.GHOST``, a trace in its ``meta`` and a shape in its ``name``, and a picture
that is to stand beside today's by ``Picture.pair``. A ghost keeps its colour, with dashes and hollow marks.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ui.live import Picture
from ui.plot.theme import GHOST, key

NAME = "pinned B"
_DASH = "dash"
# More pictures side by side cannot be read.
_MOST = 3
_VALUE = re.compile(r"  <b>(.*)</b>$")
_EXTRA = re.compile(r"<extra>.*</extra>", re.DOTALL)
# What fills an area; a ghost is but an outline.
_FILL = ("fill", "fillcolor")
_OUTLINE = 1.5

Rows = Sequence[Sequence[Picture]]


def ghosted(rows: Rows, pinned: Rows) -> list[list[Picture]]:
    """Return ``rows`` of pictures with the ghost of the ``pinned`` settings' ones, each found by its name.

    A row that a pair makes too long leaves out what stands last in it and has no ghost.
    """
    known = {picture.name: picture for row in pinned for picture in row}
    return [_fitted([_with_ghost(picture, known.get(picture.name)) for picture in row]) for row in rows]


def _fitted(row: Sequence[Sequence[Picture]]) -> list[Picture]:
    """Return the pictures of a row, each alone or with another one beside it; the first one always stays."""
    row = list(row)
    paired = any(len(some) > 1 for some in row)
    for place in reversed(range(1, len(row))):
        if paired and sum(map(len, row)) > _MOST and len(row[place]) == 1:
            del row[place]
    return [picture for some in row for picture in some]


def _with_ghost(picture: Picture, other: Picture | None) -> list[Picture]:
    if other is None:
        return [picture]
    if picture.pair:
        return [_titled(picture, "A"), _beside(other)]
    traces = [_outlined(trace) for trace in other.figure["data"] if trace.get("meta") == GHOST]
    mine = picture.figure["layout"].get("shapes", ())
    marked = (shape for shape in other.figure["layout"].get("shapes", ()) if shape.get("name") == GHOST)
    shapes = [_hollow(shape) for shape in marked if shape not in mine]
    return [replace(picture, figure=_under(picture.figure, traces, shapes))] if traces or shapes else [picture]


def _beside(picture: Picture) -> Picture:
    """Return the picture of the pinned settings, named and titled as such; a click in it means nothing."""
    layout = dict(picture.figure["layout"])
    if "shapes" in layout:
        layout["shapes"] = [_hollow(one) if one.get("name") == GHOST else one for one in layout["shapes"]]
    dashed = replace(picture, figure={**picture.figure, "layout": layout})
    named = replace(dashed, name=f"{picture.name}.pinned", alt=f"Pinned B: {picture.alt}", clicks=None)
    return _titled(named, "B")


def _titled(picture: Picture, badge: str) -> Picture:
    layout = picture.figure["layout"]
    title = layout.get("title") or {}
    words = " · ".join(filter(None, [f"<b>{badge}</b>", title.get("text")]))
    return replace(picture, figure={**picture.figure, "layout": {**layout, "title": {**title, "text": words}}})


def _under(figure: Mapping[str, Any], traces: list[dict], shapes: list[dict]) -> dict:
    """Return the figure with these below its own curves and marks, and above its bands."""
    data, layout = list(figure["data"]), dict(figure["layout"])
    place = next((place for place, trace in enumerate(data) if trace.get("meta") == GHOST), 0)
    data[place:place] = traces
    if shapes:
        layout["shapes"] = [*shapes, *layout.get("shapes", ())]
    return {**figure, "data": data, "layout": layout}


def _outlined(trace: Mapping[str, Any]) -> dict:
    """Return a trace as a ghost: dashes, hollow marks, no area."""
    ghost = {name: value for name, value in trace.items() if name not in (*_FILL, "meta")}
    value = _VALUE.search(trace.get("name", ""))
    ghost["name"] = key(NAME, value[1] if value else "")
    if "line" in trace:
        ghost["line"] = {**trace["line"], "dash": _DASH}
    if "marker" in trace:
        symbol = str(trace["marker"].get("symbol", "circle")).removesuffix("-open")
        ghost["marker"] = {**trace["marker"], "symbol": f"{symbol}-open"}
    if "hovertemplate" in trace:
        ghost["hovertemplate"] = _EXTRA.sub(f"<extra>{NAME}</extra>", trace["hovertemplate"])
    return ghost


def _hollow(shape: Mapping[str, Any]) -> dict:
    """Return a shape as a ghost: its outline in dashes, in the colour that filled it where it had none."""
    line = dict(shape.get("line", {}))
    if "fillcolor" in shape and not line.get("width"):
        line |= {"color": shape["fillcolor"], "width": _OUTLINE}
    elif line.get("width", 1):
        line["dash"] = _DASH
    return {name: value for name, value in shape.items() if name not in ("fillcolor", "name")} | {"line": line}
