"""Randomised response: what a survey estimates when every person randomises their own answer,
beside a curator.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from scipy.special import ndtri

from dpcore.cache import Key
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.privacy import Adjacency, Guarantee
from dpcore.streams import stream

SURVEYS = 200
PEOPLE = np.geomspace(10, 100_000, 41)
_NINE_IN_TEN = float(ndtri(0.95))


@dataclass(frozen=True, kw_only=True)
class Surveys(Key):
    """A question with ``options`` answers to ``respondents`` people, of whom a share of
    ``true_share`` has the first answer and the others share the rest.
    """

    epsilon: float
    options: int
    respondents: int
    true_share: float
    seed: int
    essential: ClassVar[bool] = True

    @property
    def mechanism(self) -> RandomisedResponse:
        return RandomisedResponse(epsilon=self.epsilon, options=self.options)

    @property
    def people(self) -> np.ndarray:
        """Return how many people (k,) have each answer."""
        first = round(self.true_share * self.respondents)
        rest, over = divmod(self.respondents - first, self.options - 1)
        return np.array([first, *(rest + (place < over) for place in range(self.options - 1))])

    def run(self) -> np.ndarray:
        """Return estimated shares (200, k), one survey a row, of the same people."""
        drawn = self.mechanism.counts(self.people, stream(self.seed, "noise"), size=SURVEYS)
        return self.mechanism.estimates(drawn)


@dataclass(frozen=True, kw_only=True, eq=False)
class LocalAnswers:
    """What a page shows. estimates: shares (200, k), of as many surveys."""

    settings: Any
    survey: Surveys
    estimates: np.ndarray

    @cached_property
    def guarantee(self) -> Guarantee:
        """Return what each person is guaranteed, whoever collects the answers."""
        return Guarantee(
            epsilon=self.survey.epsilon,
            delta=0.0,
            adjacency=Adjacency.REPLACE_ONE,
            unit="person",
            basis="randomised response, exact",
            event=self.survey.mechanism.event,
        )

    @property
    def shares(self) -> np.ndarray:
        """Return the true shares (k,)."""
        return self.survey.people / self.survey.respondents

    def error(self, people: float | None = None) -> float:
        """Return the error of the first option's share that nine surveys in ten keep, as a share,
        by its formula.
        """
        count = self.survey.respondents if people is None else people
        return _NINE_IN_TEN * self.survey.mechanism.sd(count, share=float(self.shares[0]))

    def central(self, people: float | None = None) -> float:
        """Return the same where a trusted curator adds Laplace noise of scale 1/epsilon to the
        count.
        """
        count = self.survey.respondents if people is None else people
        return float(np.log(10)) / self.survey.epsilon / count

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the downloads, by name."""
        columns = {
            "people": PEOPLE.round(),
            "local": [*map(self.error, PEOPLE)],
            "central": [*map(self.central, PEOPLE)],
        }
        names = [f"option {place + 1}" for place in range(self.survey.options)]
        return {
            "Estimates": lambda: pd.DataFrame(self.estimates, columns=names),
            "Error by people": lambda: pd.DataFrame(columns),
        }
