"""Events, guarantees, and the lower bounds that refute them."""

import math
import re
from dataclasses import replace

import pytest

from dpcore import check
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE, IncomparableError, LowerBound
from dpcore.privacy import Adjacency, Guarantee, Sequence, for_group, for_replacement, releases
from tests.event_builders import approximate, gaussian, laplace, pure, sample, times, together

# Both sides are the same number, computed in another order.
ROUNDING = 1e-9

EVENT = gaussian(1.0)
CLAIM = Guarantee(
    epsilon=1.0,
    delta=1e-5,
    adjacency=Adjacency.REPLACE_ONE,
    unit="record",
    basis="a test",
    event=EVENT,
)
BOUND = LowerBound(
    epsilon=1.5,
    delta=1e-5,
    adjacency=Adjacency.REPLACE_ONE,
    unit="record",
    confidence=0.95,
    trials=100,
)

# --- Events and guarantees refuse values without a meaning ----------------------------------------

# Event or guarantee -> (argument, function of its value, values that it does not allow).
REFUSED_VALUES = {
    "Gaussian noise": ("noise_multiplier", gaussian, (-1, math.inf, math.nan, True, "1")),
    "Laplace noise": ("noise_multiplier", laplace, (0,)),
    "pure epsilon": ("epsilon", pure, (0,)),
    "approximate epsilon": ("epsilon", lambda value: approximate(value, 0.1), (True, math.inf)),
    "approximate delta": ("delta", lambda value: approximate(1, value), (-0.1,)),
    "guarantee's epsilon": (
        "epsilon",
        lambda value: replace(CLAIM, epsilon=value),
        (True, "1", -1, math.nan),
    ),
    "guarantee's delta": ("delta", lambda value: replace(CLAIM, delta=value), (1.5,)),
    "sampling rate": ("rate", lambda value: sample(value, EVENT), (0, 1.5)),
    "composition": ("count", lambda value: times(value, EVENT), (0, 1.5)),
    "sequence": ("events", lambda value: Sequence(events=value), ((), [])),
}


@pytest.mark.parametrize(
    ("name", "make", "value"),
    [
        pytest.param(name, make, value, id=f"{kind} {value!r}")
        for kind, (name, make, values) in REFUSED_VALUES.items()
        for value in values
    ],
)
def test_a_meaningless_value_is_refused_by_name(name, make, value):
    with pytest.raises(check.RefusedError, match=f"^{name} is {re.escape(repr(value))}, "):
        make(value)


# --- Releases of an event -------------------------------------------------------------------------

STEP = sample(0.1, EVENT)
PURE = pure(1)


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param(
            together(EVENT, STEP, PURE, STEP), {EVENT: 1, STEP: 2, PURE: 1}, id="a sequence"
        ),
        pytest.param(
            times(10, together(STEP, times(5, PURE))), {STEP: 10, PURE: 50}, id="nested counts"
        ),
        pytest.param(sample(1, times(5, PURE)), {PURE: 5}, id="a sample of all rows"),
    ],
)
def test_releases_are_counted_through_compositions(event, expected):
    assert releases(event) == expected


# --- Guarantees -----------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 8.0])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.1])
def test_attacker_accuracy_is_that_of_the_worst_mechanism(epsilon, delta):
    guarantee = replace(CLAIM, epsilon=epsilon, delta=delta)

    accuracy = guarantee.attacker_accuracy

    # The mechanism reveals the bit with probability delta, and otherwise uses randomised response.
    expected = delta + (1 - delta) / (1 + math.exp(-epsilon))
    assert accuracy == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.parametrize("epsilon", [800.0, math.inf])
def test_attacker_accuracy_is_1_at_an_endless_epsilon(epsilon):
    assert replace(CLAIM, epsilon=epsilon).attacker_accuracy == 1.0


