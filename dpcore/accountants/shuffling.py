"""Amplification by shuffling: what messages that are private one by one guarantee when nobody knows
whose is whose.
"""

import math
from dataclasses import replace

from dpcore import check
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee
from dpcore.roots import safe_root


def shuffled(one: Guarantee, *, messages: int, delta: float) -> Guarantee:
    """Return the guarantee of n ``messages`` in random order, each with the pure guarantee ``one``
    to its sender.

        epsilon <= log(1 + (e^e0 - 1)/(e^e0 + 1) (8 sqrt(e^e0 log(4/delta)/n) + 8 e^e0/n))

    at ``delta``, under replace-one, for e0 <= log(n / (16 log(2/delta))) [feldman2021, Theorem
    3.1]. Beyond that range, or where it is not smaller, the guarantee is ``one``, which no order of
    the messages weakens. Raises RefusedError for a guarantee that is not pure, or not under
    replace-one.
    """
    if one.delta or one.adjacency is not Adjacency.REPLACE_ONE:
        raise check.RefusedError("one", one, "a pure guarantee under replace-one")
    epsilon = (
        _epsilon(one.epsilon, messages, delta)
        if one.epsilon <= _largest(messages, delta)
        else math.inf
    )
    if epsilon >= one.epsilon:
        return one
    event, basis = (
        ApproximateRelease(epsilon=epsilon, delta=delta),
        f"{one.basis}; amplification by shuffling",
    )
    return replace(one, epsilon=epsilon, delta=delta, event=event, basis=basis)


def of_one(epsilon: float, *, messages: int, delta: float) -> float:
    """Return the largest epsilon that each message may have so that ``shuffled`` gives at most
    ``epsilon`` to all.
    """
    most = _largest(messages, delta)
    if most <= epsilon:
        return epsilon
    return max(
        epsilon, safe_root(lambda one: _epsilon(one, messages, delta) - epsilon, 0.0, most, 1e-9)
    )


def _largest(messages: int, delta: float) -> float:
    check.whole(1, messages=messages)
    check.between(0, 1, delta=delta)
    return math.log(messages / (16 * math.log(2 / delta))) if delta else -math.inf


def _epsilon(one: float, messages: int, delta: float) -> float:
    spread = math.sqrt(math.exp(one) * math.log(4 / delta) / messages) + math.exp(one) / messages
    return math.log1p(8 * math.tanh(one / 2) * spread)
