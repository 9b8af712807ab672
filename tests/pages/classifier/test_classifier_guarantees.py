"""What the versions of the classifier's mechanism claim and what holds, by the formulas on paper."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import gdp
from dpcore.accountants.attacker import best_attacker
from dpcore.privacy import Adjacency
from lab.models import classifier_versions
from pages.classifier.settings import ClassifierSettings

DELTA = 1e-5
# Beyond this mu the integral of ``gaussian_delta`` is too coarse.
LARGEST_MU = 8


def gaussian_delta(epsilon: float, mu: float) -> float:
    """Return delta of a mu-GDP release by plain integration of max(0, p - e^epsilon q)."""
    x = np.linspace(-12, 12 + mu, 400_001)
    gap = stats.norm.pdf(x, mu) - math.exp(epsilon) * stats.norm.pdf(x)
    return np.maximum(gap, 0).sum() * (x[1] - x[0])


# The correct version


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("dataset", ["gaussians", "digits"])
@pytest.mark.parametrize("epsilon", [0.01, 0.5, 150.0])
class TestCorrectVersion:
    def settings_of(self, adjacency, dataset, epsilon) -> ClassifierSettings:
        """Return settings of the correct version with an adjacency, a data set and an epsilon."""
        return ClassifierSettings(
            dataset=dataset, epsilon=epsilon, adjacency=str(adjacency), repeats=3, steps=6
        )

    def test_it_holds_whatever_the_bounds_of_rows(self, adjacency, dataset, epsilon):
        guarantees = classifier_versions.guarantees(self.settings_of(adjacency, dataset, epsilon))

        assert guarantees.holds
        assert guarantees.formula == guarantees.bounded == guarantees.unbounded

    def test_it_gives_what_it_claims(self, adjacency, dataset, epsilon):
        guarantees = classifier_versions.guarantees(self.settings_of(adjacency, dataset, epsilon))

        assert guarantees.claimed == epsilon
        assert epsilon * (1 - 1e-9) < guarantees.formula.epsilon <= epsilon
        assert guarantees.formula.delta == DELTA
        assert guarantees.formula.adjacency == adjacency

    def test_the_best_attacker_is_the_one_against_the_noise(self, adjacency, dataset, epsilon):
        settings = self.settings_of(adjacency, dataset, epsilon)
        mu = gdp.mu_of(epsilon, delta=settings.delta)

        attacker = best_attacker(settings.guarantee)

        assert attacker.right == pytest.approx(stats.norm.cdf(mu / 2), rel=1e-9)
        assert attacker == (attacker.right, "noise")
        assert 0.5 < attacker.right <= settings.guarantee.attacker_accuracy


@pytest.mark.parametrize("adjacency", Adjacency)
def test_without_privacy_nothing_is_guaranteed(adjacency):
    settings = ClassifierSettings(
        dataset="digits", adjacency=str(adjacency), repeats=3, steps=6, version="none"
    )

    guarantees = classifier_versions.guarantees(settings)

    assert not guarantees.holds
    assert guarantees.formula.epsilon == math.inf
    assert guarantees.bounded.epsilon == math.inf
    assert guarantees.unbounded.epsilon == math.inf


# The published version


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize(
    ("dataset", "features", "rows", "largest_residual"),
    [
        pytest.param("gaussians", 2, 400, 1.0, id="two classes"),
        pytest.param("iris", 4, 75, math.sqrt(2), id="three classes"),
    ],
)
@pytest.mark.parametrize("clip_norm", [0.01, 0.02, 1.0])
class TestPublishedVersion:
    EPSILON = 2.0
    STEPS = 40

    def settings_of(self, adjacency, dataset, clip_norm) -> ClassifierSettings:
        """Return settings of the published version with these values and no public rows."""
        return ClassifierSettings(
            adjacency=str(adjacency),
            epsilon=self.EPSILON,
            repeats=3,
            version="published",
            dataset=dataset,
            clip_norm=clip_norm,
            steps=self.STEPS,
            public_rows=0,
        )

    def published_noise_sd(self, clip_norm: float, rows: int) -> float:
        """Return the noise as the slides take it from the formula for a single release."""
        sensitivity = 2 * clip_norm / (rows * self.EPSILON)
        return sensitivity * math.sqrt(2 * self.STEPS * math.log(1.25 / DELTA))

    def sensitivities(
        self, adjacency, features, rows, largest_residual, clip_norm
    ) -> dict[str, Any]:
        """Return how far one row moves what the noise is added to, by the assumption on rows."""
        moved_rows = 1
        if adjacency is Adjacency.REPLACE_ONE:
            moved_rows = 2
        longest_gradient = largest_residual * math.sqrt(features + 1)
        return {
            "formula": moved_rows * clip_norm / rows,
            "bounded": min(2 * clip_norm, moved_rows * longest_gradient / rows),
            "unbounded": 2 * clip_norm,
        }

    def test_it_does_not_hold(
        self, adjacency, dataset, features, rows, largest_residual, clip_norm
    ):
        guarantees = classifier_versions.guarantees(self.settings_of(adjacency, dataset, clip_norm))

        assert not guarantees.holds

    def test_its_noise_is_that_of_the_slides(
        self, adjacency, dataset, features, rows, largest_residual, clip_norm
    ):
        settings = self.settings_of(adjacency, dataset, clip_norm)

        noise_sd = classifier_versions.noise_sd(settings, self.EPSILON)

        assert noise_sd == pytest.approx(self.published_noise_sd(clip_norm, rows), rel=1e-12)

    def test_its_actual_epsilons_follow_from_sensitivity_and_noise(
        self, adjacency, dataset, features, rows, largest_residual, clip_norm
    ):
        noise_sd = self.published_noise_sd(clip_norm, rows)
        sensitivities = self.sensitivities(adjacency, features, rows, largest_residual, clip_norm)

        guarantees = classifier_versions.guarantees(self.settings_of(adjacency, dataset, clip_norm))

        for name, sensitivity in sensitivities.items():
            mu = sensitivity * math.sqrt(self.STEPS) / noise_sd
            epsilon = getattr(guarantees, name).epsilon
            assert epsilon == pytest.approx(gdp.epsilon_of(DELTA, mu=mu), rel=1e-9), name
            if mu < LARGEST_MU:
                assert gaussian_delta(epsilon, mu) == pytest.approx(DELTA, rel=1e-3), name

    def test_fewer_assumptions_cost_more(
        self, adjacency, dataset, features, rows, largest_residual, clip_norm
    ):
        guarantees = classifier_versions.guarantees(self.settings_of(adjacency, dataset, clip_norm))

        assert guarantees.formula.epsilon <= guarantees.bounded.epsilon
        assert guarantees.bounded.epsilon <= guarantees.unbounded.epsilon


# The published table


def test_the_published_gains_have_three_slips():
    assert classifier_versions.misprinted_gains() == (0.1, 0.5, 150.0)


def test_the_published_gains_are_computed_anew():
    gains = [after - before for before, after, _ in classifier_versions.PUBLISHED.values()]

    np.testing.assert_allclose(gains, [0, 0.5, 1, 6.75, 10.25, 11, 11, 10.5, 10.5])
