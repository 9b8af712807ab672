"""Experiments: their parts, tasks, samples and results."""

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pytest

from dpcore.check import RefusedError
from dpcore.streams import stream
from lab.experiment import chunking
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Grid, Once, Repeats, Sweep
from lab.experiment.settings import Measure, Settings
from pages.topics import PAGES

CURVE = (0.5, 1.0, 2.0)
# Cells with which two repeats are a task.
COST = chunking.SLICE / 2


@dataclass(frozen=True)
class Noise:
    """Gaussian noise of scale 1 / epsilon."""

    seed: int

    def draw(self, at, repeats) -> np.ndarray:
        """Return the noise at each epsilon and of each repeat, (V, R)."""
        draws = [stream(self.seed, "noise", r).standard_normal() for r in repeats]
        return np.outer(1 / np.array(at), draws)


def noise(model: Noise, at, repeats) -> np.ndarray:
    """Return the noise of these repeats, (V, R)."""
    return model.draw(at, repeats)


def first_noise(model: Noise, at, repeats, *, given) -> np.ndarray:
    """Return the noise of the first ``given`` of these repeats, (V, given)."""
    return model.draw(at, repeats)[:, :given]


def largest_scale(model: Noise, at, repeats) -> float:
    """Return the scale of the noise at the least epsilon."""
    return 1 / min(at)


@dataclass(frozen=True, kw_only=True)
class NoisySettings(Settings):
    EXPERIMENT: ClassVar = f"{__name__}.NoisyExperiment"
    LIMITS: ClassVar = {"epsilon": (0.1, 10.0), "repeats": (2, 50), "seed": (0, 9)}

    epsilon: float = 1.0
    repeats: int = 20
    seed: int = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class NoisyResult:
    settings: NoisySettings
    now: np.ndarray
    scale: float
    curve: Grid


class NoisyExperiment(Experiment[NoisySettings, NoisyResult]):
    RESULT = NoisyResult
    MEASURES: ClassVar = {"error": Measure("error", "lower", lambda runs: np.abs(runs[0]))}
    PAIRED_BY = ("repeats", "seed")

    def parts(self) -> dict[str, Any]:
        """Return the noise at the set epsilon, the largest scale, and the noise along the curve."""
        model = Noise(self.settings.seed)
        count = self.settings.repeats
        return {
            "now": Repeats(noise, model, self.settings.epsilon, count, cost=COST),
            "scale": Once(largest_scale, model, CURVE, essential=True),
            "curve": Sweep(CURVE, noise, model, count, cost=COST),
        }


def fields_of(task) -> tuple:
    """Return the work, epsilons and repeats of a task, and whether it is essential."""
    return task.work, task.at, task.repeats, task.essential


class TestTasks:
    """Of six repeats three are a first batch, and then two are a task."""

    @pytest.fixture
    def tasks(self):
        """Return the fields of all tasks of an experiment with six repeats, in their order."""
        return [
            fields_of(task) for task in NoisySettings(epsilon=7.0, repeats=6).experiment.tasks()
        ]

    def test_the_essential_ones_of_all_parts_come_first(self, tasks):
        assert tasks[:2] == [
            (noise, (7.0,), range(3), True),
            (largest_scale, CURVE, range(1), True),
        ]

    def test_other_tasks_of_the_first_part_come_after_the_essential_ones(self, tasks):
        assert tasks[2:4] == [
            (noise, (7.0,), range(3, 5), False),
            (noise, (7.0,), range(5, 6), False),
        ]

    def test_a_curve_has_a_batch_at_each_value_before_the_next_batch(self, tasks):
        expected = []
        for batch in (range(2), range(2, 4), range(4, 6)):
            for epsilon in CURVE:
                expected.append((noise, (epsilon,), batch, False))

        assert tasks[4:] == expected

    def test_settings_share_the_tasks_that_do_not_depend_on_what_differs(self):
        tasks = NoisySettings(epsilon=0.7).experiment.tasks()
        other_tasks = NoisySettings(epsilon=0.3).experiment.tasks()

        shared = {task.at for task in tasks if task in other_tasks}

        of_the_scale = CURVE
        of_the_curve = [(epsilon,) for epsilon in CURVE]
        assert shared == {of_the_scale, *of_the_curve}


