"""The table of the network page: accuracy during training."""

from pages.network.charts import SAYS, arm_name
from pages.network.result import NetworkResult
from ui.text import sentences, tiles
from ui.text.tiles import number


def table(result: NetworkResult) -> str:
    frame, arms = result.table(), {arm: arm_name(result, arm) for arm in ("private", "plain")}
    ends = zip(
        frame["low"].map(sentences.format_tenths),
        frame["high"].map(sentences.format_tenths),
        strict=True,
    )
    band = [low if low == high else SAYS("table.band", low=low, high=high) for low, high in ends]
    spent = tiles.badge(
        SAYS["table.bound" if result.holds and not result.settings.void else "table.claimed"]
    )
    columns = "step", "epochs", "epsilon", "private", "band", "plain"
    return tiles.table(
        frame.assign(band=band),
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads=SAYS.heads("table", columns, spent=spent, now=tiles.badge("trained now"), **arms),
        formats={
            "step": "{:,}".format,
            "epochs": number,
            "epsilon": lambda value: "…" if value != value else number(value),
            "private": sentences.format_tenths,
            "plain": sentences.format_tenths,
        },
    )
