"""Texts of fairness: whether privacy costs a minority more accuracy than the majority."""

from lab.experiment.settings import Spread
from lab.statistics.claims import Case
from pages.attack import texts_shared
from pages.attack.fairness.experiment import REPEATS
from pages.attack.fairness.result import MAJORITY, MINORITY, FairnessResult
from pages.attack.fairness.tasks import GROUPS
from pages.attack.texts_shared import best_attacker
from ui.text import sentences, tiles
from ui.text.texts import Texts
from ui.text.tiles import Tile, number, percent

SAYS = Texts(__file__)
ABOUT = SAYS.cases("about")

# Tiles


def numbers(result: FairnessResult) -> list[Tile]:
    """Return the tiles: the accuracy of both groups, the difference of costs, the best attacker."""
    gap = result.gap
    gap_tile = Tile(
        SAYS["tiles.gap"],
        f"{sentences.signed_points(gap.median)} <small>points</small>",
        SAYS("tiles.range", low=_points(gap.low), high=_points(gap.high)),
        amount=round(100 * gap.median, 1),
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
    private = percent(result.median(group), digits=1)
    plain = percent(result.plain[group], digits=1)
    return Tile(
        SAYS[f"tiles.{GROUPS[group]}"],
        private,
        SAYS("tiles.plain", accuracy=plain),
        tone="private",
        amount=tiles.shown_number(private),
        unit="points",
    )


# Verdict and explanation


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
    """Return the accuracy that a group loses or gains, if the runs show a change."""
    change = "gains"
    shown_by = Case.AHEAD
    changes = result.runs[group] - result.plain[group]
    if result.cost(group) > 0:
        change = "loses"
        shown_by = Case.BEHIND
        changes = -changes
    case = GROUPS[group]
    if result.accuracy_claim(group) != shown_by:
        case += "_alike"
    spread = Spread.of(changes)
    return SAYS(
        f"verdict.{case}",
        change=change,
        points=sentences.points_text(spread.median),
        low=_points(spread.low),
        high=_points(spread.high),
        few=result.minority_rows,
        rows=result.settings.rows,
    )


def _points(share: float) -> str:
    """Return a share in points, with a true minus."""
    return sentences.signed_points(share).removeprefix("+")


def diagnostics(result: FairnessResult) -> list[str]:
    """Return how far both groups together move the mean gradient."""
    settings = result.settings
    few = result.minority_rows
    clipping = SAYS(
        "why.clipping",
        few=few,
        small=number(settings.clip_norm * few / settings.rows),
        large=number(settings.clip_norm * (settings.rows - few) / settings.rows),
    )
    return [clipping]


def guarantee(result: FairnessResult) -> str:
    """Return the guarantee, which is the same for both groups (HTML)."""
    return texts_shared.guarantee(result.settings, SAYS["guarantee"])
