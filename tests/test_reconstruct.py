"""Reconstruction from many noisy answers: the attacker against theory, their cost, and what the page says."""

import math

import numpy as np
import pytest
from scipy.optimize import lsq_linear

from dpcore.attacks import reconstruct
from dpcore.check import RefusedError
from dpcore.privacy import releases
from pages.mechanisms import words_many as say
from pages.mechanisms.experiment import MechanismsSettings
from pages.mechanisms.page import PAGE
from pages.mechanisms.reconstruction import PEOPLE
from tests import attackers, reached
from tests.sentences import Rules, hold, plain

MANY = MechanismsSettings(answers="many")
ONCE = [MANY.change(questions=m, noise_sd=sd) for m, sd in ((1, 50.0), (40, 0.1), (1000, 0.1), (600, 3.0), (400, 10.0))]


def share(questions: int, noise_sd: float, seeds: int = 20) -> float:
    """The mean share of bits recovered over seeds."""
    drawn = (reconstruct.Survey.drawn(PEOPLE, questions, seed=seed) for seed in range(seeds))
    return float(np.mean([one.right(questions, noise_sd=noise_sd) for one in drawn]))


def test_all_bits_are_recovered_without_noise_from_as_many_questions_as_people():
    assert share(4 * PEOPLE, 0.0) == share(PEOPLE, 0.0) == 1.0
    assert share(PEOPLE // 2, 0.0) < 0.95


@pytest.mark.parametrize(("noise_sd", "about"), [(10.0, 0.70), (20.0, 0.60)])
def test_noise_of_the_order_of_the_root_of_the_people_stops_four_questions_a_person(noise_sd, about):
    assert share(4 * PEOPLE, noise_sd) == pytest.approx(about, abs=0.03)


def test_more_questions_undo_any_fixed_noise():
    shares = [share(questions, 5.0) for questions in (50, 200, 1000)]
    assert shares == sorted(shares)
    assert shares[-1] > 0.9


@pytest.mark.parametrize(("questions", "noise_sd"), [(300, 3.0), (400, 10.0), (1000, 20.0)])
def test_formula_expects_what_unweighted_least_squares_recovers(questions, noise_sd):
    right = []
    for seed in range(20):
        one = reconstruct.Survey.drawn(PEOPLE, questions, seed=seed)
        answers = one.questions @ one.bits + noise_sd * one.noise
        right.append((lsq_linear(one.questions, answers).x > 0.5) == one.bits)
    assert np.mean(right) == pytest.approx(reconstruct.expected(PEOPLE, questions, noise_sd=noise_sd), abs=0.035)
    assert share(questions, noise_sd) >= np.mean(right) - 0.01  # knowing that bits are 0 or 1 does no harm


def test_no_persons_bit_changes_an_answer_by_more_than_one():
    one = reconstruct.Survey.drawn(8, 50, seed=3)
    for person in range(8):
        other = one.bits.copy()
        other[person] = 1 - other[person]
        assert np.abs(one.questions @ one.bits - one.questions @ other).max() <= 1
    ((release, count),) = releases(reconstruct.event(50, noise_sd=2.5)).items()
    assert (release.noise_multiplier, count) == (2.5, 50)


def test_longer_survey_begins_with_a_shorter_one_and_refuses_more_questions_than_it_has():
    short, long = (reconstruct.Survey.drawn(20, questions, seed=1) for questions in (30, 90))
    assert np.array_equal(short.right(30, noise_sd=2.0), long.right(30, noise_sd=2.0))
    with pytest.raises(RefusedError, match="questions"):
        short.right(31, noise_sd=2.0)
    assert math.isnan(reconstruct.expected(20, 20, noise_sd=1.0))


def words(result) -> str:
    parts = [say.verdict(result), *say.diagnostics(result), say.guarantee(result)]
    parts += [f"{one.label}: {one.value} ({one.note})." for one in say.numbers(result)]
    return " ".join([*parts, *(f"{name} finding: {text}." for name, text in say.findings(result).items())])


RULES: Rules = {
    r"Secrets recovered: (\d+) of 100": lambda r, m: int(m[1]) == r.right.sum(),
    r"All hundred secrets are recovered": lambda r, _: r.right.all(),
    r"(\d+) of 100 secrets are recovered": lambda r, m: 90 <= int(m[1]) == r.right.sum() < 100,
    r"secrets are guessed from .* more than by chance": lambda r, _: 58 < r.right.sum() < 90,
    r"no more than chance allows": lambda r, _: r.right.sum() <= 58,
    r"which is (\d+) % here": lambda r, m: abs(int(m[1]) - 100 * r.expected) <= 0.5,
    r"needs more questions than people": lambda r, _: r.settings.questions <= PEOPLE,
    r"curve finding: (\d+) % after": lambda r, m: abs(int(m[1]) - 100 * np.median(r.now)) <= 0.5 + 1e-9,
    r"between (\d+) % and (\d+) % are guessed": lambda r, m: (
        [int(m[1]), int(m[2])] == [round(100 * end) for end in (r.now.min(), r.now.max())]
    ),
    r"Epsilon of all answers: ([\d.,e+]+)": lambda r, m: (
        float(m[1].replace(",", "")) == pytest.approx(r.guarantee.epsilon, rel=0.006)
    ),
}


def test_every_sentence_says_what_was_computed_and_every_text_is_reached():
    within = {"answers": ["many"], "seed": [4, 5], "questions": [1, 20, 100, 101, 500, 1000]}
    seldom = attackers.rules(lambda r: r.guarantee)
    hold(MechanismsSettings, words, RULES, within=within, also=ONCE, count=30, seldom=seldom)
    for settings in ONCE:
        words(settings.run())
    page = PAGE.at(MANY)
    assert page.question == say.SAYS["page.question"]
    assert plain(page.lead(MANY))
    assert reached.unread(say.SAYS) == []


def test_attacker_stays_below_the_bound_of_the_noise():
    """One bit is guessed no better than the best attacker of all answers, whose prior is a coin."""
    for settings in ONCE:
        result = settings.run()
        errors = 3 * math.sqrt(0.25 / (PEOPLE * len(result.now)))
        assert result.now.mean() <= attackers.right(result.guarantee.event, result.guarantee.adjacency) + errors
