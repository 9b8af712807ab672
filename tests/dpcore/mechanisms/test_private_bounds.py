"""Private bounds of a column: bins, the threshold of a noisy count, and the bounds that are found."""

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.mechanisms import private_bounds
from dpcore.mechanisms.private_bounds import BINS, EDGES

# A probability near 1 to the power of the number of bins.
ROUNDING = 1e-9
# The documented number of rows is rounded.
SHARE_OF_STATED_ROWS = 0.01

# Cells that a column may have: ends of bins, both sides of them, zero, what is missing and what
# lies far out.
CELLS = (-math.inf, -1e12, -3.0, -2.0, -1e-9, 0.0, 1e-9, 1.0, 2.0, 2.1, 1e12, math.inf, math.nan)

some_epsilons = pytest.mark.parametrize("epsilon", [0.05, 0.2, 1.0])


def moved(one, other):
    """Return by how much the counts of two columns differ, over all bins."""
    counts = private_bounds.histogram(np.array(one))
    other_counts = private_bounds.histogram(np.array(other))
    return np.abs(counts - other_counts).sum()


def largest_noise(epsilon):
    """Return the law of the noise on the count of a bin, Laplace with scale 2 / epsilon."""
    return stats.laplace(scale=2 / epsilon)


def test_one_row_for_another_moves_the_counts_by_the_sensitivity_at_most():
    sensitivity = private_bounds.mechanism(1.0).sensitivity

    for stays, goes, comes in itertools.product(CELLS, repeat=3):
        assert moved([stays, goes], [stays, comes]) <= sensitivity


def test_a_row_that_comes_moves_one_count_by_one_at_most():
    for first, second, comes in itertools.product(CELLS, repeat=3):
        assert moved([first, second], [first, second, comes]) <= 1


def test_the_noise_is_for_a_sensitivity_of_2():
    assert private_bounds.mechanism(0.5).scale == 4


@pytest.mark.parametrize("cell", [cell for cell in CELLS if math.isfinite(cell)])
def test_a_number_has_the_bin_that_it_lies_in(cell):
    (index,) = np.flatnonzero(private_bounds.histogram(np.array([cell])))

    low = EDGES[index]
    high = EDGES[index + 1]
    is_in_bin = low < cell <= high or cell == low == 0
    # The first and the last bin have what is beyond the edges too.
    is_beyond = index in (0, BINS - 1) and abs(cell) > EDGES[-1]
    assert is_in_bin or is_beyond


@pytest.mark.parametrize(("cell", "bin"), [(-math.inf, 0), (math.inf, BINS - 1)])
def test_an_infinite_number_has_the_outermost_bin(cell, bin):
    (place,) = np.flatnonzero(private_bounds.histogram(np.array([cell])))

    assert place == bin


@some_epsilons
def test_noise_alone_passes_the_threshold_one_time_in_a_thousand(epsilon):
    none_passes = largest_noise(epsilon).cdf(private_bounds.threshold(epsilon)) ** BINS

    assert none_passes == pytest.approx(0.999, abs=ROUNDING)


@some_epsilons
def test_a_surely_seen_count_is_missed_one_time_in_two_thousand(epsilon):
    missing_noise = private_bounds.threshold(epsilon) - private_bounds.surely_seen(epsilon)

    assert largest_noise(epsilon).cdf(missing_noise) == pytest.approx(0.0005)


def test_bounds_hold_nearly_all_rows_whatever_the_others_are():
    rng = np.random.default_rng(1)
    usual = rng.uniform(18, 90, 100_000)
    values = np.concatenate([[1e6, 5e7, -4e8], usual[3:]])

    bounds = {private_bounds.bounds(values, epsilon=0.1, rng=rng) for _ in range(200)}

    assert bounds == {(16.0, 128.0)}


def test_a_column_without_numbers_hardly_ever_has_bounds():
    rng = np.random.default_rng(1)
    nobody = np.full(100_000, np.nan)

    found = [private_bounds.bounds(nobody, epsilon=0.1, rng=rng) for _ in range(1000)]

    assert sum(one is not None for one in found) <= 5


def test_fewer_rows_than_could_be_seen_are_refused():
    with pytest.raises(check.RefusedError, match="at least 70,"):
        private_bounds.bounds(np.arange(3000.0), epsilon=0.1, rng=np.random.default_rng(0))


def test_a_hundred_thousand_rows_are_enough_at_epsilon_seven_hundredths():
    assert private_bounds.least_rows(0.07) == pytest.approx(1e5, rel=SHARE_OF_STATED_ROWS)


def plain_outermost(counts, *, threshold):
    """Return the ends of the outermost bins whose count passes the threshold."""
    passing = [place for place in range(BINS) if counts[place] > threshold]
    return (EDGES[passing[0]], EDGES[passing[-1] + 1]) if passing else None


@pytest.mark.parametrize("seed", range(50))
def test_bounds_are_the_outermost_bins_that_pass(seed):
    rng = np.random.default_rng(seed)
    counts = rng.laplace(scale=4.0, size=BINS) + rng.choice([0, 60], BINS, p=[0.95, 0.05])

    expected = plain_outermost(counts, threshold=private_bounds.threshold(0.5))
    assert private_bounds.outermost(counts, epsilon=0.5) == expected
