"""Statements of privacy: releases, groups, shuffling, and deployments beside what they
published.
"""

import csv
import math
import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest
from scipy import stats
from scipy.stats import norm

from dpcore import check
from dpcore.accountants import shuffling
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE, IncomparableError, LowerBound
from dpcore.mechanisms.randomised_response import RandomisedResponse
from dpcore.privacy import Adjacency, Guarantee, Sequence, for_group, for_replacement, releases
from lab.label.deployments import FILE, PERSON, deployments
from pages.learn import page_deployments
from tests.app import opened
from tests.event_builders import approximate, gaussian, laplace, pure, sample, times, together
from ui.text.tiles import percent_rounded_up

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
    for other in (
        *(replace(CLAIM, **change) for change in changes),
        BOUND,
    ):  # a bound never stands in for a guarantee
        with pytest.raises(IncomparableError):
            BOUND.refutes(other)
    for delta in (1e-5, 1e-9):
        claims = (replace(CLAIM, epsilon=epsilon, delta=delta) for epsilon in (1.0, 1.5, 2.0))
        assert [BOUND.refutes(claim) for claim in claims] == [True, False, False]
    bound = replace(BOUND, assumes=GAUSSIAN_CURVE)
    assert BOUND.refutes(CLAIM, proved=GAUSSIAN_CURVE)
    assert [bound.refutes(CLAIM, proved=one) for one in ("", "something else", GAUSSIAN_CURVE)] == [
        False,
        False,
        True,
    ]


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
    """The largest P(S) - e^(steps epsilon) P'(S) over ``steps`` neighbours, each as far as the
    definition lets it.
    """
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


CASES = [
    (one, messages, delta)
    for one in (0.05, 1.0, 2.5)
    for messages in (30, 300, 3000)
    for delta in (0.1, 1e-2, 1e-6)
    if one <= math.log(messages / (16 * math.log(2 / delta)))
]
CASES += [(4.0, 20_000, 1e-6)]


def message(epsilon):
    return replace(CLAIM, epsilon=epsilon, delta=0.0, event=pure(epsilon))


def clones(one: float, messages: int, epsilon: float) -> float:
    """Return delta(epsilon) of the pair that every shuffled epsilon_0-private message reduces to
    [feldman2021, 3.2].

    Of the others, C ~ Bin(n - 1, e^-epsilon_0) answer at random, A ~ Bin(C, 1/2) of them "1"; the
    one is told from its replacement by a coin of bias e^epsilon_0 / (1 + e^epsilon_0). C is known
    to the attacker.
    """
    rate, bias = math.exp(-one), 1 / (1 + math.exp(-one))
    counts = np.arange(messages)
    chance = stats.binom.pmf(counts, messages - 1, rate)
    found = float(1 - chance[chance > 1e-14].sum())
    for count in counts[chance > 1e-14]:
        mean, sd = count / 2, math.sqrt(count) / 2
        answers = np.arange(
            max(0, math.floor(mean - 9 * sd) - 1), min(count, math.ceil(mean + 9 * sd) + 1) + 2
        )
        here, before = (
            stats.binom.pmf(answers, count, 0.5),
            stats.binom.pmf(answers - 1, count, 0.5),
        )
        p, q = bias * before + (1 - bias) * here, bias * here + (1 - bias) * before
        found += chance[count] * np.maximum(p - math.exp(epsilon) * q, 0).sum()
    return found


@pytest.mark.parametrize(("one", "messages", "delta"), CASES)
def test_closed_form_bounds_the_exact_curve(one, messages, delta):
    found, e = shuffling.shuffled(message(one), messages=messages, delta=delta), math.exp(one)
    by_hand = 8 * (math.sqrt(e * math.log(4 / delta) / messages) + e / messages) * (e - 1) / (e + 1)
    assert found.epsilon == pytest.approx(min(math.log1p(by_hand), one), rel=1e-9)
    if found.delta:
        assert found.event == approximate(found.epsilon, delta)
        assert clones(one, messages, found.epsilon) <= delta
        assert (
            delta > 1e-6 or clones(one, messages, found.epsilon / 6) > delta
        )  # and is no empty statement


