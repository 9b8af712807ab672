"""The classifier in words: which text of ``texts.md`` is said, and with which numbers."""

from html import escape

from lab.experiment.settings import Spread
from lab.models.classifier_versions import crossing, formula_epsilon
from lab.statistics.decision_regions import FEW
from pages.classifier.charts import SAYS
from pages.classifier.result import ClassifierResult
from ui.charts import theme
from ui.text import sentences as outcomes
from ui.text import tiles
from ui.text.numbers import delta as delta_text
from ui.text.tiles import Number, in_hundred, number

LEAD, ABOUT = SAYS.cases("lead"), SAYS.cases("about")
VERSIONS_HELP = SAYS["help.version"]


def numbers(result: ClassifierResult) -> list[Number]:
    found, settings = result.summary["scratch"], result.settings
    scratch, reference = result.focus.accuracy[0], result.reference.accuracy
    mine, plain = outcomes.apart(found.median, reference)
    median, points = SAYS("tiles.median", runs=result.trained), tiles.amount(mine)
    price = outcomes.price(scratch, reference, base=result.baseline, runs=settings.repeats)
    return [
        Number(
            SAYS[f"tiles.{settings.version}"],
            mine,
            median,
            tone="private",
            amount=points,
            unit="points",
        ),
        Number(SAYS["tiles.plain"], plain, "" if settings.version == "none" else price),
        tiles.runs(SAYS["tiles.range"], scratch, low=found.low, high=found.high),
        _guaranteed(result),
    ]


def _guaranteed(result: ClassifierResult) -> Number:
    held, version = result.guarantees, result.settings.version
    if version == "published":
        real, claimed = held.bounded.epsilon, SAYS("tiles.claimed", epsilon=number(held.claimed))
        return Number(SAYS["tiles.actual"], number(real), claimed, tone="bound", amount=real)
    if version == "sound" and result.settings.void:
        return outcomes.void_attacker(result.settings)
    return tiles.attacker(held.formula if version == "sound" else None)


def verdict(result: ClassifierResult) -> str:
    """Return what these settings cost, and where a published claim does not hold, that first."""
    settings, held = result.settings, result.guarantees
    if settings.version == "none":
        return SAYS["verdict.none"]
    if settings.version == "published":
        case = "fails" if held.bounded.epsilon > held.claimed else "holds"
        bounded, unbounded = number(held.bounded.epsilon), number(held.unbounded.epsilon)
        return SAYS(
            f"verdict.{case}", claimed=number(held.claimed), bounded=bounded, unbounded=unbounded
        )
    scratch, labels = result.focus.accuracy[0], result.split.y_test
    found = outcomes.one_answer(
        scratch, labels, lambda: result.held_out["scratch"], result.classes, model="model"
    )
    disguised = (
        outcomes.disguised(result.reference.best_accuracy, result.baseline)
        if settings.private
        else ""
    )
    return " ".join(filter(None, [*_cost(result), found, disguised, outcomes.void(settings)]))


def _cost(result: ClassifierResult) -> list[str]:
    settings = result.settings
    always, base = result.split.best_constant
    scratch, runs = result.focus.accuracy[0], settings.repeats
    said = [
        outcomes.cost(
            scratch, result.reference.accuracy, baseline=(escape(always), base), runs=runs
        )
    ]
    if result.gain:
        started = result.focus.accuracy[1]
        said.append(outcomes.start(settings.public_rows, started, scratch, base=base, runs=runs))
    return list(filter(None, said))


def diagnostics(result: ClassifierResult) -> list[str]:
    """Explain the accuracy in at most three sentences, warnings first."""
    settings = result.settings
    if settings.version == "none":
        sentences = [SAYS["noiseless"], _unfinished(result)]
    else:
        units = "people" if settings.by_person else "rows"
        sentences = [
            tiles.large_delta(settings.delta, settings.people, units),
            _unfinished(result),
            _clipping(result),
            _noise(result),
        ]
    if result.gain:
        sentences.append(outcomes.confidence(result.gain, pairs=result.trained))
    return [sentence for sentence in sentences if sentence][:3]


def _noise(result: ClassifierResult) -> str:
    ratio = result.focus.noise / max(float(result.focus.signal[0]), 1e-12)
    return outcomes.noise(ratio, steps=result.settings.steps)


