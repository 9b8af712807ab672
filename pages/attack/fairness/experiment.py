"""What fairness computes: trainings at the set epsilon, over a curve, and without privacy."""

from collections.abc import Mapping
from typing import Any

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Sweep
from pages.attack.fairness.result import FairnessResult
from pages.attack.fairness.tasks import GROUPS, FairnessTraining, train_and_score
from pages.attack.settings import AttackSettings
from pages.attack.training import from_settings

EPSILONS = (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 150.0)
REPEATS = 40
# Points of the curve of one task, for data sets with less than this product of rows and classes.
_POINTS_PER_TASK = 4
_SMALL_SIZE = 2000


class FairnessExperiment(Experiment[AttackSettings, FairnessResult]):
    """Compare what privacy costs a minority and the majority."""

    RESULT = FairnessResult

    def parts(self) -> dict[str, Part]:
        """Return the runs at the set epsilon, the non-private training, and the curve."""
        training = from_settings(FairnessTraining, self.settings)
        points_per_task = 1
        if training.rows * training.classes < _SMALL_SIZE:
            points_per_task = _POINTS_PER_TASK
        current = (self.settings.epsilon,)
        runs = Once(train_and_score, training, at=current, count=REPEATS, essential=True)
        plain = Once(train_and_score, training, at=(None,), essential=True)
        curve = Sweep(
            EPSILONS,
            train_and_score,
            training,
            REPEATS,
            arms=(len(GROUPS),),
            cost=training.cells,
            width=points_per_task,
        )
        return {"runs": runs, "plain": plain, "curve": curve}

    def result(self, values: Mapping[str, Any]) -> FairnessResult:
        """Return the result, from accuracies by group, epsilon and repeat.

        The first two parts have one epsilon, and the second one repeat.
        """
        return FairnessResult(
            settings=self.settings,
            runs=values["runs"][:, 0],
            plain=values["plain"][:, 0, 0],
            curve=values["curve"],
        )
