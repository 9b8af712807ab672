"""Privacy loss distributions against exact epsilons from elsewhere, closed forms and brute force."""

import csv
import itertools
import math
import runpy
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from accounting_oracles import ADD, ANSWERS, NOISY, REPLACE, gaussian, sampled
from accounting_oracles import epsilon as account

from dpcore.accountants import pld
from dpcore.privacy import Adjacency, Composed, LaplaceRelease, PureRelease, Sequence, releases

REFERENCE = Path(__file__).parent / "reference"
with (REFERENCE / "accounting.csv").open() as file:
    ROWS = [(*map(float, row[:5]), row[5]) for row in list(csv.reader(file))[1:]]
SCRIPT = runpy.run_path(str(REFERENCE / "make_accounting.py"))


def epsilon(event, delta, *, of=pld.epsilons, adjacency=ADD, **options):
    return float(of(event, [1], delta=delta, adjacency=adjacency, **options)[0])


def test_the_table_covers_the_corners():
    assert {0.01, 1.0} <= {row[0] for row in ROWS}
    assert {0.3, 50.0} <= {row[1] for row in ROWS}
    assert {1.0, 100_000.0} <= {row[2] for row in ROWS}
    assert min(row[3] for row in ROWS) == 1e-12


@pytest.mark.parametrize("row", ROWS)
def test_the_table_is_what_its_script_makes(row):
    rate, sigma, steps, delta, exact, how = row
    found, way = SCRIPT["epsilon"](rate, sigma, int(steps), delta)
    assert (pytest.approx(exact, rel=2e-9), how) == (found, way)


@pytest.mark.parametrize(
    ("sigma", "steps", "delta"), [(10, 100, 1e-5), (1, 1, 1e-5), (20, 10_000, 1e-5), (10, 1000, 1e-12)]
)
def test_both_ways_to_the_table_agree(sigma, steps, delta):
    exact = SCRIPT["formula"](1, sigma, steps, delta)
    assert SCRIPT["contour"](1 - 1e-16, sigma, steps, delta) == pytest.approx(exact, rel=1e-10)


def test_the_contour_is_that_of_simulated_runs():
    # delta = E_P[(1 - e^{epsilon - L})_+] over 100 steps with the unit in the data.
    rate, sigma, steps, rng = 0.1, 1.0, 100, np.random.default_rng(0)
    output = rng.normal(scale=sigma, size=(50_000, steps)) + (rng.random((50_000, steps)) < rate)
    loss = np.log(1 - rate + rate * np.exp((2 * output - 1) / (2 * sigma**2))).sum(axis=1)
    exact = SCRIPT["contour"](rate, sigma, steps, 0.01)
    simulated = np.maximum(-np.expm1(exact - loss), 0)
    assert abs(simulated.mean() - 0.01) < 4 * simulated.std() / math.sqrt(len(simulated))


@pytest.mark.parametrize("row", ROWS)
def test_epsilon_is_exact_within_its_grid_and_never_below(row):
    rate, sigma, steps, delta, exact, _ = row
    event = Composed(event=sampled(rate, sigma), count=int(steps))
    coarse, fine = (epsilon(event, delta, of=of) for of in (pld.coarse, pld.epsilons))
    # At a delta of 1e-12 the margin for the transform's rounding is felt; beyond exp(745) the library rounds up.
    slack = 1.2e-3 if exact > 700 else 2e-2 if delta < 1e-10 else 1.2e-4
    assert exact * (1 - 1e-6) <= fine <= exact * (1 + slack)
    assert exact * (1 - 1e-6) <= coarse <= exact * (1 + max(slack, 3e-3))


@pytest.mark.parametrize("grid", [2e-3, 1e-3, 5e-4, 1e-4])
def test_a_given_grid_is_an_upper_bound_too(grid):
    found = epsilon(sampled(0.01, 4.0, 10_000), 1e-5, value_discretization_interval=grid)
    assert 0.9468668 <= found <= 0.9468668 * (1 + 1.5e4 * grid**2)


