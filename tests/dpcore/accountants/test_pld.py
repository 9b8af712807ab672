"""Privacy loss distributions and Rényi divergences against exact epsilons, closed forms and brute
force.
"""

import math
import subprocess
import sys

import mpmath
import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.rdp import rdp_privacy_accountant as library
from scipy import integrate, stats

from dpcore import accountants
from dpcore.accountants import pld, pld_composition, pld_distributions, rdp
from dpcore.privacy import Adjacency, Sequence
from tests.accounting_oracles import ADD, ANSWERS, NOISY, REPLACE, contour, exact
from tests.accounting_oracles import epsilon as account
from tests.event_builders import approximate, gaussian, laplace, pure, sampled, times, together

# Rate, noise multiplier, steps, delta
RUNS = [
    (0.01, 4, 10_000, 1e-5),  # [abadi2016]
    (0.01, 1.1, 10_000, 1e-5),
    (0.064, 4, 500, 1e-3),
    (0.16, 1.5, 100, 1e-4),
    (1, 50, 100, 1e-5),
    (1, 0.3, 1, 1e-5),
    (1, 4, 1, 1e-12),
    (0.01, 0.3, 1, 1e-5),
    (0.01, 4, 1, 1e-12),
    (0.01, 0.3, 1000, 1e-5),
    (0.1, 0.3, 100, 1e-5),
    (0.01, 50, 100_000, 1e-5),
    (0.001, 1, 100_000, 1e-5),
    (0.01, 4, 10_000, 1e-12),
    (0.1, 1, 100_000, 1e-5),
]


def epsilon(event, delta, *, of=pld.epsilons, adjacency=ADD, **options):
    return float(of(event, [1], delta=delta, adjacency=adjacency, **options)[0])


@pytest.mark.parametrize(
    "run",
    [(1, 10, 100, 1e-5), (1, 20, 10_000, 1e-5), (1, 10, 1000, 1e-12), (0.3, 1.0, 1, 1e-3)],
    ids=str,
)
def test_all_ways_to_the_exact_epsilon_agree(run):
    rate, *others = run
    assert contour(min(rate, 1 - 1e-16), *others) == pytest.approx(exact(*run), rel=1e-6)


@pytest.mark.parametrize(("rate", "sigma", "steps", "delta"), RUNS)
def test_epsilon_is_exact_within_its_grid_and_never_below(rate, sigma, steps, delta):
    true = exact(rate, sigma, steps, delta)
    event = times(steps, sampled(rate, sigma))
    coarse, fine = (epsilon(event, delta, of=of) for of in (pld.coarse, pld.epsilons))
    # At a delta of 1e-12 the margin for the transform's rounding is felt; beyond exp(745) the
    # library rounds up.
    slack = 1.2e-3 if true > 700 else 2e-2 if delta < 1e-10 else 1.2e-4
    assert true * (1 - 1e-6) <= fine <= true * (1 + slack)
    assert true * (1 - 1e-6) <= coarse <= true * (1 + max(slack, 3e-3))


@pytest.mark.parametrize(("event", "adjacency", "curve"), NOISY + ANSWERS)
def test_epsilon_is_that_of_densities_and_of_all_outcomes(event, adjacency, curve):
    delta = min(1e-3, curve(0.0) / 2)
    found = epsilon(event, delta, adjacency=adjacency)
    assert curve(found) <= delta * (1 + 1e-9)
    assert curve(found * (1 - (1e-3 if isinstance(event, Sequence) else 2e-4))) > delta


def test_opposite_contributions_are_the_worst_of_all_replacements():
    rate, sigma, rng = 0.3, 0.8, np.random.default_rng(0)
    axis = np.linspace(-6, 6, 241)
    x, y = np.meshgrid(axis, axis)

    def output(at):
        none, one = (
            np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * sigma**2)) for a, b in ((0, 0), at)
        )
        return (
            ((1 - rate) * none + rate * one) * (axis[1] - axis[0]) ** 2 / (2 * math.pi * sigma**2)
        )

    def apart(p, q):
        return [
            np.maximum(p - math.exp(epsilon) * q, 0).sum()
            for epsilon in (-1.0, -0.3, 0.0, 0.3, 1.0, 2.0)
        ]

    worst = np.array(apart(output((-1, 0)), output((1, 0))))
    for _ in range(40):
        radii, angles = rng.random(2) ** 0.25, rng.random(2) * 2 * math.pi
        one, other = zip(radii * np.cos(angles), radii * np.sin(angles), strict=True)
        assert (np.array(apart(output(one), output(other))) <= worst + 1e-9).all()


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_gaussian_releases_are_exact(count, adjacency):
    event = together(times(count, gaussian(9.0)), gaussian(3.0))
    found = epsilon(event, 1e-6, adjacency=adjacency)
    assert 1 <= found / account(event, delta=1e-6, adjacency=adjacency) <= 1 + 1e-4


