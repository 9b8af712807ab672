"""The best attacker against counts that share nothing with the engine's, and the same number on
every page.
"""

import math
import os
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from dpcore.accountants import account, gdp
from dpcore.accountants.attacker import best_attacker
from dpcore.mechanisms import NormExponential
from dpcore.privacy import (
    Adjacency,
    BestOf,
    Event,
    Guarantee,
    NormExponentialRelease,
    for_group,
    for_replacement,
)
from pages import topics
from pages.classifier.settings import ClassifierSettings
from pages.network.settings import NetworkSettings
from tests import attackers
from tests.event_builders import (
    approximate,
    bounded_range,
    gaussian,
    laplace,
    pure,
    sample,
    sampled,
    times,
    together,
)
from tests.sentences import at_random
from ui.text import tiles

# The same formula in double precision.
ROUNDING = 1e-9
# Accuracies are integrated on a grid, and exact to so many digits.
SEARCH_ERROR = 1e-7
# The loss distribution is rounded to a grid.
GRID_ERROR = 2e-3

ADD = Adjacency.ADD_REMOVE
REPLACE = Adjacency.REPLACE_ONE
TOPICS = {topic.name: topic for topic in topics.TOPIC_PAGES}


def guarantee_of(
    event: Event, *, epsilon: float = math.inf, delta: float = 0.0, adjacency: Adjacency = ADD
) -> Guarantee:
    """Return a guarantee that states nothing but its event, unless an epsilon is given."""
    return Guarantee(
        epsilon=epsilon, delta=delta, adjacency=adjacency, unit="record", basis="", event=event
    )


def right(event: Event, *, adjacency: Adjacency = ADD) -> float:
    """Return how often the best attacker of a release is right, bounded by its event alone."""
    return best_attacker(guarantee_of(event, adjacency=adjacency)).right


HALF = pure(0.5)
NOISE_MULTIPLIERS_OF_RAMP = (
    *(0.21, 0.24, 0.26, 0.3, 0.33, 0.35),
    *(0.39, 0.4, 0.44, 0.5, 0.57, 0.62),
)
RAMP = together(*(sampled(0.065, multiplier) for multiplier in NOISE_MULTIPLIERS_OF_RAMP))
EVENTS = {
    "few sampled steps": sampled(0.9, 0.3, 2),
    "an epoch": sampled(0.1, 3.0, 60),
    "much spent": sampled(0.1, 1.0, 300),
    "the textbook run": sampled(0.01, 4.0, 10_000),
    "rare samples, little noise": sampled(0.001, 0.3, 100),
    "many rare samples": sampled(1e-4, 0.3, 100_000),
    "a steep ramp": RAMP,
    "layers": sample(0.2, times(2, gaussian(3.0))),
    "two kinds of steps": together(sampled(0.1, 2.0, 40), sampled(0.1, 4.0, 100)),
    "two Laplace releases": together(laplace(1.0), laplace(2)),
    "a bound and a Laplace release": together(HALF, laplace(2.0)),
    "pure releases": together(times(10, pure(0.3)), HALF),
    "bounds and Gaussian steps": together(pure(0.3), HALF, gaussian(2.0)),
    "approximate releases": times(3, approximate(0.5, 0.01)),
    "bounds and sampled steps": together(HALF, HALF, sampled(0.1, 3.0, 60)),
    "exponential mechanism": times(16, bounded_range(0.1)),
    "choices and a Gaussian release": together(times(5, bounded_range(0.3)), gaussian(5.0)),
    "no privacy to speak of": times(2, pure(500.0)),
    "one wide choice": bounded_range(8.0),
    "a vector": NormExponentialRelease(epsilon=10.0, dimension=20),
    "a long vector": NormExponentialRelease(epsilon=0.01, dimension=2000),
    "a pair": NormExponentialRelease(epsilon=1.0, dimension=2),
}


