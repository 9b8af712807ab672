"""Data sets with classes: their parts, their rows against the published files, and their bounds."""

import numpy as np
import pytest
from sklearn import datasets as sklearn_datasets

from dpcore import check
from lab.data import classification as data

# Rows are scaled to the unit cube and back.
ROUNDING = 1e-9

PARTS = ("private", "public", "test")

every_set = pytest.mark.parametrize("name", data.DATASETS)
sets_of_fixed_size = pytest.mark.parametrize("name", ["digits", "iris"])


def columns_of(split, part):
    """Return the inputs, answers, and numbers of the rows of a part."""
    return getattr(split, f"X_{part}"), getattr(split, f"y_{part}"), split.rows_of[part]


def drawn(name, seed=0):
    """Return the inputs X and classes y that the source of a data set draws with this seed."""
    return data.DATASETS[name].draw(np.random.default_rng(seed))


class TestParts:
    @every_set
    def test_each_row_is_in_one_part(self, name):
        split = data.load(name, seed=2)
        X, _ = split.source.draw(data.stream(2, "data"))

        rows = np.concatenate([split.rows_of[part] for part in PARTS])

        np.testing.assert_array_equal(np.sort(rows), np.arange(len(X)))

    @every_set
    def test_parts_have_the_declared_sizes_and_a_fifth_is_held_out(self, name):
        split = data.load(name, seed=2)
        private, public, test = (len(split.rows_of[part]) for part in PARTS)

        assert private == split.source.private_rows
        assert public == split.source.public_rows
        assert test > 0.2 * (private + public + test)

    @every_set
    @pytest.mark.parametrize("part", PARTS)
    def test_a_part_holds_the_rows_that_its_numbers_name(self, name, part):
        split = data.load(name, seed=2)
        X, y = split.source.draw(data.stream(2, "data"))

        found_X, found_y, numbers = columns_of(split, part)

        np.testing.assert_array_equal(found_X, data.to_unit(X, split.source.bounds)[numbers])
        np.testing.assert_array_equal(found_y, y[numbers])

    @every_set
    @pytest.mark.parametrize("part", PARTS)
    def test_a_part_cannot_be_written_to(self, name, part):
        columns = columns_of(data.load(name, seed=2), part)

        assert not any(column.flags.writeable for column in columns)

    @every_set
    @pytest.mark.parametrize("part", PARTS)
    def test_another_seed_has_other_rows_in_a_part(self, name, part):
        one, other = (data.load(name, seed=seed).rows_of[part] for seed in (1, 2))

        assert not np.array_equal(one, other)

    @every_set
    def test_a_seed_is_loaded_once(self, name):
        assert data.load(name, seed=2) is data.load(name, seed=2)

    @every_set
    def test_a_seed_that_is_loaded_again_has_the_same_rows(self, name):
        before = data.load(name, seed=2)
        data.load.cache_clear()
        after = data.load(name, seed=2)

        assert after is not before
        for part in PARTS:
            for one, other in zip(columns_of(before, part), columns_of(after, part), strict=True):
                np.testing.assert_array_equal(one, other)


class TestRows:
    @every_set
    def test_each_feature_has_a_name_and_bounds(self, name):
        source = data.DATASETS[name]

        assert len(source.bounds) == len(source.features) == len(set(source.features))

    @every_set
    def test_rows_lie_in_the_unit_cube(self, name):
        X, _ = drawn(name)

        assert np.isfinite(X).all()
        assert np.abs(data.to_unit(X, data.DATASETS[name].bounds)).max() <= 1

    @every_set
    def test_the_bounds_are_the_ends_of_the_unit_cube(self, name):
        X, _ = drawn(name)
        low, high = np.array(data.DATASETS[name].bounds).T

        unit = data.to_unit(X, data.DATASETS[name].bounds)

        back = low + (unit + 1) / 2 * (high - low)
        np.testing.assert_allclose(back, np.clip(X, low, high), atol=ROUNDING)

    @every_set
    def test_hardly_any_number_needs_clipping(self, name):
        X, _ = drawn(name)
        low, high = np.array(data.DATASETS[name].bounds).T

        inside = (low <= X) & (high >= X)
        assert inside.mean() > 0.999

    @every_set
    def test_each_class_has_rows(self, name):
        _, y = drawn(name)

        classes = data.DATASETS[name].classes
        np.testing.assert_array_equal(np.unique(y), np.arange(len(classes)))


