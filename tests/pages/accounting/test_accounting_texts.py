"""Texts of the accounting page, compared with what was computed."""

import math
from collections.abc import Callable
from typing import Any

import pytest

from dpcore.accountants import account
from dpcore.privacy import Adjacency
from pages.accounting import charts, texts, texts_tuning
from pages.accounting.result import AccountingResult
from pages.accounting.settings import AccountingSettings
from tests import attackers, reached
from tests.sentences import Rules, amount, first, hold, plain, tiles

# Ranges of random settings that are computed quickly.
QUICK = {
    "steps": [1, 10, 100, 1000, 3000],
    "noise_multiplier": [0.3, 0.5, 0.9, 1.0, 2.0, 4.0, 10.0, 30.0],
    "sampling_rate": [0.001, 0.01, 0.1, 0.5, 0.9, 1.0],
    "delta": [1e-10, 1e-5, 1e-2],
    "target_epsilon": [0.05, 1.0, 50.0],
    "people": [1, 2, 3, 50],
    "settings_tried": [1, 2, 10, 100],
}
BASE = AccountingSettings(steps=1000)
# Settings with sentences that random ones seldom have.
SELDOM_DRAWN = [
    BASE,
    BASE.change(sampling_rate=1.0, noise_multiplier=100.0),
    BASE.change(noise_multiplier=0.5, sampling_rate=0.5),
    BASE.change(settings_tried=1, people=1),
    BASE.change(noise_multiplier=100.0),
    BASE.change(sampling_rate=1.0, noise_multiplier=5.833),
    BASE.change(
        sampling_rate=0.0001, noise_multiplier=5.895, steps=1, delta=2.852e-05, target_epsilon=50.0
    ),
]
# The coarse grid exceeds the target, and the fine one does not.
BETWEEN_GRIDS = BASE.change(sampling_rate=0.001, noise_multiplier=2.0, target_epsilon=0.05)
# Tasks after which the coarse grid is counted, and the fine one not.
COARSE_TASKS = 12
# Longest verdict, in characters.
MOST_CHARACTERS = 300
# From this factor on a saving by sampling is stated.
LEAST_SAVING = 1.1
MOST_STEPS = 100_000


def page_text(result: AccountingResult) -> str:
    """Return all that the page says of a result."""
    verdict = texts.verdict(result)
    assert len(plain(verdict)) <= MOST_CHARACTERS
    findings = [
        f"steps finding: {texts.steps_finding(result)}.",
        f"effects finding: {texts.effects_finding(result)}.",
        f"searches finding: {texts.searches_finding(result)}.",
    ]
    parts = [
        verdict,
        *texts.diagnostics(result),
        texts.guarantee(result),
        *tiles(texts.numbers(result)),
        *findings,
        texts_tuning.searches(result),
        *labels_of_effects(result),
    ]
    return " ".join(parts)


def labels_of_effects(result: AccountingResult) -> list[str]:
    """Return the names of the chart of effects, each with its epsilon."""
    figure = charts.effects(result)
    return [annotation["text"] for annotation in figure["layout"]["annotations"]]


# Numbers of a result


def number_in(text: str) -> float:
    """Return a number as the page writes it."""
    if text == "unlimited":
        return math.inf
    return amount(text)


def epsilon_by(row: str) -> Callable[[Any], float]:
    """Return the function that returns the epsilon of a row of the table."""
    return lambda result: result.epsilon(row)


def spent(result) -> float:
    """Return the exact epsilon of this run or, until it is counted, the least one so far."""
    exact = result.epsilon("pld")
    if math.isnan(exact):
        return result.best_guarantee.epsilon
    return exact


def remaining(result) -> float:
    """Return the difference of the target and of epsilon, as both are shown."""
    target = number_in(texts.number(result.settings.target_epsilon))
    return abs(target - number_in(texts.number(spent(result))))


def exceeds_target(result) -> bool:
    """Return whether this run spends more than the target epsilon."""
    return spent(result) > result.settings.target_epsilon


def meets_target(result) -> bool:
    """Return whether this run spends at most the target epsilon."""
    return not exceeds_target(result)


def loosest_epsilon(result) -> float:
    """Return the largest epsilon of this run by a theorem other than the exact accountant."""
    rows = ("basic", "advanced", "moments", "renyi")
    return max(result.epsilon(row) for row in rows)


def looseness(result) -> float:
    """Return the loosest epsilon over that of the exact accountant."""
    return loosest_epsilon(result) / result.epsilon("pld")


def best_alone(result) -> float:
    """Return the least price of the best of a random number of tries, by any of the laws."""
    return min(guarantee.epsilon for guarantee in result.best_alone.values())


