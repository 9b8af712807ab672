"""Surveys: randomised response by brute force, reconstruction from many answers, and what the page
says of both.
"""

import itertools
import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import lsq_linear

from dpcore.check import RefusedError
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.privacy import releases
from pages.mechanisms.experiment import MechanismsSettings
from pages.mechanisms.local_model import texts as words_local
from pages.mechanisms.many_answers import reconstruction
from pages.mechanisms.many_answers import texts as words_many
from pages.mechanisms.many_answers.tasks import PEOPLE
from pages.mechanisms.page import PAGE
from tests import attackers, reached
from tests.sentences import Rules, amount, counts, hold, percent, plain, says

EVERY = [
    RandomisedResponse(epsilon=epsilon, options=options)
    for epsilon in (0.1, 1.0, 4.0)
    for options in (2, 3, 8)
]
LOCAL, MANY = MechanismsSettings(answers="local"), MechanismsSettings(answers="many")
LOCAL_ONCE = [LOCAL, LOCAL.change(epsilon=0.01), LOCAL.change(epsilon=0.5, true_share=0.01)]
LOCAL_ONCE += [LOCAL.change(epsilon=one, respondents=10, options=2) for one in (1.0, 4.77)]
LOCAL_ONCE += [LOCAL.change(epsilon=150.0, options=2)]
WAYS = ((1, 50.0), (40, 0.1), (1000, 0.1), (600, 3.0), (400, 10.0))
MANY_ONCE = [MANY.change(questions=questions, noise_sd=noise_sd) for questions, noise_sd in WAYS]


@pytest.mark.parametrize("one", EVERY)
def test_answers_have_their_probabilities_which_differ_by_epsilon_at_most(one):
    rows = np.full((one.options, one.options), one.other_probability) + np.eye(one.options) * (
        one.truth_probability - one.other_probability
    )
    assert rows.sum(axis=1) == pytest.approx(1, rel=1e-12)
    worst = max(
        np.log(rows[a] / rows[b]).max() for a, b in itertools.permutations(range(one.options), 2)
    )
    assert [worst, one.event.epsilon] == pytest.approx([one.epsilon] * 2, rel=1e-12)
    truths = np.repeat(np.arange(one.options), 20_000)
    found = one.answers(truths, np.random.default_rng(1)).reshape(one.options, -1)
    for said, wanted in zip(found, rows * 20_000, strict=True):
        assert stats.chisquare(np.bincount(said, minlength=one.options), wanted).pvalue > 1e-4


def test_estimate_is_unbiased_and_its_error_is_that_of_the_formula():
    one, people = RandomisedResponse(epsilon=1.0, options=3), np.array([300, 500, 200])
    found = one.estimates(one.counts(people, np.random.default_rng(2), size=40_000))
    sds = [one.sd(1000, share=share) for share in people / 1000]
    assert found.mean(axis=0) == pytest.approx(people / 1000, abs=4 * max(sds) / 200)
    assert found.std(axis=0) == pytest.approx(sds, rel=0.02)
    assert found.sum(axis=1) == pytest.approx(1, rel=1e-9)
    few, many = (LOCAL.change(respondents=count).run() for count in (100, 10_000))
    gaps = [one.error() / one.central() for one in (few, many)]
    assert gaps[1] / gaps[0] == pytest.approx(10, rel=1e-9)  # the root of the people


def test_bad_arguments_are_refused_and_two_answers_attain_the_bound():
    for name, value in (("epsilon", 0), ("options", 1)):
        with pytest.raises(RefusedError, match=f"^{name} is "):
            RandomisedResponse(**{"epsilon": 1.0, "options": 2, name: value})
    with pytest.raises(RefusedError, match="^truths is "):
        RandomisedResponse(epsilon=1.0, options=2).answers(
            np.array([0, 2]), np.random.default_rng(0)
        )
    result = LOCAL.change(options=2).run()
    found = attackers.right(result.guarantee.event, result.guarantee.adjacency)
    assert found == pytest.approx(result.survey.mechanism.truth_probability, abs=1e-5)


def share(questions: int, noise_sd: float, seeds: int = 20) -> float:
    drawn = (reconstruction.Survey.draw(PEOPLE, questions, seed=seed) for seed in range(seeds))
    return float(np.mean([one.recovered(questions, noise_sd=noise_sd) for one in drawn]))