def composed_by_plain_sums(part, times):
    """(losses over grid, masses) of ``times`` draws: sums of positive products only, so each to a
    relative 1e-13.
    """
    total, power = (0, np.ones(1)), (part._lower_loss, part._probs)
    while times:
        if times % 2:
            total = total[0] + power[0], np.convolve(total[1], power[1])
        power, times = (2 * power[0], np.convolve(power[1], power[1])), times // 2
        kept = np.flatnonzero(power[1] > 1e-40)
        power = power[0] + kept[0], power[1][kept[0] : kept[-1] + 1]
    return total[0] + np.arange(len(total[1])), total[1]


@pytest.mark.parametrize("delta", [1e-12, 1e-10])
@pytest.mark.parametrize(
    ("rate", "sigma"), [(0.003, 1.7), (0.01, 0.6), (0.01, 1.7), (0.05, 0.8), (0.3, 4.0)]
)
def test_the_transform_hides_nothing_that_plain_sums_find(rate, sigma, delta):
    step, steps = sampled(rate, sigma), 1000
    grid = pld.interval({step: steps}, ADD, pld.COARSE)
    claimed = epsilon(times(steps, step), delta, of=pld.coarse)
    single = pld_distributions.distribution(step, grid, ADD)
    for part in (single._pmf_remove, single._pmf_add):
        places, masses = composed_by_plain_sums(part.to_dense_pmf(), steps)
        above = places * grid > claimed
        assert masses[above] @ -np.expm1(claimed - places[above] * grid) <= delta


def test_a_delta_below_the_margin_is_left_to_renyi_orders_or_has_no_bound():
    event, true = sampled(0.01, 4.0, 100_000), contour(0.01, 4.0, 100_000, 1e-12)
    assert true < epsilon(event, 1e-12) < true * 1.1
    assert epsilon(event, 1e-12, adjacency=REPLACE) == math.inf
    assert epsilon(laplace(2.0), 1e-12) == pytest.approx(
        0.5, rel=1e-6
    )  # Laplace noise has a largest loss


@pytest.mark.parametrize("found", [sampled(0.01, 2.0), gaussian(3.0), pure(0.5)])
def test_a_dense_distribution_composes_to_the_same_numbers(found):
    single = pld_distributions.distribution(found, 0.01, ADD)
    for count in (2, 9, 4000):
        quick, slow = pld_composition.self_composed(single, count), single.self_compose(count)
        assert quick.get_epsilon_for_delta(1e-6) == slow.get_epsilon_for_delta(1e-6)


def test_a_distribution_without_mass_keeps_all_its_points():
    assert pld_composition._truncation_bounds(np.zeros(40), 3) == (0, 117)


@pytest.mark.filterwarnings("error")
def test_a_sum_of_nothing_has_the_logarithm_minus_infinity():
    terms = np.array([[-math.inf, -math.inf], [0.0, 0.0]])

    log_sums = rdp._log_sums(terms)

    assert log_sums == pytest.approx([-math.inf, math.log(2)])


