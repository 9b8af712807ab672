"""Texts on the theorems of [hamm2016], next to what is measured of them."""

import math
from collections.abc import Mapping
from dataclasses import replace

from dpcore.parties import aggregation
from lab.papers import short
from pages.parties.charts import SAYS
from pages.parties.result import PartiesResult
from pages.parties.settings import RECORDED
from pages.parties.theorems import FAILURE, Statement, risk_bound, theorems
from ui.text import tiles
from ui.text.tiles import number, percent

# The statements by name and release.
Statements = Mapping[tuple[str, str], Statement]
# Noise of this standard deviation on a margin leaves most answers as they were. It is half of the
# largest distance of two margins.
ENOUGH = 0.5
# A bound of more than so many times the measured value is far above it.
_FAR_ABOVE = 1000
# Statements whose values have a unit.
_WITH_UNIT = ("risk", "public_row")


def statements(result: PartiesResult) -> str:
    """Return the table of theorems, which are about a trusted aggregator, or "" without one."""
    if not result.mechanisms.is_central:
        return ""
    stated = {(statement.name, statement.release): statement for statement in theorems(result)}
    notes = [
        _sensitivity_note(stated),
        f"{SAYS['needs.heading']} {noise_note(result)}",
        *_risk_notes(stated, result),
        SAYS[f"lemma.{result.settings.labels}"],
    ]
    return _table(stated, result) + tiles.bullets(notes)


# The table


def _table(stated: Statements, result: PartiesResult) -> str:
    """Return the statements with their conditions, next to what is measured."""
    rows = []
    for statement in stated.values():
        key = _key(statement)
        row = {
            "name": SAYS[f"statement.{key}.{statement.release}"],
            "conditions": SAYS[f"conditions.{_conditions(statement, result)}"],
            "bound": _value_text(statement.bound, key),
            "measured": _value_text(statement.measured, key),
            "compared": comparison_text(statement),
        }
        rows.append(row)
    heads = SAYS.heads(
        "statements", rows[0], now=tiles.badge("trained now"), bound=tiles.badge("bound")
    )
    return tiles.table(
        rows,
        title=SAYS("statements.title", work=short("hamm2016")),
        caption=SAYS("statements.caption", failure=percent(FAILURE)),
        heads=heads,
    )


def _key(statement: Statement) -> str:
    """Return the name of a statement as the keys of texts have it."""
    return statement.name.replace(" ", "_")


def _value_text(value: float, key: str) -> str:
    """Return a bound or a measured value with its unit, or a dash if there is none."""
    if math.isnan(value):
        return "–"
    if key in _WITH_UNIT:
        return SAYS(f"unit.{key}", value=number(value))
    return number(value)


def _conditions(statement: Statement, result: PartiesResult) -> str:
    """Return the case of the text on the conditions of a statement."""
    if statement.name != "risk":
        return _key(statement)
    if result.ensemble.classes > 2:
        return "classes"
    if _rows_are_dependent(result):
        return "recorded"
    return "met"


def _rows_are_dependent(result: PartiesResult) -> bool:
    """Return whether rows of one party are alike, so that rows are not drawn independently."""
    return result.settings.dataset in RECORDED


def comparison_text(statement: Statement) -> str:
    """Return how the measured value compares with the bound."""
    if math.isnan(statement.bound):
        return SAYS["comparison.unstated"]
    if statement.holds is False:
        return SAYS["comparison.above"]
    parts = []
    if statement.vacuous:
        parts.append(SAYS["comparison.vacuous"])
    if statement.holds:
        if statement.measured > statement.bound / _FAR_ABOVE:
            percent_text = number(100 * statement.measured / statement.bound)
            parts.append(SAYS("comparison.share", percent=percent_text))
        else:
            parts.append(SAYS["comparison.far"])
    if not parts:
        return "–"
    return ", ".join(parts)


# Sentences under the table


def _sensitivity_note(stated: Statements) -> str:
    """Return whether a bound on one party's effect says more than that all minimisers are near."""
    vote = stated["sensitivity", "vote"]
    soft = stated["sensitivity", "soft"]
    if soft.vacuous:
        case = "both"
    elif vote.vacuous:
        case = "vote"
    else:
        case = "neither"
    longest = SAYS("sensitivity.longest", useless=number(vote.useless))
    return f"{longest} {SAYS[f'sensitivity.{case}']}"


def noise_note(result: PartiesResult) -> str:
    """Return the noise on a margin of soft labels, and what would reduce it to ``ENOUGH``."""
    settings = result.settings
    noise_sd = aggregation.margin_sd(
        result.sensitivity("soft"),
        dimensions=result.dimensions,
        epsilon=settings.epsilon,
    )
    noise = SAYS(
        "needs.noise",
        parties=settings.parties,
        sd=number(noise_sd),
        dimensions=result.dimensions,
    )
    if noise_sd <= ENOUGH:
        return f"{noise} {SAYS('needs.met', enough=number(ENOUGH))}"
    needs = SAYS(
        "needs.parties",
        enough=number(ENOUGH),
        needed=enough_parties(result),
        epsilon=number(settings.epsilon * noise_sd / ENOUGH),
    )
    return f"{noise} {needs}"


def enough_parties(result: PartiesResult) -> int:
    """Return how many parties reduce the noise on a margin to ``ENOUGH``.

    The bound on the norm of weights does not fall with more parties, so it is left out.
    """
    settings = result.settings
    mechanisms = result.mechanisms
    if mechanisms.constants == "norms":
        mechanisms = replace(mechanisms, constants="sharp")
    noise_sd = aggregation.margin_sd(
        mechanisms.sensitivity("soft"),
        dimensions=result.dimensions,
        epsilon=settings.epsilon,
    )
    return math.ceil(settings.parties * (noise_sd / ENOUGH))


def _risk_notes(stated: Statements, result: PartiesResult) -> list[str]:
    """Return what Theorem 4 says about the excess risk, and which condition is not met."""
    if result.ensemble.classes > 2:
        return [SAYS("risk.classes", classes=result.ensemble.classes)]
    soft = stated["risk", "soft"]
    case = "useful"
    if soft.vacuous:
        case = "vacuous"
    bound = SAYS(f"risk.{case}", bound=number(soft.bound), useless=number(soft.useless))
    # The part of the penalty is smaller with any lambda and N of the page.
    parts = risk_bound(result, "soft")
    largest = "noise"
    if parts["rows"] > parts["noise"]:
        largest = "rows"
    notes = [f"{bound} {SAYS(f'risk.{largest}', most=number(parts[largest]))}"]
    if _rows_are_dependent(result):
        notes.append(SAYS["risk.recorded"])
    return notes
