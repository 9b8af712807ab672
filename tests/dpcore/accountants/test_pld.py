"""Privacy loss distributions against exact epsilons and brute force."""

import math
import subprocess
import sys

import numpy as np
import pytest

from dpcore.accountants import pld, pld_composition, pld_distributions
from dpcore.privacy import Adjacency, Sequence
from tests.accounting_oracles import ADD, ANSWERS, NOISY, REPLACE, contour, exact
from tests.accounting_oracles import epsilon as epsilon_by_gdp
from tests.event_builders import gaussian, laplace, pure, sampled, times, together

# Integrals and searches for an epsilon end at so many digits.
SEARCH_ERROR = 1e-6

RUNS = pytest.mark.parametrize(
    ("rate", "sigma", "steps", "delta"),
    [
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
    ],
)


def epsilon(event, delta: float, *, accountant=pld.epsilons, adjacency=ADD) -> float:
    """Return the epsilon of an event at delta, on the fine grid or by another accountant."""
    (value,) = accountant(event, [1], delta=delta, adjacency=adjacency)
    return float(value)


@pytest.mark.parametrize(
    ("rate", "sigma", "steps", "delta"),
    [(1, 10, 100, 1e-5), (1, 20, 10_000, 1e-5), (1, 10, 1000, 1e-12), (0.3, 1.0, 1, 1e-3)],
)
def test_all_ways_to_the_exact_epsilon_agree(rate, sigma, steps, delta):
    by_contour = contour(min(rate, 1 - 1e-16), sigma, steps, delta)

    assert by_contour == pytest.approx(exact(rate, sigma, steps, delta), rel=SEARCH_ERROR)


def allowed_excess(epsilon: float, delta: float) -> float:
    """Return the part by which an epsilon on the fine grid may exceed the exact one."""
    if epsilon > 700:
        # The library rounds losses up beyond exp(745).
        return 1.2e-3
    if delta < 1e-10:
        # The margin for the transform's rounding is felt.
        return 2e-2
    return 1.2e-4


@RUNS
def test_epsilon_is_exact_within_its_grid_and_never_below(rate, sigma, steps, delta):
    event = times(steps, sampled(rate, sigma))

    on_fine_grid = epsilon(event, delta)

    true = exact(rate, sigma, steps, delta)
    assert true * (1 - 1e-6) <= on_fine_grid <= true * (1 + allowed_excess(true, delta))


@RUNS
def test_a_coarse_grid_adds_at_most_three_parts_in_a_thousand(rate, sigma, steps, delta):
    event = times(steps, sampled(rate, sigma))

    on_coarse_grid = epsilon(event, delta, accountant=pld.coarse)

    true = exact(rate, sigma, steps, delta)
    excess = max(allowed_excess(true, delta), 3e-3)
    assert true * (1 - 1e-6) <= on_coarse_grid <= true * (1 + excess)


@pytest.mark.parametrize(("event", "adjacency", "curve"), NOISY + ANSWERS)
def test_epsilon_is_that_of_densities_and_of_all_outcomes(event, adjacency, curve):
    delta = min(1e-3, curve(0.0) / 2)

    found = epsilon(event, delta, adjacency=adjacency)

    tolerance = 2e-4
    if isinstance(event, Sequence):
        tolerance = 1e-3
    assert curve(found) <= delta * (1 + 1e-9)
    assert curve(found * (1 - tolerance)) > delta


class TestReplacedContributions:
    """Two contributions in the plane, one of which is replaced by the other in a sampled sum."""

    RATE = 0.3
    SIGMA = 0.8
    EPSILONS = (-1.0, -0.3, 0.0, 0.3, 1.0, 2.0)
    AXIS = np.linspace(-6, 6, 241)

    def output(self, contribution: tuple[float, float]) -> np.ndarray:
        """Return the probability of each cell of the plane if this contribution is made."""
        x, y = np.meshgrid(self.AXIS, self.AXIS)
        a, b = contribution
        absent = np.exp(-(x**2 + y**2) / (2 * self.SIGMA**2))
        present = np.exp(-((x - a) ** 2 + (y - b) ** 2) / (2 * self.SIGMA**2))
        cell = (self.AXIS[1] - self.AXIS[0]) ** 2 / (2 * math.pi * self.SIGMA**2)
        return ((1 - self.RATE) * absent + self.RATE * present) * cell

    def deltas(self, before: tuple[float, float], after: tuple[float, float]) -> np.ndarray:
        """Return the delta at each of ``EPSILONS`` if one contribution replaces another."""
        p = self.output(before)
        q = self.output(after)
        return np.array(
            [np.maximum(p - math.exp(epsilon) * q, 0).sum() for epsilon in self.EPSILONS]
        )

    def test_opposite_contributions_are_the_worst(self):
        rng = np.random.default_rng(0)
        worst = self.deltas((-1, 0), (1, 0))

        for _ in range(40):
            radii = rng.random(2) ** 0.25
            angles = rng.random(2) * 2 * math.pi
            before, after = np.column_stack([radii * np.cos(angles), radii * np.sin(angles)])
            assert (self.deltas(before, after) <= worst + 1e-9).all()


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("count", [1, 3, 1000])
def test_gaussian_releases_are_exact(count, adjacency):
    event = together(times(count, gaussian(9.0)), gaussian(3.0))

    found = epsilon(event, 1e-6, adjacency=adjacency)

    true = epsilon_by_gdp(event, delta=1e-6, adjacency=adjacency)
    assert 1 <= found / true <= 1 + 1e-4


