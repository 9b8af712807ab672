"""One contract over the table of accountants; basic, advanced and zCDP composition; figures of the
literature.
"""

import itertools
import math

import mpmath
import numpy as np
import pytest
from scipy.stats import norm

from dpcore import accountants, check
from dpcore.accountants import ACCOUNTANTS, BASES, advanced, basic, gdp, zcdp
from dpcore.privacy import Adjacency, BestOf, UnsupportedEventError
from tests.accounting_oracles import ADD, REPLACE, epsilon
from tests.event_builders import (
    approximate,
    bounded_range,
    gaussian,
    laplace,
    pure,
    sample,
    sampled,
    times,
    together,
)

GAUSSIAN, STEP, LAPLACE = gaussian(4.0), sampled(0.01, 4.0), laplace(20.0)
EVENTS = {
    "gaussian": GAUSSIAN,
    "laplace": LAPLACE,
    "pure": pure(0.05),
    "approximate": approximate(0.05, 1e-8),
    "sampled gaussian": STEP,
    "sampled layers": sample(0.01, times(3, GAUSSIAN)),
    "sampled laplace": sample(0.1, laplace(2.0)),
    "sampled pure": sample(0.1, pure(0.5)),
    "sampled approximate": sample(0.1, approximate(0.5, 1e-8)),
    "several": together(GAUSSIAN, LAPLACE, STEP),
}
SEARCHES = {
    "best of gaussian": BestOf(event=GAUSSIAN, law="logarithmic", tries=10),
    "best of sampled": BestOf(event=STEP, law="poisson", tries=3),
    "best of pure": BestOf(event=pure(0.05), law="geometric", tries=9),
}
SAMPLED_GAUSSIAN = ("sampled gaussian", "sampled layers", "several", "best of sampled")
# Accountants without a rule for samples.
UNSAMPLED = ("gdp", "zcdp")
PROVED = {(name, event) for name in ACCOUNTANTS for event in EVENTS if name not in UNSAMPLED}
PROVED |= {("gdp", "gaussian"), ("zcdp", "gaussian"), ("zcdp", "laplace"), ("zcdp", "pure")}
PROVED |= {(name, event) for name in ("moments", "renyi") for event in SEARCHES}
PROVED |= {
    (name, event) for name in ("basic", "advanced") for event in ("best of pure", "sampled mixture")
}
EVENTS |= SEARCHES | {"sampled mixture": sample(0.1, together(GAUSSIAN, pure(1)))}
NO_EVENTS = {"text": "noise", "nothing": None, "text among events": together(GAUSSIAN, "noise")}
CASES = sorted(PROVED)
# Rounding to a grid that depends on the event: what two ways to the same event may differ by.
TIGHT = {"pld": 2e-4, "pld-coarse": 5e-3}
PROMISE = {"delta": 1e-5, "adjacency": ADD}
TEXTBOOK = sampled(0.01, 4.0, 10_000)  # [abadi2016]
CORNERS = [*itertools.product([0.01, 1.0], [0.3, 50.0], [1, 10**5], [1e-12, 1e-2])]


