"""The noise of what parties release, and what it is made for."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import gdp, rdp
from dpcore.mechanisms import noisy_max
from dpcore.privacy import NormExponentialRelease
from dpcore.training import erm
from pages.parties import releases
from pages.parties.fits import fit_releases
from pages.parties.settings import PartiesSettings

# Differences of weights in double precision.
ROUNDING = 1e-9
# Noise is calibrated by a search that ends so near to epsilon.
CALIBRATION_ERROR = 1e-6

# A correct sampler fails one such test in a thousand seeds, and these seeds are fixed.
LEAST_P_VALUE = 1e-3
# Of the weights of four classes.
DIMENSIONS = 12


def noise_of(release: str, *, unlike: float) -> np.ndarray:
    """Return the noise at epsilon 0.5 and at 1, (2, repeats, ...)."""
    settings = PartiesSettings(parties=20, dataset="four", unlike=unlike)
    mechanisms = settings.mechanisms
    fitted = fit_releases(mechanisms.ensemble, 20).weights[release]
    return releases.release(mechanisms, release, 20, (0.5, 1.0), 300) - fitted


@pytest.mark.parametrize("release", ["vote", "soft", "average"])
class TestNoiseOfWeights:
    @pytest.fixture
    def mechanisms(self):
        """Return the mechanisms of 20 alike parties with four classes."""
        settings = PartiesSettings(parties=20, dataset="four", unlike=0.0)
        return settings.mechanisms

    @pytest.fixture
    def noise(self, release):
        """The noise at epsilon 0.5, (repeats, dimensions)."""
        at_half, _ = noise_of(release, unlike=0.0)
        return at_half.reshape(-1, DIMENSIONS)

    def test_the_event_is_a_norm_exponential_release(self, release, mechanisms):
        event = mechanisms.guarantee(release, 0.5).event

        assert event == NormExponentialRelease(epsilon=0.5, dimension=DIMENSIONS)

    def test_half_of_epsilon_has_twice_the_noise(self, release):
        at_half, at_one = noise_of(release, unlike=0.0)

        np.testing.assert_allclose(at_half, 2 * at_one, rtol=ROUNDING)

    def test_noise_on_weights_does_not_depend_on_what_the_parties_say(self, release):
        alike = noise_of(release, unlike=0.0)
        unlike = noise_of(release, unlike=0.9)

        np.testing.assert_allclose(alike, unlike, rtol=ROUNDING)

    def test_the_length_of_the_noise_follows_a_gamma_law_for_its_sensitivity(
        self, release, mechanisms, noise
    ):
        lengths = np.linalg.norm(noise, axis=1)

        in_units_of_the_scale = lengths * 0.5 / mechanisms.sensitivity(release)

        law = stats.gamma(DIMENSIONS)
        assert stats.kstest(in_units_of_the_scale, law.cdf).pvalue > LEAST_P_VALUE

    def test_the_direction_of_the_noise_is_uniform(self, release, noise):
        directions = noise / np.linalg.norm(noise, axis=1, keepdims=True)
        coordinate = directions[:, 0]

        # A coordinate of a uniform point on the sphere in 12 dimensions, from [-1, 1] to [0, 1].
        half = (DIMENSIONS - 1) / 2
        law = stats.beta(half, half)
        assert stats.kstest((coordinate + 1) / 2, law.cdf).pvalue > LEAST_P_VALUE


class TestFitsThatEndAtTheTolerance:
    @pytest.fixture
    def settings(self):
        """Return settings of 20 parties with sharp constants."""
        return PartiesSettings(parties=20, seed=5, constants="sharp")

    @pytest.mark.parametrize(
        ("release", "parties"),
        [pytest.param("vote", 1, id="vote"), pytest.param("soft", 20, id="soft")],
    )
    def test_the_sensitivity_covers_the_tolerance_of_two_fits(self, settings, release, parties):
        ensemble = settings.ensemble
        mean_norm = np.linalg.norm(ensemble.rows["public"].X, axis=1).mean()
        of_exact_fits = mean_norm / ensemble.regularisation / parties
        of_tolerance = 2 * erm.TOLERANCE / ensemble.regularisation

        sensitivity = settings.mechanisms.sensitivity(release)

        assert sensitivity == pytest.approx(of_exact_fits + of_tolerance, rel=ROUNDING)

    def test_a_fit_that_does_not_reach_the_tolerance_is_not_released(self, settings, monkeypatch):
        mechanisms = settings.mechanisms
        monkeypatch.setattr(erm, "_STEPS", 1)
        fit_releases.cache_clear()

        with pytest.raises(ArithmeticError, match="minimiser"):
            releases.release(mechanisms, "soft", 20, (0.5,), 1)


class TestNoiseOfPate:
    """One party changes two counts of a question by 1."""

    EPSILON = 1.3

    @pytest.fixture
    def settings(self):
        """Return settings with four classes at ``EPSILON``."""
        return PartiesSettings(dataset="four", epsilon=self.EPSILON)

    @pytest.fixture
    def sd(self, settings):
        """Return the standard deviation of PATE's noise on a count."""
        return settings.mechanisms.pate_noise_sd(self.EPSILON)

    def test_a_question_costs_alpha_over_the_variance_of_renyi_divergence(self, sd):
        orders = (1.5, 2.0, 8.0)

        divergences = rdp.divergences(noisy_max.winner_event(sd), orders)

        np.testing.assert_allclose(divergences, np.array(orders) / sd**2)

    def test_all_questions_together_cost_epsilon(self, settings, sd):
        mechanisms = settings.mechanisms
        mu_of_question = math.sqrt(2) / sd
        mu = math.sqrt(mechanisms.queries) * mu_of_question

        epsilon = gdp.epsilon_of(mechanisms.delta, mu=mu)

        assert epsilon == pytest.approx(self.EPSILON, rel=CALIBRATION_ERROR)

    def test_the_guarantee_has_the_set_epsilon(self, settings):
        epsilon = settings.guarantee_of("pate").epsilon

        assert epsilon == pytest.approx(self.EPSILON, rel=CALIBRATION_ERROR)
