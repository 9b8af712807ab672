"""Result of the local model: what surveys estimate, compared with a trusted curator."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd
from scipy.special import ndtri

from dpcore.privacy import Adjacency, Guarantee
from pages.mechanisms.local_model.tasks import Survey, survey_of
from pages.mechanisms.settings import MechanismsSettings

# In nine cases in ten, Gaussian noise is within so many standard deviations, and Laplace noise
# within so many scales.
_GAUSSIAN_90 = float(ndtri(0.95))
_LAPLACE_90 = float(np.log(10))


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalModelResult:
    """Result of the local model.

    estimates: shares (200, k) in as many surveys.
    """

    settings: MechanismsSettings
    estimates: np.ndarray

    @cached_property
    def survey(self) -> Survey:
        """Return the question and the people."""
        return survey_of(self.settings)

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return the guarantee of each person, whoever collects the answers."""
        return Guarantee(
            epsilon=self.survey.epsilon,
            delta=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            unit="person",
            basis="randomised response, exact",
            event=self.survey.mechanism.event,
        )

    @cached_property
    def shares(self) -> np.ndarray:
        """Return the true shares (k,)."""
        return self.survey.people / self.survey.respondents

    @cached_property
    def error(self) -> float:
        """Return the 90 % error of the first answer's estimated share."""
        return self.error_of(self.survey.respondents)

    @cached_property
    def central_error(self) -> float:
        """Return the 90 % error of the first answer's share by a trusted curator."""
        return self.central_error_of(self.survey.respondents)

    def error_of(self, people: float) -> float:
        """Return the 90 % error of a survey of so many people, by its formula."""
        sd = self.survey.mechanism.sd(people, share=float(self.shares[0]))
        return _GAUSSIAN_90 * sd

    def central_error_of(self, people: float) -> float:
        """Return the 90 % error if a curator adds Laplace noise of scale 1 / epsilon to a count."""
        return _LAPLACE_90 / self.survey.epsilon / people

    @property
    def central_people(self) -> int:
        """Return how many people a trusted curator needs for the error of the survey."""
        return max(1, math.ceil(self.central_error_of(1) / self.error))

    # Downloads

    def table(self) -> pd.DataFrame:
        """Return the true share of each answer, and the median and 90 % of the estimates."""
        low, median, high = np.quantile(self.estimates, (0.05, 0.5, 0.95), axis=0)
        columns = {
            "option": np.arange(1, self.survey.options + 1),
            "true share": self.shares,
            "low": low,
            "median": median,
            "high": high,
        }
        return pd.DataFrame(columns)

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the name of each download, and the function that makes its data frame."""
        return {"Estimates": self.table}
