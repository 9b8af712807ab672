"""Sweeps: the page's own numbers at several values, effects of a change, and a search."""

from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
from scipy import stats

from dpcore.check import RefusedError
from lab.data import classification
from lab.statistics.differences import of_groups, of_pairs
from lab.sweeps.measurement import Measurement, measured, measurements, split
from lab.sweeps.sweep import difference_of_settings, recommend, sample_settings, summary, sweep
from pages.classifier.settings import ClassifierSettings
from pages.regression.settings import RegressionSettings

# The median of so few tries scatters by less.
CHANCE = 0.4
# The same runs, in another order.
ROUNDING = 1e-12

QUICK = ClassifierSettings(public_rows=0, steps=10)
US = RegressionSettings(dataset="us")
RANGES = {"clip_norm": (0.05, 5.0), "steps": (5, 200)}


@pytest.fixture(scope="module")
def runs():
    """Two values of epsilon, two seeds, and three repeats."""
    return sweep(QUICK, "epsilon", [0.1, 1.0], measure="scratch", repeats=3, seeds=2)


@pytest.fixture(scope="module")
def found():
    """The three tries of a search, the best of them measured again on two seeds."""
    return recommend(QUICK, tries=3, measure="scratch", ranges=RANGES, repeats=6, seeds=2)


def median_of(settings, *, repeats):
    """Return the median of the measure ``scratch`` over so many repeats."""
    return np.median(measured(settings, measure="scratch", repeats=repeats))


def width(difference):
    """Return the width of the interval of a difference."""
    return difference.high - difference.low


def test_a_row_of_a_sweep_is_a_repeat_of_a_seed_at_a_value(runs):
    assert list(runs.columns) == ["epsilon", "seed", "repeat", "scratch"]
    assert len(runs) == 2 * 2 * 3


def test_a_sweep_has_the_numbers_of_the_page(runs):
    there = runs[(runs.epsilon == 1.0) & (runs.seed == QUICK.seed + 1)]

    page = QUICK.change(epsilon=1.0, seed=QUICK.seed + 1)
    np.testing.assert_array_equal(there.scratch, measured(page, measure="scratch", repeats=3))


def test_a_summary_is_the_median_over_seeds_of_the_medians_of_repeats(runs):
    shown = summary(runs, target=0.7)

    of_seeds = runs.groupby(["epsilon", "seed"]).scratch.median()
    expected = of_seeds.groupby("epsilon").median()[shown.epsilon]
    assert shown["median"].tolist() == pytest.approx(expected.tolist())


def test_after_the_last_seed_comes_the_first():
    _, last = QUICK.limits["seed"]

    found = split(QUICK.change(seed=last), 3)

    assert [one.seed for one in found] == [9999, 0, 1]


def test_repeats_in_parts_are_the_whole():
    whole = measured(QUICK, measure="scratch", repeats=100)
    parts = measurements(QUICK, measure="scratch", repeats=100, parts=7)

    assert len(parts) == 7
    np.testing.assert_array_equal(np.concatenate([one.run() for one in parts]), whole)


def test_fewer_repeats_are_the_first_of_more():
    few = measured(QUICK, measure="scratch", repeats=24)
    many = measured(QUICK, measure="scratch", repeats=100)

    np.testing.assert_array_equal(few, many[:24])


def test_whether_a_measurement_is_essential_does_not_make_it_another():
    how = {"settings": QUICK, "measure": "scratch", "repeats": 24}

    assert Measurement(**how) == Measurement(**how, essential=True)


@pytest.mark.parametrize(
    ("named", "slider", "value", "measure"),
    [
        ("steps", "steps", 0, "scratch"),
        ("nothing", "nothing", 1, "scratch"),
        ("measure", "epsilon", 1, "luck"),
    ],
)
def test_a_sweep_names_what_it_refuses(named, slider, value, measure):
    with pytest.raises((RefusedError, TypeError), match=named):
        sweep(QUICK, slider, [value], measure=measure)


@pytest.mark.parametrize(
    ("one", "other", "measure", "rule"),
    [
        (QUICK.change(epsilon=0.5), QUICK.change(epsilon=1.0), "scratch", of_pairs),
        (US, US.change(rows=1000), "error", of_groups),
    ],
    ids=["common noise", "other rows"],
)
def test_runs_are_compared_in_pairs_where_their_noise_is_common(one, other, measure, rule):
    a = measured(one, measure=measure, repeats=24)
    b = measured(other, measure=measure, repeats=24)

    assert difference_of_settings(one, other, a, b) == rule(a, b)


