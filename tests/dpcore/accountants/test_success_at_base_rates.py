"""The largest success of an attack at a base rate, against tests of two data sets found by brute
force.
"""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import account, gdp
from dpcore.accountants.attacker import best_attacker, largest_success
from dpcore.check import RefusedError
from dpcore.privacy import (
    Adjacency,
    BestOf,
    Event,
    Guarantee,
    NormExponentialRelease,
    for_group,
)
from tests.event_builders import (
    approximate,
    bounded_range,
    gaussian,
    laplace,
    pure,
    sampled,
    times,
    together,
)

# Percentages are documented with one decimal.
ONE_DECIMAL = 0.05
# The same formula in double precision.
ROUNDING = 1e-9
# Trade-off curves are evaluated to so many digits.
CURVE_ERROR = 1e-6
# The largest gain is searched over some base rates only.
GRID_OF_BASE_RATES = 5e-4

BASE_RATES = (0.5, 0.1, 0.01, 0.001)
DELTA = 1e-5


def guarantee_of(
    event: Event,
    *,
    epsilon: float = math.inf,
    delta: float = 0.0,
    adjacency: Adjacency = Adjacency.ADD_REMOVE,
) -> Guarantee:
    """Return a guarantee that states nothing but its event, unless an epsilon is given."""
    return Guarantee(
        epsilon=epsilon, delta=delta, adjacency=adjacency, unit="record", basis="", event=event
    )


def best_test(p: np.ndarray, q: np.ndarray, rate: float) -> float:
    """Return the largest true positive rate of a test between two lists of probabilities.

    The test says "p" for the outputs with the largest ratios p/q until its false positive rate is
    ``rate``; it says so with some probability for the last of them (Neyman and Pearson).
    """
    order = np.argsort(-p / np.maximum(q, 1e-300))
    positives = np.append(0.0, np.cumsum(p[order]))
    false_positives = np.append(0.0, np.cumsum(q[order]))
    return float(np.interp(rate, false_positives, positives))


def line_above(p: np.ndarray, q: np.ndarray, slope: float, rate: float) -> float:
    """Return the height at ``rate`` of the least line with a slope above all tests of both kinds.

    A test adds at most the sum of (p - slope q)_+ to the line through 0.
    """
    highest = np.maximum(p - slope * q, 0).sum()
    highest_reversed = np.maximum(q - slope * p, 0).sum()
    return float(max(highest, highest_reversed) + slope * rate)


