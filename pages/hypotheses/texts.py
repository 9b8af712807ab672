"""Texts of hypothesis transfer: which text of ``texts.md`` is shown, and with which numbers."""

import math
from collections.abc import Sequence

from lab.number_text import with_minus
from lab.statistics.claims import Case
from pages.hypotheses.charts import SAYS, STYLES, MedianAccuracies, median_accuracies
from pages.hypotheses.result import HypothesesResult
from ui.text import guarantee_notes, sentences, tables, tiles
from ui.text.numbers import delta
from ui.text.sentences import points_text
from ui.text.tiles import Tile, number, percent

ABOUT = SAYS.cases("about")
HELP = SAYS.cases("help")
# The verdict warns if transfer harms in more than this share of runs.
_OFTEN_HARMED = 0.2
# The sources take the first steps of the algorithm, and the target the others.
_STEPS = 6
_SOURCE_STEPS = 2


# Tiles


def numbers(result: HypothesesResult) -> list[Tile]:
    """Return the tiles: three accuracies, and the best attacker's."""
    medians = median_accuracies(result)
    runs = SAYS("tiles.runs", runs=result.repeats)
    return [
        _accuracy_tile("transfer", medians, runs, tone="private"),
        _accuracy_tile("few_labels", medians, _gain_note(result, medians)),
        _accuracy_tile("without_noise", medians, _loss_note(result, medians)),
        tiles.attacker_tile(result.settings.guarantee),
    ]


def _accuracy_tile(name: str, medians: MedianAccuracies, note: str, tone: str = "") -> Tile:
    """Return the tile of a field of ``medians``, with dots while it is NaN."""
    label = SAYS[f"tiles.{name}"]
    accuracy = getattr(medians, name)
    if math.isnan(accuracy):
        return Tile(label, "…", note)
    # Differences of tiles are those of the numbers as shown.
    amount = round(100 * accuracy, medians.digits)
    value = percent(accuracy, digits=medians.digits)
    return Tile(label, value, note, tone, amount=amount, unit="points")


def _difference_from_transfer(medians: MedianAccuracies, accuracy: float) -> str:
    """Return the difference of an accuracy from transfer's as shown, without its sign."""
    higher = max(accuracy, medians.transfer)
    lower = min(accuracy, medians.transfer)
    return tiles.points_difference(higher, lower, digits=medians.digits)


def _gain_note(result: HypothesesResult, medians: MedianAccuracies) -> str:
    """Return the gain of transfer over the few labels, or why nothing is claimed."""
    sign = "−"
    if medians.transfer > medians.few_labels:
        sign = "+"
    gain = f"{sign}{_difference_from_transfer(medians, medians.few_labels)}"
    return sentences.difference_or_reason(
        result.compare("few_labels"),
        SAYS("tiles.gain", gain=gain),
        runs=result.repeats,
        of=result.settings.repeats,
    )


def _loss_note(result: HypothesesResult, medians: MedianAccuracies) -> str:
    """Return the accuracy that the noise costs, or why nothing is claimed."""
    case = result.compared_without_noise
    if math.isnan(medians.without_noise) or (result.complete and case == Case.SO_FAR):
        return SAYS["tiles.training"]
    if case == Case.AHEAD:
        case = Case.ALIKE  # noise costs nothing then
    loss = _difference_from_transfer(medians, medians.without_noise)
    return sentences.difference_or_reason(
        case,
        SAYS("tiles.price", loss=loss),
        runs=result.repeats,
        of=result.settings.repeats,
        none=SAYS["tiles.none"],
    )


# Verdict


def verdict(result: HypothesesResult) -> str:
    """Return whether transfer helps, and the weight of the source with the largest share."""
    medians = median_accuracies(result)
    case = result.compare("few_labels")
    outcome = SAYS(
        f"outcome.{case.value.replace(' ', '_')}",
        share=percent(result.baseline),
        mine=percent(medians.transfer, digits=medians.digits),
        alone=percent(medians.few_labels, digits=medians.digits),
        gain=_difference_from_transfer(medians, medians.few_labels),
        done=result.repeats,
        runs=result.settings.repeats,
        labels=result.labels,
    )
    parts = [outcome]
    if case == Case.AHEAD and result.harmed > _OFTEN_HARMED:
        harmed = round(result.harmed * result.repeats)
        parts.append(SAYS("outcome.harm", harmed=harmed, runs=result.repeats))
    parts.append(_largest_source(result))
    return " ".join(parts)


def _largest_source(result: HypothesesResult) -> str:
    """Return share and weight of the source with the largest share of the target."""
    shares = result.settings.shares
    largest = shares.index(max(shares))
    _, medians, _ = result.weight_quantiles
    return SAYS(
        "outcome.source",
        source=largest + 1,
        share=percent(shares[largest]),
        weight=percent(medians[largest]),
    )


# Explanation


