"""Settings, training and result of hypothesis transfer."""

import dataclasses
import math

import numpy as np
import pytest

from dpcore.check import RefusedError
from dpcore.parties import source_releases
from pages.hypotheses import training
from pages.hypotheses.result import DIMENSIONS
from pages.hypotheses.settings import HypothesesSettings
from pages.hypotheses.tasks import Outcome
from tests.sentences import first

SMALL = {
    "source_rows": 200,
    "unlabelled_rows": 200,
    "target_rows": 300,
    "public_rows": 200,
    "repeats": 3,
}


# Mixture of the target


def test_the_other_sources_give_in_proportion():
    settings = HypothesesSettings().change(weight_2=0.5)

    assert settings.shares == (0.3, 0.5, 0, 0.2, 0)
    assert settings.mixture == "0.3-0.5-0-0.2-0"


def test_the_other_sources_share_evenly_if_they_have_nothing():
    settings = HypothesesSettings().change(weight_2=1.0).change(weight_2=0.0)

    assert settings.shares == (0.25, 0, 0.25, 0.25, 0.25)


def test_a_weight_of_minus_zero_is_zero():
    settings = HypothesesSettings().change(weight_2=-0.0)

    assert settings.change(mixture=settings.mixture) == settings


@pytest.fixture(scope="module")
def random_settings() -> list[HypothesesSettings]:
    """Return settings after a random walk of weights and numbers of sources."""
    rng = np.random.default_rng(0)
    settings = HypothesesSettings()
    walk = []
    for step in range(60):
        number = int(rng.integers(1, settings.sources + 1))
        weight = float(rng.choice([0, 1, rng.random()]))
        settings = settings.change(**{f"weight_{number}": weight})
        if step % 3 == 0:
            settings = settings.change(sources=int(rng.integers(2, 9)))
        walk.append(settings)
    return walk


def test_shares_always_sum_to_1(random_settings):
    for settings in random_settings:
        assert sum(settings.shares) == pytest.approx(1, abs=1e-3)


def test_fields_set_one_after_the_other_as_by_a_link_give_the_same_settings(random_settings):
    for settings in random_settings:
        rebuilt = HypothesesSettings()
        for name, value in dataclasses.asdict(settings).items():
            rebuilt = rebuilt.change(**{name: value})

        assert rebuilt == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("weight_1", 1.5, id="a weight above 1"),
        pytest.param("weight_7", 0.5, id="a weight of a source that there is not"),
        pytest.param("sources", 9, id="too many sources"),
        pytest.param("mixture", "1-1", id="too few shares"),
        pytest.param("mixture", "a", id="no number"),
    ],
)
def test_a_value_without_meaning_is_refused(name, value):
    with pytest.raises(RefusedError, match=f"^{name} "):
        HypothesesSettings().change(**{name: value})


# Training


def test_groups_of_sources_are_fitted_like_all_at_once(monkeypatch):
    sources = HypothesesSettings().change(seed=12, **SMALL).source_training
    together = source_releases.fit(
        training.source_rows(sources, 0, range(5)),
        sources.data.public,
        lambda_lr=0.003,
        lambda_iw=0.001,
    )
    monkeypatch.setattr(training, "_COST_OF_TASK", 2 * sources.cost)
    training.source_fit.cache_clear()

    in_groups = training.source_fit(sources, 0)

    training.source_fit.cache_clear()
    assert [len(group) for group in sources.groups] == [2, 2, 1]
    np.testing.assert_allclose(in_groups.hypotheses, together.hypotheses, atol=1e-9)
    np.testing.assert_allclose(in_groups.tilts, together.tilts, atol=1e-7)


@pytest.mark.parametrize("noise", ["gaussian", "objective"])
def test_releases_with_little_noise_are_near_to_those_without(noise):
    experiment = HypothesesSettings().change(noise=noise, **SMALL).experiment
    little = experiment.repeats_with(epsilon=1e6).tasks[0]
    none = experiment.repeats_with(epsilon=math.inf).tasks[0]

    released = little.model.releases(little.repeats)
    noiseless = none.model.releases(none.repeats)

    for with_noise, without in zip(released, noiseless, strict=True):
        np.testing.assert_allclose(with_noise.hypothesis, without.hypothesis, atol=1e-2)