@pytest.mark.parametrize("name", EVENTS)
def test_accuracy_is_exact_within_a_twentieth_of_a_point_and_never_too_small(name):
    accuracy = right(EVENTS[name])

    exact = attackers.right(EVENTS[name], ADD)
    assert exact - 1e-6 <= accuracy <= exact + 5e-4


Z = np.linspace(-16, 16, 400_001)


def best_of_densities(p: np.ndarray, q: np.ndarray) -> float:
    """Return the accuracy of the likelihood test of two densities over ``Z``."""
    return float(integrate.trapezoid(np.maximum(p, q), Z) / 2)


def mixture(rate: float, shift: float) -> np.ndarray:
    """Return the density over ``Z`` of N(0, 1) mixed with a share ``rate`` of N(shift, 1)."""
    return (1 - rate) * stats.norm.pdf(Z) + rate * stats.norm.pdf(Z - shift)


STEPS = pytest.mark.parametrize(("rate", "multiplier"), [(0.25, 2.0), (0.9, 0.5), (0.01, 0.3)])


@STEPS
def test_an_added_row_in_a_sampled_step_is_found_as_its_densities_allow(rate, multiplier):
    accuracy = right(sampled(rate, multiplier))

    best = best_of_densities(mixture(rate, 1 / multiplier), stats.norm.pdf(Z))
    assert best - 1e-9 <= accuracy <= best + 5e-4


@STEPS
def test_a_replaced_row_in_a_sampled_step_is_found_as_its_densities_allow(rate, multiplier):
    # In units of two opposite contributions.
    accuracy = right(sampled(rate, multiplier / 2), adjacency=REPLACE)

    best = best_of_densities(mixture(rate, 1 / multiplier), mixture(rate, -1 / multiplier))
    assert best - 1e-9 <= accuracy <= best + 5e-4


MUS = pytest.mark.parametrize("mu", [0.05, 0.3, 1.0, 4.0])


@MUS
@pytest.mark.parametrize("epsilon", [0.01, 0.7])
def test_a_pure_release_with_gaussian_ones_counts_as_randomised_response(mu, epsilon):
    event = together(pure(epsilon), times(25, gaussian(5 / mu)))

    attacker = best_attacker(guarantee_of(event))

    truth = 1 / (1 + math.exp(-epsilon))
    likelihoods = np.maximum(truth * stats.norm.pdf(Z), (1 - truth) * stats.norm.pdf(Z - mu))
    best = integrate.trapezoid(likelihoods, Z)
    assert attacker == (pytest.approx(best, abs=SEARCH_ERROR), "parts")


@MUS
def test_gaussian_releases_alone_are_exact(mu):
    attacker = best_attacker(guarantee_of(times(25, gaussian(5 / mu))))

    assert attacker == (pytest.approx(stats.norm.cdf(mu / 2), abs=SEARCH_ERROR), "noise")


@MUS
def test_a_release_without_noise_makes_the_attacker_certain(mu):
    assert right(together(gaussian(1 / mu), gaussian(0))) == 1.0


CHOICES = pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])


def best_adaptive_advantage(epsilon: float) -> float:
    """Return the largest TV of two exponential mechanisms, the second chosen after the first.

    Each is one of the pairs of distributions whose loss is t or t - epsilon.
    """
    t = np.linspace(0, epsilon, 41)[1:-1]
    high = np.expm1(t - epsilon) / math.expm1(-epsilon)

    def gain(loss: np.ndarray) -> np.ndarray:
        """Return the positive part of 1 - e^-loss."""
        return np.maximum(-np.expm1(-loss), 0)

    def best_after(loss: np.ndarray) -> np.ndarray:
        """Return E_P[(1 - e^-(loss + L))_+] with the pair that is best at this loss."""
        first = high * gain(loss[:, None] + t)
        second = (1 - high) * gain(loss[:, None] + t - epsilon)
        return (first + second).max(axis=1)

    return (high * best_after(t) + (1 - high) * best_after(t - epsilon)).max()


