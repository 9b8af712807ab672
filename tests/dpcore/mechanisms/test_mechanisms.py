"""Mechanisms: the contract that all of them keep, and the calibrations of Gaussian noise."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore import check, mechanisms
from dpcore.accountants import gdp
from dpcore.mechanisms import Gaussian, Laplace, NoisyMax, NormExponential
from dpcore.privacy import GaussianRelease, LaplaceRelease, PureRelease

# Both sides are the same formula in double precision.
ROUNDING = 1e-12

GIVEN = {"sensitivity": 2.0, "epsilon": 0.5}
WITH_DELTA = {**GIVEN, "delta": 1e-5}
EXACT_MU = gdp.mu_of(0.5, delta=1e-5)
# The arguments of each mechanism in these tests, and the event that it then leaves.
CONTRACT = {
    Laplace: (GIVEN, LaplaceRelease(noise_multiplier=2.0)),
    Gaussian: (WITH_DELTA, GaussianRelease(noise_multiplier=1 / EXACT_MU)),
    NormExponential: (GIVEN, PureRelease(epsilon=0.5)),
    NoisyMax: (GIVEN, PureRelease(epsilon=0.5)),
}
# The mechanisms that add noise to a value: a statistic of noise on three coordinates, and its law.
NOISE_LAWS = {
    Laplace: (np.ravel, stats.laplace(scale=4.0)),
    Gaussian: (np.ravel, stats.norm(scale=2 / EXACT_MU)),
    NormExponential: (lambda noise: np.linalg.norm(noise, axis=1), stats.gamma(3, scale=4.0)),
}
OUT_OF_RANGE = {
    "sensitivity": (0, -1, math.inf, math.nan),
    "epsilon": (0, -3, math.inf),
    "delta": (0, 1, -0.1),
}
VALUES = np.array([3.0, -1.0, 2.5])

every_mechanism = pytest.mark.parametrize("kind", CONTRACT)
every_noise = pytest.mark.parametrize("kind", NOISE_LAWS)


def made(kind, **changed):
    """Return the mechanism with the arguments of these tests, some of them changed."""
    arguments, _ = CONTRACT[kind]
    return kind(**{**arguments, **changed})


def released(mechanism, values, *, seeds):
    """Return one release of the values from each seed, as rows."""
    return np.array([mechanism.release(values, np.random.default_rng(seed)) for seed in seeds])


def drawn_noise(kind):
    """4,000 draws of the noise that the mechanism adds to three numbers, as rows."""
    rng, mechanism = np.random.default_rng(1), made(kind)
    return np.array([mechanism.release(VALUES, rng) - VALUES for _ in range(4000)])


def test_every_mechanism_has_a_contract():
    public = {kind for kind in vars(mechanisms).values() if hasattr(kind, "release")}

    assert set(CONTRACT) == public


@every_mechanism
def test_a_mechanism_leaves_its_event(kind):
    _, event = CONTRACT[kind]

    assert made(kind).event == event


@every_mechanism
def test_an_argument_out_of_range_is_refused_by_name(kind):
    arguments, _ = CONTRACT[kind]

    for argument in arguments:
        for value in OUT_OF_RANGE[argument]:
            with pytest.raises(check.RefusedError, match=f"^{argument} is "):
                made(kind, **{argument: value})


@every_noise
def test_noise_grows_in_proportion_to_the_sensitivity(kind):
    one = released(made(kind), VALUES, seeds=range(20))
    ten = released(made(kind, sensitivity=20.0), 10 * VALUES, seeds=range(20))

    np.testing.assert_allclose(ten, 10 * one, rtol=ROUNDING)


@pytest.mark.parametrize("kind", [kind for kind in CONTRACT if kind not in NOISE_LAWS])
def test_scores_and_sensitivity_ten_times_larger_have_the_same_winner(kind):
    one = released(made(kind), VALUES, seeds=range(20))
    ten = released(made(kind, sensitivity=20.0), 10 * VALUES, seeds=range(20))

    np.testing.assert_array_equal(ten, one)


@every_mechanism
def test_a_large_epsilon_makes_releases_vary_less(kind):
    private = released(made(kind), VALUES, seeds=range(50))
    open_one = released(made(kind, epsilon=100.0), VALUES, seeds=range(50))

    assert open_one.std(axis=0).sum() < private.std(axis=0).sum() / 10


@every_mechanism
def test_the_same_seed_gives_the_same_release(kind):
    one, same = released(made(kind), np.zeros(50), seeds=(5, 5))

    np.testing.assert_array_equal(one, same)


@every_mechanism
def test_another_seed_gives_another_release(kind):
    one, other = released(made(kind), np.zeros(50), seeds=(5, 6))

    assert np.all(one != other)


@every_noise
def test_noise_has_the_stated_law(kind):
    statistic, law = NOISE_LAWS[kind]

    assert stats.kstest(statistic(drawn_noise(kind)), law.cdf).pvalue > 1e-3


@every_noise
def test_each_coordinate_has_a_draw_of_its_own(kind):
    correlations = np.corrcoef(drawn_noise(kind).T)

    # A shared draw would be a correlation of 1.
    assert np.abs(correlations - np.eye(3)).max() < 0.06


@every_noise
def test_noise_has_mean_zero(kind):
    noise = drawn_noise(kind)
    standard_error = noise.std() / math.sqrt(4000)

    assert np.abs(noise.mean(axis=0)).max() < 5 * standard_error


@every_noise
def test_a_release_keeps_the_shape_of_its_value(kind):
    release = made(kind).release(np.ones((2, 3)), np.random.default_rng(0))

    assert release.shape == (2, 3)


@pytest.mark.parametrize("epsilon", [0.5, 8.4, 8.5, 50.0])
def test_the_classical_calibration_is_as_published(epsilon):
    gaussian = made(Gaussian, epsilon=epsilon, calibration="classical")

    expected = 2 * math.sqrt(2 * math.log(1.25e5)) / epsilon
    assert gaussian.sd == pytest.approx(expected, rel=ROUNDING)


@pytest.mark.parametrize(
    ("epsilon", "enough"), [(0.5, True), (8.4, True), (8.5, False), (50.0, False)]
)
def test_the_classical_calibration_is_too_little_noise_at_a_large_epsilon(epsilon, enough):
    gaussian = made(Gaussian, epsilon=epsilon, calibration="classical")

    exact_delta = gdp.delta_of(epsilon, mu=1 / gaussian.noise_multiplier)
    assert (exact_delta <= 1e-5) is enough


@pytest.mark.parametrize(("kind", "choice"), [(Gaussian, "calibration"), (NoisyMax, "noise")])
def test_an_unknown_choice_is_refused(kind, choice):
    with pytest.raises(check.RefusedError, match=f"^{choice} is 'exact'"):
        made(kind, **{choice: "exact"})
