"""The cost of searches: known prices, the library, and the exact law of the winner."""

import math
from functools import partial

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.rdp import RdpAccountant
from dp_accounting.rdp import rdp_privacy_accountant as library
from scipy import stats
from scipy.optimize import brentq

from dpcore import check
from dpcore.accountants import account, gdp, rdp, selection, tuning
from dpcore.privacy import LAWS, BestOf, UnsupportedEventError
from tests.accounting_oracles import ADD, REPLACE, Z, hockey_stick
from tests.event_builders import approximate, gaussian, laplace, pure, sampled, times, together

# Half a unit of the second decimal, to which prices are documented.
TWO_DECIMALS = 0.005
# The library's divergences agree to so many digits.
LIBRARY_ERROR = 1e-6
# Small divergences are differences, which lose digits.
LIBRARY_ERROR_OF_SMALL = 1e-3
# The price is documented with six decimals, and sums of probabilities end there.
SIX_DECIMALS = 1e-6
# The law is cut off at a largest number of tries.
TAIL_OF_THE_LAW = 1e-3
# SciPy's parameter is found by a search.
LAW_ERROR = 1e-8

DELTA = 1e-5
STEP = sampled(0.01, 4.0)
# A Gaussian try that is (1, 1e-5)-DP.
TRY = gaussian(1 / gdp.mu_of(1.0, delta=DELTA))
EVENTS = {
    "gaussian": times(100, gaussian(40.0)),
    "sampled": times(1000, STEP),
    "laplace": laplace(3.0),
    "pure": pure(0.4),
    "several": together(gaussian(9.0), STEP, pure(0.1)),
}

each_law = pytest.mark.parametrize("law", LAWS)


def price(event, way: str, tries: int, *, adjacency=ADD, delta=DELTA) -> float:
    """Return the epsilon of a search."""
    return tuning.price(event, way=way, tries=tries, delta=delta, adjacency=adjacency).epsilon


# --- Known prices ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("way", "of_2", "of_10", "of_100"),
    [
        ("all", 1.465, 3.619, 14.429),
        ("logarithmic", 1.525, 1.917, 2.287),
        ("half", 1.619, 2.125, 2.604),
        ("geometric", 1.695, 2.310, 2.913),
        ("poisson", 1.298, 2.046, 6.918),
    ],
)
def test_the_prices_of_gaussian_tries(way, of_2, of_10, of_100):
    prices = [price(TRY, way, tries) for tries in (2, 10, 100)]

    assert prices == pytest.approx([of_2, of_10, of_100], abs=TWO_DECIMALS)


@pytest.mark.parametrize(("tries", "way"), [(10, "geometric"), (100, "all"), (100, "poisson")])
def test_a_calibrated_try_uses_up_the_budget_of_the_search(tries, way):
    guarantee = tuning.try_for(
        gaussian, epsilon=1.0, way=way, tries=tries, delta=DELTA, adjacency=REPLACE
    )

    assert 0.999 < price(guarantee.event, way, tries, adjacency=REPLACE) <= 1


# --- The library ----------------------------------------------------------------------------------

ORDERS = tuple(float(order) for order in (*range(2, 65), 128, 256, 512))


def random_tries(kind: str) -> list:
    """Return ten random (our event, the library's event, mean number of tries)."""
    rng = np.random.default_rng(len(kind))
    found = []
    for _ in range(10):
        noise = rng.uniform(1, 5)
        rate = 10 ** rng.uniform(-3, -0.5)
        steps = int(10 ** rng.uniform(0, 3))
        tries = int(10 ** rng.uniform(0.31, 3))
        release = dp_event.GaussianDpEvent(noise)
        if kind == "gaussian":
            event = times(steps, gaussian(noise))
            library_event = dp_event.SelfComposedDpEvent(release, steps)
        elif kind == "sampled":
            event = times(steps, sampled(rate, noise))
            sample = dp_event.PoissonSampledDpEvent(rate, release)
            library_event = dp_event.SelfComposedDpEvent(sample, steps)
        else:
            event = laplace(noise)
            library_event = dp_event.LaplaceDpEvent(noise)
        found.append((event, library_event, tries))
    return found


