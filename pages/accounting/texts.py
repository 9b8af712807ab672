"""Privacy accounting: which text of ``texts.md`` is said, and with which numbers."""

import math

from dpcore.privacy import Guarantee
from lab.experiment.accounting_tasks import MOST_STEPS
from pages.accounting import charts
from pages.accounting.charts import SAYS, number
from pages.accounting.result import ROWS, THEOREMS, AccountingResult
from ui.charts import theme
from ui.text import sentences as outcomes
from ui.text import tiles
from ui.text.numbers import delta
from ui.text.tiles import Number

KNOBS = {"steps": {"scale": "log", "stops": 20, "help": SAYS["steps"], "symbol": "T"}}
INTRODUCTION, AFTERWARDS_HELP = SAYS["introduction"], SAYS["afterwards"]
SHORT = {"nothing": "none", "average": "average", "round": "round", "predict": "predict"}
ABOUT, AFTERWARDS = SAYS.cases("about"), SAYS.cases("after")


def loosest(result: AccountingResult) -> str:
    """Return the accountant with the largest epsilon, of those that are computed at once."""
    return max(("naive", "strong", "moments", "renyi"), key=result.epsilon)


def _target(result: AccountingResult) -> tuple[float, bool, str]:
    """Return (what is left of the target, of the numbers as they are shown; whether it is exceeded,
    be it by less than is shown; the target as it is shown).
    """
    exact, target = result.epsilon("pld"), result.settings.target_epsilon
    spent = result.held.epsilon if math.isnan(exact) else exact
    return _amount(number(target)) - _amount(number(spent)), spent > target, number(target)


def _amount(shown: str) -> float:
    return math.inf if shown == "unlimited" else float(shown.replace(",", ""))


def numbers(result: AccountingResult) -> list[Number]:
    """Return epsilon by the tightest accountant and by the loosest, the remaining budget, and the
    best attacker.
    """
    exact, worst, (left, over, target) = (
        number(result.epsilon("pld")),
        loosest(result),
        _target(result),
    )
    tightness = "exact" if result.settings.exact_accountant == "gdp" else "bound"
    note = SAYS["tiles.counting" if exact == "…" else f"tiles.{tightness}"]
    label, size = SAYS("tiles.epsilon", accountant=result.settings.tightest), number(abs(left))
    remaining = math.copysign(_amount(size), left) if math.isfinite(left) else None
    shown = SAYS("tiles.exceeded" if over else "tiles.target", target=target)
    return [
        Number(label, exact, note, tone="private", amount=tiles.amount(exact)),
        Number(SAYS["tiles.loosest"], number(result.epsilon(worst)), theme.THEOREMS[worst][0]),
        Number(SAYS["tiles.left"], size if left >= 0 else f"−{size}", shown, amount=remaining),
        tiles.attacker(result.held),
    ]


def verdict(result: AccountingResult) -> str:
    """Return what two other accountants say of the same run, and what the target allows."""
    worst = loosest(result)
    case = worst if worst in ("naive", "strong") else "moments"
    epsilons = {name: number(result.epsilon(name)) for name in ("naive", "strong", "moments")}
    return f"{SAYS(f'verdict.{case}', **epsilons)} {_budget(result)}"


def _budget(result: AccountingResult) -> str:
    """Return what would use the target up, or keep it, by what is computed so far."""
    _, over, target = _target(result)
    most, least = (
        value if not math.isnan(value := found("pld")) else found("renyi")
        for found in (result.most_steps, result.least_noise)
    )
    if not over and most >= result.settings.steps:
        return SAYS(
            "target.most" if most >= MOST_STEPS else "target.steps",
            target=target,
            steps=int(min(most, MOST_STEPS)),
        )
    if not over or math.isnan(least):
        return ""
    return SAYS("target.noise", target=target, noise=number(least))


def _over_steps(result: AccountingResult) -> str:
    found, exact, worst = result.found["pld"], result.epsilon("pld"), loosest(result)
    if missing := sum(map(math.isnan, found)):
        done = {"done": len(found) - missing, "all": len(found)}
        return SAYS("finding.counting", **done, accountant=result.settings.tightest)
    times = result.epsilon(worst) / exact if exact > 0 else math.inf
    name = theme.THEOREMS[worst][0]
    return SAYS("finding.steps", loosest=name, times=number(times)) if math.isfinite(times) else ""


def _over_noise(result: AccountingResult) -> str:
    least, accountant = result.least_noise("pld"), result.settings.tightest
    return (
        SAYS("finding.noise", accountant=accountant, noise=number(least))
        if math.isfinite(least)
        else ""
    )


