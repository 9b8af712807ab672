"""Texts of the accounting page: which text of ``texts.md`` is shown, and with which numbers."""

import math

from dpcore.privacy import Guarantee
from lab.experiment.accounting_tasks import MOST_STEPS
from pages.accounting import charts
from pages.accounting.charts import SAYS, number
from pages.accounting.result import ROWS, THEOREMS, AccountingResult
from ui.charts import theme
from ui.charts.curves import count_progress
from ui.text import guarantee_notes, tables, tiles
from ui.text.tiles import Tile

SLIDERS = {"steps": {"scale": "log", "stops": 20, "help": SAYS["steps"], "symbol": "T"}}
INTRODUCTION = SAYS["introduction"]
ABOUT = SAYS.cases("about")
# The accountants whose epsilon is there at once.
_QUICK = ("basic", "advanced", "moments", "renyi")
# Advanced composition is called loose from so many times the epsilon of the moments accountant.
_LOOSE = 5
# Sampling is said to save little below this factor.
_LITTLE_SAVED = 1.1


def loosest(result: AccountingResult) -> str:
    """Return the accountant with the largest epsilon, of those that are computed at once."""
    return max(_QUICK, key=result.epsilon)


# The target


def _spent(result: AccountingResult) -> float:
    """Return the exact epsilon of this run, or the best bound until it is computed."""
    exact = result.epsilon("pld")
    if math.isnan(exact):
        return result.best_guarantee.epsilon
    return exact


def _is_over(result: AccountingResult) -> bool:
    """Return whether the target is exceeded, be it by less than is shown."""
    return _spent(result) > result.settings.target_epsilon


def _remaining(result: AccountingResult) -> float:
    """Return what is left of the target, from the numbers as they are shown."""
    target = number(result.settings.target_epsilon)
    return _amount(target) - _amount(number(_spent(result)))


def _amount(text: str) -> float:
    """Return the value of a number as it is shown."""
    if text == "unlimited":
        return math.inf
    return float(text.replace(",", ""))


# Tiles


def numbers(result: AccountingResult) -> list[Tile]:
    """Return the tiles: tightest and loosest epsilon, what is left, and the best attacker."""
    return [
        _exact_tile(result),
        _loosest_tile(result),
        _left_tile(result),
        tiles.attacker_tile(result.best_guarantee),
    ]


def _exact_tile(result: AccountingResult) -> Tile:
    """Return the epsilon of the tightest accountant."""
    exact = result.epsilon("pld")
    if math.isnan(exact):
        note = SAYS["tiles.counting"]
    elif result.settings.exact_accountant == "gdp":
        note = SAYS["tiles.exact"]
    else:
        note = SAYS["tiles.bound"]
    label = SAYS("tiles.epsilon", accountant=result.settings.tightest)
    text = number(exact)
    return Tile(label, text, note, tone="private", amount=tiles.shown_number(text))


def _loosest_tile(result: AccountingResult) -> Tile:
    """Return the epsilon of the loosest accountant."""
    row = loosest(result)
    name, _, _ = theme.THEOREMS[row]
    return Tile(SAYS["tiles.loosest"], number(result.epsilon(row)), name)


def _left_tile(result: AccountingResult) -> Tile:
    """Return what is left of the target, or by how much it is exceeded."""
    remaining = _remaining(result)
    size = number(abs(remaining))
    text = size
    if remaining < 0:
        text = f"−{size}"
    amount = None
    if math.isfinite(remaining):
        amount = math.copysign(_amount(size), remaining)
    case = "tiles.target"
    if _is_over(result):
        case = "tiles.exceeded"
    comparison = SAYS(case, target=number(result.settings.target_epsilon))
    return Tile(SAYS["tiles.left"], text, comparison, amount=amount)


# Verdict


def verdict(result: AccountingResult) -> str:
    """Return the epsilon by two other accountants, and what the target allows."""
    case = loosest(result)
    if case not in ("basic", "advanced"):
        case = "moments"
    epsilons = {name: number(result.epsilon(name)) for name in ("basic", "advanced", "moments")}
    return f"{SAYS(f'verdict.{case}', **epsilons)} {_budget(result)}"


def _budget(result: AccountingResult) -> str:
    """Return what would use the target up, or keep it, by the numbers computed so far."""
    target = number(result.settings.target_epsilon)
    most_steps = result.most_steps
    least_noise = result.least_noise
    if _is_over(result):
        if math.isnan(least_noise):
            return ""
        return SAYS("target.noise", target=target, noise=number(least_noise))
    if math.isnan(most_steps):
        return ""
    if most_steps >= MOST_STEPS:
        return SAYS("target.most", target=target, steps=MOST_STEPS)
    if most_steps >= result.settings.steps:
        return SAYS("target.steps", target=target, steps=int(most_steps))
    return ""


