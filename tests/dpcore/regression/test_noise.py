"""Noise of private linear regression: its laws, and one random stream for each repeat.

Mechanisms fit statistics of nothing, so that what they fit is their noise.
"""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import gdp
from dpcore.estimators import linear
from dpcore.regression import functional, gaussian_statistics, perturbation
from dpcore.regression.descent import Descent, Rows
from dpcore.regression.least_squares import Fit, Statistics
from tests.oracles import data_of, rows_of

# Four standard errors of the deviation of so many draws.
CHANCE = 0.08
# Solutions of the same equations in double precision.
ROUNDING = 1e-9

INPUTS = 4
REPEATS = 400
EPSILON = 0.5
DELTA = 1e-6
ROWS = 100
NOTHING = Statistics(
    gram=np.zeros((INPUTS, INPUTS)), moment=np.zeros(INPUTS), square=0.0, rows=ROWS
)
# AdaSSP and Gaussian statistics need a matrix of full rank.
NEARLY_NOTHING = Statistics(
    gram=1e-9 * np.eye(INPUTS), moment=np.zeros(INPUTS), square=0.0, rows=ROWS
)
# A correct sampler fails one such test in a thousand seeds, and these seeds are fixed.
LEAST_P_VALUE = 1e-3


def draws_of(mechanism) -> np.ndarray:
    """Return the unscaled noise of a mechanism, (REPEATS, draws)."""
    return linear.standard_noise(mechanism, inputs=INPUTS, repeats=REPEATS, seed=1)


def released(mechanism, data=NOTHING) -> Fit:
    """Return the fit of a mechanism to the data at ``EPSILON``, in all repeats."""
    return mechanism.fit(data, draws_of(mechanism), np.array([EPSILON]))


def assert_law(values: np.ndarray, law) -> None:
    """Assert that values may be draws of a law, by the Kolmogorov-Smirnov test."""
    assert stats.kstest(np.ravel(values), law.cdf).pvalue > LEAST_P_VALUE


def first_epsilon(values: np.ndarray) -> np.ndarray:
    """Return the values at the only epsilon, (repeats, ...)."""
    (at_epsilon,) = values
    return at_epsilon


def above_diagonal(gram: np.ndarray) -> np.ndarray:
    """Return the entries above the diagonal, (repeats, entries)."""
    rows, columns = np.triu_indices(INPUTS, k=1)
    return gram[:, rows, columns]


def diagonal(gram: np.ndarray) -> np.ndarray:
    """Return the diagonal, (repeats, inputs)."""
    return np.diagonal(gram, axis1=1, axis2=2)


def diagonal_of_features(gram: np.ndarray) -> np.ndarray:
    """Return the diagonal without the count of rows, which is public."""
    return diagonal(gram)[:, 1:]


def assert_symmetric(gram: np.ndarray) -> None:
    """Assert that the matrices (..., p, p) equal their transposes to the last bit."""
    np.testing.assert_array_equal(gram, np.swapaxes(gram, -1, -2))


class TestPublished:
    """Every entry of the matrix is drawn, and the symmetric part is used."""

    SHARE = 0.9
    MECHANISM = functional.Published(share=SHARE)
    # Sensitivity over the part of epsilon.
    GRAM_SCALE = 2 * INPUTS**2 / (SHARE * EPSILON)

    @pytest.fixture
    def gram(self):
        """Return the noisy matrix of each repeat, (REPEATS, INPUTS, INPUTS)."""
        return first_epsilon(released(self.MECHANISM).gram)

    def test_draws_are_standard_laplace(self):
        draws = draws_of(self.MECHANISM)

        assert draws.shape == (REPEATS, INPUTS * INPUTS + INPUTS)
        assert_law(draws, stats.laplace)

    def test_the_diagonal_has_laplace_noise(self, gram):
        assert_law(diagonal(gram), stats.laplace(scale=self.GRAM_SCALE))

    def test_the_moment_has_laplace_noise(self):
        scale = 4 * INPUTS / ((1 - self.SHARE) * EPSILON)

        # The objective has twice the moment.
        assert_law(released(self.MECHANISM).moment, stats.laplace(scale=scale / 2))

    def test_an_entry_above_the_diagonal_is_the_mean_of_two_draws(self, gram):
        # Its standard deviation is the scale of one draw. 8 % are 4 standard errors of 2,400
        # draws.
        assert above_diagonal(gram).std() == pytest.approx(self.GRAM_SCALE, rel=CHANCE)

    def test_an_entry_above_the_diagonal_has_no_laplace_noise(self, gram):
        # The excess kurtosis of a Laplace law is 3, and of a mean of two draws 1.5.
        assert stats.kurtosis(above_diagonal(gram).ravel()) < 2.4
        assert stats.kurtosis(diagonal(gram).ravel()) > 2.4


