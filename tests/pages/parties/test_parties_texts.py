"""Texts of the parties page, compared with what was computed."""

from collections.abc import Callable

import numpy as np

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
    two_stories,
)

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
# A number is written as a whole one, and rounded.
ROUNDED = 0.5 + 1e-6


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
    return result.now.accuracy[result.methods.index(method)]


def chosen_accuracy(result) -> np.ndarray:
    """Return the accuracy (R,) of the method that the page is about."""
    return accuracy_of(result, result.settings.method)


def chosen_median(result) -> float:
    return float(np.median(chosen_accuracy(result)))


def chosen_low(result) -> float:
    return np.quantile(chosen_accuracy(result), 0.05)


def chosen_high(result) -> float:
    return np.quantile(chosen_accuracy(result), 0.95)


def count_runs(result) -> int:
    return len(chosen_accuracy(result))


def majority_share(result) -> float:
    """Return the accuracy of the best constant prediction."""
    labels = result.settings.ensemble.rows["test"].y
    return max(float(np.mean(labels == label)) for label in set(labels))


def local_median(result) -> float:
    """Return the median accuracy of single parties."""
    return float(np.median(result.fits.accuracy))


def accuracy_loss(result) -> float:
    return result.pooled_accuracy - chosen_median(result)


# Claims


def is_shown(claim: Callable, runs, baseline, result, **options) -> bool:
    """Return whether a claim about runs and a baseline is shown, once all parties are asked."""
    is_whole = result.asked == result.settings.ensemble.parties
    return claim(runs, baseline, constant=majority_share(result), whole=is_whole, **options)


def joining_helps(result, match=None) -> bool:
    return is_shown(better, chosen_accuracy(result), local_median(result), result)


def joining_harms(result, match=None) -> bool:
    return is_shown(worse, chosen_accuracy(result), local_median(result), result)


def joining_is_alike(result) -> bool:
    return not joining_helps(result) and not joining_harms(result)


def privacy_costs(result) -> bool:
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


def is_best(result, match) -> bool:
    return is_ahead(result, method_named(match[1]), result.methods)


def is_ahead_of_chosen(result, match) -> bool:
    return is_ahead(result, method_named(match[1]), [result.settings.method])


def chosen_is_best(result, match) -> bool:
    return is_ahead(result, result.settings.method, result.methods)


def no_method_is_ahead(result, match) -> bool:
    chosen = result.settings.method
    return not any(is_ahead(result, method, [chosen]) for method in result.methods)


def nothing_beats_majority(result, match) -> bool:
    medians = np.median(result.now.accuracy, axis=1)
    return medians.max() <= majority_share(result)


def helps_since(result, over: str, start: float) -> bool:
    """Return whether joining is shown to help at ``start`` and all larger values of an axis."""
    curve = result.curve_of(result.settings.method, over)
    runs_at = dict(zip(curve.at, curve.runs, strict=True))
    runs_at[getattr(result.settings, over)] = chosen_accuracy(result)

    def helps_at(value: float) -> bool:
        return is_shown(better, runs_at[value], local_median(result), result)

    return since(runs_at, helps_at, start)


def helps_from(result, match) -> bool:
    return helps_since(result, match[1], amount(match[2]))


def helps_everywhere(result, match) -> bool:
    return helps_since(result, match[1], 0)


# Noise of each party, and guarantees


def stated_epsilon(result) -> float:
    return result.settings.guarantee.epsilon


def message_epsilon(result) -> float:
    """Return the epsilon of a party's message."""
    settings = result.settings
    delta = 0.0
    if settings.trust_model == "shuffle":
        delta = settings.delta
    return shuffling.of_one(settings.epsilon, messages=settings.parties, delta=delta)


def equivalent_parties(result) -> float:
    """Return for how many parties an aggregator's noise is as small, but at least one.

    Delta / (few epsilon) = Delta / (sqrt(M) epsilon_0).
    """
    settings = result.settings
    few = settings.parties**0.5 * message_epsilon(result) / settings.epsilon
    return max(1, few)


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


def is_not_amplified(result, match) -> bool:
    settings = result.settings
    is_equal = stated_epsilon(result) == settings.epsilon == message_epsilon(result)
    return settings.trust_model == "shuffle" and is_equal


def nobody_is_trusted(result, match) -> bool:
    settings = result.settings
    return settings.trust_model != "central" and settings.guarantee.delta == 0


def shuffler_is_trusted(result, match) -> bool:
    return result.settings.guarantee.delta > 0


def rows_are_dealt(result, match) -> bool:
    return shuffler_is_trusted(result, match) and result.settings.method == "soft"


def is_attacker_limit(result, match) -> bool:
    return attackers.close(result.settings.guarantee, match[1])


RULES: Rules = {
    r"as much as about ([\d,]+) truthful": says(truthful_answers, rel=0, within=ROUNDED),
    r"say less than one truthful answer": lambda result, _: truthful_answers(result) < 0.5,
    r"aggregator needs about ([\d,]+) part": says(equivalent_parties, rel=0, within=ROUNDED),
    r"add noise for epsilon ([\d.e-]+), and together the messages have epsilon ([\d.e-]+)": says(
        message_epsilon, stated_epsilon, given=is_amplified
    ),
    r"so the shuffler proves no smaller epsilon for all messages than for one": is_not_amplified,
    r"Nobody is trusted": nobody_is_trusted,
    r"The shuffler is trusted": shuffler_is_trusted,
    r"It deals the public rows at random, and tells nobody": rows_are_dealt,
    r"The aggregator is trusted": lambda result, _: result.settings.trust_model == "central",
    r"Attacker's accuracy, at most:? ([\d.]+)": is_attacker_limit,
    r"Accuracy, [\w ]+: (\d+(?:\.\d+)?)\s%": percent(chosen_median),
    r"Non-private, all rows: (\d+(?:\.\d+)?)\s%": percent(lambda result: result.pooled_accuracy),
    r"accuracy loss: ([\d.]+) points?": percent(accuracy_loss, given=privacy_costs, within=1.01),
    r"no accuracy loss shown": lambda result, _: not privacy_costs(result),
    r"90 % of runs: ([\d.]+) to ([\d.]+)\s%": percent(chosen_low, chosen_high),
    r"No difference can be shown in (\d+)": counts(count_runs, given=joining_is_alike),
    r"reach median accuracy ([\d.]+) % and a single party ([\d.]+)": percent(
        chosen_median, local_median
    ),
    r"No other release can be": no_method_is_ahead,
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
    r"The best release is ([\w ]+) with [\d.]+\s%": is_best,
    r"Ahead of this release is ([\w ]+) with [\d.]+\s%": is_ahead_of_chosen,
    r"No other release does better\.": chosen_is_best,
    r"No other release does better than the majority-class baseline": nothing_beats_majority,
    r"Accuracy by (epsilon|parties): joining helps from ([\d,.]*\d)": helps_from,
    r"Accuracy by (epsilon|parties): joining helps everywhere": helps_everywhere,
    r"Accuracy by (?:epsilon|parties): joining harms everywhere": joining_harms,
    **two_stories(lambda result: result.held_out[result.settings.method]),
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
    result = first(PartiesSettings(parties=6000))

    text = plain(page_text(result))

    assert "So far" in text
    assert not unexplained(text, harmless=HARMLESS)
