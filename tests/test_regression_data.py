"""The data for regression: bounds that the README tells, one population, dependence and a heavy tail, statistics."""

import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

from dpcore.data import regression as regression_data
from dpcore.data.regression import SOURCES, load

CENSUS = ("us", "brazil")


@pytest.mark.parametrize("name", SOURCES)
def test_rows_are_inside_of_their_bounds(name):
    table = load(name, seed=1)
    source = table.source
    assert table.X.shape == (source.rows, len(source.features) + 1)
    assert (table.X[:, 0] == 1).all()
    assert np.abs(table.X).max() <= 1
    low, high = source.label_bounds
    assert low <= table.y.min() < table.y.max() <= high
    assert source.label_tops[0] < source.label_top <= source.label_tops[1] <= high
    assert len(table.y_test) == source.rows - source.train_rows == len(table.X_test)
    # The bounds cut off little: few rows at either end but for yes-or-no features, and some spread
    X = table.X[:, 1:]
    several = np.array([len(np.unique(column)) > 3 for column in X.T])
    assert (np.abs(X[:, several]).mean(axis=0) < 0.9).all()
    assert (X.std(axis=0) > 0.2).all()
    assert not table.X.flags.writeable
    assert not table.y.flags.writeable


@pytest.mark.parametrize("name", CENSUS)
def test_a_population_is_one_whatever_the_seed(name):
    assert load(name, seed=1) is load(name, seed=2)
    few = SOURCES[name].draw(np.random.default_rng(0)), SOURCES[name].draw(np.random.default_rng(0))
    assert all(np.array_equal(*pair) for pair in zip(*few, strict=True))


def test_the_study_is_complete_hardly_clipped_and_divided_by_the_seed():
    X, y = load_diabetes(return_X_y=True, scaled=False)
    (table, other), again = (load("diabetes", seed=seed) for seed in (3, 2)), load("diabetes", seed=3)
    assert np.array_equal(table.y, again.y)
    assert not np.array_equal(table.y, other.y)
    low, high = np.array(list(SOURCES["diabetes"].bounds.values())).T
    back = low + (table.X[:, 1:] + 1) / 2 * (high - low)
    order, mine = np.lexsort((*X.T, y)), np.lexsort((*back.T, table.y))
    np.testing.assert_allclose(y[order], table.y[mine])
    assert np.abs(X[order] - back[mine]).max() < 1e-9  # no row lies beyond the bounds


@pytest.mark.parametrize("name", CENSUS)
def test_income_has_a_heavy_tail_and_attributes_depend_on_one_another(name):
    table = load(name, seed=0)
    centred = table.y - table.y.mean()
    assert (centred**3).mean() / table.y.std() ** 3 > 2  # skewness
    assert np.quantile(table.y, 0.99) > 4 * np.median(table.y)
    at_the_top = (table.y >= SOURCES[name].label_bounds[1]).mean()
    assert 0 < at_the_top < 0.005
    columns = dict(zip(SOURCES[name].features, table.X[:, 1:].T, strict=True))
    for one, other, least in (("family size", "children", 0.5), ("age", "never married", -0.5)):
        assert np.corrcoef(columns[one], columns[other])[0, 1] * np.sign(least) > abs(least)


@pytest.mark.parametrize("label_top", [80.0, 200.0])
def test_statistics_are_those_of_the_rows(label_top):
    table = load("us", seed=0)
    found = regression_data.train_statistics("us", seed=0, rows=5000, label_top=label_top)
    X, y = table.X[:5000], 2 * np.minimum(table.y[:5000], label_top) / label_top - 1
    np.testing.assert_allclose(found.gram, X.T @ X)
    np.testing.assert_allclose(found.moment, X.T @ y)
    assert found.square == pytest.approx(y @ y)
    assert (found.rows, found.gram[0, 0]) == (5000, 5000)
    assert np.abs(y).max() <= 1
    few = found.first(4)
    np.testing.assert_array_equal(few.gram, found.gram[:4, :4])
    np.testing.assert_array_equal(few.moment, found.moment[:4])


def test_held_out_labels_are_not_clipped():
    table = load("us", seed=0)
    found = regression_data.held_out_statistics("us", seed=0, label_top=50.0)
    label = 2 * table.y_test / 50 - 1
    assert label.max() > 1
    np.testing.assert_allclose(found.moment, table.X_test.T @ label)
    assert found.rows == 74_000


def test_the_readme_lists_each_bound_as_the_code_has_it():
    text = (Path(__file__).parents[1] / "sample_data" / "README.md").read_text("utf-8")
    _, study, census = re.split(r"^### .*$", text.split("## Regression")[1].partition("\n## ")[0], flags=re.MULTILINE)
    for section, names in ((study, ("diabetes",)), (census, CENSUS)):
        rows = re.findall(r"^\| ([^|]+) \| (-?\d[\d.]*) \| (-?\d[\d.]*) \|", section, flags=re.MULTILINE)
        listed = {feature: (float(low), float(high)) for feature, low, high in rows}
        for name in names:
            assert listed == SOURCES[name].bounds
            top = SOURCES[name].label_bounds[1]
            assert re.search(rf"Label: .* 0 to {top:g}|and 0 to {top:g}", section)
