"""Values that are no numbers, and numbers at the ends of floating point, are refused by name or
counted rightly.
"""

import math
from functools import partial

import numpy as np
import pytest

from dpcore import accountants, check
from dpcore.accountants import ACCOUNTANTS, attacker, gdp, pld, zcdp
from dpcore.mechanisms import (
    Gaussian,
    Laplace,
    NoisyMax,
    NormExponential,
    classical_noise_multiplier,
)
from dpcore.mechanisms.noisy_max import noisy_winners
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.parties import aggregation
from dpcore.privacy import PureRelease, UnsupportedEventError
from tests.accounting_oracles import ADD, REPLACE
from tests.event_builders import (
    approximate,
    bounded_range,
    gaussian,
    laplace,
    pure,
    sample,
    sampled,
    times,
)

MECHANISMS = {
    "Gaussian": Gaussian(sensitivity=1, epsilon=1, delta=1e-5),
    "Laplace": Laplace(sensitivity=1, epsilon=1),
    "noisy maximum": NoisyMax(sensitivity=1, epsilon=1),
    "noisy maximum, Laplace": NoisyMax(sensitivity=1, epsilon=1, noise="laplace"),
    "norm-exponential": NormExponential(sensitivity=1, epsilon=1),
}


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf], ids=str)
class TestReleases:
    @pytest.mark.parametrize("mechanism", MECHANISMS.values(), ids=MECHANISMS)
    def test_a_mechanism_refuses_arrays_with_numbers_that_are_not_finite(self, mechanism, bad):
        with pytest.raises(check.RefusedError, match="^(value|scores) is 'not finite'"):
            mechanism.release(np.array([0.0, bad, 50.0]), np.random.default_rng(0))

    @pytest.mark.parametrize(
        "mechanism", [MECHANISMS["Gaussian"], MECHANISMS["Laplace"]], ids=["Gaussian", "Laplace"]
    )
    def test_a_mechanism_refuses_a_single_number_that_is_not_finite(self, mechanism, bad):
        with pytest.raises(check.RefusedError, match="^value is "):
            mechanism.release(bad, np.random.default_rng(0))

    def test_votes_and_people_are_numbers(self, bad):
        counts, rng = np.array([[1.0, bad], [2.0, 3.0]]), np.random.default_rng(0)
        with pytest.raises(check.RefusedError, match="^counts is "):
            noisy_winners(counts, np.zeros((2, 2)), 1.0)
        with pytest.raises(check.RefusedError, match="^counts is "):
            aggregation.targets(counts, release="vote")
        with pytest.raises(check.RefusedError, match="^people is "):
            RandomisedResponse(epsilon=1.0).counts(np.array([bad, 3.0]), rng, size=2)


@pytest.mark.parametrize("value", [np.array([1, 2]), np.float32([0.5]), [3, 4], 7])
@pytest.mark.parametrize("name", ["Gaussian", "Laplace", "norm-exponential"])
def test_numbers_of_any_type_are_released_in_their_shape(name, value):
    found = MECHANISMS[name].release(value, np.random.default_rng(0))
    assert np.shape(found) == np.shape(value)
    assert np.asarray(found).dtype == np.float64


class TestMechanisms:
    @pytest.mark.parametrize(
        "epsilon", [1e-300, 1e16, 1e300, 10**400], ids=lambda one: repr(one)[:6]
    )
    @pytest.mark.parametrize(
        "kind", [partial(Gaussian, delta=1e-5), Laplace, NoisyMax, NormExponential]
    )
    def test_an_epsilon_beyond_the_ends_is_refused_by_name(self, kind, epsilon):
        with pytest.raises(check.RefusedError, match="^epsilon is "):
            kind(sensitivity=1.0, epsilon=epsilon)

    def test_noise_of_a_number_in_single_precision_is_not_rounded(self):
        third = np.float32(1 / 3)
        assert Laplace(sensitivity=third, epsilon=third * 3).scale == float(third) / float(
            third * 3
        )
        assert type(Gaussian(sensitivity=1, epsilon=third, delta=np.float32(1e-5)).sd) is float

    @pytest.mark.parametrize("epsilon", [1e-12, 1e-9, 1.0, 1e6, 1e12])
    @pytest.mark.parametrize("delta", [1e-300, 1e-100, 1e-5, 0.5, 1 - 1e-12])
    def test_noise_is_calibrated_up_to_the_ends(self, epsilon, delta):
        mu, rho = gdp.mu_of(epsilon, delta=delta), zcdp.rho_of(epsilon, delta=delta)
        assert gdp.delta_of(epsilon, mu=mu) <= delta
        assert gdp.delta_of(epsilon, mu=mu * 1.001) > delta * (1 - 1e-9)
        assert zcdp.epsilon_of(rho, delta=delta) <= epsilon
        assert zcdp.epsilon_of(rho * 1.001, delta=delta) > epsilon

    @pytest.mark.parametrize("find", [gdp.mu_of, zcdp.rho_of, classical_noise_multiplier])
    def test_a_delta_that_is_next_to_nothing_is_refused_by_name(self, find):
        with pytest.raises(check.RefusedError, match="^delta is 5e-324"):
            find(1.0, delta=5e-324)