@pytest.mark.parametrize("name", ["breast_cancer", "digits", "wine", "iris"])
def test_shipped_sets_are_complete(name):
    load = getattr(sklearn_datasets, f"load_{name}")
    shipped = np.column_stack(load(return_X_y=True))
    found = np.column_stack(drawn(name))

    shipped_order, found_order = np.lexsort(shipped.T), np.lexsort(found.T)
    np.testing.assert_array_equal(found[found_order], shipped[shipped_order])


class TestTwoGaussians:
    """The classes of the drawn Gaussians, in 20 draws, against the published statistics."""

    published = pytest.mark.parametrize(
        ("label", "mean", "covariance"),
        [
            (0, [-0.088, -0.204], [[0.956, 1.538], [1.538, 9.551]]),
            (1, [2.05, 1.546], [[1.078, -1.405], [-1.405, 9.332]]),
        ],
    )

    def rows_of_class(self, label):
        """Return the rows of a class in 20 draws of the Gaussians, (n, 2)."""
        draws = [drawn("gaussians", seed) for seed in range(20)]
        return np.concatenate([X[y == label] for X, y in draws])

    def test_the_classes_are_equally_large(self):
        assert len(self.rows_of_class(0)) == len(self.rows_of_class(1))

    @published
    def test_a_class_has_the_published_mean(self, label, mean, covariance):
        rows = self.rows_of_class(label)

        standard_error = np.sqrt(np.diag(covariance) / len(rows))
        assert (np.abs(rows.mean(axis=0) - mean) < 4 * standard_error).all()

    @published
    def test_a_class_has_the_published_covariance(self, label, mean, covariance):
        rows = self.rows_of_class(label)

        standard_error = 9.5 * np.sqrt(2 / len(rows))
        np.testing.assert_allclose(np.cov(rows.T), covariance, atol=4 * standard_error)


def test_generated_rows_are_drawn_anew_by_the_seed():
    rows = data.load("gaussians", seed=1).X_private
    other_rows = data.load("gaussians", seed=2).X_private

    common_values = np.intersect1d(rows[:, 0], other_rows[:, 0])

    # Some values are clipped to the same bound.
    assert len(common_values) < 5


class TestFewerPrivateRows:
    @sets_of_fixed_size
    def test_a_set_of_fixed_size_has_no_more_rows(self, name):
        n = data.load(name, seed=1).source.private_rows

        why = f"^private_rows is {n + 1}, but must be at most {n}"
        with pytest.raises(check.RefusedError, match=why):
            data.load(name, seed=1, private_rows=n + 1)

    def test_generated_rows_have_no_limit(self):
        assert len(data.load("moons", seed=1, private_rows=2000).X_private) == 2000

    @sets_of_fixed_size
    def test_half_of_the_private_rows_are_the_first_half(self, name):
        whole = data.load(name, seed=1)
        half = whole.source.private_rows // 2

        some = data.load(name, seed=1, private_rows=half)

        assert some.source.private_rows == half
        for found, known in zip(
            columns_of(some, "private"), columns_of(whole, "private"), strict=True
        ):
            np.testing.assert_array_equal(found, known[:half])

    @sets_of_fixed_size
    @pytest.mark.parametrize("part", ["public", "test"])
    def test_the_other_parts_stay(self, name, part):
        whole = data.load(name, seed=1)

        some = data.load(name, seed=1, private_rows=whole.source.private_rows // 2)

        for found, known in zip(columns_of(some, part), columns_of(whole, part), strict=True):
            np.testing.assert_array_equal(found, known)


@pytest.mark.parametrize("shift", [0.0, 0.5, 3.0])
def test_a_shift_moves_by_standard_deviations_and_stays_inside(shift):
    X = np.random.default_rng(0).uniform(-0.5, 0.3, size=(50, 3))

    expected = np.minimum(X + shift * X.std(axis=0), 1)
    np.testing.assert_allclose(data.shifted(X, shift=shift), expected)
