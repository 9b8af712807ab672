"""Intervals of differences against scipy and against what they promise; noise that is called common is common."""

import math
from contextlib import suppress

import numpy as np
import pytest
from scipy import stats

from dpcore.check import RefusedError
from lab.differences import Difference, of_groups, of_pairs, of_splits
from lab.repeats import median_interval
from lab.settings import Settings
from pages.table import ROOMS

TRIALS = 4000


def ends(found: Difference) -> tuple[float, float]:
    return found.low, found.high


@pytest.mark.parametrize("repeats", [6, 7, 24, 50, 100])
def test_pairs_are_bounded_by_the_order_statistics_of_the_sign_test(repeats):
    a, b = np.random.default_rng(1).normal(size=(2, repeats))
    found, known = of_pairs(a, b), stats.quantile_test(a - b, p=0.5).confidence_interval(0.95)
    assert ends(found) == pytest.approx((known.low, known.high))
    assert (found.median, found.pairs, found.paired) == (pytest.approx(np.median(a - b)), repeats, True)


@pytest.mark.parametrize("sizes", [(7, 7), (8, 20), (24, 24)])
def test_groups_take_both_exact_intervals_of_a_median(sizes):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=sizes[0]), 3 * rng.normal(size=sizes[1])
    found = of_groups(a, b)
    one, other = (stats.quantile_test(runs, p=0.5).confidence_interval(math.sqrt(0.95)) for runs in (a, b))
    assert ends(found) == pytest.approx((one.low - other.high, one.high - other.low))
    assert not found.paired


@pytest.mark.parametrize(("compare", "least"), [(of_pairs, 6), (of_groups, 7)])
def test_too_few_repeats_show_nothing(compare, least):
    """Whatever the runs say: 0.5^5 and more is the chance that all of them lie on one side of the median."""
    for repeats in range(2, least + 1):
        found = compare(np.arange(10.0, 10 + repeats), np.arange(0.0, repeats))
        assert found.bounded == found.shown == (repeats == least)
        assert not (found.sure and repeats < least)
        assert found.median == 10


def test_without_chance_there_is_nothing_to_be_unsure_of():
    for a in np.random.default_rng(3).normal(size=(50, 7)):
        assert of_pairs(a, a) == Difference(median=0.0, low=0.0, high=0.0, pairs=7)
    for found in (of_pairs(np.full(9, 0.3), np.full(9, 0.1)), of_groups(np.full(9, 0.3), np.full(7, 0.1))):
        assert (found.sure, found.shown, found.median) == (True, True, pytest.approx(0.2))
    assert not of_groups(np.full(9, 0.3), np.linspace(0.1, 0.2, 9)).sure


@pytest.mark.parametrize(("low", "high", "shown"), [(-1, 2, False), (0.1, 2, True), (-2, -0.1, True), (0, 1, False)])
def test_shown_means_that_0_lies_outside(low, high, shown):
    assert Difference(median=0.5, low=low, high=high).shown == shown


@pytest.mark.parametrize("values", [[1.0], [], [1.0, np.nan], [[1.0, 2.0]], ["a", "b"]])
def test_what_is_no_sample_is_refused(values):
    with pytest.raises(RefusedError):
        of_pairs(np.array(values), np.array([1.0, 2.0]))
    with pytest.raises(RefusedError):
        of_groups(np.array([1.0, 2.0]), np.array(values))
    with pytest.raises(RefusedError, match="b is"):
        of_pairs(np.arange(3.0), np.arange(4.0))


# Laws of the luck of a run, around 0 as their median: of the last, as of noisy errors, the mean is infinite.
LAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skew": lambda rng, shape: rng.exponential(size=shape) - math.log(2),
    "infinite mean": lambda rng, shape: 1 / rng.uniform(size=shape) - 2,
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("common", [0.0, 0.5, 0.95])
def test_coverage(common, law):
    """Pairs and groups cover the truth in 95 of 100 at any share of common noise, whatever the distribution."""
    rng, truth, repeats = np.random.default_rng(4), 0.3, 24
    both = LAWS[law](rng, (TRIALS, 1, repeats)) * common
    a, b = np.moveaxis(both + (1 - common) * LAWS[law](rng, (TRIALS, 2, repeats)), 1, 0)
    for compare in (of_pairs, of_groups):
        found = [compare(one + truth, other) for one, other in zip(a, b, strict=True)]
        assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.945, compare.__name__


def test_pairs_are_as_narrow_as_their_noise_is_common():
    rng = np.random.default_rng(4)
    both = 0.95 * rng.normal(size=(500, 1, 24))
    runs = zip(*np.moveaxis(both + 0.05 * rng.normal(size=(500, 2, 24)), 1, 0), strict=True)
    widths = [[np.ptp(ends(compare(*one))) for compare in (of_pairs, of_groups)] for one in runs]
    pairs, groups = np.mean(widths, axis=0)
    assert pairs < groups / 10


def test_student_s_interval_of_the_mean_would_miss_where_there_is_none():
    """The test of coverage can fail: with an infinite mean, Student's interval of 24 runs rarely covers the truth."""
    runs = LAWS["infinite mean"](np.random.default_rng(6), (TRIALS, 24))
    truth = LAWS["infinite mean"](np.random.default_rng(7), 10_000)
    mean, half = runs.mean(axis=1), stats.t.ppf(0.975, 23) * stats.sem(runs, axis=1)
    assert np.mean(np.abs(mean - truth.mean()) <= half) < 0.6
    covered = [low <= np.median(truth) <= high for low, high in map(median_interval, runs)]
    assert np.mean(covered) >= 0.945