@pytest.mark.parametrize(("name", "event"), CASES, ids=[f"{name}-{event}" for name, event in CASES])
class TestContract:
    def test_a_count_is_as_many_compositions(self, name, event):
        one = EVENTS[event]
        found, alone = epsilon(times(100, one), name), epsilon(one, name)
        for same in (
            together(*(one,) * 100),
            times(25, times(4, one)),
            together(times(60, one), times(40, one)),
        ):
            assert epsilon(same, name) == found
        assert found > epsilon(times(99, one), name) > alone > 0
        if name != "basic":  # whose Gaussian releases share delta
            # The improved conversion takes up to delta off epsilon, once for all and once for each
            taken_off = 100 * PROMISE["delta"] if name in ("renyi", "zcdp") else 0.0
            assert found <= 100 * alone * (1 + 1e-9) + taken_off

    def test_the_curve_is_made_of_accounts_and_rises(self, name, event):
        steps = [1, 2, 7, 100, 1000]
        curve = accountants.curve(EVENTS[event], steps, delta=1e-4, adjacency=ADD, accountant=name)
        alone = [epsilon(times(count, EVENTS[event]), name, delta=1e-4) for count in steps]
        assert curve == pytest.approx(alone, rel=1e-9)
        assert (np.diff(curve) > 0).all()

    def test_epsilon_falls_with_delta(self, name, event):
        found = [
            epsilon(times(50, EVENTS[event]), name, delta=delta) for delta in (1e-6, 1e-4, 1e-2)
        ]
        assert (np.diff(found) <= 0).all()

    def test_a_guarantee_says_what_it_is(self, name, event):
        event_name, event = event, times(3, EVENTS[event])
        found = accountants.account(event, **PROMISE, unit="party", accountant=name)
        assert (found.delta, found.adjacency, found.unit, found.event) == (
            1e-5,
            ADD,
            "party",
            event,
        )
        if name == "renyi" and event_name in SAMPLED_GAUSSIAN:
            assert found.basis == "RDP accountant (orders to 1,024)"
        else:
            assert found.basis == BASES[name]

    def test_replace_one_is_the_same_without_samples_or_refused_by_name(self, name, event):
        one = EVENTS[event]
        if "sampled" not in event and event != "several":
            assert epsilon(one, name, adjacency=REPLACE) == epsilon(one, name)
        elif name.startswith("pld") and event in ("sampled gaussian", "several"):
            assert epsilon(one, name, adjacency=REPLACE) > 0
        else:
            with pytest.raises(
                UnsupportedEventError, match=r"replace-one for PoissonSampled\(rate=0\.\d+, event="
            ):
                epsilon(one, name, adjacency=REPLACE)


@pytest.mark.parametrize("event", [*EVENTS, *NO_EVENTS])
@pytest.mark.parametrize("name", ACCOUNTANTS)
def test_what_has_no_proof_is_refused_by_name(name, event):
    one = (EVENTS | NO_EVENTS)[event]
    words = (
        "noise|None"
        if event in NO_EVENTS
        else r"(BestOf|(Laplace|Pure|Approximate)Release|PoissonSampled)\("
    )
    for refused, adjacency in (
        itertools.product((one, times(2, one)), Adjacency) if (name, event) not in PROVED else ()
    ):
        with pytest.raises(UnsupportedEventError, match=words):
            epsilon(refused, name, adjacency=adjacency)


@pytest.mark.parametrize("name", ACCOUNTANTS)
def test_bad_arguments_are_refused(name):
    with pytest.raises(check.RefusedError, match="^delta is 1.5"):
        epsilon(GAUSSIAN, name, delta=1.5)
    for steps in (0, 2.5):
        with pytest.raises(check.RefusedError, match="^steps is"):
            accountants.curve(GAUSSIAN, [1, steps], **PROMISE, accountant=name)
    with pytest.raises(check.RefusedError, match="^accountant is 'clt'.*gdp"):
        epsilon(GAUSSIAN, "clt")
    with pytest.raises(check.RefusedError, match="^bracket is"):
        accountants.calibrate(gaussian, epsilon=1.0, **PROMISE, bracket=(0.0, 1.0), accountant=name)
    zcdp.rho_of(1.0, delta=0.5)  # answers are kept
    for bad in ((True, 0.5), (1.0, True), (1.0, "a"), (-1.0, 0.5), (1.0, 0)):
        with pytest.raises(check.RefusedError, match="^(epsilon|delta) is "):
            zcdp.rho_of(bad[0], delta=bad[1])


@pytest.mark.parametrize("name", ACCOUNTANTS)
def test_no_noise_is_no_guarantee_and_a_bounded_range_a_pure_release(name):
    silent = gaussian(0)
    assert epsilon(times(3, silent), name, adjacency=REPLACE) == math.inf
    if name not in UNSAMPLED:
        assert epsilon(sample(0.1, silent), name) == math.inf
        assert epsilon(together(STEP, silent), name) == math.inf
    if name in (
        "basic",
        "advanced",
        "moments",
        "renyi",
    ):  # a bounded range is counted as the pure release that it also is
        assert epsilon(times(20, bounded_range(0.1)), name) == epsilon(times(20, pure(0.1)), name)


