"""Texts of the network page: which text of ``texts.md`` is shown, and with which numbers."""

import math
from collections.abc import Mapping
from html import escape
from typing import Any

from pages.network.charts import SAYS, median_accuracies
from pages.network.result import NetworkResult
from pages.network.settings import NetworkSettings
from pages.network.training import FRAMES, MOST_EACH
from ui.text import class_predictions, guarantee_notes, sentences, tiles, upload_notes
from ui.text.texts import count
from ui.text.tiles import Tile, number, out_of_hundred

ABOUT = SAYS.cases("about")
HELP = SAYS.cases("help")
# What this page changes about its sliders. Playing shows a frame every 80 ms.
SLIDERS: Mapping[str, Mapping[str, Any]] = {
    "shown": {"unit": f"/ {FRAMES}", "pace": 80},
    "epsilon": {"help": HELP["epsilon"]},
    "learning_rate": {"help": HELP["learning_rate"]},
}
# Shares of clipped gradients below and above which the explanation says "few" and "nearly all".
_FEW_CLIPPED = 0.01
_NEARLY_ALL_CLIPPED = 0.9
# Keeps a ratio finite whose denominator is a signal of 0.
_LEAST_SIGNAL = 1e-12
_MOST_SENTENCES = 3
# Stands for an epsilon that is still to be counted.
_COUNTING = "…"


def lead(settings: NetworkSettings) -> str:
    """Return the introduction of the page."""
    batches = settings.mechanism
    if settings.is_sampled:
        batches = "sampled"
    units = "rows"
    if settings.by_person:
        units = "people"
    watched = "maps"
    if settings.uses_file:
        watched = "columns"
    return " ".join(SAYS[f"lead.{case}"] for case in (batches, units, watched))


# Tiles


def numbers(result: NetworkResult) -> list[Tile]:
    """Return the tiles: private and non-private accuracy, the range of runs, the guarantee."""
    spread = result.summary("private")
    runs = result.accuracy["private"]
    medians = median_accuracies(result)
    private = medians["private"]
    title = SAYS["tiles.private"]
    if not result.is_covered:
        title = SAYS["tiles.network"]
    price = ""
    if result.step > 0:
        _, baseline = result.split.best_constant
        price = sentences.privacy_cost_note(
            runs,
            result.accuracy["plain"],
            base=baseline,
            runs=result.settings.repeats,
            paired=False,
        )
    private_tile = Tile(
        title,
        private,
        SAYS("tiles.median", runs=len(runs)),
        tone="private",
        amount=tiles.shown_number(private),
        unit="points",
    )
    plain_tile = Tile(SAYS["tiles.plain"], medians["plain"], price)
    range_tile = tiles.runs_tile(SAYS["tiles.range"], runs, low=spread.low, high=spread.high)
    return [private_tile, plain_tile, range_tile, _guarantee_tile(result)]


def _guarantee_tile(result: NetworkResult) -> Tile:
    """Return the best attacker's accuracy or, if no theorem covers the loop, the proved epsilon.

    Before the first step only bounds are released.
    """
    if result.settings.void:
        return guarantee_notes.void_attacker_tile(result.settings.void)
    if result.is_covered or result.step == 0:
        return tiles.attacker_tile(result.guarantee)
    epsilon = None
    proved = SAYS["tiles.unproved"]
    if result.settings.variant == "shuffled":
        epsilon = result.guarantee_by_epochs.epsilon
        proved = number(epsilon)
    claim = SAYS("tiles.claimed", epsilon=_epsilon(result))
    return Tile(SAYS["tiles.proved"], proved, claim, tone="bound", amount=epsilon)


# Verdict


def verdict(result: NetworkResult) -> str:
    """Return what is spent by the frame shown, and what privacy costs there.

    If no theorem covers the loop, return what is claimed.
    """
    settings = result.settings
    if result.step == 0:
        accuracy = median_accuracies(result)["private"]
        return SAYS("verdict.start", steps=settings.steps, accuracy=accuracy)
    if not result.is_covered:
        claim = SAYS(
            "verdict.unproved",
            step=result.step,
            steps=settings.steps,
            epsilon=_epsilon(result),
        )
        return f"{claim} {SAYS[f'verdict.{settings.variant}']}"
    if settings.void:
        return f"{_cost(result)} {guarantee_notes.void_verdict(settings)}"
    spent = SAYS(
        "verdict.spent",
        step=result.step,
        steps=settings.steps,
        epsilon=_epsilon(result),
    )
    return f"{spent} {_cost(result)}"


def _cost(result: NetworkResult) -> str:
    """Return what privacy costs, and up to two warnings.

    One is that networks nearly always predict the same class, the other that a column of an
    uploaded file may give away the answer.
    """
    private = result.accuracy["private"]
    majority_class, baseline = result.split.best_constant
    cost = sentences.privacy_cost(
        private,
        result.accuracy["plain"],
        baseline=(escape(majority_class), baseline),
        runs=result.settings.repeats,
        model="network",
        paired=False,
    )
    constant_prediction = sentences.constant_answer(
        private,
        result.split.y_test,
        lambda: result.held_out["private"],
        result.classes,
        model="network",
    )
    parts = [cost, constant_prediction]
    if result.settings.uses_file:
        parts.append(sentences.leak_warning(result.summary("plain").median, baseline))
    return " ".join(part for part in parts if part)


