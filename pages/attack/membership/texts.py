"""Texts of membership inference: how many of a model's training rows an attack finds."""

from collections.abc import Callable
from typing import Any

from lab.experiment.settings import Spread
from lab.statistics.claims import Case
from pages.attack import texts_shared
from pages.attack.membership.charts import MODEL_NAMES, rate_text
from pages.attack.membership.result import MODELS, MembershipResult
from pages.attack.texts_shared import SAYS as SHARED
from pages.attack.texts_shared import best_attacker
from ui.text import tables, tiles
from ui.text.texts import Texts
from ui.text.tiles import Tile, format_number

SAYS = Texts(__file__)
ABOUT = SAYS.cases("about")


def numbers(result: MembershipResult) -> list[Tile]:
    """Return the tiles: members found with and without privacy, the bound, the best attacker."""
    note = SAYS["tiles.note"]
    private = result.true_positive_rate("private")
    private_tile = Tile(
        SAYS["tiles.private"],
        rate_text(private),
        note,
        tone="private",
        amount=round(100 * private, 1),
        unit="points",
    )
    plain_tile = Tile(SAYS["tiles.plain"], rate_text(result.true_positive_rate("plain")), note)
    bound_tile = Tile(SAYS["tiles.bound"], rate_text(result.bound), note, tone="bound")
    return [private_tile, plain_tile, bound_tile, best_attacker(result.settings)]


# Verdict


def verdict(result: MembershipResult) -> str:
    """Return how many more members are found without privacy, and whether models memorise."""
    detection = _detection_sentence(result)
    if result.detection_claim == Case.SO_FAR:
        return detection
    case = "no_gap"
    if result.memorisation_claim == Case.AHEAD:
        case = "gap"
    on_members, on_others = result.accuracy("plain")
    memorisation = SAYS(
        f"verdict.{case}",
        members=f"{100 * on_members:.0f}",
        others=f"{100 * on_others:.0f}",
    )
    return f"{detection} {memorisation}"


def _detection_sentence(result: MembershipResult) -> str:
    """Return the members found without privacy, compared with private models."""
    plain = result.true_positive_rate("plain")
    private = result.true_positive_rate("private")
    shares = {"plain": rate_text(plain), "private": rate_text(private)}
    if result.detection_claim == Case.SO_FAR:
        trained = len(result.plain.members)
        return SAYS("verdict.so_far", trained=trained, models=MODELS, **shares)
    found = SAYS(
        "verdict.found",
        plain_range=_range_text(result, "plain"),
        private_range=_range_text(result, "private"),
        **shares,
    )
    return f"{found} {_comparison(result, plain=plain, private=private)}"


def _range_text(result: MembershipResult, arm: str) -> str:
    """Return the range of members found in nine models of ten."""
    spread = Spread.of(result.true_positive_rates_by_model(arm))
    low = rate_text(spread.low).removesuffix("\u00a0%")
    return f"{low} to {rate_text(spread.high)}"


def _comparison(result: MembershipResult, *, plain: float, private: float) -> str:
    """Return how many more members are found without privacy, if the models show a difference."""
    if result.detection_claim != Case.AHEAD:
        return SAYS["verdict.alike"]
    if private == 0:
        return SAYS["verdict.none"]
    return SAYS(
        "verdict.times", times=tiles.multiple_text(format_number(plain / private, digits=2))
    )


# Explanation


def diagnostics(result: MembershipResult) -> list[str]:
    """Return the advantage of the attack, and that audits prove nothing."""
    advantage = SAYS(
        "why.advantage",
        plain=f"{result.advantage('plain'):.2f}",
        private=f"{result.advantage('private'):.2f}",
    )
    return [advantage, SHARED["proved"]]


def guarantee(result: MembershipResult) -> str:
    """Return the guarantee of the private models, and what it says of attacks (HTML)."""
    settings = result.settings
    scope = SAYS("guarantee", members=settings.members, rows=2 * settings.members)
    return texts_shared.guarantee(settings, scope)


def table(result: MembershipResult) -> str:
    """Return what each attack finds (HTML)."""
    formats: dict[str, Callable[[Any], str]] = {
        "model": MODEL_NAMES.__getitem__,
        "attack": str,
        "found at 1 %": rate_text,
        "advantage": "{:.2f}".format,
    }
    return tables.table(
        result.table(),
        title=SAYS["table.title"],
        caption=SAYS["table.caption"],
        heads=SAYS.heads("table", formats),
        formats=formats,
    )
