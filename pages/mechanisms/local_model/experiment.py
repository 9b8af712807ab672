"""What the local model computes: surveys of the same people."""

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part
from pages.mechanisms.local_model.result import LocalModelResult
from pages.mechanisms.local_model.tasks import estimate_shares, survey_of
from pages.mechanisms.settings import MechanismsSettings


class LocalModelExperiment(Experiment[MechanismsSettings, LocalModelResult]):
    """Surveys by randomised response."""

    RESULT = LocalModelResult

    def parts(self) -> dict[str, Part]:
        """Return the estimates of all surveys."""
        survey = survey_of(self.settings)
        return {"estimates": Once(estimate_shares, survey, essential=True)}
