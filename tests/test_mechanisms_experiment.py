"""The page of mechanisms: closed forms against quadrature, simulation and theory; figures."""

import itertools
import math

import numpy as np
import pytest
from oracles import win_probabilities
from scipy import integrate, stats

from dpcore.accountants import gdp
from pages.mechanisms import figures
from pages.mechanisms.experiment import COUNT_NOISES, NUMBER_MECHANISMS, VOTES, MechanismsSettings
from pages.mechanisms.work import CLAIMS, log_chances, promised_misses
from tests.test_figures import numbers

EVERY = [(mechanism, epsilon) for mechanism in NUMBER_MECHANISMS for epsilon in (0.01, 0.5, 1.0, 8.0, 150.0)]


def result(mechanism="laplace", epsilon=1.0, **more):
    return MechanismsSettings(mechanism=mechanism, epsilon=epsilon, **more).run()


def noise(worlds):
    """The noise by another library."""
    family = stats.laplace if worlds.family == "laplace" else stats.norm
    return family(scale=worlds.scale)


def mass(worlds, epsilon):
    """Integral of (p - e^epsilon q)+ by adaptive quadrature between the kinks, out to where nothing is left."""

    def excess(x):
        without, with_you = worlds.densities(x)
        return max(float(with_you - math.exp(epsilon) * without), 0.0)

    low, high = worlds.value - 60 * worlds.scale, worlds.value + worlds.sensitivity + 60 * worlds.scale
    inner = [worlds.value, worlds.value + worlds.sensitivity, worlds.threshold(epsilon)]
    ends = sorted({low, high, *(end for end in inner if low < end < high)})
    pieces = [np.linspace(a, b, 25) for a, b in itertools.pairwise(ends)]
    pairs = [pair for piece in pieces for pair in itertools.pairwise(piece)]
    return sum(integrate.quad(excess, a, b, epsabs=1e-15, epsrel=1e-11)[0] for a, b in pairs)


# The number


@pytest.mark.parametrize(("mechanism", "epsilon"), EVERY)
def test_densities_and_quantiles_are_those_of_the_noise(mechanism, epsilon):
    worlds = result(mechanism, epsilon).worlds
    x = np.linspace(worlds.value - 5 * worlds.scale, worlds.value + worlds.sensitivity + 5 * worlds.scale, 41)
    without, with_you = worlds.densities(x)
    np.testing.assert_allclose(without, noise(worlds).pdf(x - worlds.value), rtol=1e-9)
    np.testing.assert_allclose(with_you, noise(worlds).pdf(x - worlds.value - worlds.sensitivity), rtol=1e-9)
    logs = [noise(worlds).logpdf(x - worlds.value - shift) for shift in (worlds.sensitivity, 0)]
    np.testing.assert_allclose(worlds.log_ratio(x), np.subtract(*logs), rtol=1e-9, atol=1e-9 * epsilon)
    shares = np.array([0.001, 0.3, 0.5, 0.95])
    np.testing.assert_allclose(worlds.scale * worlds.at_share(shares), noise(worlds).ppf(shares), rtol=1e-9, atol=1e-15)
    np.testing.assert_allclose(worlds.below(worlds.at_share(shares)), shares, rtol=1e-12)


@pytest.mark.parametrize("mechanism", NUMBER_MECHANISMS)
def test_releases_follow_the_density(mechanism):
    """Kolmogorov and Smirnov over 4,000 seeds."""
    runs = [result(mechanism, seed=seed) for seed in range(4000)]
    errors = np.array([run.drawn["output"] for run in runs]) - 41
    assert stats.kstest(errors, noise(runs[0].worlds).cdf).pvalue > 0.01
    assert np.mean(np.abs(errors) <= runs[0].worlds.within) == pytest.approx(0.9, abs=0.015)


def test_releases_keep_their_place_while_epsilon_moves():
    near, far = (result(epsilon=epsilon).drawn["output"] - 41 for epsilon in (2.0, 1.0))
    assert 2 * near == pytest.approx(far)


