"""Membership inference, fairness and model inversion: which text of ``texts.md`` is said, and with
which numbers.
"""

from collections.abc import Callable
from typing import Any

from lab.statistics.claims import Case
from pages.attack.charts_parts import ARMS, found
from pages.attack.fairness import GROUPS, REPEATS, GroupsResult
from pages.attack.inversion import REPEATS as RETRIES
from pages.attack.inversion import InversionResult
from pages.attack.membership import ATTACKS, COLUMNS, MODELS, MembersResult
from pages.attack.texts import SAYS, best_attacker, budget, say, tabled
from ui.text import sentences, tiles
from ui.text.tiles import Number, number

# A reconstruction of this correlation can be recognised; one below the second cannot.
_READABLE, _LOST = 0.7, 0.3


def membership_numbers(result: MembersResult) -> list[Number]:
    private, plain = (result.at(arm, ATTACKS[0], 0.01) for arm in ("private", "plain"))
    tile, note = "membership.tiles", SAYS["membership.tiles.note"]
    limit = Number(SAYS[f"{tile}.bound"], found(result.allowed(0.01)), note, tone="bound")
    return [
        Number(
            SAYS[f"{tile}.private"],
            found(private),
            note,
            "private",
            round(100 * private, 1),
            "points",
        ),
        Number(SAYS[f"{tile}.plain"], found(plain), note),
        limit,
        best_attacker(result.settings),
    ]


def membership_verdict(result: MembersResult) -> str:
    """Return how much better the attack is without privacy, where that is shown, and whether that
    is memorisation.
    """
    plain, private = (result.at(arm, ATTACKS[0], 0.01) for arm in ("plain", "private"))
    case, times, trained = result.more_found, "", len(result.shadows["plain"].members)
    if case == Case.SO_FAR:
        said = "so_far"
    elif case != Case.AHEAD:
        said = "alike"
    else:
        said = "times" if private else "none"
        times = tiles.multiple(number(plain / private)) if private else ""
    shares = {"plain": found(plain), "private": found(private)}
    text = SAYS(f"membership.verdict.{said}", times=times, trained=trained, models=MODELS, **shares)
    gap = (
        ""
        if case == Case.SO_FAR
        else SAYS(f"membership.verdict.{_memory(result)}", **_right(result))
    )
    return f"{text} {gap}".strip()


def membership_diagnostics(result: MembersResult) -> list[str]:
    """Return accuracy on members and on others, and what the attack finds at few false
    positives.
    """
    holes = {}
    for arm in ("plain", "private"):
        members, others = result.right(arm)
        holes[f"{arm}_in"] = f"{100 * members:.0f}"
        holes[f"{arm}_out"] = f"{100 * others:.0f}"
        holes[arm] = found(result.at(arm, ATTACKS[0], 0.001))
        holes[f"{arm}_advantage"] = f"{result.advantage(arm, ATTACKS[0]):.2f}"
    memory = _memory(result) if result.complete else "so_far"
    return [*say("membership.why", (memory, "sure"), **holes), SAYS["proved"]]


def _memory(result: MembersResult) -> str:
    return "gap" if result.memory == Case.AHEAD else "no_gap"


def _right(result: MembersResult) -> dict[str, str]:
    """Return the accuracy of the non-private model on members and on others, in whole percent."""
    members, others = result.right("plain")
    return {"members": f"{100 * members:.0f}", "others": f"{100 * others:.0f}"}


def membership_caption(result: MembersResult) -> str:
    return SAYS["membership.caption"]


def membership_guarantee(result: MembersResult) -> str:
    settings = result.settings
    rows = {"members": settings.members, "rows": 2 * settings.members, "unit": "record"}
    return tiles.note(SAYS("membership.guarantee", **rows, **budget(settings)))


def membership_table(result: MembersResult) -> str:
    formats: dict[str, Callable[[Any], str]] = dict.fromkeys(COLUMNS[2:4], found)
    formats |= {"model": lambda arm: ARMS[arm][0], "advantage": "{:.2f}".format}
    return tabled("membership.table", result.table(), COLUMNS, formats=formats)


