"""Randomised response: its probabilities by brute force, its estimate and error, and what the page says of it."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpcore.check import RefusedError
from dpcore.parties.randomised_response import RandomisedResponse
from pages.mechanisms import words_local as say
from pages.mechanisms.experiment import MechanismsSettings
from pages.mechanisms.page import PAGE
from tests import attackers, reached
from tests.sentences import Rules, hold, plain

EVERY = [RandomisedResponse(epsilon=epsilon, options=options) for epsilon in (0.1, 1.0, 4.0) for options in (2, 3, 8)]
LOCAL = MechanismsSettings(answers="local")
ONCE = [
    LOCAL,
    LOCAL.change(epsilon=0.01),
    LOCAL.change(epsilon=0.5, true_share=0.01),
    LOCAL.change(epsilon=150.0, options=2),
    *(LOCAL.change(epsilon=one, respondents=10, options=2) for one in (1.0, 4.77)),
]


@pytest.mark.parametrize("one", EVERY)
def test_no_answer_is_more_likely_by_more_than_epsilon_and_one_is(one):
    rows = np.full((one.options, one.options), one.other) + np.eye(one.options) * (one.truthful - one.other)
    assert rows.sum(axis=1) == pytest.approx(1, rel=1e-12)
    worst = max(np.log(rows[a] / rows[b]).max() for a, b in itertools.permutations(range(one.options), 2))
    assert worst == pytest.approx(one.epsilon, rel=1e-12)
    assert one.event.epsilon == one.epsilon


@pytest.mark.parametrize("one", EVERY)
def test_answers_have_their_probabilities(one):
    truths = np.repeat(np.arange(one.options), 20_000)
    found = one.answers(truths, np.random.default_rng(1)).reshape(one.options, -1)
    expected = np.full(one.options, one.other) * 20_000
    for truth, row in enumerate(found):
        wanted = expected.copy()
        wanted[truth] = one.truthful * 20_000
        assert stats.chisquare(np.bincount(row, minlength=one.options), wanted).pvalue > 1e-4


def test_estimate_is_unbiased_and_its_error_is_that_of_the_formula():
    one, people = RandomisedResponse(epsilon=1.0, options=3), np.array([300, 500, 200])
    found = one.estimates(one.counts(people, np.random.default_rng(2), size=40_000))
    sds = [one.sd(1000, share=share) for share in people / 1000]
    assert found.mean(axis=0) == pytest.approx(people / 1000, abs=4 * max(sds) / 200)
    assert found.std(axis=0) == pytest.approx(sds, rel=0.02)
    assert found.sum(axis=1) == pytest.approx(1, rel=1e-9)
    naive = one.counts(people, np.random.default_rng(2), size=40_000).mean(axis=0) / 1000
    assert abs(naive[0] - 0.3) < abs(naive[1] - 0.5)  # the larger share is biased most
    assert abs(naive[1] - 0.5) > 0.05


def test_the_gap_to_a_curator_grows_with_the_root_of_the_people():
    few, many = (LOCAL.change(respondents=count).run() for count in (100, 10_000))
    gaps = [one.error() / one.central() for one in (few, many)]
    assert gaps[1] / gaps[0] == pytest.approx(10, rel=1e-9)


def test_bad_arguments_are_refused_by_name():
    for name, value in (("epsilon", 0), ("options", 1)):
        with pytest.raises(RefusedError, match=f"^{name} is "):
            RandomisedResponse(**{"epsilon": 1.0, "options": 2, name: value})
    with pytest.raises(RefusedError, match="^truths is "):
        RandomisedResponse(epsilon=1.0, options=2).answers(np.array([0, 2]), np.random.default_rng(0))


def words(result) -> str:
    parts = [say.verdict(result), *say.diagnostics(result), say.guarantee(result)]
    parts += [f"{one.label}: {one.value} ({one.note})." for one in say.numbers(result)]
    return " ".join([*parts, *(f"{name} finding: {text}." for name, text in say.findings(result).items())])


def told(shown: str) -> float:
    return float(shown.replace(",", ""))


RULES: Rules = {
    r"90 % error, points: ±([\d.,e+-]+)": lambda r, m: told(m[1]) == pytest.approx(100 * r.error(), rel=0.006),
    r"With a trusted curator: ±([\d.,e+-]+)": lambda r, m: told(m[1]) == pytest.approx(100 * r.central(), rel=0.006),
    r"([\d.,e+]+) times smaller": lambda r, m: told(m[1]) == pytest.approx(r.error() / r.central(), rel=0.006),
    r"about the same\)": lambda r, _: 0.95 <= r.error() / r.central() <= 1.05,
    r"([\d.,e+]+) times larger": lambda r, m: told(m[1]) == pytest.approx(r.central() / r.error(), rel=0.006),
    r"this survey learns nothing": lambda r, _: r.error() >= 0.5,
    r"cannot tell it from zero": lambda r, _: r.shares[0] <= r.error() < 0.5,
    r"finds a share of ([\d.]+) % within ([\d.,e+-]+) points": lambda r, m: (
        r.error() < r.shares[0] and abs(float(m[1]) - 100 * r.shares[0]) <= 0.05 + 1e-9
    ),
    r"needs ([\d,]+) (?:person|people)": lambda r, m: (
        r.central(told(m[1])) <= r.error() * (1 + 1e-9)
        and (told(m[1]) == 1 or r.central(told(m[1]) - 1) > r.error() * (1 - 1e-9))
    ),
    r"Truthful answers: (\d+) %": lambda r, m: abs(float(m[1]) - 100 * r.survey.mechanism.truthful) <= 0.5 + 1e-9,
}


def test_every_sentence_says_what_was_computed_and_every_text_is_reached():
    within = {"answers": ["local"], "epsilon": (0.01, 20.0), "respondents": [10, 1000, 100_000]}
    hold(
        MechanismsSettings,
        words,
        RULES,
        within=within,
        also=ONCE,
        count=40,
        seldom=attackers.rules(lambda r: r.guarantee),
    )
    for settings in ONCE:
        words(settings.run())
    page = PAGE.at(LOCAL)
    assert page.question == say.SAYS["page.question"]
    assert plain(page.lead(LOCAL))
    assert reached.unread(say.SAYS) == []


def test_best_attacker_of_two_answers_attains_the_bound():
    result = LOCAL.change(options=2).run()
    one = result.survey.mechanism
    assert attackers.right(result.guarantee.event, result.guarantee.adjacency) == pytest.approx(one.truthful, abs=1e-5)
    assert one.truthful == pytest.approx(math.exp(1.0) / (1 + math.exp(1.0)))
