"""Amplify the privacy of messages by shuffling them.

Each message is private by itself. In random order nobody knows whose message is whose, and all
together guarantee more. The bound is the numerical one by clones [feldman2021, Theorem 3.2]. If
each of n messages is e0-private under replace-one, their shuffle is as private as a pair of laws:

    C ~ Bin(n - 1, e^-e0) of the others answer at random, and A ~ Bin(C, 1/2) of these say "1".
    The message itself says "1" with probability e^e0 / (1 + e^e0), and its replacement else.

An attacker sees C and how often "1" was said. For one C, delta(epsilon) is a difference of two
tails of a binomial distribution, because the likelihood ratio rises with the number of "1".
"""

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
from scipy.special import bdtr, bdtrc, gammaln

from dpcore import check
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee
from dpcore.roots import safe_root

# A smaller amplification is not worth a delta, so the guarantee stays that of one message.
_LEAST_GAIN = 1.01
# Numbers of clones with less probability than this share of delta are left out. Their probability
# counts as delta.
_NEGLIGIBLE_SHARE = 1e-4
# Relative error of a tail, far above that of the special function. A probability has the rounding
# of the logarithm of a factorial, in units of the last place.
_ROUNDING = 1e-9
_ROUNDING_OF_FACTORIALS = 4 * np.finfo(float).eps
# With a larger epsilon of a message there is no clone among any number of messages.
_LARGEST_EPSILON = 600.0
# How near its root the epsilon of all messages is found, relative to that of one, and how near that
# of one, relative to the budget. The latter search aims a little below the budget, so that the
# epsilon that is then found for all messages is within it.
_TOLERANCE_OF_ALL = 1e-10
_TOLERANCE_OF_ONE = 1e-5
_AIMED_SHARE = 1 - 1e-7
# Searches compare logarithms of delta. A delta below this share of the target counts as it.
_LEAST_RATIO = 1e-6


def shuffled(one: Guarantee, *, messages: int, delta: float) -> Guarantee:
    """Return the guarantee of n messages in random order, each private by itself.

    It holds at ``delta``, under replace-one. Without a delta, or where less than a hundredth of
    epsilon is gained, the guarantee is ``one``, which no order of the messages weakens.

    Args:
        one: The pure guarantee of each message to its sender, with epsilon e0.
        messages: n.
        delta: Of the result.

    Raises:
        RefusedError: If ``one`` is not pure, or not under replace-one.

    >>> from dpcore.privacy import Guarantee, PureRelease
    >>> message = Guarantee(
    ...     epsilon=1.0,
    ...     delta=0.0,
    ...     adjacency=Adjacency.REPLACE_ONE,
    ...     unit="person",
    ...     basis="randomised response",
    ...     event=PureRelease(epsilon=1.0),
    ... )
    >>> round(shuffled(message, messages=10_000, delta=1e-6).epsilon, 3)
    0.053
    """
    if one.delta or one.adjacency is not Adjacency.REPLACE_ONE:
        raise check.RefusedError("one", one, "a pure guarantee under replace-one")
    messages, delta = _checked(messages, delta)
    if delta == 0 or one.epsilon > _LARGEST_EPSILON:
        return one
    epsilon = _epsilon_of_all(one.epsilon, messages, delta)
    if epsilon * _LEAST_GAIN > one.epsilon:
        return one
    return together(one, epsilon=epsilon, delta=delta)


def together(one: Guarantee, *, epsilon: float, delta: float) -> Guarantee:
    """Return the guarantee of messages that `of_one` has found for ``epsilon`` and ``delta``.

    If that is no more than the epsilon of ``one``, the messages are not amplified.
    """
    if one.epsilon <= epsilon:
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
    epsilon = check.positive(epsilon=epsilon)
    messages, delta = _checked(messages, delta)
    if delta == 0 or epsilon > _LARGEST_EPSILON:
        return epsilon
    largest = _largest_of_one(epsilon, messages, delta)
    if largest < _LEAST_GAIN * epsilon:
        return epsilon
    return largest


