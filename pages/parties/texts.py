"""Texts of the parties page: which text of ``texts.md`` is shown, and with which numbers."""

from collections.abc import Iterable
from html import escape

from dpcore.training.erm import TOLERANCE
from lab.statistics.claims import Case, leaders, too_few_to_lead
from pages.parties.charts import SAYS, STYLES
from pages.parties.charts_trust import trust
from pages.parties.result import PartiesResult
from pages.parties.settings import RECORDED, PartiesSettings
from pages.parties.texts_trust import local_cost, local_noise, shuffler
from ui.text import class_predictions, tiles
from ui.text import sentences as shared
from ui.text.guarantee_notes import attacker_limit
from ui.text.numbers import delta as delta_text
from ui.text.numbers import format_number
from ui.text.tiles import Tile, distinct_percents, number, percent

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


def lead(settings: PartiesSettings) -> str:
    """Return the introduction of the page, which is the same with all settings."""
    del settings
    return SAYS["lead"]


# Tiles


def numbers(result: PartiesResult) -> list[Tile]:
    """Return the tiles: private and non-private accuracy, the range of runs, the guarantee."""
    settings = result.settings
    method = settings.method
    spread = result.summary[method]
    runs = result.chosen_accuracy
    private, non_private = distinct_percents(spread.median, result.pooled_accuracy)
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
        SAYS["tiles.runs"], runs.tolist(), low=spread.low, high=spread.high
    )
    guarantee_tile = tiles.attacker_tile(settings.guarantee)
    return [private_tile, pooled_tile, range_tile, guarantee_tile]


# Verdict


def verdict(result: PartiesResult) -> str:
    """Return whether joining helps, and what limits the release or does better."""
    more = ""
    if not result.mechanisms.is_central:
        if result.complete:
            more = local_cost(result)
    elif result.settings.dataset in RECORDED:
        more = _too_few_parties(result)
    elif result.complete:
        more = _best_release(result)
    return f"{_joining(result)} {more}".rstrip()


def _joining(result: PartiesResult) -> str:
    """Return how the release compares with a single party."""
    median = result.summary[result.settings.method].median
    local = result.local_accuracy.median
    majority_class, baseline = result.best_constant
    if result.complete and median <= baseline:
        return SAYS(
            "joining.constant",
            answer=escape(majority_class),
            base=percent(baseline),
            alone=percent(local),
        )
    case = _JOINING_CASES.get(result.compare_with_local(result.chosen_accuracy), "alike")
    name, _ = STYLES[result.settings.method]
    private, alone = distinct_percents(median, local)
    return SAYS(
        f"joining.{case}",
        release=name,
        draws=len(result.chosen_accuracy),
        mine=private,
        alone=alone,
        asked=result.asked,
        parties=result.settings.parties,
    )


def _too_few_parties(result: PartiesResult) -> str:
    """Return how long the noise is, and how many parties, or which epsilon, would suffice."""
    settings = result.settings
    method = settings.method
    if method == "pate":
        noise_sd = number(result.pate_noise_sd)
        return SAYS("few.pate", noise=noise_sd, parties=settings.parties)
    signal = result.signal_norm(method)
    if signal == 0:
        return ""
    ratio = result.noise_norm(method) / signal
    if ratio <= 1:
        return ""
    case = "parties"
    if method == "vote":  # more parties do not lower its noise
        case = "vote"
    return SAYS(
        f"few.{case}",
        parties=settings.parties,
        times=tiles.multiple_text(number(ratio)),
        enough=number(settings.parties * ratio),
        epsilon=number(settings.epsilon * ratio),
    )


def _best_release(result: PartiesResult) -> str:
    """Return the release that is shown to be best, or those that cannot be told apart from it."""
    accuracies = result.now.accuracies
    best, *others = leaders(accuracies)
    best_median = result.summary[best].median
    _, baseline = result.best_constant
    if best_median <= baseline:
        return SAYS["rival.constant"]
    if too_few_to_lead(accuracies):
        return SAYS("rival.few", draws=len(result.chosen_accuracy))
    method = result.settings.method
    if method in (best, *others):
        if others:
            return SAYS["rival.unshown"]
        return SAYS["rival.none"]
    accuracy, _ = distinct_percents(best_median, result.summary[method].median)
    name, _ = STYLES[best]
    if others:
        other_names = " and ".join(_names(others))
        text = SAYS("rival.ahead", release=name, accuracy=accuracy, others=other_names)
    else:
        text = SAYS("rival.best", release=name, accuracy=accuracy)
    if best == "pate":
        text += f" {SAYS('rival.delta', delta=delta_text(result.settings.delta))}"
    return text


def _names(methods: Iterable[str]) -> list[str]:
    """Return the names of methods."""
    return [STYLES[method][0] for method in methods]


# Explanation


def diagnostics(result: PartiesResult) -> list[str]:
    """Return at most three sentences that explain the accuracy, warnings first."""
    settings = result.settings
    found = []
    if settings.guarantee.delta > 0:
        found.append(tiles.large_delta_warning(settings.delta, settings.parties, "parties"))
    if result.mechanisms.is_central:
        one_party = SAYS(
            "why.one_party",
            parties=settings.parties,
            vote=number(result.sensitivity("vote")),
            soft=number(result.sensitivity("soft")),
        )
        found += [_noise(result), one_party]
    else:
        found += [local_noise(result), shuffler(result)]
    alone = SAYS(
        "why.alone",
        alone=percent(result.local_accuracy.median),
        exact=percent(result.accuracy_without_noise["soft"]),
    )
    found.append(alone)
    return [sentence for sentence in found if sentence][:_MOST_SENTENCES]


def _noise(result: PartiesResult) -> str:
    """Return the noise of a trusted aggregator next to the weights, or to the votes."""
    method = result.settings.method
    if method == "pate":
        return SAYS(
            "noise.pate",
            noise=number(result.pate_noise_sd),
            queries=result.mechanisms.queries,
            parties=result.settings.parties,
        )
    noise = result.noise_norm(method)
    signal = result.signal_norm(method)
    sensitivity = number(result.sensitivity(method))
    if signal == 0:
        return SAYS(
            "noise.tied",
            sensitivity=sensitivity,
            noise=number(noise),
            dimensions=result.dimensions,
        )
    return SAYS(
        "noise.length",
        sensitivity=sensitivity,
        noise=number(noise),
        dimensions=result.dimensions,
        times=tiles.multiple_text(number(noise / signal)),
        weights=number(signal),
    )


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
    stated = settings.guarantee
    meaning = f"{SAYS['guarantee.unit']} {tiles.meaning(stated)} {attacker_limit(stated)}"
    text = tiles.guarantee_facts(here=stated) + tiles.note(meaning)
    text += tiles.note(f"{_trusted(result)} {SAYS['guarantee.assumed']}")
    if result.mechanisms.is_central and settings.method != "pate":
        tolerance = format_number(TOLERANCE)
        text += tiles.note(SAYS("guarantee.minimiser", tolerance=tolerance))
    return text


def _trusted(result: PartiesResult) -> str:
    """Return who is trusted with what. A shuffler that proves nothing need not be trusted."""
    settings = result.settings
    trusted = settings.trust_model
    if not result.mechanisms.is_central and settings.guarantee.delta == 0:
        trusted = "local"
    text = SAYS(f"guarantee.{trusted}", one=number(result.message_epsilon))
    if trusted == "shuffle" and settings.method == "soft":
        text += f" {SAYS['guarantee.dealt']}"
    return text


# Texts at the charts


def caption(result: PartiesResult) -> str:
    """Return the drawing under the charts."""
    return trust(result)