def test_the_same_run_by_every_theorem():
    expected = {
        "basic": 312.6,
        "advanced": 26.39,
        "moments": 1.2586,
        "renyi": 1.0355,
        "pld-coarse": 0.9477,
    }
    expected["pld"] = 0.9469
    assert {name: epsilon(TEXTBOOK, name) for name in expected} == pytest.approx(expected, rel=4e-4)
    assert list(BASES) == list(ACCOUNTANTS)


@pytest.mark.parametrize(("rate", "sigma", "steps", "delta"), CORNERS)
def test_better_theorems_give_less_to_the_far_corners(rate, sigma, steps, delta):
    event = sampled(rate, sigma, steps)
    found = {
        name: epsilon(event, name, delta=delta)
        for name in ACCOUNTANTS
        if name not in UNSAMPLED or rate == 1
    }
    assert all(math.isfinite(value) and value >= 0 for value in found.values())
    # Renyi orders end at 1024, which is felt where next to nothing is spent; so does the classic
    # conversion.
    assert found["pld"] <= found["pld-coarse"] * (1 + 1e-3) <= found["renyi"] * 1.02
    assert found["renyi"] <= found["moments"] * 1.002
    assert found["pld"] <= found["basic"] * (1 + 1e-3)
    if rate == 1:
        assert found["gdp"] == pytest.approx(found["pld"], rel=2e-4, abs=1e-4)
        assert found["gdp"] <= found["zcdp"] <= found["renyi"] * (1 + 1e-3)


@pytest.mark.parametrize("name", ACCOUNTANTS)
@pytest.mark.parametrize("target", [0.5, 8.0])
def test_calibrated_noise_and_rates_are_safe_and_tight(name, target):
    exact, near = name in UNSAMPLED, 5 * TIGHT.get(name, 1e-6)
    families = {-1: (lambda sigma: sampled(1.0 if exact else 0.02, sigma, 200), (0.3, 2000.0))}
    if not exact:
        families[1] = (lambda rate: sampled(rate, 2.0, 50), (1e-4, 1.0))
    for dearer, (family, bracket) in families.items():
        found = accountants.calibrate(
            family, epsilon=target, bracket=bracket, **PROMISE, accountant=name
        )
        assert epsilon(family(found), name) <= target
        assert found in bracket or epsilon(family(found * (1 + dearer * near)), name) > target


def test_a_bracket_that_is_safe_or_unsafe_as_a_whole():
    options = PROMISE | {"bracket": (2.0, 20.0)}
    assert accountants.calibrate(gaussian, epsilon=50.0, **options) == pytest.approx(2.0)
    with pytest.raises(check.RefusedError, match="^epsilon is 0.001, but must be at least 0.1"):
        accountants.calibrate(gaussian, epsilon=0.001, **options)


@pytest.mark.parametrize("name", ACCOUNTANTS)
@pytest.mark.parametrize("budget", [1.0, 3.3])
def test_the_most_steps(name, budget):
    event, options = gaussian(40.0) if name in UNSAMPLED else STEP, PROMISE | {"accountant": name}
    steps = accountants.most_steps(event, epsilon=budget, **options)
    within, over = accountants.curve(event, [max(steps, 1), steps + 1], **options)
    assert within <= budget < over if steps else within > budget
    assert accountants.most_steps(event, epsilon=1e-9, **options) == 0
    assert accountants.most_steps(event, epsilon=1e9, limit=50, **options) == 50


