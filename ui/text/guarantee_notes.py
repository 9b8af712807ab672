"""Sentences about guarantees that several pages share: the best attacker, and void guarantees."""

from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Guarantee
from lab.experiment.data_settings import SourceSettings
from ui.text import tiles
from ui.text.numbers import number
from ui.text.texts import SAYS
from ui.text.tiles import PRACTICALLY_CERTAIN, Tile, percent_rounded_up


def attacker_limit(guarantee: Guarantee) -> str:
    """State the best attacker's accuracy, and the limit that epsilon and delta alone would set."""
    attacker = best_attacker(guarantee)
    if attacker.right > PRACTICALLY_CERTAIN:
        return SAYS["limit.certain"]
    accuracy = percent_rounded_up(attacker.right)
    limit = percent_rounded_up(guarantee.attacker_accuracy)
    case = attacker.known
    if attacker.known == "epsilon":
        case = "any"
    elif accuracy == limit:
        case = f"{attacker.known}-any"
    if guarantee.attacker_accuracy > PRACTICALLY_CERTAIN:
        limit = "practically 100"
    parameters = "epsilon"
    if guarantee.delta:
        parameters = "epsilon and delta"
    return SAYS(f"limit.{case}", mine=accuracy, most=limit, given=parameters)


def guarantee_with_notes(guarantee: Guarantee, *, assumed: str) -> str:
    """Return a guarantee with its meaning, the best attacker and the assumptions (HTML)."""
    facts = tiles.guarantee_facts(here=guarantee)
    meaning = tiles.note(tiles.meaning(guarantee))
    limit = tiles.note(attacker_limit(guarantee))
    return facts + meaning + limit + tiles.note(assumed)


def void_verdict(settings: SourceSettings) -> str:
    """State that nothing is guaranteed if bounds were read off the rows; else ""."""
    if not settings.void:
        return ""
    return SAYS("void.verdict", why=settings.void, epsilon=number(settings.epsilon))


def void_attacker_tile(reason: str) -> Tile:
    """Return the tile of an attacker whose accuracy has no bound, with the reason."""
    return Tile(SAYS["attacker.void-label"], SAYS["attacker.void"], reason, tone="void")


def void_note(settings: SourceSettings) -> str:
    """Explain why there is no guarantee, and what would restore it (HTML)."""
    return tiles.note(SAYS("void.guarantee", why=settings.void))


def spent_on_bounds(settings: SourceSettings) -> str:
    """State the part of epsilon that paid for bounds, with a space at the end; else "" (HTML)."""
    if not settings.payments:
        return ""
    sentence = SAYS(
        "paid",
        epsilon=number(settings.epsilon),
        spent=number(settings.spent_epsilon),
        left=number(settings.remaining_epsilon),
        releases=len(settings.payments),
    )
    return sentence + " "
