"""Many answers and the local model: reconstruction, randomised response, and their texts."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import lsq_linear

from dpcore.check import RefusedError
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.privacy import releases
from pages.mechanisms.local_model import texts as local_texts
from pages.mechanisms.many_answers import reconstruction
from pages.mechanisms.many_answers import texts as many_texts
from pages.mechanisms.many_answers.tasks import PEOPLE
from pages.mechanisms.page import PAGE
from pages.mechanisms.settings import MechanismsSettings
from tests import attackers, reached
from tests.sentences import Rules, amount, counts, hold, percent, plain, says, tiles

# The same formula in double precision.
ROUNDING = 1e-9
# The deviation of so many surveys scatters by less.
CHANCE = 0.02
# Accuracies of attackers are computed to so many digits.
SEARCH_ERROR = 1e-5
# The share of recovered bits scatters by less over so many seeds.
CHANCE_OF_A_SHARE = 0.035

RESPONSES = [
    RandomisedResponse(epsilon=epsilon, options=options)
    for epsilon in (0.1, 1.0, 4.0)
    for options in (2, 3, 8)
]
LOCAL = MechanismsSettings(answers="local")
MANY = MechanismsSettings(answers="many")
# Settings with the texts that random ones seldom have.
LOCAL_ALSO = [
    LOCAL,
    LOCAL.change(epsilon=0.01),
    LOCAL.change(epsilon=0.5, true_share=0.01),
    LOCAL.change(epsilon=1.0, respondents=10, options=2),
    LOCAL.change(epsilon=4.77, respondents=10, options=2),
    LOCAL.change(epsilon=150.0, options=2),
]
MANY_ALSO = [
    MANY.change(questions=1, noise_sd=50.0),
    MANY.change(questions=40, noise_sd=0.1),
    MANY.change(questions=1000, noise_sd=0.1),
    MANY.change(questions=600, noise_sd=3.0),
    MANY.change(questions=400, noise_sd=10.0),
]


# Randomised response


def answer_probabilities(response: RandomisedResponse) -> np.ndarray:
    """Return the probability (k, k) of each answer, by the true one."""
    others = np.full((response.options, response.options), response.other_probability)
    difference = response.truth_probability - response.other_probability
    return others + np.eye(response.options) * difference


@pytest.mark.parametrize("response", RESPONSES, ids=str)
def test_the_probabilities_of_answers_differ_by_epsilon(response):
    rows = answer_probabilities(response)

    largest = 0.0
    for a, b in itertools.permutations(range(response.options), 2):
        largest = max(largest, np.log(rows[a] / rows[b]).max())

    assert largest == pytest.approx(response.epsilon, rel=ROUNDING)


@pytest.mark.parametrize("response", RESPONSES, ids=str)
def test_the_probabilities_of_answers_sum_to_one(response):
    assert answer_probabilities(response).sum(axis=1) == pytest.approx(1, rel=ROUNDING)


@pytest.mark.parametrize("response", RESPONSES, ids=str)
def test_the_event_costs_the_epsilon_of_the_mechanism(response):
    assert response.event.epsilon == pytest.approx(response.epsilon, rel=ROUNDING)


@pytest.mark.parametrize("response", RESPONSES, ids=str)
def test_answers_have_their_probabilities(response):
    people = 20_000
    truths = np.repeat(np.arange(response.options), people)

    answers = response.answers(truths, np.random.default_rng(1)).reshape(response.options, -1)

    for given, probabilities in zip(answers, answer_probabilities(response), strict=True):
        found = np.bincount(given, minlength=response.options)
        assert stats.chisquare(found, people * probabilities).pvalue > 1e-4


SURVEYED = np.array([300, 500, 200])
SURVEYS = 40_000
SURVEY_RESPONSE = RandomisedResponse(epsilon=1.0, options=3)


@cache
def survey_estimates() -> np.ndarray:
    """Return the estimated shares of a thousand people in many surveys."""
    generator = np.random.default_rng(2)
    answers = SURVEY_RESPONSE.counts(SURVEYED, generator, size=SURVEYS)
    return SURVEY_RESPONSE.estimates(answers)


def survey_sds() -> list[float]:
    """Return the stated standard deviation of each estimated share of a thousand people."""
    return [SURVEY_RESPONSE.sd(1000, share=share) for share in SURVEYED / 1000]


def test_estimates_are_unbiased():
    tolerance = 4 * max(survey_sds()) / math.sqrt(SURVEYS)

    assert survey_estimates().mean(axis=0) == pytest.approx(SURVEYED / 1000, abs=tolerance)


def test_estimates_have_the_stated_error():
    assert survey_estimates().std(axis=0) == pytest.approx(survey_sds(), rel=CHANCE)


def test_estimates_are_shares_of_one():
    assert survey_estimates().sum(axis=1) == pytest.approx(1, rel=ROUNDING)


def test_the_advantage_of_a_curator_grows_with_the_root_of_the_people():
    few = LOCAL.change(respondents=100).experiment.run()
    many = LOCAL.change(respondents=10_000).experiment.run()

    few_ratio = few.error / few.central_error
    many_ratio = many.error / many.central_error

    assert many_ratio / few_ratio == pytest.approx(10, rel=ROUNDING)


@pytest.mark.parametrize("argument", ["epsilon", "options"])
def test_invalid_arguments_are_refused_by_name(argument):
    arguments = {"epsilon": 1.0, "options": 2, argument: 0}

    with pytest.raises(RefusedError, match=f"^{argument} is "):
        RandomisedResponse(**arguments)


def test_a_single_option_is_refused():
    with pytest.raises(RefusedError, match="^options is "):
        RandomisedResponse(epsilon=1.0, options=1)


def test_an_unknown_answer_is_refused():
    response = RandomisedResponse(epsilon=1.0, options=2)

    with pytest.raises(RefusedError, match="^truths is "):
        response.answers(np.array([0, 2]), np.random.default_rng(0))


def test_two_answers_attain_the_bound_on_attackers():
    result = LOCAL.change(options=2).experiment.run()

    bound = attackers.right(result.guarantee.event, result.guarantee.adjacency)

    assert bound == pytest.approx(result.survey.mechanism.truth_probability, abs=SEARCH_ERROR)


# Reconstruction


def recovered_share(questions: int, noise_sd: float, seeds: int = 20) -> float:
    """Return the share of secret bits that so many answers reveal, as a mean over seeds."""
    shares = []
    for seed in range(seeds):
        survey = reconstruction.Survey.draw(PEOPLE, questions, seed=seed)
        shares.append(survey.recovered(questions, noise_sd=noise_sd).mean())
    return float(np.mean(shares))


@pytest.mark.parametrize("questions", [PEOPLE, 4 * PEOPLE])
def test_all_bits_are_recovered_without_noise_from_enough_questions(questions):
    assert recovered_share(questions, 0.0) == 1.0


def test_fewer_questions_than_people_leave_bits_unknown():
    assert recovered_share(PEOPLE // 2, 0.0) < 0.95


def test_more_questions_undo_the_noise():
    few, more, many = (recovered_share(questions, 5.0) for questions in (50, 200, 1000))

    assert few <= more <= many
    assert many > 0.9


@cache
def least_squares_share(questions: int, noise_sd: float) -> float:
    """Return the share of bits that unweighted least squares recovers, by another library."""
    shares = []
    for seed in range(20):
        survey = reconstruction.Survey.draw(PEOPLE, questions, seed=seed)
        answers = survey.questions @ survey.bits + noise_sd * survey.noise
        estimates = lsq_linear(survey.questions, answers).x
        shares.append(((estimates > 0.5) == survey.bits).mean())
    return float(np.mean(shares))


MORE_QUESTIONS_THAN_PEOPLE = [(300, 3.0), (400, 10.0), (1000, 20.0)]


@pytest.mark.parametrize(("questions", "noise_sd"), MORE_QUESTIONS_THAN_PEOPLE)
def test_the_formula_expects_what_least_squares_recovers(questions, noise_sd):
    expected = reconstruction.expected_share(PEOPLE, questions, noise_sd=noise_sd)

    assert least_squares_share(questions, noise_sd) == pytest.approx(
        expected, abs=CHANCE_OF_A_SHARE
    )


@pytest.mark.parametrize(("questions", "noise_sd"), MORE_QUESTIONS_THAN_PEOPLE)
def test_the_attacker_recovers_no_less_than_least_squares(questions, noise_sd):
    """The attacker also knows that bits are 0 or 1."""
    share = recovered_share(questions, noise_sd)

    assert share >= least_squares_share(questions, noise_sd) - 0.01


def test_the_formula_needs_more_questions_than_people():
    assert reconstruction.expected_share(20, 20, noise_sd=1.0) is None


@pytest.mark.parametrize("person", range(8))
def test_a_bit_changes_each_answer_by_at_most_one(person):
    survey = reconstruction.Survey.draw(8, 50, seed=3)
    other_bits = np.where(np.arange(8) == person, 1 - survey.bits, survey.bits)

    changes = survey.questions @ survey.bits - survey.questions @ other_bits

    assert np.abs(changes).max() <= 1


def test_the_event_has_a_release_per_answer():
    ((release, count),) = releases(reconstruction.event(50, noise_sd=2.5)).items()

    assert release.noise_multiplier == 2.5
    assert count == 50


def test_a_longer_survey_begins_with_a_shorter_one():
    short = reconstruction.Survey.draw(20, 30, seed=1)
    long = reconstruction.Survey.draw(20, 90, seed=1)

    from_short = short.recovered(30, noise_sd=2.0)
    from_long = long.recovered(30, noise_sd=2.0)

    assert np.array_equal(from_short, from_long)


@pytest.mark.parametrize("settings", MANY_ALSO, ids=str)
def test_the_attacker_stays_below_the_bound_of_the_noise(settings):
    """One bit is guessed no better than by the best attacker of all answers with prior 1/2."""
    result = settings.experiment.run()

    bound = attackers.right(result.guarantee.event, result.guarantee.adjacency)

    three_errors = 3 * math.sqrt(0.25 / (PEOPLE * len(result.runs)))
    assert result.runs.mean() <= bound + three_errors


# Texts


def stated_error(result) -> float:
    """Return the error in points with one decimal, or with two digits if that would be 0."""
    error = 100 * result.error
    if error >= 0.1:
        return float(f"{error:.1f}")
    return float(f"{error:.2g}")


def states_error(result, match) -> bool:
    """Return whether the number is the error as the page writes it."""
    return amount(match[1]) == stated_error(result)


def states_curator_people(result, match) -> bool:
    """Return whether a curator has at most the error of the survey with so many people, and not
    less.
    """
    people = amount(match[1])
    is_enough = result.central_error_of(people) <= result.error * (1 + 1e-9)
    if people == 1:
        return is_enough
    one_less = result.central_error_of(people - 1)
    return is_enough and one_less > result.error * (1 - 1e-9)


LOCAL_RULES: Rules = {
    r"90 % error, points: ±([\d.,e+-]+)": states_error,
    r"finds a share of [\d.]+ % within ([\d.e-]+) points": states_error,
    r"With a trusted curator: ±([\d.,e+-]+)": says(lambda r: 100 * r.central_error),
    r"([\d.,e+]+) times smaller": says(lambda r: r.error / r.central_error),
    r"about the same\)": lambda r, _: 0.95 <= r.error / r.central_error <= 1.05,
    r"([\d.,e+]+) times larger": says(lambda r: r.central_error / r.error),
    r"this survey learns nothing": lambda r, _: r.error >= 0.5,
    r"cannot tell it from zero": lambda r, _: r.shares[0] <= r.error < 0.5,
    r"finds a share of ([\d.]+) % within": says(
        lambda r: 100 * r.shares[0], given=lambda r: r.error < r.shares[0], within=0.051
    ),
    r"needs ([\d,]+) (?:person|people)": states_curator_people,
    r"Truthful answers: (\d+) %": percent(lambda r: r.survey.mechanism.truth_probability),
}
MANY_RULES: Rules = {
    r"Secrets recovered: (\d+) of 100": counts(lambda r: r.is_right.sum()),
    r"(\d+) of 100 secrets are recovered": counts(
        lambda r: r.is_right.sum(), given=lambda r: r.is_right.sum() >= 90
    ),
    r"secrets are guessed from .* more than by chance": lambda r, _: 58 < r.is_right.sum() < 90,
    r"no more than chance allows": lambda r, _: r.is_right.sum() <= 58,
    r"which is (\d+) % here": percent(
        lambda r: reconstruction.expected_share(
            PEOPLE, r.settings.questions, noise_sd=r.settings.noise_sd
        )
    ),
    r"needs more questions than people": lambda r, _: r.settings.questions <= PEOPLE,
    r"Finding: (\d+) % after": percent(lambda r: np.median(r.runs)),
    r"Epsilon of all answers: ([\d.,e+]+)": says(lambda r: r.guarantee.epsilon),
}
LOCAL_LIMITS = {
    "answers": ["local"],
    "epsilon": (0.01, 20.0),
    "respondents": [10, 1000, 100_000],
}
MANY_LIMITS = {"answers": ["many"], "seed": [4, 5], "questions": [1, 20, 100, 101, 500, 1000]}


def many_findings(result) -> list[str]:
    """Return the findings of both charts of many answers."""
    return [many_texts.people_finding(result), many_texts.curve_finding(result)]


def local_findings(result) -> list[str]:
    """Return the findings of both charts of the local model."""
    return [local_texts.shares_finding(result), local_texts.errors_finding(result)]


def all_texts(module, findings):
    """Return a function that returns all texts of a result."""

    def of_result(result) -> str:
        """Return all texts of a result."""
        parts = [
            module.verdict(result),
            *module.diagnostics(result),
            module.guarantee(result),
            *tiles(module.numbers(result)),
            *[f"Finding: {finding}." for finding in findings(result)],
        ]
        return " ".join(parts)

    return of_result


TOPICS = [
    pytest.param(local_texts, local_findings, LOCAL_ALSO, id="local"),
    pytest.param(many_texts, many_findings, MANY_ALSO, id="many"),
]


@pytest.mark.parametrize(
    ("module", "findings", "rules", "also", "limits"),
    [
        pytest.param(
            local_texts, local_findings, LOCAL_RULES, LOCAL_ALSO, LOCAL_LIMITS, id="local"
        ),
        pytest.param(many_texts, many_findings, MANY_RULES, MANY_ALSO, MANY_LIMITS, id="many"),
    ],
)
def test_texts_state_what_was_computed(module, findings, rules, also, limits):
    hold(
        MechanismsSettings,
        all_texts(module, findings),
        rules,
        within=limits,
        also=also,
        count=40,
        seldom=attackers.rules(lambda result: result.guarantee),
    )


@pytest.mark.parametrize(
    ("settings", "module"),
    [pytest.param(LOCAL, local_texts, id="local"), pytest.param(MANY, many_texts, id="many")],
)
def test_the_page_has_the_question_and_the_introduction_of_its_release(settings, module):
    page = PAGE.at(settings)

    assert page.info.question == module.SAYS["page.question"]
    assert plain(page.content.lead(settings))


@pytest.mark.parametrize(("module", "findings", "also"), TOPICS)
def test_every_text_is_reached(module, findings, also):
    for settings in also:
        all_texts(module, findings)(settings.experiment.run())

    assert reached.unread(module.SAYS) == []