def _searched(result: AccountingResult) -> str:
    together = result.tuned.epsilon if result.tuned else math.nan
    if result.settings.settings_tried == 1 or not math.isfinite(together):
        return ""
    least = min(held.epsilon for held in result.best_alone.values())
    return SAYS("finding.searches", least=number(least), together=number(together))


def _largest(result: AccountingResult) -> str:
    epsilons = {name: held.epsilon for name, held in result.effects().items() if held}
    most = max(epsilons, key=epsilons.__getitem__)
    return charts.effect_name(most, result) if epsilons[most] > result.epsilon("pld") else ""


# What each picture shows, for its title.
FINDINGS = {"steps": _over_steps, "noise": _over_noise, "effects": _largest, "searches": _searched}


def table(result: AccountingResult) -> str:
    """Return a row for each accountant, with what the target allows."""
    target = number(result.settings.target_epsilon)
    shown = [_row(result, row) for row in ROWS]  # no frame: it would cost each redraw milliseconds
    return tiles.table(
        shown,
        caption=SAYS("table.caption", target=target, most=MOST_STEPS),
        heads=SAYS.heads("table", shown[0], target=target),
        now=result.settings.tightest,
    )


def _row(result: AccountingResult, row: str) -> dict[str, str]:
    noise, steps, bound = result.least_noise(row), result.most_steps(row), row in THEOREMS
    most = number(steps) if math.isnan(steps) else f"{steps:,.0f}"
    allowed = {
        "noise": SAYS["table.never"] if math.isinf(noise) else number(noise),
        "most": SAYS("table.most", steps=MOST_STEPS) if steps >= MOST_STEPS else most,
        "epochs": number(steps * result.settings.sampling_rate),
    }
    return {
        "name": result.settings.tightest if row == "pld" else theme.THEOREMS[row][0],
        "epsilon": f"<b>{number(result.epsilon(row))}</b>",
        "status": tiles.badge(SAYS["table.bound" if bound else "table.published"]),
        "source": SAYS[f"source.{row}"],
    } | (allowed if bound else dict.fromkeys(allowed, "–"))


def diagnostics(result: AccountingResult) -> list[str]:
    """Explain in at most three sentences why the accountants differ for this run."""
    sentences = [_sampling(result)]
    strong = result.epsilon("strong")
    if strong > result.epsilon("naive"):
        sentences.append(SAYS("why.worse", step=number(result.one_step)))
    elif strong > 5 * result.epsilon("moments"):
        sentences.append(SAYS["why.looser"])
    if result.settings.noise_multiplier < 1:
        sentences.append(SAYS["why.noise"])
    return sentences


def _sampling(result: AccountingResult) -> str:
    """Return what the samples save, against the best bound so far."""
    rate, cost = result.settings.sampling_rate, result.held.epsilon
    saved = result.unsampled / cost if cost > 0 else math.inf
    case = (
        "all"
        if rate == 1
        else "little"
        if saved < 1.1
        else "sampled"
        if math.isfinite(saved)
        else "free"
    )
    return SAYS(
        f"why.{case}", rate=number(rate), whole=number(result.unsampled), times=number(saved)
    )


def effects(result: AccountingResult) -> list[str]:
    """Return a sentence each on subsampling, groups and post-processing."""
    people, found = result.settings.people, result.effects()
    group = found["group"]
    case = "person" if people == 1 else "nobody" if group and group.delta >= 1 else "group"
    both = {
        "published": number(result.epsilon("published")),
        "strong": number(result.epsilon("strong")),
    }
    after = AFTERWARDS[result.settings.afterwards]
    return [
        SAYS("effects.sampling", **both),
        SAYS(f"effects.{case}", people=people, **_pair(group)),
        SAYS("effects.after", after=after, **_pair(found["afterwards"])),
    ]


def _pair(held: Guarantee | None) -> dict[str, str]:
    return {"epsilon": plain(held), "delta": delta(held.delta, digits=3) if held else "…"}


def plain(held: Guarantee | None) -> str:
    return number(held.epsilon if held else math.nan)


def is_bound(held: Guarantee | None) -> bool:
    return held is not None and not held.basis.startswith("exact")


def guarantee(result: AccountingResult) -> str:
    """Return the guarantee and its assumptions."""
    return outcomes.guaranteed(result.held, assumed=SAYS["guarantee.assumed"])


def neighbours(result: AccountingResult) -> str:
    """Return the guarantee by both adjacency relations, for the same noise."""
    add = tiles.note(SAYS["neighbours.add"]) + tiles.guarantee(here=result.held)
    replace = tiles.note(SAYS["neighbours.replace"]) + tiles.guarantee(here=result.replaced)
    return add + replace + tiles.note(SAYS("neighbours.in_two", **_pair(result.replaced_in_two)))
