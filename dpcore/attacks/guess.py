"""The attacker's guess between two worlds: a score, a threshold, and how often they are right."""

import math
from typing import NamedTuple

import numpy as np

from dpcore.attacks import audit

# Both ends of an interval for the share of right answers, together at 95 %; and each of two lower bounds on epsilon.
EACH = 0.975
# Above this many weights, Fisher's direction takes them as uncorrelated.
_FEW_WEIGHTS = 100


class Guessed(NamedTuple):
    """scores (2, R), 0 being the threshold, in pooled standard deviations; and how those from ``first`` on, which chose
    nothing, went.

    correct answers of ``trials``; the rest are shares: accuracy, both ends of its 95 % interval, false alarms, hits.
    """

    scores: np.ndarray
    first: int
    correct: int
    trials: int
    accuracy: float
    low: float
    high: float
    alarms: float
    hits: float

    @property
    def tested(self) -> np.ndarray:
        """The scores (2, ...) of trainings that chose neither direction nor threshold."""
        return self.scores[:, self.first :]


def guess(weights: np.ndarray, scores: np.ndarray | None, noiseless: np.ndarray) -> Guessed:
    """Attack trainings with weights (2, R, k, p) and, where every step was seen, log-ratios ``scores`` (2, R).

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
    return Guessed(scores, half, correct, trials, correct / trials, low, high, float(alarms), float(hits))


def _direction(weights: np.ndarray, noiseless: np.ndarray) -> np.ndarray:
    """S^-1 m of weights (2, R, D): m where the worlds would end without noise, S the covariance within them."""
    step = (noiseless[0] - noiseless[1]).ravel().astype(float)
    centred = (weights - weights.mean(axis=1, keepdims=True)).reshape(-1, weights.shape[-1])
    variances = centred.var(axis=0)
    if not variances.any():
        return step
    if len(step) > _FEW_WEIGHTS:
        return step / (variances + 0.1 * variances.mean())
    covariance = np.cov(centred.T) + 1e-3 * variances.mean() * np.eye(len(step))
    return np.linalg.solve(covariance, step)
