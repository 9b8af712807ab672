"""The table of the network page: accuracy during training."""

from pages.network.figures import SAYS, arm_name
from pages.network.result import NetworkResult
from ui import outcomes, panels
from ui.panels import number


def table(result: NetworkResult) -> str:
    frame, arms = result.table(), {arm: arm_name(result, arm) for arm in ("private", "plain")}
    ends = zip(frame["low"].map(outcomes.tenths), frame["high"].map(outcomes.tenths), strict=True)
    band = [low if low == high else SAYS("table.band", low=low, high=high) for low, high in ends]
    spent = panels.badge(
        SAYS["table.bound" if result.holds and not result.settings.void else "table.claimed"]
    )
    columns = "step", "epochs", "epsilon", "private", "band", "plain"
    return panels.table(
        frame.assign(band=band),
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads=SAYS.heads("table", columns, spent=spent, now=panels.badge("trained now"), **arms),
        formats={
            "step": "{:,}".format,
            "epochs": number,
            "epsilon": lambda value: "…" if value != value else number(value),
            "private": outcomes.tenths,
            "plain": outcomes.tenths,
        },
    )
