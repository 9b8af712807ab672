"""An attacker who distinguishes two data sets by a score and a threshold, and the attack's
accuracy.
"""

import math
from typing import NamedTuple

import numpy as np

from dpcore.attacks import audit

# Confidence of each end of the 95 % interval of the accuracy, and of each of two lower bounds on
# epsilon.
EACH = 0.975
# With more weights than this, Fisher's discriminant treats them as uncorrelated.
_FEW_WEIGHTS = 100


class Guessed(NamedTuple):
    """Attack result: scores (2, R) with threshold 0, in pooled standard deviations.

    first: the first test run; earlier runs chose direction and threshold. correct: correct guesses
        of ``trials``. low,
    high: the 95 % interval of the accuracy.
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


def guess(weights: np.ndarray, scores: np.ndarray | None, noiseless: np.ndarray) -> Guessed:
    """Attack trained ``weights`` (2, R, k, p), or log-likelihood ratios ``scores`` (2, R) if every
    step was seen.

    noiseless (2, k, p): the weights without noise.
    """
    half = weights.shape[1] // 2 if scores is None else 0
    if scores is None:
        flat = weights.reshape(2, weights.shape[1], -1).astype(float)
        scores = flat @ _direction(flat[:, :half], noiseless)
        scores = scores - scores[:, :half].mean()
    spread = math.sqrt(np.mean(scores.var(axis=1)))
    apart = abs(scores[0].mean() - scores[1].mean())
    scores = scores / max(spread, apart / 8, 1e-30)
    hits, alarms = (scores[:, half:] > 0).mean(axis=1)
    trials = 2 * (scores.shape[1] - half)
    correct = round((hits + 1 - alarms) * trials / 2)
    low, high = audit.clopper_pearson(correct, trials, confidence=EACH)
    return Guessed(scores, half, correct, trials, correct / trials, low, high)


def _direction(weights: np.ndarray, noiseless: np.ndarray) -> np.ndarray:
    """Return Fisher's direction S^-1 m of weights (2, R, D): m noiseless, S the covariance within
    data sets.
    """
    step = (noiseless[0] - noiseless[1]).ravel().astype(float)
    centred = (weights - weights.mean(axis=1, keepdims=True)).reshape(-1, weights.shape[-1])
    variances = centred.var(axis=0)
    if not variances.any():
        return step
    if len(step) > _FEW_WEIGHTS:
        return step / (variances + 0.1 * variances.mean())
    covariance = np.cov(centred.T) + 1e-3 * variances.mean() * np.eye(len(step))
    return np.linalg.solve(covariance, step)
