"""What the page of hypotheses may say of a result, by the patterns of its sentences."""

import re
from collections.abc import Callable

import numpy as np

from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.tasks import EPSILONS, SCORES
from tests import attackers
from tests.claims import better, since, until, worse
from tests.sentences import (
    Rules,
    amount,
    counts,
    percent,
    says,
)

# Claims in words that are no claims here.
HARMLESS = (r"adds? noise", r"best source on the test")
PERCENT = r"(\d+(?:\.\d+)?)\s%"
CHART = r"Accuracy by epsilon: transfer "


# Numbers


def median(result: HypothesesResult, method: str = "transfer") -> float:
    """Return the median accuracy of a method."""
    return float(np.median(result.accuracy[method]))


def gain(result: HypothesesResult, method: str, other: str) -> float:
    """Return by how much the median accuracy of a method exceeds that of another one."""
    return median(result, method) - median(result, other)


def median_without_noise(result: HypothesesResult) -> float:
    """Return the median accuracy of transfer without noise."""
    return float(np.median(result.without_noise.accuracy_of("transfer")))


def constant_accuracy(result: HypothesesResult) -> float:
    """Return the accuracy of the best constant prediction."""
    rows_by_class = result.outcome.class_counts.sum(axis=0)
    return float(rows_by_class.max() / rows_by_class.sum())


def error_of_equal_weights(result: HypothesesResult) -> float:
    """Return the mean squared error of the same weight for all sources."""
    shares = np.array(result.settings.shares)
    return float(((shares - 1 / len(shares)) ** 2).mean())


def is_median(result: HypothesesResult, text: str, method: str) -> bool:
    """Return whether a text is the median accuracy in percent, to its last digit."""
    _, _, decimals = text.partition(".")
    last_digit = 10.0 ** -len(decimals)
    return abs(float(text) - 100 * median(result, method)) <= 0.501 * last_digit


# Claims


def shown(case: Callable, method: str = "transfer", other: str = "few_labels") -> Callable:
    """Return a rule: a method is shown to be ``better``, or ``worse``, than another one."""

    def holds(result: HypothesesResult, *_) -> bool:
        """Return whether all runs are done and show the method to be better, or worse."""
        runs = result.accuracy[method]
        return case(
            runs,
            result.accuracy[other],
            constant=constant_accuracy(result),
            whole=len(runs) == result.settings.repeats,
        )

    return holds


def alike(method: str = "transfer", other: str = "few_labels") -> Callable:
    """Return a rule: no difference of two methods is shown."""
    is_better = shown(better, method, other)
    is_worse = shown(worse, method, other)
    return lambda result, *_: not is_better(result) and not is_worse(result)


def noise_costs(result: HypothesesResult, *_) -> bool:
    """Return whether the noise is shown to cost accuracy."""
    without_noise = result.without_noise.accuracy_of("transfer")
    fewest = min(len(without_noise), result.repeats)
    return worse(
        result.accuracy["transfer"],
        without_noise,
        constant=constant_accuracy(result),
        whole=fewest == result.settings.repeats,
    )


def noise_costs_nothing(result: HypothesesResult, _: re.Match) -> bool:
    """Return whether the noise is not shown to cost accuracy."""
    return not noise_costs(result)


def helps_at(result: HypothesesResult, case: Callable = better):
    """Return the epsilons of the chart, and whether transfer is shown to help (or harm) at one."""
    scores = result.over_epsilon.runs
    runs = {}
    for index, epsilon in enumerate(EPSILONS):
        transfer = scores[SCORES.index("transfer"), index]
        few_labels = scores[SCORES.index("few_labels"), index]
        runs[epsilon] = (transfer, few_labels)
    runs[result.settings.epsilon] = (result.accuracy["transfer"], result.accuracy["few_labels"])

    def at(epsilon: float) -> bool:
        """Return whether all runs at an epsilon are done and show that transfer helps, or harms."""
        transfer, few_labels = runs[epsilon]
        is_complete = len(transfer) == result.settings.repeats and not np.isnan(transfer).any()
        return case(transfer, few_labels, constant=constant_accuracy(result), whole=is_complete)

    return sorted(runs), at


def helps_from(result, match) -> bool:
    """Return whether transfer is shown to help at the stated epsilon and all larger ones."""
    values, helps = helps_at(result)
    return since(values, helps, amount(match[1]))


def helps_up_to(result, match) -> bool:
    """Return whether transfer is shown to help at the stated epsilon and all smaller ones."""
    values, helps = helps_at(result)
    return until(values, helps, amount(match[1]))


def helps_everywhere(result, match) -> bool:
    """Return whether transfer is shown to help at all epsilons of the chart."""
    values, helps = helps_at(result)
    return since(values, helps, 0)