def delta_of(
    epsilon: float, *, epsilon_of_one: float, messages: int, negligible: float = 0.0
) -> float:
    """Return an upper bound on the delta at which the shuffle is (epsilon, delta)-private.

    Args:
        epsilon: Of the guarantee, at least 0.
        epsilon_of_one: e0.
        messages: n.
        negligible: Numbers of clones with a probability of about this are left out of the sum, and
            their probability counts as delta.
    """
    if epsilon >= epsilon_of_one:
        return 0.0
    others = messages - 1
    clones, probabilities, left_out = _clones(others, epsilon_of_one, negligible)
    clone_rate = math.exp(-epsilon_of_one)
    truth = 1 / (1 + clone_rate)
    lie = clone_rate / (1 + clone_rate)
    odds = math.exp(epsilon)
    # P(a) = truth Bin(a - 1) + lie Bin(a), and Q(a) has the two exchanged. P(a) > e^epsilon Q(a)
    # where Bin(a - 1) / Bin(a) = a / (C - a + 1) is above a ratio, which is where a is at least
    # ``first``.
    weight_above = truth - odds * lie
    weight_below = odds * truth - lie
    threshold = weight_below / (weight_below + weight_above)
    first = np.floor(threshold * (clones + 1)) + 1
    first = np.minimum(first, clones + 1)
    # P(A >= first - 1) and P(A >= first)
    longer_tail = bdtrc(first - 2, clones, 0.5)
    shorter_tail = bdtrc(first - 1, clones, 0.5)
    gained = float(probabilities @ longer_tail) * weight_above
    lost = float(probabilities @ shorter_tail) * weight_below
    rounding = _ROUNDING + _ROUNDING_OF_FACTORIALS * float(gammaln(others + 2))
    return min(1.0, gained - lost + rounding * (gained + lost) + left_out)


def _clones(
    others: int, epsilon_of_one: float, negligible: float
) -> tuple[np.ndarray, np.ndarray, float]:
    """Return likely numbers of clones (c,), their probabilities (c,), and that of all others.

    Args:
        others: Number of other messages.
        epsilon_of_one: e0; each of them is a clone with probability e^-e0.
        negligible: About the probability of the numbers that are left out.
    """
    rate = math.exp(-epsilon_of_one)
    low = 0
    high = others
    if negligible > 0:
        # Bernstein's inequality
        exponent = -math.log(negligible)
        reach = math.sqrt(2 * others * rate * exponent) + exponent
        low = max(low, math.floor(others * rate - reach))
        high = min(high, math.ceil(others * rate + reach))
    left_out = 0.0
    if low > 0:
        left_out += float(bdtr(low - 1, others, rate))
    if high < others:
        left_out += float(bdtrc(high, others, rate))
    clones = np.arange(low, high + 1)
    log_choices = gammaln(others + 1) - gammaln(clones + 1) - gammaln(others - clones + 1)
    log_no_clone = math.log(-math.expm1(-epsilon_of_one))
    log_probabilities = log_choices - clones * epsilon_of_one + (others - clones) * log_no_clone
    return clones, np.exp(log_probabilities), left_out * (1 + _ROUNDING)


def _checked(messages: int, delta: float) -> tuple[int, float]:
    """Return both arguments if they are in range."""
    return check.whole(1, messages=messages), check.between(0, 1, delta=delta)


def _log_excess(epsilon: float, epsilon_of_one: float, messages: int, delta: float) -> float:
    """Return ln(bound on delta / ``delta``), which is never below that of a small ratio."""
    bound = delta_of(
        epsilon,
        epsilon_of_one=epsilon_of_one,
        messages=messages,
        negligible=delta * _NEGLIGIBLE_SHARE,
    )
    return math.log(max(bound / delta, _LEAST_RATIO))


@lru_cache(maxsize=1024)
def _epsilon_of_all(epsilon_of_one: float, messages: int, delta: float) -> float:
    """Return the smallest epsilon at which the shuffle of all messages is proved to be private."""

    def excess(epsilon: float) -> float:
        return _log_excess(epsilon, epsilon_of_one, messages, delta)

    return safe_root(excess, 0.0, epsilon_of_one, _TOLERANCE_OF_ALL * epsilon_of_one)


@lru_cache(maxsize=1024)
def _largest_of_one(epsilon: float, messages: int, delta: float) -> float:
    """Return the largest epsilon of a message with which that of all is at most ``epsilon``."""

    def excess(epsilon_of_one: float) -> float:
        return _log_excess(epsilon * _AIMED_SHARE, epsilon_of_one, messages, delta)

    # With an e0 of ln(n) more than epsilon there is hardly a clone.
    high = epsilon + math.log(messages) + 1
    return safe_root(excess, epsilon * _AIMED_SHARE, high, _TOLERANCE_OF_ONE * epsilon)
