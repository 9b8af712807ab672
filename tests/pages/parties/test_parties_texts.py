"""Texts of the parties page, compared with what was computed."""

import re
from collections.abc import Callable

import numpy as np
import pytest

from dpcore.accountants import shuffling
from pages.parties import charts, texts
from pages.parties.settings import PartiesSettings
from tests import attackers
from tests.claims import better, since, unexplained, worse
from tests.pages.parties.examples import RUN_TO_THE_END, SELDOM_DRAWN, release_tasks
from tests.sentences import (
    Rules,
    amount,
    beyond_accuracy,
    counts,
    first,
    hold,
    percent,
    plain,
    says,
    tiles,
    titles,
)

# Guarantees are written with two or more digits.
TWO_DIGITS = 0.01
# The same epsilon in double precision.
ROUNDING = 1e-9

# Ranges of random settings that are computed quickly.
QUICK = {
    "dataset": ["two", "four", "digits", "activities", "intrusions", "addresses"],
    "parties": [2, 20, 200, 1000],
    "rows": [3, 10],
    "public_rows": [50, 400],
    "unlike": [0.0, 0.2, 1.0],
    "regularisation": [1e-4, 1e-3, 1e-1, 1.0],
    "repeats": [2, 6, 12],
    "seed": [0, 3],
}
# Words of claims that claim nothing here.
HARMLESS = (r"adds? noise",)
# Longest verdict, in characters.
MOST_CHARACTERS = 300


def page_text(result) -> str:
    """Return all that the page says of a result."""
    verdict = texts.verdict(result)
    assert len(plain(verdict)) <= MOST_CHARACTERS
    parts = [
        *tiles(texts.numbers(result)),
        verdict,
        *texts.diagnostics(result),
        texts.guarantee(result),
        texts.by_class(result),
        *titles(charts.over_epsilon(result), charts.over_parties(result)),
    ]
    return " ".join(parts)


# Accuracy


def accuracy_of(result, method: str) -> np.ndarray:
    """Return the accuracy (R,) of a method."""
    return result.released.accuracy[result.methods.index(method)]


def chosen_accuracy(result) -> np.ndarray:
    """Return the accuracy (R,) of the method that the page is about."""
    return accuracy_of(result, result.settings.method)


def chosen_median(result) -> float:
    """Return the median accuracy of the method that the page is about."""
    return float(np.median(chosen_accuracy(result)))


def chosen_low(result) -> float:
    """Return the 5 % quantile of the accuracy of the method that the page is about."""
    return np.quantile(chosen_accuracy(result), 0.05)


def chosen_high(result) -> float:
    """Return the 95 % quantile of the accuracy of the method that the page is about."""
    return np.quantile(chosen_accuracy(result), 0.95)


def count_runs(result) -> int:
    """Return the number of runs of the method that the page is about."""
    return len(chosen_accuracy(result))


def majority_share(result) -> float:
    """Return the accuracy of the best constant prediction."""
    labels = result.settings.ensemble.rows["test"].y
    return max(float(np.mean(labels == label)) for label in set(labels))


def local_median(result) -> float:
    """Return the median accuracy of single parties."""
    return float(np.median(result.fits.accuracy))


def accuracy_loss(result) -> float:
    """Return by how much the non-private model of all rows exceeds the chosen method's median."""
    return result.pooled_accuracy - chosen_median(result)


# Claims


def is_shown(claim: Callable, runs, baseline, result, **options) -> bool:
    """Return whether a claim about runs and a baseline is shown, once all parties are asked."""
    is_whole = result.asked == result.settings.ensemble.parties
    return claim(runs, baseline, constant=majority_share(result), whole=is_whole, **options)


def joining_helps(result, match=None) -> bool:
    """Return whether the chosen method is shown to be better than the median single party."""
    return is_shown(better, chosen_accuracy(result), local_median(result), result)


def joining_harms(result, match=None) -> bool:
    """Return whether the chosen method is shown to be worse than the median single party."""
    return is_shown(worse, chosen_accuracy(result), local_median(result), result)


def joining_is_alike(result) -> bool:
    """Return whether joining is shown neither to help nor to harm."""
    return not joining_helps(result) and not joining_harms(result)


def privacy_costs(result) -> bool:
    """Return whether the chosen method is shown to be worse than the non-private model."""
    return is_shown(worse, chosen_accuracy(result), result.pooled_accuracy, result)


