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

from dpcore import accountants
from dpcore.accountants import pld
from dpcore.privacy import (
    Adjacency,
    ApproximateRelease,
    Composed,
    GaussianRelease,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    Sequence,
    UnsupportedEventError,
    releases,
)

REFERENCE = Path(__file__).parent / "reference"
with (REFERENCE / "accounting.csv").open() as file:
    ROWS = [(*map(float, row[:5]), row[5]) for row in list(csv.reader(file))[1:]]
SCRIPT = runpy.run_path(str(REFERENCE / "make_accounting.py"))
ADD, REPLACE = Adjacency.ADD_REMOVE, Adjacency.REPLACE_ONE


def sampled(rate, multiplier):
    return PoissonSampled(rate=rate, event=GaussianRelease(noise_multiplier=multiplier))


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
    assert SCRIPT["contour"](1 - 1e-16, sigma, steps, delta) == pytest.approx(
        SCRIPT["formula"](1, sigma, steps, delta), rel=1e-10
    )


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
    event = Composed(event=sampled(0.01, 4.0), count=10_000)
    found = epsilon(event, 1e-5, value_discretization_interval=grid)
    assert 0.9468668 <= found <= 0.9468668 * (1 + 1.5e4 * grid**2)


def test_the_figures_of_the_literature():
    event = Composed(event=sampled(0.01, 4.0), count=10_000)
    assert epsilon(event, 1e-5) == pytest.approx(0.947, abs=5e-4)
    # The same noise under replace-one: twice the sensitivity, so half the multiplier.
    replaced = Composed(event=sampled(0.01, 2.0), count=10_000)
    assert epsilon(replaced, 1e-5, adjacency=REPLACE) == pytest.approx(1.993, abs=1e-3)


@pytest.mark.parametrize("sigma", [0.7, 2.0])
@pytest.mark.parametrize("rate", [0.05, 0.5])
def test_a_sample_by_its_densities(rate, sigma):
    z = np.linspace(-40, 40, 800_001)  # in standard deviations of the noise
    without, one = (np.exp(-((z - mean) ** 2) / 2) / math.sqrt(2 * math.pi) for mean in (0, 1 / sigma))
    sample = (1 - rate) * without + rate * one
    for found, p, q in ((pld.with_against_without, sample, without), (pld.without_against_with, without, sample)):
        for x in (-3.0, -0.6, -0.01, 0.0, 0.01, 0.6, 1.0, 3.0):
            exact = np.maximum(p - math.exp(x) * q, 0).sum() * (z[1] - z[0])
            assert found(np.array([x]), mu=1 / sigma, rate=rate)[0] == pytest.approx(exact, rel=1e-6, abs=1e-12)


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


@pytest.mark.parametrize("sigma", [0.7, 2.0])
@pytest.mark.parametrize("rate", [0.05, 0.5])
def test_one_replaced_sample_by_its_densities(rate, sigma):
    x = np.linspace(-30, 30, 600_001)

    def normal(mean):
        return np.exp(-(((x - mean) / sigma) ** 2) / 2) / (sigma * math.sqrt(2 * math.pi))

    one, other = ((1 - rate) * normal(0) + rate * normal(mean) for mean in (-1, 1))
    found = epsilon(sampled(rate, sigma / 2), 1e-3, adjacency=REPLACE)
    away = np.maximum(one - math.exp(found) * other, 0).sum() * (x[1] - x[0])
    assert away == pytest.approx(1e-3, rel=5e-3)
    assert away <= 1e-3


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


def test_the_larger_of_both_directions_counts():
    rate, sigma, found = 0.3, 1.0, []
    x = np.linspace(-30, 30, 600_001)
    none, one = (np.exp(-((x - mean) ** 2) / 2) / math.sqrt(2 * math.pi) for mean in (0, 1))
    both = ((1 - rate) * none + rate * one, none)
    value = epsilon(sampled(rate, sigma), 1e-3)
    for p, q in (both, both[::-1]):
        found.append(np.maximum(p - math.exp(value) * q, 0).sum() * (x[1] - x[0]))
    assert max(found) == pytest.approx(1e-3, rel=5e-3)
    assert found[0] > found[1]


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_gaussian_releases_are_exact(count, adjacency):
    event = Sequence(
        events=(
            Composed(event=GaussianRelease(noise_multiplier=9.0), count=count),
            GaussianRelease(noise_multiplier=3.0),
        )
    )
    exact = accountants.account(event, delta=1e-6, adjacency=adjacency).epsilon
    assert exact <= epsilon(event, 1e-6, adjacency=adjacency) <= exact * (1 + 1e-4)


def exact_delta(size: float, count: int, target: float, failing: float) -> float:
    """delta of ``count`` releases by the worst (epsilon, delta) mechanism, over all its outcomes."""
    right = math.exp(size) / (1 + math.exp(size))
    total = 1 - (1 - failing) ** count
    for k in range(count + 1):
        p = math.comb(count, k) * right**k * (1 - right) ** (count - k) * (1 - failing) ** count
        total += p * max(-math.expm1(target - size * (2 * k - count)), 0)
    return total


