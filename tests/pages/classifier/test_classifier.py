"""The classifier: its tasks, what is measured of its models, and what trainings must reach."""

import math
from dataclasses import replace

import numpy as np
import pytest

from dpcore.training import losses
from lab.data import classification as data
from lab.experiment.data_settings import split_of
from lab.models import classifier_versions
from lab.models.non_private import optimum
from lab.statistics.decision_regions import boundaries, votes
from pages.classifier.result import plane_of
from pages.classifier.settings import ClassifierSettings

SMALL = {"repeats": 3, "steps": 6, "public_steps": 5}
CLIP_NORM = 0.6
# The fourth seed is that of the page.
SEEDS = [4, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (0, 1))]


def small(**changes) -> ClassifierSettings:
    """Return settings that are trained quickly, with changes."""
    return ClassifierSettings(**{**SMALL, **changes})


def ensemble_of(settings: ClassifierSettings):
    """Return the models at the set epsilon, and what was measured of them."""
    first_task, *_ = settings.experiment.tasks()
    return first_task.run()


# Tasks


class TestTasks:
    def test_the_plane_of_the_maps_trains_nothing_anew(self):
        settings = small(dataset="iris", public_rows=9)

        moved = settings.change(plane="features", feature_x=3, feature_y=2)

        assert moved.experiment.tasks() == settings.experiment.tasks()

    def test_epsilon_trains_the_ensemble_alone_anew(self):
        settings = small(dataset="iris", public_rows=9)

        moved = settings.change(epsilon=7.0)

        assert moved.experiment.tasks()[1:] == settings.experiment.tasks()[1:]

    def test_the_references_do_not_depend_on_privacy(self):
        settings = small(dataset="iris", public_rows=9)

        moved = settings.change(clip_norm=0.1, epsilon=2.0, version="published", repeats=9)

        assert moved.experiment.tasks()[1] == settings.experiment.tasks()[1]


# Measurements


@pytest.mark.parametrize("dataset", data.LINEAR_DATASETS)
class TestEveryDataSet:
    def result_of(self, dataset: str):
        """Return the result of the essential tasks at a large epsilon."""
        settings = ClassifierSettings(dataset=dataset, public_rows=20, repeats=4, epsilon=150.0)
        essential = [task for task in settings.experiment.tasks() if task.essential]
        return settings.experiment.gather({task: task.run() for task in essential})

    def test_models_beat_chance_at_a_large_epsilon(self, dataset):
        result = self.result_of(dataset)

        assert np.isfinite(result.ensemble.weights).all()
        assert np.median(result.ensemble.accuracy) > 1.5 / len(result.split.source.classes)
        assert result.reference.best_accuracy > 0.8

    def test_maps_show_the_classes_of_the_data_set(self, dataset):
        result = self.result_of(dataset)

        winner, _ = votes(result.ensemble.weights[0], result.plane)

        assert winner.max() < len(result.split.source.classes)

    def test_boundaries_are_segments(self, dataset):
        result = self.result_of(dataset)

        for weights in (result.ensemble.weights[0], result.reference.weights[None]):
            assert boundaries(weights, result.plane).shape[1:] == (2, 2)


