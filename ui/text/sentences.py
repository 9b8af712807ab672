"""Sentences about accuracies that several pages share, chosen by the numbers and not by a setting.

Accuracies are shares, written in percent. Differences are in points, and those of the written
numbers.
"""

import math
from collections.abc import Callable, Sequence
from html import escape

import numpy as np

from lab.statistics import claims
from lab.statistics.claims import Case
from lab.statistics.confusion import ByClass
from ui.text.numbers import number
from ui.text.texts import SAYS, count
from ui.text.tiles import distinct_digits, distinct_percents, percent, points_difference

# A target that a private model may reach is this far below the non-private model.
_TARGET_MARGIN = 0.02
# Accuracies closer than this to the share of a class are equal to it.
_SHARE_TOLERANCE = 1e-9


def capitalise(text: str) -> str:
    """Return a text with a capital first letter, and the others as they are."""
    return text[:1].upper() + text[1:]


def listed(names: Sequence[str]) -> str:
    """Write names as a list: "a", "a and b", "a, b and c"."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def format_tenths(value: float) -> str:
    """Format a number with one decimal, and a missing one as dots."""
    if math.isnan(value):
        return "…"
    return f"{value:.1f}"


def points_text(difference: float) -> str:
    """Format a difference of shares without its sign, as in "4.2 points"."""
    points = f"{abs(100 * difference):.1f}"
    if points == "1.0":
        return f"{points} point"
    return f"{points} points"


def signed_points(difference: float) -> str:
    """Format a difference of shares in points with its sign, a true minus."""
    points = f"{abs(100 * difference):.1f}"
    if points == "0.0":
        return points
    if difference > 0:
        return f"+{points}"
    return f"−{points}"


def difference_or_reason(
    case: Case, sentence: str, *, runs: int, of: int | None = None, none: str = "no difference"
) -> str:
    """Return ``sentence`` if a difference is shown, else the reason why none is claimed.

    Args:
        case: The claim about the difference.
        sentence: The text for a difference that is shown.
        runs: Number of runs that are compared.
        of: Number of runs that are planned; None for ``runs``.
        none: The name of what is not shown.
    """
    if case in (Case.AHEAD, Case.BEHIND):
        return sentence
    reasons = {Case.SO_FAR: "so-far", Case.CONSTANT: "constant", Case.FEW: "few"}
    reason = reasons.get(case, "unshown")
    return SAYS(f"tile.{reason}", runs=runs, of=of or runs, none=none)


def privacy_cost(
    private: np.ndarray,
    reference: np.ndarray | float,
    *,
    baseline: tuple[str, float],
    runs: int,
    model: str = "model",
    paired: bool = True,
) -> str:
    """Compare the accuracies of private models with those of models without privacy.

    Args:
        private: Accuracies of the private models, (R,).
        reference: Accuracies of the non-private models, (S,), or one.
        baseline: The best constant answer, and its accuracy.
        runs: Number of private models that are planned.
        model: The word for a model.
        paired: As in ``claims.compare``.
    """
    constant_answer_name, constant_accuracy = baseline
    private_median = float(np.median(private))
    reference_median = float(np.median(reference))
    case = _cost_case(private, reference, base=constant_accuracy, runs=runs, paired=paired)
    compared_runs = runs
    if case in ("lost", "few", "unshown"):
        compared_runs = _fewest_runs(private, reference)
    private_text, reference_text = distinct_percents(private_median, reference_median)
    return SAYS(
        f"cost.{case}",
        always=constant_answer_name,
        model=model,
        models=count(runs, model),
        runs=compared_runs,
        trained=len(private),
        mine=private_text,
        plain=reference_text,
        middle=percent(private_median),
        without=percent(reference_median),
        base=percent(constant_accuracy),
        lost=_lost_points(private_median, reference_median),
    )


def _cost_case(
    private: np.ndarray, reference: np.ndarray | float, *, base: float, runs: int, paired: bool
) -> str:
    """Return the case of the section "cost" that applies."""
    if base == 1:
        return "constant"
    if len(private) < runs:
        return "so-far"
    if np.median(private) <= base:
        if np.median(reference) > base:
            return "unlearnt"
        return "unlearnt-both"
    claim = claims.compare(private, reference, constant=base, paired=paired)
    return {Case.BEHIND: "lost", Case.FEW: "few"}.get(claim, "unshown")


def privacy_cost_note(
    private: np.ndarray,
    reference: np.ndarray | float,
    *,
    base: float,
    runs: int,
    paired: bool = True,
) -> str:
    """Return the loss of accuracy in a few words.

    Args:
        private: Accuracies of the private models, (R,).
        reference: Accuracies of the non-private models, (S,), or one.
        base: Accuracy of the best constant answer.
        runs: Number of private models that are planned.
        paired: As in ``claims.compare``.
    """
    trained = len(private)
    case = claims.compare(
        private, reference, constant=base, complete=trained == runs, paired=paired
    )
    if case == Case.AHEAD:
        case = Case.ALIKE
    compared_runs = trained
    if case == Case.FEW:
        compared_runs = _fewest_runs(private, reference)
    lost = _lost_points(float(np.median(private)), float(np.median(reference)))
    return difference_or_reason(
        case,
        SAYS("tile.lost", lost=lost),
        runs=compared_runs,
        of=runs,
        none=SAYS["tile.none"],
    )


def _fewest_runs(private: np.ndarray, reference: np.ndarray | float) -> int:
    """Return the number of runs of the smaller group, on which a comparison rests."""
    if np.ndim(reference) == 0:
        return len(private)
    return min(len(private), np.size(reference))


def _lost_points(private: float, reference: float) -> str:
    return points_difference(reference, private, digits=distinct_digits(private, reference))


def constant_answer(
    accuracy: np.ndarray,
    labels: np.ndarray,
    find_classes: Callable[[], ByClass],
    names: Sequence[str],
    *,
    model: str,
) -> str:
    """Return a sentence about models that give all held-out rows the same answer; "" if none does.

    Args:
        accuracy: Accuracies on the held-out rows, (R,).
        labels: Classes of the held-out rows, (n,).
        find_classes: Computes the predictions by class. It is slow, and only called if an accuracy
            equals the share of a class, as that of a constant answer does.
        names: Names of the classes.
        model: The word for a model.
    """
    shares = np.bincount(labels, minlength=len(names)) / len(labels)
    distances = np.subtract.outer(accuracy, shares)
    if not np.isclose(distances, 0, atol=_SHARE_TOLERANCE).any():
        return ""
    models_by_answer = find_classes().constant_predictions
    constant_models = sum(models_by_answer.values())
    if constant_models == 0:
        return ""
    models = len(accuracy)
    most_frequent = next(iter(models_by_answer))
    case = _constant_case(constant_models, models, answers=len(models_by_answer))
    return SAYS(
        f"one-answer.{case}",
        model=model,
        models=count(models, f"private {model}"),
        many=constant_models,
        most=escape(names[most_frequent]),
    )


def _constant_case(constant_models: int, models: int, *, answers: int) -> str:
    """Return the case of the section "one-answer" that applies."""
    if answers > 1:
        if constant_models == models:
            return "all-mixed"
        return "some-mixed"
    if constant_models == 1:
        if models == 1:
            return "single"
        return "one"
    if constant_models == models:
        return "all"
    return "some"


def reachable_accuracy(reference: float, base: float, *, made_up: bool = False) -> float:
    """Return a target that a private model may reach, in whole percent.

    It is midway between the baseline and the non-private model, and at least two points below the
    latter.

    Args:
        reference: Accuracy of the non-private model.
        base: Accuracy of the best constant answer.
        made_up: Whether the rows are made up, so that accuracy itself says little and only its loss
            to noise counts. The target is then two points below ``reference``.
    """
    target = reference - _TARGET_MARGIN
    if not made_up:
        target = min(target, (reference + base) / 2)
    return math.floor(100 * target)


def leak_warning(best: float, base: float) -> str:
    """Warn that a column may be the answer if the non-private model makes no error; else ""."""
    if base < 1 == best:
        return SAYS["disguised"]
    return ""


def pretraining_gain(
    rows: int, pretrained: np.ndarray, scratch: np.ndarray, *, base: float, runs: int
) -> str:
    """Return a sentence about the gain of pre-training on public rows; "" until all runs are done.

    Args:
        rows: Number of public rows.
        pretrained: Accuracies with pre-training, (R,).
        scratch: Accuracies of the same runs without it, (R,).
        base: Accuracy of the best constant answer.
        runs: Number of runs that are planned.
    """
    complete = len(pretrained) == runs
    case = claims.compare(pretrained, scratch, constant=base, complete=complete)
    if case == Case.SO_FAR:
        return ""
    added = points_text(float(np.median(pretrained - scratch)))
    return SAYS(f"start.{case}", rows=rows, added=added, runs=runs)


def pretraining_interval(gain: tuple[float, float, float], *, pairs: int) -> str:
    """Return the confidence interval of the gain of pre-training; "" if all pairs agree.

    Args:
        gain: Median gain, and the ends of its interval, which are infinite for too few pairs.
        pairs: Number of pairs of runs.
    """
    median, low, high = gain
    if low == high:
        return ""
    if low == -math.inf or high == math.inf:
        return SAYS("start.unsure", median=signed_points(median), pairs=pairs)
    return SAYS(
        "start.sure",
        median=signed_points(median),
        low=signed_points(low),
        high=signed_points(high),
        pairs=pairs,
    )


def noise_to_signal(ratio: float, *, steps: int) -> str:
    """Compare the noise of one step with its signal, and of ``steps`` steps with theirs.

    The signals of T steps add up to T times one signal, independent noise to sqrt(T) times one.

    Args:
        ratio: Length of one step's noise divided by that of its signal.
        steps: Number of steps.
    """
    ratio_after = ratio / math.sqrt(max(steps, 1))
    if ratio <= 1 or steps <= 1:
        case = "alone"
    elif ratio_after <= 1:
        case = "averaged"
    else:
        case = "left"
    times = _times_text(ratio, equal="about")
    left = _times_text(float(f"{ratio_after:.2g}"), equal="about the same length")
    return SAYS(f"noise.{case}", times=times, left=left, steps=steps)


def _times_text(ratio: float, *, equal: str) -> str:
    """Format a ratio as "<b>3.5 times</b>", and one that is written as 1 as ``equal``."""
    text = number(ratio)
    if text == "1":
        return equal
    return f"<b>{text} times</b>"