class TestFunctional:
    """Each entry of the upper triangle is drawn once."""

    MECHANISM = functional.Functional(share=0.6)

    @pytest.fixture
    def gram(self):
        """Return the noisy matrix of each repeat, (REPEATS, INPUTS, INPUTS)."""
        return first_epsilon(released(self.MECHANISM).gram)

    @pytest.fixture
    def scales(self):
        """Return the Laplace scales of an entry of the matrix and of one of the moment."""
        return self.MECHANISM.scales(INPUTS, np.array(EPSILON))

    def test_the_matrix_is_symmetric(self, gram):
        assert_symmetric(gram)

    def test_the_public_count_of_rows_has_no_noise(self, gram):
        assert not gram[:, 0, 0].any()

    def test_entries_above_the_diagonal_have_laplace_noise(self, gram, scales):
        gram_scale, _ = scales
        assert_law(above_diagonal(gram), stats.laplace(scale=gram_scale))

    def test_the_diagonal_has_laplace_noise(self, gram, scales):
        gram_scale, _ = scales
        assert_law(diagonal_of_features(gram), stats.laplace(scale=gram_scale))

    def test_the_moment_has_laplace_noise(self, scales):
        _, moment_scale = scales
        assert_law(released(self.MECHANISM).moment, stats.laplace(scale=moment_scale))

    def test_entries_are_independent(self, gram):
        entries = above_diagonal(gram)

        correlations = np.corrcoef(entries, rowvar=False) - np.eye(entries.shape[1])

        # 5 standard errors of 400 repeats.
        assert np.abs(correlations).max() < 5 / math.sqrt(REPEATS)


def adassp_scales() -> tuple[float, float]:
    """Return the noise of a diagonal entry and of the moment: one of three equal releases each."""
    multiplier = math.sqrt(3) / gdp.mu_of(EPSILON, delta=DELTA)
    gram_sd = math.sqrt(2) * INPUTS * multiplier
    moment_sd = 2 * math.sqrt(INPUTS) * multiplier
    return gram_sd, moment_sd


def gaussian_scales() -> tuple[float, float]:
    """Return the noise of a diagonal entry and of the moment: one release of both."""
    weight = gaussian_statistics.best_weight(INPUTS)
    sensitivity = math.sqrt(2) * (INPUTS + weight**2)
    gram_sd = sensitivity / gdp.mu_of(EPSILON, delta=DELTA)
    moment_sd = gram_sd / (math.sqrt(2) * weight)
    return gram_sd, moment_sd


@pytest.mark.parametrize(
    ("mechanism", "scales"),
    [
        pytest.param(gaussian_statistics.GaussianStatistics(), gaussian_scales, id="Gaussian"),
        pytest.param(gaussian_statistics.AdaSSP(), adassp_scales, id="AdaSSP"),
    ],
)
class TestGaussianStatistics:
    """Entries have noise as the Frobenius norm counts them."""

    @pytest.fixture
    def fit(self, mechanism):
        """Return the fit of the mechanism to statistics of nearly nothing."""
        return released(mechanism, NEARLY_NOTHING)

    @pytest.fixture
    def gram(self, fit):
        """Return the noisy matrix of each repeat, (REPEATS, INPUTS, INPUTS)."""
        return first_epsilon(fit.gram)

    def test_the_matrix_is_symmetric(self, gram, scales):
        assert_symmetric(gram)

    def test_an_entry_above_the_diagonal_has_half_of_the_variance(self, gram, scales):
        gram_sd, _ = scales()
        assert_law(above_diagonal(gram), stats.norm(scale=gram_sd / math.sqrt(2)))

    def test_the_diagonal_has_gaussian_noise(self, gram, scales):
        gram_sd, _ = scales()
        assert_law(diagonal_of_features(gram), stats.norm(scale=gram_sd))

    def test_the_moment_has_gaussian_noise(self, fit, scales):
        _, moment_sd = scales()
        assert_law(fit.moment, stats.norm(scale=moment_sd))


