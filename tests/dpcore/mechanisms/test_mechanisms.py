"""Mechanisms: one contract for all of them, and what each alone promises."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore import check, mechanisms
from dpcore.accountants import gdp
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, NormExponential
from dpcore.privacy import GaussianRelease, LaplaceRelease, PureRelease
from tests.oracles import LAWS, win_probabilities

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