@pytest.mark.parametrize(
    ("size", "count", "failing"), [(0.05, 1, 0.0), (1.3, 1, 0.0), (0.1, 100, 0.0), (0.5, 7, 1e-4), (3.0, 20, 0.0)]
)
def test_pure_and_approximate_releases_by_brute_force(size, count, failing):
    one = ApproximateRelease(epsilon=size, delta=failing) if failing else PureRelease(epsilon=size)
    found = epsilon(Composed(event=one, count=count), 1e-3)
    assert exact_delta(size, count, found, failing) <= 1e-3
    assert exact_delta(size, count, found * (1 - 2e-4), failing) > 1e-3


def test_laplace_by_its_densities():
    x = np.linspace(-60, 60, 1_200_001)
    p, q = (np.exp(-np.abs(x - mean) / 2) / 4 for mean in (0, 1))
    found = epsilon(LaplaceRelease(noise_multiplier=2.0), 0.05)
    assert np.maximum(p - math.exp(found) * q, 0).sum() * (x[1] - x[0]) == pytest.approx(0.05, rel=1e-3)
    assert epsilon(LaplaceRelease(noise_multiplier=2.0), 1e-12) == pytest.approx(0.5, rel=1e-6)


def test_different_releases_together_by_brute_force():
    # Two kinds of randomised response: all outcomes of 3 and 2 answers.
    sizes = (0.3, 0.3, 0.3, 0.8, 0.8)
    events = (Composed(event=PureRelease(epsilon=0.3), count=3), Composed(event=PureRelease(epsilon=0.8), count=2))
    found = epsilon(Sequence(events=events), 0.01)

    def delta(target):
        total = 0.0
        for signs in itertools.product((1, -1), repeat=5):
            p = math.prod(1 / (1 + math.exp(-sign * size)) for sign, size in zip(signs, sizes, strict=True))
            total += p * max(-math.expm1(target - sum(s * size for s, size in zip(signs, sizes, strict=True))), 0)
        return total

    assert delta(found) <= 0.01 < delta(found * (1 - 1e-3))


@pytest.mark.parametrize("adjacency", Adjacency)
def test_what_the_library_has_no_distribution_for_is_refused_by_name(adjacency):
    mixed = PoissonSampled(
        rate=0.1, event=Sequence(events=(GaussianRelease(noise_multiplier=1), PureRelease(epsilon=1)))
    )
    with pytest.raises(UnsupportedEventError, match=rf"{adjacency} for PoissonSampled\(rate=0\.1"):
        epsilon(mixed, 1e-5, adjacency=adjacency)


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
    claimed, single = (
        epsilon(Composed(event=step, count=steps), delta, of=pld.coarse),
        pld.distribution(step, grid, ADD),
    )
    for part in (single._pmf_remove, single._pmf_add):
        places, masses = composed_by_plain_sums(part.to_dense_pmf(), steps)
        above = places * grid > claimed
        assert masses[above] @ -np.expm1(claimed - places[above] * grid) <= delta


def test_a_delta_below_the_margin_is_left_to_renyi_orders():
    event = Composed(event=sampled(0.01, 4.0), count=100_000)
    exact = SCRIPT["contour"](0.01, 4.0, 100_000, 1e-12)
    assert exact < epsilon(event, 1e-12) < exact * 1.1


def test_equal_releases_share_a_grid():
    step = sampled(0.01, 4.0)
    grids = {
        pld.interval(releases(Composed(event=step, count=count)), ADD, pld.COARSE) for count in (1, 7, 10_000, 99_999)
    }
    assert len(grids) == 1


def test_a_delta_below_the_margin_has_no_bound_for_replaced_samples():
    event = Composed(event=sampled(0.01, 4.0), count=100_000)
    assert epsilon(event, 1e-12, adjacency=REPLACE) == math.inf


def test_the_truncation_of_a_composition_is_the_librarys():
    from dp_accounting.pld import common

    rng = np.random.default_rng(5)
    untouched = runpy.run_path(common.__file__)["compute_self_convolve_bounds"]
    for size, times in itertools.product((2, 3, 40, 700), (1, 2, 30, 100_000)):
        for tail in (0, 1e-15, 1e-4):
            probs = rng.dirichlet(np.full(size, 0.3))
            assert pld.truncation_bounds(probs, times, tail) == untouched(probs, times, tail)


@pytest.mark.parametrize("found", [sampled(0.01, 2.0), GaussianRelease(noise_multiplier=3.0), PureRelease(epsilon=0.5)])
@pytest.mark.parametrize("times", [2, 9, 4000])
def test_a_dense_distribution_composes_to_the_same_numbers(found, times):
    single = pld.distribution(found, 0.01, ADD)
    quick, slow = pld.self_composed(single, times), single.self_compose(times)
    assert quick.get_epsilon_for_delta(1e-6) == slow.get_epsilon_for_delta(1e-6)


def test_the_library_is_left_as_it_is():
    code = (
        "from dp_accounting.pld import common\n"
        "before = dict(vars(common))\n"
        "from dpcore import accountants\n"
        "from dpcore.privacy import *\n"
        "event = Composed(event=PoissonSampled(rate=0.01, event=GaussianRelease(noise_multiplier=1.0)), count=50)\n"
        "accountants.account(event, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant='pld')\n"
        "assert before == vars(common), [name for name in before if before[name] is not vars(common)[name]]"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
