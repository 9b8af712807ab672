"""Settings of the accounting page: a run of noisy descent, and what else is counted."""

from dataclasses import dataclass
from typing import ClassVar

from dpcore.privacy import Composed
from lab.experiment import accounting_tasks
from lab.experiment.accounting_tasks import MOST_COUNTED, MOST_STEPS
from lab.experiment.settings import Settings


@dataclass(frozen=True, kw_only=True)
class AccountingSettings(Settings):
    """Settings of the accounting page.

    Raises RefusedError, with the name of the field, if a value is not allowed.

    sampling_rate: probability q that a row is in the batch of a step.
    noise_multiplier: sigma, the standard deviation of the noise over the clipping norm.
    steps: number T of steps.
    delta: of the guarantee.
    target_epsilon: the budget for which the noise and the number of steps are searched.
    people: size of a group that asks for the guarantee together.
    settings_tried: number of such runs of which the best was chosen; its mean if it is random.
    """

    EXPERIMENT: ClassVar = "pages.accounting.experiment.AccountingExperiment"
    LIMITS: ClassVar = {
        "sampling_rate": (1e-4, 1.0),
        "noise_multiplier": (0.3, 100.0),
        "steps": (1, MOST_STEPS),
        "delta": (1e-10, 1e-2),
        "target_epsilon": (0.05, 50.0),
        "people": (1, 50),
        "settings_tried": (1, 100),
    }

    sampling_rate: float = 0.01
    noise_multiplier: float = 4.0
    steps: int = 10_000
    delta: float = 1e-5
    target_epsilon: float = 1.0
    people: int = 3
    settings_tried: int = 10

    @property
    def tuned_steps(self) -> int:
        """Return the steps of all runs together."""
        return self.steps * self.settings_tried

    @property
    def run_event(self) -> Composed:
        """Return the event of all steps of one run."""
        step = accounting_tasks.step(self.sampling_rate, self.noise_multiplier)
        return Composed(event=step, count=self.steps)

    @property
    def exact_accountant(self) -> str:
        """Return the accountant that is exact, or nearly so, and quick enough for a slider."""
        if self.sampling_rate == 1:
            return "gdp"
        return "pld-coarse"

    @property
    def tuning_accountant(self) -> str:
        """Return the accountant of all runs together.

        The loss distribution of more than ``MOST_COUNTED`` steps would take too long.
        """
        if self.exact_accountant != "gdp" and self.tuned_steps > MOST_COUNTED:
            return "renyi"
        return self.exact_accountant

    @property
    def tightest(self) -> str:
        """Return the name of the tightest accountant.

        It is exact with all rows in every step, and an upper bound otherwise.
        """
        if self.sampling_rate == 1:
            return "GDP accountant"
        return "PLD accountant"
