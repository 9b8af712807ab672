"""Amplify the privacy of messages by shuffling them.

Each message is private by itself. In random order nobody knows whose message is whose, and all
together guarantee more.
"""

import math
from dataclasses import replace

from dpcore import check
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee
from dpcore.roots import safe_root

# How near the root the search for the epsilon of a message ends.
_TOLERANCE = 1e-9


def shuffled(one: Guarantee, *, messages: int, delta: float) -> Guarantee:
    """Return the guarantee of n messages in random order, each private by itself.

        epsilon <= log(1 + (e^e0 - 1)/(e^e0 + 1) (8 sqrt(e^e0 log(4/delta)/n) + 8 e^e0/n))

    at ``delta``, under replace-one, for e0 <= log(n / (16 log(2/delta))) [feldman2021, Theorem
    3.1]. Beyond that range, or where this is not smaller, the guarantee is ``one``, which no order
    of the messages weakens.

    Args:
        one: The pure guarantee of each message to its sender, with epsilon e0.
        messages: n.
        delta: Of the result.

    Raises:
        RefusedError: If ``one`` is not pure, or not under replace-one.
    """
    if one.delta or one.adjacency is not Adjacency.REPLACE_ONE:
        raise check.RefusedError("one", one, "a pure guarantee under replace-one")
    if one.epsilon > _largest_of_one(messages, delta):
        return one
    epsilon = _epsilon(one.epsilon, messages, delta)
    if epsilon >= one.epsilon:
        return one
    return replace(
        one,
        epsilon=epsilon,
        delta=delta,
        event=ApproximateRelease(epsilon=epsilon, delta=delta),
        basis=f"{one.basis}; amplification by shuffling",
    )


def of_one(epsilon: float, *, messages: int, delta: float) -> float:
    """Return the largest epsilon of each message with which `shuffled` has at most ``epsilon``."""
    largest = _largest_of_one(messages, delta)
    if largest <= epsilon:
        return epsilon

    def excess(epsilon_of_one: float) -> float:
        return _epsilon(epsilon_of_one, messages, delta) - epsilon

    return max(epsilon, safe_root(excess, 0.0, largest, _TOLERANCE))


def _largest_of_one(messages: int, delta: float) -> float:
    """Return the largest epsilon of one message for which the theorem holds.

    It is -inf if the theorem holds for none, because there are too few messages or no delta.
    """
    check.whole(1, messages=messages)
    check.between(0, 1, delta=delta)
    if delta == 0:
        return -math.inf
    largest = math.log(messages / (16 * math.log(2 / delta)))
    if largest < 0:
        return -math.inf
    return largest


def _epsilon(epsilon_of_one: float, messages: int, delta: float) -> float:
    """Return the bound of the theorem, in which (e^e0 - 1)/(e^e0 + 1) is tanh(e0 / 2)."""
    odds = math.exp(epsilon_of_one)
    spread = math.sqrt(odds * math.log(4 / delta) / messages) + odds / messages
    return math.log1p(8 * math.tanh(epsilon_of_one / 2) * spread)
