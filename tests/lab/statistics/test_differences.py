"""Differences of two sets of runs, and the sentence for them, against scipy and what they promise."""

import math
import re
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from dpcore.check import RefusedError
from lab.experiment.settings import Measure
from lab.statistics.differences import Difference, of_groups, of_pairs, of_splits
from pages.classifier.settings import ClassifierSettings
from tests.sentences import NEVER, amount, plain
from ui.page.differences import difference_sentence

TRIALS = 4000
NUMBER = r"([+−]?[\d,]*\.?\d+)"
SHARE = ClassifierSettings().experiment.measures["scratch"]
ERROR = Measure("RMSE on held-out rows", "lower", np.asarray)
LOW, HIGH = np.full(9, 0.1), np.full(9, 0.3)


@dataclass
class Sample:
    """Two sets of runs with the median of their difference and its interval, by scipy."""

    a: np.ndarray
    b: np.ndarray
    paired: bool
    measure: Measure
    median: float
    low: float
    high: float

    @property
    def found(self) -> Difference:
        """Return the difference that the program finds, of pairs or of groups."""
        rule = of_pairs if self.paired else of_groups
        return rule(self.a, self.b)

    @property
    def said(self) -> str:
        """Return the sentence about the difference, without markup."""
        return plain(difference_sentence(self.found, self.measure))

    @property
    def verdict(self) -> str:
        """Return the words for which one is ahead."""
        if np.isinf(self.low):
            return "too few to say"
        if self.low > 0:
            return "higher in A"
        return "lower in A" if self.high < 0 else "o difference can be shown"

    @property
    def shown_numbers(self) -> tuple[float, float, float]:
        """Return the size of the difference and the ends of its interval, as a sentence states
        them: positive if it says "higher" or "lower", and a share in points.
        """
        sign = -1 if self.high < 0 else 1
        unit = 100 if self.measure.share else 1
        ends = sorted([sign * unit * self.low, sign * unit * self.high])
        return sign * unit * self.median, *ends


def interval_of_median(runs, confidence):
    """Return the interval of the median; without ends where there are too few runs."""
    found = stats.quantile_test(runs, p=0.5).confidence_interval(confidence)
    return (-np.inf, np.inf) if np.isnan(found.low) else (found.low, found.high)


def known(a, b, *, paired):
    """(median, low, high) by scipy."""
    if paired:
        return np.median(a - b), *interval_of_median(a - b, 0.95)
    each = 0.95**0.5
    low_a, high_a = interval_of_median(a, each)
    low_b, high_b = interval_of_median(b, each)
    return np.median(a) - np.median(b), low_a - high_b, high_a - low_b


def random_sample(rng):
    """Return runs of two settings, A and B.

    They differ by nothing, hardly or much, share little or nearly all of their noise, and are small
    or large numbers.
    """
    shift = rng.choice([-3, -0.5, 0, 1e-6, 1e-3, 0.5, 3])
    common = rng.choice([0, 0.9, 1 - 1e-9])
    scale = rng.choice([1e-9, 1e-5, 0.01, 1.0, 3000.0])
    paired = bool(rng.integers(2))
    measure = ERROR
    if scale == 0.01 and rng.random() < 0.5:
        measure = SHARE
    count = rng.choice([*range(2, 16), 24, 100])
    separate_noise = rng.normal(size=(2, count))
    common_noise = rng.normal(size=count)
    noise = separate_noise * np.sqrt(1 - common) + common_noise * np.sqrt(common)
    a, b = scale * noise
    a = a + scale * shift
    if not paired:
        b = b[:24]
    return Sample(a, b, paired, measure, *known(a, b, paired=paired))


@pytest.fixture(scope="module")
def samples():
    """Return 600 random samples."""
    rng = np.random.default_rng(3)
    return [random_sample(rng) for _ in range(600)]


def near(text: str, number: float) -> bool:
    """Return whether a text is this number, rounded."""
    decimals = len(text.partition(".")[2])
    return abs(amount(text) - number) <= 0.5 * 10**-decimals * (1 + 1e-6) + 1e-9 * abs(number)


def test_the_samples_have_each_verdict_of_pairs_and_of_groups_for_shares_and_errors(samples):
    met = {(one.verdict, one.paired, one.measure.share) for one in samples}

    assert len(met) == 16


def test_a_difference_is_that_of_a_sign_test(samples):
    for one in samples:
        found = one.found
        expected = [one.median, one.low, one.high]
        assert [found.median, found.low, found.high] == pytest.approx(expected, rel=1e-9, abs=1e-15)


def test_a_difference_knows_whether_it_is_of_pairs_has_ends_and_is_shown(samples):
    for sample in samples:
        difference = sample.found
        excludes_0 = sample.low > 0 or sample.high < 0
        assert difference.paired == sample.paired
        assert difference.bounded == np.isfinite(sample.low)
        assert difference.shown == excludes_0


def test_the_sentence_says_which_is_ahead(samples):
    for one in samples:
        assert one.verdict in one.said


def test_the_sentence_says_how_the_runs_are_compared(samples):
    for one in samples:
        assert ("paired differences" in one.said) == one.paired
        assert ("Compared as two groups" in one.said) == (not one.paired)
        if one.paired:
            assert f"median of {len(one.a)} paired" in one.said


def test_the_sentence_has_no_word_of_the_forbidden_list(samples):
    for one in samples:
        assert not any(re.search(word, one.said) for word in NEVER), one.said


