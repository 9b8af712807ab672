"""The results table of the networks: epsilon and accuracy at four moments of the training."""

import math

from pages.network.charts import SAYS, arm_name
from pages.network.result import NetworkResult
from ui.text import sentences, tables, tiles
from ui.text.tiles import number

COLUMNS = ("step", "epochs", "epsilon", "private", "band", "plain")


def table(result: NetworkResult) -> str:
    """Return the epsilon spent and the accuracies at four moments of the training."""
    frame = result.table()
    frame["band"] = [
        _range_text(low, high) for low, high in zip(frame["low"], frame["high"], strict=True)
    ]
    spent = SAYS["table.claimed"]
    if result.is_covered and not result.settings.void:
        spent = SAYS["table.bound"]
    heads = SAYS.heads(
        "table",
        COLUMNS,
        spent=tiles.badge(spent),
        now=tiles.badge("trained now"),
        private=arm_name(result, "private"),
        plain=arm_name(result, "plain"),
    )
    return tables.table(
        frame,
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads=heads,
        formats={
            "step": "{:,}".format,
            "epochs": number,
            "epsilon": _epsilon_text,
            "private": sentences.format_tenths,
            "plain": sentences.format_tenths,
        },
    )


def _range_text(low: float, high: float) -> str:
    """Return a range of accuracies in %, or one number if both ends are shown alike."""
    low_text = sentences.format_tenths(low)
    high_text = sentences.format_tenths(high)
    if low_text == high_text:
        return low_text
    return SAYS("table.band", low=low_text, high=high_text)


def _epsilon_text(epsilon: float) -> str:
    """Return an epsilon, or dots while it is counted."""
    if math.isnan(epsilon):
        return "…"
    return number(epsilon)
