"""Sweeps: the page's own numbers, values around where one is, effects, and a search."""

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from dpcore.check import RefusedError
from lab.data import classification
from lab.statistics.differences import of_groups, of_pairs
from lab.sweeps import grids
from lab.sweeps.grids import grid, log_scale, neighbours
from lab.sweeps.measurement import Measurement, measured, measurements, split
from lab.sweeps.sweep import difference_of_settings, recommend, sample_settings, summary, sweep
from pages.accounting.settings import AccountingSettings
from pages.classifier.settings import ClassifierSettings
from pages.regression.settings import RegressionSettings
from pages.topics import TOPIC_PAGES

QUICK = ClassifierSettings(public_rows=0, steps=10)
TOPICS = pytest.mark.parametrize(
    "kind", [room.settings for room in TOPIC_PAGES], ids=[room.name for room in TOPIC_PAGES]
)


def test_a_row_is_a_repeat_of_a_seed_at_a_value():
    runs = sweep(QUICK, "epsilon", [0.1, 1.0], measure="scratch", repeats=3, seeds=2)
    assert (list(runs.columns), len(runs)) == (["epsilon", "seed", "repeat", "scratch"], 2 * 2 * 3)
    one = measured(QUICK.change(epsilon=1.0, seed=QUICK.seed + 1), measure="scratch", repeats=3)
    there = runs[(runs.epsilon == 1.0) & (runs.seed == QUICK.seed + 1)]
    np.testing.assert_array_equal(there.scratch, one)
    assert [one.seed for one in split(QUICK.change(seed=QUICK.limits["seed"][1]), 3)] == [
        9999,
        0,
        1,
    ]
    found, medians = summary(runs, target=0.7), runs.groupby(["epsilon", "seed"]).scratch.median()
    assert found["median"].tolist() == pytest.approx(
        medians.groupby("epsilon").median()[found.epsilon].tolist()
    )


def test_repeats_in_parts_are_the_whole():
    whole = measured(QUICK, measure="scratch", repeats=100)
    found = measurements(QUICK, measure="scratch", repeats=100, parts=7)
    assert (len(whole), len(found)) == (100, 7)
    np.testing.assert_array_equal(np.concatenate([one.run() for one in found]), whole)
    np.testing.assert_array_equal(whole[:24], measured(QUICK, measure="scratch", repeats=24))
    how = {"settings": QUICK, "measure": "scratch", "repeats": 24}
    assert Measurement(**how) == Measurement(**how, essential=True)


def test_what_is_refused_is_named():
    wrong = {
        "steps": ("steps", 0, "scratch"),
        "nothing": ("nothing", 1, "scratch"),
        "measure": ("epsilon", 1, "luck"),
    }
    for name, (slider, value, measure) in wrong.items():
        with pytest.raises((RefusedError, TypeError), match=name):
            sweep(QUICK, slider, [value], measure=measure)


@TOPICS
def test_values_lie_around_where_one_is_and_the_settings_take_them(kind):
    """A step to either side is a third of a decade, or a tenth of the range."""
    settings = kind()
    for slider, (low, high) in settings.limits.items():
        if low == high:
            continue
        values, now = grid(settings, slider), getattr(settings, slider)
        assert now in values
        assert list(values) == sorted(set(values))
        assert low <= values[0] < values[-1] <= high
        assert len(values) <= 2 * grids.STEPS + 3
        assert not isinstance(low, int) or all(isinstance(value, int) for value in values)
        for value in neighbours(settings, slider):
            assert low <= value <= high
            assert value != now
            if value in (low, high) or isinstance(low, int):
                continue
            if log_scale(low, high):
                assert max(value / now, now / value) == pytest.approx(grids.DECADE, rel=0.01)
            else:
                assert abs(value - now) == pytest.approx(0.1 * (high - low), rel=0.01)


