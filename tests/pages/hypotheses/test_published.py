"""The published sizes of hypothesis transfer [wang2019], and its orderings of methods."""

import math

import numpy as np
import pytest

from dpcore.cache import sizes
from dpcore.parties import source_releases
from dpcore.parties.source_releases import Budget
from lab.statistics.claims import trailing_start
from pages.hypotheses import charts
from pages.hypotheses.result import HypothesesResult
from pages.hypotheses.settings import HypothesesSettings
from pages.hypotheses.tasks import EPSILONS, METHODS, Outcome, fit_sources
from tests.pages.hypotheses.paper_sizes import REVIEWS, TOPICS
from tests.sentences import first

# Published sizes of the noise have three digits.
PUBLISHED_DIGITS = 0.005
# The mean over so many draws scatters by less.
CHANCE = 0.05

DATA = {"topics": TOPICS, "reviews": REVIEWS}
# Repeats of the result with all words, the fewest that can show a difference at 95 %.
REPEATS = 6
TOPICS_AND_REVIEWS = ["topics", pytest.param("reviews", marks=pytest.mark.soak)]


# Size of the noise


def sized(data: str, **changes) -> HypothesesSettings:
    """Return the settings of the paper's sizes with changes."""
    return HypothesesSettings().change(**DATA[data]).change(**changes)


@pytest.mark.parametrize(
    ("data", "noise", "sd"),
    [
        pytest.param("topics", "exponential", 62.3, id="topics, the paper's noise"),
        pytest.param("topics", "gaussian", 3.11, id="topics, Gaussian noise"),
        pytest.param("reviews", "exponential", 21.8, id="reviews, the paper's noise"),
        pytest.param("reviews", "gaussian", 1.49, id="reviews, Gaussian noise"),
    ],
)
def test_noise_on_a_margin_has_the_papers_size(data, noise, sd):
    settings = sized(data, repeats=2)
    features = settings.source_training.data.features
    sensitivity = source_releases.hypothesis_sensitivity(settings.source_rows, settings.lambda_lr)

    noise_sd = Budget(epsilon=1.0, noise=noise).coordinate_sd(sensitivity, dimension=features)

    assert noise_sd == pytest.approx(sd, rel=PUBLISHED_DIGITS)


@pytest.mark.parametrize(
    ("data", "sd"),
    [
        pytest.param("topics", 149.5, id="topics"),
        pytest.param("reviews", 109.0, id="reviews"),
    ],
)
def test_noise_on_a_log_weight_has_the_papers_size(data, sd):
    settings = sized(data, repeats=2)
    features = settings.source_training.data.features
    sensitivity = source_releases.tilt_sensitivity(settings.unlabelled_rows, settings.lambda_iw)
    budget = Budget(epsilon=1.0, noise="exponential")

    noise_sd = budget.coordinate_sd(sensitivity, dimension=features)

    assert noise_sd == pytest.approx(sd, rel=PUBLISHED_DIGITS)


@pytest.mark.parametrize(
    ("data", "margin"),
    [
        pytest.param("topics", 62.3, id="topics"),
        pytest.param("reviews", 21.8, id="reviews"),
    ],
)
def test_margins_of_released_hypotheses_have_the_noise_of_the_formula(data, margin):
    settings = sized(data, epsilon=1.0, repeats=2)

    outcome = settings.experiment.outcome.tasks[0].run()

    assert outcome.margin_noise.mean() == pytest.approx(margin, rel=CHANCE)


# Orderings of the methods on generated domains


def medians_at(epsilon: float, **changes) -> dict[str, float]:
    """Return the median accuracy of each method, and the median error of the weights."""
    settings = HypothesesSettings().change(**changes)
    tasks = settings.experiment.repeats_at(epsilon).tasks
    outcome = Outcome.concatenate([task.run() for task in tasks])
    error = ((outcome.weights - np.array(settings.shares)) ** 2).mean(axis=1)
    medians = dict(zip(METHODS, np.median(outcome.accuracy, axis=0), strict=True))
    medians["error"] = np.median(error)
    return medians


