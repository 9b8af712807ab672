"""What the attack page computes: one of four attacks."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
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
# Batches at the set epsilon that come before the first points of the curve, after the first one.
_BATCHES_BEFORE_CURVE = 3


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
    def rounds(self) -> list[list[Task]]:
        """Return the tasks of each round over all epsilons."""
        points = _point_tasks(self.training, self.repeats)
        rounds = []
        for start in range(0, len(points), len(EPSILONS)):
            round_tasks: list[Task] = []
            for point in points[start : start + len(EPSILONS)]:
                (epsilon,) = point.at
                trainings = tasks.pair_tasks(self.training, epsilon, point.repeats)
                if len(trainings) > 1:
                    round_tasks.extend(trainings)
                round_tasks.append(point)
            rounds.append(round_tasks)
        return rounds

    @property
    def tasks(self) -> list[Task]:
        return [task for round_tasks in self.rounds for task in round_tasks]

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

    def parts(self) -> dict[str, Part]:
        settings = self.settings
        training = settings.pair_training
        return {
            "trained": tasks.shown_pairs(training, settings.epsilon, settings.repeats),
            "noiseless": Once(tasks.train_noiseless, training, essential=True),
            "influences": Once(tasks.measure_influences, settings.training, essential=True),
            "points": CurvePoints(training, settings.repeats),
        }

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        """Return the essential tasks, then the curve's first round between the other trainings."""
        trained, noiseless, influences, points = parts
        assert isinstance(points, CurvePoints)
        first_batch, *batches = trained.tasks
        first_round, *rounds = points.rounds
        ordered: list[Task] = [first_batch, *noiseless.tasks, *influences.tasks]
        ordered += batches[:_BATCHES_BEFORE_CURVE]
        ordered += first_round
        ordered += batches[_BATCHES_BEFORE_CURVE:]
        for round_tasks in rounds:
            ordered += round_tasks
        return ordered


EXPERIMENTS: Mapping[str, type[Experiment[AttackSettings, Any]]] = {
    "worlds": OnePersonExperiment,
    "membership": MembershipExperiment,
    "pays": FairnessExperiment,
    "inversion": InversionExperiment,
}


class AttackExperiment(Experiment[AttackSettings, Any]):
    """The experiment of the part that the settings choose.

    Its sample is the attack on one person with these settings, whichever part is chosen.
    """

    MEASURES: ClassVar = {
        "attacker": Measure(
            "accuracy of the attacker in two worlds",
            "lower",
            np.asarray,
            falls=("epsilon", "delta"),
            unit="%",
            limits=(0.0, 1.0),
        )
    }

    @cached_property
    def chosen(self) -> Experiment[AttackSettings, Any]:
        """Return the experiment of the chosen part."""
        return EXPERIMENTS[self.settings.part](self.settings)

    def parts(self) -> Mapping[str, Part]:
        return self.chosen.parts()

    def order(self, parts: Iterable[Part]) -> Iterable[Task]:
        return self.chosen.order(parts)

    def result(self, values: Mapping[str, Any]) -> Any:
        return self.chosen.result(values)

    def shown_sample(self) -> tuple[Task, ...]:
        """Return the attack on one person, which gives a single number."""
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