@pytest.mark.parametrize("version", classifier_versions.VERSIONS)
@pytest.mark.parametrize("dataset", ["gaussians", "blobs"])
class TestMeasuredEnsemble:
    def settings_of(self, dataset: str, version: str) -> ClassifierSettings:
        return small(dataset=dataset, version=version, clip_norm=CLIP_NORM)

    def private_rows(self, settings: ClassifierSettings) -> tuple[np.ndarray, np.ndarray]:
        split = settings.training.split
        return losses.with_constant(split.X_private), split.y_private

    def start_of(self, settings: ClassifierSettings, arm: int) -> np.ndarray:
        """Return the weights with which an arm starts."""
        if arm == 0:
            return settings.training.zero_weights
        return settings.training.public.weights()

    def test_the_first_recorded_step_is_0_and_the_last_one_the_end(self, dataset, version):
        settings = self.settings_of(dataset, version)

        ensemble = ensemble_of(settings)

        assert ensemble.steps[0] == 0
        assert ensemble.steps[-1] == settings.steps

    def test_losses_are_those_of_the_start_and_of_the_final_weights(self, dataset, version):
        settings = self.settings_of(dataset, version)
        X, y = self.private_rows(settings)

        ensemble = ensemble_of(settings)

        for arm in range(2):
            start_loss = losses.mean_loss(self.start_of(settings, arm), X, y)
            for repeat in range(settings.repeats):
                weights = ensemble.weights[arm, repeat].astype(float)
                measured = ensemble.loss[arm, repeat]
                assert measured[0] == pytest.approx(start_loss, rel=1e-5)
                assert measured[-1] == pytest.approx(losses.mean_loss(weights, X, y), rel=1e-5)

    def test_accuracies_are_those_of_the_final_weights(self, dataset, version):
        settings = self.settings_of(dataset, version)
        split = settings.training.split
        test_rows = losses.with_constant(split.X_test)

        ensemble = ensemble_of(settings)

        for arm in range(2):
            for repeat in range(settings.repeats):
                weights = ensemble.weights[arm, repeat].astype(float)
                accuracy = (losses.predict(weights, test_rows) == split.y_test).mean()
                assert ensemble.accuracy[arm, repeat] == pytest.approx(accuracy, abs=2e-3)

    def test_the_signal_is_the_first_mean_gradient_as_it_is_clipped(self, dataset, version):
        settings = self.settings_of(dataset, version)
        X, y = self.private_rows(settings)

        ensemble = ensemble_of(settings)

        for arm in range(2):
            residuals = losses.residuals(losses.logits(self.start_of(settings, arm), X), y)
            # (k, n) and (n, p) -> (n, k p): the gradient of each row.
            gradients = np.einsum("kn,np->nkp", residuals, X).reshape(len(X), -1)
            if version == "correct":
                norms = np.linalg.norm(gradients, axis=1, keepdims=True)
                gradients = gradients * np.minimum(1, CLIP_NORM / norms)
            signal = np.linalg.norm(gradients.mean(axis=0))
            if version == "published":
                signal = min(signal, CLIP_NORM)
            assert ensemble.signal[arm] == pytest.approx(signal, rel=1e-4)

    def test_the_noise_is_that_of_all_weights_together(self, dataset, version):
        settings = self.settings_of(dataset, version)

        ensemble = ensemble_of(settings)

        noise_sd = classifier_versions.noise_sd(settings, settings.epsilon)
        number_of_weights = ensemble.weights[0, 0].size
        assert ensemble.noise == pytest.approx(noise_sd * math.sqrt(number_of_weights))


def test_the_share_of_clipped_gradients_follows_the_bound():
    loose = ensemble_of(small(clip_norm=100.0)).clipped
    middle = ensemble_of(small(clip_norm=0.5)).clipped
    tight = ensemble_of(small(clip_norm=0.01)).clipped

    assert loose.max() == 0
    assert middle.min() > 0.05
    assert middle.max() < 0.95
    assert tight.min() > 0.95


class TestWithoutPrivacy:
    @pytest.fixture(scope="class")
    @classmethod
    def result(cls):
        return small(version="none").experiment.run()

    def test_there_is_no_noise(self, result):
        assert result.ensemble.noise == 0

    def test_all_repeats_are_the_same_model(self, result):
        assert np.ptp(result.ensemble.weights, axis=1).max() == 0

    def test_each_arm_is_its_reference(self, result):
        for index, arm in enumerate(result.settings.arms):
            reference = result.references[arm]
            weights = result.ensemble.weights[index, 0]
            np.testing.assert_array_equal(reference.weights, weights)
            np.testing.assert_allclose(reference.loss, result.ensemble.loss[index, 0], rtol=1e-5)

    def test_the_reference_is_the_one_from_zero(self, result):
        assert result.reference is result.references["scratch"]


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


# The table


