"""What searches cost: the stored table, the library, the winner's exact law, and prices that would
be too low.
"""

import math
from functools import partial

import numpy as np
import pytest
from dp_accounting import dp_event
from dp_accounting.rdp import RdpAccountant
from dp_accounting.rdp import rdp_privacy_accountant as theirs
from scipy import stats
from scipy.optimize import brentq

from dpcore import check
from dpcore.accountants import account, gdp, rdp, selection, tuning
from dpcore.privacy import LAWS, BestOf, UnsupportedEventError
from tests.accounting_oracles import ADD, REPLACE, Z, hockey_stick
from tests.event_builders import approximate, gaussian, laplace, pure, sampled, times, together

DELTA = 1e-5
# Epsilon of searches whose one try is Gaussian and (1, 1e-5)-DP, by the mean number of tries.
TABLE = {
    "all": (1.465, 3.619, 14.429),
    "logarithmic": (1.525, 1.917, 2.287),
    "half": (1.619, 2.125, 2.604),
    "geometric": (1.695, 2.310, 2.913),
    "poisson": (1.298, 2.046, 6.918),
}
MEANS = (2, 10, 100)
STEP = sampled(0.01, 4.0)
EVENTS = {
    "gaussian": times(100, gaussian(40.0)),
    "sampled": times(1000, STEP),
    "laplace": laplace(3.0),
    "pure": pure(0.4),
    "several": together(gaussian(9.0), STEP, pure(0.1)),
}
ONE = gaussian(1 / gdp.mu_of(1.0, delta=DELTA))


def epsilon(event, way: str, tries: int, *, adjacency=ADD, delta=DELTA) -> float:
    return tuning.price(event, way=way, tries=tries, delta=delta, adjacency=adjacency).epsilon


@pytest.mark.parametrize("way", TABLE)
def test_the_table_of_prices(way):
    assert [epsilon(ONE, way, mean) for mean in MEANS] == pytest.approx(TABLE[way], abs=0.005)


@pytest.mark.parametrize(("tries", "way"), [(10, "geometric"), (100, "all"), (100, "poisson")])
def test_what_a_try_may_cost(tries, way):
    found = tuning.try_for(
        gaussian, epsilon=1.0, way=way, tries=tries, delta=DELTA, adjacency=REPLACE
    )
    assert 0.999 < epsilon(found.event, way, tries, adjacency=REPLACE) <= 1


@pytest.mark.parametrize("law", LAWS)
def test_random_events_cost_what_the_library_says(law):
    """At each whole order; the library makes its list of them monotone, and takes Renyi's delta of
    the Gaussian too.
    """
    orders, rng = tuple(float(a) for a in (*range(2, 65), 128, 256, 512)), np.random.default_rng(0)
    for trial in range(30):
        noise, rate, steps = (
            rng.uniform(1, 5),
            10 ** rng.uniform(-3, -0.5),
            int(10 ** rng.uniform(0, 3)),
        )
        release = dp_event.GaussianDpEvent(noise)
        of_sample = dp_event.PoissonSampledDpEvent(rate, release)
        event, other = [
            (times(steps, gaussian(noise)), dp_event.SelfComposedDpEvent(release, steps)),
            (times(steps, sampled(rate, noise)), dp_event.SelfComposedDpEvent(of_sample, steps)),
            (laplace(noise), dp_event.LaplaceDpEvent(noise)),
        ][trial % 3]
        tries = int(10 ** rng.uniform(0.31, 3))
        accountant = RdpAccountant(orders)
        accountant.compose(other)
        r = rdp.summed(event, orders)
        np.testing.assert_allclose(r, accountant._rdp, rtol=1e-6)
        expected = theirs._compute_rdp_repeat_and_select(orders, accountant._rdp, tries, LAWS[law])
        found = selection.divergences(r, np.array(orders), law=law, tries=tries)
        if law == "poisson":  # the library knows one more bound on delta, near 1
            assert (expected <= found * (1 + 1e-9)).all()
            close = found < 1
            np.testing.assert_allclose(found[close], expected[close], rtol=1e-3)
        else:
            lowest = np.minimum.accumulate(found[::-1])[::-1]
            np.testing.assert_allclose(lowest, expected, rtol=1e-6)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_a_search_costs_more_than_a_try_and_more_with_more_tries(event, law):
    found = [epsilon(event, law, tries) for tries in (2, 3, 10, 100)]
    assert epsilon(event, "public", 2) < found[0]
    assert (np.diff(found) >= 0).all()
    assert (
        np.diff([epsilon(event, law, 10, delta=delta) for delta in (1e-8, 1e-5, 1e-2)]) <= 0
    ).all()
    held = tuning.price(event, way=law, tries=10, delta=DELTA, adjacency=ADD, unit="party")
    assert (held.delta, held.unit, held.event) == (
        DELTA,
        "party",
        BestOf(event=event, law=law, tries=10),
    )
    assert held.basis.startswith(tuning.BASES[law])
    assert held.assumes == tuning.ASSUMES


