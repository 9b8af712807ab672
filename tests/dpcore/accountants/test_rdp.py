"""Rényi divergences against quadrature, another library and closed forms."""

import math

import mpmath
import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.rdp import rdp_privacy_accountant as library
from scipy import integrate, stats

from dpcore import accountants
from dpcore.accountants import rdp
from dpcore.privacy import Adjacency
from tests.event_builders import approximate, laplace, pure, sampled

# Sums and integrals in double precision, against 30 digits or more.
NUMERICAL_ERROR = 1e-9
# The library's sums, and moments at nearly the same noise, agree to so many digits.
LIBRARY_ERROR = 1e-6

ORDERS = (1.01, 1.5, 2.5, 3.0, 9.9, 32.0)
STEPS = [
    (0.01, 4.0),
    (0.01, 1.0),
    (0.1, 0.3),
    (0.5, 2.0),
    (0.001, 0.6),
    (0.01, 50.0),
    (0.9, 1.0),
    (1e-6, 1.0),
]


def exact_divergence(rate: float, sigma: float, order: float) -> float:
    """Return ln E_Q[(P/Q)^a] / (a - 1) to 30 digits, with P and Q as densities."""
    with mpmath.workdps(30):
        q = mpmath.mpf(rate)
        s = mpmath.mpf(sigma)

        def integrand(z):
            """Return the density of Q times (P/Q)^a at z."""
            absent = mpmath.npdf(z, 0, s)
            present = mpmath.npdf(z, 1, s)
            mixture = (1 - q) * absent + q * present
            return absent * (mixture / absent) ** order

        # It has bumps at 0 and at the order, and bends where both densities weigh the same.
        bend = s**2 * mpmath.log(1 / q - 1) + mpmath.mpf(1) / 2
        far = mpmath.mpf(order)
        of_absent = {-14 * s, -5 * s, 0, 5 * s}
        of_present = {far - 5 * s, far, far + 5 * s, far + 14 * s}
        ends = sorted(of_absent | {bend} | of_present)
        moment = mpmath.quad(integrand, ends, method="gauss-legendre")
        return float(mpmath.log(moment) / (order - 1))


@pytest.mark.parametrize(("rate", "sigma"), STEPS)
def test_divergences_of_a_sampled_step_are_those_of_its_densities(rate, sigma):
    divergences = rdp.divergences(sampled(rate, sigma), ORDERS)

    exact = [exact_divergence(rate, sigma, order) for order in ORDERS]
    assert divergences == pytest.approx(exact, rel=NUMERICAL_ERROR)


@pytest.mark.parametrize(("rate", "sigma"), [(0.01, 4.0), (0.3, 1.0)])
def test_the_divergence_of_an_added_row_is_smaller_than_that_of_a_removed_one(rate, sigma):
    orders = np.array([1.5, 2.0, 5.0, 20.0])
    z = np.linspace(-40, 60, 400_001)
    log_present = math.log(rate) + (2 * z - 1) / (2 * sigma**2)
    log_ratio = np.logaddexp(math.log1p(-rate), log_present)
    density = stats.norm.pdf(z, scale=sigma)
    moments = [integrate.trapezoid(density * np.expm1((1 - a) * log_ratio), z) for a in orders]

    of_addition = np.log1p(moments) / (orders - 1)

    assert (of_addition < rdp.divergences(sampled(rate, sigma), tuple(orders))).all()