def outcomes(epsilon: float, delta: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return the probabilities of all outcomes of ``count`` answers on two neighbours.

    An answer reveals the data with probability ``delta``, and is else that of randomised response.
    """
    truth = 1 / (1 + math.exp(-epsilon))
    randomised = 1 - delta
    # One answer reveals the first neighbour, is yes or no, or reveals the second one.
    answer_p = [delta, randomised * truth, randomised * (1 - truth), 0.0]
    answer_q = [0.0, randomised * (1 - truth), randomised * truth, delta]
    p = [math.prod(probabilities) for probabilities in product(answer_p, repeat=count)]
    q = [math.prod(probabilities) for probabilities in product(answer_q, repeat=count)]
    return np.array(p), np.array(q)


@pytest.mark.parametrize(
    ("epsilon", "at_half", "of_ten", "of_hundred", "of_thousand"),
    [
        pytest.param(1.0, 55.3, 15.5, 1.98, 0.24, id="epsilon 1"),
        pytest.param(4.0, 67.8, 36.1, 8.1, 1.5, id="epsilon 4"),
        pytest.param(8.0, 79.8, 65.0, 25.5, 7.7, id="epsilon 8"),
    ],
)
def test_one_curve_gives_the_accuracy_and_the_success_at_each_base_rate(
    epsilon, at_half, of_ten, of_hundred, of_thousand
):
    mu = gdp.mu_of(epsilon, delta=DELTA)
    guarantee = account(gaussian(1 / mu), delta=DELTA, adjacency=Adjacency.REPLACE_ONE)

    accuracy = 100 * best_attacker(guarantee).right
    successes = [100 * largest_success(guarantee, base_rate=rate) for rate in (0.1, 0.01, 0.001)]

    assert accuracy == pytest.approx(at_half, abs=ONE_DECIMAL)
    assert successes[0] == pytest.approx(of_ten, abs=ONE_DECIMAL)
    assert successes[1] == pytest.approx(of_hundred, abs=ONE_DECIMAL)
    assert successes[2] == pytest.approx(of_thousand, abs=ONE_DECIMAL)


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize("mu", [0.01, 0.3, 1.0, 4.0])
def test_gaussian_noise_has_the_success_of_a_threshold_on_its_value(mu, base_rate):
    threshold = stats.norm.isf(base_rate)
    guarantee = guarantee_of(times(16, gaussian(4 / mu)))

    success = largest_success(guarantee, base_rate=base_rate)

    assert success == pytest.approx(stats.norm.sf(threshold - mu), rel=ROUNDING)


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize(
    ("event", "epsilon", "delta", "count"),
    [
        pytest.param(pure(0.7), 0.7, 0.0, 1, id="one answer"),
        pytest.param(times(4, pure(0.5)), 0.5, 0.0, 4, id="four answers"),
        pytest.param(times(2, pure(3.0)), 3.0, 0.0, 2, id="two answers that say much"),
        pytest.param(times(3, approximate(0.5, 0.01)), 0.5, 0.01, 3, id="three that may fail"),
    ],
)
def test_randomised_response_has_the_success_of_the_best_test_of_all_outcomes(
    event, epsilon, delta, count, base_rate
):
    p, q = outcomes(epsilon, delta, count)

    success = largest_success(guarantee_of(event), base_rate=base_rate)

    best = best_test(p, q, base_rate)
    assert best - 1e-9 <= success <= best * (1 + 2e-3)


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_laplace_noise_has_the_success_of_the_best_test_of_its_densities(scale, base_rate):
    x = np.linspace(-40, 41, 400_001)
    p = stats.laplace.pdf(x - 1, scale=scale)
    q = stats.laplace.pdf(x, scale=scale)

    success = largest_success(guarantee_of(laplace(scale)), base_rate=base_rate)

    best = best_test(p / p.sum(), q / q.sum(), base_rate)
    assert best - 1e-4 <= success <= best * (1 + 5e-3)


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize(("rate", "multiplier"), [(0.25, 2.0), (0.9, 0.5), (0.01, 0.3)])
def test_a_sampled_step_has_the_success_of_the_best_mixture_of_tests(rate, multiplier, base_rate):
    """Whether the row was added or removed is open, so tests of both kinds can be mixed."""
    z = np.linspace(-16, 16, 20_001)
    without = stats.norm.pdf(z)
    without = without / without.sum()
    mixture = (1 - rate) * without + rate * stats.norm.pdf(z - 1 / multiplier) * (z[1] - z[0])

    success = largest_success(guarantee_of(sampled(rate, multiplier)), base_rate=base_rate)

    removed = best_test(mixture, without, base_rate)
    added = best_test(without, mixture, base_rate)
    lines = [
        line_above(mixture, without, slope, base_rate)
        for slope in np.exp(np.linspace(-14, 14, 701))
    ]
    assert max(removed, added) - 1e-5 <= success <= min(lines) + 5e-4


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 8.0])
def test_a_noisy_vector_lies_between_laplace_noise_and_randomised_response(epsilon, base_rate):
    vector = guarantee_of(NormExponentialRelease(epsilon=epsilon, dimension=1))
    number = guarantee_of(laplace(1 / epsilon))
    answer = guarantee_of(pure(epsilon))

    success = largest_success(vector, base_rate=base_rate)

    of_laplace = largest_success(number, base_rate=base_rate)
    of_answer = largest_success(answer, base_rate=base_rate)
    assert of_laplace * (1 - 1e-3) <= success <= of_answer + 1e-9


@pytest.mark.parametrize(
    "event",
    [
        pytest.param(gaussian(1.5), id="Gaussian noise"),
        pytest.param(sampled(0.1, 3.0, 60), id="an epoch"),
        pytest.param(sampled(1e-4, 0.3, 100_000), id="many rare samples"),
        pytest.param(together(pure(0.5), gaussian(2.0)), id="an answer and Gaussian noise"),
        pytest.param(times(16, bounded_range(0.1)), id="exponential mechanism"),
        pytest.param(NormExponentialRelease(epsilon=1.0, dimension=20), id="a vector"),
    ],
)
def test_the_largest_gain_over_all_base_rates_is_the_accuracy_of_the_best_attacker(event):
    guarantee = guarantee_of(event)

    gains = [largest_success(guarantee, base_rate=a) - a for a in np.linspace(0, 1, 501)]

    assert (1 + max(gains)) / 2 == pytest.approx(
        best_attacker(guarantee).right, abs=GRID_OF_BASE_RATES
    )


def test_success_never_falls_below_the_base_rate_and_rises_with_it():
    guarantee = guarantee_of(sampled(0.01, 4.0, 1000))
    rates = np.linspace(0, 1, 101)

    successes = np.array([largest_success(guarantee, base_rate=rate) for rate in rates])

    assert (successes >= rates).all()
    assert (np.diff(successes) >= 0).all()
    assert successes[-1] == 1


@pytest.mark.parametrize(
    ("event", "epsilon"),
    [
        pytest.param(BestOf(event=gaussian(3.0), law="logarithmic", tries=5), 2.0, id="best of"),
        pytest.param(pure(0.3), 0.2, id="a smaller epsilon than that of the event"),
        pytest.param(times(2, pure(500.0)), 1.0, id="losses beyond the range of floats"),
    ],
)
def test_the_guarantee_bounds_the_success_too(event, epsilon):
    guarantee = guarantee_of(event, epsilon=epsilon, delta=DELTA)

    success = largest_success(guarantee, base_rate=0.01)

    assert success == pytest.approx(0.01 * math.exp(epsilon) + DELTA, rel=CURVE_ERROR)


def test_a_group_is_bounded_by_its_epsilon_and_delta_alone():
    one = account(gaussian(4.0), delta=DELTA, adjacency=Adjacency.REPLACE_ONE)
    group = for_group(one, people=3)

    success = largest_success(group, base_rate=0.001)

    allowed = 0.001 * math.exp(group.epsilon) + group.delta
    assert success == pytest.approx(allowed, rel=CURVE_ERROR)


@pytest.mark.parametrize("base_rate", BASE_RATES)
@pytest.mark.parametrize("event", [gaussian(0), sampled(0.5, 0.0)])
def test_without_noise_or_guarantee_every_attack_may_succeed(event, base_rate):
    success = largest_success(guarantee_of(event), base_rate=base_rate)

    assert success == 1.0


@pytest.mark.parametrize("base_rate", [-0.1, 1.5, math.nan, True])
def test_base_rates_outside_of_0_to_1_are_refused(base_rate):
    with pytest.raises(RefusedError, match="base_rate"):
        largest_success(guarantee_of(gaussian(1.0)), base_rate=base_rate)
