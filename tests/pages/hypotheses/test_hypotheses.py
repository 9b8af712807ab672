"""Settings, training and result of hypothesis transfer."""

import dataclasses

import numpy as np
import pytest

from dpcore.check import RefusedError
from dpcore.parties import source_releases
from pages.hypotheses import training
from pages.hypotheses.mixture import mixture_text
from pages.hypotheses.settings import HypothesesSettings
from pages.hypotheses.tasks import EPSILONS, SCORES, Outcome
from tests.sentences import first

# Shares are rounded, so their sum is off by less.
ROUNDED_SHARES = 1e-3
# Fits in groups differ in the order of sums alone.
ROUNDING = 1e-9
# Tilts are fitted until the gradient is next to nothing.
SOLVER_ERROR = 1e-7
# What little noise moves a release by.
LITTLE_NOISE = 1e-2

SMALL = {
    "source_rows": 200,
    "unlabelled_rows": 200,
    "target_rows": 300,
    "public_rows": 200,
    "repeats": 3,
}


# Mixture of the target


def test_shares_are_scaled_to_a_sum_of_1():
    settings = HypothesesSettings().change(mixture="0.3-0.3-0-0.395-0")

    assert sum(settings.shares) == pytest.approx(1, abs=ROUNDED_SHARES)


@pytest.mark.parametrize(
    ("sources", "mixture"),
    [
        pytest.param(2, "1-0", id="sources without a share are left"),
        pytest.param(8, "0.6-0-0-0.4-0-0-0-0", id="further sources have no share"),
    ],
)
def test_another_number_of_sources_keeps_the_shares_of_the_first(sources, mixture):
    settings = HypothesesSettings().change(sources=sources)

    assert settings.mixture == mixture


def test_sources_share_evenly_if_those_that_are_left_have_nothing():
    settings = HypothesesSettings().change(mixture="0-0-0-0-1").change(sources=4)

    assert settings.shares == (0.25, 0.25, 0.25, 0.25)


def test_a_share_of_minus_zero_is_zero():
    assert HypothesesSettings().change(mixture="1-0-0-0-0").shares[1] == 0


@pytest.fixture(scope="module")
def random_settings() -> list[HypothesesSettings]:
    """Return settings after a random walk of mixtures and numbers of sources."""
    rng = np.random.default_rng(0)
    settings = HypothesesSettings()
    walk = []
    for step in range(60):
        mixtures = settings.mixtures
        shares = mixtures[int(rng.integers(len(mixtures)))]
        settings = settings.change(mixture=mixture_text(shares))
        if step % 3 == 0:
            settings = settings.change(sources=int(rng.integers(2, 9)))
        walk.append(settings)
    return walk


def test_shares_always_sum_to_1(random_settings):
    for settings in random_settings:
        assert sum(settings.shares) == pytest.approx(1, abs=ROUNDED_SHARES)


def test_the_set_mixture_is_offered(random_settings):
    for settings in random_settings:
        assert settings.shares in settings.mixtures


def test_fields_set_one_after_the_other_as_by_a_link_give_the_same_settings(random_settings):
    for settings in random_settings:
        rebuilt = HypothesesSettings()
        for name, value in dataclasses.asdict(settings).items():
            rebuilt = rebuilt.change(**{name: value})

        assert rebuilt == settings


@pytest.mark.parametrize(
    ("name", "value"),
    [
        pytest.param("sources", 9, id="too many sources"),
        pytest.param("mixture", "1-1", id="too few shares"),
        pytest.param("mixture", "1.5-0-0-0-0", id="a share above 1"),
        pytest.param("mixture", "a", id="no number"),
        pytest.param("data", "b", id="no such data"),
    ],
)
def test_a_value_without_meaning_is_refused(name, value):
    with pytest.raises(RefusedError, match=f"^{name} "):
        HypothesesSettings().change(**{name: value})


def test_other_data_take_the_default_number_of_rows_or_as_many_as_there_are():
    few = HypothesesSettings().change(source_rows=100, target_rows=3000)

    topics = few.change(data="topics")

    assert (topics.source_rows, topics.target_rows) == (800, 1500)


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
    np.testing.assert_allclose(in_groups.hypotheses, together.hypotheses, atol=ROUNDING)
    np.testing.assert_allclose(in_groups.tilts, together.tilts, atol=SOLVER_ERROR)


@pytest.mark.parametrize("noise", ["gaussian", "objective"])
def test_releases_with_little_noise_are_near_to_those_without(noise):
    experiment = HypothesesSettings().change(noise=noise, **SMALL).experiment
    little = experiment.repeats_at(1e6).tasks[0]
    none = experiment.without_noise.tasks[0]

    released = little.model.releases(little.repeats)
    noiseless = none.model.releases(little.repeats)

    for with_noise, without in zip(released, noiseless, strict=True):
        np.testing.assert_allclose(with_noise.hypothesis, without.hypothesis, atol=LITTLE_NOISE)


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
            """Return the fit with each source's negated tilt as hypothesis, and vice versa."""
            original = fit(sources, repeat)
            return dataclasses.replace(
                original, hypotheses=-original.tilts, tilts=-original.hypotheses
            )

        monkeypatch.setattr(training, "source_fit", swapped)

    @staticmethod
    def answers(task) -> list[np.ndarray]:
        """Return the weights, accuracies and errors of a task without cached hypothesis weights."""
        training.hypothesis_weights.cache_clear()
        outcome = task.run()
        training.hypothesis_weights.cache_clear()
        return [outcome.weights, outcome.accuracy, outcome.error]

    @pytest.fixture
    def task(self):
        """Return the first task at the set epsilon, with few rows."""
        return HypothesesSettings().change(seed=77, **SMALL).experiment.outcome.tasks[0]

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


def test_the_curve_has_the_runs_of_each_epsilon():
    settings = HypothesesSettings().change(**SMALL)
    at_30 = settings.change(epsilon=30.0).experiment.outcome
    expected = Outcome.concatenate([task.run() for task in at_30.tasks])

    curve = settings.experiment.run().curve("transfer")

    assert curve.at == EPSILONS
    index = EPSILONS.index(30.0)
    np.testing.assert_allclose(curve.runs[index], expected.accuracy_of("transfer"))


def test_the_download_has_a_row_per_score_epsilon_and_run():
    settings = HypothesesSettings().change(**SMALL)

    runs = settings.experiment.run().curves()

    assert list(runs) == ["score", "epsilon", "repeat", "value"]
    assert len(runs) == len(SCORES) * len(EPSILONS) * settings.repeats


def test_a_movement_of_epsilon_keeps_the_tasks_of_the_curve():
    settings = HypothesesSettings().change(**SMALL)

    tasks = settings.experiment.over_epsilon.tasks

    assert settings.change(epsilon=7.0).experiment.over_epsilon.tasks == tasks


def test_the_table_has_the_gain_of_each_method_in_the_same_runs():
    result = first(HypothesesSettings().change(**SMALL))

    table = result.table().set_index("method")

    gains = result.accuracy["transfer"] - result.accuracy["few_labels"]
    assert table.gain["transfer"] == pytest.approx(np.median(gains))
    assert table.gain["few_labels"] == 0


def test_a_sample_has_the_repeats_of_the_page():
    experiment = HypothesesSettings().change(**SMALL).experiment
    shown = Outcome.concatenate([task.run() for task in experiment.shown_sample()])

    sampled = Outcome.concatenate([task.run() for task in experiment.sample(2)])

    np.testing.assert_array_equal(sampled.accuracy, shown.accuracy[:2])