def _unfinished(result: ClassifierResult) -> str:
    """Return what the descent itself loses without noise, which is no cost of privacy."""
    settings, reference = result.settings, result.reference
    if reference.best_accuracy - reference.accuracy <= 0.015:
        return ""
    mine, best = outcomes.apart(reference.accuracy, reference.best_accuracy)
    return SAYS(
        "unfinished",
        mine=mine,
        best=best,
        steps=settings.steps,
        rate=number(settings.learning_rate),
    )


def _clipping(result: ClassifierResult) -> str:
    norm, share = number(result.settings.clip_norm), float(result.focus.clipped[0])
    holes = {"norm": norm, "share": in_hundred(share)}
    if result.settings.version == "published":
        return SAYS("clipping.published", norm=norm, signal=number(float(result.focus.signal[0])))
    case = "none" if share == 0 else "few" if share < 0.01 else "nearly" if share > 0.9 else "some"
    return SAYS(f"clipping.{case}", **holes)


def by_class(result: ClassifierResult) -> str:
    found = result.held_out
    models = "private models" if result.settings.version == "sound" else "models"
    return outcomes.by_class(
        found["scratch"], {"non-private": found["reference"]}, result.classes, models=models
    )


def guarantee(result: ClassifierResult) -> str:
    held, settings = result.guarantees, result.settings
    match settings.version:
        case "sound" if settings.void:
            text = outcomes.void_guarantee(settings)
        case "sound":
            spends = outcomes.paid(settings) or SAYS(
                "guarantee.spends", epsilon=number(settings.epsilon)
            )
            text = tiles.note(tiles.meaning(held.formula)) + tiles.guarantee(here=held.formula)
            text += tiles.note(f"{spends} {outcomes.limit(held.formula)}")
        case "published":
            text = tiles.note(SAYS("guarantee.published", claimed=number(held.claimed)))
            text += tiles.guarantee(
                rows_unbounded=held.unbounded,
                rows_in_their_bounds=held.bounded,
                each_gradient_clipped=held.formula,
            )
            text += tiles.note(_formula_note(settings.delta))
        case _:
            text = tiles.note(SAYS["guarantee.none"])
    if settings.roles:
        return (
            text
            + _apart(result)
            + outcomes.of_own(settings.roles, public="steps and rates", several=True)
        )
    return text + tiles.note(
        SAYS["guarantee.scope_persons" if settings.by_person else "guarantee.scope"]
    )


def _apart(result: ClassifierResult) -> str:
    """The same guarantee with rows clipped one by one, for as many of a person as are declared."""
    settings = result.settings
    if settings.void or not settings.roles or not result.apart.complete:
        return ""
    rows, found = settings.roles.most_rows, Spread.of(result.apart.runs)
    theirs, mine = outcomes.apart(found.median, result.summary["scratch"].median)
    how = SAYS("apart.one" if rows == 1 else "apart.many", rows=rows)
    return tiles.note(
        f"{how} {SAYS('apart.same' if theirs == mine else 'apart.other', theirs=theirs, mine=mine)}"
    )


def _formula_note(delta: float) -> str:
    holes = {"delta": delta_text(delta)}
    for name, constant in (("classical", 1.25), ("slide", 2.0)):
        real = {
            claim: formula_epsilon(claim, delta=delta, constant=constant) for claim in (5, 10, 150)
        }
        holes[name] = ", ".join(
            f"{claim} &rarr; {number(epsilon)}" for claim, epsilon in real.items()
        )
        holes[f"{name}_end"] = number(crossing(delta, constant=constant))
    return SAYS("guarantee.formula", **holes)


def caption(result: ClassifierResult) -> str:
    if result.settings.private:
        used = outcomes.learned_from(result.settings, tested=len(result.split.y_test), several=True)
        return f"{SAYS['caption.own']} {used}"
    if result.split.n_classes > FEW:
        return SAYS["caption.many"]
    return SAYS["caption.none" if result.settings.version == "none" else "caption.private"]


def map_alt(result: ClassifierResult, arm: int) -> str:
    """Return what a map of decision boundaries shows, whose figure names no epsilon."""
    name = result.settings.arms[arm]
    holes = {
        "model": theme.NAMES[result.settings.version][name],
        "accuracy": tiles.percent(result.summary[name].median),
    }
    return SAYS("map.alt", runs=result.trained, epsilon=number(result.settings.epsilon), **holes)