class TestResult:
    def test_a_result_has_the_value_of_each_part(self):
        settings = NoisySettings(epsilon=2.0)

        result = settings.experiment.run()

        assert result.settings is settings
        np.testing.assert_array_equal(result.now, Noise(3).draw((2.0,), range(20)))
        np.testing.assert_array_equal(result.curve.runs, Noise(3).draw(CURVE, range(20)))
        assert result.scale == 2.0

    def test_the_essential_tasks_give_a_first_result(self):
        experiment = NoisySettings(epsilon=7.0).experiment
        outcomes = {task: task.run() for task in experiment.tasks() if task.essential}

        result = experiment.gather(outcomes)

        assert result.now.shape == (1, 3)
        assert result.curve.done.tolist() == [0, 0, 0]


class TestSamples:
    """Samples of repeats, with their own work or with that of the part."""

    REPEATS = 20

    @staticmethod
    def part(work_of_sample=None) -> Repeats:
        """Return a part of twenty repeats at epsilon 2, with this work for its samples."""
        return Repeats(noise, Noise(3), 2.0, TestSamples.REPEATS, cost=COST, sampled=work_of_sample)

    @pytest.mark.parametrize("work_of_sample", [None, first_noise])
    @pytest.mark.parametrize("count", [1, 3, 4, 20, 21, 130])
    def test_a_sample_is_the_beginning_of_all_repeats(self, work_of_sample, count):
        all_repeats = Noise(3).draw((2.0,), range(131))

        outcomes = [task.run() for task in self.part(work_of_sample).sample(count)]

        np.testing.assert_array_equal(np.concatenate(outcomes, axis=1), all_repeats[:, :count])

    @pytest.mark.parametrize(
        ("work_of_sample", "is_reused"),
        [
            pytest.param(None, False, id="work of the part"),
            pytest.param(first_noise, True, id="work of its own"),
        ],
    )
    def test_a_longer_sample_reuses_the_tasks_of_a_shorter_one(self, work_of_sample, is_reused):
        part = self.part(work_of_sample)

        of_shorter = {task.repeats for task in part.sample(4)}
        of_longer = {task.repeats for task in part.sample(130)}

        assert (of_shorter <= of_longer) is is_reused

    def test_an_experiment_samples_its_first_part(self):
        experiment = NoisySettings(repeats=6).experiment

        shown = [task.run() for task in experiment.shown_sample()]
        sampled = [task.run() for task in experiment.sample(6)]

        np.testing.assert_array_equal(
            np.concatenate(shown, axis=1), np.concatenate(sampled, axis=1)
        )
        assert experiment.compared == "error"


class TestPartsThatAreNotEssential:
    @pytest.fixture
    def part(self):
        """Return a part of twenty repeats at epsilon 2 that is not essential."""
        return Repeats(noise, Noise(3), 2.0, 20, first_batch=2, essential=False)

    def test_repeats_that_are_not_begun_have_no_value(self, part):
        assert part.gather({}) is None

    def test_a_single_task_that_is_not_done_has_no_value(self):
        assert Once(largest_scale, Noise(3), CURVE).gather({}) is None

    def test_a_page_does_not_wait_for_parts_that_are_not_essential(self, part):
        assert [task.count for task in part.tasks] == [2, 18]
        assert not any(task.essential for task in part.tasks)


def test_a_sweep_may_leave_out_values_of_its_grid():
    part = Sweep(CURVE, noise, Noise(3), 5, computed=CURVE[1:], width=2)

    grid = part.gather({task: task.run() for task in part.tasks})

    assert grid.at == CURVE
    assert grid.done.tolist() == [0, 5, 5]


@pytest.mark.parametrize(
    ("changes", "is_paired"),
    [
        pytest.param({"epsilon": 7.0}, True, id="another epsilon"),
        pytest.param({"seed": 4}, False, id="another seed"),
        pytest.param({"repeats": 21}, False, id="more repeats"),
    ],
)
def test_repeats_are_paired_if_the_fields_that_decide_their_noise_agree(changes, is_paired):
    experiment = NoisySettings().experiment
    other_experiment = NoisySettings(**changes).experiment

    assert bool(experiment.pairs_with(other_experiment)) is is_paired


def test_settings_refuse_a_value_out_of_range():
    with pytest.raises(RefusedError, match="epsilon"):
        NoisySettings(epsilon=0.0)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_settings_name_their_experiment(page):
    settings = page.settings()

    experiment = settings.experiment

    assert isinstance(experiment, Experiment)
    assert experiment is settings.experiment
    assert experiment.settings is settings
