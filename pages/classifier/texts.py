"""Texts of the classifier page: which text of ``texts.md`` is shown, and with which numbers."""

from html import escape

from lab.models.classifier_versions import crossing, formula_epsilon
from lab.statistics.decision_regions import FEW
from pages.classifier.charts import SAYS
from pages.classifier.result import ClassifierResult
from pages.classifier.settings import ClassifierSettings
from ui.charts import theme
from ui.text import class_predictions, guarantee_notes, sentences, tiles, upload_notes
from ui.text.numbers import delta as delta_text
from ui.text.tiles import Tile, number, out_of_hundred

ABOUT = SAYS.cases("about")
VERSIONS_HELP = SAYS["help.version"]
# Accuracy that the descent itself may lose before the explanation mentions it.
_NEGLIGIBLE_LOSS = 0.015
# Shares of clipped gradients below and above which the explanation says "few" and "nearly all".
_FEW_CLIPPED = 0.01
_NEARLY_ALL_CLIPPED = 0.9
_MOST_SENTENCES = 3


def lead(settings: ClassifierSettings) -> str:
    """Return the introduction of the page."""
    if settings.version == "none":
        return SAYS["lead.none"]
    return SAYS["lead.private"]


# Tiles


def numbers(result: ClassifierResult) -> list[Tile]:
    """Return the tiles: private and non-private accuracy, the range of runs, the guarantee."""
    settings = result.settings
    runs = result.accuracies[0]
    spread = result.summary["scratch"]
    digits = tiles.distinct_digits(spread.median, result.reference.accuracy)
    private = tiles.percent(spread.median, digits=digits)
    non_private = tiles.percent(result.reference.accuracy, digits=digits)
    cost = ""
    if settings.version != "none":
        cost = sentences.privacy_cost_note(
            runs,
            result.reference.accuracy,
            base=result.baseline,
            runs=result.planned,
        )
    private_tile = Tile(
        SAYS[f"tiles.{settings.version}"],
        private,
        SAYS("tiles.median", runs=result.trained),
        tone="private",
        amount=tiles.shown_number(private),
        unit="points",
    )
    reference_tile = Tile(SAYS["tiles.plain"], non_private, cost)
    drawn_runs = result.ensemble.accuracy[0]
    range_tile = tiles.runs_tile(
        SAYS["tiles.range"], drawn_runs, low=spread.low, high=spread.high, digits=digits
    )
    return [private_tile, reference_tile, range_tile, _guarantee_tile(result)]


def _guarantee_tile(result: ClassifierResult) -> Tile:
    """Return the best attacker's accuracy or, as published, the actual epsilon."""
    guarantees = result.guarantees
    version = result.settings.version
    if version == "none":
        return tiles.attacker_tile(None)
    if version == "published":
        epsilon = guarantees.bounded.epsilon
        claim = SAYS("tiles.claimed", epsilon=number(guarantees.claimed))
        return Tile(SAYS["tiles.actual"], number(epsilon), claim, tone="bound", amount=epsilon)
    if result.settings.void:
        return guarantee_notes.void_attacker_tile(result.settings.void)
    return tiles.attacker_tile(guarantees.formula)


# Verdict


def verdict(result: ClassifierResult) -> str:
    """Return what privacy costs or, as published, whether the claimed epsilon holds."""
    version = result.settings.version
    if version == "none":
        return SAYS["verdict.none"]
    if version == "published":
        return _published_verdict(result)
    return _private_verdict(result)


def _published_verdict(result: ClassifierResult) -> str:
    """Return whether the claim holds for bounded rows, and the actual epsilons."""
    guarantees = result.guarantees
    case = "holds"
    if guarantees.bounded.epsilon > guarantees.claimed:
        case = "fails"
    return SAYS(
        f"verdict.{case}",
        claimed=number(guarantees.claimed),
        bounded=number(guarantees.bounded.epsilon),
        unbounded=number(guarantees.unbounded.epsilon),
    )


def _private_verdict(result: ClassifierResult) -> str:
    """Return what privacy costs and pre-training adds, and what makes accuracy misleading."""
    settings = result.settings
    runs = result.accuracies[0]
    majority_class, baseline = result.split.best_constant
    cost = sentences.privacy_cost(
        runs,
        result.reference.accuracy,
        baseline=(escape(majority_class), baseline),
        runs=result.planned,
    )
    gain = ""
    if result.gain is not None:
        gain = sentences.pretraining_gain(
            settings.public_rows,
            result.accuracies[1],
            runs,
            base=baseline,
            runs=result.planned,
        )
    constant_prediction = sentences.constant_answer(
        result.ensemble.accuracy[0],
        result.split.y_test,
        lambda: result.held_out["scratch"],
        result.classes,
        model="model",
    )
    disguised = ""
    if settings.uses_file:
        disguised = sentences.leak_warning(result.reference.best_accuracy, baseline)
    parts = [cost, gain, constant_prediction, disguised, guarantee_notes.void_verdict(settings)]
    return " ".join(part for part in parts if part)


# Explanation


def diagnostics(result: ClassifierResult) -> list[str]:
    """Return at most three sentences that explain the accuracy, warnings first."""
    settings = result.settings
    if settings.version == "none":
        found = [SAYS["noiseless"], _convergence(result)]
    else:
        units = "rows"
        if settings.by_person:
            units = "people"
        found = [
            tiles.large_delta_warning(settings.delta, settings.people, units),
            _convergence(result),
            _clipping(result),
            _noise(result),
        ]
    if result.gain is not None:
        found.append(sentences.pretraining_interval(result.gain, pairs=result.trained))
    return [sentence for sentence in found if sentence][:_MOST_SENTENCES]