class TestTable:
    @pytest.fixture(scope="class")
    @classmethod
    def result(cls):
        return small().experiment.run()

    @pytest.mark.parametrize(
        ("arm", "column"),
        [
            pytest.param("scratch", "without", id="scratch"),
            pytest.param("public", "with", id="public"),
        ],
    )
    def test_medians_are_those_of_the_curve(self, result, arm, column):
        table = result.table().set_index("epsilon")

        medians = result.curve.groupby(["arm", "epsilon"])["accuracy"].median()

        np.testing.assert_allclose(table[column], 100 * medians[arm].loc[table.index])

    def test_gains_are_medians_over_pairs_of_runs(self, result):
        table = result.table().set_index("epsilon")

        pairs = result.curve.pivot(index=["epsilon", "repeat"], columns="arm", values="accuracy")
        gains = (pairs["public"] - pairs["scratch"]).groupby("epsilon").median()
        np.testing.assert_allclose(table["gain"], 100 * gains.loc[table.index])

    def test_published_gains_are_computed_from_the_published_accuracies(self, result):
        table = result.table()

        computed = table["published with"] - table["published without"]
        np.testing.assert_allclose(table["published gain computed"], computed)


# What trainings reach


@pytest.mark.parametrize("seed", SEEDS)
class TestReachedAccuracy:
    def gaussians(self, seed: int, epsilon: float) -> ClassifierSettings:
        return ClassifierSettings(
            dataset="gaussians", version="correct", public_rows=0, seed=seed, epsilon=epsilon
        )

    def test_epsilon_1_is_close_to_the_optimum(self, seed):
        result = self.gaussians(seed, epsilon=1.0).experiment.run()

        assert abs(result.summary["scratch"].median - result.reference.best_accuracy) <= 0.03

    def test_epsilon_0_01_is_close_to_chance(self, seed):
        ensemble = ensemble_of(self.gaussians(seed, epsilon=0.01))

        assert abs(np.median(ensemble.accuracy) - 0.5) <= 0.08

    def test_public_rows_help_at_small_epsilon_and_hardly_at_a_large_one(self, seed):
        settings = ClassifierSettings(
            seed=seed, shift=0.0, public_rows=200, public_steps=400, learning_rate=0.5
        )

        gain = settings.experiment.run().table().set_index("epsilon")["gain"]

        assert gain[0.1] > 8
        assert abs(gain[150]) < 2


# Noise and public rows


class TestCommonNoise:
    """After one step from zero, noise alone tells repeats apart."""

    EPSILONS = (0.5, 5.0)

    def noise_and_ratio(self) -> tuple[np.ndarray, float]:
        """Return the noise in the weights (arms, epsilons, repeats, ...), and its ratio."""
        settings = small(steps=1, repeats=5, version="correct", learning_rate=1.0)
        path = settings.training.train(self.EPSILONS, draws=range(5))
        weights = path.weights.reshape(2, 2, 5, -1).astype(float)
        noise = weights - weights.mean(axis=2, keepdims=True)
        small_epsilon, large_epsilon = self.EPSILONS
        ratio = classifier_versions.noise_sd(settings, small_epsilon) / (
            classifier_versions.noise_sd(settings, large_epsilon)
        )
        return noise, ratio

    def test_there_is_noise(self):
        noise, _ = self.noise_and_ratio()

        assert noise[:, 0].std() > 0.01

    def test_a_repeat_has_the_same_noise_at_every_epsilon_but_for_its_size(self):
        noise, ratio = self.noise_and_ratio()

        np.testing.assert_allclose(noise[:, 0], noise[:, 1] * ratio, atol=1e-5)

    def test_a_repeat_has_the_same_noise_in_both_arms(self):
        noise, _ = self.noise_and_ratio()

        np.testing.assert_allclose(noise[0], noise[1], atol=1e-5)


PRIVATE_VALUES = pytest.mark.parametrize("value", [math.nan, 1e6, 0.0])


@pytest.mark.parametrize("dataset", ["gaussians", "blobs", "breast_cancer"])
class TestPublicStart:
    PUBLIC_ROWS = 30

    def settings_of(self, dataset: str) -> ClassifierSettings:
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