@pytest.fixture(scope="module")
def by_epsilon() -> dict[float, dict[str, float]]:
    """Return epsilon -> medians of the methods, with no noise at the infinite one."""
    return {epsilon: medians_at(epsilon) for epsilon in (0.1, 1.0, 3.0, 10.0, math.inf)}


@pytest.mark.parametrize("epsilon", [0.1, 1.0])
def test_transfer_is_below_the_few_labels_at_a_small_epsilon(by_epsilon, epsilon):
    medians = by_epsilon[epsilon]

    assert medians["transfer"] < medians["few_labels"]


@pytest.mark.parametrize("other", ["best_source", "equal_weights", "soft_labels", "few_labels"])
def test_transfer_leads_at_epsilon_10(by_epsilon, other):
    medians = by_epsilon[10.0]

    assert medians["transfer"] > medians[other] + 0.008


def test_all_labels_do_better_than_transfer_at_epsilon_10(by_epsilon):
    medians = by_epsilon[10.0]

    assert medians["all_labels"] > medians["transfer"]


def test_transfer_without_noise_is_near_to_all_labels(by_epsilon):
    medians = by_epsilon[math.inf]

    assert medians["all_labels"] - medians["transfer"] < 0.025
    assert medians["transfer"] > medians["equal_weights"] + 0.01
    assert medians["equal_weights"] > medians["soft_labels"]


def test_the_error_of_the_weights_falls_with_epsilon(by_epsilon):
    small, medium, noiseless = (by_epsilon[epsilon]["error"] for epsilon in (0.1, 10.0, math.inf))

    assert small > 5 * medium
    assert 5 * medium > 10 * noiseless
    assert noiseless < 1e-3


@pytest.fixture(scope="module")
def with_objective_noise() -> dict[str, float]:
    """Return the medians of the methods at epsilon 3 with noise in the objective."""
    return medians_at(3.0, noise="objective")


def test_noise_in_the_objective_makes_the_weights_precise(by_epsilon, with_objective_noise):
    assert with_objective_noise["error"] < 1e-3 < 0.02 < by_epsilon[3.0]["error"]


def test_noise_in_the_objective_costs_less_accuracy(by_epsilon, with_objective_noise):
    assert with_objective_noise["transfer"] > by_epsilon[3.0]["transfer"] + 0.015


@pytest.mark.parametrize("other", ["equal_weights", "soft_labels", "best_source", "few_labels"])
def test_transfer_leads_with_noise_in_the_objective(with_objective_noise, other):
    assert with_objective_noise["transfer"] > with_objective_noise[other] + 0.008


# All words


@pytest.fixture(scope="module", params=TOPICS_AND_REVIEWS)
def data(request) -> str:
    """Return the name of data with all words."""
    return request.param


def over_epsilon(data: str, noise: str) -> HypothesesResult:
    """Return a result with all runs over epsilon, at the paper's sizes."""
    settings = sized(data, repeats=REPEATS, noise=noise)
    experiment = settings.experiment
    tasks = (
        *experiment.outcome.tasks,
        *experiment.without_noise.tasks,
        *experiment.over_epsilon.tasks,
    )
    return first(settings, tasks)


@pytest.fixture(scope="module")
def with_the_papers_noise(data) -> HypothesesResult:
    """Return the result over epsilon with the paper's noise."""
    return over_epsilon(data, "exponential")


@pytest.fixture(scope="module")
def with_gaussian_noise(data) -> HypothesesResult:
    """Return the result over epsilon with Gaussian noise."""
    return over_epsilon(data, "gaussian")


def helps_from(result: HypothesesResult) -> float:
    """Return the epsilon from which on transfer is shown to help."""
    cases = [result.cases_by_epsilon[epsilon] for epsilon in EPSILONS]
    return EPSILONS[trailing_start(cases)]