@pytest.mark.parametrize(
    ("epsilon", "messages"), [(0.5, 1000), (1.0, 1000), (2.0, 5000), (4.0, 20_000)]
)
def test_counts_of_shuffled_answers_stay_within_the_guarantee(epsilon, messages):
    """Of two answers, all that an order hides is how many there are: the sum of two binomials,
    whatever the others.
    """
    delta, p = 1e-6, RandomisedResponse(epsilon=epsilon).truth_probability
    held = shuffling.shuffled(message(epsilon), messages=messages, delta=delta)
    for ones in (0, messages // 2, messages - 1):
        parts = ((ones, p), (messages - 1 - ones, 1 - p))
        others = np.convolve(
            *(stats.binom.pmf(np.arange(count + 1), count, share) for count, share in parts)
        )
        yes, no = (np.convolve(others, [1 - share, share]) for share in (p, 1 - p))
        for one, other in ((yes, no), (no, yes)):
            assert np.maximum(one - math.exp(held.epsilon) * other, 0).sum() <= delta


@pytest.mark.parametrize("epsilon", [0.01, 0.3, 1.0, 3.0])
@pytest.mark.parametrize("messages", [10, 300, 1000, 20_000])
def test_epsilon_of_one_is_the_largest_that_all_may_have(epsilon, messages):
    one = shuffling.of_one(epsilon, messages=messages, delta=1e-6)
    held = shuffling.shuffled(message(one), messages=messages, delta=1e-6)
    assert one >= epsilon >= held.epsilon
    more = shuffling.shuffled(message(one * 1.01), messages=messages, delta=1e-6)
    assert more.epsilon > epsilon or more.delta == 0  # too much, or nothing is proved


def test_nothing_is_claimed_beyond_the_theorem():
    for messages, delta in ((16, 1e-6), (1000, 0.0)):
        assert shuffling.shuffled(message(1.0), messages=messages, delta=delta) == message(1.0)
        assert shuffling.of_one(1.0, messages=messages, delta=delta) == 1.0
    edge = math.log(1000 / (16 * math.log(2e6)))
    assert shuffling.shuffled(message(edge * 0.999), messages=1000, delta=1e-6).delta == 1e-6
    assert shuffling.shuffled(message(edge * 1.001), messages=1000, delta=1e-6).delta == 0
    for changes in (
        {"adjacency": Adjacency.ADD_REMOVE},
        {"delta": 1e-9, "event": approximate(1.0, 1e-9)},
    ):
        with pytest.raises(check.RefusedError, match="^one is "):
            shuffling.shuffled(replace(message(1.0), **changes), messages=1000, delta=1e-6)


RECORDS = list(csv.DictReader(FILE.read_text("utf-8").splitlines()))
VERDICT = re.compile(
    r"\b(fine|safe|enough for|acceptable|reasonable|good|common|usual|better than|worse than)\b",
    re.I,
)


def expected(record: dict[str, str]) -> float:
    """(1 + TV)/2 of Gaussian noise with mu = sqrt(2 rho), or of the worst (epsilon, delta)
    mechanism.
    """
    if record["rho"]:
        return norm.cdf(math.sqrt(2 * float(record["rho"])) / 2)
    ratio = math.exp(float(record["epsilon"]))
    return (ratio + float(record["delta"] or 0)) / (1 + ratio)


def test_each_number_is_recomputed_from_its_record():
    assert len(RECORDS) == len(deployments()) >= 20
    for record in RECORDS:
        (one,) = (one for one in deployments() if one.record == record["record"])
        assert {name: getattr(one, name) for name in record} == record
        assert expected(record) - 1e-9 <= one.attacker.right <= expected(record) + 6e-4
        assert (record["variant"] == "Zero-concentrated DP") == bool(record["rho"])
        assert (record["variant"] == "Approximate DP") == bool(
            record["delta"] and not record["rho"]
        )
        assert record["state"] in ("Pending", "Draft")
    units = {one.unit for one in deployments() if one.protects == PERSON}
    assert units == {"User-level", "Person-level", "Person-level; housing-unit-level"}


def test_the_table_shows_every_record_with_its_unit_trust_and_attacker():
    found = unescape(page_deployments.table())
    for one in deployments():
        right = one.attacker.right
        accuracy = f"{percent_rounded_up(right) if right <= 0.9995 else 100}\u00a0%"
        shown = (one.source, one.name, page_deployments.protected(one), accuracy)
        assert [text for text in shown if text not in found] == []
    assert not opened("deployments").exception
    assert not VERDICT.search(re.sub(r"<td>.*?</td>", "", found))