# What makes the pages' repeats few and quick, and noisy enough to differ.
QUICK = {
    "classifier": {"repeats": 12, "epsilon": 0.3, "steps": 60, "public_rows": 0},
    "network": {"repeats": 8, "epochs": 10, "rows": 400},
    "regression": {"repeats": 12},
    "transfer": {"repeats": 12, "target_rows": 300, "dimension": 8},
    "parties": {"repeats": 12, "parties": 60, "epsilon": 3.0, "queries": 40},
    "hypotheses": {"repeats": 8, "sources": 3, "target_rows": 600, "source_rows": 300, "unlabelled_rows": 300},
}
# How a knob that may be moved is moved by very little; a number that is whole, by one.
LITTLE = 1 + 1e-4
PAIRED = [page for page in ROOMS if page.settings.COMMON]


def repeats_of(settings: Settings, measure: str) -> np.ndarray:
    return np.concatenate([settings.MEASURES[measure].read(task.run()) for task in settings.samples()])


def nearby(settings: Settings) -> dict[str, Settings]:
    """The settings with each knob in turn moved by very little, where repeats then still pair."""
    found = {}
    for name, (low, high) in settings.limits.items():
        now = getattr(settings, name)
        moved = now + 1 if isinstance(now, int) else now * LITTLE or LITTLE - 1
        if name not in settings.COMMON and low <= moved <= high:
            with suppress(RefusedError):
                found[name] = settings.change(**{name: moved})
    return found


@pytest.mark.parametrize("page", PAIRED, ids=lambda page: page.name)
def test_the_noise_of_pairs_is_common(page):
    """Where settings say that they pair, a knob that is moved by very little moves each repeat by little."""
    start = page.settings().change(**QUICK[page.name])
    measure = start.compared
    here, other = repeats_of(start, measure), repeats_of(start.change(seed=start.seed + 1), measure)
    assert len(here) == start.repeats
    assert here.std() > 0
    read, (first, *_) = start.MEASURES[measure].read, start.samples()
    np.testing.assert_array_equal(read(first.run()), read(start.probe().run()))
    for name, near in nearby(start).items():
        if start.pairs_with(near):
            there = repeats_of(near, measure)
            assert np.corrcoef(here, there)[0, 1] > 0.8, name
    assert abs(np.corrcoef(here, other)[0, 1]) < 0.8, "another seed draws anew"


@pytest.mark.parametrize("page", ROOMS, ids=lambda page: page.name)
def test_pairs_agree_in_rows_seed_and_repeats(page):
    start = page.settings()
    assert start.pairs_with(page.settings())
    assert not start.pairs_with(ROOMS[0].settings() if page is not ROOMS[0] else ROOMS[1].settings())
    if start.COMMON:
        assert {"seed", "repeats"} <= set(start.COMMON)
        assert not start.pairs_with(start.change(seed=start.seed + 1))
        assert not start.pairs_with(start.change(repeats=start.repeats - 1))
    else:
        assert not any(start.pairs_with(near) for near in nearby(start).values())
    assert start.compared in start.MEASURES


def test_what_draws_no_noise_or_other_noise_does_not_pair():
    by_name = {page.name: page.settings() for page in ROOMS}
    plain = by_name["classifier"].change(version="none")
    assert plain.pairs_with(plain)
    assert not plain.pairs_with(plain.change(clip_norm=2.0))
    assert by_name["classifier"].pairs_with(by_name["classifier"].change(version="published"))
    transfer = by_name["transfer"]
    detected = transfer.change(selection="detected")
    assert not detected.pairs_with(detected.change(epsilon=2.0))
    assert not transfer.pairs_with(transfer.change(h=transfer.limits["h"][0])), "no source is near enough"
    assert not by_name["parties"].pairs_with(by_name["parties"].change(method="vote"))
    assert not by_name["network"].pairs_with(by_name["network"].change(width=17))


@pytest.mark.parametrize("splits", [5, 20])
@pytest.mark.parametrize("law", LAWS)
def test_splits_cover_what_they_promise_where_pooled_runs_do_not(splits, law):
    """Splits differ by much more than their runs, as on small data sets; with 20 their law does not matter."""
    rng, truth = np.random.default_rng(5), 0.3
    common = rng.normal(size=(TRIALS, splits, 1))
    apart = truth + LAWS[law](rng, (TRIALS, splits, 1))
    a = common + rng.normal(scale=0.3, size=(TRIALS, splits, 24)) + apart
    b = common + rng.normal(scale=0.3, size=(TRIALS, splits, 24))
    covered = {"splits": 0, "pooled": 0}
    for one, other in zip(a, b, strict=True):
        for name, found in (("splits", of_splits(one, other)), ("pooled", of_pairs(one.ravel(), other.ravel()))):
            covered[name] += found.low <= truth <= found.high
    assert covered["splits"] / TRIALS >= (0.945 if splits == 20 or law == "normal" else 0.9)
    assert covered["pooled"] / TRIALS < 0.6