# Explanation


def diagnostics(result: NetworkResult) -> list[str]:
    """Return at most three sentences that explain the accuracy, a warning first."""
    settings = result.settings
    units = "rows"
    if settings.by_person:
        units = "people"
    found = [
        tiles.large_delta_warning(settings.delta, settings.people, units),
        _clipping(result),
        _noise(result),
        _budget(result),
    ]
    return [sentence for sentence in found if sentence][:_MOST_SENTENCES]


def _clipping(result: NetworkResult) -> str:
    """Return how many gradients are clipped, in any layer if each has a bound."""
    gradients = result.gradients
    norm = number(gradients.bounds[0])
    clipped = gradients.clipped
    if gradients.is_clipped_by_layer:
        share = out_of_hundred(clipped)
        return SAYS("clipping.layers", layers=len(gradients.bounds), norm=norm, share=share)
    if clipped < _FEW_CLIPPED:
        case = "few"
    elif clipped > _NEARLY_ALL_CLIPPED:
        case = "nearly"
    else:
        case = "some"
    return SAYS(f"clipping.{case}", norm=norm, share=out_of_hundred(clipped))


def _noise(result: NetworkResult) -> str:
    """Return how long the noise of one step is, compared with its gradient, and that of all steps.

    The latter is left out of correlated noise.
    """
    ratio = result.gradients.noise / max(result.gradients.signal, _LEAST_SIGNAL)
    if result.settings.mechanism == "toeplitz":
        # Correlated noise does not add up as the square root of the number of steps.
        return sentences.noise_to_signal(ratio, steps=1)
    return sentences.noise_to_signal(ratio, steps=result.step)


def _budget(result: NetworkResult) -> str:
    """Return the noise multiplier that the training needs."""
    settings = result.settings
    case = "all"
    if settings.payments:
        case = "left"
    units = ("row", "rows")
    if settings.by_person:
        units = ("person", "people")
    return SAYS(
        f"budget.{case}",
        noise=number(settings.noise_multiplier),
        of=count(settings.people, *units),
        steps=settings.steps,
        lot=settings.batch_size,
        epsilon=number(settings.remaining_epsilon),
    )


def by_class(result: NetworkResult) -> str:
    """Return how often each class is predicted as which, and what accuracy hides."""
    models = "networks"
    if result.is_covered:
        models = "private networks"
    return class_predictions.table(
        result.held_out["private"],
        {"non-private": result.held_out["plain"]},
        result.classes,
        models=models,
    )


# Guarantee


def guarantee(result: NetworkResult) -> str:
    """Return what is guaranteed by the frame shown, for whom, and under which assumptions."""
    settings = result.settings
    if settings.void:
        text = guarantee_notes.void_note(settings)
    elif result.is_covered:
        text = _covered_guarantee(result)
    elif settings.variant == "shuffled":
        claim = SAYS("guarantee.shuffled", epsilon=_epsilon(result))
        text = tiles.note(claim) + tiles.guarantee_facts(here=result.guarantee_by_epochs)
    else:
        text = tiles.note(SAYS("guarantee.claimed", epsilon=_epsilon(result)))
    return text + _assumptions(settings)


def _covered_guarantee(result: NetworkResult) -> str:
    """Return what epsilon means and the facts of the guarantee, or dots while it is counted."""
    spent = result.guarantee
    scope = f"{guarantee_notes.spent_on_bounds(result.settings)}{SAYS['guarantee.every']}"
    if result.frame < FRAMES:
        scope += f" {SAYS['guarantee.so_far']}"
    if math.isinf(spent.epsilon):
        return tiles.note(_COUNTING) + tiles.note(scope)
    return guarantee_notes.guarantee_with_notes(spent, assumed=scope)


def _assumptions(settings: NetworkSettings) -> str:
    """Return what must be public or secret, and what is not protected."""
    secret = SAYS["guarantee.ordered"]
    if settings.is_sampled:
        secret = SAYS["guarantee.secret"]
    if settings.roles:
        scope = upload_notes.uploaded_scope(
            settings.roles, public=SAYS["guarantee.public"], most=MOST_EACH
        )
        return tiles.note(secret) + scope
    return tiles.note(f"{SAYS['guarantee.assumed']} {secret} {SAYS['guarantee.uncovered']}")


def _epsilon(result: NetworkResult) -> str:
    """Return the epsilon spent by the frame shown, or dots while it is counted."""
    epsilon = result.guarantee.epsilon
    if math.isinf(epsilon):
        return _COUNTING
    return number(epsilon)


# Texts at the charts


def caption(result: NetworkResult) -> str:
    """Return the line under the charts."""
    if result.settings.uses_file:
        used = upload_notes.training_rows(
            result.settings,
            tested=len(result.split.y_test),
            along=SAYS["caption.along"],
            several=True,
            most=MOST_EACH,
        )
        return f"{SAYS['caption.own']} {used}"
    return SAYS["caption.maps"]
