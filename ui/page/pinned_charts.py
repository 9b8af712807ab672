"""Overlay the charts of pinned settings, B, on those of the present ones, A.

A topic marks what is overlaid by ``theme.PINNED``, in the ``meta`` of a trace and the ``name`` of a
shape. The overlay keeps its colour, with dashes and hollow marks. Charts with ``Chart.pair`` stand
beside each other instead.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from ui.charts.theme import PINNED, legend_name
from ui.page.view import Rows
from ui.widgets import Chart

NAME = "pinned B"
# More charts side by side cannot be read.
_MOST_CHARTS = 3
_DASHES = "dash"
_OUTLINE_WIDTH = 1.5
# The value that a legend entry ends with, and the part of a hover text that names the trace.
_LEGEND_VALUE = re.compile(r"  <b>(.*)</b>$")
_HOVER_NAME = re.compile(r"<extra>.*</extra>", re.DOTALL)
# Fields of a trace that an overlay leaves out: its area and its mark.
_LEFT_OUT = ("fill", "fillcolor", "meta")

Figure = Mapping[str, Any]


def with_overlay(rows: Rows, pinned: Rows) -> list[list[Chart]]:
    """Return rows of charts with those of the pinned settings, which are found by their names.

    A row that pairs make too long leaves out charts without a pair, the last ones first.
    """
    pinned_charts = {chart.name: chart for row in pinned for chart in row}
    overlaid = []
    for row in rows:
        groups = [_overlaid(chart, pinned_charts.get(chart.name)) for chart in row]
        overlaid.append(_with_room_for_pairs(groups))
    return overlaid


def _with_room_for_pairs(groups: Sequence[list[Chart]]) -> list[Chart]:
    """Return the charts of a row, without the last single ones that its pairs leave no room for.

    groups: Single charts and pairs, each as a list. The first one always stays.
    """
    surplus = 0
    if any(len(group) == 2 for group in groups):
        surplus = sum(len(group) for group in groups) - _MOST_CHARTS
    kept: list[Chart] = []
    for group in reversed(groups[1:]):
        if surplus > 0 and len(group) == 1:
            surplus -= 1
        else:
            kept = [*group, *kept]
    return [*groups[0], *kept]


def _overlaid(chart: Chart, pinned: Chart | None) -> list[Chart]:
    """Return a chart with its overlay, or a pair of charts."""
    if pinned is None:
        return [chart]
    if chart.pair:
        return [_with_badge(chart, "A"), _second_of_pair(pinned)]
    traces = []
    for trace in pinned.figure["data"]:
        if trace.get("meta") == PINNED:
            traces.append(_dashed_trace(trace))
    own_shapes = chart.figure["layout"].get("shapes", ())
    shapes = []
    for shape in pinned.figure["layout"].get("shapes", ()):
        if shape.get("name") == PINNED and shape not in own_shapes:
            shapes.append(_dashed_shape(shape))
    if not traces and not shapes:
        return [chart]
    return [replace(chart, figure=_with_layers(chart.figure, traces, shapes))]


def _second_of_pair(chart: Chart) -> Chart:
    """Return the chart of the pinned settings, named and titled as such, and without clicks."""
    layout = dict(chart.figure["layout"])
    if "shapes" in layout:
        shapes = []
        for shape in layout["shapes"]:
            if shape.get("name") == PINNED:
                shape = _dashed_shape(shape)
            shapes.append(shape)
        layout["shapes"] = shapes
    pinned = replace(
        chart,
        name=f"{chart.name}.pinned",
        figure={**chart.figure, "layout": layout},
        alt=f"Pinned B: {chart.alt}",
        clicks=None,
    )
    return _with_badge(pinned, "B")


def _with_badge(chart: Chart, badge: str) -> Chart:
    """Return the chart with a letter before its title."""
    layout = chart.figure["layout"]
    title = layout.get("title") or {}
    text = f"<b>{badge}</b>"
    if title.get("text"):
        text = f"{text} · {title['text']}"
    new_layout = {**layout, "title": {**title, "text": text}}
    return replace(chart, figure={**chart.figure, "layout": new_layout})


def _with_layers(figure: Figure, traces: list[dict], shapes: list[dict]) -> dict:
    """Return the figure with an overlay below its own curves and marks, and above its bands."""
    data = list(figure["data"])
    index = _first_pinned(data)
    data[index:index] = traces
    layout = dict(figure["layout"])
    if shapes:
        layout["shapes"] = [*shapes, *layout.get("shapes", ())]
    return {**figure, "data": data, "layout": layout}


def _first_pinned(data: Sequence[Mapping[str, Any]]) -> int:
    """Return the index of the first trace that is overlaid, or 0."""
    for index, trace in enumerate(data):
        if trace.get("meta") == PINNED:
            return index
    return 0


def _dashed_trace(trace: Mapping[str, Any]) -> dict:
    """Return a trace with dashes and hollow marks, and without its area."""
    dashed = {name: value for name, value in trace.items() if name not in _LEFT_OUT}
    value = ""
    match = _LEGEND_VALUE.search(trace.get("name", ""))
    if match is not None:
        value = match[1]
    dashed["name"] = legend_name(NAME, value)
    if "line" in trace:
        dashed["line"] = {**trace["line"], "dash": _DASHES}
    if "marker" in trace:
        symbol = str(trace["marker"].get("symbol", "circle")).removesuffix("-open")
        dashed["marker"] = {**trace["marker"], "symbol": f"{symbol}-open"}
    if "hovertemplate" in trace:
        dashed["hovertemplate"] = _HOVER_NAME.sub(f"<extra>{NAME}</extra>", trace["hovertemplate"])
    return dashed


def _dashed_shape(shape: Mapping[str, Any]) -> dict:
    """Return a shape as a dashed outline; one without an outline gets the colour that filled it."""
    line = dict(shape.get("line", {}))
    if "fillcolor" in shape and not line.get("width"):
        line["color"] = shape["fillcolor"]
        line["width"] = _OUTLINE_WIDTH
    elif line.get("width", 1):
        line["dash"] = _DASHES
    dashed = dict(shape)
    dashed.pop("fillcolor", None)
    dashed.pop("name", None)
    dashed["line"] = line
    return dashed
