"""Basic and strong composition against figures of the literature, worked by hand, and the price of one release."""

import math

import mpmath
import numpy as np
import pytest
from accounting_oracles import epsilon, gaussian, sampled
from scipy.stats import norm

from dpcore import accountants
from dpcore.accountants import advanced, basic, gdp
from dpcore.privacy import (
    ApproximateRelease,
    Composed,
    LaplaceRelease,
    PoissonSampled,
    PureRelease,
    Sequence,
    UnsupportedEventError,
)

STEP, RUN = sampled(0.01, 4.0), sampled(0.01, 4.0, 10_000)


def by_hand(part: float) -> float:
    """Strong composition of 10,000 samples of rate .01 with noise 4, ``part`` of delta 1e-5 paying for it."""
    steps, rate, delta = 10_000, 0.01, 1e-5
    each = math.sqrt(2 * math.log(1.25 / ((1 - part) * delta / (steps * rate)))) / 4
    each = math.log(1 + rate * (math.exp(each) - 1))
    return math.sqrt(2 * steps * math.log(1 / (part * delta))) * each + steps * each * (math.exp(each) - 1)


def test_strong_composition_is_the_best_of_all_splits():
    found = epsilon(RUN, "strong")
    assert found == pytest.approx(26.39, abs=0.005)
    assert by_hand(0.5) == pytest.approx(26.8, abs=0.05)
    assert found == pytest.approx(min(by_hand(part) for part in np.linspace(0.0005, 0.9995, 2000)), rel=1e-5)


def test_the_published_figure_is_no_accountant():
    for event, count in ((STEP, 10_000), (Composed(event=STEP, count=100), 100)):
        assert advanced.as_published(event, [count], delta=1e-5)[0] == pytest.approx(9.339, abs=5e-4)
    assert advanced.as_published not in accountants.ACCOUNTANTS.values()
    # Its amplification is too good.
    each = math.sqrt(2 * math.log(1.25 * 2 * 100 / 1e-5)) / 4
    assert 0.01 * each < float(basic.amplified(0.01, np.array(each)))
    with pytest.raises(UnsupportedEventError, match=r"PureRelease\(epsilon=1\)"):
        advanced.as_published(PureRelease(epsilon=1), [1], delta=1e-5)
    assert advanced.as_published(gaussian(0), [1], delta=1e-5)[0] == math.inf


def test_the_plain_sum():
    delta = 1e-5 / (10_000 * 0.01)
    each = math.log(1 + 0.01 * (math.exp(math.sqrt(2 * math.log(1.25 / delta)) / 4) - 1))
    assert epsilon(RUN, "naive") == pytest.approx(10_000 * each, rel=1e-12)


def test_the_plain_sum_of_different_releases():
    events = (PureRelease(epsilon=0.3), LaplaceRelease(noise_multiplier=2.0), ApproximateRelease(epsilon=1, delta=1e-6))
    assert epsilon(Composed(event=Sequence(events=events), count=10), "naive") == pytest.approx(18)
    assert epsilon(Composed(event=Sequence(events=events), count=11), "naive", delta=1e-5) == math.inf


def test_pure_releases_need_no_delta():
    event = Composed(event=PoissonSampled(rate=0.5, event=PureRelease(epsilon=1)), count=3)
    assert epsilon(event, "naive", delta=0) == pytest.approx(3 * math.log(1 + 0.5 * (math.e - 1)))
    assert epsilon(gaussian(1), "naive", delta=0) == math.inf


def test_strong_composition_of_pure_releases_is_the_theorem():
    event = Sequence(events=(Composed(event=PureRelease(epsilon=0.1), count=50), PureRelease(epsilon=0.5)))
    squares, drift = 50 * 0.01 + 0.25, 50 * 0.1 * math.expm1(0.1) + 0.5 * math.expm1(0.5)
    assert epsilon(event, "strong") == pytest.approx(math.sqrt(2 * math.log(1e5) * squares) + drift, rel=1e-12)


@pytest.mark.parametrize("delta", [1e-14, 1e-9, 1e-5, 0.1])
@pytest.mark.parametrize("multiplier", [0.05, 0.3, 0.7, 1.0, 4.0, 50.0])
def test_the_price_of_one_gaussian_release_is_safe(multiplier, delta):
    found, mu = float(basic.textbook_epsilon(multiplier, np.array(delta))), 1 / multiplier
    assert gdp.delta_of(found, mu=mu) <= delta
    assert found <= 1.3 * max(gdp.epsilon_of(delta, mu=mu), math.sqrt(2 * math.log(1.25 / delta)) / multiplier)
    assert norm.sf(found * multiplier - 0.5 / multiplier) <= delta * (1 + 1e-9)  # the loss exceeds it that rarely


@pytest.mark.parametrize("rate", [1e-6, 0.01, 0.5, 1.0])
@pytest.mark.parametrize("epsilon", [1e-9, 0.1, 0.999, 1.0, 30.0, 2000.0])
def test_amplification(rate, epsilon):
    with mpmath.workdps(1000):
        exact = float(mpmath.log(1 + mpmath.mpf(rate) * (mpmath.exp(mpmath.mpf(epsilon)) - 1)))
    assert float(basic.amplified(rate, np.array(epsilon))) == pytest.approx(exact, rel=1e-12)


def test_amplification_is_that_of_sampled_randomised_response():
    # One unit's bit is told rightly with probability p; sampled, else a coin is told. The worst ratio of both answers.
    p, rate = math.exp(1.5) / (1 + math.exp(1.5)), 0.2
    away = np.array([1 - p, p])  # what is told without the unit
    there = rate * np.array([p, 1 - p]) + (1 - rate) * away
    found = float(basic.amplified(rate, np.array(1.5)))
    assert np.abs(np.log(there / away)).max() == pytest.approx(found, rel=1e-12)


def test_samples_in_samples():
    inner = Sequence(events=(PureRelease(epsilon=0.5), PoissonSampled(rate=0.5, event=PureRelease(epsilon=1))))
    each = 0.5 + math.log(1 + 0.5 * (math.e - 1))
    found = epsilon(PoissonSampled(rate=0.1, event=inner), "naive")
    assert found == pytest.approx(math.log(1 + 0.1 * math.expm1(each)))
