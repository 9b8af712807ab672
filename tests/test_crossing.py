"""Answers to "from which value on?" against populations whose truth is known, closed forms, and what they must not say.

The populations: a run is right in A = floor(1000 p(v, Z) + U) / 1000, U uniform, where
p = top - (top - base) exp(-(v/scale)^power e^(tau Z)) and Z_rv = sqrt(.8) Z_r + sqrt(.2) Z'_rv is standard normal, so
that a repeat has most of its luck at all values.
"""

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from dpcore.check import RefusedError
from lab.crossing import Crossing, exact, reaching, smallest
from lab.repeats import Medians, all_succeed_minimum, median_interval, over_splits

GRID = np.geomspace(0.05, 20, 61)
EXPERIMENTS = 1500


class Population(NamedTuple):
    base: float
    top: float
    scale: float
    power: float
    tau: float
    target: float

    def p(self, value, luck):
        effort = (np.asarray(value) / self.scale) ** self.power * np.exp(self.tau * luck)
        return self.top - (self.top - self.base) * np.exp(-effort)

    def reached_by(self, share: float) -> float:
        """Where so large a share of the runs reaches the target, by integration over their luck."""

        def missing(value: float) -> float:
            reached = np.clip(1000 * (self.p(value, NODES) - self.target) + 1, 0, 1) * stats.norm.pdf(NODES)
            return float(reached.sum() / stats.norm.pdf(NODES).sum()) - share

        return brentq(missing, 0.05, 20)

    def runs(self, rng: np.random.Generator, experiments: int, repeats: int) -> np.ndarray:
        """Accuracies (experiments, V, repeats)."""
        shape = (experiments, len(GRID), repeats)
        own = rng.standard_normal(shape, dtype=np.float32) * np.float32(math.sqrt(0.2))
        luck = own + rng.standard_normal((experiments, 1, repeats)) * math.sqrt(0.8)
        return np.floor(1000 * self.p(GRID[:, None], luck) + rng.random(shape, dtype=np.float32)) / 1000


POPULATIONS = {
    "mild": Population(0.5, 0.90, 0.8, 0.8, 0.5, 0.80),
    "steep": Population(0.5, 0.95, 0.6, 1.5, 0.8, 0.85),
    "skew": Population(0.5, 0.88, 0.4, 1.0, 1.1, 0.80),
}
NODES = np.linspace(-8, 8, 40001)


