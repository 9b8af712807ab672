"""Texts of the transfer page on gradient descent, and the published table."""

import math
from collections.abc import Callable
from typing import Any

from lab.statistics.claims import Case
from pages.transfer.charts import risk_text
from pages.transfer.result import TransferResult
from ui.text import tiles
from ui.text.texts import Texts

SAYS = Texts(__file__)
# Columns of the published table that are computed here.
_COMPUTED = ("value", "training MSE", "training SSE")
# Numbers from here on have one decimal, and smaller ones four.
_LARGE = 100


def descent(result: TransferResult) -> str:
    """Return the risk of gradient descent on the private rows alone, and whether it is best."""
    case = "descent.beside"
    if result.descent_cases == [Case.AHEAD, Case.AHEAD]:
        case = "descent.beside_ahead"
    return SAYS(
        case,
        helped=risk_text(result.medians["transfer"]),
        walk=risk_text(result.medians["target"]),
        descent=risk_text(result.descent_median),
    )


def published_table(result: TransferResult) -> str:
    """Return the published table, reproduced, and what its numbers are."""
    formats: dict[str, Callable[[Any], str]] = {"migrated": str, "published": _published_text}
    for column in _COMPUTED:
        formats[column] = _computed_text
    heads = SAYS.heads(
        "published",
        ("migrated", "rows", "epochs", "published", *_COMPUTED),
        now=tiles.badge("trained now"),
        printed=tiles.badge("published"),
    )
    return tiles.table(
        result.published_table(),
        title=SAYS["published.title"],
        caption=SAYS["published.caption"],
        heads=heads,
        formats=formats,
    )


def _published_text(value: float) -> str:
    """Return a published value, or "control" for a row without one."""
    if math.isnan(value):
        return "control"
    return f"{value:.4f}"


def _computed_text(value: float) -> str:
    """Return a number of the loop, or dots until it is computed."""
    if math.isnan(value):
        return "…"
    if value < _LARGE:
        return f"{value:.4f}"
    return f"{value:.1f}"
