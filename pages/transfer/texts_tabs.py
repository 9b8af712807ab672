"""Two methods on the private rows alone in words, and tables of published results."""

from lab.statistics.claims import Case
from pages.transfer.baselines import Alone
from pages.transfer.charts import risk
from pages.transfer.result import TransferResult, printed_costs
from ui.text import tiles
from ui.text.texts import Texts
from ui.text.tiles import number

SAYS = Texts(__file__)


def _medians(found: Alone) -> dict[str, str]:
    return dict(zip(("walk", "descent"), map(risk, found.medians), strict=True))


def beside(result: TransferResult) -> str:
    """Return descent beside Frank-Wolfe and beside what the sources buy it; "" until it is
    trained.
    """
    now = result.alone
    if now is None:
        return ""
    ahead = all(
        result.beside(now.descent, one) == Case.AHEAD for one in (result.runs("transfer"), now.walk)
    )
    case = "descent.beside_ahead" if ahead else "descent.beside"
    return SAYS(case, helped=risk(result.medians["transfer"]), **_medians(now))


def costs_table(_: TransferResult) -> str:
    """Return what a nominal epsilon costs with the published noise scale, as a table."""
    frame = printed_costs()
    bound = tiles.badge("bound")
    heads = {"nominal": "nominal<br>epsilon"} | {
        name: f"{name.split(', ')[0].capitalize()},<br>{name.split(', ')[1]} {bound}"
        for name in frame.columns[1:]
    }
    shown = frame.map(lambda value: f"{value:.3g}")
    return tiles.table(shown, title=SAYS["costs.title"], caption=SAYS["costs.caption"], heads=heads)


def published_table(result: TransferResult) -> str:
    """Return the published table, reproduced, and what its numbers are."""
    loop, digits = result.published, dict.fromkeys(_NUMBERS, _digits)
    passes = {None: None, True: "suffices", False: "fails"}[loop.passes_suffice]
    cases = ("values", None if loop.as_published else "now", "loop", passes, "held_out")
    norm = {"1": "L1", "2": "squared L2"}[loop.q]
    caption = (
        SAYS(f"published.{case}", penalty=number(loop.penalty), norm=norm) for case in cases if case
    )
    badges = {"now": tiles.badge("trained now"), "printed": tiles.badge("published")}
    columns = ("migrated", "rows", "epochs", "published", *_NUMBERS)
    return tiles.table(
        loop.frame(),
        title=SAYS["published.title"],
        caption=" ".join(caption),
        heads=dict(zip(columns, SAYS("published.heads", **badges).split("; "), strict=True)),
        formats=digits
        | {
            "migrated": str,
            "published": lambda x: "control" if x != x else f"{x:.4f}",
        },
    )


_NUMBERS = ("value", "training MSE", "training SSE", "held-out MSE")


def _digits(value: float) -> str:
    return "…" if value != value else f"{value:.4f}" if value < 100 else f"{value:.1f}"
