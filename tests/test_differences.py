"""Intervals of differences and claims on them, against scipy and against what they promise; noise that is called common
is common."""

import math
from contextlib import suppress

import numpy as np
import pytest
from scipy import stats

from dpcore.check import RefusedError
from lab.claims import Case, compare, judge, leaders, onwards, upto
from lab.differences import Difference, of_groups, of_pairs, of_splits
from lab.settings import Settings
from pages.table import ROOMS

TRIALS = 4000


def ends(found: Difference) -> tuple[float, float]:
    return found.low, found.high


def interval(runs: np.ndarray, confidence: float) -> tuple[float, float]:
    found = stats.quantile_test(runs, p=0.5).confidence_interval(confidence)
    return found.low, found.high


@pytest.mark.parametrize("repeats", [7, 24, 100])
def test_intervals_are_order_statistics_of_the_sign_test(repeats):
    """Of pairs those of the differences, of groups those of both medians."""
    a, b = np.random.default_rng(1).normal(size=(2, repeats))
    pairs, groups = of_pairs(a, b), of_groups(a, 3 * b[:24])
    assert ends(pairs) == pytest.approx(interval(a - b, 0.95))
    assert (pairs.median, pairs.pairs, pairs.paired) == (pytest.approx(np.median(a - b)), repeats, True)
    (low_a, high_a), (low_b, high_b) = (interval(runs, math.sqrt(0.95)) for runs in (a, 3 * b[:24]))
    assert ends(groups) == pytest.approx((low_a - high_b, high_a - low_b))
    assert not groups.paired


@pytest.mark.parametrize(("difference", "least"), [(of_pairs, 6), (of_groups, 7)])
def test_too_few_repeats_show_nothing(difference, least):
    """Whatever the runs say: 0.5^5 and more is the chance that all of them lie on one side of the median."""
    for repeats in range(2, least + 1):
        found = difference(np.arange(10.0, 10 + repeats), np.arange(0.0, repeats))
        assert found.bounded == found.shown == (repeats == least)
        assert not (found.sure and repeats < least)
        assert found.median == 10


def test_without_chance_there_is_nothing_to_be_unsure_of():
    a = np.random.default_rng(3).normal(size=7)
    assert of_pairs(a, a) == Difference(median=0.0, low=0.0, high=0.0, pairs=7)
    for found in (of_pairs(np.full(9, 0.3), np.full(9, 0.1)), of_groups(np.full(9, 0.3), np.full(7, 0.1))):
        assert (found.sure, found.shown, found.median) == (True, True, pytest.approx(0.2))
    assert not of_groups(np.full(9, 0.3), np.linspace(0.1, 0.2, 9)).sure
    assert not Difference(median=0.5, low=0, high=1).shown


@pytest.mark.parametrize("values", [[1.0], [1.0, np.nan], [[1.0, 2.0]], ["a", "b"], [1.0, 2.0, 3.0]])
def test_what_is_no_sample_is_refused(values):
    with pytest.raises(RefusedError):
        of_pairs(np.array([1.0, 2.0]), np.array(values))
    if len(values) < 3:
        with pytest.raises(RefusedError):
            of_groups(np.array([1.0, 2.0]), np.array(values))


