"""Zero-concentrated differential privacy: rho of releases, and its conversions."""

import math

import numpy as np
import pytest

from dpcore import accountants, check
from dpcore.accountants import BASES, zcdp
from dpcore.privacy import UnsupportedEventError
from tests.accounting_oracles import ADD, epsilon
from tests.event_builders import (
    approximate,
    bounded_range,
    gaussian,
    laplace,
    pure,
    sampled,
    times,
    together,
)


def rho_needed(p: np.ndarray, q: np.ndarray) -> float:
    """Return the largest D_a(P || Q) / a over orders a, by the definition of zCDP."""
    orders = np.concatenate([1 + np.geomspace(1e-3, 1, 20), np.linspace(2.5, 60, 30)])
    ratios = []
    for a in orders:
        divergence = math.log((p**a * q ** (1 - a)).sum()) / (a - 1)
        ratios.append(divergence / a)
    return max(ratios)


def choice_probabilities(scores: np.ndarray) -> np.ndarray:
    """Return the probabilities of the exponential mechanism."""
    return np.exp(scores) / np.exp(scores).sum()


@pytest.mark.parametrize("size", [0.1, 1.0, 3.0])
def test_a_pure_release_costs_at_least_what_randomised_response_needs(size):
    p = np.array([math.exp(size), 1]) / (1 + math.exp(size))

    assert rho_needed(p, p[::-1]) <= zcdp.rho_of_event(pure(size))


def test_a_bounded_range_costs_what_the_worst_choice_needs():
    range_epsilon = 0.3
    rng = np.random.default_rng(0)
    pairs = [(np.array([0.15, -0.15]), np.zeros(2))]
    for trial in range(300):
        options = int(rng.integers(2, 8))
        if trial % 2:
            changes = rng.uniform(0, range_epsilon, options)
        else:
            changes = range_epsilon * rng.integers(0, 2, options)
        scores = rng.normal(scale=2 * rng.random(), size=options)
        pairs.append((scores + changes, scores))

    needed = [
        rho_needed(choice_probabilities(changed), choice_probabilities(scores))
        for changed, scores in pairs
    ]

    rho = zcdp.rho_of_event(bounded_range(range_epsilon))
    assert 0.97 * rho < max(needed) <= rho * (1 + 1e-9)


def best_conversion(rho: float, delta: float) -> float:
    """Return the smallest epsilon over a fine grid of orders [canonne2020, Proposition 12]."""
    a = 1 + np.geomspace(1e-3, 1e5, 400_000)
    epsilons = rho * a + np.log1p(-1 / a) - (math.log(delta) + np.log(a)) / (a - 1)
    return float(epsilons.min())


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
@pytest.mark.parametrize("noise", [0.4, 1.0, 5.0, 50.0])
def test_the_conversion_lies_between_the_exact_gaussian_and_the_classic_one(noise, delta):
    rho = zcdp.rho_of_event(gaussian(noise))

    converted = zcdp.epsilon_of(rho, delta=delta)

    assert epsilon(gaussian(noise), delta=delta) <= converted
    assert converted <= zcdp.classic_epsilon(rho, delta=delta)


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
@pytest.mark.parametrize("noise", [0.4, 1.0, 5.0, 50.0])
def test_the_conversion_is_the_best_over_all_orders(noise, delta):
    rho = zcdp.rho_of_event(gaussian(noise))

    converted = zcdp.epsilon_of(rho, delta=delta)

    least = best_conversion(rho, delta)
    assert least - 1e-9 <= converted == pytest.approx(max(least, 0), rel=1e-3, abs=1e-12)


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-2])
@pytest.mark.parametrize("budget", [0.01, 0.05, 1.0, 8.0, 50.0])
def test_the_budget_is_used_up_and_never_overspent(budget, delta):
    rho = zcdp.rho_of(budget, delta=delta)

    spent = zcdp.epsilon_of(rho, delta=delta)

    assert budget * (1 - 1e-9) <= spent <= budget


@pytest.mark.parametrize(
    ("budget", "delta"), [(True, 0.5), (1.0, True), (1.0, "a"), (-1.0, 0.5), (1.0, 0)]
)
def test_a_budget_without_a_meaning_is_refused(budget, delta):
    """The cached result of equal numbers does not stand in for a truth value."""
    zcdp.rho_of(1.0, delta=0.5)

    with pytest.raises(check.RefusedError, match="^(epsilon|delta) is "):
        zcdp.rho_of(budget, delta=delta)


SEQUENCE = together(gaussian(3.0), times(50, bounded_range(0.2)), laplace(2.0))


def test_rho_adds_up():
    assert zcdp.rho_of_event(SEQUENCE) == pytest.approx(1 / 18 + 50 * 0.04 / 8 + 1 / 8)


def test_the_guarantee_states_its_arguments_and_its_basis():
    guarantee = accountants.account(SEQUENCE, delta=1e-6, adjacency=ADD, accountant="zcdp")

    assert guarantee.delta == 1e-6
    assert guarantee.adjacency == ADD
    assert guarantee.basis == BASES["zcdp"]
    assert guarantee.event == SEQUENCE


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(gaussian(0), id="no noise"),
        pytest.param(pure(1e200), id="an epsilon whose square is no float"),
    ],
)
def test_a_release_without_protection_has_an_infinite_epsilon(event):
    assert epsilon(event, "zcdp") == math.inf


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(approximate(1, 1e-6), id="approximate"),
        pytest.param(sampled(0.1, 1), id="sampled"),
    ],
)
def test_a_release_without_a_rho_is_refused(event):
    with pytest.raises(UnsupportedEventError, match="no rho"):
        epsilon(event, "zcdp")
