"""Make frames, which hold all that a page shows, and the differences between two of them."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import orjson

from ui.compute import debounce
from ui.live.messages import Request
from ui.page.pin import read_pin
from ui.page.screen import make_screen

# The delay, in seconds, after which a browser asks for a run of the whole page. It is longer while
# many people move something.
CALM_DELAY = 0.3
_MILLISECONDS = 1000
# A part of a figure that is no more there, as JSON.
_REMOVED = b"null"

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Frame:
    """What a page shows.

    Attributes:
        done: The share of the work that is done, from 0 to 1.
        errors: Field -> the sentence that refuses its value.
        values: Field -> new value of fields that have changed without being moved.
        texts: CSS selector -> HTML.
        rows: Board -> rows of names of charts.
        charts: Name of a chart -> (its extras, the parts of the figure as JSON).
    """

    done: float
    errors: Mapping[str, str]
    values: Mapping[str, Any]
    texts: Mapping[str, str]
    rows: Mapping[str, list[list[str]]]
    charts: Mapping[str, tuple[dict, dict[str, bytes]]]


def make_frame(request: Request, seconds: float) -> Frame | None:
    """Return what the page shows after some seconds of work.

    With 0 seconds only essential work is done. Return None if only a run of the page itself can
    show it, because it uses a visitor's own file or meets a fault.
    """
    page = request.page
    try:
        settings, errors, side_effects = request.moved
        if settings.uses_file:
            return None
        pinned = None
        if request.pin is not None:
            pinned, _ = read_pin(page.settings, request.pin)  # type: ignore[arg-type]  # classes have a hash
        screen = make_screen(
            page,
            settings,
            pinned,
            seconds=seconds,
            tab=request.tab,
            ask=request.ask,
            resting=seconds > 0,
        )
        rows = {}
        charts = {}
        for board, chart_rows in screen.charts(request.tab).items():
            rows[board] = [[chart.name for chart in row] for row in chart_rows]
            for row in chart_rows:
                for chart in row:
                    charts[chart.name] = (chart.extras(), chart.parts())
        texts = screen.texts(request.tab)
        return Frame(screen.done, errors, side_effects, texts, rows, charts)
    except Exception:
        _log.exception("%s: a request on the channel met a fault", page.name)
        return None


class ClientState:
    """What one browser has been sent over its connection."""

    def __init__(self) -> None:
        self._texts: Mapping[str, str] = {}
        self._rows: Mapping[str, list[list[str]]] | None = None
        self._parts: dict[str, dict[str, bytes]] = {}

    def diff(self, frame: Frame) -> dict[str, Any]:
        """Return the message that turns the last frame into this one, which then is the last."""
        changed_texts = {}
        for selector, html in frame.texts.items():
            if self._texts.get(selector) != html:
                changed_texts[selector] = html
        chart_changes = {}
        parts_by_chart = {}
        for name, (extras, parts) in frame.charts.items():
            changed_parts = diff_parts(parts, self._parts.get(name, {}))
            chart_changes[name] = extras | changed_parts
            parts_by_chart[name] = parts
        message = {
            "done": frame.done,
            "errors": frame.errors,
            "values": frame.values,
            "rest": round(_MILLISECONDS * debounce.delay(CALM_DELAY)),
            "words": changed_texts,
            "charts": chart_changes,
        }
        if frame.rows != self._rows:
            message["rows"] = frame.rows
        self._texts = frame.texts
        self._rows = frame.rows
        self._parts = parts_by_chart
        return message


def diff_parts(parts: Mapping[str, bytes], before: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the changes that turn a figure into another one, null for a part that is removed.

    Args:
        parts: The figure as ``Chart.parts`` returns it: "data", and "layout.NAME" for each part of
            the layout, as JSON.
        before: The earlier figure in the same form.
    """
    changes: dict[str, Any] = {}
    layout = {}
    for name in {**before, **parts}:
        part = parts.get(name, _REMOVED)
        if part == before.get(name):
            continue
        if name == "data":
            changes["data"] = orjson.Fragment(part)
        else:
            layout[name.removeprefix("layout.")] = orjson.Fragment(part)
    if layout:
        changes["layout"] = layout
    return changes
