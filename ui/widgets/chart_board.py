"""Plotly charts that are redrawn in place while a slider moves: the nodes stay, and with them zoom
and hover.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson

from ui.charts.alt_text import describe
from ui.widgets import assets


@dataclass(frozen=True, kw_only=True)
class Chart:
    """One chart of a board.

    `figure` is Plotly's, as plain data. `alt` is what a screen reader reads in place of the
    picture, described from the figure where it is left out. `height` is in CSS pixels, `narrow` the
    same where a page has one column, and `wide` its share of the row. `about` says what one sees,
    and what to look for, to who asks. A `pair` is shown twice where settings are pinned, theirs
    beside today's (`ui.page.comparison`). `clicks` makes a click a movement of the board
    (`movement(key)`): of the field `clicks["point"]` to the customdata of the point under it, else
    of the field `clicks["place"]` to "x,y", -1 and 1 being the ends of the axes' ranges in
    `clicks["x"]` and `clicks["y"]`. `clicks["drag"]`, {"at": (x, y), "colour"}, lets one drag the
    mark that is drawn there, which says places too.
    """

    name: str
    figure: Mapping
    alt: str = ""
    height: int = 320
    narrow: int | None = None
    wide: float = 1.0
    pair: bool = False
    about: str = ""
    clicks: Mapping[str, object] | None = None

    def __post_init__(self) -> None:
        if not self.alt:
            object.__setattr__(self, "alt", describe(self.figure))

    def message(self) -> dict:
        """Return what the browser is told; the figure is encoded once."""
        known = {"name": self.name, "about": self.about, "height": self.height, "wide": self.wide}
        known |= {"narrow": self.narrow} if self.narrow else {}
        return known | {"figure": orjson.Fragment(_json(self.figure))} | self.beside()

    def beside(self) -> dict:
        """Return what stands beside the figure, and moves with it."""
        return {"alt": self.alt} | ({"clicks": self.clicks} if self.clicks else {})

    def parts(self) -> dict[str, bytes]:
        """Return each part of the figure as JSON: "data", and the layout's by their names."""
        layout = self.figure.get("layout", {})
        return {"data": _json(self.figure["data"])} | {
            f"layout.{name}": _json(part) for name, part in layout.items()
        }


def _json(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SERIALIZE_NUMPY)


def row(
    about: Mapping[str, str],
    figures: Mapping[str, Mapping],
    *,
    height: int = 320,
    **parts: Mapping[str, Any],
) -> list[Chart]:
    """Return the pictures of a row: name -> figure, each explained by the text ``about`` its name,
    up to a dot in it.

    parts: other fields of ``Chart``, as ``wide``, each as name -> its value for the pictures that
    have one.
    """
    return [
        Chart(
            name=name,
            figure=figure,
            about=about[name.partition(".")[0]],
            height=height,
            **{part: values[name] for part, values in parts.items() if name in values},
        )
        for name, figure in figures.items()
    ]


def board(
    rows: Sequence[Sequence[Chart]],
    *,
    key: str,
    ack: int = 0,
    of: Mapping[str, object] | None = None,
    name: str = "board",
    paper: Mapping[str, object] | None = None,
) -> None:
    """Draw rows of charts, or redraw them where they stand if a board with this key is on the page
    already.

    Colours of text, grid and background follow Streamlit's theme where a figure's layout does not
    set them. A redraw is quick with typed arrays, unchanged traces, fixed axis ranges, and at most
    a few hundred markers.

    `ack`: the number of the newest click that the pictures contain. A mark that is dragged waits
        for it. `of`: what the
    pictures are of, the panel's `channel`: a frame of the channel stays until the pictures of the
    same have come. Its `name` is the board's there. `paper`: what a saved picture says under its
    chart, {"stem": begin of its file's name, "lines": texts}.
    """
    messages = [[picture.message() for picture in row] for row in rows]
    data = {
        "name": name,
        "ack": ack,
        "of": of,
        "paper": paper,
        "rows": messages,
        "plotly": assets.plotly_address(),
    }
    clicked = any(picture.clicks for row in rows for picture in row)
    assets.mount("chart", key=key, data=_json(data), keeps="movement" if clicked else "")