def test_bits_are_recovered_without_noise_and_by_more_questions_with_it():
    assert share(4 * PEOPLE, 0.0) == share(PEOPLE, 0.0) == 1.0
    assert share(PEOPLE // 2, 0.0) < 0.95
    shares = [share(questions, 5.0) for questions in (50, 200, 1000)]
    assert shares == sorted(shares)
    assert shares[-1] > 0.9


@pytest.mark.parametrize(("questions", "noise_sd"), [(300, 3.0), (400, 10.0), (1000, 20.0)])
def test_formula_expects_what_unweighted_least_squares_recovers(questions, noise_sd):
    right = []
    for seed in range(20):
        one = reconstruction.Survey.draw(PEOPLE, questions, seed=seed)
        answers = one.questions @ one.bits + noise_sd * one.noise
        right.append((lsq_linear(one.questions, answers).x > 0.5) == one.bits)
    assert np.mean(right) == pytest.approx(
        reconstruction.expected_share(PEOPLE, questions, noise_sd=noise_sd), abs=0.035
    )
    assert (
        share(questions, noise_sd) >= np.mean(right) - 0.01
    )  # knowing that bits are 0 or 1 does no harm


def test_no_bit_changes_an_answer_by_more_than_one_and_more_questions_go_on():
    one = reconstruction.Survey.draw(8, 50, seed=3)
    for person in range(8):
        other = np.where(np.arange(8) == person, 1 - one.bits, one.bits)
        assert np.abs(one.questions @ one.bits - one.questions @ other).max() <= 1
    ((release, count),) = releases(reconstruction.event(50, noise_sd=2.5)).items()
    assert (release.noise_multiplier, count) == (2.5, 50)
    short, long = (reconstruction.Survey.draw(20, questions, seed=1) for questions in (30, 90))
    assert np.array_equal(short.recovered(30, noise_sd=2.0), long.recovered(30, noise_sd=2.0))
    with pytest.raises(RefusedError, match="questions"):
        short.recovered(31, noise_sd=2.0)
    assert math.isnan(reconstruction.expected_share(20, 20, noise_sd=1.0))


def test_attacker_stays_below_the_bound_of_the_noise():
    """One bit is guessed no better than the best attacker of all answers, whose prior is a coin."""
    for result in (settings.run() for settings in MANY_ONCE):
        errors = 3 * math.sqrt(0.25 / (PEOPLE * len(result.now)))
        assert (
            result.now.mean()
            <= attackers.right(result.guarantee.event, result.guarantee.adjacency) + errors
        )


def decimal(result) -> float:
    """The error in points, with the one decimal of the share beside it; with two digits where that
    would be none.
    """
    error = 100 * result.error()
    return float(f"{error:.1f}" if error >= 0.1 else f"{error:.2g}")


OF_LOCAL: Rules = {
    r"90 % error, points: ±([\d.,e+-]+)": lambda r, m: amount(m[1]) == decimal(r),
    r"finds a share of [\d.]+ % within ([\d.e-]+) points": lambda r, m: amount(m[1]) == decimal(r),
    r"With a trusted curator: ±([\d.,e+-]+)": says(lambda r: 100 * r.central()),
    r"([\d.,e+]+) times smaller": says(lambda r: r.error() / r.central()),
    r"about the same\)": lambda r, _: 0.95 <= r.error() / r.central() <= 1.05,
    r"([\d.,e+]+) times larger": says(lambda r: r.central() / r.error()),
    r"this survey learns nothing": lambda r, _: r.error() >= 0.5,
    r"cannot tell it from zero": lambda r, _: r.shares[0] <= r.error() < 0.5,
    r"finds a share of ([\d.]+) % within": says(
        lambda r: 100 * r.shares[0], given=lambda r: r.error() < r.shares[0], within=0.051
    ),
    r"needs ([\d,]+) (?:person|people)": lambda r, m: (
        r.central(amount(m[1])) <= r.error() * (1 + 1e-9)
        and (amount(m[1]) == 1 or r.central(amount(m[1]) - 1) > r.error() * (1 - 1e-9))
    ),
    r"Truthful answers: (\d+) %": percent(lambda r: r.survey.mechanism.truth_probability),
}
OF_MANY: Rules = {
    r"Secrets recovered: (\d+) of 100": counts(lambda r: r.right.sum()),
    r"All hundred secrets are recovered": lambda r, _: r.right.all(),
    r"(\d+) of 100 secrets are recovered": counts(
        lambda r: r.right.sum(), given=lambda r: 90 <= r.right.sum() < 100
    ),
    r"secrets are guessed from .* more than by chance": lambda r, _: 58 < r.right.sum() < 90,
    r"no more than chance allows": lambda r, _: r.right.sum() <= 58,
    r"which is (\d+) % here": percent(lambda r: r.expected),
    r"needs more questions than people": lambda r, _: r.settings.questions <= PEOPLE,
    r"curve finding: (\d+) % after": percent(lambda r: np.median(r.now)),
    r"Epsilon of all answers: ([\d.,e+]+)": says(lambda r: r.guarantee.epsilon),
}
WITHIN_LOCAL = {"epsilon": (0.01, 20.0), "respondents": [10, 1000, 100_000]}
WITHIN_MANY = {"seed": [4, 5], "questions": [1, 20, 100, 101, 500, 1000]}


@pytest.mark.parametrize(
    ("say", "rules", "once", "within"),
    [
        (words_local, OF_LOCAL, LOCAL_ONCE, WITHIN_LOCAL),
        (words_many, OF_MANY, MANY_ONCE, WITHIN_MANY),
    ],
    ids=["local", "many"],
)
def test_every_sentence_says_what_was_computed_and_every_text_is_reached(say, rules, once, within):
    def words(result) -> str:
        parts = [say.verdict(result), *say.diagnostics(result), say.guarantee(result)]
        parts += [f"{one.label}: {one.value} ({one.note})." for one in say.numbers(result)]
        return " ".join(
            [*parts, *(f"{name} finding: {text}." for name, text in say.findings(result).items())]
        )

    within, seldom = (
        {"answers": [once[0].answers], **within},
        attackers.rules(lambda r: r.guarantee),
    )
    hold(MechanismsSettings, words, rules, within=within, also=once, count=40, seldom=seldom)
    page = PAGE.at(once[0])
    assert page.question == say.SAYS["page.question"]
    assert plain(page.lead(once[0]))
    assert reached.unread(say.SAYS) == []
