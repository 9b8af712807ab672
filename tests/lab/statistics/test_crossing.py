"""Answers to "from which value on?" against populations whose truth is known."""

import math
from typing import NamedTuple

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from dpcore.check import RefusedError
from lab.statistics.crossing import Crossing, smallest
from lab.statistics.medians import all_succeed_minimum, over_splits

GRID = np.geomspace(0.05, 20, 61)
EXPERIMENTS = 1500


class Population(NamedTuple):
    """A run is right in floor(1000 p + U)/1000, U uniform.

    A repeat has most of its luck Z, a normal, at all values.
    """

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
        weights = stats.norm.pdf(NODES) / stats.norm.pdf(NODES).sum()
        least = self.target - 1 / 1000
        return brentq(
            lambda v: np.clip(1000 * (self.p(v, NODES) - least), 0, 1) @ weights - share, 0.05, 20
        )

    def runs(self, rng: np.random.Generator, experiments: int, repeats: int) -> np.ndarray:
        shape = (experiments, len(GRID), repeats)
        own = rng.standard_normal(shape, dtype=np.float32) * np.float32(math.sqrt(0.2))
        luck = own + rng.standard_normal((experiments, 1, repeats)) * math.sqrt(0.8)
        return (
            np.floor(1000 * self.p(GRID[:, None], luck) + rng.random(shape, dtype=np.float32))
            / 1000
        )


POPULATIONS = {
    "mild": Population(0.5, 0.90, 0.8, 0.8, 0.5, 0.80),
    "steep": Population(0.5, 0.95, 0.6, 1.5, 0.8, 0.85),
    "skew": Population(0.5, 0.88, 0.4, 1.0, 1.1, 0.80),
}
NODES = np.linspace(-8, 8, 40001)


