"""Intervals of differences against scipy and against what they promise; noise that is called common is common."""

from contextlib import suppress

import numpy as np
import pytest
from scipy import stats

from dpcore.check import RefusedError
from lab.differences import Difference, of_groups, of_pairs, of_splits
from lab.settings import Settings
from pages.table import ROOMS

TRIALS = 4000


def ends(found: Difference) -> tuple[float, float]:
    return found.low, found.high


@pytest.mark.parametrize("repeats", [2, 3, 24])
def test_pairs_are_those_of_a_t_test(repeats):
    a, b = np.random.default_rng(1).normal(size=(2, repeats))
    found, known = of_pairs(a, b), stats.ttest_rel(a, b).confidence_interval(0.95)
    assert ends(found) == pytest.approx((known.low, known.high))
    assert (found.mean, found.pairs, found.paired) == (pytest.approx((a - b).mean()), repeats, True)


@pytest.mark.parametrize("sizes", [(2, 2), (3, 20), (24, 24)])
def test_groups_are_those_of_welch(sizes):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=sizes[0]), 3 * rng.normal(size=sizes[1])
    found, known = of_groups(a, b), stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    assert ends(found) == pytest.approx((known.low, known.high))
    assert not found.paired


def test_one_against_itself_is_exactly_0():
    for a in np.random.default_rng(3).normal(size=(50, 7)):
        assert of_pairs(a, a) == Difference(mean=0.0, low=0.0, high=0.0, pairs=7)


def test_without_chance_there_is_nothing_to_be_unsure_of():
    a = np.full(5, 0.1) + np.full(5, 0.2)  # their variance is not 0 by rounding alone
    for found in (of_pairs(a, np.full(5, 0.1)), of_groups(a, np.full(3, 0.1))):
        assert found.sure
        assert found.shown
        assert found.mean == pytest.approx(0.2)
    half = of_groups(a, np.array([0.1, 0.2, 0.3]))
    assert not half.sure
    assert half.high - half.mean == pytest.approx(stats.t.ppf(0.975, 2) * 0.1 / np.sqrt(3))


@pytest.mark.parametrize(("low", "high", "shown"), [(-1, 2, False), (0.1, 2, True), (-2, -0.1, True), (0, 1, False)])
def test_shown_means_that_0_lies_outside(low, high, shown):
    assert Difference(mean=0.5, low=low, high=high).shown == shown


@pytest.mark.parametrize("values", [[1.0], [], [1.0, np.nan], [[1.0, 2.0]], ["a", "b"]])
def test_what_is_no_sample_is_refused(values):
    with pytest.raises(RefusedError):
        of_pairs(np.array(values), np.array([1.0, 2.0]))
    with pytest.raises(RefusedError):
        of_groups(np.array([1.0, 2.0]), np.array(values))


def test_pairs_need_as_many_of_each():
    with pytest.raises(RefusedError, match="b is"):
        of_pairs(np.arange(3.0), np.arange(4.0))


@pytest.mark.parametrize("common", [0.0, 0.5, 0.95])
def test_coverage(common):
    """Pairs cover the truth in 95 of 100 at any share of common noise; two groups do not do so less often."""
    rng, truth, repeats = np.random.default_rng(4), 0.3, 12
    both = rng.normal(size=(TRIALS, 1, repeats)) * np.sqrt(common)
    a, b = np.moveaxis(both + np.sqrt(1 - common) * rng.normal(size=(TRIALS, 2, repeats)), 1, 0)
    pairs, groups = (
        [found(one + truth, other) for one, other in zip(a, b, strict=True)] for found in (of_pairs, of_groups)
    )
    covered = {name: np.mean([one.low <= truth <= one.high for one in some]) for name, some in _named(pairs, groups)}
    width = {name: np.mean([one.high - one.low for one in some]) for name, some in _named(pairs, groups)}
    assert covered["pairs"] == pytest.approx(0.95, abs=0.012)
    assert covered["groups"] > 0.938
    assert width["pairs"] / width["groups"] == pytest.approx(np.sqrt(1 - common), rel=0.12)


def _named(pairs, groups):
    return (("pairs", pairs), ("groups", groups))


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


@pytest.mark.parametrize("page", PAIRED, ids=lambda page: page.name)
def test_the_samples_give_each_repeat_once(page):
    start = page.settings().change(**QUICK[page.name])
    first, *_ = start.samples()
    read = start.MEASURES[start.compared].read
    assert len(repeats_of(start, start.compared)) == start.repeats
    np.testing.assert_array_equal(read(first.run()), read(start.probe().run()))


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


def test_splits_cover_what_they_promise_where_pooled_runs_do_not():
    """Splits differ by much more than their runs, as on small data sets."""
    rng, truth = np.random.default_rng(5), 0.3
    common = rng.normal(size=(TRIALS, 5, 1))
    a = common + rng.normal(scale=0.3, size=(TRIALS, 5, 24)) + truth + rng.normal(scale=0.2, size=(TRIALS, 5, 1))
    b = common + rng.normal(scale=0.3, size=(TRIALS, 5, 24))
    covered = {"splits": 0, "pooled": 0}
    for one, other in zip(a, b, strict=True):
        for name, found in (("splits", of_splits(one, other)), ("pooled", of_pairs(one.ravel(), other.ravel()))):
            covered[name] += found.low <= truth <= found.high
    assert covered["splits"] / TRIALS == pytest.approx(0.95, abs=0.012)
    assert covered["pooled"] / TRIALS < 0.75