@pytest.mark.parametrize(("mechanism", "epsilon"), [pair for pair in EVERY if pair[1] < 100])
def test_delta_is_the_mass_above_the_line(mechanism, epsilon):
    """Integral of (p - e^epsilon q)+ by quadrature, and the chance beyond the threshold by another library."""
    run = result(mechanism, epsilon)
    worlds, threshold = run.worlds, run.worlds.threshold(epsilon)
    assert run.claim.needed_delta == pytest.approx(mass(worlds, epsilon), rel=1e-6, abs=1e-13)
    without, with_you = worlds.beyond(epsilon)
    assert without == pytest.approx(noise(worlds).sf(threshold - worlds.value), rel=1e-9, abs=1e-300)
    assert with_you == pytest.approx(noise(worlds).sf(threshold - worlds.value - worlds.sensitivity), rel=1e-9)
    assert run.claim.needed_delta == pytest.approx(with_you - math.exp(epsilon) * without, rel=1e-6, abs=1e-13)


@pytest.mark.parametrize("mechanism", NUMBER_MECHANISMS)
def test_the_chance_to_leave_the_lines_is_that_of_either_world(mechanism):
    worlds = result(mechanism, 12.0).worlds
    if mechanism == "laplace":
        assert worlds.outside(12.0) == 0
        return
    cuts = np.array([worlds.threshold(-12.0), worlds.threshold(12.0)]) - worlds.value
    for truth in (0.0, worlds.sensitivity):
        below, above = noise(worlds).cdf(cuts[0] - truth), noise(worlds).sf(cuts[1] - truth)
        assert worlds.outside(12.0) == pytest.approx(below + above, rel=1e-9)
    assert worlds.outside(12.0) > worlds.delta_at(12.0)


def test_the_exact_gaussian_keeps_its_claim_and_the_textbook_up_to_its_crossing():
    for epsilon in (0.01, 1.0, 8.0, 150.0):
        assert result("gaussian", epsilon).claim.holds
        assert result("gaussian", epsilon).claim.needed_delta == pytest.approx(1e-5, rel=1e-6)
    assert result("classical", 8.41).claim.holds
    assert not result("classical", 8.43).claim.holds
    assert result("classical", 150.0).claim.guarantee.epsilon == pytest.approx(610.4, abs=0.05)
    assert result("classical", 0.5).worlds.within > result("gaussian", 0.5).worlds.within
    assert result("classical", 20.0).worlds.within < result("gaussian", 20.0).worlds.within


def test_two_formulas_of_one_deck_beside_the_exact_noise():
    for epsilon, ratio in ((0.1, 1.61), (1.0, 1.32), (5.0, 1.11), (8.0, 1.03), (10.0, 0.988)):
        run = result(epsilon=epsilon)
        assert run.formulas["slide"].sd / run.exact_noise == pytest.approx(ratio, abs=0.006)
    one = result(epsilon=1.0)
    assert [one.formulas[name].sd for name in ("slide", "classical")] == pytest.approx([4.941, 4.845], abs=6e-4)
    assert [one.formulas[name].real for name in ("slide", "classical")] == pytest.approx([0.735, 0.751], abs=6e-4)
    assert one.exact_noise == pytest.approx(3.731, abs=6e-4)
    assert one.formulas["slide"].needed == pytest.approx(2.4e-8, rel=0.03)
    assert result(epsilon=10.0).formulas["slide"].needed == pytest.approx(1.36e-5, rel=0.01)
    assert [one.formulas[name].until for name in ("slide", "classical")] == pytest.approx([9.391, 8.420], abs=6e-4)


def test_the_l1_norm_is_too_much_for_gaussian_noise_and_right_for_laplace():
    found = result(epsilon=1.0, sensitivity=3.0).answers
    np.testing.assert_allclose(found["real epsilon"][:3], [0.735, 0.345, 0.162], atol=6e-4)
    np.testing.assert_allclose(found["laplace"], 3 * math.sqrt(2) * found["answers"])
    np.testing.assert_allclose(found["slide"] / found["exact"], 1.3243 * np.sqrt(found["answers"]), rtol=1e-3)
    np.testing.assert_allclose(found["slide"] / found["laplace"], math.sqrt(math.log(2e5)))
    for count, sd, real in zip(found["answers"], found["slide"], found["real epsilon"], strict=True):
        mu = 3 * math.sqrt(count) / sd
        x = real / mu + mu / 2 + np.linspace(0, 12, 100_001)  # from where one density is e^epsilon times the other
        gap = stats.norm.pdf(x, mu) - math.exp(real) * stats.norm.pdf(x)
        assert integrate.simpson(gap, x=x) == pytest.approx(1e-5, rel=1e-6)


