"""Claims on two or more arms: which is ahead, behind or alike, and where runs are too few to say."""

from dataclasses import dataclass

import numpy as np
import pytest

from lab.statistics.claims import (
    Case,
    ahead_range,
    classify_difference,
    compare,
    leaders,
    leading_count,
    too_few_to_lead,
    trailing_start,
)
from lab.statistics.differences import Difference, of_pairs
from pages.classifier.settings import ClassifierSettings
from tests.claims import better, worse
from ui.page.differences import difference_sentence

SHARE = ClassifierSettings().experiment.measures["scratch"]
AHEAD, ALIKE = Case.AHEAD, Case.ALIKE


@dataclass
class Comparison:
    """Runs beside a baseline, and what the page knows of both."""

    runs: np.ndarray
    baseline: np.ndarray | float
    higher: bool  # whether a higher number is better
    constant: float | None  # the result of the constant answer
    complete: bool

    @property
    def beats_constant_answer(self) -> bool:
        """Return whether the better of the two is better than the constant answer."""
        if self.constant is None:
            return True
        sign = 1 if self.higher else -1
        best = max(sign * np.median(self.runs), sign * np.median(self.baseline))
        return best > sign * self.constant + 1e-12

    @property
    def expected(self) -> Case:
        """Return the case by the rules of tests/claims.py."""
        if not self.complete:
            return Case.SO_FAR
        if len(self.runs) < 6:
            return Case.FEW
        if not self.beats_constant_answer:
            return Case.CONSTANT
        if better(self.runs, self.baseline, higher=self.higher):
            return Case.AHEAD
        behind = worse(self.runs, self.baseline, higher=self.higher)
        return Case.BEHIND if behind else Case.ALIKE

    @property
    def found(self) -> Case:
        """Return the case that the program finds."""
        return compare(
            self.runs,
            self.baseline,
            better="higher" if self.higher else "lower",
            constant=self.constant,
            complete=self.complete,
        )


def random_comparison(rng):
    """Return runs that are better by around the least that matters, in some of the pairs."""
    higher = bool(rng.integers(2))
    pairs = int(rng.choice([5, 20]))
    complete = bool(rng.random() < 0.9)
    won = rng.integers(pairs + 1)
    # About a point of accuracy, or a hundredth of an error of 0.7.
    gains = [0.0067, 0.0072, 0.05]
    if higher:
        gains = [0.0099, 0.01, 0.05]
    gain = rng.choice(gains)
    constant = rng.choice([None, 0.65, 0.74, 0.75])
    varied_baseline = rng.normal(0.7, 0.03, pairs)
    varied_sizes = rng.uniform(0, 2, pairs)
    baseline = 0.7
    size = 1
    if rng.random() < 0.5:
        baseline = varied_baseline
        size = varied_sizes
    sign = np.where(np.arange(pairs) < won, 1, -1)
    runs = baseline + gain * size * sign
    return Comparison(runs, baseline, higher, constant, complete)


@pytest.fixture(scope="module")
def comparisons():
    """Return 400 random comparisons."""
    rng = np.random.default_rng(1)
    return [random_comparison(rng) for _ in range(400)]


def test_the_comparisons_meet_each_case_in_both_directions(comparisons):
    met = {(one.expected, one.higher) for one in comparisons}

    assert len(met) == 12


def test_a_claim_needs_a_sign_test_a_point_and_more_than_the_constant_answer(comparisons):
    """A point of a share, or one percent of the baseline's error."""
    for one in comparisons:
        assert one.found == one.expected, one


def test_an_infinite_error_is_behind():
    found = compare(np.full(20, np.inf), np.full(20, 0.7), better="lower")

    assert found == Case.BEHIND


@pytest.mark.parametrize(("least", "case"), [(0.01, AHEAD), (0.03, ALIKE)])
def test_a_difference_counts_from_the_least_that_matters(least, case):
    found = Difference(median=-0.02, low=-0.03, high=-0.01)

    assert classify_difference(found, better="lower", least=least) == case


