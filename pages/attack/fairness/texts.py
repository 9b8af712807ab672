"""Texts of fairness."""

from typing import NamedTuple

from lab.statistics.claims import Case
from pages.attack.fairness.experiment import REPEATS
from pages.attack.fairness.result import (
    ALL_CLASSES,
    COLUMNS,
    MAJORITY,
    MINORITY,
    FairnessResult,
)
from pages.attack.fairness.tasks import GROUPS
from pages.attack.settings import AttackSettings
from pages.attack.texts_shared import best_attacker, budget, introduction
from pages.attack.texts_shared import table as text_table
from ui.text import sentences, tiles
from ui.text.texts import Texts
from ui.text.tiles import Tile, number

SAYS = Texts(__file__)
ABOUT = SAYS.cases("about")


def lead(settings: AttackSettings) -> str:
    """Return the introduction of the part."""
    return introduction(SAYS, settings)


# Tiles


def numbers(result: FairnessResult) -> list[Tile]:
    """Return the tiles: the accuracy of both groups, the difference of costs, the best attacker."""
    gap = result.cost(MINORITY) - result.cost(MAJORITY)
    gap_tile = Tile(
        SAYS["tiles.gap"],
        f"{sentences.signed_points(gap)} <small>points</small>",
        SAYS("tiles.few", few=result.minority_rows, rows=result.settings.rows),
        amount=round(100 * gap, 1),
        unit="points",
    )
    return [
        _accuracy_tile(result, MINORITY),
        _accuracy_tile(result, MAJORITY),
        gap_tile,
        best_attacker(result.settings),
    ]


def _accuracy_tile(result: FairnessResult, group: int) -> Tile:
    """Return the private accuracy of a group, with the non-private one."""
    plain_accuracy = float(result.plain[group, ALL_CLASSES])
    private, plain = tiles.distinct_percents(result.typical(group), plain_accuracy)
    return Tile(
        SAYS[f"tiles.{GROUPS[group]}"],
        private,
        SAYS("tiles.plain", accuracy=plain),
        tone="private",
        amount=tiles.shown_number(private),
        unit="points",
    )


# Verdict


def verdict(result: FairnessResult) -> str:
    """Return whether the costs differ, and what privacy costs each group."""
    case = result.cost_claim
    if case not in (Case.AHEAD, Case.BEHIND):
        case = Case.ALIKE
    evenness = SAYS(f"verdict.{case}", runs=REPEATS)
    minority = _cost_sentence(result, MINORITY)
    majority = _cost_sentence(result, MAJORITY)
    return f"{evenness} {minority} {majority}"


def _cost_sentence(result: FairnessResult, group: int) -> str:
    """Return the accuracy that a group loses or gains, if a change is shown."""
    cost = result.cost(group)
    case = GROUPS[group]
    if not _is_change_shown(result, group):
        case += "_alike"
    change = "gains"
    if cost > 0:
        change = "loses"
    return SAYS(
        f"verdict.{case}",
        change=change,
        points=sentences.points_text(cost),
        few=result.minority_rows,
        rows=result.settings.rows,
    )


def _is_change_shown(result: FairnessResult, group: int, label: int = ALL_CLASSES) -> bool:
    """Return whether the runs show the loss or gain that their typical accuracy has."""
    if result.cost(group, label) > 0:
        return result.accuracy_claim(group, label) == Case.BEHIND
    return result.accuracy_claim(group, label) == Case.AHEAD


def caption(result: FairnessResult) -> str:
    """Return the line under the charts."""
    return SAYS["caption"]


# Explanation


class _ClassCost(NamedTuple):
    """What privacy costs a class of a group."""

    cost: float
    group: int
    label: int


def diagnostics(result: FairnessResult) -> list[str]:
    """Return the influence of both groups, and the classes with the largest and smallest cost."""
    settings = result.settings
    minority = settings.clip_norm * result.minority_rows / settings.rows
    majority = settings.clip_norm * (settings.rows - result.minority_rows) / settings.rows
    clipping = SAYS(
        "why.clipping",
        few=result.minority_rows,
        small=number(minority),
        large=number(majority),
    )

    costs = []
    for group in range(len(GROUPS)):
        for label in range(len(result.classes)):
            costs.append(_ClassCost(result.cost(group, label), group, label))
    largest = max(costs)
    smallest = min(costs)
    by_class = SAYS(
        "why.class",
        worst=_class_name(result, largest),
        lost=_change_text(result, largest),
        least=_class_name(result, smallest),
        kept=_change_text(result, smallest),
    )
    return [clipping, by_class]


def _class_name(result: FairnessResult, class_cost: _ClassCost) -> str:
    """Return the name of a class of a group."""
    return f"{result.classes[class_cost.label]} of the {GROUPS[class_cost.group]}"


def _change_text(result: FairnessResult, class_cost: _ClassCost) -> str:
    """Return the change of accuracy in points, or that none is shown."""
    if not _is_change_shown(result, class_cost.group, class_cost.label):
        return SAYS["why.not_shown"]
    return SAYS("why.shown", points=sentences.signed_points(-class_cost.cost))


def guarantee(result: FairnessResult) -> str:
    """Return the guarantee, which is the same for both groups (HTML)."""
    return tiles.note(SAYS("guarantee", **budget(result.settings)))


def table(result: FairnessResult) -> str:
    """Return accuracy by group and class (HTML)."""
    formats = dict.fromkeys(("without privacy", "private", "cost"), _percent)
    return text_table(SAYS, "table", result.table(), COLUMNS, formats=formats, runs=REPEATS)


def _percent(share: float) -> str:
    """Return a share in percent, without the sign."""
    return f"{100 * share:.1f}"