@CHOICES
def test_no_adaptive_choice_of_exponential_mechanisms_does_better(epsilon):
    advantage = 2 * right(times(2, bounded_range(epsilon))) - 1

    best = best_adaptive_advantage(epsilon)
    assert best - 1e-9 <= advantage <= 1.25 * best


@CHOICES
def test_exponential_mechanisms_reveal_less_than_randomised_response(epsilon):
    one = 2 * right(bounded_range(epsilon)) - 1

    assert one == pytest.approx(math.tanh(epsilon / 4), rel=GRID_ERROR)
    assert right(times(2, bounded_range(epsilon))) < right(times(2, pure(epsilon)))


VECTORS = pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])


def right_of_vector(epsilon: float, dimension: int) -> float:
    """Return how often the best attacker is right about a vector with norm-exponential noise."""
    return right(NormExponentialRelease(epsilon=epsilon, dimension=dimension))


@VECTORS
def test_a_noisy_vector_of_three_dimensions_is_as_the_density_of_one_coordinate_says(epsilon):
    """That density is (1 + epsilon |t|) exp(-epsilon |t|) epsilon / 4."""
    exact = 1 - (2 + epsilon / 2) * math.exp(-epsilon / 2) / 4

    assert exact <= right_of_vector(epsilon, 3) <= exact + 5e-5


@VECTORS
def test_a_noisy_vector_is_as_draws_of_its_noise_say(epsilon):
    mechanism = NormExponential(sensitivity=1.0, epsilon=epsilon)
    draws = mechanism.noise(12, np.random.default_rng(0), size=40_000)[:, 0]

    accuracy = right_of_vector(epsilon, 12)

    assert accuracy == pytest.approx((draws < 0.5).mean(), abs=4 * 0.5 / 200)


@VECTORS
def test_a_longer_noisy_vector_reveals_less(epsilon):
    accuracies = [right_of_vector(epsilon, dimension) for dimension in (2, 3, 12, 90)]

    assert accuracies == sorted(accuracies, reverse=True)
    assert accuracies[0] <= 1 / (1 + math.exp(-epsilon))


@pytest.mark.parametrize(
    ("event", "delta", "adjacency"),
    [
        pytest.param(pure(0.7), 0.0, ADD, id="pure"),
        pytest.param(approximate(0.7, 1e-3), 1e-3, ADD, id="approximate"),
        pytest.param(
            BestOf(event=gaussian(3.0), law="logarithmic", tries=5), 1e-5, ADD, id="best of several"
        ),
        pytest.param(sample(0.1, pure(1.0)), 0.0, REPLACE, id="a sample under replace-one"),
    ],
)
def test_a_release_known_by_epsilon_and_delta_bounds_the_attacker_by_them(event, delta, adjacency):
    guarantee = guarantee_of(event, epsilon=0.7, delta=delta, adjacency=adjacency)

    accuracy, basis = best_attacker(guarantee)

    assert accuracy == pytest.approx(guarantee.attacker_accuracy, rel=ROUNDING)
    assert basis == "epsilon"


@pytest.mark.parametrize(
    "derived",
    [
        pytest.param(lambda guarantee: for_group(guarantee, people=3), id="a group"),
        pytest.param(for_replacement, id="a replacement"),
    ],
)
def test_a_guarantee_derived_from_epsilon_and_delta_tells_what_they_allow(derived):
    one = guarantee_of(gaussian(2.0), epsilon=gdp.epsilon_of(1e-5, mu=0.5), delta=1e-5)
    guarantee = derived(one)

    accuracy, basis = best_attacker(guarantee)

    assert accuracy == pytest.approx(guarantee.attacker_accuracy, rel=ROUNDING)
    assert basis == "epsilon"
    assert accuracy > best_attacker(one).right


def test_an_attacker_of_several_choices_is_as_accurate_as_their_event_allows():
    event = times(3, bounded_range(0.01))
    guarantee = account(event, delta=0.3, adjacency=ADD, accountant="zcdp")

    assert best_attacker(guarantee) == (pytest.approx(right(event)), "parts")


