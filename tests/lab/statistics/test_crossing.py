"""Crossings of a target, compared with populations whose truth is known."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from dpcore.check import RefusedError
from lab.statistics.crossing import Crossing, smallest
from lab.statistics.medians import split_interval

# The median over so many experiments scatters by less.
CHANCE_OF_THE_POINT = 0.02
# Safe values scatter more, and are given with two digits.
CHANCE_OF_THE_SAFE_VALUE = 0.11
# Some standard errors of the share of covered intervals.
CHANCE_OF_COVERAGE = 0.015

GRID = np.geomspace(0.05, 20, 61)
EXPERIMENTS = 1500
# Experiments that are drawn at once.
AT_ONCE = 50
# Normal numbers over which probabilities are integrated.
NODES = np.linspace(-8, 8, 40001)
# A measure is a share of this many rows.
ROWS = 1000


# --- Coverage -------------------------------------------------------------------------------------


class Population(NamedTuple):
    """Runs whose accuracy is floor(1000 p + U) / 1000, with U uniform.

    A repeat has most of its luck, a normal number, in common at all values.
    """

    base: float
    top: float
    scale: float
    power: float
    tau: float
    target: float

    def probability(self, value: np.ndarray | float, luck: np.ndarray) -> np.ndarray:
        """Return p at values of the parameter and with this luck."""
        effort = (np.asarray(value) / self.scale) ** self.power * np.exp(self.tau * luck)
        return self.top - (self.top - self.base) * np.exp(-effort)

    def reached_by(self, share: float) -> float:
        """Return the value at which this share of all runs reaches the target."""
        density = stats.norm.pdf(NODES)
        weights = density / density.sum()
        least = self.target - 1 / ROWS

        def excess(value: float) -> float:
            """Return the share of runs that reach the target at a value, less the wanted share."""
            reaching = np.clip(ROWS * (self.probability(value, NODES) - least), 0, 1)
            return reaching @ weights - share

        return brentq(excess, 0.05, 20)

    def runs(self, rng: np.random.Generator, experiments: int, repeats: int) -> np.ndarray:
        """Return runs (experiments, values, repeats)."""
        shape = (experiments, len(GRID), repeats)
        own = rng.standard_normal(shape, dtype=np.float32) * np.float32(math.sqrt(0.2))
        luck = own + rng.standard_normal((experiments, 1, repeats)) * math.sqrt(0.8)
        probability = self.probability(GRID[:, None], luck)
        return np.floor(ROWS * probability + rng.random(shape, dtype=np.float32)) / ROWS


POPULATIONS = {
    "mild": Population(0.5, 0.90, 0.8, 0.8, 0.5, 0.80),
    "steep": Population(0.5, 0.95, 0.6, 1.5, 0.8, 0.85),
    "skew": Population(0.5, 0.88, 0.4, 1.0, 1.1, 0.80),
}


def crossings(name: str, *, repeats: int, share: float | None) -> list[Crossing]:
    """Return the crossings that experiments with a population find."""
    population = POPULATIONS[name]
    rng = np.random.default_rng([len(name), repeats])
    found = []
    for _ in range(EXPERIMENTS // AT_ONCE):
        for runs in population.runs(rng, AT_ONCE, repeats):
            found.append(smallest(GRID, runs, population.target, share=share))
    return found


def share_of_safe(found: list[Crossing], truth: float) -> float:
    """Return how often the safe value is at least the truth."""
    return np.mean([one.safe is None or one.safe >= truth for one in found])


def share_covered(found: list[Crossing], truth: float) -> float:
    """Return how often the interval contains the truth."""
    return np.mean([(one.low or 0) < truth <= (one.high or math.inf) for one in found])


@pytest.mark.parametrize("repeats", [24, 100])
@pytest.mark.parametrize("name", POPULATIONS)
def test_the_crossing_of_a_median_is_covered_and_its_point_unbiased(name, repeats):
    truth = POPULATIONS[name].reached_by(0.5)

    found = crossings(name, repeats=repeats, share=None)

    assert share_of_safe(found, truth) >= 0.97
    assert share_covered(found, truth) >= 0.95
    assert {one.verdict for one in found} == {"found"}
    typical = np.exp(np.median(np.log([one.point for one in found])))
    assert typical == pytest.approx(truth, rel=CHANCE_OF_THE_POINT)


@pytest.mark.parametrize(
    ("name", "usual_safe_value"), [("mild", 3.66), ("steep", 2.01), ("skew", 4.47)]
)
def test_the_crossing_of_a_share_is_covered_by_a_safe_value_that_is_not_far(name, usual_safe_value):
    truth = POPULATIONS[name].reached_by(0.9)

    found = crossings(name, repeats=100, share=0.9)

    assert share_of_safe(found, truth) >= 0.98
    assert share_covered(found, truth) >= 0.95
    median = np.median([one.safe or math.inf for one in found])
    assert median == pytest.approx(usual_safe_value, rel=CHANCE_OF_THE_SAFE_VALUE)


@pytest.mark.parametrize("repeats", [24, 100])
def test_a_target_that_fewer_than_half_of_the_runs_reach_is_seldom_found(repeats):
    rng = np.random.default_rng([50, repeats])
    shares = 0.5 * GRID / (GRID + 0.2)

    is_found = []
    for _ in range(EXPERIMENTS // 3):
        runs = rng.random((len(GRID), repeats)) < shares[:, None]
        is_found.append(smallest(GRID, runs, 1).safe is not None)

    assert np.mean(is_found) <= 0.03


# --- Numbers of runs ------------------------------------------------------------------------------


@pytest.mark.parametrize(("share", "hits"), [(0.8, 87), (0.9, 96), (0.95, 99)])
@pytest.mark.parametrize(
    ("missing", "verdict"),
    [
        pytest.param(0, "everywhere", id="enough"),
        pytest.param(1, "unclear", id="one too few"),
    ],
)
def test_the_fewest_hits_of_100_that_show_a_share(share, hits, missing, verdict):
    runs = np.arange(100)[None] < hits - missing

    crossing = smallest([1.0], runs, 1, share=share)

    assert (crossing.verdict == "everywhere") == (verdict == "everywhere")


def test_too_few_runs_leave_a_share_unclear():
    crossing = smallest(GRID, np.ones((61, 24)), 0.8, share=0.9)

    assert crossing.verdict == "unclear"
    assert crossing.safe is None


def test_just_enough_runs_show_a_share():
    assert smallest(GRID, np.ones((61, 29)), 0.8, share=0.9).verdict == "everywhere"


# --- Splits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ratio", [0, 0.5])
def test_intervals_over_splits_are_covered(ratio):
    """Errors of splits of one file have a correlation of n_test / (n_test + n_train)."""
    rng = np.random.default_rng(8)
    trials = 4000
    correlation = ratio / (1 + ratio)
    shared = rng.normal(size=(1, trials, 1)) * math.sqrt(correlation)
    single = rng.normal(size=(20, trials, 1)) * math.sqrt(1 - correlation)
    medians = (shared + single)[..., 0].T

    def share_that_contains_0(common_variance: float) -> float:
        """Return the share of trials whose interval contains 0, the true median."""
        low, high = split_interval(medians, common_variance=common_variance, confidence=0.95)
        return np.mean(low * high <= 0)

    # The exact probability is 0.959.
    assert share_that_contains_0(ratio) == pytest.approx(0.95, abs=CHANCE_OF_COVERAGE)
    if ratio > 0:
        assert share_that_contains_0(0) <= 0.6


# --- Directions -----------------------------------------------------------------------------------


def mild_runs() -> np.ndarray:
    """Return 100 runs of the mild population at each value of the grid, (61, 100)."""
    (runs,) = POPULATIONS["mild"].runs(np.random.default_rng(10), 1, 100)
    return runs


@pytest.mark.parametrize("share", [None, 0.5])
def test_a_falling_measure_is_a_rising_one_over_the_inverse_parameter(share):
    runs = mild_runs()

    up = smallest(GRID, runs, 0.8, share=share)
    down = smallest(1 / GRID[::-1], runs[::-1], 0.8, share=share, towards="large")

    inverse = [1 / value for value in (up.point, up.low, up.high, up.safe)]
    assert inverse == pytest.approx([down.point, down.high, down.low, down.safe])
    assert up.share_at_tested == down.share_at_tested
    assert up.share_safe == down.share_safe


@pytest.mark.parametrize("share", [None, 0.5])
def test_an_error_crosses_where_the_accuracy_does(share):
    runs = mild_runs()

    accuracy = smallest(GRID, runs, 0.8, share=share)
    error = smallest(GRID, 1 - runs, 1 - np.float64(0.8), share=share, better="lower")

    assert error.low == accuracy.low
    assert error.safe == accuracy.safe
    assert error.point == pytest.approx(accuracy.point)


def test_the_best_of_a_measure_that_is_better_when_lower_is_its_lowest():
    runs = mild_runs()

    lower = smallest(GRID, -runs, -0.8, better="lower")

    assert lower.best == pytest.approx(-smallest(GRID, runs, 0.8).best)


# --- Few values and runs --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("target", "verdict"), [(-9, "everywhere"), (0.45, "unclear"), (9, "nowhere")]
)
def test_six_runs_can_decide(target, verdict):
    assert smallest([1.0], np.array([[0.4, 0.5] * 3]), target).verdict == verdict


@pytest.mark.parametrize("target", [-9, 0.45, 9])
def test_five_runs_cannot_decide(target):
    assert smallest([1.0], np.array([[0.4, 0.5, 0.4, 0.5, 0.4]]), target).verdict == "unclear"


# Six equal runs at each of three values.
STEPPED = np.repeat([[0.4], [0.8], [0.8]], 6, axis=1)


def test_equal_runs_cross_halfway_between_two_values():
    crossing = smallest([1, 4, 16], STEPPED, 0.6)

    assert crossing.verdict == "found"
    assert crossing.point == pytest.approx(2)
    assert crossing.low == 1
    assert crossing.high == 4
    assert crossing.share_at_tested == 1
    assert crossing.best == 0.8
    assert crossing.at == 4


def test_a_target_is_reached_at_equality():
    assert smallest([1, 4, 16], STEPPED, 0.8).safe == 4


def test_the_point_is_interpolated_in_the_value_itself_if_asked():
    assert smallest([1, 4, 16], STEPPED, 0.6, log=False).point == pytest.approx(2.5)
    assert smallest([0, 4, 16], STEPPED, 0.6, log=False).low == 0


def test_a_value_whose_runs_are_not_all_done_is_left_out():
    half_done = np.insert(STEPPED, 1, np.nan, axis=0)
    half_done[1, 0] = 0.5

    assert smallest([1, 2, 4, 16], half_done, 0.6) == smallest([1, 4, 16], STEPPED, 0.6)


def test_nothing_is_known_before_a_value_is_done():
    assert smallest([1, 4, 16], STEPPED * np.nan, 0.6) == Crossing(verdict="unclear")


def test_a_target_below_all_runs_is_reached_everywhere():
    crossing = smallest([1, 4, 16], STEPPED, 0.1)

    assert crossing.verdict == "everywhere"
    assert crossing.safe == 1
    assert crossing.low is None


def test_a_target_above_all_runs_is_reached_nowhere():
    crossing = smallest([1, 4, 16], STEPPED, 0.9)

    assert crossing.verdict == "nowhere"
    assert crossing.safe is None
    assert crossing.low == 16
    assert crossing.best == 0.8


@pytest.mark.parametrize(
    ("values", "runs"),
    [
        pytest.param([1, 1], np.ones((2, 3)), id="equal values"),
        pytest.param([2, 1], np.ones((2, 3)), id="falling values"),
        pytest.param([0, 1], np.ones((2, 3)), id="a value without a logarithm"),
        pytest.param([1, 2, 3], np.ones((2, 3)), id="more values than runs"),
        pytest.param([1, 2], np.ones((2, 1)), id="a single run"),
        pytest.param([], np.ones((0, 3)), id="no values"),
        pytest.param([1, 2], np.full((2, 3), np.inf), id="infinite runs"),
    ],
)
def test_values_or_runs_without_a_meaning_are_refused(values, runs):
    with pytest.raises(RefusedError):
        smallest(values, runs, 0.5)