def medians_over_epsilon(result: HypothesesResult) -> list[float]:
    """Return the median accuracy of transfer at each epsilon."""
    return np.median(result.curve("transfer").runs, axis=1).tolist()


def test_the_papers_noise_needs_an_epsilon_of_hundreds(with_the_papers_noise):
    assert helps_from(with_the_papers_noise) in (100, 300)


def test_gaussian_noise_needs_an_epsilon_of_ten(with_gaussian_noise):
    assert helps_from(with_gaussian_noise) in (10, 30)


def near_from(result: HypothesesResult) -> float:
    """Return the first epsilon at which accuracy is within 10 points of that without noise."""
    noiseless = result.accuracy_without_noise
    is_near = np.array(medians_over_epsilon(result)) > noiseless - 0.1
    return EPSILONS[int(np.argmax(is_near))]


def test_accuracy_is_near_to_that_without_noise_from_epsilon_300(with_the_papers_noise):
    assert near_from(with_the_papers_noise) == 300


def test_accuracy_with_gaussian_noise_is_near_from_epsilon_30(with_gaussian_noise):
    assert near_from(with_gaussian_noise) == 30


def test_accuracy_is_low_with_the_papers_noise_at_medium_epsilons(with_the_papers_noise):
    noiseless = with_the_papers_noise.accuracy_without_noise

    medians = medians_over_epsilon(with_the_papers_noise)

    assert medians[EPSILONS.index(30)] < noiseless - 0.2
    assert medians[EPSILONS.index(10)] < np.median(with_the_papers_noise.accuracy["few_labels"])


@pytest.mark.parametrize(
    ("epsilon", "least_gain", "most_gain"),
    [
        pytest.param(10, 0.15, 1.0, id="few directions learn from epsilon 10"),
        pytest.param(1000, -1.0, -0.02, id="and are behind at last"),
    ],
)
def test_few_public_directions_are_ahead_at_a_small_epsilon_and_behind_at_a_large_one(
    data, with_the_papers_noise, epsilon, least_gain, most_gain
):
    few_directions = sized(data, repeats=REPEATS, projection="svd", dimension=20)
    tasks = few_directions.experiment.repeats_at(epsilon).tasks
    few = np.median(Outcome.concatenate([task.run() for task in tasks]).accuracy_of("transfer"))

    all_words = medians_over_epsilon(with_the_papers_noise)[EPSILONS.index(epsilon)]

    assert least_gain < few - all_words < most_gain


def test_the_chart_names_the_epsilon_from_which_all_words_help(with_gaussian_noise):
    title = charts.accuracy(with_gaussian_noise)["layout"]["title"]["text"]

    assert f"transfer helps from epsilon {helps_from(with_gaussian_noise):g}" in title


def test_an_outcome_contains_no_vector_of_all_words():
    outcome = sized("topics", repeats=2).experiment.outcome.tasks[0].run()

    small_bytes, large_parts = sizes(outcome)

    assert small_bytes + sum(large_parts.values()) < 20_000


def test_noise_in_the_objective_works_with_all_words():
    settings = sized("reviews", noise="objective", repeats=2)

    outcome = settings.change(epsilon=300.0).experiment.outcome.tasks[0].run()

    assert outcome.accuracy_of("transfer").min() > outcome.accuracy_of("few_labels").max()


def test_a_point_at_every_epsilon_comes_before_all_runs_of_the_set_one():
    """With all words the other runs take ten seconds."""
    experiment = HypothesesSettings(**TOPICS).experiment
    tasks = experiment.tasks()

    points = [tasks.index(task) for task in experiment.over_epsilon.tasks[: len(EPSILONS)]]

    fits = [index for index, task in enumerate(tasks) if task.work is fit_sources]
    assert max(points) < min(fits)