def diagnostics(result: HypothesesResult) -> list[str]:
    """Return at most three sentences: noise, weights, and a warning or the gain of the weights."""
    settings = result.settings
    third = ""
    if settings.noise == "gaussian":
        third = tiles.large_delta_warning(settings.delta, settings.source_rows, "rows of a source")
    if not third:
        third = _average(result)
    sentences = [_noise(result), _weights(result), third]
    return [sentence for sentence in sentences if sentence]


def _noise(result: HypothesesResult) -> str:
    """Name the size of the noise on a margin and on the log weight of a public row."""
    margin, weight = result.noise_at(result.dimension)
    case = "moves"
    if result.settings.noise == "objective":
        case = "objective"
    return SAYS(
        f"noise.{case}",
        features=result.dimension,
        measured=number(result.measured_noise),
        margin=number(margin),
        weight=number(weight),
    )


def _weights(result: HypothesesResult) -> str:
    """Name the distance of the weights from the true mixture."""
    case = "missed"
    if result.compared_with_equal_weights == Case.BEHIND:
        case = "misled"
    return SAYS(
        f"why.{case}",
        error=number(result.median_error),
        equal=number(result.error_of_equal_weights),
    )


def _average(result: HypothesesResult) -> str:
    """Name the gain of the weights over equal ones."""
    cases = {Case.BEHIND: "equal", Case.AHEAD: "weighted", Case.ALIKE: "even"}
    case = result.compare("equal_weights")
    if case not in cases:
        return ""
    gain = result.summary["transfer"].median - result.summary["equal_weights"].median
    return SAYS(f"why.{cases[case]}", points=points_text(gain))


# Guarantee


def guarantee(result: HypothesesResult) -> str:
    """Return the guarantee of a source's row, who adds noise, and the assumptions."""
    settings = result.settings
    assumptions = SAYS["guarantee.assumed"]
    if settings.data != "domains":
        assumptions += f" {SAYS['guarantee.texts']}"
    noise = SAYS[f"trust.{settings.noise}"]
    trust = SAYS("trust.why", sources=settings.sources, noise=noise)
    stated = guarantee_notes.guarantee_with_notes(settings.guarantee, assumed=trust)
    return stated + tiles.note(assumptions) + tiles.note(SAYS["guarantee.unprotected"])


# Algorithm


def steps(result: HypothesesResult) -> str:
    """Return a table of the six steps of the algorithm: what each reads, gives and costs."""
    settings = result.settings
    cost_case = "pure"
    if settings.noise == "gaussian":
        cost_case = "gaussian"
    cost = SAYS(f"steps.{cost_case}", epsilon=number(settings.epsilon), delta=delta(settings.delta))
    hypothesis, tilt = _released_vectors(result)
    values = {
        **vars(settings),
        "public_rows": result.data.public.shape[0],
        "features": result.dimension,
        "labels": result.labels,
        "hypothesis": hypothesis,
        "tilt": tilt,
        "cost": cost,
    }
    columns = ("step", "reads", "gives", "cost")
    rows = []
    for step in range(1, _STEPS + 1):
        cells = SAYS(f"steps.{step}", **values)
        row = dict(zip(columns, cells.split(" / "), strict=True))
        row["at"] = SAYS["steps.target"]
        if step <= _SOURCE_STEPS:
            row["at"] = SAYS["steps.source"]
        rows.append(row)
    return tables.table(
        rows,
        title=SAYS["steps.title"],
        caption=SAYS["steps.caption"],
        heads=SAYS.heads("steps", ("step", "at", "reads", "gives", "cost")),
    )


def _released_vectors(result: HypothesesResult) -> tuple[str, str]:
    """Name the releases of a source in the steps 1 and 2, with the size of their noise."""
    if result.settings.noise == "objective":
        noise = number(result.measured_noise)
        return SAYS("steps.objective", noise=noise), SAYS["steps.same"]
    margin, weight = result.noise_at(result.dimension)
    return SAYS("steps.margin", noise=number(margin)), SAYS("steps.weight", noise=number(weight))


# Table


def table(result: HypothesesResult) -> str:
    """Return the accuracy of each method at the set values, and its gain over the few labels."""
    frame = result.table()
    return tables.table(
        frame,
        title=SAYS("table.title", share=number(100 * result.settings.label_share)),
        caption=SAYS["table.caption"],
        heads=SAYS.heads("table", frame.columns, now=tiles.badge("trained now")),
        formats={
            "method": _method_name,
            "low": _percent,
            "median": _percent,
            "high": _percent,
            "gain": _signed_points,
        },
    )


def _method_name(method: str) -> str:
    name, _ = STYLES[method]
    return name


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _signed_points(share: float) -> str:
    return with_minus(f"{100 * share:+.1f}")


# Mixture


def mixture_text(shares: Sequence[float]) -> str:
    """Return the target's share of each source, in percent."""
    return " / ".join(f"{100 * share:.3g}" for share in shares)