def test_gaussian_statistics_leave_the_public_count_of_rows_without_noise():
    fit = released(gaussian_statistics.GaussianStatistics(), NEARLY_NOTHING)

    counts = first_epsilon(fit.gram)[:, 0, 0]

    assert np.abs(counts).max() < 1e-6


class TestOutputPerturbation:
    """Noise of density proportional to exp(-epsilon |b| / sensitivity)."""

    MECHANISM = perturbation.OutputPerturbation(radius=1e9, penalty=2.0)

    @pytest.fixture
    def noise(self):
        """The noise on the weights, (repeats, inputs)."""
        return first_epsilon(released(self.MECHANISM).weights)

    def test_the_length_of_output_noise_follows_a_gamma_law(self, noise):
        sensitivity = self.MECHANISM.l2_sensitivity(2.0, inputs=INPUTS, rows=ROWS)

        lengths = np.linalg.norm(noise, axis=1)

        assert_law(lengths, stats.gamma(INPUTS, scale=sensitivity / EPSILON))

    def test_the_direction_of_output_noise_is_uniform(self, noise):
        directions = noise / np.linalg.norm(noise, axis=1, keepdims=True)
        coordinate = directions[:, 0]

        # A coordinate of a uniform point on the sphere in 4 dimensions.
        half = (INPUTS - 1) / 2
        assert_law(coordinate, stats.beta(half, half, loc=-1, scale=2))


def test_a_step_of_descent_has_gaussian_noise_for_its_clipping_norm():
    clip_norm = 0.3
    step = Descent(steps=1, radius=1e9, rate=1.0, clip_norm=clip_norm)
    rows = Rows.of(np.zeros((ROWS, INPUTS)), np.zeros(ROWS))

    moves = first_epsilon(released(step, rows).weights)

    sensitivity = 2 * clip_norm / ROWS
    assert_law(moves, stats.norm(scale=sensitivity / gdp.mu_of(EPSILON, delta=DELTA)))


@pytest.mark.parametrize("name", linear.REGRESSIONS)
class TestStreams:
    """Repeat r has one stream of noise, at every epsilon and however many repeats there are."""

    @staticmethod
    def noise_of(name: str, *, repeats: int, seed: int = 3) -> np.ndarray:
        """Return the unscaled noise of the mechanism of this name, (repeats, draws)."""
        mechanism = linear.mechanism(name)
        return linear.standard_noise(mechanism, inputs=INPUTS, repeats=repeats, seed=seed)

    @staticmethod
    def weights_of(name: str, noise: np.ndarray, epsilons: list[float]) -> np.ndarray:
        """Return the weights of each epsilon and repeat, (epsilons, repeats, inputs)."""
        mechanism = linear.mechanism(name)
        data = data_of(mechanism, *rows_of())
        return mechanism.fit(data, noise, np.array(epsilons)).weights

    def test_more_repeats_begin_with_the_same_ones(self, name):
        few = self.noise_of(name, repeats=3)
        many = self.noise_of(name, repeats=7)

        np.testing.assert_array_equal(few, many[:3])

    def test_another_seed_has_other_noise(self, name):
        noise = self.noise_of(name, repeats=7, seed=3)
        other_noise = self.noise_of(name, repeats=7, seed=4)

        assert not np.array_equal(noise, other_noise)

    def test_a_fit_does_not_depend_on_what_is_fitted_with_it(self, name):
        few = self.noise_of(name, repeats=3)
        many = self.noise_of(name, repeats=7)

        _, with_another_epsilon = self.weights_of(name, many, [0.3, 2.0])
        (alone,) = self.weights_of(name, few, [2.0])

        np.testing.assert_allclose(with_another_epsilon[:3], alone, rtol=ROUNDING)

    def test_another_epsilon_has_other_weights(self, name):
        noise = self.noise_of(name, repeats=7)

        weights, other_weights = self.weights_of(name, noise, [0.3, 2.0])

        assert not np.allclose(weights, other_weights)
