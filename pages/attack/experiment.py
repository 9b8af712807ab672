"""What the attack page computes: one of four attacks."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

import numpy as np

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Runs, slices
from lab.experiment.settings import Measure, Task
from pages.attack import tasks
from pages.attack.fairness.experiment import FairnessExperiment
from pages.attack.inversion.experiment import InversionExperiment
from pages.attack.membership.experiment import MembershipExperiment
from pages.attack.result import EPSILONS, OnePersonResult
from pages.attack.settings import AttackSettings
from pages.attack.tasks import PairTraining, Point

# Each point of the curve is attacked so many times, each time with other trainings, of which there
# are at most so many per data set.
_ROUNDS = 4
_MOST_TRAININGS_PER_POINT = 250


@lru_cache(maxsize=64)
def _point_tasks(training: PairTraining, repeats: int) -> tuple[Runs[PairTraining, Point], ...]:
    """Return the attacks of the curve, in rounds over its epsilons.

    They are cached because they stay the same while epsilon moves.
    """
    trainings = min(_MOST_TRAININGS_PER_POINT, 2 * tasks.trainings_per_task(training), repeats)
    rounds = [range(index * trainings, (index + 1) * trainings) for index in range(_ROUNDS)]
    return slices(tasks.attack_at_epsilon, training, EPSILONS, rounds)


@dataclass(frozen=True)
class CurvePoints:
    """The part of the attack at each of ``EPSILONS``.

    A point that would take too long for one task is preceded by tasks for its trainings.
    """

    training: PairTraining
    repeats: int

    @property
    def tasks(self) -> list[Task]:
        """Return the tasks of all points, in rounds over the epsilons."""
        ordered: list[Task] = []
        for point in _point_tasks(self.training, self.repeats):
            (epsilon,) = point.at
            trainings = tasks.pair_tasks(self.training, epsilon, point.repeats)
            if len(trainings) > 1:
                ordered.extend(trainings)
            ordered.append(point)
        return ordered

    def gather(self, outcomes: Mapping[Any, Any]) -> dict[float, Point]:
        """Return the guesses of all rounds that are done, by epsilon."""
        points: dict[float, Point] = {}
        for task in _point_tasks(self.training, self.repeats):
            if task not in outcomes:
                continue
            (epsilon,) = task.at
            correct, trials = points.get(epsilon, Point(0, 0))
            outcome = outcomes[task]
            points[epsilon] = Point(correct + outcome.correct, trials + outcome.trials)
        return points


class OnePersonExperiment(Experiment[AttackSettings, OnePersonResult]):
    """Tell apart models trained with one person, and with another in their place."""

    RESULT = OnePersonResult
    MEASURES: ClassVar = {
        "attacker": Measure(
            "accuracy of the attacker on one person",
            "lower",
            np.asarray,
            falls=("epsilon", "delta"),
            unit="%",
            limits=(0.0, 1.0),
        )
    }

    def parts(self) -> dict[str, Part]:
        """Return the trainings, the influences of all rows, and the points of the curve."""
        settings = self.settings
        training = settings.pair_training
        return {
            "weights": tasks.shown_pairs(training, settings.epsilon, settings.repeats),
            "noiseless": Once(tasks.train_noiseless, training, essential=True),
            "influences": Once(tasks.measure_influences, settings.training, essential=True),
            "points": CurvePoints(training, settings.repeats),
        }

    def shown_sample(self) -> tuple[Task, ...]:
        """Return the attack at the set epsilon, which gives a single number."""
        task = Runs(
            work=tasks.attack_accuracy,
            model=self.settings.pair_training,
            at=(self.settings.epsilon,),
            count=self.settings.repeats,
        )
        return (task,)

    def sample(self, count: int) -> tuple[Task, ...]:
        """Return the same attack, which cannot be repeated."""
        return self.shown_sample()


EXPERIMENTS: Mapping[str, type[Experiment[AttackSettings, Any]]] = {
    "person": OnePersonExperiment,
    "membership": MembershipExperiment,
    "fairness": FairnessExperiment,
    "inversion": InversionExperiment,
}


def experiment_of(settings: AttackSettings) -> Experiment[AttackSettings, Any]:
    """Return the experiment of the part that the settings choose."""
    return EXPERIMENTS[settings.part](settings)