def test_the_sentence_states_the_size(samples):
    for sample in samples:
        pattern = rf"\({NUMBER}"
        if sample.verdict.endswith("A"):
            pattern = rf"is {NUMBER} (?:points? )?\w+ in A"

        stated = re.search(pattern, sample.said)[1]

        size, _, _ = sample.shown_numbers
        assert near(stated, size)


def test_the_sentence_states_the_interval(samples):
    """No end looks like 0 or like the other one where it is not, however small or narrow."""
    for one in samples:
        if np.isfinite(one.low):
            pattern = rf"95 % confidence interval {NUMBER} to {NUMBER}\)\."
            low, high = re.search(pattern, one.said).groups()
            _, known_low, known_high = one.shown_numbers
            assert near(low, known_low)
            assert near(high, known_high)


@pytest.mark.parametrize(
    ("a", "b", "words"), [(HIGH, LOW, "higher in A"), (HIGH, HIGH, "equal in A and B")]
)
def test_without_chance_the_sentence_speaks_of_every_run(a, b, words):
    found = of_pairs(a, b)

    assert found.sure
    assert f"{words} in every run" in plain(difference_sentence(found, SHARE))


@pytest.mark.parametrize(("b", "sure"), [(LOW[:7], True), (np.linspace(0.1, 0.2, 9), False)])
def test_groups_are_sure_only_where_neither_varies(b, sure):
    assert of_groups(HIGH, b).sure is sure


@pytest.mark.parametrize(("median", "low", "high"), [(0.5, 0, 1), (-0.5, -1, 0)])
def test_an_interval_that_ends_at_0_shows_no_difference(median, low, high):
    assert not Difference(median=median, low=low, high=high).shown


@pytest.mark.parametrize("difference", [of_pairs, of_groups])
@pytest.mark.parametrize("values", [[1.0], [1.0, np.nan], [[1.0, 2.0]], ["a", "b"]])
def test_what_is_no_sample_is_refused(difference, values):
    with pytest.raises(RefusedError):
        difference(np.array([1.0, 2.0]), np.array(values))


def test_pairs_of_unequally_many_runs_are_refused():
    with pytest.raises(RefusedError):
        of_pairs(np.array([1.0, 2.0]), np.array([1.0, 2.0, 3.0]))


# Laws of the luck of a run, around 0 as their median: of the last, as of noisy errors, the mean is
# infinite.
LAWS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "skew": lambda rng, shape: rng.exponential(size=shape) - math.log(2),
    "infinite mean": lambda rng, shape: 1 / rng.uniform(size=shape) - 2,
}


every_law = pytest.mark.parametrize("law", LAWS)
some_common_noise = pytest.mark.parametrize("common", [0.0, 0.95])


def repeated_runs(law, common):
    """24 runs each of two equal settings, in many trials, which share some of their noise."""
    rng = np.random.default_rng(4)
    shared = LAWS[law](rng, (TRIALS, 1, 24)) * common
    own = LAWS[law](rng, (TRIALS, 2, 24)) * (1 - common)
    return np.moveaxis(shared + own, 1, 0)


def differences_of(a, b, *, rule):
    """Return the difference by this rule in each trial."""
    return [rule(one, other) for one, other in zip(a, b, strict=True)]


def covered(differences, truth):
    """Return the share of differences whose interval contains the truth."""
    return np.mean([one.low <= truth <= one.high for one in differences])


@every_law
@some_common_noise
@pytest.mark.parametrize("rule", [of_pairs, of_groups])
def test_intervals_cover_the_truth_in_95_of_100_trials(rule, common, law):
    a, b = repeated_runs(law, common)

    assert covered(differences_of(a + 0.3, b, rule=rule), 0.3) >= 0.945


@every_law
def test_intervals_of_pairs_are_as_narrow_as_their_noise_is_common(law):
    a, b = repeated_runs(law, 0.95)

    def median_width(rule) -> float:
        """Return the median width of the intervals of this rule."""
        differences = differences_of(a, b, rule=rule)
        return np.median([difference.high - difference.low for difference in differences])

    assert median_width(of_pairs) < median_width(of_groups) / 10


@some_common_noise
def test_the_interval_of_a_mean_would_not_cover_where_the_mean_is_infinite(common):
    a, _ = repeated_runs("infinite mean", common)

    half = stats.t.ppf(0.975, 23) * stats.sem(a, axis=1)
    distance = np.abs(a.mean(axis=1) - a.mean())
    assert np.mean(distance <= half) < 0.6


def runs_of_splits(law, splits):
    """24 runs in each split of many trials: splits differ by much more than their runs, as on small
    data sets.
    """
    rng = np.random.default_rng(5)
    common = rng.normal(size=(TRIALS, splits, 1))
    shift = 0.3 + LAWS[law](rng, (TRIALS, splits, 1))
    own = rng.normal(scale=0.3, size=(2, TRIALS, splits, 24))
    return common + own + np.stack([shift, 0 * shift])


@pytest.mark.parametrize(
    ("splits", "law", "promised"),
    [(5, "normal", 0.945), (5, "infinite mean", 0.9), (20, "infinite mean", 0.945)],
)
def test_splits_cover_what_they_promise(splits, law, promised):
    a, b = runs_of_splits(law, splits)

    assert covered(differences_of(a, b, rule=of_splits), 0.3) >= promised


@pytest.mark.parametrize(
    ("splits", "law"), [(5, "normal"), (5, "infinite mean"), (20, "infinite mean")]
)
def test_pooled_runs_would_not_cover(splits, law):
    a, b = (runs.reshape(TRIALS, -1) for runs in runs_of_splits(law, splits))

    assert covered(differences_of(a, b, rule=of_pairs), 0.3) < 0.6
