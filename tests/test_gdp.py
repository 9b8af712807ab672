"""Gaussian accounting and calibration against high-precision roots, quadrature and brute force."""

import math
from unittest import mock

import mpmath
import numpy as np
import pytest
from scipy import stats

from dpcore import accountants, check, mechanisms
from dpcore.accountants import gdp
from dpcore.estimators.recipes import crossing, formula_epsilon
from dpcore.privacy import Adjacency
from dpcore.training import descent

EPSILONS = (0.01, 0.05, 0.1, 0.5, 1, 2, 5, 8, 10, 15, 50, 150)


def hockey_stick(epsilon: float, sigma: mpmath.mpf) -> mpmath.mpf:
    """delta by its definition: the integral of max(0, p - e^epsilon q), p = N(1, sigma^2), q = N(0, sigma^2)."""
    crossing_point = sigma**2 * epsilon + mpmath.mpf(1) / 2
    ends = [crossing_point, crossing_point + sigma, crossing_point + 5 * sigma, crossing_point + 40 * sigma]
    return mpmath.quad(lambda x: mpmath.npdf(x, 1, sigma) - mpmath.exp(epsilon) * mpmath.npdf(x, 0, sigma), ends)


@pytest.mark.parametrize("mu", [0.02, 0.3, 1.0, 4.0, 40.0])
def test_delta_of_many_epsilons_is_that_of_each_below_zero_too(mu):
    epsilons = np.array([-200, -40, -3, -1, -1e-3, 0, 1e-3, 0.5, 1, 3, 40, 200]) * mu
    with np.errstate(all="raise", under="ignore"):
        found = gdp.deltas_of(epsilons, mu=mu)
    with mpmath.workdps(60):
        pairs = [(mu / mpmath.mpf(2) - epsilon / mu, mpmath.exp(epsilon)) for epsilon in map(mpmath.mpf, epsilons)]
        exact = np.array([float(mpmath.ncdf(a) - ratio * mpmath.ncdf(a - mu)) for a, ratio in pairs])
    np.testing.assert_allclose(found, exact, rtol=1e-9, atol=1e-16)
    positive = epsilons >= 0
    each = [gdp.delta_of(one, mu=mu) for one in epsilons[positive]]
    np.testing.assert_allclose(each, exact[positive], rtol=1e-10, atol=1e-300)
    # Not to the last bit: the exponentials of arrays are a processor's own, and the difference of two remains.
    np.testing.assert_allclose(found[positive], each, rtol=1e-12, atol=0)


@pytest.mark.parametrize("delta", [1e-12, 1e-5, 1e-2])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_calibration_is_the_high_precision_root(epsilon, delta):
    found = mechanisms.Gaussian(sensitivity=3.0, epsilon=epsilon, delta=delta)
    assert found.sd == 3.0 * found.noise_multiplier
    with mpmath.workdps(25):
        sigma = mpmath.mpf(found.noise_multiplier)
        spent, less = (hockey_stick(mpmath.mpf(epsilon), one) for one in (sigma, sigma * (1 - mpmath.mpf(1e-9))))
    assert spent <= delta < less
    assert gdp.delta_of(epsilon, mu=gdp.mu_of(epsilon, delta=delta)) <= delta


@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-6, 1e-5, 1e-3, 1e-2])
@pytest.mark.parametrize("mu", [math.sqrt(10) * 1e-9, 1e-3, 0.05, 0.27, 1.0, 5.0, 30.0, 1000.0])
def test_epsilon_of_errs_on_the_safe_side_and_no_further_in_few_evaluations(mu, delta, monkeypatch):
    counted = mock.Mock(wraps=gdp.delta_of)
    monkeypatch.setattr(gdp, "delta_of", counted)
    epsilon = gdp.epsilon_of(delta, mu=mu)
    assert counted.call_count < 200
    assert gdp.delta_of(epsilon, mu=mu) <= delta
    if epsilon == 0:
        assert 2 * stats.norm.cdf(mu / 2) - 1 <= delta  # the total variation distance
    else:
        assert gdp.delta_of(epsilon * (1 - (1e-9 if mu > 1e-6 else 1e-3)), mu=mu) > delta


@pytest.mark.parametrize("steps", [1, 2, 7, 50, 333, 400])
@pytest.mark.parametrize("delta", [1e-12, 1e-9, 1e-5, 1e-2])
def test_a_calibrated_descent_never_counts_to_more_than_its_claim(steps, delta):
    for epsilon in EPSILONS:
        event = descent.event(descent.noise_multiplier(epsilon=epsilon, delta=delta, steps=steps), steps=steps)
        found = accountants.account(event, delta=delta, adjacency=Adjacency.REPLACE_ONE).epsilon
        assert epsilon * (1 - 1e-9) <= found <= epsilon


@pytest.mark.parametrize(
    ("constant", "claimed", "true"),
    [(1.25, 0.01, 0.00455), (1.25, 1, 0.751), (1.25, 150, 610), (2.0, 0.1, 0.0594), (2.0, 1, 0.735), (2.0, 10, 10.145)],
)
def test_what_a_published_formula_really_gives_and_where_it_stops_to_hold(constant, claimed, true):
    found = formula_epsilon(claimed, delta=1e-5, constant=constant)
    assert found == pytest.approx(true, rel=5e-3)
    with mpmath.workdps(40):
        sigma = mpmath.sqrt(2 * mpmath.log(mpmath.mpf(constant) / mpmath.mpf(1e-5))) / claimed
        assert float(hockey_stick(mpmath.mpf(found), sigma)) == pytest.approx(1e-5)
    for delta in (1e-3, 1e-5, 1e-8):
        at = crossing(delta, constant=constant)
        below, above = (formula_epsilon(at * by, delta=delta, constant=constant) / at for by in (0.999, 1.001))
        assert (below < 0.999, above > 1.001) == (True, True)


@pytest.mark.parametrize("delta", [1e-10, 1e-5, 1e-2])
@pytest.mark.parametrize("times", [1.0, 1.4, 2.0, 5.0])
def test_a_claim_is_kept_up_to_its_crossing_and_no_further(times, delta):
    scale = times * math.sqrt(2 * math.log(1 / delta))
    found = gdp.crossing(scale, delta=delta)
    assert all(gdp.delta_of(claim, mu=claim / scale) < delta for claim in found * (1 - np.geomspace(1e-6, 0.999, 40)))
    assert all(gdp.delta_of(claim, mu=claim / scale) > delta for claim in found * np.geomspace(1 + 1e-6, 100, 40))


def test_bad_arguments_are_refused_by_name():
    bad = [("epsilon", 0, gdp.mu_of, (0, 1e-5)), ("delta", 0, gdp.mu_of, (1, 0)), ("delta", 1, gdp.mu_of, (1, 1))]
    bad += [("mu", 0, gdp.epsilon_of, (1e-5, 0)), ("delta", 0, gdp.epsilon_of, (0, 1))]
    bad += [("mu", math.inf, gdp.delta_of, (1, math.inf))]
    for name, value, function, (first, second) in bad:
        with pytest.raises(check.RefusedError, match=f"^{name} is {value},"):
            function(first, **{"delta" if function is gdp.mu_of else "mu": second})