EXTREME = {
    "much noise": gaussian(1e100),
    "little noise": gaussian(1e-100),
    "1e-3": gaussian(1e-3),
    "sampled, 1e-3": sampled(0.1, 1e-3, 1),
    "sampled, 1e-2": sampled(0.1, 1e-2, 1),
    "sampled, little noise": sampled(0.1, 1e-100, 1),
    "sampled, much noise": sampled(0.1, 1e100, 1),
    "Laplace, little": laplace(1e-100),
    "Laplace, much": laplace(1e100),
    "sampled Laplace": sample(0.1, laplace(1e-4)),
    "pure, large": pure(1e300),
    "pure, small": pure(1e-300),
    "sampled pure": sample(0.1, pure(1e300)),
    "selection": bounded_range(1e300),
    "all is told": approximate(1000.0, 1.0),
}


@pytest.mark.parametrize("delta", [1e-300, 1e-18, 1e-5, 1 - 1e-12], ids=str)
@pytest.mark.parametrize("name", ACCOUNTANTS)
@pytest.mark.parametrize("event", EXTREME.values(), ids=EXTREME)
def test_every_accountant_has_an_epsilon_at_the_ends(event, name, delta):
    event = times(10, event)
    try:
        found = accountants.account(event, delta=delta, adjacency=ADD, accountant=name)
    except UnsupportedEventError:
        assert name in ("gdp", "zcdp")
    else:
        assert found.epsilon >= 0


@pytest.mark.parametrize("name", [name for name in ACCOUNTANTS if name != "basic"])
def test_accountants_refuse_a_delta_next_to_nothing_by_name(name):
    with pytest.raises(check.RefusedError, match="^delta is 5e-324"):
        accountants.account(gaussian(1.0), delta=5e-324, adjacency=ADD, accountant=name)


@pytest.mark.parametrize("multiplier", [1e-160, 1e160, 1e300])
@pytest.mark.parametrize("kind", [gaussian, laplace])
def test_a_noise_multiplier_whose_square_is_no_float_is_refused_by_name(kind, multiplier):
    with pytest.raises(check.RefusedError, match="^noise_multiplier is "):
        kind(multiplier)


# Ten steps at q = .1 with next to no noise tell at least what one step tells that has the row for
# sure, with the probability q of that: delta is far smaller.
@pytest.mark.parametrize("name", ["pld", "pld-coarse"])
def test_losses_beyond_the_librarys_reach_are_counted_by_orders(name):
    event = sampled(0.1, 0.001, 10)
    found = accountants.account(event, delta=1e-5, adjacency=ADD, accountant=name)
    by_orders = accountants.account(event, delta=1e-5, adjacency=ADD, accountant="renyi")
    assert (found.epsilon, found.basis) == (by_orders.epsilon, by_orders.basis)
    assert (
        gdp.epsilon_of(1e-4, mu=1000.0)
        < found.epsilon
        < gdp.epsilon_of(1e-5, mu=1000 * math.sqrt(10)) * 10
    )
    assert pld.curve(event, delta=1e-5, points=3, adjacency=ADD) is None
    assert attacker.best_attacker(found).right == 1.0


class TestBasis:
    RUN = sampled(0.00033, 4.0, 10_000)

    @pytest.mark.parametrize("name", ["pld", "pld-coarse"])
    def test_the_basis_is_that_of_the_theorem_which_gave_epsilon(self, name):
        tiny = {"delta": 1.13e-18, "adjacency": ADD}
        found = accountants.account(self.RUN, **tiny, accountant=name)
        by_orders = accountants.account(self.RUN, **tiny, accountant="renyi")
        assert found.epsilon == by_orders.epsilon
        assert found.basis == by_orders.basis == "RDP accountant (orders to 1,024)"

    @pytest.mark.parametrize("name", ["pld", "pld-coarse"])
    def test_the_basis_is_the_loss_distribution_where_rounding_hides_nothing(self, name):
        found = accountants.account(self.RUN, delta=1e-5, adjacency=ADD, accountant=name)
        assert found.basis == accountants.BASES[name]

    def test_under_replace_one_no_order_is_proved(self):
        found = accountants.account(self.RUN, delta=1.13e-18, adjacency=REPLACE, accountant="pld")
        assert (found.epsilon, found.basis) == (math.inf, accountants.BASES["pld"])

    def test_without_samples_the_orders_go_on(self):
        for event in (gaussian(4.0), laplace(2.0), pure(0.5), sample(0.1, pure(0.5))):
            found = accountants.account(event, delta=1e-5, adjacency=ADD, accountant="renyi")
            assert found.basis == accountants.BASES["renyi"]


def test_pure_releases_hold_floats():
    assert type(PureRelease(epsilon=np.float32(0.5)).epsilon) is float