def pays_numbers(result: GroupsResult) -> list[Number]:
    said, tile = [], "pays.tiles"
    for group, name in ((1, "minority"), (0, "majority")):
        mine, plain = sentences.apart(result.typical(group), float(result.plain[group, -1]))
        note = SAYS(f"{tile}.plain", accuracy=plain)
        said.append(
            Number(SAYS[f"{tile}.{name}"], mine, note, "private", float(mine.split()[0]), "points")
        )
    more = result.cost(1) - result.cost(0)
    value = f"{sentences.signed(more)} <small>points</small>"
    few = SAYS(f"{tile}.few", few=result.few, rows=result.settings.rows)
    gap = Number(SAYS[f"{tile}.gap"], value, few, amount=round(100 * more, 1), unit="points")
    return [*said, gap, best_attacker(result.settings)]


def pays_verdict(result: GroupsResult) -> str:
    case = result.uneven if result.uneven in (Case.AHEAD, Case.BEHIND) else Case.ALIKE
    said = [SAYS(f"pays.verdict.{case}", runs=REPEATS)]
    for group, name in ((1, "minority"), (0, "majority")):
        cost = result.cost(group)
        key = f"pays.verdict.{name}"
        if not _change(result, group):
            key += "_alike"
        change = "loses" if cost > 0 else "gains"
        points = sentences.points(cost)
        said.append(
            SAYS(key, change=change, points=points, few=result.few, rows=result.settings.rows)
        )
    return " ".join(said)


def _change(result: GroupsResult, group: int, label: int = -1) -> str:
    """Return the change of accuracy in points, and nothing where no change is shown."""
    cost = result.cost(group, label)
    shown = result.lost(group, label) == (Case.BEHIND if cost > 0 else Case.AHEAD)
    return sentences.signed(-cost) if shown else ""


def pays_diagnostics(result: GroupsResult) -> list[str]:
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


def pays_table(result: GroupsResult) -> str:
    columns = ("group", "class", "without privacy", "private", "cost")
    formats = dict.fromkeys(columns[2:], lambda share: f"{100 * share:.1f}")
    return tabled("pays.table", result.table(), columns, formats=formats, runs=REPEATS)


def inversion_numbers(result: InversionResult) -> list[Number]:
    """Return the correlation of reconstruction and truth: of one person's record, and of what many
    share.
    """
    (private, plain), (hidden, seen) = result.match(0), result.match(1)
    tile, note = "inversion.tiles", SAYS["inversion.tiles.note"]
    return [
        Number(SAYS[f"{tile}.private"], _alike(hidden), note, "private", float(f"{hidden:.2f}")),
        Number(SAYS[f"{tile}.plain"], _alike(seen), note),
        Number(
            SAYS[f"{tile}.classes"],
            _alike(private),
            SAYS(f"{tile}.classes_note", correlation=_alike(plain)),
        ),
        best_attacker(result.settings),
    ]


def _alike(correlation: float) -> str:
    """Return a number with a true minus, and none before a zero."""
    shown = f"{abs(correlation):.2f}"
    return shown if correlation >= 0 or shown == "0.00" else f"−{shown}"


def inversion_verdict(result: InversionResult) -> str:
    (private, plain), (hidden, seen) = result.match(0), result.match(1)
    cases = (
        "readable" if hidden >= _READABLE else "visible" if hidden > _LOST else "lost",
        "plain_clear" if seen >= _READABLE else "plain_hard",
        "stay" if private > _READABLE * plain else "fade",
    )
    return " ".join(say("inversion.verdict", cases))


def inversion_diagnostics(result: InversionResult) -> list[str]:
    return say("inversion.why", ("class", "record"), plain=_alike(result.match(1)[1]))


def inversion_table(result: InversionResult) -> str:
    now, columns = number(result.settings.epsilon), ("epsilon", "classes", "record")
    formats: dict[str, Callable[[Any], str]] = {
        "epsilon": number,
        "classes": _alike,
        "record": _alike,
    }
    return tabled(
        "inversion.table", result.table(), columns, formats=formats, mark=now, runs=RETRIES
    )