@pytest.mark.parametrize(("mechanism", "epsilon"), EVERY)
def test_nine_in_ten(mechanism, epsilon):
    run = result(mechanism, epsilon, sensitivity=2.5)
    assert noise(run.worlds).cdf(run.worlds.within) - noise(run.worlds).cdf(-run.worlds.within) == pytest.approx(0.9)
    assert run.worlds.within == pytest.approx(
        math.exp(np.interp(*map(np.log, (epsilon, CLAIMS, run.errors[mechanism])))), rel=0.01
    )


# The attacker


def test_the_laplace_trade_off_is_the_one_of_theory():
    """1 - e^eps a up to e^-eps/2, then e^-eps/(4a) up to 1/2, then e^-eps (1 - a)."""
    run = result("laplace", 1.3)
    alpha = run.trade_off["false alarms"][1:]
    e = math.exp(1.3)
    theory = np.where(alpha < 1 / (2 * e), 1 - e * alpha, np.where(alpha < 0.5, 1 / (4 * e * alpha), (1 - alpha) / e))
    np.testing.assert_allclose(run.trade_off["misses"][1:], theory, rtol=1e-9, atol=1e-12)
    assert run.worlds.balanced_accuracy == pytest.approx(1 - math.exp(-1.3 / 2) / 2)
    assert result("laplace", 1.0).worlds.attacker(0.1) == pytest.approx((0, 1, 0.9))  # too sure to be moved


def test_the_gaussian_trade_off_is_the_one_of_theory():
    run = result("gaussian", 2.0)
    mu = gdp.mu_of(2.0, delta=1e-5)
    alpha = np.linspace(0.01, 0.99, 50)
    np.testing.assert_allclose(run.worlds.misses(alpha), stats.norm.cdf(stats.norm.isf(alpha) - mu), rtol=1e-9)
    assert run.worlds.balanced_accuracy == pytest.approx(stats.norm.cdf(mu / 2))


@pytest.mark.parametrize("mechanism", NUMBER_MECHANISMS)
def test_an_attack_carried_out(mechanism):
    """Threshold tests on 200,000 simulated releases lie on the curve; the prior's best attack wins as often as said."""
    run = result(mechanism, 2.0, prior=0.3)
    draws = noise(run.worlds).rvs(size=(2, 200_000), random_state=5)
    out, inside = run.settings.value + draws[0], run.settings.value + 1 + draws[1]
    for cut in (39.0, 40.5, 42.0):
        assert np.mean(inside <= cut) == pytest.approx(float(run.worlds.misses(np.mean(out > cut))), abs=0.01)
    alarms, misses, right = run.worlds.attacker(0.3)
    posterior = run.worlds.posterior(np.concatenate([out, inside]), 0.3) > 0.5
    assert np.mean(posterior[: len(out)]) == pytest.approx(alarms, abs=0.005)
    assert np.mean(~posterior[len(out) :]) == pytest.approx(misses, abs=0.005)
    assert right == pytest.approx(0.7 * (1 - alarms) + 0.3 * (1 - misses))
    others = [0.7 * (1 - a) + 0.3 * (1 - float(run.worlds.misses(a))) for a in np.linspace(0, 1, 501)]
    assert right == pytest.approx(max(others), abs=1e-4)
    assert right >= max(others) - 1e-12


@pytest.mark.parametrize(("mechanism", "epsilon"), EVERY)
def test_no_attack_beats_a_promise_that_holds(mechanism, epsilon):
    run = result(mechanism, epsilon)
    frame = run.trade_off
    assert run.claim.holds or mechanism == "classical"
    if run.claim.holds:
        assert (frame["misses"] >= frame["promised"] - 1e-9).all()
        assert run.worlds.balanced_accuracy <= run.claim.guarantee.attacker_accuracy + 1e-12