def test_a_replaced_sample_has_half_the_noise_multiplier():
    """The run of the literature, whose epsilon 0.947 under add/remove the table of all accountants has."""
    assert epsilon(sampled(0.01, 2.0, 10_000), 1e-5, adjacency=REPLACE) == pytest.approx(1.993, abs=1e-3)


@pytest.mark.parametrize(("event", "adjacency", "curve"), NOISY + ANSWERS)
def test_epsilon_is_that_of_densities_and_of_all_outcomes(event, adjacency, curve):
    delta = min(1e-3, curve(0.0) / 2)
    found = epsilon(event, delta, adjacency=adjacency)
    assert curve(found) <= delta * (1 + 1e-9)
    assert curve(found * (1 - (1e-3 if isinstance(event, Sequence) else 2e-4))) > delta


def test_laplace_noise_has_a_largest_loss():
    assert epsilon(LaplaceRelease(noise_multiplier=2.0), 1e-12) == pytest.approx(0.5, rel=1e-6)


@pytest.mark.parametrize("rate", [1e-4, 0.01, 0.5, 0.99])
@pytest.mark.parametrize("sigma", [0.3, 1.0, 50.0])
def test_a_sample_has_the_distribution_of_the_library(rate, sigma):
    from dp_accounting.pld import privacy_loss_distribution as library

    grid = pld.interval({sampled(rate, sigma): 1}, ADD, (0.2, 20_000))
    ours = pld.distribution(sampled(rate, sigma), grid, ADD)
    theirs = library.from_gaussian_mechanism(sigma, value_discretization_interval=grid, sampling_prob=rate)
    for part, other in ((ours._pmf_remove, theirs._pmf_remove), (ours._pmf_add, theirs._pmf_add)):
        part, other = part.to_dense_pmf(), other.to_dense_pmf()
        assert (part._lower_loss, part.size) == (other._lower_loss, other.size)
        np.testing.assert_allclose(part._probs, other._probs, rtol=0, atol=1e-15 / grid)
        assert part._infinity_mass == pytest.approx(other._infinity_mass, rel=1e-9, abs=1e-30)


def test_opposite_contributions_are_the_worst_of_all_replacements():
    rate, sigma, rng = 0.3, 0.8, np.random.default_rng(0)
    axis = np.linspace(-6, 6, 241)
    x, y = np.meshgrid(axis, axis)

    def output(at):
        none, one = (np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * sigma**2)) for a, b in ((0, 0), at))
        return ((1 - rate) * none + rate * one) * (axis[1] - axis[0]) ** 2 / (2 * math.pi * sigma**2)

    def apart(p, q):
        return [np.maximum(p - math.exp(epsilon) * q, 0).sum() for epsilon in (-1.0, -0.3, 0.0, 0.3, 1.0, 2.0)]

    worst = np.array(apart(output((-1, 0)), output((1, 0))))
    for _ in range(40):
        radii, angles = rng.random(2) ** 0.25, rng.random(2) * 2 * math.pi
        one, other = zip(radii * np.cos(angles), radii * np.sin(angles), strict=True)
        assert (np.array(apart(output(one), output(other))) <= worst + 1e-9).all()


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_gaussian_releases_are_exact(count, adjacency):
    event = Sequence(events=(Composed(event=gaussian(9.0), count=count), gaussian(3.0)))
    exact = account(event, delta=1e-6, adjacency=adjacency)
    assert exact <= epsilon(event, 1e-6, adjacency=adjacency) <= exact * (1 + 1e-4)


@pytest.mark.parametrize(
    ("rate", "sigma", "steps"), [(0.01, 4.0, 10_000), (0.01, 1.0, 10_000), (0.1, 10.0, 10_000), (0.01, 4.0, 100_000)]
)
def test_the_margin_covers_what_the_transform_rounds(rate, sigma, steps):
    exact = SCRIPT["contour"](rate, sigma, steps, 1e-12)
    for resolution in (pld.COARSE, pld.FINE):
        grid = pld.interval({sampled(rate, sigma): steps}, ADD, resolution)
        composed = pld.distribution(sampled(rate, sigma), grid, ADD).self_compose(steps)
        assert 1e-12 - composed.get_delta_for_epsilon(exact) < pld._ROUNDING * steps


