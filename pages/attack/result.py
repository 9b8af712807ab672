"""Result of the attack on one person: how often the attacker is right, and what that shows.

The attacker decides which of two data sets a model was trained on. The first one has the target
person, and the second one the same features with another class, or nobody.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from dpcore.accountants import gdp
from dpcore.accountants.attacker import best_attacker
from dpcore.attacks import audit
from dpcore.attacks.audit import clopper_pearson
from dpcore.attacks.lower_bound import LowerBound
from dpcore.cache import cached
from dpcore.privacy import Adjacency
from dpcore.training import losses
from lab.data import classification as data
from lab.statistics.decision_regions import Plane, boundaries
from lab.statistics.histogram import bin_shares
from pages.attack.influence import gradient_changes
from pages.attack.neighbours import Person, map_plane
from pages.attack.settings import AttackSettings
from pages.attack.tasks import Point
from pages.attack.threshold_attack import SIDE_CONFIDENCE, AttackResult, threshold_attack

EPSILONS = (0.01, 0.03, 0.1, 0.3, 1.0, 2.0, 4.0, 8.0, 15.0, 40.0, 150.0)
# Boundaries that are drawn per data set, of as many models as have so many together.
_MOST_BOUNDARIES = 40
_LEAST_DRAWN_MODELS = 4
# Half of the score axis in standard deviations. The means of separate scores lie at half of it,
# because a score is divided by an eighth of their distance at least (``threshold_attack``).
SCORE_RANGE = 8
_SCORE_BINS = 64
SCORE_EDGES = np.linspace(-SCORE_RANGE, SCORE_RANGE, _SCORE_BINS + 1)


@cached
def accuracy_bounds(epsilons: tuple[float, ...], delta: float) -> dict[str, np.ndarray]:
    """Return the largest accuracy that a claim at each epsilon allows.

    The bounds are "promised", by (epsilon, delta), and "gaussian", by the Gaussian noise for it.
    They are cached because they take as long as everything else that is drawn.
    """
    by_claim = []
    by_noise = []
    for epsilon in epsilons:
        mu = gdp.mu_of(epsilon, delta=delta)
        by_claim.append(1 - (1 - delta) / (1 + math.exp(epsilon)))
        by_noise.append((1 + gdp.delta_of(0.0, mu=mu)) / 2)
    return {"promised": np.array(by_claim), "gaussian": np.array(by_noise)}


@dataclass(frozen=True, kw_only=True, eq=False)
class OnePersonResult:
    """Result of the attack on one person.

    weights: of all trainings at the set epsilon, (2, R, k, p).
    noiseless: the weights without noise on both data sets, (2, k, p).
    influences: of each private row on a step, (n,), in parts of the maximum.
    points: the points of the curve that are computed, by epsilon.
    """

    settings: AttackSettings
    weights: np.ndarray
    noiseless: np.ndarray
    influences: np.ndarray
    points: dict[float, Point]

    @property
    def split(self) -> data.Split:
        """Return the public, private and test rows."""
        return data.load(self.settings.dataset, seed=self.settings.seed)

    @property
    def trainings(self) -> int:
        """Return the number of trainings per data set."""
        return self.weights.shape[1]

    @cached_property
    def attack(self) -> AttackResult:
        """Return the attack at the set epsilon."""
        return threshold_attack(self.weights, self.noiseless)

    # The map

    @property
    def plane(self) -> Plane:
        """Return the plane of the map."""
        return map_plane(self.settings.dataset, self.settings.seed)

    def boundaries(self, index: int) -> np.ndarray:
        """Return boundary segments (m, 2, 2) of some models of a data set, 0 for the person's."""
        pairs_of_classes = math.comb(max(self.settings.classes, 2), 2)
        models = max(_LEAST_DRAWN_MODELS, _MOST_BOUNDARIES // pairs_of_classes)
        return boundaries(self.weights[index, :models], self.plane)

    @property
    def target(self) -> Person:
        """Return the target person."""
        return self.settings.neighbours.target

    # Influence

    @property
    def median_influence(self) -> float:
        """Return the median influence of the private rows."""
        return float(np.median(self.influences))

    @property
    def influence(self) -> float:
        """Return the influence of the target person, in parts of the maximum."""
        settings = self.settings
        if settings.who == "row":
            return float(self.influences[settings.person])
        X = losses.with_constant(self.target.features[None])
        y = np.array([self.target.label])
        next_class = (y + 1) % settings.classes
        changes = gradient_changes(settings.training, self.noiseless[:1], X, y, next_class)
        return float(changes[0, 0]) / settings.training.largest_change

    # Upper bounds on accuracy, and a lower bound on epsilon

    @property
    def claim_bound(self) -> float:
        """Return the bound of the claim on accuracy: (e^epsilon + delta) / (1 + e^epsilon)."""
        return self.settings.claim.attacker_accuracy

    @property
    def noise_bound(self) -> float:
        """Return the bound of the noise on accuracy if each gradient is clipped: Phi(mu / 2).

        It is 1 without noise.
        """
        return best_attacker(self.settings.guarantees.formula).right

    @cached_property
    def lower_bound(self) -> LowerBound:
        """Return the lower bound on epsilon that test scores alone give by counting.

        It assumes nothing of the noise.
        """
        return audit.epsilon_lower_bound(
            *self.attack.tested,
            form="count",
            delta=self.settings.delta,
            adjacency=Adjacency(self.settings.adjacency),
            confidence=SIDE_CONFIDENCE,
            unit="record",
        )

    @property
    def refuted(self) -> bool:
        """Return whether the claim is refuted. Without privacy there is none."""
        if self.settings.version == "none":
            return False
        return self.lower_bound.refutes(self.settings.claim)

    # Scores

    @cached_property
    def score_shares(self) -> np.ndarray:
        """Return each data set's share of scores (2, n) in the n bins of ``SCORE_EDGES``."""
        return np.stack([bin_shares(scores, SCORE_EDGES) for scores in self.attack.scores])

    @property
    def overlap(self) -> float:
        """Return the share of scores that the two histograms have in common."""
        return float(self.score_shares.min(axis=0).sum())

    # Accuracy over epsilon

    @cached_property
    def curve(self) -> pd.DataFrame:
        """Return the accuracy at each computed epsilon, with its 95 % interval.

        At the set epsilon it is the accuracy of ``attack``, so that the page states one number.
        """
        points = dict(self.points)
        points[self.settings.epsilon] = Point(self.attack.correct, self.attack.trials)
        rows = []
        for epsilon in sorted(points):
            correct, trials = points[epsilon]
            low, high = clopper_pearson(correct, trials, confidence=SIDE_CONFIDENCE)
            row = {
                "epsilon": epsilon,
                "accuracy": correct / trials,
                "low": low,
                "high": high,
                "trials": trials,
            }
            rows.append(row)
        return pd.DataFrame(rows)

    # Downloads

    def table(self) -> pd.DataFrame:
        """Return the numbers of the page in a row."""
        row = {
            "epsilon": self.settings.epsilon,
            "runs in each world": self.trainings,
            "right": self.attack.accuracy,
            "right, low": self.attack.low,
            "right, high": self.attack.high,
            "at most by the claim": self.claim_bound,
            "epsilon at least": self.lower_bound.epsilon,
        }
        return pd.DataFrame([row])

    def frames(self) -> dict[str, Callable[[], pd.DataFrame]]:
        """Return the name of each download, and the function that makes its data frame."""
        return {"Over epsilon": lambda: self.curve, "Scores": self.score_table}

    def score_table(self) -> pd.DataFrame:
        """Return the score of each training, with a column per data set."""
        return pd.DataFrame(self.attack.scores.T, columns=["with", "without"])