def is_ahead(result, method: str, others) -> bool:
    """Return whether a method is shown to be ahead of each of some others."""
    others = set(others) - {method}
    if not others:
        return False
    comparisons = len(result.methods) - 1
    for other in others:
        runs = accuracy_of(result, method)
        baseline = accuracy_of(result, other)
        if not is_shown(better, runs, baseline, result, tests=comparisons):
            return False
    return True


def method_named(name: str) -> str:
    """Return the method that a text calls by this name."""
    methods = {text: method for method, (text, _) in charts.STYLES.items()}
    return methods[name]


def best_is_best(result, match) -> bool:
    """Return whether the first method has the best median, and is ahead of all that are not said to
    be too near.
    """
    best = method_named(match[1])
    near = []
    if match[3]:
        near = [method_named(name) for name in re.split(", | and ", match[3])]
    ahead_of = set(result.methods) - {best, *near}
    medians = np.median(result.released.accuracy, axis=1)
    guarantee = result.settings.guarantee_of(best)
    return (
        np.median(accuracy_of(result, best)) == medians.max()
        and abs(100 * medians.max() - amount(match[2])) < 0.51
        and (not ahead_of or is_ahead(result, best, ahead_of))
        and not any(is_ahead(result, best, [method]) for method in near)
        and guarantee.epsilon == pytest.approx(amount(match[4]), rel=TWO_DIGITS)
        and guarantee.delta == pytest.approx(amount(match[5] or "0"), rel=TWO_DIGITS)
    )


def nothing_beats_majority(result, match) -> bool:
    """Return whether no method has a median above the best constant prediction."""
    medians = np.median(result.released.accuracy, axis=1)
    return medians.max() <= majority_share(result)


def helps_since(result, over: str, start: float) -> bool:
    """Return whether joining is shown to help at ``start`` and all larger values of an axis."""
    curve = result.curve_of(result.settings.method, over)
    runs_at = dict(zip(curve.at, curve.runs, strict=True))
    runs_at[getattr(result.settings, over)] = chosen_accuracy(result)

    def helps_at(value: float) -> bool:
        """Return whether joining is shown to help at a value of the axis."""
        return is_shown(better, runs_at[value], local_median(result), result)

    return since(runs_at, helps_at, start)


def helps_from(result, match) -> bool:
    """Return whether joining is shown to help at the stated value and all larger ones."""
    return helps_since(result, match[1], amount(match[2]))


def helps_everywhere(result, match) -> bool:
    """Return whether joining is shown to help at all values of the stated axis."""
    return helps_since(result, match[1], 0)


# Noise of each party, and guarantees


def stated_epsilon(result) -> float:
    """Return the epsilon of the page's guarantee."""
    return result.settings.guarantee.epsilon


def message_epsilon(result) -> float:
    """Return the epsilon of a party's message."""
    settings = result.settings
    if settings.is_federated:
        return settings.federation.message_epsilon(settings.epsilon) or settings.epsilon
    delta = 0.0
    if settings.trust_model == "shuffle":
        delta = settings.delta
    return shuffling.of_one(settings.epsilon, messages=settings.parties, delta=delta)


def noise_ratio(result) -> float:
    """Return the noise on an average over that of a trusted aggregator.

    (Delta / (sqrt(M) epsilon_0)) / (Delta / (M epsilon))
    """
    settings = result.settings
    return settings.parties**0.5 * settings.epsilon / message_epsilon(result)


def noise_of_rounds(result) -> float:
    """Return the standard deviation of the noise on each weight of a round's mean."""
    return result.settings.federation.noise_sd(result.settings.epsilon)


def truthful_answers(result) -> float:
    """Return how many true answers say as much as the randomised ones.

    Of those, e^epsilon - 1 of e^epsilon + K - 1 are kept.
    """
    power = np.exp(message_epsilon(result))
    kept = (power - 1) / (power + result.ensemble.classes - 1)
    return result.asked * kept**2


def is_amplified(result) -> bool:
    """Return whether messages together cost no more than one of them, and no more than stated."""
    most = min(message_epsilon(result), result.settings.epsilon)
    return stated_epsilon(result) <= most * (1 + 1e-9)


def has_shuffle(result) -> bool:
    """Return whether messages in random order have a smaller epsilon than each of them."""
    settings = result.settings
    return settings.trust_model == "shuffle" and message_epsilon(result) > settings.epsilon


def is_not_amplified(result, match) -> bool:
    """Return whether shuffled messages have the set epsilon, and each of them no larger one."""
    is_equal = stated_epsilon(result) == pytest.approx(result.settings.epsilon, rel=ROUNDING)
    return result.settings.trust_model == "shuffle" and is_equal and not has_shuffle(result)


