"""What membership inference computes: private and non-private models on the same halves."""

from lab.experiment import chunking
from lab.experiment.experiment import Experiment
from lab.experiment.parts import Part, Repeats
from pages.attack.membership.result import ARMS, MODELS, MembershipResult
from pages.attack.membership.tasks import (
    PrivateShadowTraining,
    ShadowModels,
    ShadowTraining,
    train_shadow_models,
)
from pages.attack.settings import AttackSettings
from pages.attack.training import from_settings

# Most models of one task, and fewest that the page waits for.
_MOST_MODELS_PER_TASK = 16
_LEAST_FIRST_MODELS = 4


class MembershipExperiment(Experiment[AttackSettings, MembershipResult]):
    """Find who was among the training rows of private and of non-private models."""

    RESULT = MembershipResult

    def parts(self) -> dict[str, Part]:
        """Return the private and the non-private models."""
        private = from_settings(PrivateShadowTraining, self.settings)
        plain = from_settings(ShadowTraining, self.settings)
        return {
            "private": _models(private, self.settings.epsilon),
            "plain": _models(plain, None),
        }


def _models(training: ShadowTraining, epsilon: float | None) -> Repeats:
    """Return the part of the models at one epsilon, or of the non-private ones (None).

    The page waits for the first private and the first non-private models.
    """
    first_models = chunking.first_batch_size(
        _MOST_MODELS_PER_TASK,
        each=len(ARMS) * training.cells,
        least=_LEAST_FIRST_MODELS,
    )
    return Repeats(
        train_shadow_models,
        training,
        epsilon,
        MODELS,
        merge=ShadowModels.concatenate,
        cost=training.cells,
        first_batch=first_models,
        largest_batch=_MOST_MODELS_PER_TASK,
    )
