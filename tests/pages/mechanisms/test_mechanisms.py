"""One released number: its closed forms by another library, attacks carried out, and selection."""

import math
from functools import cache

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import gdp
from pages.mechanisms import charts
from pages.mechanisms.output_pair import promised_false_negative_rates
from pages.mechanisms.settings import NUMBER_MECHANISMS, RELEASED, MechanismsSettings
from tests.oracles import win_probabilities
from tests.ui.charts.test_topic_charts import numbers

# Formulas of another library in double precision.
ROUNDING = 1e-9
# Sums of numbers near 1 that are nearly 0.
ROUNDING_NEAR_0 = 1e-12
# Calibrated noise and a smallest delta are searched to so many digits.
SEARCH_ERROR = 1e-6
# Three standard errors of a share near 9 in 10 of 4,000 releases.
CHANCE_IN_4000 = 0.015
# More than four standard errors of a share of 200,000 releases.
CHANCE_IN_200_000 = 0.005
# The best threshold lies between those that are tried.
GRID_OF_THRESHOLDS = 1e-4
# The epsilon is given with one decimal.
ONE_DECIMAL = 0.05
# The factor of the root is given with five digits.
FACTOR_ROUNDING = 1e-3
# Win probabilities are integrated numerically.
QUADRATURE_ERROR = 1e-4
# Charts hold seven digits.
SINGLE_PRECISION = 1e-5

EPSILONS = (0.01, 1.0, 8.0, 150.0)
DELTA = 1e-5


def result_of(mechanism="laplace", epsilon=1.0, **changes):
    """Return the result of one released number by a mechanism, with ``changes`` of settings."""
    return MechanismsSettings(mechanism=mechanism, epsilon=epsilon, **changes).experiment.run()


def noise_of(pair):
    """Return the distribution of the noise by another library."""
    if pair.family == "laplace":
        return stats.laplace(scale=pair.scale)
    return stats.norm(scale=pair.scale)


def outputs_of(pair):
    """Return outputs around both true numbers."""
    return np.linspace(
        pair.value - 5 * pair.scale, pair.value + pair.sensitivity + 5 * pair.scale, 41
    )


CLAIMED = [(name, epsilon) for name in NUMBER_MECHANISMS for epsilon in EPSILONS]


@pytest.fixture(scope="module", params=CLAIMED, ids=str)
def result(request):
    """Return the result of each mechanism at each epsilon, in turn."""
    mechanism, epsilon = request.param
    return result_of(mechanism, epsilon, sensitivity=2.5)


@pytest.fixture(scope="module", params=[case for case in CLAIMED if case[1] < 100], ids=str)
def moderate_result(request):
    """A result at an epsilon for which the other library has enough digits."""
    mechanism, epsilon = request.param
    return result_of(mechanism, epsilon, sensitivity=2.5)


HOLDING = [case for case in CLAIMED if case[0] != "classical" or case[1] < 8.42]


@pytest.fixture(scope="module", params=HOLDING, ids=str)
def holding_result(request):
    """A result whose claim holds."""
    mechanism, epsilon = request.param
    return result_of(mechanism, epsilon, sensitivity=2.5)