@pytest.mark.parametrize("epsilon", [0.01, 150.0, 0.5])
def test_values_reach_a_factor_of_30_coarse_first_and_stay_as_one_moves(epsilon):
    values = np.array(grid(ClassifierSettings(epsilon=epsilon), "epsilon"))
    assert epsilon / 30 * 0.99 <= values[0] < values[-1] <= epsilon * 30 * 1.01
    factors = values[1:] / values[:-1]
    assert factors[factors > 1.05].min() > 1.10
    assert factors.max() < 1.25  # one and a half steps, around where one is
    moved = ClassifierSettings(epsilon=epsilon * (1.22 if epsilon < 1 else 0.82))
    assert len({*values} & {*grid(moved, "epsilon")}) >= 0.8 * len(values)
    turns = grids.coarse_to_fine(tuple(values), epsilon)
    assert turns[0] == [epsilon]
    assert {values[0], values[-1]} <= {*turns[0], *turns[1]}
    assert sorted(value for turn in turns for value in turn) == list(values)
    assert [len(turn) for turn in turns] == sorted(len(turn) for turn in turns)


def test_runs_are_compared_in_pairs_where_the_noise_is_common_else_as_groups():
    us = RegressionSettings(dataset="us")
    for one, other, measure, rule in (
        (QUICK.change(epsilon=0.5), QUICK.change(epsilon=1.0), "scratch", of_pairs),
        (us, us.change(rows=1000), "error", of_groups),
    ):
        a, b = (measured(there, measure=measure, repeats=24) for there in (one, other))
        assert difference_of_settings(one, other, a, b) == rule(a, b)


def test_several_splits_are_counted_and_not_their_runs():
    a, b = np.random.default_rng(0).normal(size=(2, 60))
    known = stats.ttest_rel(
        *(np.median(runs.reshape(5, 12), axis=1) for runs in (a, b))
    ).confidence_interval(0.95)
    made, file = QUICK.change(dataset="gaussians"), QUICK.change(dataset="breast_cancer")
    narrow, wide = (
        difference_of_settings(one, one.change(epsilon=0.5), a, b, splits=5) for one in (made, file)
    )
    assert (narrow.low, narrow.high) == pytest.approx((known.low, known.high))
    rows = classification.load("breast_cancer", seed=4)
    assert (made.common_variance, file.common_variance) == (
        0,
        len(rows.y_test) / len(rows.y_private),
    )
    ratio = (wide.high - wide.low) / (narrow.high - narrow.low)
    assert ratio == pytest.approx(np.sqrt(1 + 5 * file.common_variance))


RANGES = {"clip_norm": (0.05, 5.0), "steps": (5, 200)}


def test_tries_lie_in_the_declared_ranges_and_are_those_of_the_seed():
    tries = sample_settings(QUICK, tries=200, ranges=RANGES)
    assert tries != sample_settings(QUICK.change(seed=5), tries=200, ranges=RANGES)
    assert tries[:10] == sample_settings(QUICK, tries=10, ranges=RANGES)
    clips = [one.clip_norm for one in tries]
    assert 0.05 <= min(clips) <= max(clips) <= 5
    assert np.median(np.log(clips)) == pytest.approx(
        np.log(0.5), abs=0.4
    )  # half are below the middle of the logs
    assert all(5 <= one.steps <= 200 for one in tries)
    with pytest.raises(RefusedError, match="ranges"):
        recommend(AccountingSettings(), tries=3)


def test_the_best_is_first_and_only_it_is_measured_again_on_other_seeds():
    frame = recommend(QUICK, tries=3, measure="scratch", ranges=RANGES, repeats=6, seeds=2)
    assert list(frame.columns) == ["clip_norm", "steps", "chosen", "again"]
    assert frame.chosen.is_monotonic_decreasing
    assert frame.again.notna().tolist() == [True, False, False]
    found = frame.iloc[0]
    best = QUICK.change(clip_norm=found.clip_norm, steps=int(found.steps))
    medians = [
        np.median(measured(best.change(seed=4 + i), measure="scratch", repeats=6)) for i in range(3)
    ]
    assert found.chosen == medians[0]
    assert found.again == pytest.approx(np.median(medians[1:]), abs=1e-12)


def test_what_the_readme_shows_runs_and_gives_frames():
    text = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    lines = text.partition("## From Python")[2].partition("\n## ")[0].splitlines()
    code = [line.strip().partition("  #")[0] for line in lines if line.startswith("    ")]
    names: dict = {}
    exec("\n".join(code[:3]), names)
    frames = [eval(line, names) for line in code[3:] if line]
    assert [len(frame) for frame in frames] == [48, 1, 12]
    assert frames[1].verdict.item() == "found"
    assert frames[2].again.notna().sum() == 1
