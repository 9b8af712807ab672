"""Draw boards of Plotly charts that are redrawn in place while a slider moves.

The nodes of a chart stay, and with them zoom and hover.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ui.charts.alt_text import describe
from ui.widgets import assets

_HEIGHT = 320


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One chart of a board.

    Attributes:
        name: Its name on the board.
        figure: Plotly's figure as plain data.
        alt: What a screen reader reads in its place, by default described from the figure.
        height: Its height in CSS pixels.
        narrow: The same where a page has one column.
        wide: Its share of the row's width.
        pair: Whether it is shown twice where settings are pinned, theirs beside today's
            (``ui.page.pinned_charts``).
        about: Explains on demand what one sees, and what to look for.
        clicks: Makes a click a movement of the board (``movement(key)``): of the field
            ``clicks["point"]`` to the customdata of the point under it, or else of the field
            ``clicks["position"]`` to "x,y", where -1 and 1 are the ends of the axes' ranges in
            ``clicks["x"]`` and ``clicks["y"]``. With ``clicks["drag"]``, {"at": (x, y), "colour"},
            the mark that is drawn there can be dragged, which moves the same field.
    """

    name: str
    figure: Mapping
    alt: str = ""
    height: int = _HEIGHT
    narrow: int | None = None
    wide: float = 1.0
    pair: bool = False
    about: str = ""
    clicks: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        if not self.alt:
            object.__setattr__(self, "alt", describe(self.figure))

    def message(self) -> dict:
        """Return the chart as the browser gets it. The figure is encoded once."""
        message = {
            "name": self.name,
            "about": self.about,
            "height": self.height,
            "wide": self.wide,
            "figure": orjson.Fragment(_json(self.figure)),
            **self.extras(),
        }
        if self.narrow:
            message["narrow"] = self.narrow
        return message

    def extras(self) -> dict:
        """Return what accompanies the figure in each frame: its alternative text and its clicks."""
        extras: dict[str, Any] = {"alt": self.alt}
        if self.clicks:
            extras["clicks"] = self.clicks
        return extras

    def parts(self) -> dict[str, bytes]:
        """Return the figure in parts, as JSON: "data", and "layout.NAME" for each of the layout."""
        parts = {"data": _json(self.figure["data"])}
        for name, part in self.figure.get("layout", {}).items():
            parts[f"layout.{name}"] = _json(part)
        return parts


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)


def explained_chart(
    about: Mapping[str, str], name: str, figure: Mapping[str, Any], **fields: Any
) -> Chart:
    """Return a chart with the text that explains it.

    Args:
        about: Name -> text. A chart "map.private" has that of "map".
        name: The chart's name.
        figure: Plotly's figure as plain data.
        fields: Other fields of ``Chart``.
    """
    kind, _, _ = name.partition(".")
    return Chart(name=name, figure=figure, about=about[kind], **fields)


def row(
    about: Mapping[str, str],
    figures: Mapping[str, Mapping],
    *,
    height: int = _HEIGHT,
    **fields: Mapping[str, Any],
) -> list[Chart]:
    """Return the charts of a row.

    Args:
        about: As of ``explained_chart``.
        figures: Name -> figure.
        height: The height of all charts.
        fields: Other fields of ``Chart``, such as ``wide``, each as name -> value for the charts
            that have one.
    """
    charts = []
    for name, figure in figures.items():
        chart_fields = {field: values[name] for field, values in fields.items() if name in values}
        charts.append(explained_chart(about, name, figure, height=height, **chart_fields))
    return charts


def board(
    rows: Sequence[Sequence[Chart]],
    *,
    key: str,
    ack: int = 0,
    of: Mapping[str, object] | None = None,
    name: str = "board",
    paper: Mapping[str, object] | None = None,
) -> None:
    """Draw rows of charts, or redraw them in place if a board with this key is on the page.

    Colours of text, grid and background follow Streamlit's theme where a layout does not set them.
    A redraw is quick with typed arrays, unchanged traces, fixed axis ranges, and at most a few
    hundred markers.

    Args:
        rows: The charts.
        key: The key of the component.
        ack: The number of the newest click that the charts contain. A mark that is dragged waits
            for it.
        of: What the charts are of, the panel's ``channel``. A frame of the channel stays until the
            charts of the same have come.
        name: The board's name in frames.
        paper: What a saved chart says under it: {"stem": begin of its file's name, "lines": texts}.
    """
    messages = [[chart.message() for chart in row] for row in rows]
    data = {
        "name": name,
        "ack": ack,
        "of": of,
        "paper": paper,
        "rows": messages,
        "plotly": assets.plotly_address(),
    }
    keeps = ""
    if any(chart.clicks for row in rows for chart in row):
        keeps = "movement"
    assets.mount("chart", key=key, data=_json(data), keeps=keeps)