@cache
def answers(name: str, repeats: int, share: float | None = None) -> list[Crossing]:
    there = POPULATIONS[name]
    rng, found = np.random.default_rng([len(name), repeats]), []
    for _ in range(EXPERIMENTS // 50):
        runs = there.runs(rng, 50, repeats)
        found += [smallest(GRID, one, there.target, share=share) for one in runs]
    return found


def safe_holds(found: list[Crossing], truth: float) -> float:
    """The share of answers that are not too small."""
    return np.mean([one.safe is None or one.safe >= truth for one in found])


def ends_hold(found: list[Crossing], truth: float) -> float:
    return np.mean([(one.low or 0) < truth <= (one.high or math.inf) for one in found])


@pytest.mark.parametrize("repeats", [24, 100])
@pytest.mark.parametrize("name", POPULATIONS)
def test_coverage_of_the_median(name, repeats):
    found, truth = answers(name, repeats), POPULATIONS[name].reached_by(0.5)
    assert {one.verdict for one in found} == {"found"}
    assert safe_holds(found, truth) >= 0.97
    assert ends_hold(found, truth) >= 0.95
    points = np.log([one.point for one in found])
    assert np.exp(np.median(points)) == pytest.approx(truth, rel=0.02)
    spread = {"mild": {24: 0.12, 100: 0.06}, "skew": {24: 0.23, 100: 0.12}}
    if name in spread:
        assert points.std() == pytest.approx(spread[name][repeats], abs={"mild": 0.02, "skew": 0.03}[name])


def rising_to(share: float, repeats: int) -> list[Crossing]:
    """Answers of runs of which at most so large a share, at the far end, reaches the target."""
    rng, shares = np.random.default_rng([round(100 * share), repeats]), share * GRID / (GRID + 0.2)
    return [smallest(GRID, rng.random((len(GRID), repeats)) < shares[:, None], 1) for _ in range(EXPERIMENTS // 3)]


@pytest.mark.parametrize("repeats", [24, 100])
def test_what_is_never_reached_is_not_found(repeats):
    """Fewer than half of the runs reach the target at every value."""
    shown = [one.safe is not None for one in rising_to(0.5, repeats)]
    assert np.mean(shown) <= 0.03


@pytest.mark.parametrize("name", POPULATIONS)
def test_coverage_of_a_share(name):
    found, truth = answers(name, 100, share=0.9), POPULATIONS[name].reached_by(0.9)
    assert safe_holds(found, truth) >= 0.98
    assert ends_hold(found, truth) >= 0.95
    median = {"mild": 3.66, "steep": 2.01, "skew": 4.47}[name]
    assert np.median([one.safe or math.inf for one in found]) == pytest.approx(median, rel=0.11)


def test_24_repeats_never_show_9_of_10():
    assert [all_succeed_minimum(share, confidence=0.975) for share in (0.8, 0.9, 0.95)] == [17, 36, 72]
    best = smallest(GRID, np.ones((61, 24)), 0.8, share=0.9)
    before = smallest(GRID, np.full((61, 24), np.nan), 0.8, share=0.9)
    assert [(one.verdict, one.needed, one.safe) for one in (best, before)] == [("unclear", 29, None)] * 2
    assert smallest(GRID, np.ones((61, 29)), 0.8, share=0.9).verdict == "everywhere"


@pytest.mark.parametrize(("share", "hits"), [(0.8, 87), (0.9, 96), (0.95, 99)])
def test_how_many_of_100_show_a_share(share, hits):
    for right in (hits - 1, hits):
        runs = np.arange(100)[None] < right
        assert (smallest([1.0], runs, 1, share=share).verdict == "everywhere") == (right == hits)


HUMP, AROUND = np.array([0.5, 0.6, 0.84, 0.86, 0.7, 0.84, 0.83, 0.5]), np.linspace(-0.01, 0.01, 11)


def test_what_is_not_monotone_is_a_set_with_gaps():
    runs = HUMP[:, None] + AROUND
    found = reaching(range(1, 9), runs, 0.705)
    assert found.intervals == ((3.0, 4.0), (6.0, 7.0))
    assert (found.at, found.best) == (4.0, pytest.approx(0.86))
    assert not {"point", "safe"} & set(vars(found))
    assert reaching(range(1, 9), runs, 0.99).verdict == "nowhere"
    assert reaching(range(1, 9), runs, 0.1).verdict == "everywhere"
    assert reaching(range(1, 9), runs, 0.861).verdict == "unclear"
    assert reaching(range(1, 9), runs, 0.859).needed > 11
    assert smallest(range(1, 9), runs, 0.705).verdict == "unclear"  # it falls back below at the end
    waiting = np.where(np.arange(8)[:, None] == 4, np.nan, runs)
    assert reaching(range(1, 9), waiting, 0.705).intervals == ((3.0, 7.0),)


def test_all_values_named_reach_it_together():
    """Of 25 values, 16 just short of the target: hardly ever is one of them named; without Bonferroni often."""
    rng, medians = np.random.default_rng(6), np.r_[np.full(16, 0.7999), np.full(9, 0.84)]
    named, alone = [], []
    for _ in range(600):
        runs = medians[:, None] + 0.04 * rng.normal(size=(25, 100))
        found = reaching(range(25), runs, 0.8).intervals
        named.append([any(a <= value <= b for a, b in found) for value in range(25)])
        alone.append([reaching([0], one[None], 0.8).verdict == "everywhere" for one in runs[:16]])
    named = np.array(named)
    assert named[:, :16].any(axis=1).mean() <= 0.05
    assert named[:, 16:].any(axis=1).mean() >= 0.99
    assert np.array(alone).any(axis=1).mean() > 0.15


@pytest.mark.parametrize("splits", [5, 20])
def test_coverage_over_splits(splits):
    rng, trials, repeats = np.random.default_rng(7), 4000, 24
    runs = rng.normal(0, 0.017, (splits, trials, 1)) + rng.normal(0, 0.015, (splits, trials, repeats))
    found = over_splits(runs)
    assert covers(found) == pytest.approx(0.95, abs=0.015)  # of 20, exact: .959
    assert found.median == pytest.approx(np.median(np.median(runs, axis=2), axis=0))
    low, high = median_interval(np.moveaxis(runs, 0, 1).reshape(trials, -1))
    assert np.mean((low <= 0) & (high >= 0)) <= 0.65


def covers(found: Medians) -> float:
    low, high = found.splits.interval(0.95)
    return np.mean((low <= 0) & (high >= 0))


def test_splits_of_one_file_overlap():
    """Their errors have a correlation of n_test / (n_test + n_train), as the variance factor takes it to be."""
    rng, splits, trials, ratio = np.random.default_rng(8), 20, 4000, 0.5
    alike = ratio / (1 + ratio)
    shared = rng.normal(size=(1, trials, 1)) * math.sqrt(alike)
    runs = shared + rng.normal(size=(splits, trials, 1)) * math.sqrt(1 - alike)
    assert covers(over_splits(runs, overlap=ratio)) == pytest.approx(0.95, abs=0.015)
    assert covers(over_splits(np.repeat(runs, 2, axis=2))) <= 0.6  # as if they were fresh rows


def test_splits_answer_as_repeats_do():
    runs = np.moveaxis(np.random.default_rng(9).normal(np.linspace(0, 1, 5)[:, None], 0.1, (5, 6)), 1, 0)[..., None]
    values, flat = range(1, 6), runs[..., 0].T
    assert smallest(values, over_splits(runs), 0.5) == smallest(values, flat, 0.5)
    assert smallest(values, over_splits(runs), 0.5, share=0.5) == smallest(values, flat, 0.5, share=0.5)
    for together in (over_splits(runs, overlap=0.5), over_splits(np.repeat(runs, 2, axis=2))):
        assert smallest(values, together, 0.5).verdict == "found"
        with pytest.raises(RefusedError, match="share"):
            smallest(values, together, 0.5, share=0.5)


def test_up_and_down_and_lower_are_one_question_turned():
    there = POPULATIONS["mild"]
    (runs,) = there.runs(np.random.default_rng(10), 1, 100)
    for share in (None, 0.5):
        up = smallest(GRID, runs, 0.8, share=share)
        down = smallest(1 / GRID[::-1], runs[::-1], 0.8, share=share, towards="large")
        assert [1 / one for one in (up.point, up.low, up.high, up.safe)] == pytest.approx(
            [down.point, down.high, down.low, down.safe]
        )
        assert (up.share_there, up.share_safe) == (down.share_there, down.share_safe)
        error = smallest(GRID, 1 - runs, 1 - np.float64(0.8), share=share, better="lower")
        assert (error.low, error.safe) == (up.low, up.safe)
        assert error.point == pytest.approx(up.point)
    turned = smallest(GRID, -runs, -0.8, better="lower")
    assert turned.best == pytest.approx(-smallest(GRID, runs, 0.8).best)


def test_small_and_odd_cases():
    six = np.array([[0.4, 0.5] * 3])
    assert [smallest([1.0], six, target).verdict for target in (-9, 0.45, 9)] == ["everywhere", "unclear", "nowhere"]
    assert [smallest([1.0], six[:, :5], target).verdict for target in (-9, 0.45, 9)] == ["unclear"] * 3
    sure = np.repeat([[0.4], [0.8], [0.8]], 6, axis=1)
    found = smallest([1, 4, 16], sure, 0.6)
    assert (found.verdict, found.point, found.low, found.high) == ("found", pytest.approx(2), 1, 4)
    assert (found.share_there, found.best, found.at) == (1, 0.8, 4)
    assert smallest([1, 4, 16], sure, 0.8).safe == 4  # every run reaches it
    assert smallest([1, 4, 16], sure, 0.6, log=False).point == pytest.approx(2.5)
    assert smallest([0, 4, 16], sure, 0.6, log=False).low == 0
    waiting = np.insert(sure, 1, np.nan, axis=0)
    waiting[1, 0] = 0.5  # a value half done is not done
    assert smallest([1, 2, 4, 16], waiting, 0.6) == found
    assert smallest([1, 4, 16], sure * np.nan, 0.6) == Crossing(verdict="unclear")
    above, under = smallest([1, 4, 16], sure, 0.1), smallest([1, 4, 16], sure, 0.9)
    assert (above.verdict, above.safe, above.low) == ("everywhere", 1, None)
    assert (under.verdict, under.safe, under.low, under.best) == ("nowhere", None, 16, 0.8)


def test_how_many_it_would_take():
    runs = np.array([[0, 1] * 8, [0, 0, 1, 1, 1] * 3 + [1]])  # of the second, 10 in 16 reach it
    found = smallest([1, 2], runs, 1)
    assert found.verdict == "unclear"
    assert found.needed == math.ceil((2 / (10 / 16 - 1 / 2)) ** 2 * 10 / 16 * 6 / 16)
    assert smallest([1, 2], runs[::-1] * [[1], [0]], 1).needed == found.needed  # of the best
    assert smallest([1, 2], np.array([[0, 1] * 8] * 2), 1).needed is None  # half of them: no number would tell
    assert smallest([1, 2], np.ones((2, 3)), 1).needed == 6


@pytest.mark.parametrize(
    ("values", "runs"),
    [(values, np.ones((2, 3))) for values in ([1, 1], [2, 1], [0, 1], [1, 2, 3])]
    + [([1, 2], np.ones((2, 1))), ([], np.ones((0, 3))), ([1, 2], np.full((2, 3), np.inf))],
)
def test_what_is_no_sweep_is_refused(values, runs):
    with pytest.raises(RefusedError):
        smallest(values, runs, 0.5)


@pytest.mark.parametrize("target", [0.3, 1.0, 7.7])
def test_exact_against_closed_forms(target):
    noise = exact(lambda z: 3 / z, 0.01, 1000, target, increasing=False)
    assert noise.verdict == "found"
    assert noise.safe == noise.point == pytest.approx(3 / target)
    assert 3 / noise.safe <= target
    steps = exact(lambda k: 0.1 * math.sqrt(k), 1, 10**6, target, whole=True)
    assert 0.1 * math.sqrt(steps.safe) <= target < 0.1 * math.sqrt(steps.safe + 1)
    right = exact(lambda v: 1 - math.exp(-v), 1e-3, 50, 0.8, better="higher")
    assert right.safe == pytest.approx(-math.log(0.2))
    assert 1 - math.exp(-right.safe) >= 0.8
    rows = exact(lambda n: 100 / n, 1, 10**6, target, whole=True, increasing=False)
    assert rows.safe == math.ceil(100 / target)


def test_exact_verdicts():
    assert exact(lambda k: k, 1, 9, 9, whole=True).verdict == "everywhere"
    assert exact(lambda k: k, 1, 9, 9, whole=True).safe == 9
    assert exact(lambda z: 1 / z, 0.1, 9, 20, increasing=False).safe == 0.1
    nowhere = exact(lambda k: k, 2, 9, 1)
    assert (nowhere.verdict, nowhere.safe, nowhere.best, nowhere.at) == ("nowhere", None, 2, 2)
    assert exact(lambda z: math.inf if z < 1 else 1 / z, 0.1, 9, 0.5, increasing=False).safe == pytest.approx(2)
    with pytest.raises(RefusedError, match="increasing"):
        exact(lambda z: 1 / z, 0.1, 9, 0.5)
