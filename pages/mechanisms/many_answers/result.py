"""Result of many answers: whose secrets are recovered, and how many by the number of questions."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import ndtri

from dpcore import accountants
from dpcore.privacy import Adjacency, Guarantee
from lab.experiment.parts import Grid
from pages.mechanisms.many_answers import reconstruction
from pages.mechanisms.many_answers.tasks import Answers
from pages.mechanisms.settings import MechanismsSettings

# In nine cases in ten, Gaussian noise is within so many standard deviations.
_GAUSSIAN_90 = float(ndtri(0.95))


@dataclass(frozen=True, kw_only=True, eq=False)
class ManyAnswersResult:
    """Result of many answers.

    runs: the share of bits that are recovered in each repeat, (R,).
    curve: the same over the number of questions.
    """

    settings: MechanismsSettings
    runs: np.ndarray
    curve: Grid

    @cached_property
    def is_right(self) -> np.ndarray:
        """Return whether the guess of each person is right in the repeat that is drawn, (100,)."""
        questions = self.settings.questions
        survey = self.settings.subset(Answers).survey(questions, repeat=0)
        return survey.recovered(questions, noise_sd=self.settings.noise_sd)

    @property
    def recovered(self) -> int:
        """Return the number of right guesses in the repeat that is drawn."""
        return int(self.is_right.sum())

    @property
    def median(self) -> float:
        """Return the median share of right guesses."""
        return float(np.median(self.runs))

    @property
    def error(self) -> float:
        """Return the error that nine answers in ten keep within, which a lesson states."""
        return _GAUSSIAN_90 * self.settings.noise_sd

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of all answers together."""
        event = reconstruction.event(self.settings.questions, noise_sd=self.settings.noise_sd)
        return accountants.account(
            event,
            delta=self.settings.delta,
            adjacency=Adjacency.REPLACE_ONE,
            unit="person",
        )

    # Downloads

    def table(self) -> pd.DataFrame:
        """Return the quantiles of the recovered share over the number of questions."""
        return self.curve.quantiles(over="questions")

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the name of each download, and the function that makes its data frame."""
        return {"Recovered": self.table}