class TestOutputPair:
    def test_densities_are_those_of_the_noise(self, result):
        pair, noise = result.pair, noise_of(result.pair)
        x = outputs_of(pair)

        densities = pair.densities(x)

        without_you = noise.pdf(x - pair.value)
        with_you = noise.pdf(x - pair.value - pair.sensitivity)
        np.testing.assert_allclose(densities, [without_you, with_you], rtol=ROUNDING)

    def test_the_privacy_loss_is_the_log_ratio_of_the_densities(self, result):
        pair, noise = result.pair, noise_of(result.pair)
        x = outputs_of(pair)

        losses = pair.privacy_loss(x)

        log_with_you = noise.logpdf(x - pair.value - pair.sensitivity)
        log_without_you = noise.logpdf(x - pair.value)
        atol = 1e-9 * result.settings.epsilon
        np.testing.assert_allclose(losses, log_with_you - log_without_you, rtol=ROUNDING, atol=atol)

    def test_quantiles_are_those_of_the_noise(self, result):
        pair, noise = result.pair, noise_of(result.pair)
        shares = np.array([0.001, 0.3, 0.5, 0.95])

        quantiles = pair.noise_quantile(shares)

        np.testing.assert_allclose(
            pair.scale * quantiles, noise.ppf(shares), rtol=ROUNDING, atol=ROUNDING_NEAR_0
        )

    def test_the_distribution_function_is_the_inverse_of_the_quantiles(self, result):
        shares = np.array([0.001, 0.3, 0.5, 0.95])

        quantiles = result.pair.noise_quantile(shares)

        np.testing.assert_allclose(result.pair.noise_cdf(quantiles), shares, rtol=ROUNDING)

    def test_nine_releases_in_ten_are_within_the_error(self, result):
        noise, error = noise_of(result.pair), result.pair.error

        share = noise.cdf(error) - noise.cdf(-error)

        assert share == pytest.approx(0.9)

    def test_a_loss_above_epsilon_has_the_probability_of_outputs_above_a_threshold(
        self, moderate_result
    ):
        epsilon = moderate_result.settings.epsilon
        pair, noise = moderate_result.pair, noise_of(moderate_result.pair)

        chances = pair.chance_above(epsilon)

        beyond_value = pair.output_at(epsilon) - pair.value
        expected = (noise.sf(beyond_value), noise.sf(beyond_value - pair.sensitivity))
        assert chances == pytest.approx(expected, rel=ROUNDING, abs=1e-300)

    def test_delta_is_the_largest_excess_of_any_threshold(self, moderate_result):
        epsilon = moderate_result.settings.epsilon
        pair, noise = moderate_result.pair, noise_of(moderate_result.pair)
        cuts = pair.output_at(epsilon) + pair.scale * np.append(np.linspace(-3, 3, 201), 0)
        without_you = noise.sf(cuts - pair.value)
        with_you = noise.sf(cuts - pair.value - pair.sensitivity)

        needed_delta = moderate_result.claim.needed_delta

        excess = with_you - math.exp(epsilon) * without_you
        assert needed_delta == pytest.approx(excess[-1], rel=SEARCH_ERROR, abs=1e-13)
        assert needed_delta >= excess.max() - 1e-13

    def test_a_loss_beyond_epsilon_has_the_same_probability_without_you_and_with_you(
        self, moderate_result
    ):
        epsilon = moderate_result.settings.epsilon
        pair, noise = moderate_result.pair, noise_of(moderate_result.pair)

        chance = pair.chance_beyond(epsilon)

        for truth in (pair.value, pair.value + pair.sensitivity):
            below = noise.cdf(pair.output_at(-epsilon) - truth)
            above = noise.sf(pair.output_at(epsilon) - truth)
            expected = below + above
            if moderate_result.settings.mechanism == "laplace":
                expected = 0.0
            assert chance == pytest.approx(expected, rel=ROUNDING)

    def test_only_the_textbook_formula_at_large_epsilon_breaks_its_claim(self, holding_result):
        assert holding_result.claim.holds

    def test_no_test_beats_a_claim_that_holds(self, holding_result):
        curve = holding_result.trade_off

        assert (curve.false_negative_rates >= curve.promised - 1e-9).all()

    def test_no_attacker_beats_a_guarantee_that_holds(self, holding_result):
        bound = holding_result.guarantee.attacker_accuracy

        assert holding_result.pair.balanced_accuracy <= bound + 1e-12


class TestTradeOff:
    def test_laplace_noise_has_the_curve_of_theory(self):
        """1 - e^eps a up to e^-eps/2, then e^-eps/(4a) up to 1/2, then e^-eps (1 - a)."""
        result = result_of("laplace", 1.3)
        e = math.exp(1.3)
        a = result.trade_off.false_positive_rates[1:]

        curve = result.trade_off.false_negative_rates[1:]

        above_half = (1 - a) / e
        theory = np.where(a < 0.5, 1 / (4 * e * a), above_half)
        theory = np.where(a < 1 / (2 * e), 1 - e * a, theory)
        np.testing.assert_allclose(curve, theory, rtol=ROUNDING, atol=ROUNDING_NEAR_0)

    def test_gaussian_noise_has_the_curve_of_its_mu(self):
        mu = gdp.mu_of(2.0, delta=DELTA)
        a = np.linspace(0.01, 0.99, 50)

        curve = result_of("gaussian", 2.0).pair.false_negative_rates(a)

        np.testing.assert_allclose(curve, stats.norm.cdf(stats.norm.isf(a) - mu), rtol=ROUNDING)

    @pytest.mark.parametrize(
        ("mechanism", "expected"),
        [
            pytest.param("laplace", 1 - math.exp(-2.0 / 2) / 2, id="laplace"),
            pytest.param(
                "gaussian", stats.norm.cdf(gdp.mu_of(2.0, delta=DELTA) / 2), id="gaussian"
            ),
        ],
    )
    def test_the_best_attacker_has_the_accuracy_of_theory(self, mechanism, expected):
        accuracy = result_of(mechanism, 2.0).pair.balanced_accuracy

        assert accuracy == pytest.approx(expected)

    def test_an_attacker_with_a_strong_prior_ignores_the_output(self):
        attack = result_of("laplace", 1.0).pair.best_attack(0.1)

        assert attack == pytest.approx((0, 1, 0.9))

    def test_a_broken_claim_shows_in_the_trade_off(self):
        rates = np.geomspace(1e-12, 0.5, 400)
        promised = promised_false_negative_rates(rates, epsilon=20.0, delta=DELTA)

        curve = result_of("classical", 20.0).pair.false_negative_rates(rates)

        assert (curve < promised - 1e-6).any()