def composed_by_plain_sums(part, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return (losses over grid, masses) of the sum of ``count`` draws, each to a relative 1e-13.

    They are sums of positive products only. The draws are doubled, and those added whose place in
    the binary form of ``count`` has a 1.
    """
    total_start = 0
    total = np.ones(1)
    start = part._lower_loss
    masses = part._probs
    while count:
        if count % 2:
            total_start += start
            total = np.convolve(total, masses)
        masses = np.convolve(masses, masses)
        count //= 2
        kept = np.flatnonzero(masses > 1e-40)
        start = 2 * start + kept[0]
        masses = masses[kept[0] : kept[-1] + 1]
    return total_start + np.arange(len(total)), total


@pytest.mark.parametrize("delta", [1e-12, 1e-10])
@pytest.mark.parametrize(
    ("rate", "sigma"), [(0.003, 1.7), (0.01, 0.6), (0.01, 1.7), (0.05, 0.8), (0.3, 4.0)]
)
@pytest.mark.parametrize("direction", ["_pmf_remove", "_pmf_add"])
def test_the_transform_hides_no_delta_that_plain_sums_find(rate, sigma, delta, direction):
    step = sampled(rate, sigma)
    grid = pld.interval({step: 1000}, ADD, pld.COARSE)
    single = pld_distributions.distribution(step, grid, ADD)

    found = epsilon(times(1000, step), delta, accountant=pld.coarse)

    part = getattr(single, direction).to_dense_pmf()
    points, masses = composed_by_plain_sums(part, 1000)
    is_above = points * grid > found
    exact_delta = masses[is_above] @ -np.expm1(found - points[is_above] * grid)
    assert exact_delta <= delta


MANY_STEPS = sampled(0.01, 4.0, 100_000)


def test_renyi_orders_take_over_where_rounding_hides_delta():
    true = contour(0.01, 4.0, 100_000, 1e-12)

    found = epsilon(MANY_STEPS, 1e-12)

    assert true < found < true * 1.1


def test_there_is_no_bound_where_rounding_hides_delta_and_orders_have_no_proof():
    assert epsilon(MANY_STEPS, 1e-12, adjacency=REPLACE) == math.inf


def test_laplace_noise_has_a_largest_loss_at_any_delta():
    assert epsilon(laplace(2.0), 1e-12) == pytest.approx(0.5, rel=SEARCH_ERROR)


@pytest.mark.parametrize("release", [sampled(0.01, 2.0), gaussian(3.0), pure(0.5)])
@pytest.mark.parametrize("count", [2, 9, 4000])
def test_composition_has_the_numbers_of_the_library(release, count):
    single = pld_distributions.distribution(release, 0.01, ADD)

    quick = pld_composition.self_composed(single, count)

    slow = single.self_compose(count)
    assert quick.get_epsilon_for_delta(1e-6) == slow.get_epsilon_for_delta(1e-6)


def test_a_distribution_without_mass_keeps_all_its_points():
    assert pld_composition._truncation_bounds(np.zeros(40), 3) == (0, 117)


USE_OF_THE_LIBRARY = """
import sys
from dpcore import accountants

assert "dp_accounting" not in sys.modules
from dp_accounting.pld import common

before = dict(vars(common))
from dpcore.privacy import *

step = PoissonSampled(rate=0.01, event=GaussianRelease(noise_multiplier=1.0))
event = Composed(event=step, count=50)
accountants.account(event, delta=1e-5, adjacency=Adjacency.ADD_REMOVE, accountant="pld")
assert before == vars(common)
"""


def test_the_library_is_imported_when_it_is_used_and_left_as_it_is():
    subprocess.run([sys.executable, "-c", USE_OF_THE_LIBRARY], check=True)
