"""What model inversion computes: reconstructions at the set epsilon, over a curve, and without."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Grid, Once, Part, Sweep
from pages.attack.inversion.result import InversionResult
from pages.attack.inversion.tasks import InversionTraining, reconstruct
from pages.attack.settings import AttackSettings
from pages.attack.training import from_settings

EPSILONS = (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 150.0)
REPEATS = 10
# Repeats that the page waits for.
_FIRST_REPEATS = 2


@dataclass(frozen=True)
class MatchSweep(Sweep):
    """A sweep whose grid has the correlations of the reconstructions with the truth."""

    def gather(self, outcomes: Mapping[Any, Any]) -> Grid:
        matches = {}
        for task in self.tasks:
            if task in outcomes:
                # (2, R) to (2, 1, R), with an axis for the one epsilon of a task.
                matches[task] = outcomes[task].match[:, None]
        return super().gather(matches)


class InversionExperiment(Experiment[AttackSettings, InversionResult]):
    """Reconstruct classes and a planted record from released weights."""

    RESULT = InversionResult

    def parts(self) -> dict[str, Part]:
        training = from_settings(InversionTraining, self.settings)
        now = (self.settings.epsilon,)
        return {
            "first": Once(reconstruct, training, at=now, count=_FIRST_REPEATS, essential=True),
            "plain": Once(reconstruct, training, at=(None,), essential=True),
            "all": Once(reconstruct, training, at=now, count=REPEATS),
            "curve": MatchSweep(EPSILONS, reconstruct, training, REPEATS, arms=(2,)),
        }

    def result(self, values: Mapping[str, Any]) -> InversionResult:
        """Return the result, with the first repeats until all are done."""
        private = values["all"]
        if private is None:
            private = values["first"]
        return InversionResult(
            settings=self.settings,
            private=private,
            plain=values["plain"],
            curve=values["curve"],
        )