@cache
def release_errors(mechanism):
    """Return the noise of releases with 4,000 seeds."""
    truth = 41
    results = [result_of(mechanism, seed=seed) for seed in range(4000)]
    return np.array([result.release.output for result in results]) - truth


@pytest.mark.parametrize("mechanism", NUMBER_MECHANISMS)
class TestSimulatedReleases:
    def test_releases_follow_the_density(self, mechanism):
        """Kolmogorov and Smirnov over 4,000 seeds."""
        pair = result_of(mechanism).pair

        errors = release_errors(mechanism)

        assert stats.kstest(errors, noise_of(pair).cdf).pvalue > 0.01

    def test_nine_simulated_releases_in_ten_are_within_the_error(self, mechanism):
        error = result_of(mechanism).pair.error

        errors = release_errors(mechanism)

        assert np.mean(np.abs(errors) <= error) == pytest.approx(0.9, abs=CHANCE_IN_4000)

    def test_a_release_keeps_its_quantile_while_epsilon_moves(self, mechanism):
        truth = 41
        first = result_of(mechanism, 1.0, seed=0)
        second = result_of(mechanism, 2.0, seed=0)

        ratio = second.pair.scale / first.pair.scale

        first_error = first.release.output - truth
        assert second.release.output - truth == pytest.approx(ratio * first_error)

    def test_threshold_tests_lie_on_the_trade_off_curve(self, mechanism):
        result, without_you, with_you = simulated(mechanism)
        cuts = np.array([39.0, 40.5, 42.0])
        false_positive_rates = (without_you > cuts[:, None]).mean(axis=1)

        false_negative_rates = result.pair.false_negative_rates(false_positive_rates)

        measured = (with_you <= cuts[:, None]).mean(axis=1)
        assert measured == pytest.approx(false_negative_rates, abs=CHANCE_IN_200_000)

    def test_the_best_attack_has_the_stated_error_rates(self, mechanism):
        prior = 0.3
        result, without_you, with_you = simulated(mechanism)

        attack = result.pair.best_attack(prior)
        says_in_without_you = result.pair.posterior(without_you, prior) > 0.5
        says_in_with_you = result.pair.posterior(with_you, prior) > 0.5

        true_positive_rate = 1 - attack.false_negative_rate
        assert says_in_without_you.mean() == pytest.approx(
            attack.false_positive_rate, abs=CHANCE_IN_200_000
        )
        assert says_in_with_you.mean() == pytest.approx(true_positive_rate, abs=CHANCE_IN_200_000)

    def test_no_other_threshold_is_better_than_the_best_attack(self, mechanism):
        prior = 0.3
        pair = result_of(mechanism, 2.0).pair
        attack = pair.best_attack(prior)

        rates = np.linspace(0, 1, 501)
        accuracies = (1 - prior) * (1 - rates) + prior * (1 - pair.false_negative_rates(rates))

        right_out = (1 - prior) * (1 - attack.false_positive_rate)
        right_in = prior * (1 - attack.false_negative_rate)
        assert attack.accuracy == pytest.approx(right_out + right_in)
        assert accuracies.max() - 1e-12 <= attack.accuracy
        assert attack.accuracy == pytest.approx(accuracies.max(), abs=GRID_OF_THRESHOLDS)


def simulated(mechanism):
    """Return a result, and 200,000 simulated releases without you and with you."""
    result = result_of(mechanism, 2.0, prior=0.3)
    noise = noise_of(result.pair).rvs(size=(2, 200_000), random_state=5)
    without_you = result.settings.value + noise[0]
    with_you = result.settings.value + result.settings.sensitivity + noise[1]
    return result, without_you, with_you