@pytest.mark.parametrize(
    ("rate", "sigma", "steps", "delta"),
    [
        (0.01, 4.0, 10_000, 1e-5),
        (0.16, 1.5, 100, 1e-4),
        (1.0, 0.3, 1, 1e-5),
        (0.01, 1.0, 1000, 1e-12),
    ],
)
def test_epsilon_is_that_of_the_library_at_the_same_orders(monkeypatch, rate, sigma, steps, delta):
    orders = tuple(float(order) for order in range(2, 129))
    monkeypatch.setattr(rdp, "ORDERS", orders)
    monkeypatch.setattr(rdp, "_ORDERS_OF_CLOSED_FORMS", orders)
    accountant = library.RdpAccountant(orders)
    step = dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(sigma))
    accountant.compose(step, steps)

    (epsilon,) = rdp.renyi(
        sampled(rate, sigma), np.array([steps]), delta=delta, adjacency=Adjacency.ADD_REMOVE
    )

    assert epsilon == pytest.approx(accountant.get_epsilon(delta), rel=LIBRARY_ERROR)


PURE = pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0, 2.5, 8.0])
PURE_ORDERS = pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 7.3, 900.0])


@PURE
@PURE_ORDERS
def test_a_pure_release_has_the_divergence_of_randomised_response(order, epsilon):
    (divergence,) = rdp.divergences(pure(epsilon), (order,))

    with mpmath.workdps(50):
        p = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon))
        moment = p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)
        exact = float(mpmath.log(moment) / (order - 1))
    assert divergence == pytest.approx(exact, rel=NUMERICAL_ERROR)
    assert divergence <= epsilon * (1 + 1e-9)


@PURE
@PURE_ORDERS
def test_laplace_noise_has_the_divergence_of_its_outcomes(order, epsilon):
    """They lie beyond the one end, beyond the other, and between, where the loss falls."""
    (divergence,) = rdp.divergences(laplace(1 / epsilon), (order,))

    with mpmath.workdps(50):
        e = mpmath.mpf(epsilon)
        between = e * mpmath.quad(
            lambda x: mpmath.exp(e * ((1 - x) * (order - 1) - x * order)), [0, 1]
        )
        beyond = mpmath.exp((order - 1) * e) + mpmath.exp(-order * e)
        exact = float(mpmath.log((beyond + between) / 2) / (order - 1))
    (of_pure,) = rdp.divergences(pure(epsilon), (order,))
    assert divergence == pytest.approx(exact, rel=NUMERICAL_ERROR)
    assert divergence <= of_pure * (1 + 1e-9)


def test_an_approximate_release_takes_its_delta_first():
    options = {"adjacency": Adjacency.REPLACE_ONE, "accountant": "renyi"}

    epsilons = accountants.curve(approximate(0.1, 1e-7), [10, 99, 101], delta=1e-5, **options)

    (of_pure,) = accountants.curve(pure(0.1), [10], delta=9e-6, **options)
    assert epsilons[0] == pytest.approx(of_pure, rel=NUMERICAL_ERROR)
    assert list(np.isfinite(epsilons)) == [True, True, False]


def test_moments_of_little_noise_are_interpolated_from_above():
    orders = (1.2, 2.0, 2.6, 3.0)

    by_quadrature = rdp.divergences(sampled(0.01, 0.1 * (1 + 1e-9)), orders)
    interpolated = rdp.divergences(sampled(0.01, 0.1 * (1 - 1e-9)), orders)

    whole_orders = [1, 3]
    between_them = [0, 2]
    assert interpolated[whole_orders] == pytest.approx(
        by_quadrature[whole_orders], rel=LIBRARY_ERROR
    )
    assert (interpolated[between_them] > by_quadrature[between_them]).all()


@pytest.mark.parametrize("sigma", [1e-3, 0.05, 1e4])
def test_divergences_of_extreme_noise_are_finite_and_rise_with_the_order(sigma):
    divergences = rdp.divergences(sampled(0.01, sigma), rdp.ORDERS)

    assert np.isfinite(divergences).all()
    assert (np.diff(divergences) >= -1e-9 * divergences[1:]).all()


@pytest.mark.filterwarnings("error")
def test_a_sum_of_nothing_has_the_logarithm_minus_infinity():
    terms = np.array([[-math.inf, -math.inf], [0.0, 0.0]])

    log_sums = rdp._log_sums(terms)

    assert log_sums == pytest.approx([-math.inf, math.log(2)])