def test_public_rows_cost_nothing_more():
    found = tuning.price(STEP, way="public", tries=50, delta=DELTA, adjacency=ADD)
    assert found.epsilon == account(STEP, delta=DELTA, adjacency=ADD, accountant="renyi").epsilon
    assert found.assumes == (tuning.ON_PUBLIC,)
    for law, most in (("logarithmic", 2), ("half", 2.5), ("geometric", 3)):
        assert (
            epsilon(STEP, law, 1) == epsilon(STEP, "all", 1) == found.epsilon
        )  # one try for sure costs no more
        assert epsilon(pure(0.5), law, 10**6, delta=1e-15) == 0.5 * most  # whatever the mean


def test_of_a_fixed_number_of_tries_the_best_can_cost_all_of_them():
    """A try says "good" but for a chance that you make e^epsilon times smaller; the best is "good"
    if any is.
    """
    for tries, one in ((2, 1.0), (10, 1.0), (100, 0.1)):
        never = np.array([0.3, 0.3 * math.exp(-one)])  # no try is good, in both worlds
        exact = -np.diff(tries * np.log(never))[0]
        assert exact == pytest.approx(tries * one)
        assert exact <= epsilon(pure(one), "all", tries, delta=1e-300) * (1 + 1e-9)
        assert tries == 2 or exact > epsilon(pure(one), "geometric", tries, delta=1e-15)


def test_what_has_no_proof_is_refused_or_left_out():
    known = approximate(1.0, 1e-6)
    for law in LAWS:
        with pytest.raises(UnsupportedEventError, match="BestOf"):
            epsilon(known, law, 10)
        with pytest.raises(UnsupportedEventError, match="replace-one for PoissonSampled"):
            epsilon(STEP, law, 10, adjacency=REPLACE)
    found = tuning.prices(known, tries=10, delta=1e-6, adjacency=ADD)
    assert {way: one.epsilon for way, one in found.items()} == {"public": 1.0, "all": 10.0}
    assert (found["public"].delta, found["all"].delta) == (1e-6, pytest.approx(1e-5))
    assert tuning.price(known, way="all", tries=100, delta=1e-3, adjacency=ADD).delta == 1e-3
    assert tuning.prices(STEP, tries=10, delta=DELTA, adjacency=REPLACE) == {}