def harms_everywhere(result, match) -> bool:
    """Return whether transfer is shown to harm at all epsilons of the chart."""
    values, harms = helps_at(result, worse)
    return since(values, harms, 0)


def gains_here(result, match) -> bool:
    """Return whether transfer is shown to help, and both medians and the labels are as stated."""
    labels = round(result.settings.label_share * result.settings.target_rows)
    return (
        shown(better)(result)
        and is_median(result, match[1], "transfer")
        and is_median(result, match[2], "few_labels")
        and int(match[3]) == labels
    )


def both_medians(result, match) -> bool:
    """Return whether the medians of transfer and of the few labels are as stated."""
    return is_median(result, match[1], "transfer") and is_median(result, match[2], "few_labels")


def weights_mislead(result, match) -> bool:
    """Return whether the weights are shown to have a larger error than equal ones."""
    return worse(result.outcome.error, result.error_of_equal_weights, higher=False)


def weights_are_closer(result, match) -> bool:
    """Return whether the weights are shown to have a smaller error than equal ones."""
    return better(result.outcome.error, result.error_of_equal_weights, higher=False)


def delta_is_large(result, match) -> bool:
    """Return whether Gaussian noise has a delta of at least one over a source's rows."""
    settings = result.settings
    return settings.noise == "gaussian" and settings.delta * settings.source_rows >= 1


def is_replaced(result, match) -> bool:
    """Return whether the guarantee is about the replacement of a row by another one."""
    return result.settings.guarantee.adjacency == "replace-one"


# Patterns that must be found, and those that random settings may not reach.
RULES: Rules = {
    r"Attacker right, at most:? ([\d.]+)": lambda result, match: attackers.close(
        result.settings.guarantee, match[1]
    ),
    rf"Accuracy with transfer: {PERCENT}": lambda result, match: is_median(
        result, match[1], "transfer"
    ),
    rf"Target only: {PERCENT}": lambda result, match: is_median(result, match[1], "few_labels"),
    r"transfer: \+([\d.]+) points?": percent(
        lambda result: gain(result, "transfer", "few_labels"), given=shown(better), within=1.01
    ),
    r"transfer: −([\d.]+) points?": percent(
        lambda result: gain(result, "few_labels", "transfer"), given=shown(worse), within=1.01
    ),
    r"no difference shown": alike(),
    rf"Median accuracy is {PERCENT} with transfer and {PERCENT} with": both_medians,
    rf"Transfer gains .* here, with median accuracy {PERCENT} against {PERCENT} with (\d+) labels"
    r" alone": gains_here,
    r"No difference can be shown in (\d+) runs": counts(
        lambda result: result.repeats, given=alike()
    ),
    r"your row or another one was used": is_replaced,
    r"equal weights would miss it by ([\d.e-]+\d)": says(error_of_equal_weights),
    r"No difference between weighted and equally weighted": alike("transfer", "equal_weights"),
    r"Equal weights do better now, by ([\d.]+)": percent(
        lambda result: gain(result, "equal_weights", "transfer"),
        given=shown(better, "equal_weights", "transfer"),
        within=0.051,
    ),
    r"Weighting the sources gains ([\d.]+) points?": percent(
        lambda result: gain(result, "transfer", "equal_weights"),
        given=shown(better, "transfer", "equal_weights"),
        within=0.051,
    ),
    r"releasing one of them whole": delta_is_large,
    rf"Transfer without noise: {PERCENT}": percent(median_without_noise),
    r"cost of privacy: ([\d.]+) points?": percent(
        lambda result: median_without_noise(result) - median(result),
        given=noise_costs,
        within=1.01,
    ),
    r"no cost of privacy shown": noise_costs_nothing,
}
RARE_RULES: Rules = {
    r"In (\d+) of (\d+) runs it harms": counts(
        lambda result: (result.accuracy["transfer"] < result.accuracy["few_labels"]).sum(),
        lambda result: result.repeats,
    ),
    r"[Ss]o far,? (\d+) of (\d+) runs": counts(
        lambda result: result.repeats,
        lambda result: result.settings.repeats,
        given=lambda result: result.repeats < result.settings.repeats,
    ),
    r"Transfer gains [\d.]+ points? here": shown(better),
    r"Transfer harms here": shown(worse),
    r": they are closer than equal ones": weights_are_closer,
    r"so they mislead here": weights_mislead,
    rf"{CHART}helps from (?:epsilon )?([\d.]*\d)": helps_from,
    rf"{CHART}helps up to (?:epsilon )?([\d.]*\d)": helps_up_to,
    rf"{CHART}helps everywhere": helps_everywhere,
    rf"{CHART}harms everywhere": harms_everywhere,
    **attackers.rules(lambda result: result.settings.guarantee),
}
