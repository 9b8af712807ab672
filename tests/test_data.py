"""The data: disjoint parts, declared bounds, one seed one split, statistics, and a README that tells the same."""

import re
from fnmatch import fnmatchcase
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from sklearn import datasets as sklearn_datasets
from sklearn.datasets import load_diabetes

from dpcore import check
from dpcore.data import regression as regression_data
from dpcore.data import toy as data
from dpcore.data.regression import SOURCES, load
from dpcore.parties.worlds import KINDS
from pages.parties.parameters import RECORDED

PARTS = ("private", "public", "test")


@pytest.mark.parametrize("name", data.DATASETS)
class TestContract:
    def test_parts_are_disjoint_and_hold_the_rows_that_their_numbers_name_which_are_those_of_the_seed(self, name):
        other, split = (data.load(name, seed=seed) for seed in (1, 2))
        assert data.load(name, seed=2) is split
        data.load.cache_clear()
        again = data.load(name, seed=2)
        assert again is not split
        X, y = split.source.draw(data.stream(2, "data"))
        rows = [split.rows_of[part] for part in PARTS]
        np.testing.assert_array_equal(np.sort(np.concatenate(rows)), np.arange(len(X)))
        assert [len(part) for part in rows[:2]] == [split.source.private_rows, split.source.public_rows]
        assert len(rows[2]) > 0.2 * len(X)
        for part, numbers in zip(PARTS, rows, strict=True):
            expected = data.to_unit(X, split.source.bounds)[numbers], y[numbers], numbers
            both = [(getattr(one, f"X_{part}"), getattr(one, f"y_{part}"), one.rows_of[part]) for one in (split, again)]
            for mine, same, right in zip(*both, expected, strict=True):
                np.testing.assert_array_equal(mine, right)
                np.testing.assert_array_equal(same, right)
                assert not mine.flags.writeable
            assert not np.array_equal(numbers, other.rows_of[part])

    def test_rows_lie_in_the_unit_cube_and_hardly_any_needed_clipping(self, name):
        source = data.DATASETS[name]
        assert len(source.bounds) == len(source.features) == len(set(source.features))
        X, y = source.draw(np.random.default_rng(0))
        unit = data.to_unit(X, source.bounds)
        assert np.abs(unit).max() <= 1
        low, high = np.array(source.bounds).T
        inside = (low <= X) & (high >= X)
        np.testing.assert_allclose((unit + 1) / 2 * (high - low) + low, np.clip(X, low, high), atol=1e-9)
        assert inside.mean() > 0.999
        assert np.isfinite(X).all()
        np.testing.assert_array_equal(np.unique(y), np.arange(len(source.classes)))


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "wine", "iris"])
def test_shipped_sets_are_complete(name):
    shipped = np.column_stack(getattr(sklearn_datasets, f"load_{name}")(return_X_y=True))
    drawn = np.column_stack(data.DATASETS[name].draw(np.random.default_rng(0)))
    np.testing.assert_array_equal(*(rows[np.lexsort(rows.T)] for rows in (shipped, drawn)))


def test_the_two_gaussians_have_the_published_statistics():
    draws = [data.DATASETS["gaussians"].draw(np.random.default_rng(seed)) for seed in range(20)]
    X, y = (np.concatenate(parts) for parts in zip(*draws, strict=True))
    published = {
        0: ([-0.088, -0.204], [[0.956, 1.538], [1.538, 9.551]]),
        1: ([2.05, 1.546], [[1.078, -1.405], [-1.405, 9.332]]),
    }
    assert (y == 0).sum() == (y == 1).sum()
    for label, (mean, covariance) in published.items():
        rows = X[y == label]
        error = np.sqrt(np.diag(covariance) / len(rows))
        assert (np.abs(rows.mean(axis=0) - mean) < 4 * error).all()
        np.testing.assert_allclose(np.cov(rows.T), covariance, atol=4 * 9.5 * np.sqrt(2 / len(rows)))


def test_generated_rows_are_drawn_anew_by_the_seed():
    one, other = (data.load("gaussians", seed=seed).X_private for seed in (1, 2))
    assert len(np.intersect1d(one[:, 0], other[:, 0])) < 5  # but for the clipped ones