def test_the_library_is_imported_when_it_is_used_and_left_as_it_is():
    code = (
        "import sys\nfrom dpcore import accountants\nassert 'dp_accounting' not in"
        " sys.modules\nfrom dp_accounting.pld import common\nbefore = dict(vars(common))\nfrom"
        " dpcore.privacy import *\nevent = Composed(event=PoissonSampled(rate=0.01,"
        " event=GaussianRelease(noise_multiplier=1.0)), count=50)\naccountants.account(event,"
        " delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant='pld')\nassert before =="
        " vars(common), [name for name in before if before[name] is not vars(common)[name]]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


HARD = [
    (0.01, 4.0),
    (0.01, 1.0),
    (0.1, 0.3),
    (0.5, 2.0),
    (0.001, 0.6),
    (0.01, 50.0),
    (0.9, 1.0),
    (1e-6, 1.0),
]


class TestRenyi:
    """Divergences against quadrature, another library and figures of the literature."""

    @pytest.mark.parametrize(("rate", "sigma"), HARD)
    def test_sampled_moments_by_quadrature(self, rate, sigma):
        """E_Q[(P/Q)^a] to 30 digits, with P, Q as the densities that they are."""
        orders, q, s = (1.01, 1.5, 2.5, 3.0, 9.9, 32.0), mpmath.mpf(rate), mpmath.mpf(sigma)
        for order, found in zip(orders, rdp.divergences(sampled(rate, sigma), orders), strict=True):
            with mpmath.workdps(30):

                def integrand(z, order=order):
                    none, one = mpmath.npdf(z, 0, s), mpmath.npdf(z, 1, s)
                    return none * (((1 - q) * none + q * one) / none) ** order

                # It has bumps at 0 and at the order, and a bend between, where both densities weigh
                # the same.
                bend, far = s**2 * mpmath.log(1 / q - 1) + mpmath.mpf(1) / 2, mpmath.mpf(order)
                marks = {
                    -14 * s,
                    -5 * s,
                    0,
                    5 * s,
                    bend,
                    far - 5 * s,
                    far,
                    far + 5 * s,
                    far + 14 * s,
                }
                moment = mpmath.quad(integrand, sorted(marks), method="gauss-legendre")
            assert found == pytest.approx(float(mpmath.log(moment) / (order - 1)), rel=1e-9)

    def test_the_other_direction_is_smaller(self):
        orders, z = (1.5, 2.0, 5.0, 20.0), np.linspace(-40, 60, 400_001)
        for rate, sigma in [(0.01, 4.0), (0.3, 1.0)]:
            log_ratio = np.logaddexp(
                math.log1p(-rate), math.log(rate) + (2 * z - 1) / (2 * sigma**2)
            )
            density = stats.norm.pdf(z, scale=sigma)
            moments = [
                integrate.trapezoid(density * np.expm1((1 - a) * log_ratio), z) for a in orders
            ]
            reverse = np.log1p(moments) / (np.array(orders) - 1)
            assert (reverse < rdp.divergences(sampled(rate, sigma), orders)).all()

    @pytest.mark.parametrize(
        ("rate", "sigma", "steps", "delta"),
        [
            (0.01, 4.0, 10_000, 1e-5),
            (0.16, 1.5, 100, 1e-4),
            (1.0, 0.3, 1, 1e-5),
            (0.01, 1.0, 1000, 1e-12),
        ],
    )
    def test_epsilon_agrees_with_the_library(self, monkeypatch, rate, sigma, steps, delta):
        orders = tuple(float(order) for order in range(2, 129))
        monkeypatch.setattr(rdp, "ORDERS", orders)
        monkeypatch.setattr(rdp, "_ORDERS_OF_CLOSED_FORMS", orders)
        accountant = library.RdpAccountant(orders)
        accountant.compose(
            dp_event.PoissonSampledDpEvent(rate, dp_event.GaussianDpEvent(sigma)), steps
        )
        found = rdp.renyi(
            sampled(rate, sigma), np.array([steps]), delta=delta, adjacency=Adjacency.ADD_REMOVE
        )[0]
        assert found == pytest.approx(accountant.get_epsilon(delta), rel=1e-6)

    @pytest.mark.parametrize("order", [1.01, 1.5, 2.0, 7.3, 900.0])
    @pytest.mark.parametrize("epsilon", [0.01, 0.2, 1.0, 2.5, 8.0])
    def test_pure_is_randomised_response_and_worse_than_laplace(self, order, epsilon):
        """Laplace noise by its outcomes: beyond the one end, beyond the other, and between, where
        the loss falls.
        """
        with mpmath.workdps(50):
            p, e = mpmath.exp(epsilon) / (1 + mpmath.exp(epsilon)), mpmath.mpf(epsilon)
            exact = mpmath.log(
                p**order * (1 - p) ** (1 - order) + (1 - p) ** order * p ** (1 - order)
            ) / (order - 1)
            between = (
                mpmath.quad(lambda x: mpmath.exp(e * ((1 - x) * (order - 1) - x * order)), [0, 1])
                * e
            )
            beyond = mpmath.exp((order - 1) * e) + mpmath.exp(-order * e)
            less = mpmath.log((beyond + between) / 2) / (order - 1)
        found, of_laplace = (
            rdp.divergences(one, (order,))[0] for one in (pure(epsilon), laplace(1 / epsilon))
        )
        assert (found, of_laplace) == pytest.approx((float(exact), float(less)), rel=1e-9)
        assert of_laplace <= found * (1 + 1e-9) <= epsilon * (1 + 1e-9)

    def test_an_approximate_release_takes_its_delta_first(self):
        options = {"adjacency": Adjacency.REPLACE_ONE, "accountant": "renyi"}
        found = accountants.curve(approximate(0.1, 1e-7), [10, 99, 101], delta=1e-5, **options)
        assert found[0] == pytest.approx(
            accountants.curve(pure(0.1), [10], delta=9e-6, **options)[0], rel=1e-12
        )
        assert list(np.isfinite(found)) == [True, True, False]

    def test_little_noise_is_interpolated_above_and_extreme_noise_is_finite(self):
        orders = (1.2, 2.0, 2.6, 3.0)
        low, high = (
            rdp.divergences(sampled(0.01, sigma), orders)
            for sigma in (0.1 * (1 + 1e-9), 0.1 * (1 - 1e-9))
        )
        assert high[[1, 3]] == pytest.approx(low[[1, 3]], rel=1e-6)
        assert (high[[0, 2]] > low[[0, 2]]).all()

        for sigma in (1e-3, 0.05, 1e4):
            found = rdp.divergences(sampled(0.01, sigma), rdp.ORDERS)
            assert np.isfinite(found).all()
            assert (np.diff(found) >= -1e-9 * found[1:]).all()  # D_a rises with a
