"""Renyi divergences against quadrature, the published series, another library, and figures of the literature."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.rdp import rdp_privacy_accountant as library
from event_builders import approximate, gaussian, laplace, pure, sample, sampled, together
from scipy import integrate

from dpcore import accountants
from dpcore.accountants import rdp
from dpcore.privacy import Adjacency

HARD = [(0.01, 4.0), (0.01, 1.0), (0.1, 0.3), (0.5, 2.0), (0.001, 0.6), (0.01, 50.0), (0.9, 1.0), (1e-6, 1.0)]


def moment_minus_one(order: float, rate: float, sigma: float) -> mpmath.mpf:
    """A_a - 1 by quadrature, 30 digits: E_Q[(P/Q)^a] with P, Q as the densities that they are."""
    with mpmath.workdps(30):
        q, s = mpmath.mpf(rate), mpmath.mpf(sigma)

        def integrand(z):
            none, one = mpmath.npdf(z, 0, s), mpmath.npdf(z, 1, s)
            return none * (((1 - q) * none + q * one) / none) ** order

        # The integrand has bumps at 0 and at the order, and a bend between, where both densities weigh the same.
        bend = s**2 * mpmath.log(1 / q - 1) + mpmath.mpf(1) / 2
        marks = {-14 * s, -5 * s, 0, 5 * s, bend, order - 5 * s, mpmath.mpf(order), order + 5 * s, order + 14 * s}
        return mpmath.quad(integrand, sorted(marks), method="gauss-legendre") - 1


@pytest.mark.parametrize(("rate", "sigma"), HARD)
def test_sampled_moments_by_quadrature(rate, sigma):
    orders = (1.01, 1.5, 2.5, 3.0, 9.9, 32.0)
    found = rdp.divergences(sampled(rate, sigma), orders)
    exact = [mpmath.log1p(moment_minus_one(order, rate, sigma)) / (order - 1) for order in orders]
    assert found == pytest.approx([float(value) for value in exact], rel=1e-9)


def test_the_other_direction_is_smaller():
    orders = (1.5, 2.0, 5.0, 20.0)
    for rate, sigma in [(0.01, 4.0), (0.3, 1.0)]:
        z = np.linspace(-40, 60, 400_001)
        log_ratio = np.logaddexp(math.log1p(-rate), math.log(rate) + (2 * z - 1) / (2 * sigma**2))
        density = np.exp(-z * z / (2 * sigma**2)) / math.sqrt(2 * math.pi * sigma**2)
        moments = [integrate.trapezoid(density * np.expm1((1 - a) * log_ratio), z) for a in orders]
        reverse = np.log1p(moments) / (np.array(orders) - 1)
        assert (reverse < rdp.divergences(sampled(rate, sigma), orders)).all()


@pytest.mark.parametrize(
    ("rate", "sigma", "steps", "delta"),
    [(0.01, 4.0, 10_000, 1e-5), (0.16, 1.5, 100, 1e-4), (1.0, 0.3, 1, 1e-5), (0.01, 1.0, 1000, 1e-12)],
)
def test_epsilon_agrees_with_the_library(monkeypatch, rate, sigma, steps, delta):
    orders = tuple(float(order) for order in range(2, 129))
    monkeypatch.setattr(rdp, "ORDERS", orders)
    accountant = library.RdpAccountant(orders)
    accountant.compose(dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(sigma)), steps)
    found = rdp.renyi(sampled(rate, sigma), np.array([steps]), delta=delta, adjacency=Adjacency.ADD_REMOVE)[0]
    assert found == pytest.approx(accountant.get_epsilon(delta), rel=1e-6)


@pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 7.3])
@pytest.mark.parametrize("multiplier", [0.4, 1.0, 5.0])
def test_laplace_by_quadrature(order, multiplier):
    def integrand(x):
        return math.exp((abs(x - 1) * (order - 1) - abs(x) * order) / multiplier) / (2 * multiplier)

    moment = integrate.quad(integrand, -45 * multiplier, 45 * multiplier + 1, points=[0, 1])[0]
    found = rdp.divergences(laplace(multiplier), (order,))[0]
    assert found == pytest.approx(math.log(moment) / (order - 1), rel=1e-7)


@pytest.mark.parametrize("order", [1.01, 2.0, 7.3, 900.0])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0])
def test_pure_is_randomised_response_and_worse_than_laplace(order, epsilon):
    with mpmath.workdps(50):
        p = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        exact = mpmath.log(p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)) / (order - 1)
    found = rdp.divergences(pure(epsilon), (order,))[0]
    assert found == pytest.approx(float(exact), rel=1e-9)
    of_laplace = rdp.divergences(laplace(1 / epsilon), (order,))[0]
    assert of_laplace <= found * (1 + 1e-9) <= epsilon * (1 + 1e-9)


def test_an_approximate_release_takes_its_delta_first():
    options = {"adjacency": Adjacency.REPLACE_ONE, "accountant": "renyi"}
    found = accountants.curve(approximate(0.1, 1e-7), [10, 99, 101], delta=1e-5, **options)
    assert found[0] == pytest.approx(accountants.curve(pure(0.1), [10], delta=9e-6, **options)[0], rel=1e-12)
    assert list(np.isfinite(found)) == [True, True, False]


def test_layers_of_one_sample_are_one_gaussian_release():
    layers = together(*map(gaussian, (2.0, 3.0, 6.0)))
    multiplier = (1 / 4 + 1 / 9 + 1 / 36) ** -0.5
    found = rdp.divergences(sample(0.1, layers), rdp.ORDERS)
    assert found == pytest.approx(rdp.divergences(sampled(0.1, multiplier), rdp.ORDERS), rel=1e-12)


def test_little_noise_is_interpolated_above():
    orders = (1.2, 2.0, 2.6, 3.0)
    low, high = (rdp.divergences(sampled(0.01, sigma), orders) for sigma in (0.1 * (1 + 1e-9), 0.1 * (1 - 1e-9)))
    assert high[[1, 3]] == pytest.approx(low[[1, 3]], rel=1e-6)
    assert (high[[0, 2]] > low[[0, 2]]).all()


@pytest.mark.parametrize("sigma", [1e-3, 0.05, 1e4])
def test_extreme_noise_stays_finite_and_ordered(sigma):
    found = rdp.divergences(sampled(0.01, sigma), rdp.ORDERS)
    assert np.isfinite(found).all()
    assert (np.diff(found) >= -1e-9 * found[1:]).all()  # D_a rises with a