@pytest.mark.parametrize("name", ["digits", "iris"])
def test_a_set_of_fixed_size_has_no_more_but_fewer_private_rows(name):
    whole = data.load(name, seed=1)
    n = whole.source.private_rows
    with pytest.raises(check.RefusedError, match=f"^private_rows is {n + 1}, but must be at most {n}"):
        data.load(name, seed=1, private_rows=n + 1)
    assert len(data.load("moons", seed=1, private_rows=2000).X_private) == 2000  # generated rows have no limit
    some = data.load(name, seed=1, private_rows=n // 2)
    assert some.source.private_rows == len(some.X_private) == n // 2
    for part in PARTS:
        rows, known = some.rows_of[part], whole.rows_of[part]
        assert np.array_equal(rows, known[: n // 2] if part == "private" else known)
        assert np.array_equal(getattr(some, f"X_{part}"), getattr(whole, f"X_{part}")[: len(rows)])
        assert np.array_equal(getattr(some, f"y_{part}"), getattr(whole, f"y_{part}")[: len(rows)])


@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
def test_a_shift_moves_by_standard_deviations_and_stays_inside(shift):
    X = np.random.default_rng(0).uniform(-0.5, 0.3, size=(50, 3))
    np.testing.assert_allclose(data.shifted(X, shift=shift), np.minimum(X + shift * X.std(axis=0), 1))


README = (Path(__file__).parents[1] / "sample_data" / "README.md").read_text("utf-8")
BOUNDS = {name: dict(zip(source.features, source.bounds, strict=True)) for name, source in data.DATASETS.items()}
BOUNDS |= {name: SOURCES[name].bounds for name in SOURCES}


def section(name: str) -> tuple[str, dict[str, tuple[float, float]]]:
    """What the README says of a data set, and pattern of a feature's name -> its bounds."""
    (found,) = re.findall(rf"^##+ (?:\w+ and )?{name}\b.*\n([^#]+)", README, flags=re.MULTILINE)
    rows = re.findall(r"^\| ([^|]+) \| (-?\d[\d.]*) \| (-?\d[\d.]*) \| [^|]+ \|$", found, flags=re.MULTILINE)
    assert len(rows) == found.count("\n|") - 2, "a row has no number or no reason"
    return found, {feature: (float(low), float(high)) for feature, low, high in rows}


@pytest.mark.parametrize("name", BOUNDS)
def test_the_readme_lists_each_bound_as_the_code_has_it(name):
    text, table = section(name)
    for feature, bounds in BOUNDS[name].items():
        assert [listed for pattern, listed in table.items() if fnmatchcase(feature, pattern)] == [bounds], feature
    for pattern in table:
        assert any(fnmatchcase(feature, pattern) for feature in BOUNDS[name]), pattern
    if name in SOURCES:
        top = SOURCES[name].label_bounds[1]
        assert re.search(rf"Label: .* 0 to {top:g}|and 0 to {top:g}", text)
    else:
        assert all(word in text for word in ("Source:", "Licence:", "Columns:"))
        classes = [label for label in data.DATASETS[name].classes if not label.isdigit() and label[:5] != "class"]
        assert all(label in text.split("Columns:")[1] for label in classes)


def test_the_readme_describes_no_set_that_is_not_there():
    named = set(re.findall(r"^## (\w+)$", README, flags=re.MULTILINE))
    assert named - {"Parts", "Regression", "Parties", "Files"} == set(data.DATASETS)


@pytest.mark.parametrize("dataset", RECORDED)
def test_features_of_recorded_parties_keep_to_the_bounds_in_the_readme(dataset):
    kind, (_, table) = KINDS[dataset], section(dataset)
    found = kind.recipe.draw(np.random.default_rng(0).integers(0, kind.classes, (40, 30)), np.random.default_rng(1))
    names = {
        "activities": [f"feature {place}" for place in range(96)],
        "intrusions": [f"rate {place}" for place in range(40)] + [f"category {place}" for place in range(83)],
        "addresses": [f"word {place}" for place in range(120)],
    }[dataset]
    if dataset == "intrusions":
        found[..., :40] = (found[..., :40] + 1) / 2
        assert all((part.sum(axis=-1) == 1).all() for part in np.split(found[..., 40:], [3, 73], axis=-1))
    if dataset == "addresses":
        assert set(np.unique(found)) == {-1, 1}
        found = (found + 1) / 2
    for column, name in zip(np.moveaxis(found, -1, 0), names, strict=True):
        ((low, high),) = [ends for pattern, ends in table.items() if fnmatchcase(name, pattern)]
        assert low <= column.min() <= column.max() <= high


@pytest.mark.parametrize("name", SOURCES)
def test_rows_are_inside_of_their_bounds(name):
    table = load(name, seed=1)
    source, X, (low, high) = table.source, table.X[:, 1:], table.source.label_bounds
    assert table.X.shape == (source.rows, len(source.features) + 1)
    assert (table.X[:, 0] == 1).all()
    assert np.abs(table.X).max() <= 1
    assert low <= table.y.min() < table.y.max() <= high
    assert len(table.y_test) == source.rows - source.train_rows == len(table.X_test)
    # The bounds cut off little: few rows at either end but for yes-or-no features, and some spread
    several = np.array([len(np.unique(column)) > 3 for column in X.T])
    assert (np.abs(X[:, several]).mean(axis=0) < 0.9).all()
    assert (X.std(axis=0) > 0.2).all()
    assert not any(part.flags.writeable for part in (table.X, table.y))


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


@pytest.mark.parametrize("name", ["us", "brazil"])
def test_income_has_a_heavy_tail_and_attributes_depend_on_one_another(name):
    table = load(name, seed=0)
    assert table is load(name, seed=2), "a population is one whatever the seed"
    assert stats.skew(table.y) > 2
    assert np.quantile(table.y, 0.99) > 4 * np.median(table.y)
    at_the_top = (table.y >= SOURCES[name].label_bounds[1]).mean()
    assert 0 < at_the_top < 0.005
    columns = dict(zip(SOURCES[name].features, table.X[:, 1:].T, strict=True))
    for one, other, least in (("family size", "children", 0.5), ("age", "never married", -0.5)):
        assert np.corrcoef(columns[one], columns[other])[0, 1] * np.sign(least) > abs(least)


@pytest.mark.parametrize("label_top", [50.0, 200.0])
def test_statistics_are_those_of_the_rows_and_held_out_labels_are_not_clipped(label_top):
    table = load("us", seed=0)
    found = regression_data.train_statistics("us", seed=0, rows=5000, label_top=label_top)
    X, y = table.X[:5000].astype(float), 2 * np.minimum(table.y[:5000], label_top) / label_top - 1
    np.testing.assert_allclose(found.gram, X.T @ X)
    np.testing.assert_allclose(found.moment, X.T @ y)
    assert (found.rows, found.square) == (5000, pytest.approx(y @ y))
    few = found.first(4)
    np.testing.assert_array_equal(few.gram, found.gram[:4, :4])
    np.testing.assert_array_equal(few.moment, found.moment[:4])
    held_out, label = regression_data.held_out_statistics("us", seed=0, label_top=label_top), table.y_test
    np.testing.assert_allclose(held_out.moment, table.X_test.T @ (2 * label / label_top - 1))
    assert held_out.rows == 74_000
    assert label.max() > 50
