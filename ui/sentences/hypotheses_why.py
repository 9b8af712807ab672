"""Hypothesis transfer in words: why the picture looks as it does."""

import numpy as np

from dpcore.experiments.hypotheses import DIMENSIONS
from dpcore.experiments.hypotheses_result import PUBLISHED_FEATURES, HypothesesResult
from dpcore.own_texts import Own
from dpcore.parties.hypotheses import LEAST_SD
from ui.panels import in_hundred, number


def diagnostics(result: HypothesesResult) -> list[str]:
    """Why the picture looks as it does: noise against signal, the mixture, the prior, the labels."""
    sentences = [_noise(result), _features(result), _mixture(result), _prior(result), _labels(result)]
    sentences = [text for text in sentences if text]
    return sentences + [text for text in (_average(result), _source(result), _choice(result)) if text]


def _noise(result: HypothesesResult) -> str:
    settings = result.settings
    if settings.noise == "objective":
        return (
            f"With {settings.dimension} features the noise moves the margin of a row by about "
            f"<b>{number(result.measured_noise)}</b> (measured); noise on the answer would move it by "
            f"{number(result.noise_at(settings.dimension)[0])}. In the objective it is damped where the rows are many; "
            "noise on the answer has to hide the worst direction everywhere."
        )
    margin, weight = result.noise_at(settings.dimension)
    text = (
        f"With {settings.dimension} features the noise moves the margin of every row by about <b>{number(margin)}</b>, "
        f"and the logarithm of a public row's weight by <b>{number(weight)}</b>. "
    )
    if settings.noise == "gaussian":
        return text + "Gaussian noise grows with the root of the features in length, but not on one row's margin."
    big = max(PUBLISHED_FEATURES.values())
    few, full = ([number(value) for value in result.epsilon_for(d)] for d in (settings.dimension, big))
    return text + (
        f"Either is 1 at epsilon {few[0]} and {few[1]}; with all {big:,} words of the paper it would take "
        f"epsilon <b>{full[0]} and {full[1]}</b>. That is what the projection buys."
    )


def _features(result: HypothesesResult) -> str:
    """Which number of features does best at today's epsilon, once that is measured."""
    at, (_, medians, _) = result.dimension_curve("transfer")
    if len(at) < len(DIMENSIONS):
        return ""
    _, share = result.noise_share
    best, few, many = int(np.argmax(medians)), medians[0], medians[-1]
    text = (
        f"At this epsilon <b>{at[best]:.0f} features</b> do best ({in_hundred(medians[best])} right in 100; "
        f"{in_hundred(few)} with {at[0]:.0f}, {in_hundred(many)} with {at[-1]:.0f}). "
    )
    if result.settings.data == "domains":
        return text + "Generated domains are made with so many features; a text keeps so many after the projection."
    return text + (
        f"Fewer features lose words, more of them bring noise: its share of a released margin goes from "
        f"{in_hundred(share[0])} % to {in_hundred(share[-1])} %."
    )


def _mixture(result: HypothesesResult) -> str:
    error, settings = result.error, result.settings
    if settings.data == "own" and not Own.read(settings.own).source:
        return "The sources are parts of one random split, so all are alike: no weights are better than equal ones."
    nothing = result.equal_error
    text = f"The weights miss the true mixture by {number(error.median)} (mean square)"
    if error.median > nothing:
        return text + (
            f", more than the same weight for all ({number(nothing)}): after the noise the public rows tell nothing "
            "about who resembles whom. A larger lambda for the weights makes them blunter and less noisy."
        )
    return text + f"; the same weight for all would miss by {number(nothing)}."


def _prior(result: HypothesesResult) -> str:
    sd = result.prior_spread
    text = f"The prior's usual spread is {number(sd)}. "
    if sd <= LEAST_SD * 1.01:
        return (
            text + "That is the floor: one source has all the weight, or they agree. Without it, labels count nothing."
        )
    return text + (
        "The sources' noise is in it: at a small epsilon it is wide, so that the target's own labels decide, which "
        "softens the harm."
    )


def _labels(result: HypothesesResult) -> str:
    own = round(result.settings.label_share * result.settings.target_rows)
    lost = result.summary["target"].median - result.summary["transfer"].median
    if lost < 0.01:
        return f"{own:,} labels and the sources do as well as all {result.settings.target_rows:,} labels."
    return (
        f"With all {result.settings.target_rows:,} labels another {number(100 * lost)} rows in 100 would be right. "
        f"More labels than the {own:,} there are close that gap, with or without sources."
    )


def _average(result: HypothesesResult) -> str:
    more = result.summary["transfer"].median - result.summary["average"].median
    if abs(more) < 0.004:
        return "Weighing the sources makes no difference now: equal weights do as well."
    if more < 0:
        return "Equal weights do better now: the noisy weights pick the wrong sources."
    return f"Weighing the sources gains {number(100 * more)} in 100 over equal weights, which trust unrelated ones too."


def _source(result: HypothesesResult) -> str:
    if result.summary["source"].median <= result.summary["transfer"].median:
        return ""
    return "The best source alone does better, but nobody could know which: it is picked by the test rows."


def _choice(result: HypothesesResult) -> str:
    settings = result.settings
    words = []
    if settings.noise == "gaussian" and settings.delta * settings.source_rows >= 1:
        words.append(
            f"Delta {settings.delta:g} is no smaller than one over the rows of a source: choose it far smaller."
        )
    if settings.epsilon > 20:
        words.append("At such an epsilon the promise is hardly one: the verdict says what an attacker can do.")
    return " ".join(words)