def _noise(result: ClassifierResult) -> str:
    """Return the noise of one step next to its gradient."""
    signal = max(float(result.ensemble.signal[0]), 1e-12)  # no division by zero
    return sentences.noise_to_signal(result.ensemble.noise / signal, steps=result.settings.steps)


def _convergence(result: ClassifierResult) -> str:
    """Return what accuracy the descent itself loses, which is no cost of privacy."""
    settings = result.settings
    reference = result.reference
    if reference.best_accuracy - reference.accuracy <= _NEGLIGIBLE_LOSS:
        return ""
    reached, best = tiles.distinct_percents(reference.accuracy, reference.best_accuracy)
    return SAYS(
        "unfinished",
        mine=reached,
        best=best,
        steps=settings.steps,
        rate=number(settings.learning_rate),
    )


def _clipping(result: ClassifierResult) -> str:
    """Return how many gradients are clipped or, as published, how long the mean gradient is."""
    norm = number(result.settings.clip_norm)
    if result.settings.version == "published":
        signal = number(float(result.ensemble.signal[0]))
        return SAYS("clipping.published", norm=norm, signal=signal)
    clipped = float(result.ensemble.clipped[0])
    if clipped == 0:
        case = "none"
    elif clipped < _FEW_CLIPPED:
        case = "few"
    elif clipped > _NEARLY_ALL_CLIPPED:
        case = "nearly"
    else:
        case = "some"
    return SAYS(f"clipping.{case}", norm=norm, share=out_of_hundred(clipped))


def by_class(result: ClassifierResult) -> str:
    """Return how often each class is predicted as which, and what accuracy hides."""
    models = "models"
    if result.settings.version == "correct":
        models = "private models"
    return class_predictions.table(
        result.held_out["scratch"],
        {"non-private": result.held_out["reference"]},
        result.classes,
        models=models,
    )


# Guarantee


def guarantee(result: ClassifierResult) -> str:
    """Return what is guaranteed, for whom, and under which assumptions."""
    settings = result.settings
    if settings.version == "none":
        text = tiles.note(SAYS["guarantee.none"])
    elif settings.version == "published":
        text = _published_guarantee(result)
    elif settings.void:
        text = guarantee_notes.void_note(settings)
    else:
        text = _private_guarantee(result)
    if settings.roles:
        scope = upload_notes.uploaded_scope(settings.roles, public="steps and rates")
        return text + scope
    if settings.by_person:
        return text + tiles.note(SAYS["guarantee.scope_persons"])
    return text + tiles.note(SAYS["guarantee.scope"])


def _private_guarantee(result: ClassifierResult) -> str:
    """Return what epsilon means, the facts of the guarantee, and the best attacker's accuracy."""
    settings = result.settings
    formula = result.guarantees.formula
    spent = guarantee_notes.spent_on_bounds(settings)
    if not spent:
        spent = SAYS("guarantee.spends", epsilon=number(settings.epsilon))
    meaning = tiles.note(tiles.meaning(formula))
    facts = tiles.guarantee_facts(here=formula)
    return meaning + facts + tiles.note(f"{spent} {guarantee_notes.attacker_limit(formula)}")


def _published_guarantee(result: ClassifierResult) -> str:
    """Return the claimed epsilon, and the actual ones under three assumptions."""
    guarantees = result.guarantees
    claim = tiles.note(SAYS("guarantee.published", claimed=number(guarantees.claimed)))
    facts = tiles.guarantee_facts(
        rows_unbounded=guarantees.unbounded,
        rows_in_their_bounds=guarantees.bounded,
        each_gradient_clipped=guarantees.formula,
    )
    return claim + facts + tiles.note(_noise_formulas(result.settings.delta))


def _noise_formulas(delta: float) -> str:
    """Return the actual epsilons of both formulas of the slides, and up to where they hold."""
    return SAYS(
        "guarantee.formula",
        delta=delta_text(delta),
        classical=_actual_epsilons(delta, constant=1.25),
        classical_end=number(crossing(delta, constant=1.25)),
        slide=_actual_epsilons(delta, constant=2.0),
        slide_end=number(crossing(delta, constant=2.0)),
    )


def _actual_epsilons(delta: float, *, constant: float) -> str:
    """Return claimed epsilons with the actual ones, for the formula with ln(constant / delta)."""
    pairs = []
    for claim in (5, 10, 150):
        epsilon = formula_epsilon(claim, delta=delta, constant=constant)
        pairs.append(f"{claim} &rarr; {number(epsilon)}")
    return ", ".join(pairs)


# Texts at the charts


def caption(result: ClassifierResult) -> str:
    """Return the line under the charts."""
    settings = result.settings
    if settings.uses_file:
        rows = upload_notes.training_rows(settings, tested=len(result.split.y_test), several=True)
        return f"{SAYS['caption.own']} {rows}"
    if result.split.n_classes > FEW:
        return SAYS["caption.many"]
    if settings.version == "none":
        return SAYS["caption.none"]
    return SAYS["caption.private"]


def map_alt(result: ClassifierResult, index: int) -> str:
    """Return the text for screen readers of an arm's decision map."""
    settings = result.settings
    arm = settings.arms[index]
    return SAYS(
        "map.alt",
        runs=result.ensemble.accuracy.shape[1],
        epsilon=number(settings.epsilon),
        model=theme.NAMES[settings.version][arm],
        accuracy=tiles.percent(result.summary[arm].median),
    )