@pytest.mark.parametrize("prior", [0.01, 0.5, 0.99])
class TestPosterior:
    def test_the_posterior_is_that_of_bayes(self, prior):
        result = result_of("laplace", 1.0, prior=prior)
        outputs = np.linspace(30, 50, 201)

        posteriors = result.pair.posterior(outputs, prior)

        without_you, with_you = result.pair.densities(outputs)
        bayes = prior * with_you / (prior * with_you + (1 - prior) * without_you)
        np.testing.assert_allclose(posteriors, bayes)

    def test_the_posterior_after_the_release_is_that_of_its_output(self, prior):
        result = result_of("laplace", 1.0, prior=prior)

        posterior = result.pair.posterior(result.release.output, prior)

        assert result.release.posterior == pytest.approx(posterior)

    def test_the_posterior_stays_in_its_range(self, prior):
        result = result_of("laplace", 1.0, prior=prior)

        posteriors = result.pair.posterior(np.linspace(30, 50, 201), prior)

        low, high = result.posterior_range(prior)
        assert ((posteriors >= low - 1e-12) & (posteriors <= high + 1e-12)).all()

    def test_the_range_changes_the_odds_by_e_to_the_epsilon(self, prior):
        low, high = result_of("laplace", 1.0, prior=prior).posterior_range(prior)

        odds = prior / (1 - prior)
        assert low / (1 - low) == pytest.approx(odds / math.e)
        assert high / (1 - high) == pytest.approx(odds * math.e)


class TestClaims:
    @pytest.mark.parametrize("epsilon", EPSILONS)
    def test_exact_gaussian_noise_needs_the_claimed_delta(self, epsilon):
        claim = result_of("gaussian", epsilon).claim

        assert claim.needed_delta == pytest.approx(DELTA, rel=SEARCH_ERROR)

    @pytest.mark.parametrize(
        ("epsilon", "holds"),
        [pytest.param(8.41, True, id="below"), pytest.param(8.43, False, id="above")],
    )
    def test_the_textbook_formula_holds_up_to_an_epsilon(self, epsilon, holds):
        assert result_of("classical", epsilon).claim.holds == holds

    def test_the_textbook_formula_gives_much_more_at_a_large_claim(self):
        guarantee = result_of("classical", 150.0).guarantee

        assert guarantee.epsilon == pytest.approx(610.4, abs=ONE_DECIMAL)

    @pytest.mark.parametrize(
        ("epsilon", "is_larger"),
        [pytest.param(0.5, True, id="small"), pytest.param(20.0, False, id="large")],
    )
    def test_textbook_noise_is_larger_than_needed_at_small_claims_only(self, epsilon, is_larger):
        classical = result_of("classical", epsilon).pair.error
        exact = result_of("gaussian", epsilon).pair.error

        assert (classical > exact) == is_larger

    def test_laplace_noise_grows_with_the_amount_of_numbers(self):
        table = result_of(epsilon=1.0, sensitivity=3.0).several_numbers

        np.testing.assert_allclose(table["laplace"], 3 * math.sqrt(2) * table["answers"])

    def test_gaussian_noise_for_the_l1_norm_exceeds_the_exact_one_by_a_root(self):
        table = result_of(epsilon=1.0, sensitivity=3.0).several_numbers

        excess = table["slide"] / table["exact"]

        np.testing.assert_allclose(excess, 1.3243 * np.sqrt(table["answers"]), rtol=FACTOR_ROUNDING)

    def test_gaussian_noise_for_the_l1_norm_exceeds_laplace_noise_by_a_constant(self):
        table = result_of(epsilon=1.0, sensitivity=3.0).several_numbers

        excess = table["slide"] / table["laplace"]

        np.testing.assert_allclose(excess, math.sqrt(math.log(2e5)))

    def test_the_real_epsilon_of_several_numbers_needs_the_delta(self):
        table = result_of(epsilon=1.0, sensitivity=3.0).several_numbers
        mus = 3 * np.sqrt(table["answers"]) / table["slide"]

        deltas = [
            gdp.delta_of(epsilon, mu=mu)
            for epsilon, mu in zip(table["real epsilon"], mus, strict=True)
        ]

        np.testing.assert_allclose(deltas, DELTA, rtol=SINGLE_PRECISION)

    @pytest.mark.parametrize("epsilon", np.geomspace(0.01, 150, 100))
    def test_rounding_breaks_no_laplace_guarantee(self, epsilon):
        sensitivity = float(np.sqrt(epsilon) + 0.1)

        result = result_of("laplace", float(epsilon), sensitivity=sensitivity)

        assert result.claim.holds
        assert result.pair.chance_beyond(result.settings.epsilon) == 0


