"""Gaussian differential privacy against high-precision integrals and roots."""

import math
from unittest import mock

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpcore import accountants, check, mechanisms
from dpcore.accountants import gdp
from dpcore.privacy import Adjacency
from dpcore.training import descent
from lab.models.classifier_versions import crossing, formula_epsilon

# Of 60 digits of the exact delta, double precision keeps so many.
DIGITS = 1e-9
# Exponentials of arrays differ in the last bit.
ROUNDING = 1e-12
# True epsilons are documented with three digits.
PUBLISHED_DIGITS = 5e-3

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1, 2, 5, 8, 10, 15, 50, 150)
MUS = pytest.mark.parametrize("mu", [0.02, 0.3, 1.0, 4.0, 40.0])
# In units of mu.
SCALED_EPSILONS = np.array([-200, -40, -3, -1, -1e-3, 0, 1e-3, 0.5, 1, 3, 40, 200])


def hockey_stick(epsilon: float, sigma: mpmath.mpf) -> mpmath.mpf:
    """Return delta by its definition, the integral of max(0, p - e^epsilon q).

    p is the density of N(1, sigma^2), and q that of N(0, sigma^2).
    """
    crossing_point = sigma**2 * epsilon + mpmath.mpf(1) / 2
    ends = [
        crossing_point,
        crossing_point + sigma,
        crossing_point + 5 * sigma,
        crossing_point + 40 * sigma,
    ]

    def excess(x):
        """Return p(x) - e^epsilon q(x)."""
        return mpmath.npdf(x, 1, sigma) - mpmath.exp(epsilon) * mpmath.npdf(x, 0, sigma)

    return mpmath.quad(excess, ends)


def exact_deltas(epsilons: np.ndarray, mu: float) -> np.ndarray:
    """Return Phi(a) - e^epsilon Phi(a - mu), a = mu/2 - epsilon/mu, to 60 digits."""
    deltas = []
    with mpmath.workdps(60):
        for epsilon in map(mpmath.mpf, epsilons):
            a = mu / mpmath.mpf(2) - epsilon / mu
            delta = mpmath.ncdf(a) - mpmath.exp(epsilon) * mpmath.ncdf(a - mu)
            deltas.append(float(delta))
    return np.array(deltas)


@MUS
def test_deltas_of_many_epsilons_are_exact_below_zero_too(mu):
    epsilons = SCALED_EPSILONS * mu

    with np.errstate(all="raise", under="ignore"):
        deltas = gdp.deltas_of(epsilons, mu=mu)

    np.testing.assert_allclose(deltas, exact_deltas(epsilons, mu), rtol=DIGITS, atol=1e-16)


@MUS
def test_the_delta_of_one_epsilon_is_exact(mu):
    epsilons = SCALED_EPSILONS[SCALED_EPSILONS >= 0] * mu

    deltas = [gdp.delta_of(epsilon, mu=mu) for epsilon in epsilons]

    np.testing.assert_allclose(deltas, exact_deltas(epsilons, mu), rtol=DIGITS, atol=1e-300)


@MUS
def test_many_epsilons_have_the_deltas_of_each(mu):
    """They differ in the last bit, because exponentials of arrays are a processor's own."""
    epsilons = SCALED_EPSILONS[SCALED_EPSILONS >= 0] * mu

    deltas = gdp.deltas_of(epsilons, mu=mu)

    of_each = [gdp.delta_of(epsilon, mu=mu) for epsilon in epsilons]
    np.testing.assert_allclose(deltas, of_each, rtol=ROUNDING, atol=0)


@pytest.mark.parametrize("delta", [1e-12, 1e-5, 1e-2])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_calibrated_noise_is_the_least_that_keeps_delta(epsilon, delta):
    mechanism = mechanisms.Gaussian(sensitivity=3.0, epsilon=epsilon, delta=delta)

    with mpmath.workdps(25):
        sigma = mpmath.mpf(mechanism.noise_multiplier)
        spent = hockey_stick(mpmath.mpf(epsilon), sigma)
        with_less = hockey_stick(mpmath.mpf(epsilon), sigma * (1 - mpmath.mpf(1e-9)))

    assert mechanism.sd == 3.0 * mechanism.noise_multiplier
    assert spent <= delta < with_less
    assert gdp.delta_of(epsilon, mu=gdp.mu_of(epsilon, delta=delta)) <= delta


DELTAS = pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 1e-2])
WIDE_MUS = pytest.mark.parametrize(
    "mu", [math.sqrt(10) * 1e-9, 1e-3, 0.05, 0.27, 1.0, 5.0, 30.0, 1000.0]
)


