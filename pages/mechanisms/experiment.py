"""What the page on noise mechanisms computes: one number, many answers, or a survey."""

from collections.abc import Mapping
from typing import Any

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part
from pages.mechanisms.local_model.experiment import LocalModelExperiment
from pages.mechanisms.many_answers.experiment import ManyAnswersExperiment
from pages.mechanisms.result import OneNumberResult
from pages.mechanisms.settings import MechanismsSettings
from pages.mechanisms.tasks import describe_release


class OneNumberExperiment(Experiment[MechanismsSettings, OneNumberResult]):
    """One number, or one winner, released with you and without you. All of it is exact."""

    RESULT = OneNumberResult

    def parts(self) -> dict[str, Part]:
        """Return the distributions of the output, from which everything else follows."""
        claim = self.settings.claim(self.settings.mechanism)
        return {"pair": Once(describe_release, claim, essential=True)}


EXPERIMENTS: Mapping[str, type[Experiment[MechanismsSettings, Any]]] = {
    "one": OneNumberExperiment,
    "many": ManyAnswersExperiment,
    "local": LocalModelExperiment,
}


def experiment_of(settings: MechanismsSettings) -> Experiment[MechanismsSettings, Any]:
    """Return the experiment of what the settings release."""
    return EXPERIMENTS[settings.answers](settings)
