"""Events, guarantees and measured bounds: what they refuse and what may be compared."""

import math
import re
from dataclasses import replace

import pytest
from event_builders import approximate, gaussian, laplace, pure, sample, times, together

from dpcore import check
from dpcore.privacy import (
    GAUSSIAN_CURVE,
    Adjacency,
    Guarantee,
    IncomparableError,
    LowerBound,
    Sequence,
    for_group,
    for_replacement,
    releases,
)

EVENT = gaussian(1.0)
CLAIM = Guarantee(epsilon=1.0, delta=1e-5, adjacency=Adjacency.REPLACE_ONE, unit="record", basis="a test", event=EVENT)
BOUND = LowerBound(epsilon=1.5, delta=1e-5, adjacency=Adjacency.REPLACE_ONE, unit="record", confidence=0.95, trials=100)
REFUSED = [
    ("noise_multiplier", gaussian, (-1, math.inf, math.nan, True, "1")),
    ("noise_multiplier", laplace, (0,)),
    ("epsilon", pure, (0,)),
    ("epsilon", lambda value: approximate(value, 0.1), (True, math.inf)),
    ("delta", lambda value: approximate(1, value), (-0.1,)),
    ("epsilon", lambda value: replace(CLAIM, epsilon=value), (True, "1", -1, math.nan)),
    ("delta", lambda value: replace(CLAIM, delta=value), (1.5,)),
    ("rate", lambda value: sample(value, EVENT), (0, 1.5)),
    ("count", lambda value: times(value, EVENT), (0, 1.5)),
    ("events", lambda value: Sequence(events=value), ((), [])),
]


@pytest.mark.parametrize(("name", "make", "values"), REFUSED)
def test_meaningless_values_are_refused_by_name(name, make, values):
    for value in values:
        with pytest.raises(check.RefusedError, match=f"^{name} is {re.escape(repr(value))}, "):
            make(value)


def test_a_bound_refutes_only_comparable_claims_below_it():
    changes = [{"adjacency": Adjacency.ADD_REMOVE}, {"unit": "party"}, {"delta": 1e-4}]
    for other in (*(replace(CLAIM, **change) for change in changes), BOUND):  # a bound never stands in for a guarantee
        with pytest.raises(IncomparableError):
            BOUND.refutes(other)
    for delta in (1e-5, 1e-9):
        claims = (replace(CLAIM, epsilon=epsilon, delta=delta) for epsilon in (1.0, 1.5, 2.0))
        assert [BOUND.refutes(claim) for claim in claims] == [True, False, False]
    bound = replace(BOUND, assumes=GAUSSIAN_CURVE)
    assert BOUND.refutes(CLAIM, proved=GAUSSIAN_CURVE)
    assert [bound.refutes(CLAIM, proved=one) for one in ("", "something else", GAUSSIAN_CURVE)] == [False, False, True]


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 8.0])
@pytest.mark.parametrize("delta", [0.0, 1e-5, 0.1])
def test_attacker_accuracy_is_that_of_the_worst_mechanism(epsilon, delta):
    # It shows the bit outright with probability delta, else answers by randomised response.
    expected = delta + (1 - delta) / (1 + math.exp(-epsilon))
    found = replace(CLAIM, epsilon=epsilon, delta=delta).attacker_accuracy
    assert found == pytest.approx(expected, rel=1e-14)
    for endless in (800.0, math.inf):
        assert replace(CLAIM, epsilon=endless).attacker_accuracy == 1.0


def test_what_an_event_consists_of():
    step, one = sample(0.1, EVENT), pure(1)
    assert releases(together(EVENT, step, one, step)) == {EVENT: 1, step: 2, one: 1}
    assert releases(times(10, together(step, times(5, one)))) == {step: 10, one: 50}
    assert releases(sample(1, times(5, one))) == {one: 5}


def steps_away(epsilon: float, delta: float, steps: int) -> float:
    """The largest P(S) - e^(steps epsilon) P'(S) over ``steps`` neighbours, each as far as the definition lets it."""
    worst = 0.0
    for q in [0.0, *(10.0**-k for k in range(1, 12))]:
        p = q
        for _ in range(steps):
            p = min(math.exp(epsilon) * p + delta, 1.0)
        worst = max(worst, p - math.exp(steps * epsilon) * q)
    return worst


@pytest.mark.parametrize("people", [2, 3, 10])
@pytest.mark.parametrize(("epsilon", "delta"), [(0.1, 1e-5), (1.0, 1e-6), (1.0, 0.0)])
def test_a_group_is_as_many_steps(epsilon, delta, people):
    found = for_group(replace(CLAIM, epsilon=epsilon, delta=delta), people=people)
    assert found.epsilon == pytest.approx(people * epsilon)
    assert found.delta == pytest.approx(steps_away(epsilon, delta, people), rel=1e-9)
    assert (found.unit, found.adjacency) == (f"group of {people}, each a record", CLAIM.adjacency)
    assert "group privacy" in found.basis
    assert for_group(CLAIM, people=1) is CLAIM
    for large in (1e4, math.inf):  # nothing is promised
        found = for_group(replace(CLAIM, epsilon=large), people=3)
        assert (found.epsilon, found.delta) == (3 * large, 1.0)


def test_a_replacement_is_a_removal_and_an_addition():
    claim = replace(CLAIM, adjacency=Adjacency.ADD_REMOVE)
    found = for_replacement(claim)
    assert (found.epsilon, found.delta) == (2.0, pytest.approx((1 + math.e) * 1e-5))
    assert (found.adjacency, found.unit) == (Adjacency.REPLACE_ONE, "record")
    assert found.event == approximate(found.epsilon, found.delta)
    assert "under add/remove" in found.basis
    with pytest.raises(check.RefusedError, match="^adjacency is 'replace-one'"):
        for_replacement(found)
