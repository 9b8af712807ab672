"""A lower bound on epsilon from one single training: many canaries, each in or out by a coin of its own.

The attacker guesses some of the coins and abstains on the rest. Under (epsilon, delta)-DP for one canary that is there
or not, the chance of v correct guesses or more of r, with m coins in all, is at most [steinke2023, Theorem 5.2]

    P[Bin(r, q) >= v] + 2 m delta max_{1 <= i <= v} (1/i) P[v > Bin(r, q) >= v - i],    q = e^epsilon / (1 + e^epsilon)

The second term is what delta costs: without it the bound would be one of pure privacy only.
"""

import math

import numpy as np
from scipy.special import bdtrc, expit

from dpcore import check
from dpcore.privacy import Adjacency, LowerBound

# No audit by counting says more: at 50 a correct guess is certain to 22 digits.
_MOST = 50.0


def chance(correct: int, *, guesses: int, canaries: int, epsilon: float, delta: float) -> float:
    """The most likely that an (epsilon, delta)-DP mechanism lets this many guesses, or more, be correct."""
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
    """The largest epsilon at which as many correct guesses would have at most the chance 1 - ``confidence``.

    adjacency: what a coin decides: whether a canary is there (add/remove), or which of two stands in its place
    (replace-one); the proof needs no more than that one coin changes one record. ``trials`` of the bound are the
    canaries of the one training.
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
    return LowerBound(
        epsilon=low,
        delta=delta,
        adjacency=adjacency,
        unit=unit,
        confidence=confidence,
        trials=canaries,
    )


def guessed(scores: np.ndarray, coins: np.ndarray, *, share: float) -> tuple[int, int]:
    """(correct guesses, guesses): "in" for the highest scores and "out" for the lowest, of this share of all canaries.

    scores (m,), larger for "in". coins (m,): whether each canary was in. The share is chosen before the coins are seen.
    """
    check.between(0, 1, share=check.positive(share=share))
    each = max(1, math.floor(share * len(scores) / 2))
    order = np.argsort(scores, kind="stable")
    coins = np.asarray(coins, dtype=bool)
    return int(coins[order[-each:]].sum() + (~coins[order[:each]]).sum()), 2 * each
