"""The experiment with networks: settings, budget, stretches of training, and what the ensemble
reaches.
"""

import dataclasses
import math

import numpy as np
import pytest

from dpcore import accountants, check
from dpcore.privacy import Adjacency, ApproximateRelease, Composed, GaussianRelease, PoissonSampled
from dpcore.training import dp_ftrl, network_gradients, sgd
from lab.data import classification as data
from lab.experiment import links
from lab.experiment.data_settings import OWN
from lab.experiment.parts import Runs
from pages.network import settings as network
from pages.network import tasks, training
from pages.network.settings import NetworkSettings
from pages.network.training import FRAMES, scale_inputs
from tests import network_oracles as plain

SMALL = {"rows": 300, "lot_size": 50, "epochs": 3, "repeats": 6, "width": 5, "layers": 1}


def small(**changes) -> NetworkSettings:
    return NetworkSettings(**SMALL | changes)


REFUSED = [
    ({"lot_size": 301}, "lot_size is 301, but must be a whole number from 20 to 300"),
    ({"dataset": "digits"}, "rows is 300"),
]


class TestSettings:
    def test_what_allows_no_training_is_refused(self):
        for changes, why in REFUSED:
            with pytest.raises(check.RefusedError, match=f"^{why}"):
                small(**changes)

    def test_baselines_differ_from_the_private_networks_in_one_thing(self):
        """Networks without privacy ignore epsilon and the order of lots; ramps and other loops have
        lots by chance.
        """
        one, order = small(), small(mechanism="toeplitz")
        assert one.trainings["plain"] == small(epsilon=1.0).trainings["plain"]
        assert (
            one.trainings["plain"].recipe.clip_norm,
            one.trainings["plain"].noise_multiplier,
        ) == (
            None,
            0,
        )
        assert (
            order.trainings["plain"]
            == small(mechanism="ordered").trainings["plain"]
            != order.trainings["private"]
        )
        assert (
            order.change(noise_ramp=0.3, clip_ramp=2.0).trainings["private"]
            == order.trainings["private"]
        )
        assert order.change(variant="shuffled").trainings == small(variant="shuffled").trainings

    def test_a_batch_follows_a_number_of_rows_that_is_smaller_than_it(self):
        settings = NetworkSettings(dataset="blobs", rows=400, lot_size=400)

        fewer = settings.change(rows=200)

        assert (fewer.rows, fewer.lot_size) == (200, 200)

    def test_people_with_several_rows_leave_fewer_for_a_lot(self):
        usual = NetworkSettings()
        several = usual.change(rows_each=8)
        assert (several.unit, several.people, several.lot_size, several.rate) == (
            "person",
            50,
            50,
            1.0,
        )
        assert several.sigma == pytest.approx(NetworkSettings(rows=200, lot_size=200).sigma)
        assert (several.change(variant="shuffled").rows_each, usual.change(rows_each=1)) == (
            1,
            usual,
        )
        assert usual.trainings["private"].split is data.load(
            "moons", seed=usual.seed, private_rows=400
        )

    def test_a_data_set_starts_with_its_own_recipe_and_keeps_what_was_changed(self):
        usual, digits = NetworkSettings(), NetworkSettings().change(dataset="digits")
        assert (digits.clip_norm, digits.learning_rate) == tuple(network.STARTS["digits"].values())
        assert digits.change(dataset="moons").change(rows=400) == usual
        mine = usual.change(clip_norm=0.7).change(dataset="digits")
        assert (mine.clip_norm, mine.learning_rate) == (0.7, digits.learning_rate)
        settings, _ = links.read(NetworkSettings, {"dataset": "digits"})
        assert settings.learning_rate == digits.learning_rate


