"""An attacker who distinguishes two data sets by a score and a threshold."""

import math
from typing import NamedTuple

import numpy as np

from dpcore.attacks import audit

# Confidence of each end of the 95 % interval of the accuracy, and of the lower bound on epsilon.
SIDE_CONFIDENCE = 0.975
# With more weights than this, Fisher's discriminant treats them as uncorrelated.
_FEW_WEIGHTS = 100
# Shares of the mean variance that are added to variances, so that they can be divided by.
_RIDGE_OF_VARIANCES = 0.1
_RIDGE_OF_COVARIANCE = 1e-3
# Scores are divided by at least this share of the distance of their means, and by this number, so
# that they stay finite without noise.
_LEAST_SPREAD_OF_DISTANCE = 1 / 8
_LEAST_SPREAD = 1e-30


class AttackResult(NamedTuple):
    """Result of an attack.

    Attributes:
        scores: Of all runs on the first and the second data set, (2, R), with threshold 0, in
            pooled standard deviations. Above it the attacker guesses the first data set.
        first: Number of the first test run; earlier runs chose direction and threshold.
        correct: Number of correct guesses.
        trials: Number of guesses.
        accuracy: Share of correct guesses.
        low: Lower end of the 95 % interval of the accuracy.
        high: Upper end of the 95 % interval of the accuracy.
    """

    scores: np.ndarray
    first: int
    correct: int
    trials: int
    accuracy: float
    low: float
    high: float

    @property
    def tested(self) -> np.ndarray:
        """Return the scores (2, ...) of the test runs."""
        return self.scores[:, self.first :]


def threshold_attack(weights: np.ndarray, noiseless: np.ndarray) -> AttackResult:
    """Attack trained models.

    Args:
        weights: Of R models trained on each of two data sets, (2, R, k, p). The first half of them
            chooses direction and threshold.
        noiseless: The weights without noise, (2, k, p).
    """
    runs = weights.shape[1]
    first_test = runs // 2
    flat = weights.reshape(2, runs, -1).astype(float)
    scores = flat @ _fisher_direction(flat[:, :first_test], noiseless)
    scores = scores - scores[:, :first_test].mean()
    spread = math.sqrt(np.mean(scores.var(axis=1)))
    distance = abs(scores[0].mean() - scores[1].mean())
    scores = scores / max(spread, distance * _LEAST_SPREAD_OF_DISTANCE, _LEAST_SPREAD)
    hit_rate, false_alarm_rate = (scores[:, first_test:] > 0).mean(axis=1)
    trials = 2 * (runs - first_test)
    correct = round((hit_rate + 1 - false_alarm_rate) * trials / 2)
    low, high = audit.clopper_pearson(correct, trials, confidence=SIDE_CONFIDENCE)
    return AttackResult(
        scores=scores,
        first=first_test,
        correct=correct,
        trials=trials,
        accuracy=correct / trials,
        low=low,
        high=high,
    )


def _fisher_direction(weights: np.ndarray, noiseless: np.ndarray) -> np.ndarray:
    """Return Fisher's direction S^-1 m, (D,).

    Args:
        weights: Of models trained on each of two data sets, (2, R, D). S is their covariance within
            the data sets.
        noiseless: The weights without noise, (2, k, p) with k p = D. m is their difference.
    """
    difference = (noiseless[0] - noiseless[1]).ravel().astype(float)
    centred = weights - weights.mean(axis=1, keepdims=True)
    # (2, R, D) to (2 R, D)
    centred = centred.reshape(-1, weights.shape[-1])
    variances = centred.var(axis=0)
    if not variances.any():
        return difference
    if len(difference) > _FEW_WEIGHTS:
        return difference / (variances + _RIDGE_OF_VARIANCES * variances.mean())
    ridge = _RIDGE_OF_COVARIANCE * variances.mean() * np.eye(len(difference))
    covariance = np.cov(centred.T) + ridge
    return np.linalg.solve(covariance, difference)
