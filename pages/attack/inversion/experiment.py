"""What model inversion computes: reconstructions at the set epsilon, and without privacy."""

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part, Repeats
from pages.attack.inversion.result import InversionResult
from pages.attack.inversion.tasks import InversionTraining, Reconstructions, reconstruct
from pages.attack.settings import AttackSettings
from pages.attack.training import from_settings

REPEATS = 10
# Repeats that the page waits for.
_FIRST_REPEATS = 2


class InversionExperiment(Experiment[AttackSettings, InversionResult]):
    """Reconstruct classes and a planted record from released weights."""

    RESULT = InversionResult

    def parts(self) -> dict[str, Part]:
        """Return the reconstructions from private weights, and from non-private ones."""
        training = from_settings(InversionTraining, self.settings)
        private = Repeats(
            reconstruct,
            training,
            self.settings.epsilon,
            REPEATS,
            merge=Reconstructions.concatenate,
            first_batch=_FIRST_REPEATS,
        )
        plain = Once(reconstruct, training, at=(None,), essential=True)
        return {"private": private, "plain": plain}
