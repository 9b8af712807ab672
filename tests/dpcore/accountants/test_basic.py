"""Basic composition, and the price of single releases."""

import math

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from dpcore.accountants import basic, gdp
from tests.accounting_oracles import TEXTBOOK, epsilon
from tests.event_builders import approximate, gaussian, laplace, pure, sample, times, together

# The same formula in double precision.
ROUNDING = 1e-12


def amplified(epsilon_of_step: float, rate: float) -> float:
    """Return ln(1 + q (e^epsilon - 1)) [li2012, Theorem 1]."""
    return math.log(1 + rate * math.expm1(epsilon_of_step))


def test_gaussian_releases_share_delta_and_are_amplified_by_sampling():
    textbook_epsilon = math.sqrt(2 * math.log(1.25 / 1e-7)) / 4

    expected = 10_000 * amplified(textbook_epsilon, 0.01)
    assert epsilon(TEXTBOOK, "basic") == pytest.approx(expected)


@pytest.mark.parametrize(
    ("count", "expected"),
    [
        pytest.param(10, 18, id="delta is just enough"),
        pytest.param(11, math.inf, id="delta is spent"),
    ],
)
def test_epsilons_add_up_until_delta_is_spent(count, expected):
    parts = together(pure(0.3), laplace(2), approximate(1, 1e-6))

    assert epsilon(times(count, parts), "basic") == pytest.approx(expected)


def test_pure_releases_need_no_delta_and_others_do():
    sampled_pure = times(3, sample(0.5, pure(1)))

    assert epsilon(sampled_pure, "basic", delta=0) == pytest.approx(3 * amplified(1, 0.5))
    assert epsilon(gaussian(1), "basic", delta=0) == math.inf


def test_a_sample_within_a_sample_is_amplified_twice():
    nested = sample(0.1, together(pure(0.5), sample(0.5, pure(1))))

    expected = amplified(0.5 + amplified(1, 0.5), 0.1)
    assert epsilon(nested, "basic") == pytest.approx(expected)


def test_the_delta_of_a_sample_is_sampled_too():
    assert math.isfinite(epsilon(times(50, sample(0.1, approximate(1, 1e-6))), "basic"))


@pytest.mark.parametrize("delta", [1e-14, 1e-9, 1e-5, 0.1])
@pytest.mark.parametrize("multiplier", [0.05, 0.3, 0.7, 1.0, 4.0, 50.0])
def test_the_price_of_one_gaussian_release_is_safe_and_not_far_off(multiplier, delta):
    price = float(basic.textbook_epsilon(multiplier, np.array(delta)))

    mu = 1 / multiplier
    textbook = math.sqrt(2 * math.log(1.25 / delta)) / multiplier
    assert gdp.delta_of(price, mu=mu) <= delta
    assert price <= 1.3 * max(gdp.epsilon_of(delta, mu=mu), textbook)
    # The loss exceeds the price with at most this probability.
    assert norm.sf(price * multiplier - 0.5 / multiplier) <= delta * (1 + 1e-9)


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("epsilon_of_step", [1e-9, 0.1, 0.999, 1.0, 30.0, 2000.0])
def test_amplification_is_that_of_sampled_randomised_response(rate, epsilon_of_step):
    """A person who is not sampled is answered for as if there were no such person."""
    with mpmath.workdps(1000):
        truthful = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon_of_step)))
        with_person = rate * truthful + (1 - mpmath.mpf(rate)) * (1 - truthful)
        exact = float(mpmath.log(with_person / (1 - truthful)))

    amplified_epsilon = float(basic.amplified(rate, np.array(epsilon_of_step)))

    assert amplified_epsilon == pytest.approx(exact, rel=ROUNDING)


@pytest.mark.parametrize("epsilon_of_step", [-1000.0, 0.0, 0.5, 40.0, 746.0, math.inf])
def test_a_sample_of_nobody_costs_nothing(epsilon_of_step):
    with np.errstate(all="raise"):
        amplified_epsilon = basic.amplified(0.0, np.array(epsilon_of_step))

    assert amplified_epsilon == 0


def test_amplification_of_a_very_negative_epsilon_does_not_overflow():
    with np.errstate(over="raise"):
        amplified_epsilon = float(basic.amplified(0.5, np.array(-1000.0)))

    assert amplified_epsilon == pytest.approx(math.log(0.5))