def all_tries(result) -> float:
    """Return the epsilon of releasing all tries."""
    return result.tuned.epsilon


def best_epsilon(result) -> float:
    """Return the least epsilon of this run by any theorem computed so far."""
    return result.best_guarantee.epsilon


def saving_by_sampling(result) -> float:
    """Return the epsilon with all rows in every step over that of this run."""
    return result.unsampled / best_epsilon(result)


# Rules: what a sentence may say of a result. ``match`` has the numbers in it.


def shown(*values: Callable[[Any], float], given: Callable[[Any], Any] | None = None):
    """Return the rule that the numbers in a text are these of the result, as the page writes them.

    given: what the result must meet as well.
    """

    def holds(result, match) -> bool:
        """Return whether the result meets ``given``, and the groups of ``match`` are its values."""
        if given is not None and not given(result):
            return False
        return list(match.groups()) == [texts.number(value(result)) for value in values]

    return holds


def is_attacker_limit(result, match) -> bool:
    """Return whether the number is the best attacker's accuracy on the best guarantee."""
    return attackers.close(result.best_guarantee, match[1])


def all_cost_no_more(result) -> bool:
    """Return whether releasing all tries costs at most as much as only the best."""
    return all_tries(result) <= best_alone(result)


def best_costs_less(result) -> bool:
    """Return whether releasing only the best costs less than all tries."""
    return all_tries(result) > best_alone(result)


def is_sampled(result, match) -> bool:
    """Return whether a step reads a sample of the rows, and not all of them."""
    return result.settings.sampling_rate < 1


def all_tries_are_uncounted(result) -> bool:
    """Return whether the epsilon of all tries is not counted yet."""
    return result.tuned is None


def is_number_of_tries(result, match) -> bool:
    """Return whether the number is that of the settings tried, and more than one."""
    return int(match[1]) == result.settings.settings_tried > 1


def advanced_is_not_loosest(result) -> bool:
    """Return whether another theorem gives a larger epsilon than advanced composition."""
    return loosest_epsilon(result) > result.epsilon("advanced")


def accountant_is_exact(result, match) -> bool:
    """Return whether GDP and an exact value are stated just where GDP counts the run."""
    is_exact = result.settings.exact_accountant == "gdp"
    return (match[1] == "GDP") == is_exact and (match[2] == "exact") == is_exact


def allows_steps(result, match) -> bool:
    """Return whether the number is that of the most steps, and at least that of this run."""
    steps = number_in(match[1])
    return steps == result.most_steps and steps >= result.settings.steps


def allows_most_steps(result, match) -> bool:
    """Return whether the target allows ``MOST_STEPS`` or more."""
    return bool(result.most_steps >= MOST_STEPS)


def needs_noise(result, match) -> bool:
    """Return whether the target is exceeded, and the number is the noise that it needs."""
    return exceeds_target(result) and match[1] == texts.number(result.least_noise)


def is_add_remove(result, match) -> bool:
    """Return whether the best guarantee is about a row that is added or removed."""
    return result.best_guarantee.adjacency == "add/remove"


def saving_is_visible(result) -> bool:
    """Return whether sampling divides epsilon by ``LEAST_SAVING`` or more."""
    return result.unsampled >= LEAST_SAVING * best_epsilon(result)


def group_has_no_protection(result, match) -> bool:
    """Return whether the delta of the group is 1 or more, which guarantees nothing."""
    return result.effects()["group"].delta >= 1


