"""Texts of the transfer page on gradient descent, and the tables of published results."""

import math
from collections.abc import Callable
from typing import Any

from lab.statistics.claims import Case
from pages.transfer.baselines import BaselineRisks
from pages.transfer.charts import risk_text
from pages.transfer.result import TransferResult, printed_costs
from ui.text import tiles
from ui.text.texts import Texts
from ui.text.tiles import number

SAYS = Texts(__file__)
# Columns of the published table that are computed here.
_COMPUTED = ("value", "training MSE", "training SSE", "held-out MSE")
# Numbers from here on have one decimal, and smaller ones four.
_LARGE = 100


def descent(result: TransferResult, baselines: BaselineRisks) -> str:
    """Return the risk of gradient descent on the private rows alone, and whether it is best."""
    rivals = (result.risks("transfer"), baselines.frank_wolfe)
    cases = [result.compare_risks(baselines.descent, rival) for rival in rivals]
    case = "descent.beside"
    if cases == [Case.AHEAD, Case.AHEAD]:
        case = "descent.beside_ahead"
    frank_wolfe_median, descent_median = baselines.medians
    return SAYS(
        case,
        helped=risk_text(result.medians["transfer"]),
        walk=risk_text(frank_wolfe_median),
        descent=risk_text(descent_median),
    )


def costs_table(_: TransferResult) -> str:
    """Return the table of what a nominal epsilon costs with the published noise scale."""
    frame = printed_costs()
    heads = {"nominal": "nominal<br>epsilon"}
    for column in frame.columns[1:]:
        noise, adjacency = column.split(", ")
        heads[column] = f"{noise.capitalize()},<br>{adjacency} {tiles.badge('bound')}"
    return tiles.table(
        frame.map("{:.3g}".format),
        title=SAYS["costs.title"],
        caption=SAYS["costs.caption"],
        heads=heads,
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
        result.published.frame(),
        title=SAYS["published.title"],
        caption=_published_caption(result),
        heads=heads,
        formats=formats,
    )


def _published_caption(result: TransferResult) -> str:
    """Return what the numbers of the published table are, and what explains them."""
    published = result.published
    sentences = [SAYS["published.values"]]
    if not published.as_published:
        norm = {"1": "L1", "2": "squared L2"}[published.table.q]
        penalty = number(published.table.penalty)
        sentences.append(SAYS("published.now", penalty=penalty, norm=norm))
    sentences.append(SAYS["published.loop"])
    if published.passes_suffice is not None:
        case = "fails"
        if published.passes_suffice:
            case = "suffices"
        sentences.append(SAYS[f"published.{case}"])
    sentences.append(SAYS["published.held_out"])
    return " ".join(sentences)


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