@pytest.mark.parametrize(
    ("noise", "delta"),
    [
        pytest.param("exponential", 0, id="output perturbation"),
        pytest.param("gaussian", 1e-5, id="Gaussian"),
        pytest.param("objective", 0, id="objective perturbation"),
    ],
)
def test_only_gaussian_noise_has_a_delta(noise, delta):
    settings = HypothesesSettings().change(noise=noise)

    assert settings.budget.guarantee.delta == delta


class TestAccessToSources:
    """The target learns of sources through their releases alone.

    Exchanging the sources behind given releases changes nothing, and exchanging them with their
    releases changes all.
    """

    @staticmethod
    def swap_vectors(monkeypatch) -> None:
        """Give each source its tilt for a hypothesis, and the other way round."""
        fit = training.source_fit

        def swapped(sources, repeat):
            original = fit(sources, repeat)
            return dataclasses.replace(
                original, hypotheses=-original.tilts, tilts=-original.hypotheses
            )

        monkeypatch.setattr(training, "source_fit", swapped)

    @staticmethod
    def answers(task) -> list[np.ndarray]:
        training.hypothesis_weights.cache_clear()
        outcome = task.run()
        training.hypothesis_weights.cache_clear()
        return [outcome.weights, outcome.accuracy, outcome.error]

    @pytest.fixture
    def task(self):
        return HypothesesSettings().change(seed=77, **SMALL).experiment.now.tasks[0]

    def test_other_sources_behind_the_same_releases_change_no_answer(self, task, monkeypatch):
        before = self.answers(task)
        releases = task.model.releases(task.repeats)
        monkeypatch.setattr(type(task.model), "releases", lambda *_: releases)
        self.swap_vectors(monkeypatch)

        after = self.answers(task)

        for answer_before, answer_after in zip(before, after, strict=True):
            np.testing.assert_array_equal(answer_before, answer_after)

    def test_other_sources_with_other_releases_change_all_answers(self, task, monkeypatch):
        before = self.answers(task)
        self.swap_vectors(monkeypatch)

        after = self.answers(task)

        for answer_before, answer_after in zip(before, after, strict=True):
            assert not np.array_equal(answer_before, answer_after)


# Result


def test_the_curve_over_features_has_the_runs_of_each_number():
    settings = HypothesesSettings().change(**SMALL)
    five_features = settings.change(dimension=5).experiment.now
    expected = Outcome.concatenate([task.run() for task in five_features.tasks])

    at, quantiles = settings.experiment.run().curve("transfer", "dimension")

    assert tuple(at) == DIMENSIONS
    np.testing.assert_allclose(
        quantiles[:, DIMENSIONS.index(5)],
        np.quantile(expected.accuracy_of("transfer"), (0.05, 0.5, 0.95)),
    )


@pytest.mark.parametrize(
    ("along", "value"),
    [
        pytest.param("epsilon", 7.0, id="epsilon"),
        pytest.param("share", 0.07, id="share of labels"),
        pytest.param("dimension", 7, id="features"),
    ],
)
def test_curves_contain_the_set_value(along, value):
    settings = HypothesesSettings().change(epsilon=7.0, label_share=0.07, dimension=7, **SMALL)

    at, quantiles = first(settings).curve("transfer", along)

    assert value in at
    assert quantiles.shape == (3, len(at))


def test_a_sample_has_the_repeats_of_the_page():
    experiment = HypothesesSettings().change(**SMALL).experiment
    shown = Outcome.concatenate([task.run() for task in experiment.shown_sample()])

    sampled = Outcome.concatenate([task.run() for task in experiment.sample(2)])

    np.testing.assert_array_equal(sampled.accuracy, shown.accuracy[:2])
