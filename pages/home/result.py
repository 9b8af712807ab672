"""Result of the home page: models with and without a patient, and the guesses of a spy.

The spy sees one published model, and scores it by its output for the patient. A score above the
threshold makes the spy say that the patient was in the data.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from dpcore.cache import cached
from lab.data.classification import Split
from lab.statistics import decision_regions
from lab.statistics.decision_regions import Plane
from pages.home import tasks
from pages.home.settings import ANA, PersonSettings

_BLOOD_VALUES = ("blood value 1", "blood value 2")
# Dots that stand for the models of one data set. With both there are 100 guesses.
DOTS = 50


@dataclass(frozen=True, kw_only=True, eq=False)
class PersonResult:
    """What is trained so far.

    Attributes:
        settings: The settings.
        pairs: Pairs of models with and without the person.
        lines: Weights of the models on the map, (2, LINES, 3).
        reference: Accuracy of a model without privacy.
    """

    settings: PersonSettings
    pairs: tasks.Pairs
    lines: np.ndarray
    reference: float

    @property
    def split(self) -> Split:
        """Return the patients."""
        return tasks.patients(self.settings.seed)

    @property
    def name(self) -> str:
        """Return the name of the person."""
        if self.settings.person == ANA:
            return "Ana"
        return f"patient {self.settings.person + 1}"

    @property
    def plane(self) -> Plane:
        """Return the plane of both blood values."""
        return _plane(self.settings.seed)

    @cached_property
    def dot_scores(self) -> np.ndarray:
        """Return the scores of the dots for models with and without the person, (2, DOTS).

        A dot stands for an equal part of the models, in the order of their scores, and has the
        score of the one that the spy is most likely to be wrong about. So a dot is right only if
        the guesses about all its models are. Scores are in standard deviations from the spy's
        threshold, which lies half way between both medians.
        """
        scores = np.sort(self.pairs.scores, axis=1)
        models_per_dot = scores.shape[1] // DOTS
        # Of models with the person, low scores mislead the spy, and of the others high ones.
        lowest = scores[0, ::models_per_dot]
        highest = scores[1, models_per_dot - 1 :: models_per_dot]
        threshold = np.median(scores, axis=1).mean()
        return (np.stack([lowest, highest]) - threshold) / scores.std(axis=1).mean()

    @cached_property
    def is_right(self) -> np.ndarray:
        """Return for each dot whether the spy's guess is right, (2, DOTS)."""
        says_with = self.dot_scores > 0
        return np.stack([says_with[0], ~says_with[1]])

    @property
    def right_guesses(self) -> int:
        """Return how many of 100 guesses are right."""
        return int(self.is_right.sum())

    @property
    def limit(self) -> float:
        """Return the largest share of right guesses of any spy."""
        return self.settings.spy_limit

    @property
    def accuracy(self) -> float:
        """Return the median share of new patients that a model classifies right."""
        return float(np.median(self.pairs.accuracy))

    @property
    def cost(self) -> float:
        """Return the points of accuracy that privacy costs, between the shown numbers."""
        return round(round(100 * self.reference, 1) - round(100 * self.accuracy, 1), 1)


@cached
def _plane(seed: int) -> Plane:
    """Return the plane of both blood values. It is cached, because points on it are."""
    split = tasks.patients(seed)
    return decision_regions.feature_plane(
        split.X_public, 0, 1, names=_BLOOD_VALUES, bounds=split.source.bounds
    )
