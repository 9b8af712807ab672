"""Choose the texts of fairness, with their numbers."""

from typing import Any

from lab.statistics.claims import Case
from pages.attack.fairness.tasks import GROUPS, REPEATS, GroupsResult
from pages.attack.texts import SAYS, best_attacker, say, tabled
from ui.text import sentences, tiles
from ui.text.tiles import Tile, number


def numbers(result: GroupsResult) -> list[Tile]:
    said, tile = [], "pays.tiles"
    for group, name in ((1, "minority"), (0, "majority")):
        mine, plain = tiles.distinct_percents(result.typical(group), float(result.plain[group, -1]))
        note = SAYS(f"{tile}.plain", accuracy=plain)
        said.append(
            Tile(SAYS[f"{tile}.{name}"], mine, note, "private", float(mine.split()[0]), "points")
        )
    more = result.cost(1) - result.cost(0)
    value = f"{sentences.signed_points(more)} <small>points</small>"
    few = SAYS(f"{tile}.few", few=result.few, rows=result.settings.rows)
    gap = Tile(SAYS[f"{tile}.gap"], value, few, amount=round(100 * more, 1), unit="points")
    return [*said, gap, best_attacker(result.settings)]


def verdict(result: GroupsResult) -> str:
    case = result.uneven if result.uneven in (Case.AHEAD, Case.BEHIND) else Case.ALIKE
    said = [SAYS(f"pays.verdict.{case}", runs=REPEATS)]
    for group, name in ((1, "minority"), (0, "majority")):
        cost = result.cost(group)
        key = f"pays.verdict.{name}"
        if not _change(result, group):
            key += "_alike"
        change = "loses" if cost > 0 else "gains"
        points = sentences.points_text(cost)
        said.append(
            SAYS(key, change=change, points=points, few=result.few, rows=result.settings.rows)
        )
    return " ".join(said)


def _change(result: GroupsResult, group: int, label: int = -1) -> str:
    """Return the change of accuracy in points, and nothing where no change is shown."""
    cost = result.cost(group, label)
    shown = result.lost(group, label) == (Case.BEHIND if cost > 0 else Case.AHEAD)
    return sentences.signed_points(-cost) if shown else ""


def diagnostics(result: GroupsResult) -> list[str]:
    settings, names = result.settings, result.classes
    costs = [(result.cost(g, c), g, c) for g in range(len(GROUPS)) for c in range(len(names))]
    small, large = (
        number(settings.clip_norm * n / settings.rows)
        for n in (result.few, settings.rows - result.few)
    )
    holes: dict[str, Any] = {"few": result.few, "small": small, "large": large}
    for (_, group, label), which, change in (
        (max(costs), "worst", "lost"),
        (min(costs), "least", "kept"),
    ):
        points = _change(result, group, label)
        holes[which] = f"{names[label]} of the {GROUPS[group]}"
        holes[change] = SAYS(f"pays.why.{'shown' if points else 'not_shown'}", points=points)
    return say("pays.why", ("clipping", "class"), **holes)


def table(result: GroupsResult) -> str:
    columns = ("group", "class", "without privacy", "private", "cost")
    formats = dict.fromkeys(columns[2:], lambda share: f"{100 * share:.1f}")
    return tabled("pays.table", result.table(), columns, formats=formats, runs=REPEATS)
