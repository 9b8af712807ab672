"""Lower bounds on epsilon hold as often as they say, and come near."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.accountants import gdp
from dpcore.attacks import audit
from dpcore.attacks.audit import clopper_pearson
from dpcore.attacks.lower_bound import GAUSSIAN_CURVE, LowerBound
from dpcore.mechanisms import Laplace
from dpcore.privacy import Adjacency, Guarantee, PureRelease

# Negated scores may have their threshold beside that of the scores.
NEGATION_ERROR = 0.02
# Epsilons are documented with three decimals.
THREE_DECIMALS = 1e-3

FORMS = pytest.mark.parametrize("form", ["count", "gaussian"])
REPLACE = Adjacency.REPLACE_ONE
DELTA = 1e-5


def bound(scores_in, scores_out, *, delta: float = DELTA, form="count", **options) -> LowerBound:
    """Return the lower bound on epsilon under replace-one from scores with and without a canary."""
    return audit.epsilon_lower_bound(
        scores_in, scores_out, delta=delta, adjacency=REPLACE, form=form, **options
    )


# --- Rates ----------------------------------------------------------------------------------------

RATES = pytest.mark.parametrize(
    ("hits", "trials", "confidence"),
    [
        pytest.param(0, 1, 0.975, id="no hit in 1"),
        pytest.param(1, 1, 0.975, id="1 hit in 1"),
        pytest.param(0, 10, 0.8, id="no hit in 10"),
        pytest.param(3, 10, 0.8, id="3 hits in 10"),
        pytest.param(10, 10, 0.8, id="10 hits in 10"),
        pytest.param(0, 1000, 0.975, id="no hit in 1000"),
        pytest.param(333, 1000, 0.975, id="333 hits in 1000"),
        pytest.param(1000, 1000, 0.975, id="1000 hits in 1000"),
    ],
)


@RATES
def test_the_bounds_on_a_rate_enclose_it(hits, trials, confidence):
    low, high = clopper_pearson(hits, trials, confidence=confidence)

    assert 0 <= low <= hits / trials <= high <= 1


@RATES
def test_a_result_as_extreme_is_as_improbable_at_the_bounds_as_they_say(hits, trials, confidence):
    low, high = clopper_pearson(hits, trials, confidence=confidence)

    if hits > 0:
        assert stats.binom.sf(hits - 1, trials, low) == pytest.approx(1 - confidence)
    if hits < trials:
        assert stats.binom.cdf(hits, trials, high) == pytest.approx(1 - confidence)


# --- How often bounds hold, and how near they come ------------------------------------------------


def audits_of_gaussian(form: str, runs: int, epsilon: float, *, audits: int) -> np.ndarray:
    """Return the bounds of many audits of a mechanism that is exactly Gaussian."""
    rng = np.random.default_rng([int(epsilon), len(form), runs])
    mu = gdp.mu_of(epsilon, delta=DELTA)
    bounds = []
    for _ in range(audits):
        scores_in, scores_out = rng.normal([[mu], [0]], size=(2, runs))
        bounds.append(bound(scores_in, scores_out, form=form).epsilon)
    return np.array(bounds)


# The share of epsilon that half of all audits at 95 % confidence show at least. Simulated, rounded
# down, and tested.
@pytest.mark.parametrize(
    ("form", "runs", "epsilon", "share"),
    [
        ("count", 2_000, 1.0, 0.05),
        ("count", 2_000, 8.0, 0.30),
        ("gaussian", 2_000, 1.0, 0.25),
        ("gaussian", 2_000, 8.0, 0.82),
        ("count", 20_000, 4.0, 0.46),
        ("gaussian", 20_000, 4.0, 0.91),
    ],
)
def test_bounds_exceed_epsilon_in_one_of_twenty_audits_and_come_near(form, runs, epsilon, share):
    audits = 30
    most_above = stats.binom.isf(1e-3, audits, 0.05)
    if runs == 2_000:
        audits = 400
        most_above = 0.05 * audits

    bounds = audits_of_gaussian(form, runs, epsilon, audits=audits)

    assert np.sum(bounds > epsilon) <= most_above
    assert share < np.median(bounds) / epsilon < 1


def laplace_scores(rng: np.random.Generator) -> list[np.ndarray]:
    """Return the log likelihood ratios of 2,000 outputs in each of two worlds, at epsilon 1."""
    mechanism = Laplace(sensitivity=1, epsilon=1)
    scores = []
    for value in (1.0, 0.0):
        outputs = mechanism.release(np.full(2000, value), rng)
        scores.append(np.abs(outputs) - np.abs(outputs - 1))
    return scores


def answer_scores(rng: np.random.Generator) -> list[np.ndarray]:
    """Return 2,000 randomised answers in each of two worlds, at epsilon 1."""
    truth_probability = math.e / (1 + math.e)
    scores = []
    for truth in (1, 0):
        is_true = rng.random(2000) < truth_probability
        scores.append(np.where(is_true, truth, 1.0 - truth))
    return scores


PURE_MECHANISMS = pytest.mark.parametrize(
    "scores_of",
    [
        pytest.param(laplace_scores, id="Laplace"),
        pytest.param(answer_scores, id="randomised response"),
    ],
)


def hundred_audits(scores_of, form: str) -> list[LowerBound]:
    """Return the audits of a mechanism that spends epsilon 1, all of it and no more."""
    bounds = []
    for seed in range(100):
        scores_in, scores_out = scores_of(np.random.default_rng(seed))
        bounds.append(bound(scores_in, scores_out, form=form))
    return bounds


@FORMS
@PURE_MECHANISMS
def test_at_most_five_of_a_hundred_audits_refute_a_correct_mechanism(scores_of, form):
    event = PureRelease(epsilon=1.0)
    claim = Guarantee(
        epsilon=1.0, delta=DELTA, adjacency=REPLACE, unit="record", basis="claimed", event=event
    )

    bounds = hundred_audits(scores_of, form)

    assert sum(found.refutes(claim) for found in bounds) <= 5


@PURE_MECHANISMS
def test_counts_show_most_of_the_epsilon_of_a_pure_mechanism(scores_of):
    bounds = hundred_audits(scores_of, "count")

    assert np.median([found.epsilon for found in bounds]) > 0.7


@PURE_MECHANISMS
def test_a_pure_mechanism_taken_as_gaussian_shows_more_than_it_spends(scores_of):
    bounds = hundred_audits(scores_of, "gaussian")

    assert sum(found.epsilon > 1 for found in bounds) >= 95


# --- Thresholds -----------------------------------------------------------------------------------


def test_the_threshold_is_not_chosen_on_the_scores_that_test_it():
    """The halves are told apart perfectly, but that of the first says "in" to all of the second."""
    scores = np.linspace(0, 1, 500)
    scores_in = np.append(scores + 9, scores + 109)
    scores_out = np.append(scores - 9, scores + 91)

    assert bound(scores_in, scores_out).epsilon == 0


SAME = np.random.default_rng(0).normal(size=(2, 2000))


@FORMS
@pytest.mark.parametrize(
    "scores",
    [
        pytest.param(SAME, id="the same law"),
        pytest.param(-np.abs(SAME), id="the same law, below 0"),
        pytest.param(np.zeros((2, 50)), id="the same number"),
    ],
)
def test_uninformative_scores_bound_nothing(scores, form):
    assert bound(*scores, form=form).epsilon < 0.2


@FORMS
def test_negated_scores_bound_as_much(form):
    scores = np.random.default_rng(1).normal([[3.0], [0.0]], size=(2, 4000))

    epsilon = bound(*scores, form=form).epsilon

    assert epsilon > 1
    assert epsilon == pytest.approx(bound(*-scores, form=form).epsilon, rel=NEGATION_ERROR)


@FORMS
def test_low_scores_may_mean_in(form):
    assert bound(np.zeros(100), np.ones(100), form=form).epsilon > 2


@pytest.mark.parametrize("sign", [1, -1])
def test_the_last_digits_of_a_sum_are_no_score(sign):
    """Past both centres a Laplace score is the same but for the rounding of the sum."""
    scores = np.resize([5.0, 1.0], 2000)

    by_last_digit = bound(sign * np.nextafter(scores, 9), sign * scores)
    by_more = bound(sign * (scores + 1e-7), sign * scores)

    assert by_last_digit.epsilon == 0
    assert by_more.epsilon > 3


def test_a_perfect_attack_shows_what_the_number_of_runs_allows():
    rate, _ = clopper_pearson(1000, 1000, confidence=1 - 0.05 / 2)
    most = math.log(rate / (1 - rate))

    epsilon = bound(np.arange(2000) + 1e6, np.arange(2000), delta=0).epsilon

    assert 0.98 * most < epsilon <= most


@pytest.mark.parametrize(
    ("influence", "epsilon"), [(1, 4), (0.5, 1.827), (0.25, 0.850), (0.1, 0.313)]
)
def test_a_canary_with_less_influence_gives_a_smaller_lower_bound(influence, epsilon):
    shown = audit.detectable_epsilon(4.0, delta=DELTA, influence=influence)

    assert shown == pytest.approx(epsilon, abs=THREE_DECIMALS)


def test_a_larger_delta_gives_a_smaller_lower_bound():
    scores = np.random.default_rng(0).normal([[1.0], [0.0]], size=(2, 4000))

    epsilons = [bound(*scores, delta=delta).epsilon for delta in (0, 0.05, 0.3)]

    assert epsilons == sorted(epsilons, reverse=True)
    assert len(set(epsilons)) == 3


def test_a_bound_states_its_conditions():
    found = bound(np.ones(30), np.zeros(20), delta=1e-3, confidence=0.9, unit="party")

    assert found.delta == 1e-3
    assert found.confidence == 0.9
    assert found.unit == "party"
    assert found.trials == 50
    assert found.adjacency == REPLACE
    assert found.assumes == ""


def test_a_gaussian_bound_states_its_assumption():
    assert bound(np.ones(30), np.zeros(20), form="gaussian").assumes == GAUSSIAN_CURVE


BAD_SCORES = [[0.0, math.nan, 1.0], [0.0, math.inf], [], [1.0], [[0.0, 1.0]]]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("scores_in", scores) for scores in BAD_SCORES),
        *(("scores_out", scores) for scores in BAD_SCORES),
        ("form", "guess"),
        ("confidence", 1),
        ("confidence", 95),
    ],
)
def test_bad_arguments_are_refused_by_name(name, value):
    arguments = {"scores_in": np.ones(9), "scores_out": np.zeros(9), name: value}

    with pytest.raises(check.RefusedError, match=f"^{name} is "):
        bound(**arguments)


# --- Canaries -------------------------------------------------------------------------------------


def without_outliers(world: np.ndarray) -> np.ndarray:
    """Return the rows within three standard deviations, as a filter before the noise leaves them."""
    return world[np.abs(world - world.mean()) < 3 * world.std()]


@pytest.mark.parametrize(
    ("rows_of", "has_effect"),
    [
        pytest.param(lambda world: world, True, id="kept"),
        pytest.param(without_outliers, False, id="filtered"),
    ],
)
def test_a_canary_that_a_filter_drops_has_no_effect(rows_of, has_effect):
    rows = np.random.default_rng(0).normal(size=50)
    noise = np.random.default_rng(1).normal(size=50)

    scores_in, scores_out = (
        rows_of(np.append(rows, canary)).mean() + noise for canary in (9.0, -9.0)
    )

    assert audit.canary_has_effect(scores_in, scores_out) == has_effect


@pytest.mark.parametrize(("changed_runs", "has_effect"), [(10, False), (11, True)])
def test_one_changed_run_in_a_hundred_is_no_effect(changed_runs, has_effect):
    is_changed = np.arange(1000) < changed_runs

    assert audit.canary_has_effect(np.zeros(1000), is_changed) == has_effect


# --- Outliers -------------------------------------------------------------------------------------


def clear_scores(form: str) -> dict[str, np.ndarray]:
    """Return scores of two worlds that are far apart."""
    rng = np.random.default_rng(0)
    if form == "count":
        return {"in": 1 + 0.1 * rng.laplace(size=5000), "out": 0.1 * rng.laplace(size=5000)}
    return {"in": rng.normal(5, 1, size=5000), "out": rng.normal(size=5000)}


@FORMS
@pytest.mark.parametrize("world", ["in", "out"])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("index", [0, 4999], ids=["choosing", "testing"])
@pytest.mark.parametrize("size", [1e11, 1e300])
def test_one_score_of_any_size_takes_less_than_a_fifth_off_the_bound(
    form, world, sign, index, size
):
    scores = clear_scores(form)
    without = bound(scores["in"], scores["out"], form=form).epsilon

    scores[world][index] = sign * size

    assert without > 5
    assert bound(scores["in"], scores["out"], form=form).epsilon > 0.8 * without


@FORMS
def test_two_scores_in_a_thousand_of_any_size_take_less_than_half_off_the_bound(form):
    scores = clear_scores(form)
    without = bound(scores["in"], scores["out"], form=form).epsilon
    rng = np.random.default_rng(1)
    outliers = 10.0 ** rng.uniform(5, 300, size=5000) * rng.choice([-1, 1], size=5000)

    for world in scores.values():
        is_outlier = rng.random(5000) < 0.002
        world[is_outlier] = outliers[is_outlier]

    assert bound(scores["in"], scores["out"], form=form).epsilon > 0.5 * without


def test_bounds_hold_as_often_for_scores_that_are_stretched():
    """The outputs of a correct Laplace mechanism, some of them stretched to any size."""
    rng = np.random.default_rng(0)
    above = 0
    for _ in range(400):
        outputs = rng.laplace([[1], [0]], size=(2, 1000))
        stretched = outputs * 10.0 ** (rng.pareto(0.5, size=outputs.shape).clip(max=200))
        above += bound(*stretched, delta=0).epsilon > 1

    assert above <= 0.05 * 400


def test_the_last_digits_beside_outliers_are_no_score():
    scores = np.random.default_rng(0).normal(size=5000)
    with_other_digits = np.nextafter(scores, np.inf)
    scores[::100] = 1e10
    with_other_digits[::100] = 1e10

    assert bound(with_other_digits, scores).epsilon < 0.2


def test_the_last_digits_of_equal_scores_are_no_score():
    assert bound(np.full(5000, 0.1 + 0.2), np.full(5000, 0.3)).epsilon == 0


def test_a_tiny_difference_beside_large_scores_is_no_score():
    is_one = np.arange(5000) % 10 < 3

    assert bound(np.full(5000, 1e-17) + is_one, is_one * 1.0).epsilon == 0


@pytest.mark.parametrize("exponent", [-1070, -60, 0, 30, 1024])
def test_rounding_never_changes_the_order_and_keeps_nine_digits(exponent):
    rng = np.random.default_rng(0)
    of_all_sizes = rng.choice([-1, 1], 10_000) * 10.0 ** rng.uniform(-20, 20, 10_000)
    next_ones = np.nextafter(of_all_sizes, np.inf)
    powers = 2.0 ** np.arange(-60, 60)
    scores = np.sort(np.concatenate([of_all_sizes, next_ones, powers, [0.0]]))

    rounded = audit._rounded(scores, exponent)

    sizes = np.maximum(np.abs(scores), 2.0 ** min(exponent, 1023))
    assert (np.diff(rounded) >= 0).all()
    assert (np.abs(rounded - scores) <= sizes * 2.0**-29).all()


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        pytest.param(0.5, 0.0, math.inf, id="no false alarm is possible"),
        pytest.param(0.0, 0.5, 0.0, id="no hit is sure"),
        pytest.param(0.0, 0.0, 0.0, id="neither"),
    ],
)
def test_extreme_rates_give_an_infinite_lower_bound_or_none(p, q, expected):
    assert audit._epsilons(p, q, delta=0.0) == expected
    assert audit._epsilons(np.array([p]), np.array([q]), delta=0.0) == expected
    assert max(audit._mus(p, q), 0.0) == expected
