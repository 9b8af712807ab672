"""Texts of the attack on one person: the attacker's accuracy, and what it says of a claim.

The versions of the mechanism are "correct", "published", whose claim is wrong, and "none", without
privacy. The empirical epsilon is the lower bound on epsilon that the attack shows.
"""

from dpcore.privacy import Adjacency
from lab.models.classifier_versions import crossing
from pages.attack import texts_shared
from pages.attack.charts import measured_texts
from pages.attack.result import OnePersonResult
from pages.attack.settings import AttackSettings
from pages.attack.texts_shared import SAYS, best_attacker
from pages.attack.threshold_attack import SIDE_CONFIDENCE
from ui.text import tiles
from ui.text.tiles import Tile, number, out_of_hundred

ABOUT = SAYS.cases("about")
# Confidence of the lower bound on epsilon, and the chance of its error, in percent.
_CONFIDENCE = f"{100 * SIDE_CONFIDENCE:g}"
_ERROR = f"{100 * (1 - SIDE_CONFIDENCE):.3g}"
# Accuracy of guessing.
_CHANCE = 0.5


# Tiles


def numbers(result: OnePersonResult) -> list[Tile]:
    """Return the tiles: accuracy, its bound, the empirical epsilon, and the person's influence."""
    accuracy, low, high = measured_texts(result.attack)
    accuracy_tile = Tile(
        SAYS["tiles.right"],
        tiles.guesses_of_hundred(accuracy),
        SAYS("tiles.interval", low=low, high=high),
        tone="private",
        amount=float(accuracy),
    )
    shown_tiles = [accuracy_tile, _bound_tile(result.settings), _epsilon_tile(result)]
    if result.settings.version != "none":
        shown_tiles.append(_influence_tile(result))
    return shown_tiles


def _bound_tile(settings: AttackSettings) -> Tile:
    """Return the bound on accuracy: of correct noise, as claimed, or none."""
    if settings.version == "correct":
        return best_attacker(settings)
    if settings.version == "none":
        return tiles.attacker_tile(None)
    bound = tiles.percent_rounded_up(settings.claim.attacker_accuracy)
    return Tile(
        SAYS["tiles.allows"],
        tiles.guesses_of_hundred(bound),
        SAYS["tiles.allows_note"],
        tone="bound",
        amount=float(bound),
    )


def _epsilon_tile(result: OnePersonResult) -> Tile:
    """Return the lower bound on epsilon, and what is claimed."""
    epsilon = result.lower_bound.epsilon
    case = "claimed"
    if result.settings.version == "none":
        case = "unclaimed"
    note = SAYS(f"tiles.{case}", confidence=_CONFIDENCE, epsilon=number(result.settings.epsilon))
    return Tile(SAYS["tiles.shown"], number(epsilon), note, tone="bound", amount=epsilon)


def _influence_tile(result: OnePersonResult) -> Tile:
    """Return the person's influence: a share of the maximum, or, as published, a multiple of it."""
    label = SAYS["tiles.influence"]
    if result.settings.version == "published":
        return Tile(label, f"{number(result.influence)} &times;", SAYS["tiles.assumed"])
    share = out_of_hundred(result.influence)
    return Tile(label, f"{share}\u00a0%", SAYS["tiles.maximum"], amount=float(share))


# Verdict


def verdict(result: OnePersonResult) -> str:
    """Return whether the attacker is better than chance, and what that says of the claim."""
    attack = result.attack
    case = "at_chance"
    if attack.low > _CHANCE:
        case = "above_chance"
    right, low, high = measured_texts(attack)
    accuracy = SAYS(f"verdict.{case}", right=right, low=low, high=high)
    return f"{accuracy} {_claim_sentence(result)}".rstrip()


def _claim_sentence(result: OnePersonResult) -> str:
    """Return what the accuracy says of the claim, or ""."""
    version = result.settings.version
    attack = result.attack
    if version == "published":
        return _published_sentence(result)
    if version == "none":
        return SAYS["verdict.none"]
    if result.refuted:
        return SAYS("verdict.chance", chance=_ERROR)
    if attack.low > result.noise_bound:
        return SAYS("verdict.above", chance=_ERROR)
    if attack.low <= _CHANCE:
        return ""
    case = "within"
    if attack.accuracy > result.noise_bound:
        case = "reaches"
    return SAYS(f"verdict.{case}", bound=tiles.percent_rounded_up(result.noise_bound))


def _published_sentence(result: OnePersonResult) -> str:
    """Return whether the claim of the published mechanism is refuted."""
    if not result.refuted:
        return SAYS("verdict.open", epsilon=number(result.settings.epsilon))
    return SAYS(
        "verdict.caught",
        runs=2 * result.trainings,
        confidence=_CONFIDENCE,
        least=number(result.lower_bound.epsilon),
    )


# Explanation


def diagnostics(result: OnePersonResult) -> list[str]:
    """Return the person's influence, what the runs show, and what audits cannot show."""
    bounds = SAYS(
        "why.shown",
        runs=result.trainings,
        confidence=_CONFIDENCE,
        count=number(result.lower_bound.epsilon),
    )
    return [_influence_sentence(result), bounds, SAYS["proved"]]


def _influence_sentence(result: OnePersonResult) -> str:
    """Return the influence of the person, compared with the maximum and with other people."""
    version = result.settings.version
    if version == "none":
        return SAYS["why.none"]
    if version == "published":
        return SAYS("why.published", mine=number(result.influence))
    return SAYS(
        "why.correct",
        mine=out_of_hundred(result.influence),
        people=len(result.influences),
        middle=out_of_hundred(result.median_influence),
        most=out_of_hundred(float(result.influences.max())),
    )


# Guarantee


def guarantee(result: OnePersonResult) -> str:
    """Return the guarantee of the mechanism, and the two data sets (HTML)."""
    settings = result.settings
    if settings.version == "correct":
        return texts_shared.guarantee(settings, _data_sets(settings))
    data_sets = tiles.note(_data_sets(settings))
    if settings.version == "none":
        return tiles.note(SAYS["guarantee.none"]) + data_sets
    guarantees = settings.guarantees
    claimed = tiles.note(SAYS("guarantee.claimed", epsilon=number(settings.epsilon)))
    cases = tiles.guarantee_facts(
        rows_in_their_bounds=guarantees.bounded,
        each_gradient_clipped=guarantees.formula,
    )
    meaning = tiles.note(tiles.meaning(guarantees.bounded))
    return claimed + cases + meaning + _formula_note(settings) + data_sets


def _formula_note(settings: AttackSettings) -> str:
    """Return the epsilon above which the published formula adds too little noise (HTML).

    The formula is for a person who is replaced.
    """
    if settings.adjacency != Adjacency.REPLACE_ONE:
        return ""
    return tiles.note(SAYS("guarantee.weak", limit=number(crossing(settings.delta))))


def _data_sets(settings: AttackSettings) -> str:
    """Return how the two data sets differ, and what the attacker knows."""
    first = SAYS(f"guarantee.{settings.who}", person=settings.person)
    second = SAYS[f"guarantee.{settings.replaced_by}"]
    knows = SAYS("guarantee.knows", others=settings.rows - 1)
    return f"{first} {second} {knows}"
