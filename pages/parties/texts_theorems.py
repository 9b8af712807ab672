"""Texts on the theorems of [hamm2016], next to what is measured of them."""

import math

from lab.papers import short
from pages.parties.charts import SAYS
from pages.parties.result import PartiesResult
from pages.parties.settings import RECORDED
from pages.parties.theorems import FAILURE, Statement, theorems
from ui.text import tables, tiles
from ui.text.tiles import number, percent

# Statements whose values have a unit.
_WITH_UNIT = ("risk", "public_row")


def statements(result: PartiesResult) -> str:
    """Return the table of theorems, which are about a trusted aggregator, or "" without one."""
    if not result.mechanisms.is_central:
        return ""
    rows = []
    for statement in theorems(result):
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
    return tables.table(
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
    if result.settings.dataset in RECORDED:
        return "recorded"
    return "met"


def comparison_text(statement: Statement) -> str:
    """Return how the measured value compares with the bound."""
    if math.isnan(statement.bound):
        return SAYS["comparison.unstated"]
    if statement.vacuous:
        return SAYS["comparison.vacuous"]
    if math.isnan(statement.measured):
        return "–"
    return SAYS("comparison.share", percent=number(100 * statement.measured / statement.bound))