# Findings of the charts, for their titles


def steps_finding(result: AccountingResult) -> str:
    """Return how far the exact curve is computed, then how much the loosest accountant costs."""
    points = result.values["pld"]
    counted = sum(not math.isnan(point) for point in points)
    progress = count_progress(counted, len(points), "points computed")
    if progress:
        return progress
    row = loosest(result)
    exact = result.epsilon("pld")
    if exact <= 0 or not math.isfinite(result.epsilon(row) / exact):
        return ""
    name, _, _ = theme.THEOREMS[row]
    return SAYS("finding.steps", loosest=name, times=number(result.epsilon(row) / exact))


def searches_finding(result: AccountingResult) -> str:
    """Return the least cost of a search, and that of all tries."""
    tuned = result.tuned
    if result.settings.settings_tried == 1 or tuned is None or not math.isfinite(tuned.epsilon):
        return ""
    least = min(guarantee.epsilon for guarantee in result.best_alone.values())
    return SAYS("finding.searches", least=number(least), together=number(tuned.epsilon))


def effects_finding(result: AccountingResult) -> str:
    """Return the name of the effect with the largest epsilon."""
    epsilons = {}
    for name, guarantee in result.effects().items():
        if guarantee is not None:
            epsilons[name] = guarantee.epsilon
    largest = max(epsilons, key=epsilons.__getitem__)
    if epsilons[largest] > result.epsilon("pld"):
        return charts.effect_name(largest, result)
    return ""


# Table of the accountants


def table(result: AccountingResult) -> str:
    """Return a row for each accountant."""
    # A data frame would cost each redraw milliseconds.
    rows = [_table_row(result, row) for row in ROWS]
    return tables.table(
        rows,
        caption=SAYS["table.caption"],
        heads=SAYS.heads("table", rows[0]),
        marked=result.settings.tightest,
    )


def _table_row(result: AccountingResult, row: str) -> dict[str, str]:
    """Return the cells of an accountant."""
    name, _, _ = theme.THEOREMS[row]
    if row == "pld":
        name = result.settings.tightest
    status = SAYS["table.published"]
    if row in THEOREMS:
        status = SAYS["table.bound"]
    return {
        "name": name,
        "epsilon": f"<b>{number(result.epsilon(row))}</b>",
        "status": tiles.badge(status),
        "source": SAYS[f"source.{row}"],
    }


# Explanation


def diagnostics(result: AccountingResult) -> list[str]:
    """Return at most three sentences that explain why the accountants differ for this run."""
    found = [_sampling(result)]
    advanced = result.epsilon("advanced")
    if advanced > result.epsilon("basic"):
        found.append(SAYS("why.worse", step=number(result.one_step)))
    elif advanced > _LOOSE * result.epsilon("moments"):
        found.append(SAYS["why.looser"])
    if result.settings.noise_multiplier < 1:
        found.append(SAYS["why.noise"])
    return found


def _sampling(result: AccountingResult) -> str:
    """Return what sampling saves, by the best bound so far."""
    rate = result.settings.sampling_rate
    cost = result.best_guarantee.epsilon
    saved = math.inf
    if cost > 0:
        saved = result.unsampled / cost
    if rate == 1:
        case = "all"
    elif saved < _LITTLE_SAVED:
        case = "little"
    elif math.isfinite(saved):
        case = "sampled"
    else:
        case = "free"
    return SAYS(
        f"why.{case}",
        rate=number(rate),
        whole=number(result.unsampled),
        times=number(saved),
    )


def epsilon_text(guarantee: Guarantee | None) -> str:
    """Return the epsilon of a guarantee, or dots until it is computed."""
    if guarantee is None:
        return number(math.nan)
    return number(guarantee.epsilon)


def is_bound(guarantee: Guarantee | None) -> bool:
    """Return whether the epsilon of a guarantee is an upper bound and not exact."""
    return guarantee is not None and not guarantee.basis.startswith("exact")


# Guarantee


def guarantee(result: AccountingResult) -> str:
    """Return the guarantee and its assumptions."""
    return guarantee_notes.guarantee_with_notes(
        result.best_guarantee, assumed=SAYS["guarantee.assumed"]
    )
