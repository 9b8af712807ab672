"""The classifier: its tasks, what is measured of its models, and what trainings must reach."""

import math

import numpy as np
import pytest

from dpcore.training import losses
from lab.data import classification as data
from lab.models import classifier_versions
from lab.statistics.decision_regions import boundaries, votes
from pages.classifier.settings import ClassifierSettings
from tests.pages.classifier.examples import ensemble_of, small

CLIP_NORM = 0.6
# The fourth seed is that of the page.
SEEDS = [4, *(pytest.param(seed, marks=pytest.mark.soak) for seed in (0, 1))]


# Tasks


class TestTasks:
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
        """Return quick settings of a data set and a version, clipped at ``CLIP_NORM``."""
        return small(dataset=dataset, version=version, clip_norm=CLIP_NORM)

    def private_rows(self, settings: ClassifierSettings) -> tuple[np.ndarray, np.ndarray]:
        """Return the private rows (n, p) with their constant, and their labels (n,)."""
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
        """Return the result of all tasks of quick settings without privacy."""
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


# The table


class TestTable:
    @pytest.fixture(scope="class")
    @classmethod
    def result(cls):
        """Return the result of all tasks of quick settings."""
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
        """Return settings of the correct version on two Gaussians, without a public start."""
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


# Noise


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
