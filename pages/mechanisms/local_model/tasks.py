"""Task of the local model: surveys whose respondents randomise their own answers."""

from dataclasses import dataclass

import numpy as np

from dpcore.cache import Key
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.streams import stream
from pages.mechanisms.settings import MechanismsSettings

# Surveys of the same people.
SURVEYS = 200


@dataclass(frozen=True, kw_only=True)
class Survey(Key):
    """A question with ``options`` answers to ``respondents`` people.

    true_share: share of people with the first answer. The others share the rest.
    """

    epsilon: float
    options: int
    respondents: int
    true_share: float
    seed: int

    @property
    def mechanism(self) -> RandomisedResponse:
        """Return the mechanism by which each person answers."""
        return RandomisedResponse(epsilon=self.epsilon, options=self.options)

    @property
    def people(self) -> np.ndarray:
        """Return the number of people with each answer, (k,)."""
        first = round(self.true_share * self.respondents)
        others, remainder = divmod(self.respondents - first, self.options - 1)
        people = np.full(self.options, others)
        people[0] = first
        people[1 : 1 + remainder] += 1
        return people


def survey_of(settings: MechanismsSettings) -> Survey:
    """Return the survey of the settings."""
    return settings.subset(Survey)


def estimate_shares(survey: Survey, at: tuple[()], repeats: range) -> np.ndarray:
    """Return the estimated share of each answer in each of ``SURVEYS`` surveys, (200, k)."""
    generator = stream(survey.seed, "noise")
    counts = survey.mechanism.counts(survey.people, generator, size=SURVEYS)
    return survey.mechanism.estimates(counts)
