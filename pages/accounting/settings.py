"""The parameters of the accounting page: a run of noisy descent, and what else is counted."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from dpcore.privacy import Composed
from lab.experiment import accounting_tasks
from lab.experiment.accounting_tasks import MOST_COUNTED, MOST_STEPS
from lab.experiment.settings import Measure, Settings

# What may be done with the released weights afterwards, none of which can cost anything.
AFTERWARDS = ("nothing", "average", "round", "predict")


def _cost(label: str, read: Callable[[Any], float], *falls: str) -> Measure:
    """Return the measure that reads an epsilon off a bill, which grows along the fields ``falls``
    too.
    """
    return Measure(
        label,
        "lower",
        lambda bill: np.array([read(bill)]),
        rises=("noise_multiplier", "delta"),
        falls=("sampling_rate", "steps", *falls),
    )


@dataclass(frozen=True, kw_only=True)
class AccountingParameters(Settings):
    """All that decides what the page shows. Raises RefusedError where a value has no meaning.

    sampling_rate: q, the chance of a row to be in a step's sample.
    noise_multiplier: sigma, noise sd over the clipping bound.
    steps: T.
    delta: of the guarantee.
    target_epsilon: the budget to which noise and steps are inverted.
    people: the size of a group that wants the promise together.
    settings_tried: how many such runs were made before one was chosen; of a random number, the
        mean.
    afterwards: what is then done with the released weights.
    """

    CHOICES: ClassVar = {"afterwards": AFTERWARDS}
    LIMITS: ClassVar = {
        "sampling_rate": (1e-4, 1.0),
        "noise_multiplier": (0.3, 100.0),
        "steps": (1, MOST_STEPS),
        "delta": (1e-10, 1e-2),
        "target_epsilon": (0.05, 50.0),
        "people": (1, 50),
        "settings_tried": (1, 100),
    }
    MEASURES: ClassVar = {
        "epsilon": _cost("epsilon by the tightest accountant", lambda bill: bill.epsilon),
        "group": _cost(
            "group epsilon (all people together, at a larger delta)",
            lambda bill: bill.group,
            "people",
        ),
        "tuned": _cost(
            "total epsilon (all settings tried)", lambda bill: bill.tuned, "settings_tried"
        ),
    }

    sampling_rate: float = 0.01
    noise_multiplier: float = 4.0
    steps: int = 10_000
    delta: float = 1e-5
    target_epsilon: float = 1.0
    people: int = 3
    settings_tried: int = 10
    afterwards: str = "average"

    @property
    def tuned_steps(self) -> int:
        """Return the steps of all runs that were made."""
        return self.steps * self.settings_tried

    @property
    def whole(self) -> Composed:
        """Return the run: all of its steps."""
        return Composed(
            event=accounting_tasks.step(self.sampling_rate, self.noise_multiplier), count=self.steps
        )

    @property
    def exact_accountant(self) -> str:
        """Return the tight accountant, as it answers while a slider moves."""
        return "gdp" if self.sampling_rate == 1 else "pld-coarse"

    @property
    def tuning_accountant(self) -> str:
        """Return by which the tuning is counted: beyond ``MOST_COUNTED`` steps the distribution
        would take too long.
        """
        too_long = self.exact_accountant != "gdp" and self.tuned_steps > MOST_COUNTED
        return "renyi" if too_long else self.exact_accountant

    @property
    def tightest(self) -> str:
        """Return the name of the tightest accountant.

        It is exact with all rows in every step, else an upper bound.
        """
        return "GDP accountant" if self.sampling_rate == 1 else "PLD accountant"
