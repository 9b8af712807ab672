"""What the accounting page says, held against what was computed."""

import math

import numpy as np
import pytest

from dpcore.accountants import account
from dpcore.privacy import Adjacency
from pages.accounting import charts, texts_tuning
from pages.accounting import texts as say
from pages.accounting.settings import AFTERWARDS, AccountingSettings
from tests import attackers, reached
from tests.sentences import Rules, amount, first, hold, plain, tiles

QUICK = {
    "steps": [1, 10, 100, 1000, 3000],
    "noise_multiplier": [0.3, 0.5, 0.9, 1.0, 2.0, 4.0, 10.0, 30.0],
}
QUICK |= {"sampling_rate": [0.001, 0.01, 0.1, 0.5, 0.9, 1.0], "delta": [1e-10, 1e-5, 1e-2]}
QUICK |= {
    "target_epsilon": [0.05, 1.0, 50.0],
    "people": [1, 2, 3, 50],
    "settings_tried": [1, 2, 10, 100],
}
ONE = AccountingSettings(steps=1000)
ONCE = [
    ONE,
    ONE.change(sampling_rate=1.0, noise_multiplier=100.0),
    ONE.change(noise_multiplier=0.5, sampling_rate=0.5),
    ONE.change(settings_tried=1, people=1),
    ONE.change(noise_multiplier=100.0),
    ONE.change(sampling_rate=1.0, noise_multiplier=5.833),
    ONE.change(
        sampling_rate=0.0001, noise_multiplier=5.895, steps=1, delta=2.852e-05, target_epsilon=50.0
    ),
]


def words(result) -> str:
    assert len(plain(say.verdict(result))) <= 300
    parts = [
        say.verdict(result),
        *say.diagnostics(result),
        *say.effects(result),
        say.guarantee(result),
    ]
    findings = say.FINDINGS
    parts += [
        *tiles(say.numbers(result)),
        *(f"{name} finding: {find(result)}." for name, find in findings.items()),
    ]
    return " ".join([*parts, texts_tuning.searches(result), say.neighbours(result)])


def told(shown: str) -> float:
    """A number as a page shows it."""
    return math.inf if shown == "unlimited" else amount(shown)


def shown(*values, given=bool):
    """Return a rule: what is said are these numbers of the result, written as the page writes
    numbers.
    """
    return lambda r, m: (
        [*m.groups()] == [say.number(value(r)) for value in values] and (given is bool or given(r))
    )


def by(row: str):
    return lambda result: result.epsilon(row)


def spent(result) -> float:
    exact = result.epsilon("pld")
    return result.best_guarantee.epsilon if math.isnan(exact) else exact


def left(result) -> float:
    """The difference of the target and of epsilon, as both are shown."""
    return abs(told(say.number(result.settings.target_epsilon)) - told(say.number(spent(result))))


def over(result) -> bool:
    return spent(result) > result.settings.target_epsilon


def worst(result) -> float:
    return max(result.epsilon(name) for name in ("basic", "advanced", "moments", "renyi"))


def cheapest(result) -> float:
    """The least price of the best of a random number of tries, by any of the laws."""
    return min(held.epsilon for held in result.best_alone.values())


def tuned(result) -> float:
    return result.tuned.epsilon