class TestClaims:
    BASE = np.full(20, 0.7)

    @staticmethod
    def runs(won: int, by: float = 0.05, pairs: int = 20) -> np.ndarray:
        """As many runs above .7 as ``won``, the others below."""
        return np.array([0.7 + by] * won + [0.7 - by] * (pairs - won))

    @pytest.mark.parametrize("won", [0, 5, 6, 14, 15, 20])
    def test_a_lead_is_said_as_soon_as_a_sign_test_shows_it(self, won):
        shown = stats.binomtest(won, 20).pvalue <= 0.05
        wanted = Case.ALIKE if not shown else Case.AHEAD if won > 10 else Case.BEHIND
        assert compare(self.runs(won), self.BASE) == compare(self.runs(won), 0.7) == wanted

    def test_a_small_difference_is_none(self):
        """Less than a point of a share, or less than one percent of the baseline's error."""
        assert compare(self.runs(20, by=0.0099), self.BASE) == Case.ALIKE
        assert compare(self.runs(20, by=0.01), self.BASE) == Case.AHEAD
        cases = {0.991: Case.ALIKE, 0.989: Case.AHEAD, 1.011: Case.BEHIND, np.inf: Case.BEHIND}
        assert {x: compare(self.BASE * x, self.BASE, better="lower") for x in cases} == cases
        found = Difference(median=-0.02, low=-0.03, high=-0.01)
        assert judge(found, better="lower", least=0.01) == Case.AHEAD
        assert judge(found, better="lower", least=0.03) == Case.ALIKE

    def test_a_lead_below_the_constant_answer_is_none(self):
        assert compare(self.runs(20), self.BASE, constant=0.75) == Case.CONSTANT
        assert compare(self.runs(20), self.BASE, constant=0.74) == Case.AHEAD
        assert compare(self.runs(0), self.BASE, better="lower", constant=0.65) == Case.CONSTANT

    def test_nothing_is_said_before_all_runs_are_there_nor_of_five(self):
        assert compare(self.runs(20), self.BASE, complete=False) == Case.SO_FAR
        assert compare(self.runs(5, pairs=5), 0.7) == Case.ALIKE

    def test_the_best_of_several_is_alone_only_where_it_beats_each(self):
        rng = np.random.default_rng(0)
        noise = rng.normal(scale=0.02, size=20)
        arms = {"low": 0.6 + noise, "high": 0.8 + noise, "near": 0.8 + rng.permutation(noise)}
        assert set(leaders(arms)) == {"high", "near"}
        assert leaders(arms, better="lower") == ("low",)
        many = {"first": self.runs(15), **{str(n): self.BASE for n in range(5)}}
        assert compare(many["first"], self.BASE) == Case.AHEAD
        assert len(leaders(many)) == 6, "15 of 20 pairs show a lead over one arm, but not over five"

    def test_from_where_on_and_up_to_where(self):
        ahead, alike = Case.AHEAD, Case.ALIKE
        assert [onwards(cases) for cases in ([ahead, alike, ahead], [ahead] * 3, [ahead, alike])] == [2, 0, 2]
        assert [upto(cases) for cases in ([ahead, alike, ahead], [ahead] * 3, [alike, ahead])] == [1, 3, 0]


# Laws of the luck of a run, around 0 as their median: of the last, as of noisy errors, the mean is infinite.
LAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skew": lambda rng, shape: rng.exponential(size=shape) - math.log(2),
    "infinite mean": lambda rng, shape: 1 / rng.uniform(size=shape) - 2,
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("common", [0.0, 0.95])
def test_coverage(common, law):
    """Pairs and groups cover the truth in 95 of 100 at any share of common noise, whatever the distribution."""
    rng, truth, repeats = np.random.default_rng(4), 0.3, 24
    both = LAWS[law](rng, (TRIALS, 1, repeats)) * common
    a, b = np.moveaxis(both + (1 - common) * LAWS[law](rng, (TRIALS, 2, repeats)), 1, 0)
    widths = []
    for difference in (of_pairs, of_groups):
        found = [difference(one + truth, other) for one, other in zip(a, b, strict=True)]
        assert np.mean([one.low <= truth <= one.high for one in found]) >= 0.945, difference.__name__
        widths.append(np.median([np.ptp(ends(one)) for one in found]))
    assert common < 0.95 or widths[0] < widths[1] / 10, "pairs are as narrow as their noise is common"


def test_student_s_interval_of_the_mean_would_miss_where_there_is_none():
    """The test of coverage can fail: with an infinite mean, Student's interval of 24 runs rarely covers the truth."""
    runs = LAWS["infinite mean"](np.random.default_rng(6), (TRIALS, 24))
    truth = LAWS["infinite mean"](np.random.default_rng(7), 10_000)
    mean, half = runs.mean(axis=1), stats.t.ppf(0.975, 23) * stats.sem(runs, axis=1)
    assert np.mean(np.abs(mean - truth.mean()) <= half) < 0.6


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
    start = {page.name: page.settings() for page in ROOMS}
    classifier, detected = start["classifier"], start["transfer"].change(selection="detected")
    assert classifier.pairs_with(classifier.change(version="published"))
    plain = classifier.change(version="none")
    no_source = start["transfer"].limits["h"][0]
    for one, other in (
        (plain, plain.change(clip_norm=2.0)),
        (detected, detected.change(epsilon=2.0)),
        (start["transfer"], start["transfer"].change(h=no_source)),
        (start["parties"], start["parties"].change(method="vote")),
        (start["network"], start["network"].change(width=17)),
    ):
        assert not one.pairs_with(other)


@pytest.mark.parametrize(("splits", "law"), [(5, "normal"), (5, "infinite mean"), (20, "infinite mean")])
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