class TestBasic:
    def test_epsilons_add_up_until_delta_is_spent_and_pure_releases_need_none(self):
        each = math.sqrt(2 * math.log(1.25 / 1e-7)) / 4
        assert epsilon(TEXTBOOK, "basic") == pytest.approx(
            10_000 * math.log(1 + 0.01 * math.expm1(each))
        )
        parts = pure(0.3), laplace(2), approximate(1, 1e-6)
        assert epsilon(times(10, together(*parts)), "basic") == pytest.approx(18)
        assert epsilon(times(11, together(*parts)), "basic") == math.inf
        event, each = times(3, sample(0.5, pure(1))), math.log(1 + 0.5 * (math.e - 1))
        assert epsilon(event, "basic", delta=0) == pytest.approx(3 * each)
        assert epsilon(gaussian(1), "basic", delta=0) == math.inf
        nested = epsilon(sample(0.1, together(pure(0.5), sample(0.5, pure(1)))), "basic")
        assert nested == pytest.approx(math.log(1 + 0.1 * math.expm1(0.5 + each)))
        assert math.isfinite(
            epsilon(times(50, sample(0.1, approximate(1, 1e-6))), "basic")
        )  # delta is sampled too

    @pytest.mark.parametrize("delta", [1e-14, 1e-9, 1e-5, 0.1])
    @pytest.mark.parametrize("multiplier", [0.05, 0.3, 0.7, 1.0, 4.0, 50.0])
    def test_the_price_of_one_gaussian_release_is_safe(self, multiplier, delta):
        found, mu = float(basic.textbook_epsilon(multiplier, np.array(delta))), 1 / multiplier
        assert gdp.delta_of(found, mu=mu) <= delta
        assert found <= 1.3 * max(
            gdp.epsilon_of(delta, mu=mu), math.sqrt(2 * math.log(1.25 / delta)) / multiplier
        )
        assert norm.sf(found * multiplier - 0.5 / multiplier) <= delta * (
            1 + 1e-9
        )  # the loss exceeds it that rarely

    @pytest.mark.parametrize("rate", [1e-6, 0.01, 0.5, 1.0])
    @pytest.mark.parametrize("epsilon", [1e-9, 0.1, 0.999, 1.0, 30.0, 2000.0])
    def test_amplification_is_that_of_sampled_randomised_response(self, rate, epsilon):
        """The bit is told rightly with probability p; who is not sampled answers as if there were
        no such person.
        """
        with mpmath.workdps(1000):
            p = 1 / (1 + mpmath.exp(-mpmath.mpf(epsilon)))
            exact = float(mpmath.log((rate * p + (1 - mpmath.mpf(rate)) * (1 - p)) / (1 - p)))
        assert float(basic.amplified(rate, np.array(epsilon))) == pytest.approx(exact, rel=1e-12)


class TestAdvanced:
    def test_it_is_the_best_split_of_delta(self):
        def by_hand(part):
            """10,000 samples of rate .01 with noise 4, ``part`` of delta 1e-5 paying for the
            composition.
            """
            each = math.sqrt(2 * math.log(1.25 / ((1 - part) * 1e-5 / 100))) / 4
            each = math.log(1 + 0.01 * math.expm1(each))
            return math.sqrt(2e4 * math.log(1 / (part * 1e-5))) * each + 1e4 * each * math.expm1(
                each
            )

        least = min(by_hand(part) for part in np.linspace(0.0005, 0.9995, 2000))
        assert epsilon(TEXTBOOK, "advanced") == pytest.approx(least, rel=1e-5)
        event = together(times(50, pure(0.1)), pure(0.5))
        squares, drift = 50 * 0.01 + 0.25, 50 * 0.1 * math.expm1(0.1) + 0.5 * math.expm1(0.5)
        assert epsilon(event, "advanced") == pytest.approx(
            math.sqrt(2 * math.log(1e5) * squares) + drift, rel=1e-12
        )

    def test_the_published_figure_is_no_accountant(self):
        for event, count in ((STEP, 10_000), (times(100, STEP), 100)):
            assert advanced.as_published(event, [count], delta=1e-5)[0] == pytest.approx(
                9.339, abs=5e-4
            )
        assert advanced.as_published not in ACCOUNTANTS.values()
        each = math.sqrt(2 * math.log(1.25 * 2 * 100 / 1e-5)) / 4
        assert 0.01 * each < float(
            basic.amplified(0.01, np.array(each))
        )  # its amplification is too good
        with pytest.raises(UnsupportedEventError, match=r"PureRelease\(epsilon=1\)"):
            advanced.as_published(pure(1), [1], delta=1e-5)
        assert advanced.as_published(gaussian(0), [1], delta=1e-5)[0] == math.inf