ALL_AND_NOT_CHEAPER = (
    r"Releasing all \d+ tries costs (\S+)\."
    r" Releasing only the best is not cheaper here, at (\S+) \("
)
BEST_AND_ALL = (
    r"only the best costs (\S+) \(\w+ dist\w+\)\."
    r" Releasing all \d+ tries costs (?:at most |)(\S+)\. "
)
RENYI_AND_EXACT = (
    r"by which one run costs (\S+)\. The (?:PLD|GDP) accountant gives (\S+) for one run\. "
)
RULES: Rules = {
    r"Attacker right, at most:? ([\d.]+)": is_attacker_limit,
    ALL_AND_NOT_CHEAPER: shown(all_tries, best_alone, given=all_cost_no_more),
    BEST_AND_ALL: shown(best_alone, all_tries, given=best_costs_less),
    r"all \d+ tries costs at most": is_sampled,
    r"Releasing only the best costs (\S+) \(\w+ distribution\)\. All \d+ tries are still": shown(
        best_alone, given=all_tries_are_uncounted
    ),
    RENYI_AND_EXACT: shown(epsilon_by("renyi"), epsilon_by("pld")),
    r"For exactly (\d+) tries": is_number_of_tries,
    r"run costs epsilon (\S+) by advanced composition": shown(
        epsilon_by("advanced"), given=advanced_is_not_loosest
    ),
    r"run costs epsilon (\S+) by basic composition": shown(epsilon_by("basic")),
    r"and (\S+) by the moments accountant\. The noise": shown(epsilon_by("moments")),
    r"and (\S+) by advanced composition": shown(epsilon_by("advanced")),
    r"(?:PLD|GDP) accountant: (\S+) \((?:exact|upper bound)": shown(epsilon_by("pld")),
    r"(PLD|GDP) accountant: \S+ \((exact|upper bound)": accountant_is_exact,
    r"Loosest bound: (\S+) \(": shown(loosest_epsilon),
    r"Remaining budget: ([\d.]\S*) \(target epsilon [\d.]+\)": shown(remaining, given=meets_target),
    r"Remaining budget: (?:−|(?=0 ))(\S+) \(target epsilon [\d.]+, exceeded": shown(
        remaining, given=exceeds_target
    ),
    r"target of epsilon \S+ allows ([\d,]+) steps?": allows_steps,
    r"allows 100,000 or more": allows_most_steps,
    r"these steps need noise multiplier ([\d.,]+)\.": needs_noise,
    r"is looser by a factor of (\S+)\. ": shown(looseness),
    r"With epsilon (\S+), an attacker": shown(best_epsilon),
    r"whether you are in the data": is_add_remove,
    r"same noise would cost epsilon \S+, ([\d.]+) times as much": shown(
        saving_by_sampling, given=saving_is_visible
    ),
    r"no protection": group_has_no_protection,
}


def test_every_sentence_agrees_with_what_was_computed():
    coarse_tasks = BETWEEN_GRIDS.experiment.tasks()[:COARSE_TASKS]
    results = [settings.experiment.run() for settings in SELDOM_DRAWN]
    results.append(first(BETWEEN_GRIDS, coarse_tasks))

    hold(
        AccountingSettings,
        page_text,
        RULES,
        within=QUICK,
        also=results,
        count=20,
        seldom=attackers.rules(lambda result: result.best_guarantee),
    )


def test_every_text_is_read():
    coarse_tasks = BETWEEN_GRIDS.experiment.tasks()[:COARSE_TASKS]
    page_text(first(BETWEEN_GRIDS, coarse_tasks))
    for settings in SELDOM_DRAWN:
        page_text(settings.experiment.run())
    further = [
        *SELDOM_DRAWN,
        BASE.change(target_epsilon=0.05),
        BASE.change(sampling_rate=0.9, noise_multiplier=30.0),
    ]

    for settings in further:
        early = first(settings)
        page_text(early)
        texts.table(early)
        charts.effects(early)
        charts.over_steps(early)

    assert reached.unread(texts.SAYS) == []


@pytest.mark.parametrize("theorem", ["basic", "advanced"])
def test_a_delta_that_a_rare_sample_need_not_share_leaves_a_theorem_with_a_number(theorem):
    settings = AccountingSettings(sampling_rate=0.001, noise_multiplier=10.0, steps=1, delta=0.01)

    result = first(settings)

    assert 0 <= result.epsilon(theorem) < 0.01


# The exact accountant


def epsilon_of(settings: AccountingSettings, accountant: str) -> float:
    """Return the epsilon of a run by an accountant."""
    guarantee = account(
        settings.run_event,
        accountant=accountant,
        delta=settings.delta,
        adjacency=Adjacency.ADD_REMOVE,
    )
    return guarantee.epsilon


def test_with_all_rows_in_a_step_the_exact_accountant_is_exact():
    settings = AccountingSettings(sampling_rate=1.0, steps=100, noise_multiplier=20.0)

    epsilon = settings.experiment.run().epsilon("pld")

    assert epsilon == pytest.approx(epsilon_of(settings, "gdp"))
    assert epsilon <= epsilon_of(settings, "pld")
    assert epsilon <= epsilon_of(settings, "pld-coarse")


def test_with_sampled_batches_the_exact_accountant_is_one_of_two_bounds():
    settings = AccountingSettings(sampling_rate=0.01, steps=100, noise_multiplier=20.0)
    fine = epsilon_of(settings, "pld")
    coarse = epsilon_of(settings, "pld-coarse")

    epsilon = settings.experiment.run().epsilon("pld")

    assert fine < coarse
    assert epsilon in (fine, coarse)
