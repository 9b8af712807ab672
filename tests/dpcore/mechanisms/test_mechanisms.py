"""Mechanisms: one contract for all of them, what each alone promises, and the closed forms of their
page.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore import check, mechanisms
from dpcore.accountants import gdp
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, NormExponential
from dpcore.privacy import GaussianRelease, LaplaceRelease, PureRelease
from pages.mechanisms import charts
from pages.mechanisms.experiment import COUNT_NOISES, NUMBER_MECHANISMS, VOTES, MechanismsSettings
from pages.mechanisms.tasks import CLAIMS, log_chances, promised_misses
from tests.oracles import LAWS, win_probabilities
from tests.ui.charts.test_topic_charts import numbers

GIVEN = {"sensitivity": 2.0, "epsilon": 0.5}
# A literal entry for each mechanism: arguments with sensitivity 2, the event, and, where it adds
# noise to a value, (statistic of the noise on three coordinates, its law).
CONTRACT = {
    Laplace: (GIVEN, LaplaceRelease(noise_multiplier=2.0), (np.ravel, stats.laplace(scale=4.0))),
    Gaussian: (
        {**GIVEN, "delta": 1e-5},
        GaussianRelease(noise_multiplier=1 / gdp.mu_of(0.5, delta=1e-5)),
        (np.ravel, stats.norm(scale=2 / gdp.mu_of(0.5, delta=1e-5))),
    ),
    NormExponential: (
        GIVEN,
        PureRelease(epsilon=0.5),
        (lambda noise: np.linalg.norm(noise, axis=1), stats.gamma(3, scale=4.0)),
    ),
    NoisyMax: (GIVEN, PureRelease(epsilon=0.5), None),
}
EVERY = [
    (mechanism, epsilon) for mechanism in NUMBER_MECHANISMS for epsilon in (0.01, 1.0, 8.0, 150.0)
]
OUT_OF_RANGE = {
    "sensitivity": (0, -1, math.inf, math.nan),
    "epsilon": (0, -3, math.inf),
    "delta": (0, 1, -0.1),
}


def test_every_mechanism_has_a_contract():
    assert set(CONTRACT) == {kind for kind in vars(mechanisms).values() if hasattr(kind, "release")}


@pytest.mark.parametrize("kind", CONTRACT)
class TestContract:
    def test_it_leaves_its_event_and_refuses_by_name(self, kind):
        arguments, event, _ = CONTRACT[kind]
        assert kind(**arguments).event == event
        for argument in arguments:
            for value in OUT_OF_RANGE[argument]:
                with pytest.raises(check.RefusedError, match=f"^{argument} is "):
                    kind(**{**arguments, argument: value})

    def test_noise_grows_with_the_sensitivity_and_shrinks_with_epsilon(self, kind):
        # In units of the sensitivity nothing changes: the same draw on a ten times larger value is
        # the same.
        arguments, _, law = CONTRACT[kind]
        values, generator = np.array([3.0, -1.0, 2.5]), np.random.default_rng
        large = {**arguments, "sensitivity": 20.0}
        for seed in range(20):
            one = kind(**arguments).release(values, generator(seed))
            ten = kind(**large).release(10 * values, generator(seed))
            np.testing.assert_allclose(ten, 10 * one if law else one, rtol=1e-12)
        both = (kind(**arguments), kind(**{**arguments, "epsilon": 100.0}))
        far, near = (
            np.std([one.release(values, generator(seed)) for seed in range(50)], axis=0)
            for one in both
        )
        assert near.sum() < far.sum() / 10
        one, same, other = (both[0].release(np.zeros(50), generator(seed)) for seed in (5, 5, 6))
        np.testing.assert_array_equal(one, same)
        assert np.all(one != other)


@pytest.mark.parametrize("kind", [kind for kind, (*_, law) in CONTRACT.items() if law])
def test_noise_has_the_stated_law(kind):
    arguments, _, (statistic, distribution) = CONTRACT[kind]
    rng, mechanism = np.random.default_rng(1), kind(**arguments)
    value = np.array([1.0, -2.0, 0.0])
    noise = np.array([mechanism.release(value, rng) for _ in range(4000)]) - value
    assert mechanism.release(np.ones((2, 3)), rng).shape == (2, 3)
    assert stats.kstest(statistic(noise), distribution.cdf).pvalue > 1e-3
    # One draw a coordinate: a shared one would be a correlation of 1.
    assert np.abs(np.corrcoef(noise.T) - np.eye(3)).max() < 0.06
    assert np.abs(noise.mean(axis=0)).max() < 5 * noise.std() / math.sqrt(4000)


def test_the_classical_calibration_is_as_published_and_unknown_choices_are_refused():
    for epsilon, enough in ((0.5, True), (8.4, True), (8.5, False), (50.0, False)):
        found = Gaussian(sensitivity=2.0, epsilon=epsilon, delta=1e-5, calibration="classical")
        assert found.sd == pytest.approx(2 * math.sqrt(2 * math.log(1.25e5)) / epsilon, rel=1e-14)
        assert (gdp.delta_of(epsilon, mu=1 / found.noise_multiplier) <= 1e-5) is enough
    for kind, name in ((Gaussian, "calibration"), (NoisyMax, "noise")):
        with pytest.raises(check.RefusedError, match=f"^{name} is 'exact'"):
            kind(**CONTRACT[kind][0], **{name: "exact"})


@pytest.mark.parametrize("d", [1, 2, 100])
def test_norm_exponential_noise_has_its_law_which_spends_epsilon_and_no_more(d):
    """The norm is gamma and the direction uniform; the ratio of such densities, a sensitivity
    apart, is e^epsilon.
    """
    noise, law = (
        NormExponential(sensitivity=3.0, epsilon=2.0).noise(d, np.random.default_rng(d), size=5000),
        {},
    )
    norms = np.linalg.norm(noise, axis=1)
    assert stats.kstest(norms, stats.gamma(d, scale=1.5).cdf).pvalue > 1e-3
    # The square of one coordinate of a uniform direction is Beta(1/2, (d - 1)/2).
    for column in (0, d - 1):
        assert abs((noise[:, column] > 0).mean() - 0.5) < 4 * 0.5 / math.sqrt(5000)
        if d > 1:
            share = (noise[:, column] / norms) ** 2
            assert stats.kstest(share, stats.beta(0.5, (d - 1) / 2).cdf).pvalue > 1e-3
            assert abs(np.corrcoef(norms, noise[:, column])[0, 1]) < 0.06
    step = 3.0 * noise[0] / norms[0]
    points = np.concatenate([noise, np.multiply.outer([-3.0, 1.5, 9.0], step)])
    for world, centre in enumerate((np.zeros(d), step)):
        radius = np.linalg.norm(points - centre, axis=1)[1:]
        law[world] = stats.gamma(d, scale=1.5).logpdf(radius) - (d - 1) * np.log(radius)
    ratio = np.abs(law[0] - law[1])
    assert ratio.max() <= 2.0 * (1 + 1e-9)
    assert ratio[-3:] == pytest.approx(2.0, rel=1e-9)  # beyond both centres, on their line


def spent(mechanism: NoisyMax, *, others_fall: bool) -> float:
    """The largest |log ratio| of a win, over gaps and sizes: one score rises while the others fall
    or stay.
    """
    worst = 0.0
    for size in (2, 3, 6):
        for gap in np.array([-30.0, -8.0, -2.0, 0.0, 2.0, 8.0, 30.0]) * mechanism.scale:
            before = np.zeros(size)
            before[0] = gap
            after = before - (mechanism.sensitivity if others_fall else 0.0)
            after[0] = gap + mechanism.sensitivity
            pair = [
                win_probabilities(s, scale=mechanism.scale, noise=mechanism.noise)
                for s in (before, after)
            ]
            worst = max(worst, np.abs(np.log(pair[0] / pair[1])).max())
    return worst


@pytest.mark.parametrize("noise", LAWS)
class TestNoisyMax:
    def test_winners_have_the_exact_probabilities(self, noise):
        mechanism = NoisyMax(sensitivity=1.0, epsilon=1.0, noise=noise)
        scores, size = np.array([1.0, 0.0, 3.0, 2.5]), 40_000
        winners = mechanism.release(scores, np.random.default_rng(2), size=size)
        expected = win_probabilities(scores, scale=2.0, noise=noise)
        expected = expected / expected.sum()
        if noise == "gumbel":  # this is the exponential mechanism
            np.testing.assert_allclose(
                expected, np.exp(scores / 2) / np.exp(scores / 2).sum(), rtol=1e-9
            )
        assert stats.chisquare(np.bincount(winners, minlength=4), expected * size).pvalue > 1e-3
        one = mechanism.release(scores, np.random.default_rng(2))
        assert (type(one), one) == (int, winners[0])
        for wrong in ([], [[1.0], [2.0]], 3.0):
            with pytest.raises(check.RefusedError, match="scores"):
                mechanism.release(wrong, np.random.default_rng(0))

    @pytest.mark.parametrize("monotone", [False, True])
    def test_it_spends_its_epsilon_and_no_more(self, noise, monotone):
        mechanism = NoisyMax(sensitivity=0.5, epsilon=1.5, noise=noise, monotone=monotone)
        assert 0.95 * 1.5 < spent(mechanism, others_fall=not monotone) < 1.5 * (1 + 1e-4)
        # Half of the noise is not enough when scores move apart.
        assert not monotone or spent(mechanism, others_fall=True) > 1.9 * 1.5


def result(mechanism="laplace", epsilon=1.0, **more):
    return MechanismsSettings(mechanism=mechanism, epsilon=epsilon, **more).run()


def law_of(worlds):
    """The noise by another library."""
    return (stats.laplace if worlds.family == "laplace" else stats.norm)(scale=worlds.scale)


@pytest.mark.parametrize(("mechanism", "epsilon"), EVERY)
def test_closed_forms_are_those_of_the_noise_and_no_attack_beats_a_promise(mechanism, epsilon):
    """Densities, quantiles, errors, and delta as the largest excess of all thresholds, by another
    library.
    """
    run = result(mechanism, epsilon, sensitivity=2.5)
    worlds, law = run.worlds, law_of(run.worlds)
    ends = (worlds.value, worlds.value + worlds.sensitivity)
    x = np.linspace(ends[0] - 5 * worlds.scale, ends[1] + 5 * worlds.scale, 41)
    np.testing.assert_allclose(worlds.densities(x), [law.pdf(x - end) for end in ends], rtol=1e-9)
    ratio = law.logpdf(x - ends[1]) - law.logpdf(x - ends[0])
    np.testing.assert_allclose(worlds.log_ratio(x), ratio, rtol=1e-9, atol=1e-9 * epsilon)
    shares = np.array([0.001, 0.3, 0.5, 0.95])
    np.testing.assert_allclose(
        worlds.scale * worlds.at_share(shares), law.ppf(shares), rtol=1e-9, atol=1e-15
    )
    np.testing.assert_allclose(worlds.below(worlds.at_share(shares)), shares, rtol=1e-12)
    assert law.cdf(worlds.within) - law.cdf(-worlds.within) == pytest.approx(0.9)
    curve = np.interp(*map(np.log, (epsilon, CLAIMS, run.errors[mechanism])))
    assert worlds.within == pytest.approx(math.exp(curve), rel=0.01)
    if epsilon < 100:
        threshold = worlds.threshold(epsilon)
        cuts = threshold + worlds.scale * np.append(np.linspace(-3, 3, 201), 0)
        without, with_you = (law.sf(cuts - end) for end in ends)
        assert worlds.beyond(epsilon) == pytest.approx(
            (without[-1], with_you[-1]), rel=1e-9, abs=1e-300
        )
        excess = with_you - math.exp(epsilon) * without
        assert run.claim.needed_delta == pytest.approx(excess[-1], rel=1e-6, abs=1e-13)
        assert run.claim.needed_delta >= excess.max() - 1e-13
        leave = [
            law.cdf(worlds.threshold(-epsilon) - end) + law.sf(threshold - end) for end in ends
        ]
        expected = [0.0, 0.0] if mechanism == "laplace" else leave
        assert [worlds.outside(epsilon)] * 2 == pytest.approx(expected, rel=1e-9)
    assert run.claim.holds or mechanism == "classical"
    if run.claim.holds:
        assert (run.trade_off["misses"] >= run.trade_off["promised"] - 1e-9).all()
        assert worlds.balanced_accuracy <= run.claim.guarantee.attacker_accuracy + 1e-12


class TestPage:
    @pytest.mark.parametrize("mechanism", NUMBER_MECHANISMS)
    def test_releases_follow_the_density_and_keep_their_place_while_epsilon_moves(self, mechanism):
        """Kolmogorov and Smirnov over 4,000 seeds."""
        runs = [result(mechanism, seed=seed) for seed in range(4000)]
        errors = np.array([run.drawn["output"] for run in runs]) - 41
        assert stats.kstest(errors, law_of(runs[0].worlds).cdf).pvalue > 0.01
        assert np.mean(np.abs(errors) <= runs[0].worlds.within) == pytest.approx(0.9, abs=0.015)
        other = result(mechanism, 2.0, seed=0)
        ratio = other.worlds.scale / runs[0].worlds.scale
        assert other.drawn["output"] - 41 == pytest.approx(ratio * errors[0])

    def test_exact_gaussian_noise_keeps_its_claim_and_textbook_noise_to_a_point(self):
        for epsilon in (0.01, 1.0, 8.0, 150.0):
            claim = result("gaussian", epsilon).claim
            assert (claim.holds, claim.needed_delta) == (True, pytest.approx(1e-5, rel=1e-6))
        assert [result("classical", epsilon).claim.holds for epsilon in (8.41, 8.43)] == [
            True,
            False,
        ]
        assert result("classical", 150.0).claim.guarantee.epsilon == pytest.approx(610.4, abs=0.05)
        wider = [
            result("classical", e).worlds.within > result("gaussian", e).worlds.within
            for e in (0.5, 20.0)
        ]
        assert wider == [True, False]
        alpha = np.geomspace(1e-12, 0.5, 400)  # a promise that is broken shows in the trade-off
        promised = promised_misses(alpha, epsilon=20.0, delta=1e-5)
        assert (result("classical", 20.0).worlds.misses(alpha) < promised - 1e-6).any()

    def test_the_l1_norm_is_too_much_for_gaussian_noise_and_right_for_laplace(self):
        found = result(epsilon=1.0, sensitivity=3.0).answers
        np.testing.assert_allclose(found["laplace"], 3 * math.sqrt(2) * found["answers"])
        np.testing.assert_allclose(
            found["slide"] / found["exact"], 1.3243 * np.sqrt(found["answers"]), rtol=1e-3
        )
        np.testing.assert_allclose(found["slide"] / found["laplace"], math.sqrt(math.log(2e5)))
        mus = 3 * np.sqrt(found["answers"]) / found["slide"]
        deltas = [
            gdp.delta_of(real, mu=mu) for real, mu in zip(found["real epsilon"], mus, strict=True)
        ]
        np.testing.assert_allclose(deltas, 1e-5, rtol=1e-6)

    def test_the_trade_offs_are_those_of_theory(self):
        """Laplace: 1 - e^eps a up to e^-eps/2, then e^-eps/(4a) up to 1/2, then e^-eps (1 - a).

        Gaussian: mu.
        """
        run, e = result("laplace", 1.3), math.exp(1.3)
        a = run.trade_off["false alarms"][1:]
        theory = np.where(
            a < 1 / (2 * e), 1 - e * a, np.where(a < 0.5, 1 / (4 * e * a), (1 - a) / e)
        )
        np.testing.assert_allclose(run.trade_off["misses"][1:], theory, rtol=1e-9, atol=1e-12)
        assert run.worlds.balanced_accuracy == pytest.approx(1 - math.exp(-1.3 / 2) / 2)
        assert result("laplace", 1.0).worlds.attacker(0.1) == pytest.approx(
            (0, 1, 0.9)
        )  # too sure to be moved
        worlds, mu, a = (
            result("gaussian", 2.0).worlds,
            gdp.mu_of(2.0, delta=1e-5),
            np.linspace(0.01, 0.99, 50),
        )
        np.testing.assert_allclose(
            worlds.misses(a), stats.norm.cdf(stats.norm.isf(a) - mu), rtol=1e-9
        )
        assert worlds.balanced_accuracy == pytest.approx(stats.norm.cdf(mu / 2))

    @pytest.mark.parametrize("mechanism", NUMBER_MECHANISMS)
    def test_an_attack_carried_out(self, mechanism):
        """Threshold tests on 200,000 simulated releases lie on the curve; the prior's best attack
        wins as said.
        """
        run = result(mechanism, 2.0, prior=0.3)
        draws = law_of(run.worlds).rvs(size=(2, 200_000), random_state=5)
        out, inside = run.settings.value + draws[0], run.settings.value + 1 + draws[1]
        for cut in (39.0, 40.5, 42.0):
            assert np.mean(inside <= cut) == pytest.approx(
                float(run.worlds.misses(np.mean(out > cut))), abs=0.01
            )
        alarms, misses, right = run.worlds.attacker(0.3)
        guesses = [run.worlds.posterior(one, 0.3) > 0.5 for one in (out, inside)]
        assert [one.mean() for one in guesses] == pytest.approx([alarms, 1 - misses], abs=0.005)
        assert right == pytest.approx(0.7 * (1 - alarms) + 0.3 * (1 - misses))
        others = [
            0.7 * (1 - a) + 0.3 * (1 - float(run.worlds.misses(a))) for a in np.linspace(0, 1, 501)
        ]
        assert max(others) - 1e-12 <= right == pytest.approx(max(others), abs=1e-4)

    @pytest.mark.parametrize("prior", [0.01, 0.5, 0.99])
    def test_posterior_odds_stay_within_e_to_the_epsilon(self, prior):
        run = result("laplace", 1.0, prior=prior)
        outputs = np.append(np.linspace(30, 50, 201), run.drawn["output"])
        after, (without, with_you) = (
            run.worlds.posterior(outputs, prior),
            run.worlds.densities(outputs),
        )
        assert run.drawn["posterior"] == pytest.approx(after[-1])
        np.testing.assert_allclose(
            after, prior * with_you / (prior * with_you + (1 - prior) * without)
        )
        low, high = run.posterior_range(prior)
        assert ((after >= low - 1e-12) & (after <= high + 1e-12)).all()
        odds = prior / (1 - prior)
        assert (low / (1 - low), high / (1 - high)) == pytest.approx((odds / math.e, odds * math.e))


@pytest.mark.parametrize("kind", COUNT_NOISES)
class TestChoice:
    def test_chances_to_win_by_quadrature(self, kind):
        counts = np.array([12.0, 11.0, 11.0, 7.5])
        chances = np.exp(log_chances(counts, scale=1 / 0.7, noise=kind))
        np.testing.assert_allclose(
            chances, win_probabilities(counts, scale=1 / 0.7, noise=kind), rtol=1e-4
        )
        assert chances.sum() == pytest.approx(1, abs=1e-12)

    @pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 150.0])
    @pytest.mark.parametrize("vote", VOTES)
    def test_no_chance_to_win_moves_by_more_than_e_to_the_epsilon(self, kind, vote, epsilon):
        for options, lead in ((2, 0), (5, 3), (8, 50)):
            run = MechanismsSettings(
                epsilon=epsilon, noise=kind, vote=vote, options=options, lead=lead
            ).run()
            ratio = run.choice_ratio[np.isfinite(run.choice_ratio)]
            assert ratio.size > 0
            assert np.abs(ratio).max() <= epsilon * (1 + 1e-9)
            np.testing.assert_allclose(run.chances.sum(axis=1), 1, rtol=1e-12)


def test_drawn_curves_and_table_rows_are_those_of_the_result():
    run = result("gaussian", 3.0)
    line, densities = charts.trade_off(run)["data"][2], charts.release(run)["data"][:2]
    np.testing.assert_allclose(
        numbers(line["y"]), 100 * run.trade_off["misses"], rtol=1e-6, atol=1e-7
    )
    for density, trace in zip(run.worlds.densities(run.outputs), densities, strict=True):
        np.testing.assert_allclose(numbers(trace["y"]), density, rtol=1e-5, atol=1e-12)
    table = result("classical", 20.0).table().set_index("mechanism")
    for name in NUMBER_MECHANISMS:
        run = result(name, 20.0)
        assert table.loc[name, "within"] == run.worlds.within
        assert table.loc[name, "real epsilon"] == run.claim.guarantee.epsilon
    assert list(table["holds"]) == [True, True, False]
