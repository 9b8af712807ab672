"""Choose the texts of membership inference, with their numbers."""

from collections.abc import Callable
from typing import Any

from lab.statistics.claims import Case
from pages.attack.membership.charts import ARMS, found
from pages.attack.membership.tasks import ATTACKS, COLUMNS, MODELS, MembersResult
from pages.attack.texts import SAYS, best_attacker, budget, say, tabled
from ui.text import tiles
from ui.text.tiles import Tile, number


def numbers(result: MembersResult) -> list[Tile]:
    private, plain = (result.at(arm, ATTACKS[0], 0.01) for arm in ("private", "plain"))
    tile, note = "membership.tiles", SAYS["membership.tiles.note"]
    limit = Tile(SAYS[f"{tile}.bound"], found(result.allowed(0.01)), note, tone="bound")
    return [
        Tile(
            SAYS[f"{tile}.private"],
            found(private),
            note,
            "private",
            round(100 * private, 1),
            "points",
        ),
        Tile(SAYS[f"{tile}.plain"], found(plain), note),
        limit,
        best_attacker(result.settings),
    ]


def verdict(result: MembersResult) -> str:
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
        times = tiles.multiple_text(number(plain / private)) if private else ""
    shares = {"plain": found(plain), "private": found(private)}
    text = SAYS(f"membership.verdict.{said}", times=times, trained=trained, models=MODELS, **shares)
    gap = (
        ""
        if case == Case.SO_FAR
        else SAYS(f"membership.verdict.{_memory(result)}", **_right(result))
    )
    return f"{text} {gap}".strip()


def diagnostics(result: MembersResult) -> list[str]:
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


def caption(result: MembersResult) -> str:
    return SAYS["membership.caption"]


def guarantee(result: MembersResult) -> str:
    settings = result.settings
    rows = {"members": settings.members, "rows": 2 * settings.members, "unit": "record"}
    return tiles.note(SAYS("membership.guarantee", **rows, **budget(settings)))


def table(result: MembersResult) -> str:
    formats: dict[str, Callable[[Any], str]] = dict.fromkeys(COLUMNS[2:4], found)
    formats |= {"model": lambda arm: ARMS[arm][0], "advantage": "{:.2f}".format}
    return tabled("membership.table", result.table(), COLUMNS, formats=formats)