class TestSelection:
    def test_win_probabilities_are_those_of_quadrature(self):
        result = result_of(epsilon=0.7, options=4, lead=1)
        votes = np.array(result.settings.counts)
        your_vote = np.array([0.0, 1.0, 0.0, 0.0])

        without_you, with_you = result.win_probabilities

        expected_without = win_probabilities(votes, scale=1 / 0.7, noise="gumbel")
        expected_with = win_probabilities(votes + your_vote, scale=1 / 0.7, noise="gumbel")
        np.testing.assert_allclose(without_you, expected_without, rtol=QUADRATURE_ERROR)
        np.testing.assert_allclose(with_you, expected_with, rtol=QUADRATURE_ERROR)

    @pytest.mark.parametrize(("options", "lead"), [(2, 0), (5, 3), (8, 50)])
    @pytest.mark.parametrize("epsilon", EPSILONS)
    def test_the_win_probabilities_of_the_options_sum_to_1(self, epsilon, options, lead):
        result = result_of(epsilon=epsilon, options=options, lead=lead)

        np.testing.assert_allclose(result.win_probabilities.sum(axis=1), 1, rtol=ROUNDING)

    @pytest.mark.parametrize(("options", "lead"), [(2, 0), (5, 3), (8, 50)])
    @pytest.mark.parametrize("epsilon", EPSILONS)
    def test_no_probability_changes_by_more_than_epsilon(self, epsilon, options, lead):
        result = result_of(epsilon=epsilon, options=options, lead=lead)

        assert 0 < result.largest_win_log_ratio <= epsilon * (1 + 1e-9)


class TestCharts:
    def test_the_trade_off_is_drawn(self):
        result = result_of("gaussian", 3.0)

        line = charts.trade_off(result)["data"][2]

        expected = 100 * result.trade_off.false_negative_rates
        np.testing.assert_allclose(numbers(line["y"]), expected, rtol=SINGLE_PRECISION, atol=1e-7)

    def test_both_densities_are_drawn(self):
        result = result_of("gaussian", 3.0)

        traces = charts.release(result)["data"][:2]

        densities = result.pair.densities(result.output_grid)
        for density, trace in zip(densities, traces, strict=True):
            np.testing.assert_allclose(
                numbers(trace["y"]), density, rtol=SINGLE_PRECISION, atol=ROUNDING_NEAR_0
            )


@pytest.mark.parametrize("mechanism", NUMBER_MECHANISMS)
def test_the_table_has_the_numbers_of_each_mechanism(mechanism):
    result = result_of(mechanism, 20.0)

    row = result_of("classical", 20.0).table().set_index("mechanism").loc[mechanism]

    assert row["within"] == result.pair.error
    assert row["real epsilon"] == result.guarantee.epsilon
    assert row["holds"] == (mechanism != "classical")


def test_the_table_has_the_formula_of_the_slides():
    """sd = sqrt(2 ln(2 / delta)) / epsilon, for a sensitivity of 1."""
    sd = math.sqrt(2 * math.log(2 / DELTA)) / 20.0

    row = result_of(epsilon=20.0, sensitivity=3.0).table().set_index("mechanism").loc["slide"]

    assert row["within"] == pytest.approx(3 * sd * stats.norm.ppf(0.95))
    assert gdp.delta_of(row["real epsilon"], mu=1 / sd) == pytest.approx(DELTA, rel=SEARCH_ERROR)
    assert row["needed delta"] == pytest.approx(gdp.delta_of(20.0, mu=1 / sd))
    assert row["real epsilon"] > 20.0
    assert not row["holds"]


def test_the_textbook_formula_holds_up_to_its_last_epsilon():
    table = result_of(epsilon=1.0).table().set_index("mechanism")

    for epsilon, holds in ((0.999, True), (1.001, False)):
        at_last = result_of(epsilon=epsilon * table.until["slide"]).table().set_index("mechanism")
        assert at_last.holds["slide"] == holds


@pytest.mark.parametrize("answers", RELEASED)
def test_every_release_has_a_table(answers):
    """Handouts and downloaded programs print it."""
    result = MechanismsSettings(answers=answers).experiment.run()

    table = result.table()

    assert len(table) > 0
    assert table.notna().all(axis=None)