def composed_by_plain_sums(part, times):
    """(losses over grid, masses) of ``times`` draws: sums of positive products only, so each to a relative 1e-13."""
    total, power = (0, np.ones(1)), (part._lower_loss, part._probs)
    while times:
        if times % 2:
            total = total[0] + power[0], np.convolve(total[1], power[1])
        power, times = (2 * power[0], np.convolve(power[1], power[1])), times // 2
        kept = np.flatnonzero(power[1] > 1e-40)
        power = power[0] + kept[0], power[1][kept[0] : kept[-1] + 1]
    return total[0] + np.arange(len(total[1])), total[1]


@pytest.mark.parametrize("delta", [1e-12, 1e-10])
@pytest.mark.parametrize(("rate", "sigma"), [(0.003, 1.7), (0.01, 0.6), (0.01, 1.7), (0.05, 0.8), (0.3, 4.0)])
def test_the_transform_hides_nothing_that_plain_sums_find(rate, sigma, delta):
    step, steps = sampled(rate, sigma), 1000
    grid = pld.interval({step: steps}, ADD, pld.COARSE)
    claimed = epsilon(Composed(event=step, count=steps), delta, of=pld.coarse)
    single = pld.distribution(step, grid, ADD)
    for part in (single._pmf_remove, single._pmf_add):
        places, masses = composed_by_plain_sums(part.to_dense_pmf(), steps)
        above = places * grid > claimed
        assert masses[above] @ -np.expm1(claimed - places[above] * grid) <= delta


def test_a_delta_below_the_margin_is_left_to_renyi_orders_or_has_no_bound():
    event, exact = sampled(0.01, 4.0, 100_000), SCRIPT["contour"](0.01, 4.0, 100_000, 1e-12)
    assert exact < epsilon(event, 1e-12) < exact * 1.1
    assert epsilon(event, 1e-12, adjacency=REPLACE) == math.inf


def test_equal_releases_share_a_grid():
    runs = [Composed(event=sampled(0.01, 4.0), count=count) for count in (1, 7, 10_000, 99_999)]
    assert len({pld.interval(releases(run), ADD, pld.COARSE) for run in runs}) == 1


def test_the_truncation_of_a_composition_is_the_librarys():
    from dp_accounting.pld import common

    rng = np.random.default_rng(5)
    untouched = runpy.run_path(common.__file__)["compute_self_convolve_bounds"]
    for size, times in itertools.product((2, 3, 40, 700), (1, 2, 30, 100_000)):
        for tail in (0, 1e-15, 1e-4):
            probs = rng.dirichlet(np.full(size, 0.3))
            assert pld.truncation_bounds(probs, times, tail) == untouched(probs, times, tail)


@pytest.mark.parametrize("found", [sampled(0.01, 2.0), gaussian(3.0), PureRelease(epsilon=0.5)])
@pytest.mark.parametrize("times", [2, 9, 4000])
def test_a_dense_distribution_composes_to_the_same_numbers(found, times):
    single = pld.distribution(found, 0.01, ADD)
    quick, slow = pld.self_composed(single, times), single.self_compose(times)
    assert quick.get_epsilon_for_delta(1e-6) == slow.get_epsilon_for_delta(1e-6)


def test_the_library_is_imported_when_it_is_used_and_left_as_it_is():
    code = (
        "import sys\n"
        "from dpcore import accountants\n"
        "assert 'dp_accounting' not in sys.modules\n"
        "from dp_accounting.pld import common\n"
        "before = dict(vars(common))\n"
        "from dpcore.privacy import *\n"
        "event = Composed(event=PoissonSampled(rate=0.01, event=GaussianRelease(noise_multiplier=1.0)), count=50)\n"
        "accountants.account(event, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant='pld')\n"
        "assert before == vars(common), [name for name in before if before[name] is not vars(common)[name]]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
