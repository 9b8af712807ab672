"""What the local model computes: surveys of the same people."""

from collections.abc import Mapping
from typing import Any

from lab.experiment.experiment import Experiment
from lab.experiment.parts import Once, Part
from pages.mechanisms.local_model.result import LocalModelResult
from pages.mechanisms.local_model.tasks import Survey, estimate_shares
from pages.mechanisms.settings import MechanismsSettings


class LocalModelExperiment(Experiment[MechanismsSettings, LocalModelResult]):
    """Surveys by randomised response."""

    @property
    def survey(self) -> Survey:
        """Return the question and the people."""
        settings = self.settings
        return Survey(
            epsilon=settings.epsilon,
            options=settings.options,
            respondents=settings.respondents,
            true_share=settings.true_share,
            seed=settings.seed,
        )

    def parts(self) -> dict[str, Part]:
        """Return the estimates of all surveys."""
        return {"estimates": Once(estimate_shares, self.survey, essential=True)}

    def result(self, values: Mapping[str, Any]) -> LocalModelResult:
        """Return the result, from the estimates."""
        return LocalModelResult(
            settings=self.settings, survey=self.survey, estimates=values["estimates"]
        )