RULES: Rules = {
    r"Attacker's accuracy, at most:? ([\d.]+)": lambda r, m: attackers.close(
        r.best_guarantee, m[1]
    ),
    r"Releasing all \d+ tries costs (\S+)\. Releasing only the best is not cheaper here, at (\S+) \(": shown(
        tuned, cheapest, given=lambda r: tuned(r) <= cheapest(r)
    ),
    r"only the best costs (\S+) \(\w+ dist\w+\)\. Releasing all \d+ tries costs (?:at most |)(\S+)\. ": shown(
        cheapest, tuned, given=lambda r: tuned(r) > cheapest(r)
    ),
    r"all \d+ tries costs at most": lambda r, _: r.settings.sampling_rate < 1,
    r"Releasing only the best costs (\S+) \(\w+ distribution\)\. All \d+ tries are still": shown(
        cheapest, given=lambda r: r.tuned is None
    ),
    r"by which one run costs (\S+)\. The (?:PLD|GDP) accountant gives (\S+) for one run\. ": shown(
        by("renyi"), by("pld")
    ),
    r"For exactly (\d+) tries": lambda r, m: int(m[1]) == r.settings.settings_tried > 1,
    r"run costs epsilon (\S+) by advanced composition": shown(
        by("advanced"), given=lambda r: worst(r) > r.epsilon("advanced")
    ),
    r"run costs epsilon (\S+) by basic composition": shown(by("basic")),
    r"and (\S+) by the moments accountant\. The noise": shown(by("moments")),
    r"and (\S+) by advanced composition": shown(by("advanced")),
    r"(?:PLD|GDP) accountant: (\S+) \((?:exact|upper bound)": shown(by("pld")),
    r"(PLD|GDP) accountant: \S+ \((exact|upper bound)": lambda r, m: (
        (m[2] == "exact") == (m[1] == "GDP") == (r.settings.exact_accountant == "gdp")
    ),
    r"Loosest bound: (\S+) \(": shown(worst),
    r"Remaining budget: ([\d.]\S*) \(target epsilon [\d.]+\)": shown(
        left, given=lambda r: not over(r)
    ),
    r"Remaining budget: (?:−|(?=0 ))(\S+) \(target epsilon [\d.]+, exceeded": shown(
        left, given=over
    ),
    r"target of epsilon \S+ allows ([\d,]+) steps?": lambda r, m: (
        told(m[1]) in {r.most_steps("pld"), r.most_steps("renyi")}
        and told(m[1]) >= r.settings.steps
    ),
    r"allows 100,000 or more": lambda r, _: (
        np.nanmax([r.most_steps("pld"), r.most_steps("renyi")]) >= 100_000
    ),
    r"these steps need noise multiplier ([\d.,]+)\.": lambda r, m: (
        over(r) and m[1] in map(say.number, (r.least_noise("pld"), r.least_noise("renyi")))
    ),
    r"is looser by a factor of (\S+)\. ": shown(lambda r: worst(r) / r.epsilon("pld")),
    r"meets the target from ([\d.,]+) on": shown(lambda r: r.least_noise("pld")),
    r"With epsilon (\S+), an attacker": shown(lambda r: r.best_guarantee.epsilon),
    r"whether you are in the data": lambda r, _: r.best_guarantee.adjacency == "add/remove",
    r"same noise would cost epsilon \S+, ([\d.]+) times as much": shown(
        lambda r: r.unsampled / r.best_guarantee.epsilon,
        given=lambda r: r.unsampled >= 1.1 * r.best_guarantee.epsilon,
    ),
    r"has no protection": lambda r, _: r.effects()["group"].delta >= 1,
}


def test_every_sentence_says_what_was_computed_and_every_text_is_reached():
    tight = ONE.change(
        sampling_rate=0.001, noise_multiplier=2.0, target_epsilon=0.05
    )  # the coarse grid exceeds it
    also = [
        *(settings.experiment.run() for settings in ONCE),
        first(tight, tight.experiment.tasks()[:12]),
    ]
    hold(
        AccountingSettings,
        words,
        RULES,
        within=QUICK,
        also=also,
        count=20,
        seldom=attackers.rules(lambda r: r.best_guarantee),
    )
    for settings in (
        *ONCE,
        *(ONE.change(afterwards=name) for name in AFTERWARDS),
        ONE.change(target_epsilon=0.05),
    ):
        early = first(settings)
        words(early), say.table(early), charts.effects(early), charts.over_steps(early)
    assert reached.unread(say.SAYS) == []


def test_a_delta_that_a_rare_sample_need_not_share_leaves_no_theorem_without_a_number():
    result = first(
        AccountingSettings(sampling_rate=0.001, noise_multiplier=10.0, steps=1, delta=0.01)
    )
    assert all(0 <= result.epsilon(theorem) < 0.01 for theorem in ("basic", "advanced"))


def test_the_exact_accountant_is_exact_or_one_of_the_two_bounds():
    for rate in (0.01, 1.0):
        settings = AccountingSettings(sampling_rate=rate, steps=100, noise_multiplier=20.0)
        about = {"delta": settings.delta, "adjacency": Adjacency.ADD_REMOVE}
        fine, coarse = (
            account(settings.run_event, accountant=name, **about).epsilon
            for name in ("pld", "pld-coarse")
        )
        found = settings.experiment.run().epsilon("pld")
        if rate == 1:
            assert found == pytest.approx(
                account(settings.run_event, accountant="gdp", **about).epsilon
            )
            assert found <= min(fine, coarse)
        else:
            assert fine < coarse
            assert found in (fine, coarse)