@pytest.mark.parametrize(("repeats", "share"), [(24, None), (100, None), (100, 0.9)])
@pytest.mark.parametrize("name", POPULATIONS)
def test_coverage(name, repeats, share):
    there, rng = POPULATIONS[name], np.random.default_rng([len(name), repeats])
    batches = (there.runs(rng, 50, repeats) for _ in range(EXPERIMENTS // 50))
    found = [smallest(GRID, one, there.target, share=share) for runs in batches for one in runs]
    truth = there.reached_by(share or 0.5)
    assert np.mean([one.safe is None or one.safe >= truth for one in found]) >= (
        0.98 if share else 0.97
    )
    assert np.mean([(one.low or 0) < truth <= (one.high or math.inf) for one in found]) >= 0.95
    if share:
        safe = {"mild": 3.66, "steep": 2.01, "skew": 4.47}[name]
        assert np.median([one.safe or math.inf for one in found]) == pytest.approx(safe, rel=0.11)
    else:
        assert {one.verdict for one in found} == {"found"}
        assert np.exp(np.median(np.log([one.point for one in found]))) == pytest.approx(
            truth, rel=0.02
        )


@pytest.mark.parametrize("repeats", [24, 100])
def test_what_fewer_than_half_of_the_runs_reach_is_not_found(repeats):
    rng, shares = np.random.default_rng([50, repeats]), 0.5 * GRID / (GRID + 0.2)
    runs = (rng.random((len(GRID), repeats)) < shares[:, None] for _ in range(EXPERIMENTS // 3))
    assert np.mean([smallest(GRID, one, 1).safe is not None for one in runs]) <= 0.03


@pytest.mark.parametrize(("share", "least", "hits"), [(0.8, 17, 87), (0.9, 36, 96), (0.95, 72, 99)])
def test_how_many_runs_show_a_share(share, least, hits):
    assert all_succeed_minimum(share, confidence=0.975) == least
    for right in (hits - 1, hits):
        runs = np.arange(100)[None] < right
        assert (smallest([1.0], runs, 1, share=share).verdict == "everywhere") == (right == hits)
    few, enough = (smallest(GRID, np.ones((61, repeats)), 0.8, share=0.9) for repeats in (24, 29))
    assert (few.verdict, few.needed, few.safe, enough.verdict) == (
        "unclear",
        29,
        None,
        "everywhere",
    )


@pytest.mark.parametrize("ratio", [0, 0.5])
def test_coverage_over_splits(ratio):
    """Errors of splits of one file have a correlation of n_test / (n_test + n_train), as is
    assumed.
    """
    rng, trials, alike = np.random.default_rng(8), 4000, ratio / (1 + ratio)
    shared = rng.normal(size=(1, trials, 1)) * math.sqrt(alike)
    runs = np.repeat(shared + rng.normal(size=(20, trials, 1)) * math.sqrt(1 - alike), 2, axis=2)
    found, as_fresh_rows = over_splits(runs, overlap=ratio), over_splits(runs)
    covered = [
        np.mean(np.prod(one.splits.interval(0.95), axis=0) <= 0) for one in (found, as_fresh_rows)
    ]
    assert covered[0] == pytest.approx(0.95, abs=0.015)  # exact: .959
    assert not ratio or covered[1] <= 0.6
    assert found.median == pytest.approx(np.median(runs[..., 0], axis=0))


def test_splits_answer_as_repeats_do():
    runs = np.moveaxis(
        np.random.default_rng(9).normal(np.linspace(0, 1, 5)[:, None], 0.1, (5, 6)), 1, 0
    )[..., None]
    values, flat = range(1, 6), runs[..., 0].T
    assert smallest(values, over_splits(runs), 0.5) == smallest(values, flat, 0.5)
    assert smallest(values, over_splits(runs), 0.5, share=0.5) == smallest(
        values, flat, 0.5, share=0.5
    )
    for together in (over_splits(runs, overlap=0.5), over_splits(np.repeat(runs, 2, axis=2))):
        assert smallest(values, together, 0.5).verdict == "found"
        with pytest.raises(RefusedError, match="share"):
            smallest(values, together, 0.5, share=0.5)


def test_up_and_down_and_lower_are_one_question_turned():
    (runs,) = POPULATIONS["mild"].runs(np.random.default_rng(10), 1, 100)
    for share in (None, 0.5):
        up = smallest(GRID, runs, 0.8, share=share)
        down = smallest(1 / GRID[::-1], runs[::-1], 0.8, share=share, towards="large")
        turned = [down.point, down.high, down.low, down.safe]
        assert [1 / one for one in (up.point, up.low, up.high, up.safe)] == pytest.approx(turned)
        assert (up.share_at_tested, up.share_safe) == (down.share_at_tested, down.share_safe)
        error = smallest(GRID, 1 - runs, 1 - np.float64(0.8), share=share, better="lower")
        assert (error.low, error.safe, error.point) == (up.low, up.safe, pytest.approx(up.point))
    turned = smallest(GRID, -runs, -0.8, better="lower")
    assert turned.best == pytest.approx(-smallest(GRID, runs, 0.8).best)


def test_small_and_odd_cases_and_how_many_runs_it_would_take():
    six = np.array([[0.4, 0.5] * 3])
    assert [smallest([1.0], six, target).verdict for target in (-9, 0.45, 9)] == [
        "everywhere",
        "unclear",
        "nowhere",
    ]
    assert [smallest([1.0], six[:, :5], target).verdict for target in (-9, 0.45, 9)] == [
        "unclear"
    ] * 3
    sure = np.repeat([[0.4], [0.8], [0.8]], 6, axis=1)
    found = smallest([1, 4, 16], sure, 0.6)
    assert (found.verdict, found.point, found.low, found.high) == ("found", pytest.approx(2), 1, 4)
    assert (found.share_at_tested, found.best, found.at) == (1, 0.8, 4)
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
    runs = np.array([[0, 1] * 8, [0, 0, 1, 1, 1] * 3 + [1]])  # of the second, 10 in 16 reach it
    needed = math.ceil((2 / (10 / 16 - 1 / 2)) ** 2 * 10 / 16 * 6 / 16)
    cases = (runs, runs[::-1] * [[1], [0]], np.array([[0, 1] * 8] * 2), np.ones((2, 3)))
    # If half of them reach it, no number would tell
    assert [smallest([1, 2], one, 1).needed for one in cases] == [needed, needed, None, 6]
    wrong = [(values, np.ones((2, 3))) for values in ([1, 1], [2, 1], [0, 1], [1, 2, 3])]
    wrong += [([1, 2], np.ones((2, 1))), ([], np.ones((0, 3))), ([1, 2], np.full((2, 3), np.inf))]
    for values, runs in wrong:
        with pytest.raises(RefusedError):
            smallest(values, runs, 0.5)