def test_a_difference_below_the_least_that_matters_is_called_too_small():
    found = Difference(median=-0.02, low=-0.03, high=-0.01)

    assert "too small to matter" in difference_sentence(found, SHARE, least=0.03)


NOISE = np.random.default_rng(0).normal(scale=0.02, size=20)
ARMS = {"low": 0.6 + NOISE, "high": 0.8 + NOISE, "near": 0.8 + NOISE[::-1]}


class TestLeaders:
    def test_arms_that_cannot_be_told_apart_lead_together(self):
        assert set(leaders(ARMS)) == {"high", "near"}

    def test_an_arm_that_is_shown_to_be_behind_does_not_lead(self):
        assert "low" not in leaders(ARMS)

    def test_a_lead_over_several_arms_takes_more_pairs_than_over_one(self):
        others = {str(place): np.full(20, 0.7) for place in range(5)}
        first = np.repeat([0.75, 0.65], [15, 5])

        assert compare(first, others["0"]) == AHEAD
        assert len(leaders({"first": first, **others})) == 6


class TestFewRuns:
    high, low = np.full(5, 0.9), np.full(5, 0.1)

    @pytest.mark.parametrize("baseline", [low, 0.1, high], ids=["low", "number", "equal"])
    def test_five_runs_are_too_few_for_a_claim(self, baseline):
        assert compare(self.high, baseline) == Case.FEW

    def test_a_difference_of_five_pairs_is_too_few(self):
        found = of_pairs(self.high, self.low)

        assert classify_difference(found, better="higher", least=0.01) == Case.FEW

    def test_six_pairs_can_show_a_difference(self):
        assert compare(np.full(6, 0.9), np.full(6, 0.1)) == AHEAD

    @pytest.mark.parametrize(("runs", "case"), [(6, Case.FEW), (7, AHEAD)])
    def test_groups_take_seven_runs_each(self, runs, case):
        found = compare(np.full(runs, 0.9), np.full(runs, 0.1), paired=False)

        assert found == case

    @pytest.mark.parametrize(("arms", "runs", "few"), [(5, 7, True), (5, 8, False), (2, 7, False)])
    def test_several_comparisons_take_more_runs_than_one(self, arms, runs, few):
        results = {str(place): np.full(runs, place / 10) for place in range(arms)}

        assert too_few_to_lead(results) is few

    @pytest.mark.parametrize(
        ("cases", "found"),
        [([Case.FEW, Case.FEW], ("few", 0)), ([Case.FEW, AHEAD], ("from", 1))],
    )
    def test_a_range_of_values_is_too_few_only_where_all_are(self, cases, found):
        assert ahead_range(cases) == found


class TestUnequallyManyRuns:
    """A loss that sixteen networks show beside eight others is not hidden by pairing eight of
    them.
    """

    private = np.repeat([0.8, 0.6], [3, 13])
    plain = np.linspace(0.76, 0.78, 8)

    def test_eight_runs_of_sixteen_show_no_loss(self):
        assert compare(self.private[:8], self.plain) == ALIKE

    @pytest.mark.parametrize("shift", [0, 5])
    def test_all_sixteen_runs_show_the_loss_in_any_order(self, shift):
        assert compare(np.roll(self.private, shift), self.plain) == Case.BEHIND


@pytest.mark.parametrize(
    ("cases", "trailing", "leading"),
    [
        ([AHEAD, ALIKE, AHEAD], 2, 1),
        ([AHEAD, AHEAD, AHEAD], 0, 3),
        ([AHEAD, ALIKE], 2, 1),
        ([ALIKE, AHEAD], 1, 0),
    ],
)
def test_values_at_which_an_arm_leads_are_counted_from_either_end(cases, trailing, leading):
    assert trailing_start(cases) == trailing
    assert leading_count(cases) == leading