@each_law
@pytest.mark.parametrize("kind", ["gaussian", "sampled", "laplace"])
def test_random_searches_have_the_divergences_of_the_library(kind, law):
    for event, library_event, tries in random_tries(kind):
        accountant = RdpAccountant(ORDERS)
        accountant.compose(library_event)
        r = rdp.summed(event, ORDERS)
        np.testing.assert_allclose(r, accountant._rdp, rtol=LIBRARY_ERROR)
        expected = library._compute_rdp_repeat_and_select(ORDERS, accountant._rdp, tries, LAWS[law])

        divergences = selection.divergences(r, np.array(ORDERS), law=law, tries=tries)

        if law == "poisson":
            # The library knows one more bound on delta, which matters from about 1 on.
            assert (expected <= divergences * (1 + 1e-9)).all()
            is_small = divergences < 1
            np.testing.assert_allclose(
                divergences[is_small], expected[is_small], rtol=LIBRARY_ERROR_OF_SMALL
            )
        else:
            # The library makes its list monotone.
            lowest = np.minimum.accumulate(divergences[::-1])[::-1]
            np.testing.assert_allclose(lowest, expected, rtol=LIBRARY_ERROR)


# --- Properties of a search -----------------------------------------------------------------------

each_event = pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)


@each_law
@each_event
def test_a_search_costs_more_than_a_try_and_more_with_more_tries(event, law):
    prices = [price(event, law, tries) for tries in (2, 3, 10, 100)]

    assert price(event, "public", 2) < prices[0]
    assert (np.diff(prices) >= 0).all()


@each_law
@each_event
def test_a_search_costs_less_at_a_larger_delta(event, law):
    prices = [price(event, law, 10, delta=delta) for delta in (1e-8, 1e-5, 1e-2)]

    assert (np.diff(prices) <= 0).all()


@each_law
@each_event
def test_a_guarantee_states_its_search_its_theorem_and_what_it_assumes(event, law):
    guarantee = tuning.price(event, way=law, tries=10, delta=DELTA, adjacency=ADD, unit="party")

    assert guarantee.delta == DELTA
    assert guarantee.unit == "party"
    assert guarantee.event == BestOf(event=event, law=law, tries=10)
    assert guarantee.basis.startswith(tuning.BASES[law])
    assert guarantee.assumes == tuning.ASSUMES


def test_a_search_on_public_rows_costs_nothing_more():
    guarantee = tuning.price(STEP, way="public", tries=50, delta=DELTA, adjacency=ADD)

    of_one = account(STEP, delta=DELTA, adjacency=ADD, accountant="renyi")
    assert guarantee.epsilon == of_one.epsilon
    assert guarantee.assumes == (tuning.ON_PUBLIC,)


@pytest.mark.parametrize("way", ["all", "logarithmic", "half", "geometric"])
def test_a_single_try_for_sure_costs_no_more_than_a_try(way):
    assert price(STEP, way, 1) == price(STEP, "public", 50)


@pytest.mark.parametrize(("law", "most"), [("logarithmic", 2), ("half", 2.5), ("geometric", 3)])
def test_pure_tries_have_a_largest_price_whatever_their_number(law, most):
    assert price(pure(0.5), law, 10**6, delta=1e-15) == 0.5 * most


