"""Hypothesis transfer in words: verdict, stages, diagnostics, guarantee, table, method."""

import math

from lab.statistics.claims import Case
from pages.hypotheses.charts import SAYS, STYLES, accuracy_digits, three_accuracies
from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.settings import EPSILONS, LAWS
from pages.hypotheses.tasks import METHODS
from pages.hypotheses.texts_algorithm import trust
from ui.text import class_predictions, guarantee_notes, tiles
from ui.text import sentences as outcomes
from ui.text.numbers import delta
from ui.text.sentences import format_tenths, points_text
from ui.text.tiles import Tile, number, percent


def numbers(result: HypothesesResult) -> list[Tile]:
    notes = {
        "transfer": SAYS("tiles.runs", runs=result.repeats),
        "weak": _gained(result),
        "plain": _lost(result),
    }
    shares, digits = [], accuracy_digits(result)
    for (name, note), value in zip(notes.items(), three_accuracies(result), strict=True):
        label, tone = SAYS[f"tiles.{name}"], "private" if name == "transfer" else ""
        if math.isnan(value):
            shares.append(Tile(label, "…", note))
            continue
        # A difference of big numbers is made from the number as shown
        shown, amount = percent(value, digits=digits), round(100 * value, digits)
        shares.append(Tile(label, shown, note, tone, amount=amount, unit="points"))
    return [*shares, tiles.attacker_tile(result.settings.guarantee)]


def _between(result: HypothesesResult, one: float, other: float) -> str:
    """Return the difference of two numbers as they are shown, without its sign."""
    return tiles.points_difference(max(one, other), min(one, other), digits=accuracy_digits(result))


def _gained(result: HypothesesResult) -> str:
    mine, alone, _ = three_accuracies(result)
    said = SAYS("tiles.gain", gain=f"{'+' if mine > alone else '−'}{_between(result, mine, alone)}")
    return outcomes.difference_or_reason(
        result.now_beside("weak"), said, runs=result.repeats, of=result.settings.repeats
    )


def _lost(result: HypothesesResult) -> str:
    mine, _, plain = three_accuracies(result)
    if math.isnan(plain) or (result.now.complete and result.noiseless == Case.SO_FAR):
        return SAYS["tiles.training"]
    case = Case.ALIKE if result.noiseless == Case.AHEAD else result.noiseless
    said = SAYS("tiles.price", loss=_between(result, plain, mine))
    return outcomes.difference_or_reason(
        case, said, runs=result.repeats, of=result.settings.repeats, none=SAYS["tiles.none"]
    )


def verdict(result: HypothesesResult) -> str:
    (mine, alone, _), shares = three_accuracies(result), result.settings.shares
    case, best, digits = (
        result.now_beside("weak"),
        shares.index(max(shares)),
        accuracy_digits(result),
    )
    said = SAYS(
        f"outcome.{case.value.replace(' ', '_')}",
        share=percent(result.now.constant),
        mine=percent(mine, digits=digits),
        alone=percent(alone, digits=digits),
        gain=_between(result, mine, alone),
        done=result.repeats,
        runs=result.settings.repeats,
        labels=result.labels,
    )
    if case == Case.AHEAD and result.harmed > 0.2:
        said += " " + SAYS(
            "outcome.harm", harmed=round(result.harmed * result.repeats), runs=result.repeats
        )
    share, weight = percent(shares[best]), percent(result.weight_spread[1][best])
    return f"{said} {SAYS('outcome.source', source=best + 1, share=share, weight=weight)}"


def caption(_: HypothesesResult) -> str:
    return SAYS["caption"]


def diagnostics(result: HypothesesResult) -> list[str]:
    """Return the explanation, at most three sentences: the noise, the weights, and what matters
    most besides.
    """
    sentences = [_laws(result) or _noise(result), _weights(result), _besides(result)]
    return [sentence for sentence in sentences if sentence]


def _noise(result: HypothesesResult) -> str:
    """Return how far the noise moves a margin, and the weight of a public row."""
    margin, weight = result.noise_at(result.dimension)
    case = "objective" if result.settings.noise == "objective" else "moves"
    return SAYS(
        f"noise.{case}",
        features=result.dimension,
        measured=number(result.measured_noise),
        margin=number(margin),
        weight=number(weight),
    )