def test_an_attacker_of_several_choices_never_exceeds_a_small_epsilon():
    guarantee = guarantee_of(times(3, bounded_range(0.01)), epsilon=1e-4)

    assert best_attacker(guarantee).right == pytest.approx(guarantee.attacker_accuracy)


def first_result(settings: Any) -> Any:
    """Return the result of the tasks that a page waits for."""
    experiment = settings.experiment
    outcomes = {task: task.run() for task in experiment.tasks() if task.essential}
    return experiment.gather(outcomes)


def stated_guarantee(settings: Any) -> Guarantee | None:
    """Return the guarantee that the page of these settings states, trained or not."""
    topic = type(settings).__module__.split(".")[1]
    if topic == "attack":
        if settings.version != "correct":
            return None
        return settings.guarantees.formula
    if topic == "mechanisms":
        result = first_result(settings)
        if settings.answers == "one":
            return result.claim.guarantee
        return result.guarantee
    if topic == "accounting":
        return first_result(settings).best_guarantee
    return settings.guarantee


# Choices with which settings are quick, and rows are not uploaded.
QUICK_CHOICES = {
    "classifier": {"dataset": ["gaussians"]},
    "network": {"dataset": ["moons"], "accountant": ["renyi"], "layers": (1, 1), "width": (2, 4)},
    "regression": {"dataset": ["census"]},
    "transfer": {"dataset": ["regression"]},
    "parties": {"dataset": ["two", "digits"]},
    "hypotheses": {"data": ["domains"]},
    "attack": {"dataset": ["gaussians"], "part": ["person"]},
}


def random_guarantees(name: str) -> list[Guarantee]:
    """Return the guarantees at random settings of a topic."""
    kind = TOPICS[name].settings
    rng = np.random.default_rng(7)
    guarantees = []
    for _ in range(int(os.environ.get("SOAK", "20"))):
        settings = at_random(kind, rng, QUICK_CHOICES.get(name, {}))
        guarantee = stated_guarantee(settings)
        if guarantee is not None:
            guarantees.append(guarantee)
    return guarantees


@pytest.mark.parametrize("name", TOPICS)
def test_accuracy_is_exact_at_any_settings_of_a_page(name):
    guarantees = random_guarantees(name)

    assert guarantees
    for guarantee in guarantees:
        accuracy = best_attacker(guarantee).right
        exact = attackers.right(guarantee.event, guarantee.adjacency)
        assert exact - 1e-5 <= accuracy <= exact + 1e-3, guarantee


@pytest.mark.parametrize("name", TOPICS)
def test_the_tile_of_a_page_has_the_exact_accuracy(name):
    topic = TOPICS[name]

    result = first_result(topic.settings())

    tile_of_label = {tile.label: tile for tile in topic.at(result.settings).content.tiles(result)}
    amount = tile_of_label["Attacker right, at most"].amount
    assert attackers.close(stated_guarantee(result.settings), str(amount))


def test_the_tile_without_a_guarantee_has_certainty():
    assert tiles.attacker_tile(None).amount == 100


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_the_same_event_has_the_same_tile_on_classifier_and_network(epsilon):
    network = NetworkSettings(mechanism="ordered", epsilon=epsilon)
    classifier = ClassifierSettings(adjacency="add/remove", epsilon=epsilon, delta=network.delta)

    of_network = tiles.attacker_tile(network.guarantee)

    assert of_network[:6] == tiles.attacker_tile(classifier.guarantee)[:6]


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_a_batch_of_all_rows_is_exact(epsilon):
    guarantee = NetworkSettings(rows=200, lot_size=200, epsilon=epsilon).guarantee

    accuracy = best_attacker(guarantee).right

    mu = gdp.mu_of_event(guarantee.event)
    assert accuracy == pytest.approx(stats.norm.cdf(mu / 2), rel=ROUNDING)