class TestBudget:
    @pytest.mark.parametrize(
        "ramp", [{}, {"noise_ramp": 0.3, "clip_ramp": 2.0, "shape": "linear"}], ids=str
    )
    @pytest.mark.parametrize("clipping", network.CLIPPING)
    def test_the_training_spends_its_epsilon_and_never_more(self, clipping, ramp):
        one = small(clipping=clipping, repeats=2, layers=2, **ramp)
        result = one.experiment.run()
        assert one.epsilon * (1 - 3e-3) <= result.guarantee.epsilon <= one.epsilon
        half = dataclasses.replace(result, settings=one.change(shown=FRAMES // 2))
        assert half.guarantee.epsilon == result.spent[FRAMES // 2] < result.guarantee.epsilon
        assert (
            half.step
            == one.step_of_frame[FRAMES // 2]
            == (half.step if ramp else half.guarantee.event.count)
        )
        assert (np.diff(result.spent) > 0)[np.diff(one.step_of_frame) > 0].all()
        # by another accountant, of one plain Gaussian release a step: layers with bounds of their
        # own cost no more
        plain = PoissonSampled(rate=one.rate, event=GaussianRelease(noise_multiplier=one.sigma))
        event = result.guarantee.event if ramp else Composed(event=plain, count=one.steps)
        exact = accountants.account(
            event, delta=one.delta, adjacency=Adjacency.ADD_REMOVE, accountant="pld"
        )
        assert exact.epsilon <= result.guarantee.epsilon * (1 + 1e-3)

    def test_shuffled_lots_count_each_epoch_as_one_release(self):
        result = small(variant="shuffled", repeats=2).experiment.run()
        held, ramp = (
            result.guarantee_by_epochs,
            dataclasses.replace(result, settings=result.settings.change(noise_ramp=0.3)),
        )
        assert (held.adjacency, result.is_covered) == (Adjacency.REPLACE_ONE, False)
        assert held.event == Composed(
            event=GaussianRelease(noise_multiplier=result.settings.sigma / 2), count=3
        )
        assert held.epsilon > 3 * result.guarantee.epsilon
        least = ramp.guarantee_by_epochs.event.event.noise_multiplier
        assert least == pytest.approx(ramp.settings.sigma * 0.3 / 2)


class TestInOrder:
    @pytest.mark.parametrize("clipping", network.CLIPPING)
    @pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
    def test_the_budget_is_spent_and_never_more(self, mechanism, clipping):
        one = small(mechanism=mechanism, clipping=clipping, repeats=2, epsilon=2.0)
        result = one.experiment.run()
        assert result.guarantee.epsilon <= 2
        assert one.steps % 6 == 0
        assert [
            small(mechanism=how, rows=410, lot_size=100).batch_size
            for how in (mechanism, "sampled")
        ] == [102.5, 100]
        assert result.guarantee.epsilon == pytest.approx(2, rel=1e-3)
        for frame in (1, 20, FRAMES):
            now = dataclasses.replace(result, settings=one.change(shown=frame)).guarantee
            if one.step_of_frame[frame] == 0:
                assert (now.epsilon, now.event) == (0, ApproximateRelease(epsilon=0, delta=0))
            else:
                exact = accountants.account(
                    now.event, delta=one.delta, adjacency=Adjacency.ADD_REMOVE
                )
                assert now.epsilon == pytest.approx(exact.epsilon, rel=1e-9)
            assert now.assumes == ("the number of rows is public", dp_ftrl.ASSUMES)
            assert now.basis == "exact Gaussian composition (GDP)"

    def test_what_noise_leaves_is_what_training_adds(self):
        """Networks whose steps see no gradient: noise alone moves the weights."""
        for mechanism in dp_ftrl.MECHANISMS:
            one = small(mechanism=mechanism, noise_ramp=0.5, clip_ramp=2.0)
            result, model = one.experiment.run(), one.trainings["private"]
            how = {
                "start": np.zeros(model.recipe.architecture.parameters),
                "seed": 0,
                "draws": range(1500),
            }
            nobody = np.zeros((one.rows, 2)), np.full(one.rows, -1)
            moved = sgd.train(
                model.recipe, *nobody, noise_multiplier=model.noise_multiplier, **how
            ).weights
            assert result.accumulated_noise_sd(one.steps) == pytest.approx(moved.std(), rel=0.02)
            assert result.distance_by_noise == pytest.approx(moved.std() * math.sqrt(5), rel=0.02)


class TestTraining:
    @pytest.mark.parametrize(
        "cells", [training._CELLS_PER_SEGMENT, 4e3], ids=["in one piece", "in stretches"]
    )
    def test_frames_are_the_weights_after_their_steps(self, cells, monkeypatch):
        monkeypatch.setattr(training, "_CELLS_PER_SEGMENT", cells)
        tasks.train_segment.cache_clear()
        one = small(repeats=2)
        model, weights = one.trainings["private"], one.experiment.run().groups["private"][0].weights
        rows, how = (
            (scale_inputs(model.split.X_private), model.split.y_private),
            {"seed": one.seed, "draws": [0, 1]},
        )
        how |= {
            "start": model.recipe.architecture.start(*how.values()),
            "noise_multiplier": model.noise_multiplier,
        }
        for frame in (0, 7, FRAMES):
            trained = sgd.train(model.recipe, *rows, last=int(one.step_of_frame[frame]), **how)
            np.testing.assert_allclose(weights[frame], trained.weights, atol=5e-6)
        (group,) = model.groups(2)
        stretches = tasks.segments(model, group)
        assert (len(stretches) > 5) == (cells == 4e3)
        tasks.train_segment.cache_clear()  # the last one asked for alone does again what comes before it
        np.testing.assert_allclose(stretches[-1].run().weights[-1], weights[-1], atol=5e-6)
        tasks.train_segment.cache_clear()

    def test_the_moment_shown_changes_no_work_but_its_own_count_and_each_piece_is_small(self):
        early, late, other = (
            {*small(**change).experiment.tasks()} for change in ({"shown": 3}, {"shown": 40}, {})
        )
        assert other <= early & late
        counted = {(task.accountant, task.steps) for task in (early | late) - other}
        assert counted == {("pld", (int(small().step_of_frame[frame]),)) for frame in (3, 40)}
        heavy = NetworkSettings(rows=5000, lot_size=20, epochs=60, layers=3, width=64, repeats=48)
        for task in (one for one in heavy.experiment.tasks() if isinstance(one, Runs)):
            width = task.model.frames_per_segment(task.count)
            lot = task.model.recipe.sampling_rate * task.model.private_rows
            cells = (
                task.count
                * task.model.recipe.architecture.parameters
                * lot
                * task.model.recipe.steps
            )
            assert cells * width / FRAMES < 1.5e9 or width == 1


class TestResult:
    @pytest.mark.parametrize("clipping", network.CLIPPING)
    def test_clipped_gradients_are_those_that_are_too_long_and_their_mean_that_of_plain_loops(
        self, clipping
    ):
        result = small(
            clipping=clipping, clip_norm=0.3, layers=2, repeats=2, shown=20
        ).experiment.run()
        rows, labels = scale_inputs(result.split.X_private[:300]), result.split.y_private[:300]
        weights, bounds, clip_norm = result.weights("private"), 0.3, 0.3
        norms = network_gradients.gradient_norms(result.architecture, weights[:4], rows, labels)
        long = np.linalg.norm(norms, axis=0) > bounds
        if clipping == "layers":
            clip_norm, bounds = result.recipe.bounds, np.array(result.recipe.bounds)
            long = (norms > bounds[:, None, None]).any(axis=0)
        assert np.linalg.norm(bounds) == pytest.approx(0.3)
        assert result.gradients.clipped[-1] == pytest.approx(long.mean())
        assert 0.05 < result.gradients.clipped[-1] < 0.95
        np.testing.assert_allclose(result.gradients.norms, norms, rtol=1e-6)
        np.testing.assert_allclose(result.gradients.histogram.sum().iloc[2:], 1)
        sizes, how = result.architecture.sizes, {"clip_norm": clip_norm, "activation": "tanh"}
        sums = [
            plain.lot_gradient(sizes, w, rows.astype(float), labels, **how)
            for w in weights.astype(float)
        ]
        assert result.gradients.signal == pytest.approx(
            np.median(np.linalg.norm(sums, axis=1) / 300), rel=1e-3
        )

    @pytest.mark.parametrize("dataset", [name for name in network.DATA if name != OWN])
    def test_every_data_set_is_learnt_with_a_large_epsilon(self, dataset):
        one = NetworkSettings(repeats=2, epsilon=50.0, rows=2000, lot_size=200).change(
            dataset=dataset
        )
        result = one.experiment.gather({task: task.run() for task in one.experiment.tasks()[:40]})
        assert result.reached == FRAMES
        assert result.summary("private").median > {"spirals": 0.75, "digits": 0.8}.get(
            dataset, 0.85
        )
        assert result.regions("private")[0].max() < len(data.DATASETS[dataset].classes)