@pytest.mark.parametrize(("tries", "epsilon_of_try"), [(2, 1.0), (10, 1.0), (100, 0.1)])
def test_the_best_of_a_fixed_number_of_tries_can_cost_all_of_them(tries, epsilon_of_try):
    """Each try is bad with a probability that one person makes e^epsilon times smaller."""
    log_bad = np.log([0.3, 0.3 * math.exp(-epsilon_of_try)])

    log_all_bad = tries * log_bad
    exact = log_all_bad[0] - log_all_bad[1]

    assert exact == pytest.approx(tries * epsilon_of_try)
    assert exact <= price(pure(epsilon_of_try), "all", tries, delta=1e-300) * (1 + 1e-9)
    if tries > 2:
        assert exact > price(pure(epsilon_of_try), "geometric", tries, delta=1e-15)


def test_a_search_with_next_to_no_cost_is_counted_at_large_orders():
    a = 1 + np.geomspace(1e-2, 1e6, 200_000)
    r = a / (2 * 1e4**2)
    for law, shape in (("logarithmic", 0.0), ("half", 0.5), ("geometric", 1.0)):
        # [papernot2022, Theorem 2] over a fine grid of orders.
        smallest = np.min((1 - 1 / a) * r + selection.log_odds(law, 10) / a)
        of_best = r + (1 + shape) * smallest + math.log(10) / (a - 1)
        least = np.min(of_best + np.log1p(-1 / a) - (math.log(1e-5) + np.log(a)) / (a - 1))

        assert least <= price(gaussian(1e4), law, 10) < least * 1.02 + 1e-6


def test_the_prices_of_tries_with_next_to_no_cost():
    prices = tuning.prices(gaussian(1e4), tries=10, delta=1e-5, adjacency=ADD)

    assert prices["logarithmic"].epsilon == pytest.approx(0.000501, abs=SIX_DECIMALS)
    assert prices["poisson"].epsilon < prices["all"].epsilon


# --- Searches without a proof ---------------------------------------------------------------------


@each_law
def test_the_best_of_tries_of_which_only_epsilon_and_delta_are_known_is_refused(law):
    with pytest.raises(UnsupportedEventError, match="BestOf"):
        price(approximate(1.0, 1e-6), law, 10)


@each_law
def test_the_best_of_sampled_tries_is_refused_under_replace_one(law):
    with pytest.raises(UnsupportedEventError, match="replace-one for PoissonSampled"):
        price(STEP, law, 10, adjacency=REPLACE)


def test_ways_without_a_proof_are_left_out():
    prices = tuning.prices(approximate(1.0, 1e-6), tries=10, delta=1e-6, adjacency=ADD)

    epsilons = {way: guarantee.epsilon for way, guarantee in prices.items()}
    assert epsilons == {"public": 1.0, "all": 10.0}
    assert prices["public"].delta == 1e-6
    assert prices["all"].delta == pytest.approx(1e-5)


def test_a_delta_that_is_larger_than_that_of_all_tries_is_kept():
    guarantee = tuning.price(
        approximate(1.0, 1e-6), way="all", tries=100, delta=1e-3, adjacency=ADD
    )

    assert guarantee.delta == 1e-3


def test_no_way_is_proved_for_sampled_tries_under_replace_one():
    assert tuning.prices(STEP, tries=10, delta=DELTA, adjacency=REPLACE) == {}


@pytest.mark.parametrize(
    ("name", "value"), [("tries", 0), ("tries", 1.5), ("tries", True), ("law", "fixed")]
)
def test_a_search_without_a_meaning_is_no_event(name, value):
    with pytest.raises(check.RefusedError, match=f"^{name} is"):
        BestOf(**{"event": STEP, "law": "geometric", "tries": 10, name: value})


@pytest.mark.parametrize(
    ("way", "tries"), [("public", 0), ("public", 1.5), ("public", True), ("fixed", 10)]
)
def test_a_search_without_a_meaning_has_no_price(way, tries):
    with pytest.raises(check.RefusedError, match="^(tries|way) is"):
        price(STEP, way, tries)


def test_a_budget_that_no_try_meets_is_refused():
    run = partial(sampled, 0.01, steps=1000)

    with pytest.raises(check.RefusedError, match="^epsilon is 1e-12"):
        tuning.try_for(run, epsilon=1e-12, way="geometric", tries=10, delta=DELTA, adjacency=ADD)


