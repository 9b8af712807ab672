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
from ui.text import tiles as panels

ADD, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE
ROOMS = {room.name: room for room in topics.TOPIC_PAGES}


def held(
    event: Event, *, epsilon: float = math.inf, delta: float = 0.0, adjacency: Adjacency = ADD
) -> Guarantee:
    return Guarantee(
        epsilon=epsilon, delta=delta, adjacency=adjacency, unit="record", basis="", event=event
    )


def right(event: Event, **guarantee: Any) -> float:
    return best_attacker(held(event, **guarantee)).right


PURE, HALF = pure(0.3), pure(0.5)
EVENTS = {
    "few sampled steps": sampled(0.9, 0.3, 2),
    "an epoch": sampled(0.1, 3.0, 60),
    "much spent": sampled(0.1, 1.0, 300),
    "the textbook run": sampled(0.01, 4.0, 10_000),
    "rare samples, little noise": sampled(0.001, 0.3, 100),
    "many rare samples": sampled(1e-4, 0.3, 100_000),
    "a steep ramp": together(
        *(
            sampled(0.065, z)
            for z in (0.21, 0.24, 0.26, 0.3, 0.33, 0.35, 0.39, 0.4, 0.44, 0.5, 0.57, 0.62)
        )
    ),
    "layers": sample(0.2, times(2, gaussian(3.0))),
    "two kinds of steps": together(sampled(0.1, 2.0, 40), sampled(0.1, 4.0, 100)),
    "two Laplace releases": together(laplace(1.0), laplace(2)),
    "a bound and a Laplace release": together(HALF, laplace(2.0)),
    "pure releases": together(times(10, PURE), HALF),
    "bounds and Gaussian steps": together(PURE, HALF, gaussian(2.0)),
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
def test_it_is_exact_within_a_twentieth_of_a_point_and_never_too_small(name):
    exact = attackers.right(EVENTS[name], ADD)
    assert exact - 1e-6 <= right(EVENTS[name]) <= exact + 5e-4


@pytest.mark.parametrize(("rate", "multiplier"), [(0.25, 2.0), (0.9, 0.5), (0.01, 0.3)])
def test_one_sampled_step_is_as_the_densities_say_in_both_directions(rate, multiplier):
    z = np.linspace(-16, 16, 400_001)
    none, one, other = (stats.norm.pdf(z - at) for at in (0, 1 / multiplier, -1 / multiplier))
    mixture, opposite = ((1 - rate) * none + rate * shifted for shifted in (one, other))
    replaced = sampled(rate, multiplier / 2)  # in units of two contributions
    cases = (sampled(rate, multiplier), ADD, none), (replaced, REPLACE, opposite)
    for event, adjacency, against in cases:
        best = integrate.trapezoid(np.maximum(mixture, against), z) / 2
        assert best - 1e-9 <= right(event, adjacency=adjacency) <= best + 5e-4


@pytest.mark.parametrize("mu", [0.05, 0.3, 1.0, 4.0])
@pytest.mark.parametrize("size", [0, 0.01, 0.7])
def test_beside_gaussian_releases_a_pure_one_counts_as_randomised_response(mu, size):
    x, p = np.linspace(-12, 16, 400_001), 1 / (1 + math.exp(-size))
    best = integrate.trapezoid(
        np.maximum(p * stats.norm.pdf(x), (1 - p) * stats.norm.pdf(x - mu)), x
    )
    several = times(25, gaussian(5 / mu))
    event, by = (together(pure(size), several), "parts") if size else (several, "noise")
    assert best_attacker(held(event)) == (pytest.approx(best, abs=1e-7), by)
    assert right(together(event, gaussian(0))) == 1.0


@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_no_adaptive_choice_of_exponential_mechanisms_does_better(epsilon):
    """Each is one of the pairs whose loss is t or t - epsilon, the second chosen after the first
    has answered.
    """
    places = np.linspace(0, epsilon, 41)[1:-1]
    high = np.expm1(places - epsilon) / math.expm1(-epsilon)

    def after(loss: np.ndarray) -> np.ndarray:
        """E_P[(1 - e^-(loss + L))_+] with the pair that is best at this loss."""
        gain = lambda one: np.maximum(-np.expm1(-one), 0)  # noqa: E731
        told = high * gain(loss[:, None] + places) + (1 - high) * gain(
            loss[:, None] + places - epsilon
        )
        return told.max(axis=1)

    best = (high * after(places) + (1 - high) * after(places - epsilon)).max()
    found = 2 * right(times(2, bounded_range(epsilon))) - 1
    assert best - 1e-9 <= found <= 1.25 * best
    assert 2 * right(bounded_range(epsilon)) - 1 == pytest.approx(math.tanh(epsilon / 4), rel=2e-3)
    assert found < 2 * right(times(2, pure(epsilon))) - 1


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
def test_of_a_noisy_vector_it_is_as_the_law_of_one_coordinate_says(epsilon):
    """In 3 dimensions the density of a coordinate is (1 + epsilon |t|) exp(-epsilon |t|)
    epsilon/4.
    """
    exact = 1 - (2 + epsilon / 2) * math.exp(-epsilon / 2) / 4
    found = [right(NormExponentialRelease(epsilon=epsilon, dimension=d)) for d in (2, 3, 12, 90)]
    assert exact <= found[1] <= exact + 5e-5
    drawn = NormExponential(sensitivity=1.0, epsilon=epsilon).noise(
        12, np.random.default_rng(0), size=40_000
    )[:, 0]
    assert found[2] == pytest.approx((drawn < 0.5).mean(), abs=4 * 0.5 / 200)
    assert found == sorted(found, reverse=True)
    assert found[0] <= 1 / (1 + math.exp(-epsilon))


@pytest.mark.parametrize(
    ("event", "delta", "adjacency"),
    [
        (pure(0.7), 0.0, ADD),
        (approximate(0.7, 1e-3), 1e-3, ADD),
        (BestOf(event=gaussian(3.0), law="logarithmic", tries=5), 1e-5, ADD),
        (sample(0.1, pure(1.0)), 0.0, REPLACE),
    ],
)
def test_where_epsilon_and_delta_alone_are_known_it_is_what_they_allow(event, delta, adjacency):
    guarantee = held(event, epsilon=0.7, delta=delta, adjacency=adjacency)
    one = held(gaussian(2.0), epsilon=gdp.epsilon_of(1e-5, mu=0.5), delta=1e-5)
    for known in (guarantee, for_group(one, people=3), for_replacement(one)):
        assert best_attacker(known) == (pytest.approx(known.attacker_accuracy, rel=1e-9), "epsilon")
        assert known == guarantee or best_attacker(known).right > best_attacker(one).right


def test_several_choices_are_never_more_than_their_epsilon_and_delta_allow():
    event = times(3, bounded_range(0.01))
    guarantee = account(event, delta=0.3, adjacency=ADD, accountant="zcdp")
    small = held(event, epsilon=1e-4)

    assert best_attacker(guarantee) == (pytest.approx(right(event)), "parts")
    assert best_attacker(small).right == pytest.approx(small.attacker_accuracy)


def first(settings: Any) -> Any:
    experiment = settings.experiment
    outcomes = {task: task.run() for task in experiment.tasks() if task.essential}
    return experiment.gather(outcomes)


def promised(settings: Any) -> Guarantee | None:
    """What the page of these settings states, trained or not."""
    match type(settings).__module__.split(".")[1]:
        case "attack":
            return settings.guarantees.formula if settings.version == "correct" else None
        case "mechanisms":
            shown = first(settings)
            return shown.claim.guarantee if settings.answers == "one" else shown.guarantee
        case "accounting":
            return first(settings).best_guarantee
        case _:
            return settings.guarantee


# Where settings are quick, and rows are no one's own.
WITHIN = {
    "classifier": {"dataset": ["gaussians"]},
    "network": {"dataset": ["moons"], "accountant": ["renyi"], "layers": (1, 1), "width": (2, 4)},
    "regression": {"dataset": ["census"]},
    "transfer": {"dataset": ["regression"]},
    "parties": {"dataset": ["two", "digits"]},
    "hypotheses": {"data": ["domains"]},
    "attack": {"dataset": ["gaussians"], "part": ["person"]},
}


@pytest.mark.parametrize("name", ROOMS)
def test_the_attacker_is_the_exact_number_at_any_settings_and_on_the_tile(name):
    kind, rng = ROOMS[name].settings, np.random.default_rng(7)
    drawn = (
        at_random(kind, rng, WITHIN.get(name, {})) for _ in range(int(os.environ.get("SOAK", "20")))
    )
    guarantees = [guarantee for guarantee in map(promised, drawn) if guarantee]
    assert guarantees
    for guarantee in guarantees:
        exact, found = (
            attackers.right(guarantee.event, guarantee.adjacency),
            best_attacker(guarantee).right,
        )
        assert exact - 1e-5 <= found <= exact + 1e-3, guarantee
    result = first(kind())
    tiles = {one.label: one for one in ROOMS[name].at(result.settings).content.tiles(result)}
    assert attackers.close(
        promised(result.settings), str(tiles["Attacker's accuracy, at most"].amount)
    )


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_the_same_event_has_the_same_tile_on_classifier_and_network(epsilon):
    network = NetworkSettings(mechanism="ordered", epsilon=epsilon)
    classifier = ClassifierSettings(adjacency="add/remove", epsilon=epsilon, delta=network.delta)
    assert panels.attacker_tile(None).amount == 100
    assert (
        panels.attacker_tile(network.guarantee)[:6]
        == panels.attacker_tile(classifier.guarantee)[:6]
    )
    whole = NetworkSettings(rows=200, lot_size=200, epsilon=epsilon).guarantee
    assert best_attacker(whole).right == pytest.approx(
        stats.norm.cdf(gdp.mu_of_event(whole.event) / 2), rel=1e-12
    )
