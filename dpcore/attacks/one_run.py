"""One-run audit: a lower bound on epsilon from a single training run with many independently included canaries.

The attacker guesses some of the coins and abstains on the others. Under (epsilon, delta)-DP for adding or removing a
canary, at least v of r guesses about m coins are correct with probability at most [steinke2023, Theorem 5.2]

    P[Bin(r, q) >= v] + 2 m delta max_{1 <= i <= v} (1/i) P[v > Bin(r, q) >= v - i],    q = e^epsilon / (1 + e^epsilon)

The second term is the cost of delta. Without it the bound would hold for pure DP only.
"""

import math

import numpy as np
from scipy.special import bdtrc, expit

from dpcore import check
from dpcore.privacy import Adjacency, LowerBound

# No audit by counting shows more: at 50 a correct guess is certain to 22 digits.
_MOST = 50.0


def chance(correct: int, *, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """Return the largest probability of ``correct`` or more correct guesses under (epsilon, delta)-DP."""
    check.whole(0, guesses, correct=correct)
    check.whole(guesses, canaries=canaries)
    q = float(expit(epsilon))
    tail = float(bdtrc(correct - 1, guesses, q))
    if delta == 0 or correct == 0:
        return min(tail, 1.0)
    steps = np.arange(1, correct + 1)
    below = bdtrc(correct - steps - 1, guesses, q) - tail
    return min(tail + 2 * canaries * delta * float(np.max(below / steps)), 1.0)


def epsilon_lower_bound(
    correct: int,
    *,
    guesses: int,
    canaries: int,
    delta: float,
    confidence: float = 0.95,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
    unit: str = "record",
) -> LowerBound:
    """Return the largest epsilon at which this many correct guesses have a probability of at most 1 - ``confidence``.

    adjacency: a coin decides whether a canary is present (add/remove) or which of two canaries is (replace-one). The
    proof only needs that one coin changes one record. ``trials`` of the bound is the number of canaries.
    """
    check.between(0, 1, inclusive=False, confidence=confidence)
    check.between(0, 1, delta=delta)

    def refuted(epsilon: float) -> bool:
        found = chance(correct, guesses=guesses, canaries=canaries, epsilon=epsilon, delta=delta)
        return found <= 1 - confidence

    low, high = 0.0, _MOST
    if refuted(low):
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (middle, high) if refuted(middle) else (low, middle)
    return LowerBound(epsilon=low, delta=delta, adjacency=adjacency, unit=unit, confidence=confidence, trials=canaries)


def guessed(scores: np.ndarray, coins: np.ndarray, *, share: float) -> tuple[int, int]:
    """Return (correct guesses, guesses): "in" for the highest and "out" for the lowest ``share`` / 2 of the scores.

    scores (m,): larger for "in". coins (m,): whether each canary was in. Choose ``share`` before seeing the coins.
    """
    check.between(0, 1, share=check.positive(share=share))
    each = max(1, math.floor(share * len(scores) / 2))
    order = np.argsort(scores, kind="stable")
    coins = np.asarray(coins, dtype=bool)
    return int(coins[order[-each:]].sum() + (~coins[order[:each]]).sum()), 2 * each