def test_a_promise_that_is_broken_shows_in_the_trade_off():
    run = result("classical", 20.0)
    alpha = np.geomspace(1e-12, 0.5, 400)
    promised = promised_misses(alpha, epsilon=20.0, delta=1e-5)
    assert (run.worlds.misses(alpha) < promised - 1e-6).any()


@pytest.mark.parametrize("prior", [0.01, 0.2, 0.5, 0.99])
def test_posterior_odds_stay_within_e_to_the_epsilon(prior):
    run = result("laplace", 1.0, prior=prior)
    low, high = run.posterior_range(prior)
    outputs = np.append(np.linspace(30, 50, 201), run.drawn["output"])
    after = run.worlds.posterior(outputs, prior)
    assert run.drawn["posterior"] == pytest.approx(after[-1])
    without, with_you = run.worlds.densities(outputs)
    np.testing.assert_allclose(after, prior * with_you / (prior * with_you + (1 - prior) * without))
    assert ((after >= low - 1e-12) & (after <= high + 1e-12)).all()
    assert high / (1 - high) == pytest.approx(math.e * prior / (1 - prior))
    assert low / (1 - low) == pytest.approx(prior / (1 - prior) / math.e)


# The choice


@pytest.mark.parametrize("noise_kind", COUNT_NOISES)
def test_chances_to_win_by_quadrature(noise_kind):
    counts = np.array([12.0, 11.0, 11.0, 7.5])
    chances = np.exp(log_chances(counts, scale=1 / 0.7, noise=noise_kind))
    expected = win_probabilities(counts, scale=1 / 0.7, noise=noise_kind)
    np.testing.assert_allclose(chances, expected, rtol=1e-4)
    assert chances.sum() == pytest.approx(1, abs=1e-12)
    assert chances[1] == pytest.approx(chances[2], rel=1e-12)


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 8.0, 150.0])
@pytest.mark.parametrize("vote", VOTES)
@pytest.mark.parametrize("noise_kind", COUNT_NOISES)
def test_no_chance_to_win_moves_by_more_than_e_to_the_epsilon(noise_kind, vote, epsilon):
    for options, lead in ((2, 0), (5, 3), (8, 50)):
        run = MechanismsSettings(epsilon=epsilon, noise=noise_kind, vote=vote, options=options, lead=lead).run()
        ratio = run.choice_ratio[np.isfinite(run.choice_ratio)]
        assert ratio.size
        assert np.abs(ratio).max() <= epsilon * (1 + 1e-9)
        np.testing.assert_allclose(run.chances.sum(axis=1), 1, rtol=1e-12)


# The figures and the table


def test_forty_five_of_fifty_dots_are_full():
    run = result()
    errors = np.abs(run.dots()[1] - run.worlds.value - run.worlds.sensitivity)
    assert (errors < run.worlds.within * (1 - 1e-9)).sum() <= 45 <= (errors <= run.worlds.within * (1 + 1e-9)).sum()
    figure = figures.dots(run)
    full = [trace for trace in figure["data"] if trace["marker"]["symbol"] == "circle"]
    assert [len(numbers(trace["x"])) for trace in full] == [45, 45]
    assert sum(len(numbers(trace["x"])) for trace in figure["data"]) == 100


def test_the_drawn_curves_are_the_downloaded_ones():
    run = result("gaussian", 3.0)
    line = figures.trade_off(run)["data"][2]
    np.testing.assert_allclose(numbers(line["y"]), 100 * run.trade_off["misses"], rtol=1e-6, atol=1e-7)
    without, with_you = figures.release(run)["data"][:2]
    np.testing.assert_allclose(numbers(without["y"]), run.densities()["density without you"], rtol=1e-5, atol=1e-12)
    np.testing.assert_allclose(numbers(with_you["y"]), run.densities()["density with you"], rtol=1e-5, atol=1e-12)


def test_a_table_row_is_the_result_of_its_mechanism():
    table = result("classical", 20.0).table().set_index("mechanism")
    for name in NUMBER_MECHANISMS:
        run = MechanismsSettings(mechanism=name, epsilon=20.0).run()
        assert table.loc[name, "within"] == run.worlds.within
        assert table.loc[name, "real epsilon"] == run.claim.guarantee.epsilon
    assert list(table["holds"]) == [True, True, False]