# --- The number of tries --------------------------------------------------------------------------


def exact_probabilities(law: str, mean: int, largest: int) -> np.ndarray:
    """Return the probabilities of 0 to ``largest`` tries, by SciPy.

    The parameter is the one that the library finds.
    """
    k = np.arange(largest + 1)
    if law == "poisson":
        return stats.poisson(mean).pmf(k)
    g = library._gamma_truncated_negative_binomial(LAWS[law], mean, tolerance=1e-13)
    if law == "logarithmic":
        return stats.logser(1 - g).pmf(k)
    if law == "geometric":
        return stats.geom(g).pmf(k)
    probabilities = stats.nbinom(0.5, g).pmf(k)
    return np.where(k > 0, probabilities, 0) / (1 - probabilities[0])


each_mean = pytest.mark.parametrize("mean", [2, 10, 100])


@each_law
@each_mean
def test_the_number_of_tries_has_the_stated_law_and_mean(law, mean):
    largest = 60 * mean

    chances = selection.chances(largest, law=law, tries=mean)

    np.testing.assert_allclose(chances, exact_probabilities(law, mean, largest), atol=LAW_ERROR)
    assert chances @ np.arange(largest + 1) == pytest.approx(mean, rel=TAIL_OF_THE_LAW)


@each_law
@each_mean
def test_the_chance_that_one_of_the_best_tenth_is_tried(law, mean):
    largest = 60 * mean
    chances = selection.chances(largest, law=law, tries=mean)

    best_among = selection.best_among(0.1, law=law, tries=mean)

    none_tried = chances @ 0.9 ** np.arange(largest + 1)
    assert best_among == pytest.approx(1 - none_tried, abs=SIX_DECIMALS)


@each_law
@each_mean
def test_half_of_all_searches_have_at_most_the_median_number_of_tries(law, mean):
    chances = selection.chances(60 * mean, law=law, tries=mean)

    median = selection.median(law=law, tries=mean)

    assert chances[:median].sum() < 0.5 <= chances[: median + 1].sum()


# --- The winner -----------------------------------------------------------------------------------


def densities_of_winner(law: str, mean: int, mu: float) -> list[np.ndarray]:
    """Return the densities over ``Z`` of the best of K tries, without and with one person.

    Tries are N(0, 1) or N(mu, 1). With f(x) = E x^K, the best has the density f'(F) F'.
    """
    if law == "poisson":

        def slope(x: np.ndarray) -> np.ndarray:
            """Return f'(x), where K is a Poisson number."""
            return mean * np.exp(-mean * (1 - x))

    else:
        g = library._gamma_truncated_negative_binomial(LAWS[law], mean)

        def slope(x: np.ndarray) -> np.ndarray:
            """Return f'(x), where K is a logarithmic or a geometric number."""
            if law == "logarithmic":
                return (1 - g) / (1 - (1 - g) * x) / -math.log(g)
            return g / (1 - (1 - g) * x) ** 2

    return [slope(stats.norm.cdf(Z, shift)) * stats.norm.pdf(Z, shift) for shift in (0, mu)]


@pytest.mark.parametrize(
    ("law", "mean"), [("logarithmic", 10), ("geometric", 10), ("poisson", 20), ("poisson", 100)]
)
def test_a_winner_that_is_its_own_score_costs_more_than_a_try_and_less_than_the_price(law, mean):
    without, with_person = densities_of_winner(law, mean, 1 / TRY.noise_multiplier)

    exact = brentq(
        lambda epsilon: hockey_stick(without, with_person, epsilon) - DELTA, 0, 30, xtol=1e-6
    )

    # The price of one try, which is often claimed for the best of many, is refuted.
    assert price(TRY, "public", mean) + 0.1 < exact < price(TRY, law, mean)