@pytest.mark.parametrize(
    ("name", "value"), [("tries", 0), ("tries", 1.5), ("tries", True), ("law", "fixed")]
)
def test_a_bad_search_is_refused_by_name(name, value):
    with pytest.raises(check.RefusedError, match=f"^{name} is"):
        BestOf(**{"event": STEP, "law": "geometric", "tries": 10, name: value})
    way, tries = ("public", value) if name == "tries" else ("fixed", 10)
    with pytest.raises(check.RefusedError, match="^(tries|way) is"):
        epsilon(STEP, way, tries)
    run = partial(sampled, 0.01, steps=1000)
    with pytest.raises(check.RefusedError, match="^epsilon is 1e-12"):
        tuning.try_for(run, epsilon=1e-12, way="geometric", tries=10, delta=DELTA, adjacency=ADD)


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("mean", [2, 10, 100])
def test_the_number_of_tries_has_the_stated_law(law, mean):
    k = np.arange(60 * mean + 1)
    if law == "poisson":
        known = stats.poisson(mean)
    else:  # SciPy's, with the parameter that the library finds
        g = theirs._gamma_truncated_negative_binomial(LAWS[law], mean, tolerance=1e-13)
        known = {
            "logarithmic": stats.logser(1 - g),
            "half": stats.nbinom(0.5, g),
            "geometric": stats.geom(g),
        }[law]
    expected = known.pmf(k)
    if law == "half":
        expected = np.where(k > 0, expected, 0) / (1 - expected[0])
    found = selection.chances(k[-1], law=law, tries=mean)
    np.testing.assert_allclose(found, expected, atol=1e-8)
    assert found @ k == pytest.approx(mean, rel=1e-3)
    assert selection.best_among(0.1, law=law, tries=mean) == pytest.approx(
        1 - found @ 0.9**k, abs=1e-6
    )
    middle = selection.median(law=law, tries=mean)
    assert found[:middle].sum() < 0.5 <= found[: middle + 1].sum()


def winners(law: str, mean: int, mu: float) -> list[np.ndarray]:
    """Densities f'(F) F' over ``Z`` of the best of K tries, N(0, 1) without you, N(mu, 1) with you;
    f(x) = E x^K.
    """
    g = theirs._gamma_truncated_negative_binomial(LAWS[law], mean) if law != "poisson" else None
    slopes = {
        "logarithmic": lambda f: (1 - g) / (1 - (1 - g) * f) / -math.log(g),
        "half": lambda f: 0.5 * (1 - g) * (1 - (1 - g) * f) ** -1.5 / (g**-0.5 - 1),
        "geometric": lambda f: g / (1 - (1 - g) * f) ** 2,
        "poisson": lambda f: mean * np.exp(-mean * (1 - f)),
    }
    return [slopes[law](stats.norm.cdf(Z, at)) * stats.norm.pdf(Z, at) for at in (0, mu)]


@pytest.mark.parametrize(
    ("law", "mean"), [("logarithmic", 10), ("geometric", 10), ("poisson", 20), ("poisson", 100)]
)
def test_a_winner_that_is_its_own_score_stays_below_the_price(law, mean):
    pair = winners(law, mean, 1 / ONE.noise_multiplier)
    found = brentq(lambda epsilon: hockey_stick(*pair, epsilon) - DELTA, 0, 30, xtol=1e-6)
    # The price of one try, as it is often claimed for the best of many, is refuted.
    assert epsilon(ONE, "public", mean) + 0.1 < found < epsilon(ONE, law, mean)


def test_a_search_with_next_to_no_cost_is_counted_at_large_orders():
    """Beside the least over a fine grid of orders to 10^6, of the formula of [papernot2022, Theorem
    2].
    """
    a = 1 + np.geomspace(1e-2, 1e6, 200_000)
    r = a / (2 * 1e4**2)
    for law, shape in (("logarithmic", 0.0), ("half", 0.5), ("geometric", 1.0)):
        inner = np.min((1 - 1 / a) * r + selection.log_odds(law, 10) / a)
        of_best = r + (1 + shape) * inner + math.log(10) / (a - 1)
        least = np.min(of_best + np.log1p(-1 / a) - (math.log(1e-5) + np.log(a)) / (a - 1))
        found = tuning.price(gaussian(1e4), way=law, tries=10, delta=1e-5, adjacency=ADD)
        assert least <= found.epsilon < least * 1.02 + 1e-6
    found = tuning.prices(gaussian(1e4), tries=10, delta=1e-5, adjacency=ADD)
    assert found["logarithmic"].epsilon == pytest.approx(0.000501, abs=1e-6)
    assert found["poisson"].epsilon < found["all"].epsilon
