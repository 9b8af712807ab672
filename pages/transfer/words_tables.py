"""The transfer page's tables: the published one, reproduced, and what its noise scale costs."""

from pages.transfer.result import TransferResult, printed_costs
from pages.transfer.words_descent import SAYS
from ui import panels
from ui.panels import number


def costs_table(_: TransferResult) -> str:
    """Return what a nominal epsilon costs with the published noise scale, as a table."""
    frame = printed_costs()
    bound = panels.badge("bound")
    heads = {"nominal": "nominal<br>epsilon"} | {
        name: f"{name.split(', ')[0].capitalize()},<br>{name.split(', ')[1]} {bound}" for name in frame.columns[1:]
    }
    shown = frame.map(lambda value: f"{value:.3g}")
    return panels.table(shown, title=SAYS["costs.title"], caption=SAYS["costs.caption"], heads=heads)


def published_table(result: TransferResult) -> str:
    """Return the published table, reproduced, and what its numbers are."""
    loop, digits = result.published, dict.fromkeys(_NUMBERS, _digits)
    passes = {None: None, True: "suffices", False: "fails"}[loop.passes_suffice]
    cases = ("values", None if loop.as_published else "now", "loop", passes, "held_out")
    norm = {"1": "L1", "2": "squared L2"}[loop.q]
    caption = (SAYS(f"published.{case}", penalty=number(loop.penalty), norm=norm) for case in cases if case)
    badges = {"now": panels.badge("trained now"), "printed": panels.badge("published")}
    columns = ("migrated", "rows", "epochs", "published", *_NUMBERS)
    return panels.table(
        loop.frame(),
        title=SAYS["published.title"],
        caption=" ".join(caption),
        heads=dict(zip(columns, SAYS("published.heads", **badges).split("; "), strict=True)),
        formats=digits | {"migrated": str, "published": lambda x: "control" if x != x else f"{x:.4f}"},
    )


_NUMBERS = ("value", "training MSE", "training SSE", "held-out MSE")


def _digits(value: float) -> str:
    return "…" if value != value else f"{value:.4f}" if value < 100 else f"{value:.1f}"
