"""Closed-form statements about a run: which text of ``texts.md`` is said, and with which numbers."""

import math
from collections.abc import Sequence

from dpcore.accountants import asymptotic
from lab.papers import short
from pages.accounting.result import AccountingResult
from pages.accounting.words import SAYS, number
from pages.accounting.work import FIRST, Statement, Statements
from ui import panels
from ui.plot import theme
from ui.plot.theme import written

_REQUIRED = {name: SAYS[f"condition.{name}"] for name in ("noise", "delta")}


def statements(result: AccountingResult) -> str:
    """Return the statements about this run, the constants that make them true, and where the run stands."""
    printed = SAYS("constants.printed", breaks=number(result.statements.breaks))
    said = [_range(result), printed, _this_run(result), _lemma(result)]
    return _stated(result) + _constants(result) + panels.bullets(said)


def _stated(result: AccountingResult) -> str:
    found, accountant = result.statements, result.settings.tightest
    constants = {"proof": number(asymptotic.PROVED), "grid": number(found.least)}
    rows = [
        {
            "name": SAYS(f"statement.{row.name}", constant=constants.get(row.name)),
            "epsilon": "–" if _silent(row) else number(row.epsilon),
            "conditions": _conditions(row, result),
            "against": _against(row, result),
            "noise": SAYS["statement.none"] if row.name == "bound" and math.isnan(row.noise) else number(row.noise),
        }
        for row in found.rows
    ]
    bound = {"conditions": SAYS["statement.unconditional"], "against": panels.badge(SAYS["table.bound"])}
    for row, name in (("moments", SAYS["statement.moments"]), ("pld", accountant)):
        held = {"epsilon": number(result.epsilon(row)), "noise": number(result.least_noise(row))}
        rows.append({"name": name} | bound | held)
    target = number(result.settings.target_epsilon)
    return panels.table(
        rows,
        title=SAYS("statement.title", paper=short("abadi2016")),
        caption=SAYS("statement.caption", **_REQUIRED),
        heads=SAYS.heads("statement", rows[0], accountant=accountant, target=target),
    )


def _silent(row: Statement) -> bool:
    return row.name == "bound" and math.isnan(row.epsilon)


def _conditions(row: Statement, result: AccountingResult) -> str:
    if row.name == "growth":
        return SAYS["statement.nameless"]
    if row.fails:
        return SAYS("statement.fails", conditions=", ".join(SAYS[f"condition.{name}"] for name in row.fails))
    if row.name == "bound":
        return SAYS("statement.met_to", last=result.statements.last)
    return "…" if math.isnan(row.epsilon) else SAYS["statement.met"]


def _against(row: Statement, result: AccountingResult) -> str:
    if row.name == "growth" or _silent(row):
        return "–"
    if row.true is None and math.isnan(result.epsilon("pld") + row.epsilon):
        return "…"
    case = {None: "unclear", True: "above", False: "below"}[row.true]
    return SAYS[f"statement.{case}"]


def _constants(result: AccountingResult) -> str:
    """Return which c2 is enough on the grid, by c1."""
    found = result.statements.constants
    axes = {"rates": asymptotic.RATES, "noises": asymptotic.NOISES, "steps": asymptotic.STEPS}
    ends = {name: _ends([number(value) for value in values]) for name, values in axes.items()}
    deltas = _ends([theme.delta(delta) for delta in reversed(asymptotic.DELTAS)])
    runs = math.prod(map(len, (*axes.values(), asymptotic.DELTAS)))
    return panels.table(
        [dict(zip(found, map(float, row), strict=True)) for row in zip(*found.values(), strict=True)],
        title=SAYS("constants.title", runs=runs),
        caption=SAYS("constants.caption", **ends, deltas=deltas),
        heads=SAYS.heads("constants", found, **_REQUIRED),
        formats=dict.fromkeys(found, number),
    )


def _ends(shown: Sequence[str]) -> str:
    return SAYS("constants.ends", first=shown[0], last=shown[-1])


def _range(result: AccountingResult) -> str:
    """Return whether the target lies in the range of Theorem 1, and how much noise that asks for."""
    found, target, least = result.statements, result.settings.target_epsilon, result.least_noise("pld")
    case = "inside" if target < FIRST * found.reach else "outside"
    said = SAYS(f"constants.{case}", reach=number(found.reach), target=number(target))
    asks = SAYS("constants.asks", ratio=number(found.rows[0].noise / least)) if math.isfinite(least) else ""
    return f"{said} {asks}".strip()


def _constant(result: AccountingResult, row: str) -> str:
    """Return the c2 that makes Theorem 1 say what an accountant counts, or any where that is nothing."""
    epsilon = result.epsilon(row)
    return SAYS["constants.any"] if epsilon == 0 else number(result.statements.constant(epsilon))


def _this_run(result: AccountingResult) -> str:
    settings = result.settings
    needs = {row: _constant(result, row) for row in ("pld", "renyi", "moments")}
    strong = number(result.epsilon("strong") / result.statements.rows[2].epsilon)
    root = number(math.sqrt(math.log(settings.steps / settings.delta)))
    return SAYS("constants.run", **needs, accountant=settings.tightest, strong=strong, root=root)


def _lemma(result: AccountingResult) -> str:
    """Return how good the bound on the moments is, and where it is none."""
    found = result.statements
    order, exact, bound = _at_best(found)
    said = [SAYS("constants.stated", last=found.last) if found.last else SAYS["constants.unstated"]]
    terms = {"exact": written(exact, digits=3), "bound": written(bound, digits=3), "ratio": number(bound / exact)}
    said.append(SAYS("constants.moment_bound" if math.isfinite(bound) else "constants.moment", order=order, **terms))
    if found.below:
        said.append(SAYS("constants.less", order=found.below))
    return " ".join((*said, SAYS["constants.rest"]))


def _at_best(found: Statements) -> tuple[int, float, float]:
    """Return the order that the moments accountant uses, the log moment there, and its bound."""
    _, order = found.best("exact")
    return order, float(found.moments["exact"][order - 1]), float(found.moments["bound"][order - 1])


def _needed(result: AccountingResult) -> str:
    if not math.isfinite(result.epsilon("pld")):
        return ""
    return SAYS("finding.constants", constant=_constant(result, "pld"), proof=number(asymptotic.PROVED))


def _ratio(result: AccountingResult) -> str:
    order, exact, bound = _at_best(result.statements)
    return SAYS("finding.moments", ratio=number(bound / exact), order=order) if math.isfinite(bound / exact) else ""


# What each picture shows, for its title.
FINDINGS = {"constants": _needed, "moments": _ratio}
