"""Texts of the parties page: which text of ``texts.md`` is shown, and with which numbers."""

from html import escape

from dpcore.training.erm import TOLERANCE
from lab.statistics.claims import Case, leaders, too_few_to_lead
from pages.parties.charts import SAYS, STYLES, accuracy_digits, accuracy_text
from pages.parties.result import PartiesResult
from pages.parties.texts_noise import noise_notes
from ui.text import class_predictions, tiles
from ui.text import sentences as shared
from ui.text.guarantee_notes import guarantee_with_notes
from ui.text.numbers import delta as delta_text
from ui.text.numbers import format_number
from ui.text.tiles import Tile, number

ABOUT = SAYS.cases("about")
HELP = SAYS.cases("help")
# The text that says how the release compares with a single party.
_JOINING_CASES = {
    Case.AHEAD: "ahead",
    Case.BEHIND: "behind",
    Case.FEW: "few",
    Case.SO_FAR: "so_far",
}
_MOST_SENTENCES = 3


# Tiles


def numbers(result: PartiesResult) -> list[Tile]:
    """Return the tiles: private and non-private accuracy, the range of runs, the guarantee."""
    settings = result.settings
    method = settings.method
    spread = result.summary[method]
    runs = result.chosen_accuracy
    private = accuracy_text(result, spread.median)
    non_private = accuracy_text(result, result.pooled_accuracy)
    if result.complete:
        _, baseline = result.best_constant
        note = shared.privacy_cost_note(runs, result.pooled_accuracy, base=baseline, runs=len(runs))
    else:
        note = SAYS("tiles.so_far", asked=result.asked, parties=settings.parties)
    name, _ = STYLES[method]
    private_tile = Tile(
        SAYS("tiles.accuracy", release=name),
        private,
        SAYS("tiles.draws", draws=len(runs)),
        tone="private",
        amount=tiles.shown_number(private),
        unit="points",
    )
    pooled_tile = Tile(SAYS["tiles.plain"], non_private, note)
    range_tile = tiles.runs_tile(
        SAYS["tiles.runs"],
        runs.tolist(),
        low=spread.low,
        high=spread.high,
        digits=accuracy_digits(result),
    )
    guarantee_tile = tiles.attacker_tile(settings.guarantee)
    return [private_tile, pooled_tile, range_tile, guarantee_tile]


# Verdict


def verdict(result: PartiesResult) -> str:
    """Return whether joining helps, and which release does best at which cost."""
    return f"{_joining(result)} {_best_release(result)}".rstrip()


def _joining(result: PartiesResult) -> str:
    """Return how the release compares with a single party."""
    median = result.summary[result.settings.method].median
    local = result.local_accuracy.median
    majority_class, baseline = result.best_constant
    if result.complete and median <= baseline:
        return SAYS(
            "joining.constant",
            answer=escape(majority_class),
            base=accuracy_text(result, baseline),
            alone=accuracy_text(result, local),
        )
    case = _JOINING_CASES.get(result.compare_with_local(result.chosen_accuracy), "alike")
    name, _ = STYLES[result.settings.method]
    return SAYS(
        f"joining.{case}",
        release=name,
        draws=len(result.chosen_accuracy),
        mine=accuracy_text(result, median),
        alone=accuracy_text(result, local),
        asked=result.asked,
        parties=result.settings.parties,
    )


def _best_release(result: PartiesResult) -> str:
    """Return the release with the best median, those not told apart from it, and its cost."""
    if not result.all_released:
        return ""
    accuracies = result.released.accuracies
    best, *others = leaders(accuracies)
    best_median = result.summary[best].median
    _, baseline = result.best_constant
    if best_median <= baseline:
        return SAYS["best.constant"]
    if too_few_to_lead(accuracies):
        return SAYS("best.few", draws=len(result.chosen_accuracy))
    name, _ = STYLES[best]
    case = "shown"
    if others:
        case = "tied"
    text = SAYS(
        f"best.{case}",
        release=name,
        accuracy=accuracy_text(result, best_median),
        others=shared.listed([STYLES[method][0] for method in others]),
    )
    guarantee = result.settings.guarantee_of(best)
    cost = "pure"
    if guarantee.delta > 0:
        cost = "delta"
    epsilon = number(guarantee.epsilon)
    cost_text = SAYS(f"cost.{cost}", epsilon=epsilon, delta=delta_text(guarantee.delta))
    return f"{text}{cost_text}"


# Explanation


def diagnostics(result: PartiesResult) -> list[str]:
    """Return at most three sentences that explain the accuracy, warnings first."""
    settings = result.settings
    found = []
    if settings.guarantee.delta > 0:
        found.append(tiles.large_delta_warning(settings.delta, settings.parties, "parties"))
    found += noise_notes(result)
    alone = SAYS(
        "why.alone",
        alone=accuracy_text(result, result.local_accuracy.median),
        exact=accuracy_text(result, result.accuracy_without_noise["soft"]),
    )
    found.append(alone)
    return [sentence for sentence in found if sentence][:_MOST_SENTENCES]


def by_class(result: PartiesResult) -> str:
    """Return how often each class is predicted as which, and what accuracy hides."""
    return class_predictions.table(
        result.held_out[result.settings.method],
        {SAYS["classes.pooled"]: result.held_out["pooled"]},
        result.classes,
        models=SAYS["classes.models"],
    )


# Guarantee


def guarantee(result: PartiesResult) -> str:
    """Return what is guaranteed, who is trusted, and what is assumed."""
    settings = result.settings
    assumed = f"{_trusted(result)} {SAYS['guarantee.assumed']}"
    text = guarantee_with_notes(settings.guarantee, assumed=f"{SAYS['guarantee.unit']} {assumed}")
    if result.mechanisms.is_central and settings.method in ("vote", "soft"):
        tolerance = format_number(TOLERANCE)
        text += tiles.note(SAYS("guarantee.minimiser", tolerance=tolerance))
    return text


def _trusted(result: PartiesResult) -> str:
    """Return who is trusted with what. A shuffler that proves nothing need not be trusted."""
    settings = result.settings
    trusted = settings.trust_model
    if trusted == "shuffle" and not result.is_shuffled:
        trusted = "local"
    text = SAYS(f"guarantee.{trusted}", one=number(result.message_epsilon))
    if trusted == "shuffle" and settings.method == "soft":
        text += f" {SAYS['guarantee.dealt']}"
    return text
