"""Data sets with a number as the answer: their rows, parts and bounds, and the sums of their rows."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_diabetes

from lab.data.regression import SOURCES, held_out_statistics, load, train_statistics

# Rows are scaled to the unit cube and back.
ROUNDING = 1e-9

every_set = pytest.mark.parametrize("name", SOURCES)
populations = pytest.mark.parametrize("name", ["us", "brazil"])
some_label_tops = pytest.mark.parametrize("label_top", [50.0, 200.0])


@every_set
def test_the_table_has_all_rows_and_features_and_a_constant(name):
    table = load(name, seed=1)

    assert table.X.shape == (table.source.rows, len(table.source.features) + 1)
    assert (table.X[:, 0] == 1).all()


@every_set
def test_rows_that_are_not_trained_on_are_held_out(name):
    table = load(name, seed=1)

    held_out = table.source.rows - table.source.train_rows
    assert len(table.y_test) == len(table.X_test) == held_out


@every_set
def test_inputs_and_answers_lie_within_their_bounds(name):
    table = load(name, seed=1)
    low, high = table.source.label_bounds

    assert np.abs(table.X).max() <= 1
    assert low <= table.y.min() < table.y.max() <= high


@every_set
def test_few_rows_lie_at_the_ends_of_a_feature_but_for_yes_or_no(name):
    X = load(name, seed=1).X[:, 1:]
    several = np.array([len(np.unique(column)) > 3 for column in X.T])

    assert (np.abs(X[:, several]).mean(axis=0) < 0.9).all()


@every_set
def test_each_feature_has_some_spread(name):
    assert (load(name, seed=1).X[:, 1:].std(axis=0) > 0.2).all()


@every_set
def test_the_table_cannot_be_written_to(name):
    table = load(name, seed=1)

    assert not table.X.flags.writeable
    assert not table.y.flags.writeable


class TestDiabetesStudy:
    def test_a_seed_has_the_same_order_again(self):
        np.testing.assert_array_equal(load("diabetes", seed=3).y, load("diabetes", seed=3).y)

    def test_another_seed_has_another_order(self):
        assert not np.array_equal(load("diabetes", seed=3).y, load("diabetes", seed=2).y)

    def test_the_diabetes_study_is_complete_and_within_its_bounds(self):
        X, y = load_diabetes(return_X_y=True, scaled=False)
        table = load("diabetes", seed=3)
        low, high = np.array(list(SOURCES["diabetes"].bounds.values())).T

        back = low + (table.X[:, 1:] + 1) / 2 * (high - low)

        shipped, found = np.lexsort((*X.T, y)), np.lexsort((*back.T, table.y))
        np.testing.assert_allclose(table.y[found], y[shipped])
        np.testing.assert_allclose(back[found], X[shipped], rtol=0, atol=ROUNDING)


class TestPopulations:
    @populations
    def test_a_population_is_one_whatever_the_seed(self, name):
        assert load(name, seed=0) is load(name, seed=2)

    @populations
    def test_income_has_a_heavy_tail(self, name):
        income = load(name, seed=0).y

        assert stats.skew(income) > 2
        assert np.quantile(income, 0.99) > 4 * np.median(income)

    @populations
    def test_few_incomes_lie_at_the_upper_bound(self, name):
        _, high = SOURCES[name].label_bounds

        at_bound = (load(name, seed=0).y >= high).mean()
        assert 0 < at_bound < 0.005

    @populations
    @pytest.mark.parametrize(
        ("one", "other", "sign"), [("family size", "children", 1), ("age", "never married", -1)]
    )
    def test_attributes_depend_on_one_another(self, name, one, other, sign):
        columns = dict(zip(SOURCES[name].features, load(name, seed=0).X[:, 1:].T, strict=True))

        correlation = np.corrcoef(columns[one], columns[other])[0, 1]
        assert sign * correlation > 0.5


class TestStatistics:
    @some_label_tops
    def test_sums_of_training_rows_are_of_clipped_answers(self, label_top):
        table = load("us", seed=0)
        X = table.X[:5000].astype(float)
        y = 2 * np.minimum(table.y[:5000], label_top) / label_top - 1

        found = train_statistics("us", seed=0, rows=5000, label_top=label_top)

        assert found.rows == 5000
        assert found.square == pytest.approx(y @ y)
        np.testing.assert_allclose(found.gram, X.T @ X)
        np.testing.assert_allclose(found.moment, X.T @ y)

    def test_sums_of_the_first_inputs_are_a_corner_of_all(self):
        found = train_statistics("us", seed=0, rows=5000, label_top=50.0)

        few = found.first_inputs(4)

        np.testing.assert_array_equal(few.gram, found.gram[:4, :4])
        np.testing.assert_array_equal(few.moment, found.moment[:4])

    @some_label_tops
    def test_held_out_answers_are_not_clipped(self, label_top):
        table = load("us", seed=0)

        found = held_out_statistics("us", seed=0, label_top=label_top)

        expected = table.X_test.T @ (2 * table.y_test / label_top - 1)
        assert table.y_test.max() > 50
        assert found.rows == 74_000
        np.testing.assert_allclose(found.moment, expected)
