"""The results table of the parties: all releases at the set values."""

import math

from pages.parties.charts import SAYS, STYLES
from pages.parties.result import PartiesResult
from ui.text import tables, tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import number

COLUMNS = ("method", "median", "range", "without noise", "epsilon", "delta", "unit")


def table(result: PartiesResult) -> str:
    """Return accuracy and guarantee of each release."""
    frame = result.table()
    ranges = []
    for row in frame.to_dict("records"):
        low = _percent(row["low"])
        high = _percent(row["high"])
        ranges.append(SAYS("table.range", low=low, high=high))
    frame["range"] = ranges
    heads = SAYS.heads("table", COLUMNS, now=tiles.badge("trained now"), bound=tiles.badge("bound"))
    return tables.table(
        frame,
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads=heads,
        formats={
            "method": lambda method: STYLES[method][0],
            "median": _percent,
            "without noise": _percent,
            "epsilon": number,
            "delta": delta_text,
        },
    )


def _percent(share: float) -> str:
    """Return a share in percent without the sign, or a dash if there is none."""
    if math.isnan(share):
        return "–"
    return f"{100 * share:.1f}"
