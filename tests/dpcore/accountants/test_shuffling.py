"""Shuffled messages, compared with the exact curve that every such shuffle reduces to."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.accountants import shuffling
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.privacy import Adjacency, Guarantee
from tests.event_builders import approximate, pure

DELTA = 1e-6


def message(epsilon: float) -> Guarantee:
    """Return the guarantee of one message."""
    return Guarantee(
        epsilon=epsilon,
        delta=0.0,
        adjacency=Adjacency.REPLACE_ONE,
        unit="record",
        basis="a test",
        event=pure(epsilon),
    )


# --- The bound ------------------------------------------------------------------------------------

# (epsilon of one message, number of messages, delta)
CASES = [
    (epsilon, messages, delta)
    for epsilon in (0.05, 1.0, 2.5, 5.0)
    for messages in (2, 30, 300, 3000)
    for delta in (0.1, 1e-2, 1e-6)
]
CASES.append((4.0, 20_000, 1e-6))


def exact_delta(epsilon_of_one: float, messages: int, epsilon: float) -> float:
    """Return delta(epsilon) of the pair that every shuffle reduces to [feldman2021, 3.2].

    Of the other messages, C ~ Bin(n - 1, e^-epsilon_0) answer at random, A ~ Bin(C, 1/2) of them
    "1". A coin of bias e^epsilon_0 / (1 + e^epsilon_0) tells the message from its replacement. C
    is known to the attacker.
    """
    rate = math.exp(-epsilon_of_one)
    bias = 1 / (1 + math.exp(-epsilon_of_one))
    counts = np.arange(messages)
    probabilities = stats.binom.pmf(counts, messages - 1, rate)
    is_likely = probabilities > 1e-20
    delta = float(probabilities[~is_likely].sum())
    for count in counts[is_likely]:
        mean = count / 2
        sd = math.sqrt(count) / 2
        first = max(0, math.floor(mean - 11 * sd) - 1)
        last = min(count, math.ceil(mean + 11 * sd) + 1) + 1
        answers = np.arange(first, last + 1)
        same = stats.binom.pmf(answers, count, 0.5)
        one_less = stats.binom.pmf(answers - 1, count, 0.5)
        p = bias * one_less + (1 - bias) * same
        q = bias * same + (1 - bias) * one_less
        excess = np.maximum(p - math.exp(epsilon) * q, 0)
        delta += probabilities[count] * excess.sum()
    return delta


@pytest.mark.parametrize(("epsilon", "messages", "delta"), CASES)
def test_an_amplified_guarantee_holds_for_the_exact_curve(epsilon, messages, delta):
    shuffled = shuffling.shuffled(message(epsilon), messages=messages, delta=delta)

    if shuffled.delta:
        assert shuffled.event == approximate(shuffled.epsilon, delta)
        assert exact_delta(epsilon, messages, shuffled.epsilon) <= delta


@pytest.mark.parametrize(("epsilon", "messages", "delta"), CASES)
def test_a_slightly_smaller_epsilon_does_not_hold(epsilon, messages, delta):
    shuffled = shuffling.shuffled(message(epsilon), messages=messages, delta=delta)

    assert exact_delta(epsilon, messages, 0.98 * shuffled.epsilon) > delta or shuffled.epsilon == 0


@pytest.mark.parametrize(("epsilon", "messages", "delta"), CASES)
@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_the_bound_on_delta_is_the_exact_curve_and_not_below_it(epsilon, messages, delta, share):
    options = {"epsilon_of_one": epsilon, "messages": messages}
    bound = shuffling.delta_of(share * epsilon, **options)
    truncated = shuffling.delta_of(share * epsilon, **options, negligible=1e-4 * delta)

    exact = exact_delta(epsilon, messages, share * epsilon)

    # The enumeration counts what it leaves out, up to 1e-16, as delta.
    assert exact * (1 - 1e-12) - 1e-16 <= bound <= exact * (1 + 1e-6) + 1e-15
    assert bound * (1 - 1e-8) <= truncated <= bound + 3e-4 * delta


@pytest.mark.parametrize(("epsilon", "most"), [(0.5, 0.075), (1.0, 0.19), (2.0, 0.56), (3.0, 1.3)])
def test_a_thousand_messages_are_amplified_as_by_clones_in_numbers(epsilon, most):
    shuffled = shuffling.shuffled(message(epsilon), messages=1000, delta=DELTA)

    assert exact_epsilon_of_two_options(epsilon, messages=1000) <= shuffled.epsilon <= most


def exact_epsilon_of_two_options(epsilon_of_one: float, *, messages: int) -> float:
    """Return the epsilon at ``DELTA`` of shuffled answers "yes" or "no", by enumeration.

    It is the largest over what the others truly say, of which all alike is the worst case.
    """
    p = RandomisedResponse(epsilon=epsilon_of_one).truth_probability
    others = count_probabilities(messages - 1, 0, p)
    with_yes = np.convolve(others, [1 - p, p])
    with_no = np.convolve(others, [p, 1 - p])
    low = 0.0
    high = epsilon_of_one
    for _ in range(50):
        middle = (low + high) / 2
        deltas = []
        for one, other in ((with_yes, with_no), (with_no, with_yes)):
            deltas.append(np.maximum(one - math.exp(middle) * other, 0).sum())
        if max(deltas) > DELTA:
            low = middle
        else:
            high = middle
    return high


# --- Randomised response --------------------------------------------------------------------------


def count_probabilities(others_yes: int, others_no: int, p: float) -> np.ndarray:
    """Return the law of the number of answers "yes" of others who answer truly with chance p."""
    from_yes = stats.binom.pmf(np.arange(others_yes + 1), others_yes, p)
    from_no = stats.binom.pmf(np.arange(others_no + 1), others_no, 1 - p)
    return np.convolve(from_yes, from_no)


@pytest.mark.parametrize(
    ("epsilon", "messages"), [(0.5, 1000), (1.0, 1000), (2.0, 5000), (4.0, 20_000)]
)
def test_counts_of_shuffled_answers_stay_within_the_guarantee(epsilon, messages):
    """An order of two answers hides all but how many there are of each."""
    p = RandomisedResponse(epsilon=epsilon).truth_probability

    shuffled = shuffling.shuffled(message(epsilon), messages=messages, delta=DELTA)

    for others_yes in (0, messages // 2, messages - 1):
        others = count_probabilities(others_yes, messages - 1 - others_yes, p)
        with_yes = np.convolve(others, [1 - p, p])
        with_no = np.convolve(others, [p, 1 - p])
        for one, other in ((with_yes, with_no), (with_no, with_yes)):
            excess = np.maximum(one - math.exp(shuffled.epsilon) * other, 0)
            assert excess.sum() <= DELTA


# --- The epsilon that each message may have -------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("messages", [10, 300, 1000, 20_000])
def test_epsilon_of_one_is_the_largest_within_the_budget(epsilon, messages):
    epsilon_of_one = shuffling.of_one(epsilon, messages=messages, delta=DELTA)

    within = shuffling.shuffled(message(epsilon_of_one), messages=messages, delta=DELTA)
    beyond = shuffling.shuffled(message(epsilon_of_one * 1.01), messages=messages, delta=DELTA)
    assert epsilon_of_one >= epsilon >= within.epsilon
    # Slightly more is too much, or nothing is proved for it.
    assert beyond.epsilon > epsilon or beyond.delta == 0


# --- Messages that are not amplified --------------------------------------------------------------


@pytest.mark.parametrize(
    ("epsilon", "messages", "delta"),
    [
        pytest.param(1.0, 1, 1e-6, id="one message"),
        pytest.param(1.0, 16, 1e-6, id="too few messages"),
        pytest.param(1.0, 1000, 0.0, id="no delta"),
        pytest.param(1e6, 1000, 1e-6, id="too large an epsilon"),
    ],
)
def test_without_a_gain_the_guarantee_is_that_of_one_message(epsilon, messages, delta):
    options = {"messages": messages, "delta": delta}

    assert shuffling.shuffled(message(epsilon), **options) == message(epsilon)
    assert shuffling.of_one(epsilon, **options) == epsilon


@pytest.mark.parametrize(
    "changes",
    [
        pytest.param({"adjacency": Adjacency.ADD_REMOVE}, id="under add/remove"),
        pytest.param({"delta": 1e-9, "event": approximate(1.0, 1e-9)}, id="not pure"),
    ],
)
def test_messages_with_another_guarantee_are_refused(changes):
    with pytest.raises(check.RefusedError, match="^one is "):
        shuffling.shuffled(replace(message(1.0), **changes), messages=1000, delta=DELTA)
