"""The theorems of the work in words, beside what is measured, and what it costs that each party
adds the noise.
"""

import math
from dataclasses import replace

from dpcore.parties import aggregation
from lab.papers import short
from pages.parties.charts import SAYS
from pages.parties.result import PartiesResult
from pages.parties.settings import RECORDED
from pages.parties.theorems import FAILURE, Statement, theorems
from ui.text import tiles
from ui.text.numbers import delta
from ui.text.tiles import number, percent

Found = dict[tuple[str, str], Statement]
# A margin's noise that leaves most answers what they were: half of the distance of one.
ENOUGH = 0.5


def statements(result: PartiesResult) -> str:
    """Return the table of theorems, which are about a trusted aggregator."""
    if not result.settings.model.central:
        return ""
    found = {(one.name, one.release): one for one in theorems(result)}
    needs = f"{SAYS['needs.heading']} {needed(result)}"
    lemma = SAYS[f"lemma.{result.settings.labels}"]
    return _table(found, result) + tiles.bullets(
        [_crowd(found), needs, *_risk(found, result), lemma]
    )


def _table(found: Found, result: PartiesResult) -> str:
    rows = [
        {
            "name": SAYS[f"statement.{_key(one)}.{one.release}"],
            "conditions": SAYS[f"conditions.{_conditions(one, result)}"],
            "bound": _said(one.bound, _key(one)),
            "measured": _said(one.measured, _key(one)),
            "compared": _compared(one),
        }
        for one in found.values()
    ]
    return tiles.table(
        rows,
        title=SAYS("statements.title", work=short("hamm2016")),
        caption=SAYS("statements.caption", failure=percent(FAILURE)),
        heads=SAYS.heads(
            "statements", rows[0], now=tiles.badge("trained now"), bound=tiles.badge("bound")
        ),
    )


def _key(one: Statement) -> str:
    return one.name.replace(" ", "_")


def _said(value: float, name: str) -> str:
    if math.isnan(value):
        return "–"
    return (
        SAYS(f"unit.{name}", value=number(value))
        if name in ("risk", "public_row")
        else number(value)
    )


def _conditions(one: Statement, result: PartiesResult) -> str:
    if one.name != "risk":
        return _key(one)
    return "classes" if result.ensemble.classes > 2 else _not_drawn_alike(result) or "met"


def _not_drawn_alike(result: PartiesResult) -> str:
    """Return why public rows and those measured on are not drawn independently from one
    distribution; "" where they are.
    """
    dataset = result.settings.dataset
    return "recorded" if dataset in RECORDED else ""


def _compared(one: Statement) -> str:
    if math.isnan(one.bound):
        return SAYS["comparison.unstated"]
    if one.holds is False:
        return SAYS["comparison.above"]
    said = [SAYS["comparison.vacuous"]] if one.vacuous else []
    if one.holds:
        case = "share" if one.measured > one.bound / 1000 else "far"
        said += [SAYS(f"comparison.{case}", percent=number(100 * one.measured / one.bound))]
    return ", ".join(said) or "–"


def _crowd(found: Found) -> str:
    """Return where a bound on what one party moves says less than that no two minimisers lie so far
    apart.
    """
    vote, soft = (found["sensitivity", release] for release in ("vote", "soft"))
    case = "both" if soft.vacuous else "vote" if vote.vacuous else "neither"
    return (
        f"{SAYS('sensitivity.longest', useless=number(vote.useless))} {SAYS[f'sensitivity.{case}']}"
    )


def needed(result: PartiesResult) -> str:
    """Return the noise on a margin of soft labels, and how many parties, or which epsilon, reduce
    it to ``ENOUGH``.
    """
    settings = result.settings
    sd = aggregation.margin_sd(
        result.sensitivity("soft"), dimensions=result.dimensions, epsilon=settings.epsilon
    )
    said = SAYS(
        "needs.noise", parties=settings.parties, sd=number(sd), dimensions=result.dimensions
    )
    if sd <= ENOUGH:
        return f"{said} {SAYS('needs.met', enough=number(ENOUGH))}"
    epsilon = number(settings.epsilon * sd / ENOUGH)
    needed = enough_parties(result)
    parties = SAYS("needs.parties", enough=number(ENOUGH), needed=needed, epsilon=epsilon)
    return f"{said} {parties}"


def enough_parties(result: PartiesResult) -> int:
    """Return how many bring a margin's noise down to ``ENOUGH``; a bound on the weights' length
    falls with none of them.
    """
    settings, model = result.settings, result.settings.model
    model = replace(model, constants="sharp") if model.constants == "norms" else model
    sd = aggregation.margin_sd(
        model.sensitivity("soft"), dimensions=result.dimensions, epsilon=settings.epsilon
    )
    return math.ceil(settings.parties * (sd / ENOUGH))


def _risk(found: Found, result: PartiesResult) -> list[str]:
    if result.ensemble.classes > 2:
        return [SAYS("risk.classes", classes=result.ensemble.classes)]
    soft, parts = found["risk", "soft"], result.theorem("soft")
    most = max(
        ("noise", "rows"), key=parts.__getitem__
    )  # the penalty's part is less with any lambda and N of the page
    case = "vacuous" if soft.vacuous else "useful"
    said = SAYS(f"risk.{case}", bound=number(soft.bound), useless=number(soft.useless))
    apart = _not_drawn_alike(result)
    return [
        f"{said} {SAYS(f'risk.{most}', most=number(parts[most]))}",
        *([SAYS[f"risk.{apart}"]] if apart else []),
    ]


def by_each(result: PartiesResult) -> str:
    """Return what it costs, in parties, that each party adds the noise itself."""
    if result.settings.method == "average":
        return SAYS("few.weights", few=max(1, round(result.few)))
    worth = round(result.truthful)
    return SAYS("few.answers", worth=worth) if worth else SAYS["few.answer"]


def own_noise(result: PartiesResult) -> str:
    """Return how truthful a party's own answers are, or how long the noise on its weights is."""
    parties = result.settings.parties
    if result.settings.method == "soft":
        truthful = percent(result.response.truth_probability)
        return SAYS(
            "local.answers", parties=result.asked, truthful=truthful, worth=number(result.truthful)
        )
    times, sd = number(parties / result.few), number(result.weight_sd())
    return SAYS("local.weights", parties=parties, sd=sd, times=times)


def shuffled(result: PartiesResult) -> str:
    """Return what a shuffler makes of the epsilon of one message, if there is one."""
    settings = result.settings
    if settings.trust_model != "shuffle":
        return ""
    held = settings.model.guarantee(settings.method, settings.epsilon)
    holes = {
        "parties": settings.parties,
        "delta": delta(settings.delta),
        "epsilon": number(held.epsilon),
    }
    return SAYS(
        f"local.{'shuffled' if held.delta else 'unproved'}", one=number(result.one), **holes
    )