def nobody_is_trusted(result, match) -> bool:
    """Return whether no aggregator is trusted, and no shuffler that lowers epsilon."""
    return result.settings.trust_model != "central" and not has_shuffle(result)


def shuffler_is_trusted(result, match) -> bool:
    """Return whether a shuffler gives all messages a smaller epsilon than each of them has."""
    return has_shuffle(result)


def rows_are_dealt(result, match) -> bool:
    """Return whether the shuffler is trusted, and soft labels are released."""
    return shuffler_is_trusted(result, match) and result.settings.method == "soft"


def is_attacker_limit(result, match) -> bool:
    """Return whether a text states the accuracy of the best attacker."""
    return attackers.close(result.settings.guarantee, match[1])


RULES: Rules = {
    r"have the sampling error of ([\d,.e-]+) truthful": says(truthful_answers),
    r"on each weight, ([\d,.]+) times as much": says(noise_ratio),
    r"mean update has noise of standard deviation ([\d,.e-]+)": says(noise_of_rounds),
    r"noisy updates has noise of standard deviation ([\d,.e-]+)": says(noise_of_rounds),
    r"add noise for epsilon ([\d.e-]+), and together the messages have epsilon ([\d.e-]+)": says(
        message_epsilon, stated_epsilon, given=is_amplified
    ),
    r"so the shuffler proves no smaller epsilon for all messages than for one": is_not_amplified,
    r"Nobody is trusted": nobody_is_trusted,
    r"The shuffler is trusted": shuffler_is_trusted,
    r"It deals the public rows at random, and tells nobody": rows_are_dealt,
    r"The aggregator is trusted": lambda result, _: result.settings.trust_model == "central",
    r"Attacker right, at most:? ([\d.]+)": is_attacker_limit,
    r"Accuracy, [\w ]+: (\d+(?:\.\d+)?)\s%": percent(chosen_median),
    r"Non-private, all rows: (\d+(?:\.\d+)?)\s%": percent(lambda result: result.pooled_accuracy),
    r"cost of privacy: ([\d.]+) points?": percent(accuracy_loss, given=privacy_costs, within=1.01),
    r"no cost of privacy shown": lambda result, _: not privacy_costs(result),
    r"90 % of runs: ([\d.]+) to ([\d.]+)\s%": percent(chosen_low, chosen_high),
    r"No difference can be shown in (\d+)": counts(count_runs, given=joining_is_alike),
    r"reach median accuracy ([\d.]+) % and a single party ([\d.]+)": percent(
        chosen_median, local_median
    ),
    r"Best here is ([\w ]+) with ([\d.]+)\s%(?:, not told apart from ([\w, ]+?))?, at epsilon ([\d.e-]+)"
    r"(?: and delta ([\d.e-]+))?\.": best_is_best,
    r"whether a party or another one in its place took part": lambda result, _: (
        result.settings.guarantee.adjacency == "replace-one"
    ),
    r"releasing one of them whole": lambda result, _: (
        result.settings.delta * result.settings.parties >= 1
    ),
    **beyond_accuracy(
        lambda result: result.held_out[result.settings.method],
        lambda result: result.held_out["pooled"],
    ),
}
SELDOM: Rules = {
    r"Joining helps, as": joining_helps,
    r"Joining harms here, as": joining_harms,
    r"No release does better than the majority-class baseline": nothing_beats_majority,
    r"Accuracy by (epsilon|parties): joining helps from ([\d,.]*\d)": helps_from,
    r"Accuracy by (epsilon|parties): joining helps everywhere": helps_everywhere,
    r"Accuracy by (?:epsilon|parties): joining harms everywhere": joining_harms,
    **attackers.rules(lambda result: result.settings.guarantee),
}


def test_every_sentence_agrees_with_what_was_computed():
    whole_runs = [settings.experiment.run() for settings in RUN_TO_THE_END]

    hold(
        PartiesSettings,
        page_text,
        RULES,
        seldom=SELDOM,
        harmless=HARMLESS,
        within=QUICK,
        also=[*SELDOM_DRAWN, *whole_runs],
        count=20,
        essential=release_tasks,
    )


def test_first_result_of_many_parties_claims_nothing():
    # No other test asks these parties, whose answers would then be known.
    result = first(PartiesSettings(parties=6000, seed=8617))

    text = plain(page_text(result))

    assert "So far" in text
    assert not unexplained(text, harmless=HARMLESS)
