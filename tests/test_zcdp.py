"""Concentrated privacy: its prices against the divergences themselves, its conversion against exact accountants."""

import math

import numpy as np
import pytest
from accounting_oracles import ADD, gaussian, sampled
from accounting_oracles import epsilon as by

from dpcore import check
from dpcore.accountants import zcdp
from dpcore.privacy import (
    ApproximateRelease,
    BoundedRangeRelease,
    Composed,
    LaplaceRelease,
    PureRelease,
    Sequence,
    UnsupportedEventError,
)

ORDERS = np.concatenate([1 + np.geomspace(1e-3, 1, 20), np.linspace(2.5, 60, 30)])


def divergence(p, q):
    """D_a(P || Q) over ORDERS, from the definition."""
    return np.array([math.log((p**a * q ** (1 - a)).sum()) / (a - 1) for a in ORDERS])


def rho_needed(p, q):
    return (divergence(p, q) / ORDERS).max()


def test_a_choice_of_bounded_range_costs_at_most_an_eighth_and_reaches_it():
    rng, worst = np.random.default_rng(0), 0.0
    epsilon = 0.3
    rho = zcdp.rho_of_event(BoundedRangeRelease(epsilon=epsilon))
    assert rho == epsilon**2 / 8
    for trial in range(300):
        k = int(rng.integers(2, 8))
        scores = rng.normal(scale=2 * rng.random(), size=k)
        moves = rng.uniform(0, epsilon, k) if trial % 2 else epsilon * rng.integers(0, 2, k)
        p, q = (np.exp(s) / np.exp(s).sum() for s in (scores + moves, scores))
        worst = max(worst, rho_needed(p, q))
        assert rho_needed(p, q) <= rho * (1 + 1e-9)
    even = np.array([0.0, 0.0])
    p, q = (np.exp(s) / np.exp(s).sum() for s in (np.array([epsilon / 2, -epsilon / 2]), even))
    assert max(worst, rho_needed(p, q)) > 0.97 * rho


def test_a_pure_release_costs_at_most_half_its_square():
    for epsilon in (0.1, 1.0, 3.0):
        p = np.array([math.exp(epsilon), 1]) / (1 + math.exp(epsilon))
        assert rho_needed(p, p[::-1]) <= zcdp.rho_of_event(PureRelease(epsilon=epsilon))


@pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
@pytest.mark.parametrize("noise", [0.4, 1.0, 5.0, 50.0])
def test_the_conversion_lies_above_the_exact_gaussian_and_below_the_classic(noise, delta):
    event = gaussian(noise)
    rho = zcdp.rho_of_event(event)
    found = zcdp.epsilon_of(rho, delta=delta)
    assert by(event, delta=delta) <= found <= zcdp.classic_epsilon(rho, delta=delta)
    orders = 1 + np.geomspace(1e-3, 1e5, 400_000)
    all_orders = rho * orders + np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1)
    assert found == pytest.approx(max(all_orders.min(), 0), rel=1e-3, abs=1e-12)
    assert found >= all_orders.min() - 1e-9


@pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-2])
@pytest.mark.parametrize("epsilon", [0.01, 0.05, 1.0, 8.0, 50.0])
def test_the_budget_is_never_overspent(epsilon, delta):
    rho = zcdp.rho_of(epsilon, delta=delta)
    assert zcdp.epsilon_of(rho, delta=delta) <= epsilon
    assert zcdp.epsilon_of(rho, delta=delta) == pytest.approx(epsilon, rel=1e-9)


def test_events_add_up():
    one, two = BoundedRangeRelease(epsilon=0.2), gaussian(3.0)
    event = Sequence(events=(two, Composed(event=one, count=50), LaplaceRelease(noise_multiplier=2.0)))
    assert zcdp.rho_of_event(event) == pytest.approx(1 / 18 + 50 * 0.04 / 8 + 1 / 8)
    held = zcdp.account(event, delta=1e-6, adjacency=ADD)
    assert (held.delta, held.adjacency, held.basis, held.event) == (1e-6, ADD, zcdp.BASIS, event)
    assert zcdp.account(gaussian(0), delta=1e-6, adjacency=ADD).epsilon == math.inf


@pytest.mark.parametrize("event", [ApproximateRelease(epsilon=1, delta=1e-6), sampled(0.1, 1)])
def test_what_has_no_rho_is_refused(event):
    with pytest.raises(UnsupportedEventError, match="no rho"):
        zcdp.account(event, delta=1e-6, adjacency=ADD)


@pytest.mark.parametrize(("epsilon", "delta"), [(True, 0.5), (1.0, True), (1.0, "a"), (-1.0, 0.5), (1.0, 0)], ids=str)
def test_what_is_no_budget_is_refused_although_answers_are_kept(epsilon, delta):
    zcdp.rho_of(1.0, delta=0.5)
    with pytest.raises(check.RefusedError, match="^(epsilon|delta) is "):
        zcdp.rho_of(epsilon, delta=delta)