class TestSeveralSplits:
    """Five splits of twelve runs each: of data made up anew, and of a file whose rows recur."""

    a, b = np.random.default_rng(0).normal(size=(2, 60))
    made_up = QUICK.change(dataset="gaussians")
    file = QUICK.change(dataset="breast_cancer")

    def difference(self, settings):
        """Return the difference of ``a``, of these settings, and ``b``, of those at epsilon 1."""
        other = settings.change(epsilon=1.0)
        return difference_of_settings(settings, other, self.a, self.b, splits=5)

    def test_the_medians_of_the_splits_are_counted_and_not_their_runs(self):
        medians = [np.median(runs.reshape(5, 12), axis=1) for runs in (self.a, self.b)]
        known = stats.ttest_rel(*medians).confidence_interval(0.95)

        found = self.difference(self.made_up)

        assert (found.low, found.high) == pytest.approx((known.low, known.high))

    def test_data_made_up_anew_have_no_common_variance(self):
        assert self.made_up.common_variance == 0

    def test_splits_of_a_file_share_the_variance_of_test_over_private_rows(self):
        rows = classification.load("breast_cancer", seed=4)

        assert self.file.common_variance == len(rows.y_test) / len(rows.y_private)

    def test_the_interval_widens_by_the_common_variance(self):
        ratio = width(self.difference(self.file)) / width(self.difference(self.made_up))

        assert ratio == pytest.approx(np.sqrt(1 + 5 * self.file.common_variance))


class TestTries:
    tries = sample_settings(QUICK, tries=200, ranges=RANGES)

    def test_another_seed_has_other_tries(self):
        other = sample_settings(QUICK.change(seed=5), tries=200, ranges=RANGES)

        assert self.tries != other

    def test_fewer_tries_are_the_first_of_more(self):
        assert self.tries[:10] == sample_settings(QUICK, tries=10, ranges=RANGES)

    def test_tries_lie_in_the_declared_ranges(self):
        assert all(0.05 <= one.clip_norm <= 5 for one in self.tries)
        assert all(5 <= one.steps <= 200 for one in self.tries)

    def test_half_of_the_tries_are_below_the_middle_of_the_logarithms(self):
        median = np.median([np.log(one.clip_norm) for one in self.tries])

        assert median == pytest.approx(np.log(0.5), abs=CHANCE)


class TestSearch:
    def test_a_page_without_ranges_is_refused(self):
        with pytest.raises(RefusedError, match="ranges"):
            recommend(RegressionSettings(), tries=3)

    def test_a_row_has_the_searched_values_and_both_measurements(self, found):
        assert list(found.columns) == ["clip_norm", "steps", "chosen", "again"]

    def test_the_best_try_is_first(self, found):
        assert found.chosen.is_monotonic_decreasing

    def test_only_the_best_try_is_measured_again(self, found):
        assert found.again.notna().tolist() == [True, False, False]

    def test_a_try_is_the_median_of_the_pages_runs(self, found):
        first = found.iloc[0]
        best = QUICK.change(clip_norm=first.clip_norm, steps=int(first.steps))

        assert first.chosen == median_of(best.change(seed=4), repeats=6)

    def test_the_best_try_is_measured_again_on_other_seeds(self, found):
        first = found.iloc[0]
        best = QUICK.change(clip_norm=first.clip_norm, steps=int(first.steps))

        again = [median_of(best.change(seed=seed), repeats=6) for seed in (5, 6)]
        assert first.again == pytest.approx(np.median(again), abs=ROUNDING)


def code_of_readme() -> list[str]:
    """Return the code of the README's section for Python: of sweeps, and of estimators."""
    readme = (Path(__file__).parents[3] / "README.md").read_text("utf-8")
    _, _, after_heading = readme.partition("## From Python")
    section, _, _ = after_heading.partition("\n## ")
    blocks = [""]
    for paragraph in section.split("\n\n"):
        is_code = paragraph.startswith("    ")
        if is_code:
            blocks[-1] += dedent(paragraph) + "\n"
        else:
            blocks.append("")
    return [block for block in blocks if block.strip()]


def test_the_sweeps_of_the_readme_give_frames():
    block, _ = code_of_readme()
    calls = []
    other_lines = []
    for line in block.strip().splitlines():
        if line.startswith(("sweep(", "smallest(", "recommend(")):
            calls.append(line)
        else:
            other_lines.append(line)
    names: dict = {}
    exec("\n".join(other_lines), names)

    swept, smallest_value, recommended = [eval(call, names) for call in calls]

    assert len(swept) == 48
    assert len(recommended) == 12
    assert smallest_value.verdict.tolist() == ["found"]
    assert recommended.again.notna().sum() == 1


def test_the_estimator_of_the_readme_fits():
    _, block = code_of_readme()
    rng = np.random.default_rng(0)
    names = {"X": rng.normal(size=(40, 2)), "y": np.arange(40) % 2}

    exec(block, names)

    assert names["model"].guarantee_.epsilon == pytest.approx(1.0)