def largest_excess(epsilon: float, delta: float, steps: int) -> float:
    """Return the largest P(S) - e^(steps epsilon) P'(S) over a chain of ``steps`` neighbours."""
    largest = 0.0
    for q in (0.0, *(10.0**-k for k in range(1, 12))):
        p = q
        for _ in range(steps):
            p = min(math.exp(epsilon) * p + delta, 1.0)
        largest = max(largest, p - math.exp(steps * epsilon) * q)
    return largest


@pytest.mark.parametrize("people", [2, 3, 10])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-6), (1.0, 0.0)])
def test_a_group_is_protected_as_a_chain_of_neighbours(epsilon, delta, people):
    guarantee = replace(CLAIM, epsilon=epsilon, delta=delta)

    group = for_group(guarantee, people=people)

    assert group.epsilon == pytest.approx(people * epsilon)
    assert group.delta == pytest.approx(largest_excess(epsilon, delta, people), rel=ROUNDING)
    assert group.unit == f"group of {people}, each a record"
    assert group.adjacency == guarantee.adjacency
    assert "group privacy" in group.basis


def test_a_group_of_one_has_the_same_guarantee():
    assert for_group(CLAIM, people=1) is CLAIM


@pytest.mark.parametrize("epsilon", [1e4, math.inf])
def test_a_group_has_delta_1_at_an_endless_epsilon(epsilon):
    group = for_group(replace(CLAIM, epsilon=epsilon), people=3)

    assert group.epsilon == 3 * epsilon
    assert group.delta == 1.0


def test_a_replacement_is_a_removal_and_an_addition():
    guarantee = replace(CLAIM, adjacency=Adjacency.ADD_REMOVE)

    replacement = for_replacement(guarantee)

    assert replacement.epsilon == 2.0
    assert replacement.delta == pytest.approx((1 + math.e) * 1e-5)
    assert replacement.adjacency == Adjacency.REPLACE_ONE
    assert replacement.unit == "record"
    assert replacement.event == approximate(replacement.epsilon, replacement.delta)
    assert "under add/remove" in replacement.basis


def test_a_replace_one_guarantee_is_not_converted_again():
    with pytest.raises(check.RefusedError, match="^adjacency is 'replace-one'"):
        for_replacement(CLAIM)


# --- Lower bounds ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "claim",
    [
        pytest.param(replace(CLAIM, adjacency=Adjacency.ADD_REMOVE), id="other adjacency"),
        pytest.param(replace(CLAIM, unit="party"), id="other unit"),
        pytest.param(replace(CLAIM, delta=1e-4), id="larger delta"),
        pytest.param(BOUND, id="a bound in place of a guarantee"),
    ],
)
def test_a_bound_is_not_compared_with_another_kind_of_claim(claim):
    with pytest.raises(IncomparableError):
        BOUND.refutes(claim)


@pytest.mark.parametrize("delta", [1e-5, 1e-9])
@pytest.mark.parametrize(
    ("epsilon", "is_refuted"),
    [
        pytest.param(1.0, True, id="below the bound"),
        pytest.param(1.5, False, id="at the bound"),
        pytest.param(2.0, False, id="above the bound"),
    ],
)
def test_a_bound_refutes_claims_below_it(epsilon, is_refuted, delta):
    claim = replace(CLAIM, epsilon=epsilon, delta=delta)

    assert BOUND.refutes(claim) == is_refuted


@pytest.mark.parametrize(
    ("assumes", "proved", "is_refuted"),
    [
        pytest.param("", GAUSSIAN_CURVE, True, id="nothing is assumed"),
        pytest.param(GAUSSIAN_CURVE, "", False, id="nothing is proved"),
        pytest.param(GAUSSIAN_CURVE, "something else", False, id="something else is proved"),
        pytest.param(GAUSSIAN_CURVE, GAUSSIAN_CURVE, True, id="the assumption is proved"),
    ],
)
def test_a_bound_refutes_only_if_its_assumption_is_proved(assumes, proved, is_refuted):
    bound = replace(BOUND, assumes=assumes)

    assert bound.refutes(CLAIM, proved=proved) == is_refuted
