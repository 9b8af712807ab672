"""Training of the networks: frames, segments, and what is measured of gradients and weights."""

import math

import numpy as np
import pytest

from dpcore.training import dp_ftrl, network_gradients, sgd
from lab.data import classification as data
from lab.experiment.data_settings import OWN
from lab.experiment.parts import Runs
from pages.network import tasks, training
from pages.network.settings import CLIPPING, DATA, NetworkSettings
from pages.network.training import FRAMES, scale_inputs
from tests import network_oracles
from tests.pages.network.examples import small

# Weights are kept in single precision.
SINGLE_PRECISION = 5e-6
# The deviation of 1,500 trainings scatters by less.
CHANCE = 0.02
# Seven digits.
SINGLE_PRECISION_OF_NORMS = 1e-6
# Clipped gradients cancel, which loses digits of single precision.
SINGLE_PRECISION_OF_SUMS = 1e-3

# Least accuracy with a large epsilon.
REACHED = {"spirals": 0.75, "digits": 0.8}
USUALLY_REACHED = 0.85
# So few cells per segment cut a training into many segments.
FEW_CELLS = 4e3
# Most cells of a task that trains more than one frame.
MOST_CELLS = 1.5e9


@pytest.fixture
def forget_segments():
    """Have segments trained anew, before and after the test."""
    tasks.train_segment.cache_clear()
    yield
    tasks.train_segment.cache_clear()


segment_sizes = pytest.mark.parametrize(
    "cells",
    [
        pytest.param(training._CELLS_PER_SEGMENT, id="one segment"),
        pytest.param(FEW_CELLS, id="many segments"),
    ],
)


@pytest.mark.usefixtures("forget_segments")
class TestSegments:
    @segment_sizes
    def test_frames_have_the_weights_after_their_steps(self, cells, monkeypatch):
        monkeypatch.setattr(training, "_CELLS_PER_SEGMENT", cells)
        settings = small(repeats=2)
        model = settings.trainings["private"]
        start = model.recipe.architecture.start(settings.seed, [0, 1])

        weights = settings.experiment.run().groups["private"][0].weights

        for frame in (0, 7, FRAMES):
            expected = sgd.train(
                model.recipe,
                scale_inputs(model.split.X_private),
                model.split.y_private,
                start=start,
                noise_multiplier=model.noise_multiplier,
                seed=settings.seed,
                draws=[0, 1],
                last=int(settings.step_of_frame[frame]),
            )
            np.testing.assert_allclose(weights[frame], expected.weights, atol=SINGLE_PRECISION)

    @segment_sizes
    def test_last_segment_trains_those_before_it_anew(self, cells, monkeypatch):
        monkeypatch.setattr(training, "_CELLS_PER_SEGMENT", cells)
        settings = small(repeats=2)
        model = settings.trainings["private"]
        weights = settings.experiment.run().groups["private"][0].weights
        (group,) = model.groups(2)
        segments = tasks.segments(model, group)
        tasks.train_segment.cache_clear()

        last = segments[-1].run()

        assert (len(segments) > 5) == (cells == FEW_CELLS)
        np.testing.assert_allclose(last.weights[-1], weights[-1], atol=SINGLE_PRECISION)


class TestTasks:
    def test_tasks_do_not_depend_on_the_frame_that_is_shown(self):
        usual = {*small().experiment.tasks()}

        early = {*small(shown=3).experiment.tasks()}

        assert early == usual

    def test_tasks_of_heavy_trainings_are_small(self):
        heavy = NetworkSettings(rows=5000, lot_size=20, epochs=60, layers=3, width=64, repeats=48)

        segments = [task for task in heavy.experiment.tasks() if isinstance(task, Runs)]

        for task in segments:
            recipe = task.model.recipe
            batch_size = recipe.sampling_rate * task.model.private_rows
            weights = task.count * recipe.architecture.parameters
            frames = task.model.frames_per_segment(task.count)
            cells = weights * batch_size * recipe.steps * frames / FRAMES
            assert cells < MOST_CELLS or frames == 1