def _laws(result: HypothesesResult) -> str:
    """Return from which epsilon on transfer with all words helps, by the distribution of
    the noise.
    """
    if result.settings.projected or result.now_beside("weak") == Case.FEW:
        return ""
    found = {noise: result.helps_from(noise) for noise in LAWS}
    if None in found.values():
        return ""
    helps = {noise: _onwards(epsilon) for noise, epsilon in found.items() if epsilon is not None}
    return SAYS(
        "laws.helps", words=result.world.features, delta=delta(result.settings.delta), **helps
    )


def _onwards(epsilon: float) -> str:
    if math.isinf(epsilon):
        case = "nowhere"
    elif epsilon == EPSILONS[0]:
        case = "everywhere"
    else:
        case = "from"
    return SAYS(f"laws.{case}", epsilon=number(epsilon))


def _weights(result: HypothesesResult) -> str:
    """Return how far the weights are from the true mixture."""
    case = "misled" if result.weighing == Case.BEHIND else "missed"
    return SAYS(
        f"why.{case}",
        error=number(float(result.now.middle("error"))),
        equal=number(result.equal_error),
    )


def _besides(result: HypothesesResult) -> str:
    """Return a warning of a large delta, the number of features that does best, or what the weights
    gain.
    """
    settings = result.settings
    if settings.noise == "gaussian":
        large_delta = tiles.large_delta_warning(
            settings.delta, settings.source_rows, "rows of a source"
        )
        if large_delta:
            return large_delta
    if len(result.best_dimensions) == 1 and not result.too_few_for_dimensions:
        at, (_, medians, _) = result.curve("transfer", "dimension")
        best = result.best_dimensions[0]
        return SAYS("features.best", best=round(at[best]), accuracy=percent(medians[best]))
    return _average(result)


def _average(result: HypothesesResult) -> str:
    """Return what the weights gain over equal ones."""
    cases = {Case.BEHIND: "equal", Case.AHEAD: "weighted", Case.ALIKE: "even"}
    case = result.now_beside("average")
    if case not in cases:
        return ""
    gain = result.summary["transfer"].median - result.summary["average"].median
    return SAYS(f"why.{cases[case]}", points=points_text(gain))


def guarantee(result: HypothesesResult) -> str:
    held, data = result.settings.guarantee, result.settings.data
    assumed = [SAYS["guarantee.assumed"], *([] if data == "domains" else [SAYS["guarantee.texts"]])]
    return (
        tiles.note(tiles.meaning(held))
        + tiles.guarantee_facts(here=held)
        + tiles.note(guarantee_notes.attacker_limit(held))
        + trust(result)
        + tiles.note(" ".join(assumed))
        + tiles.note(SAYS["guarantee.unprotected"])
    )


def by_class(result: HypothesesResult) -> str:
    found, arms = result.held_out, {"weak": "weak", "transfer without noise": "plain"}
    others = {SAYS[f"classes.{case}"]: found[arm] for arm, case in arms.items() if arm in found}
    return class_predictions.table(
        found["transfer"], others, result.classes, models=SAYS["classes.models"]
    )


def table(result: HypothesesResult) -> str:
    rows: list[dict] = result.table().to_dict("records")
    for row in rows:
        row |= {
            name: f"<b>{format_tenths(row[name])}</b>"
            if row["best"] == name
            else format_tenths(row[name])
            for name in METHODS
        }
    heads = {name: f"{STYLES[name][0]}<br>{tiles.badge('trained now')}" for name in METHODS}
    return tiles.table(
        rows,
        title=SAYS("table.title", share=number(100 * result.settings.label_share)),
        caption=SAYS["table.caption"],
        heads={name: SAYS[f"table.{name}"] for name in ("mixture", "epsilon")} | heads,
        formats={
            "mixture": lambda shares: "\u00a0/\u00a0".join(
                f"{100 * share:.3g}" for share in shares
            ),
            "epsilon": lambda one: SAYS["table.no_noise"] if math.isinf(one) else number(one),
        },
    )
