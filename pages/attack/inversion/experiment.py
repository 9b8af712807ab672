"""What model inversion computes: reconstructions at the set epsilon, and without privacy."""

from collections.abc import Mapping
from typing import Any

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part
from pages.attack.inversion.result import InversionResult
from pages.attack.inversion.tasks import InversionTraining, reconstruct
from pages.attack.settings import AttackSettings
from pages.attack.training import from_settings

REPEATS = 10
# Repeats that the page waits for.
_FIRST_REPEATS = 2


class InversionExperiment(Experiment[AttackSettings, InversionResult]):
    """Reconstruct classes and a planted record from released weights."""

    def parts(self) -> dict[str, Part]:
        """Return the reconstructions from private weights, few at first, and non-private ones."""
        training = from_settings(InversionTraining, self.settings)
        now = (self.settings.epsilon,)
        return {
            "first": Once(reconstruct, training, at=now, count=_FIRST_REPEATS, essential=True),
            "plain": Once(reconstruct, training, at=(None,), essential=True),
            "all": Once(reconstruct, training, at=now, count=REPEATS),
        }

    def result(self, values: Mapping[str, Any]) -> InversionResult:
        """Return the result, with the first repeats until all are done."""
        private = values["all"]
        if private is None:
            private = values["first"]
        return InversionResult(settings=self.settings, private=private, plain=values["plain"])