@pytest.mark.parametrize("mechanism", dp_ftrl.MECHANISMS)
def test_noise_alone_moves_weights_as_far_as_stated(mechanism):
    settings = small(mechanism=mechanism, noise_ramp=0.5)
    result = settings.experiment.run()
    model = settings.trainings["private"]

    # Rows without a class have no gradient.
    trained = sgd.train(
        model.recipe,
        np.zeros((settings.rows, 2)),
        np.full(settings.rows, -1),
        start=np.zeros(model.recipe.architecture.parameters),
        noise_multiplier=model.noise_multiplier,
        seed=0,
        draws=range(1500),
    )

    noise_sd = trained.weights.std()
    assert result.accumulated_noise_sd(settings.steps) == pytest.approx(noise_sd, rel=CHANCE)
    assert result.distance_by_noise == pytest.approx(noise_sd * math.sqrt(5), rel=CHANCE)


@pytest.mark.parametrize("clipping", CLIPPING)
class TestGradients:
    CLIP_NORM = 0.3

    def result_of(self, clipping):
        """Return the result of small networks with this clipping, at frame 20."""
        settings = small(clipping=clipping, clip_norm=self.CLIP_NORM, layers=2, repeats=2, shown=20)
        return settings.experiment.run()

    def rows_of(self, result):
        """Return scaled inputs and classes of the first 300 private rows."""
        return scale_inputs(result.split.X_private[:300]), result.split.y_private[:300]

    def layer_norms_of(self, result):
        """Return the norms of the gradients in each layer, (layers, R, n), by the engine."""
        weights = result.weights("private")[:4]
        return network_gradients.gradient_norms(result.architecture, weights, *self.rows_of(result))

    def test_norms_are_those_of_the_engine(self, clipping):
        result = self.result_of(clipping)

        norms = np.linalg.norm(self.layer_norms_of(result), axis=0)

        np.testing.assert_allclose(result.gradients.norms, norms, rtol=SINGLE_PRECISION_OF_NORMS)
        assert result.gradients.histogram.sum() == pytest.approx(1)

    def test_clipped_gradients_are_those_above_their_bounds(self, clipping):
        result = self.result_of(clipping)
        norms = self.layer_norms_of(result)

        if clipping == "layers":
            bounds = np.array(result.recipe.bounds)
            is_long = (norms > bounds[:, None, None]).any(axis=0)
        else:
            bounds = self.CLIP_NORM
            is_long = np.linalg.norm(norms, axis=0) > bounds

        assert np.linalg.norm(bounds) == pytest.approx(self.CLIP_NORM)
        assert result.gradients.clipped == pytest.approx(is_long.mean())
        assert 0.05 < result.gradients.clipped < 0.95

    def test_signal_is_the_mean_clipped_gradient_of_plain_loops(self, clipping):
        result = self.result_of(clipping)
        X, y = self.rows_of(result)
        clip_norm = self.CLIP_NORM
        if clipping == "layers":
            clip_norm = result.recipe.bounds

        sums = []
        for weights in result.weights("private").astype(float):
            gradient = network_oracles.batch_gradient(
                result.architecture.sizes,
                weights,
                X.astype(float),
                y,
                clip_norm=clip_norm,
            )
            sums.append(gradient)

        norms = np.linalg.norm(sums, axis=1) / len(X)
        assert result.gradients.signal == pytest.approx(
            np.median(norms), rel=SINGLE_PRECISION_OF_SUMS
        )


@pytest.mark.parametrize("dataset", [name for name in DATA if name != OWN])
def test_every_data_set_is_learnt_with_a_large_epsilon(dataset):
    settings = NetworkSettings(repeats=2, epsilon=50.0, rows=2000, lot_size=200)
    experiment = settings.change(dataset=dataset).experiment

    result = experiment.gather({task: task.run() for task in experiment.tasks()[:40]})

    assert result.reached == FRAMES
    assert result.summary("private").median > REACHED.get(dataset, USUALLY_REACHED)
    winner, _, _ = result.regions("private")
    assert winner.max() < len(data.DATASETS[dataset].classes)
