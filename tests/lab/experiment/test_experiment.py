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
        draws = [stream(self.seed, "noise", r).standard_normal() for r in repeats]
        return np.outer(1 / np.array(at), draws)


def noise(model: Noise, at, repeats) -> np.ndarray:
    return model.draw(at, repeats)


def first_noise(model: Noise, at, repeats, *, given) -> np.ndarray:
    return model.draw(at, repeats)[:, :given]


def largest_scale(model: Noise, at, repeats) -> float:
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
        model = Noise(self.settings.seed)
        count = self.settings.repeats
        return {
            "now": Repeats(noise, model, self.settings.epsilon, count, cost=COST),
            "scale": Once(largest_scale, model, CURVE, essential=True),
            "curve": Sweep(CURVE, noise, model, count, cost=COST),
        }


def test_tasks_are_those_of_the_parts_in_order_with_the_essential_ones_first():
    tasks = NoisySettings(epsilon=7.0, repeats=6).experiment.tasks()
    seen = [(task.work, task.at, task.repeats, task.essential) for task in tasks]
    assert seen[:4] == [
        (noise, (7.0,), range(3), True),
        (largest_scale, CURVE, range(1), True),
        (noise, (7.0,), range(3, 5), False),
        (noise, (7.0,), range(5, 6), False),
    ]
    batches = [range(2), range(2, 4), range(4, 6)]
    assert seen[4:] == [(noise, (at,), batch, False) for batch in batches for at in CURVE]


def test_a_result_has_the_value_of_each_part():
    settings = NoisySettings(epsilon=2.0)
    result = settings.experiment.run()
    assert result.settings is settings
    np.testing.assert_array_equal(result.now, Noise(3).draw((2.0,), range(20)))
    np.testing.assert_array_equal(result.curve.runs, Noise(3).draw(CURVE, range(20)))
    assert result.scale == 2.0


def test_the_essential_tasks_give_a_first_result():
    experiment = NoisySettings(epsilon=7.0).experiment
    essential = [task for task in experiment.tasks() if task.essential]
    result = experiment.gather({task: task.run() for task in essential})
    assert result.now.shape == (1, 3)
    assert result.curve.done.tolist() == [0, 0, 0]


def test_other_settings_share_the_tasks_that_do_not_depend_on_what_differs():
    one, other = (NoisySettings(epsilon=epsilon).experiment.tasks() for epsilon in (0.7, 0.3))
    shared = [task for task in one if task in other]
    assert {task.at for task in shared} == {CURVE, *((at,) for at in CURVE)}


@pytest.mark.parametrize("sampled", [None, first_noise])
def test_a_longer_sample_begins_with_a_shorter_one(sampled):
    part = Repeats(noise, Noise(3), 2.0, 20, cost=COST, sampled=sampled)
    whole = Noise(3).draw((2.0,), range(131))
    for count in (1, 3, 4, 20, 21, 130):
        outcomes = [task.run() for task in part.sample(count)]
        np.testing.assert_array_equal(np.concatenate(outcomes, axis=1), whole[:, :count])
    trained = {count: {task.repeats for task in part.sample(count)} for count in (4, 130)}
    assert (trained[4] <= trained[130]) is (sampled is not None)


def test_a_sample_is_made_of_the_first_part():
    experiment = NoisySettings(repeats=6).experiment
    shown = [task.run() for task in experiment.shown_sample()]
    sampled = [task.run() for task in experiment.sample(6)]
    np.testing.assert_array_equal(np.concatenate(shown, axis=1), np.concatenate(sampled, axis=1))
    assert experiment.compared == "error"


def test_repeats_that_are_not_begun_have_no_value_and_a_page_need_not_wait_for_them():
    part = Repeats(noise, Noise(3), 2.0, 20, first_batch=2, essential=False)
    assert part.gather({}) is None
    assert [task.count for task in part.tasks] == [2, 18]
    assert not any(task.essential for task in part.tasks)
    assert Once(largest_scale, Noise(3), CURVE).gather({}) is None


def test_a_sweep_may_leave_out_values_of_its_grid():
    part = Sweep(CURVE, noise, Noise(3), 5, computed=CURVE[1:], width=2)
    grid = part.gather({task: task.run() for task in part.tasks})
    assert grid.at == CURVE
    assert grid.done.tolist() == [0, 5, 5]


def test_repeats_are_paired_if_the_fields_that_decide_their_noise_agree():
    experiment = NoisySettings().experiment
    assert experiment.pairs_with(NoisySettings(epsilon=7.0).experiment)
    assert not experiment.pairs_with(NoisySettings(seed=4).experiment)
    assert not experiment.pairs_with(NoisySettings(repeats=21).experiment)


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
