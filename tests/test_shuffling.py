"""Amplification by shuffling: the closed form against the exact curve that it bounds, and randomised response."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import shuffling
from dpcore.check import RefusedError
from dpcore.parties.randomised_response import RandomisedResponse
from dpcore.privacy import Adjacency, ApproximateRelease, Guarantee, PureRelease

CASES = [
    (one, messages, delta)
    for one in (0.05, 1.0, 2.5)
    for messages in (30, 300, 3000)
    for delta in (0.1, 1e-2, 1e-6)
    if one <= math.log(messages / (16 * math.log(2 / delta)))
]
CASES += [(4.0, 20_000, 1e-6)]


def pure(epsilon: float, **changes) -> Guarantee:
    about = {"adjacency": Adjacency.REPLACE_ONE, "unit": "party", "basis": "one message"} | changes
    return Guarantee(**{"epsilon": epsilon, "delta": 0.0, "event": PureRelease(epsilon=epsilon)} | about)


def clones(one: float, messages: int, epsilon: float) -> float:
    """Return delta(epsilon) of the pair that every shuffled epsilon_0-private message reduces to [feldman2021, 3.2].

    Of the others, C ~ Bin(n - 1, e^-epsilon_0) answer at random, A ~ Bin(C, 1/2) of them "1"; the one is told from its
    replacement by a coin of bias e^epsilon_0 / (1 + e^epsilon_0). C is known to the attacker.
    """
    rate, bias = math.exp(-one), 1 / (1 + math.exp(-one))
    counts = np.arange(messages)
    chance = stats.binom.pmf(counts, messages - 1, rate)
    found = float(1 - chance[chance > 1e-14].sum())
    for count in counts[chance > 1e-14]:
        mean, sd = count / 2, math.sqrt(count) / 2
        answers = np.arange(max(0, math.floor(mean - 9 * sd) - 1), min(count, math.ceil(mean + 9 * sd) + 1) + 2)
        here, before = stats.binom.pmf(answers, count, 0.5), stats.binom.pmf(answers - 1, count, 0.5)
        p, q = bias * before + (1 - bias) * here, bias * here + (1 - bias) * before
        found += chance[count] * np.maximum(p - math.exp(epsilon) * q, 0).sum()
    return found


@pytest.mark.parametrize(("one", "messages", "delta"), CASES)
def test_closed_form_bounds_the_exact_curve(one, messages, delta):
    found, e = shuffling.shuffled(pure(one), messages=messages, delta=delta), math.exp(one)
    by_hand = 8 * (math.sqrt(e * math.log(4 / delta) / messages) + e / messages) * (e - 1) / (e + 1)
    assert found.epsilon == pytest.approx(min(math.log1p(by_hand), one), rel=1e-9)
    if found.delta:
        assert found.event == ApproximateRelease(epsilon=found.epsilon, delta=delta)
        assert clones(one, messages, found.epsilon) <= delta
        assert delta > 1e-6 or clones(one, messages, found.epsilon / 6) > delta  # and is no empty statement


@pytest.mark.parametrize(("epsilon", "messages"), [(0.5, 1000), (1.0, 1000), (2.0, 5000), (4.0, 20_000)])
def test_counts_of_shuffled_answers_stay_within_the_guarantee(epsilon, messages):
    """Of two answers, all that an order hides is how many there are: the sum of two binomials, whatever the others."""
    delta, p = 1e-6, RandomisedResponse(epsilon=epsilon).truthful
    held = shuffling.shuffled(pure(epsilon), messages=messages, delta=delta)
    for ones in (0, messages // 2, messages - 1):
        parts = ((ones, p), (messages - 1 - ones, 1 - p))
        others = np.convolve(*(stats.binom.pmf(np.arange(count + 1), count, share) for count, share in parts))
        yes, no = (np.convolve(others, [1 - share, share]) for share in (p, 1 - p))
        for one, other in ((yes, no), (no, yes)):
            assert np.maximum(one - math.exp(held.epsilon) * other, 0).sum() <= delta


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("messages", [10, 300, 1000, 20_000])
def test_epsilon_of_one_is_the_largest_that_all_may_have(epsilon, messages):
    one = shuffling.of_one(epsilon, messages=messages, delta=1e-6)
    held = shuffling.shuffled(pure(one), messages=messages, delta=1e-6)
    assert one >= epsilon >= held.epsilon
    more = shuffling.shuffled(pure(one * 1.01), messages=messages, delta=1e-6)
    assert more.epsilon > epsilon or more.delta == 0  # too much, or nothing is proved


def test_nothing_is_claimed_beyond_the_theorem():
    for messages, delta in ((16, 1e-6), (1000, 0.0)):
        assert shuffling.shuffled(pure(1.0), messages=messages, delta=delta) == pure(1.0)
        assert shuffling.of_one(1.0, messages=messages, delta=delta) == 1.0
    edge = math.log(1000 / (16 * math.log(2e6)))
    assert shuffling.shuffled(pure(edge * 0.999), messages=1000, delta=1e-6).delta == 1e-6
    assert shuffling.shuffled(pure(edge * 1.001), messages=1000, delta=1e-6).delta == 0
    approximate = {"delta": 1e-9, "event": ApproximateRelease(epsilon=1.0, delta=1e-9)}
    for changes in ({"adjacency": Adjacency.ADD_REMOVE}, approximate):
        with pytest.raises(RefusedError, match="^one is "):
            shuffling.shuffled(pure(1.0, **changes), messages=1000, delta=1e-6)