@DELTAS
@WIDE_MUS
def test_the_epsilon_of_a_mu_is_on_the_safe_side_and_no_further(mu, delta):
    epsilon = gdp.epsilon_of(delta, mu=mu)

    assert gdp.delta_of(epsilon, mu=mu) <= delta
    if epsilon == 0:
        total_variation = 2 * stats.norm.cdf(mu / 2) - 1
        assert total_variation <= delta
        return
    tolerance = 1e-3
    if mu > 1e-6:
        tolerance = 1e-9
    assert gdp.delta_of(epsilon * (1 - tolerance), mu=mu) > delta


@DELTAS
@WIDE_MUS
def test_the_epsilon_of_a_mu_takes_few_evaluations(mu, delta, monkeypatch):
    counted = mock.Mock(wraps=gdp.delta_of)
    monkeypatch.setattr(gdp, "delta_of", counted)

    gdp.epsilon_of(delta, mu=mu)

    assert counted.call_count < 200


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("steps", [1, 2, 7, 50, 333, 400])
@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-5, 1e-2])
def test_a_calibrated_descent_never_costs_more_than_its_claim(steps, delta, epsilon):
    multiplier = descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps)
    event = descent.event(multiplier, steps=steps)

    guarantee = accountants.account(event, delta=delta, adjacency=Adjacency.REPLACE_ONE)

    assert epsilon * (1 - 1e-9) <= guarantee.epsilon <= epsilon


@pytest.mark.parametrize(
    ("constant", "claimed", "true"),
    [
        (1.25, 0.01, 0.00455),
        (1.25, 1, 0.751),
        (1.25, 150, 610),
        (2.0, 0.1, 0.0594),
        (2.0, 1, 0.735),
        (2.0, 10, 10.145),
    ],
)
def test_a_published_formula_has_its_true_epsilon(constant, claimed, true):
    epsilon = formula_epsilon(claimed, delta=1e-5, constant=constant)

    with mpmath.workdps(40):
        sigma = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(constant) / mpmath.mpf(1e-5))) / claimed
        delta = hockey_stick(mpmath.mpf(epsilon), sigma)
    assert epsilon == pytest.approx(true, rel=PUBLISHED_DIGITS)
    assert float(delta) == pytest.approx(1e-5)


@pytest.mark.parametrize("constant", [1.25, 2.0])
@pytest.mark.parametrize("delta", [1e-3, 1e-5, 1e-8])
def test_a_published_formula_claims_too_much_from_its_crossing_on(constant, delta):
    last_kept = crossing(delta, constant=constant)

    below = formula_epsilon(0.999 * last_kept, delta=delta, constant=constant)
    above = formula_epsilon(1.001 * last_kept, delta=delta, constant=constant)

    assert below < 0.999 * last_kept
    assert above > 1.001 * last_kept


@pytest.mark.parametrize("delta", [1e-10, 1e-5, 1e-2])
@pytest.mark.parametrize("factor", [1.0, 1.4, 2.0, 5.0])
def test_noise_supports_all_claims_up_to_the_crossing_and_none_beyond(factor, delta):
    scale = factor * math.sqrt(2 * math.log(1 / delta))

    last_kept = gdp.crossing(scale, delta=delta)

    for claim in last_kept * (1 - np.geomspace(1e-6, 0.999, 40)):
        assert gdp.delta_of(claim, mu=claim / scale) < delta
    for claim in last_kept * np.geomspace(1 + 1e-6, 100, 40):
        assert gdp.delta_of(claim, mu=claim / scale) > delta


@pytest.mark.parametrize(
    ("name", "value", "call"),
    [
        pytest.param("epsilon", 0, lambda: gdp.mu_of(0, delta=1e-5), id="no epsilon"),
        pytest.param("delta", 0, lambda: gdp.mu_of(1, delta=0), id="no delta for mu"),
        pytest.param("delta", 1, lambda: gdp.mu_of(1, delta=1), id="a delta of 1"),
        pytest.param("mu", 0, lambda: gdp.epsilon_of(1e-5, mu=0), id="no mu"),
        pytest.param("delta", 0, lambda: gdp.epsilon_of(0, mu=1), id="no delta for epsilon"),
        pytest.param("mu", math.inf, lambda: gdp.delta_of(1, mu=math.inf), id="infinite mu"),
    ],
)
def test_bad_arguments_are_refused_by_name(name, value, call):
    with pytest.raises(check.RefusedError, match=f"^{name} is {value},"):
        call()