class TestZcdp:
    @staticmethod
    def rho_needed(p, q):
        """The largest D_a(P || Q) / a over orders, from the definition."""
        orders = np.concatenate([1 + np.geomspace(1e-3, 1, 20), np.linspace(2.5, 60, 30)])
        return max(math.log((p**a * q ** (1 - a)).sum()) / (a - 1) / a for a in orders)

    def test_pure_releases_cost_half_their_square_and_bounded_ranges_an_eighth(self):
        for size in (0.1, 1.0, 3.0):
            p = np.array([math.exp(size), 1]) / (1 + math.exp(size))
            assert self.rho_needed(p, p[::-1]) <= zcdp.rho_of_event(pure(size))
        rng, epsilon = np.random.default_rng(0), 0.3
        rho, pairs = (
            zcdp.rho_of_event(bounded_range(epsilon)),
            [(np.array([0.15, -0.15]), np.zeros(2))],
        )
        for trial in range(300):
            k = int(rng.integers(2, 8))
            moves = rng.uniform(0, epsilon, k) if trial % 2 else epsilon * rng.integers(0, 2, k)
            scores = rng.normal(scale=2 * rng.random(), size=k)
            pairs.append((scores + moves, scores))
        needed = [self.rho_needed(*(np.exp(s) / np.exp(s).sum() for s in pair)) for pair in pairs]
        assert 0.97 * rho < max(needed) <= rho * (1 + 1e-9)

    @pytest.mark.parametrize("delta", [1e-9, 1e-5, 1e-2])
    @pytest.mark.parametrize("noise", [0.4, 1.0, 5.0, 50.0])
    def test_the_conversion_lies_above_the_exact_gaussian_and_below_the_classic(self, noise, delta):
        rho = zcdp.rho_of_event(gaussian(noise))
        found = zcdp.epsilon_of(rho, delta=delta)
        assert (
            epsilon(gaussian(noise), delta=delta) <= found <= zcdp.classic_epsilon(rho, delta=delta)
        )
        orders = 1 + np.geomspace(1e-3, 1e5, 400_000)
        least = (
            rho * orders + np.log1p(-1 / orders) - (math.log(delta) + np.log(orders)) / (orders - 1)
        ).min()
        assert least - 1e-9 <= found == pytest.approx(max(least, 0), rel=1e-3, abs=1e-12)

    @pytest.mark.parametrize("delta", [1e-9, 1e-6, 1e-2])
    @pytest.mark.parametrize("epsilon", [0.01, 0.05, 1.0, 8.0, 50.0])
    def test_the_budget_is_never_overspent(self, epsilon, delta):
        found = zcdp.epsilon_of(zcdp.rho_of(epsilon, delta=delta), delta=delta)
        assert epsilon * (1 - 1e-9) <= found <= epsilon

    def test_events_add_up(self):
        one, two = bounded_range(0.2), gaussian(3.0)
        event = together(two, times(50, one), laplace(2.0))
        assert zcdp.rho_of_event(event) == pytest.approx(1 / 18 + 50 * 0.04 / 8 + 1 / 8)
        held = accountants.account(event, delta=1e-6, adjacency=ADD, accountant="zcdp")
        assert (held.delta, held.adjacency, held.basis, held.event) == (
            1e-6,
            ADD,
            BASES["zcdp"],
            event,
        )
        assert epsilon(gaussian(0), "zcdp") == math.inf
        assert epsilon(pure(1e200), "zcdp") == math.inf  # whose square is no float
        for unknown in (approximate(1, 1e-6), sampled(0.1, 1)):
            with pytest.raises(UnsupportedEventError, match="no rho"):
                epsilon(unknown, "zcdp")
