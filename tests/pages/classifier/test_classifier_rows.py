"""Rows of the classifier: how many there are, whose they are, and which are public."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.training import losses
from lab.data import classification as data
from lab.experiment.data_settings import split_of
from lab.models.non_private import optimum
from pages.classifier.result import plane_of
from pages.classifier.settings import ClassifierSettings
from tests.pages.classifier.examples import ensemble_of, small

# Numbers of rows and of people


@pytest.mark.parametrize("version", ["correct", "published"])
class TestNumberOfRows:
    def test_four_times_the_rows_have_a_quarter_of_the_noise(self, version):
        few = ensemble_of(small(version=version, rows=200))
        many = ensemble_of(small(version=version, rows=800))

        assert many.noise == pytest.approx(few.noise / 4)

    def test_the_guarantee_does_not_depend_on_the_number_of_rows(self, version):
        few = small(version=version, rows=200).guarantees
        many = small(version=version, rows=800).guarantees

        assert many.formula.epsilon == pytest.approx(few.formula.epsilon)

    @pytest.mark.parametrize("rows", [200, 800])
    def test_all_trainings_have_the_rows_that_are_set(self, version, rows):
        settings = small(version=version, rows=rows)

        for part in (settings.training, settings.training.public, settings.experiment.run()):
            assert len(part.split.X_private) == rows

    def test_the_public_start_does_not_depend_on_the_number_of_private_rows(self, version):
        few = small(dataset="wine", version=version, rows=50).training.public
        all_rows = small(dataset="wine", version=version, rows=89).training.public

        np.testing.assert_array_equal(few.weights(), all_rows.weights())


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(small(dataset="wine"), id="from the start"),
        pytest.param(small(rows=1000).change(dataset="wine"), id="after a change"),
    ],
)
def test_a_data_set_of_fixed_size_has_all_of_its_rows(settings):
    assert settings.rows == 89


class TestRowsPerPerson:
    ROWS = 400
    ROWS_EACH = 7
    PEOPLE = 58

    def settings_of(self, rows_each: int) -> ClassifierSettings:
        """Return settings of a single step with this number of rows per person."""
        return small(steps=1, clip_norm=0.05, rows_each=rows_each)

    def test_one_row_per_person_is_the_split_of_the_data_set(self):
        settings = self.settings_of(1)

        split = data.load("gaussians", seed=settings.seed, private_rows=self.ROWS)
        assert settings.change(rows_each=1).training.split is split

    def test_the_unit_of_privacy_is_a_person(self):
        settings = self.settings_of(self.ROWS_EACH)

        assert settings.unit == "person"
        assert settings.people == self.PEOPLE
        assert settings.guarantees.formula.unit == "person"

    def test_the_guarantee_is_that_of_as_many_people_with_one_row(self):
        several = self.settings_of(self.ROWS_EACH).guarantees.formula

        one = self.settings_of(1).guarantees.formula
        assert several.epsilon == pytest.approx(one.epsilon)

    def test_the_noise_counts_people(self):
        several = self.settings_of(self.ROWS_EACH).training.noise_sd(1)

        one = self.settings_of(1).training.noise_sd(1)
        assert several == pytest.approx(one * self.ROWS / self.PEOPLE)

    def test_all_but_one_have_the_rows_that_are_set(self):
        training = self.settings_of(self.ROWS_EACH).training

        _, _, people = training.split.training_rows

        assert sorted(np.bincount(people)) == [1] + [self.ROWS_EACH] * 57

    def test_the_rows_of_a_person_move_a_step_by_at_most_the_sensitivity(self):
        """It is 2 C / M, the C / M of add/remove twice, whatever the rows become."""
        settings = self.settings_of(self.ROWS_EACH)
        X, y, people = settings.training.split.training_rows
        changed = X.copy()
        changed[people == 3] = -3 * np.sign(X[people == 3])

        ends = []
        for rows in (X, changed):
            path = settings.training.descend(
                rows, y, people=people, clip_norm=settings.clip_norm, clipping="per-example"
            )
            ends.append(path.weights)

        before, after = ends
        distance = np.linalg.norm(after - before)
        assert distance <= 2 * settings.clip_norm / settings.people * (1 + 1e-5)
        assert distance > 2 * settings.clip_norm / self.ROWS

    @pytest.mark.parametrize(
        ("change", "field", "value"),
        [
            pytest.param({"version": "published"}, "rows_each", 1, id="published"),
            pytest.param({"dataset": "wine"}, "people", 13, id="another data set"),
        ],
    )
    def test_a_change_keeps_the_rows_per_person_where_it_can(self, change, field, value):
        settings = self.settings_of(self.ROWS_EACH)

        changed = settings.change(**change)

        assert getattr(changed, field) == value


# The non-private optimum


@pytest.mark.parametrize(
    "classes",
    [
        pytest.param(np.array([0, 1, 3]), id="three of four classes"),
        pytest.param(np.array([1, 3]), id="two of four classes"),
    ],
)
class TestMissingClasses:
    def optima(self, classes: np.ndarray):
        """Return rows, their indices in ``classes``, and the optima with and without the others."""
        random = np.random.default_rng(2)
        X = random.normal(size=(90, 2))
        indices = random.integers(len(classes), size=90)
        rows = losses.with_constant(X + classes[indices, None])
        with_all = optimum(rows[:, :2], classes[indices], n_classes=4)
        with_present = optimum(rows[:, :2], indices, n_classes=len(classes))
        return rows, indices, with_all, with_present

    def test_a_class_without_a_private_row_is_never_predicted(self, classes):
        rows, _, with_all, with_present = self.optima(classes)

        predicted = losses.predict(with_all, rows)

        np.testing.assert_array_equal(predicted, classes[losses.predict(with_present, rows)])

    def test_the_loss_is_that_of_the_present_classes(self, classes):
        rows, indices, with_all, with_present = self.optima(classes)

        loss = losses.mean_loss(with_all, rows, classes[indices])

        expected = losses.mean_loss(with_present, rows, indices)
        assert loss == pytest.approx(expected, rel=1e-9)


# Public rows


PRIVATE_VALUES = pytest.mark.parametrize("value", [math.nan, 1e6, 0.0])


@pytest.mark.parametrize("dataset", ["gaussians", "blobs", "breast_cancer"])
class TestPublicStart:
    PUBLIC_ROWS = 30

    def settings_of(self, dataset: str) -> ClassifierSettings:
        """Return settings of a data set with ``PUBLIC_ROWS`` public rows that are not shifted."""
        return small(dataset=dataset, public_rows=self.PUBLIC_ROWS, shift=0.0)

    def with_private_rows(self, split: data.Split, value: float) -> data.Split:
        """Return a split in which all private and held-out rows have one value and one class."""
        return replace(
            split,
            X_private=np.full_like(split.X_private, value),
            X_test=np.full_like(split.X_test, value),
            y_private=np.zeros_like(split.y_private),
            y_test=np.zeros_like(split.y_test),
        )

    def with_public_row(self, split: data.Split, row: int) -> data.Split:
        """Return a split in which a public row is another one."""
        X_public = split.X_public.copy()
        X_public[row] = -X_public[row][::-1]
        return replace(split, X_public=X_public)

    def start_with(self, split: data.Split, settings: ClassifierSettings, monkeypatch) -> bytes:
        """Return the weights of the public start if a split is loaded in place of the usual one."""
        split_of.cache_clear()
        with monkeypatch.context() as patch:
            patch.setattr(data, "load", lambda *args, **fields: split)
            start = settings.training.public.weights().tobytes()
        split_of.cache_clear()
        return start

    @PRIVATE_VALUES
    def test_no_private_row_reaches_the_public_start(self, dataset, value, monkeypatch):
        settings = self.settings_of(dataset)
        start = settings.training.public.weights()
        split = data.load(dataset, seed=settings.seed)

        other_start = self.start_with(self.with_private_rows(split, value), settings, monkeypatch)

        assert np.abs(start).max() > 0.01
        assert other_start == start.tobytes()

    @PRIVATE_VALUES
    def test_no_private_row_reaches_the_plane_of_the_maps(self, dataset, value):
        split = data.load(dataset, seed=self.settings_of(dataset).seed)
        plane = plane_of(split)

        other_plane = plane_of(self.with_private_rows(split, value))

        np.testing.assert_array_equal(other_plane.origin, plane.origin)
        np.testing.assert_array_equal(other_plane.axes, plane.axes)
        np.testing.assert_array_equal(other_plane.extent, plane.extent)

    @pytest.mark.parametrize(
        ("row", "is_used"),
        [
            pytest.param(PUBLIC_ROWS - 1, True, id="last row that is used"),
            pytest.param(PUBLIC_ROWS, False, id="first row that is not"),
        ],
    )
    def test_as_many_public_rows_are_used_as_are_set(self, dataset, row, is_used, monkeypatch):
        settings = self.settings_of(dataset)
        start = settings.training.public.weights().tobytes()
        split = data.load(dataset, seed=settings.seed)

        other_start = self.start_with(self.with_public_row(split, row), settings, monkeypatch)

        assert (other_start != start) == is_used
