"""What a source releases: how far a row moves it, the noise on it, and what is promised."""

import dataclasses
import math

import numpy as np
import pytest
from scipy import stats

from dpcore import check
from dpcore.accountants import gdp
from dpcore.parties import source_releases
from dpcore.parties.objective_perturbation import ObjectivePerturbation
from dpcore.parties.source_releases import Budget
from dpcore.parties.source_rows import Part, Source
from dpcore.privacy import Adjacency
from dpcore.training import erm

# Estimates from so many draws and rows scatter by less.
CHANCE = 0.05
# Several standard errors of the mean of the rows.
CHANCE_OF_A_MEAN = 0.02

# Many saturated rows hold the minimum far out along the first axis, where two rows pull to opposite
# sides.
SATURATED, LAMBDA = 20_000, 1e-4
FAR = np.tile([-1.0, 0.0], (50, 1))


def mirrored_neighbours(cosine):
    """Return rows on the first axis but for one, and the same with its mirror image."""
    X = np.zeros((2, SATURATED, 2))
    X[:, :, 0] = 1.0
    sine = math.sqrt(1 - cosine**2)
    X[:, 0] = [[cosine, sine], [cosine, -sine]]
    return X


def distance(pair):
    """Return the L2 distance between the two vectors of a pair."""
    one, other = pair
    return np.linalg.norm(one - other)


def test_the_worst_neighbours_come_near_the_bound_of_a_hypothesis():
    y = np.ones((2, SATURATED), int)
    y[:, 0] = 0

    moved = [
        distance(source_releases.hypotheses(mirrored_neighbours(cosine), y, regularisation=LAMBDA))
        for cosine in np.linspace(0.1, 0.9, 9)
    ]

    bound = source_releases.hypothesis_sensitivity(SATURATED, LAMBDA)
    assert 0.84 < max(moved) / bound <= 1


def test_the_worst_neighbours_come_near_the_bound_of_a_tilt():
    moved = [
        distance(source_releases.tilts(mirrored_neighbours(-cosine), FAR, regularisation=LAMBDA))
        for cosine in np.linspace(0.1, 0.9, 9)
    ]

    bound = source_releases.tilt_sensitivity(SATURATED, LAMBDA)
    assert 0.84 < max(moved) / bound <= 1


def random_neighbours(rng, n, d):
    """Return random rows in the unit ball, and the same with another first row."""
    pair = np.stack([rng.normal(size=(n, d))] * 2)
    pair[:, 0] = rng.normal(size=(2, d))
    return pair / np.maximum(np.linalg.norm(pair, axis=-1, keepdims=True), 1)


def share_of_hypothesis_bound(rng):
    """Return how far a replaced row moves a random hypothesis, as a share of its bound."""
    n, d, strength = (int(size) for size in rng.integers([2, 1, 0], [12, 5, 4]))
    y = np.stack([rng.integers(0, 2, n)] * 2)
    y[1, 0] = rng.integers(0, 2)
    regularisation = 10.0**-strength
    found = source_releases.hypotheses(
        random_neighbours(rng, n, d), y, regularisation=regularisation
    )
    return distance(found) / source_releases.hypothesis_sensitivity(n, regularisation)


def share_of_tilt_bound(rng):
    """Return how far a replaced private row moves a random tilt, as a share of its bound."""
    n, m, d, strength = (int(size) for size in rng.integers([2, 1, 1, 0], [12, 12, 5, 4]))
    public = rng.normal(size=(m, d)) / math.sqrt(d) / 3
    regularisation = 10.0**-strength
    found = source_releases.tilts(
        random_neighbours(rng, n, d), public, regularisation=regularisation
    )
    return distance(found) / source_releases.tilt_sensitivity(n, regularisation)


@pytest.mark.parametrize("share_of_bound", [share_of_hypothesis_bound, share_of_tilt_bound])
def test_a_search_over_random_neighbours_stays_below_the_bound(share_of_bound):
    rng = np.random.default_rng(5)

    shares = [share_of_bound(rng) for _ in range(60)]

    assert 0.3 < max(shares) <= 1


class TestImportanceWeights:
    """Private and public rows of two Gaussians of one standard deviation."""

    rng = np.random.default_rng(1)
    private = rng.normal(0.1, 0.2, size=(20_000, 1))
    public = rng.normal(-0.1, 0.2, size=(20_000, 1))

    def tilt(self):
        """Return the tilt of the public rows towards the private ones, (1,)."""
        return source_releases.tilts(self.private, self.public, regularisation=1e-6)

    def weights(self):
        """Return the importance weights of the public rows, (20000,)."""
        return source_releases.importance_weights(self.tilt(), self.public)

    def test_the_slope_of_log_importance_weights_is_the_distance_over_the_variance(self):
        assert self.tilt()[0] == pytest.approx(0.2 / 0.2**2, rel=CHANCE)

    def test_importance_weights_are_positive_and_their_mean_is_1(self):
        assert self.weights().min() >= 0
        assert self.weights().mean() == pytest.approx(1)

    def test_weighted_public_rows_have_the_private_mean(self):
        mean = np.average(self.public[:, 0], weights=self.weights())

        assert mean == pytest.approx(self.private.mean(), abs=CHANCE_OF_A_MEAN)

    def test_a_huge_tilt_has_finite_weights(self):
        weights = source_releases.importance_weights(np.array([1e5]), self.public)

        assert np.isfinite(weights).all()


def part_of(rng, *, names=None, n=40, d=4):
    """Return random rows in the unit ball with random labels."""
    X = rng.normal(size=(n, d))
    X /= np.maximum(np.linalg.norm(X, axis=1, keepdims=True), 1)
    return Part(rows=np.arange(n) if names is None else names, X=X, y=rng.integers(0, 2, n))


def source_of(labelled):
    """Return a source whose unlabelled rows are like its labelled ones, under other names."""
    unlabelled = dataclasses.replace(labelled, rows=labelled.rows + 100)
    return Source(labelled=labelled, unlabelled=unlabelled)


class TestSource:
    def test_two_parts_without_a_common_row_are_accepted(self):
        rng = np.random.default_rng(0)

        Source(labelled=part_of(rng), unlabelled=part_of(rng, names=np.arange(40, 80)))

    @pytest.mark.parametrize(
        ("names", "why"),
        [
            pytest.param(np.arange(39, 79), "1 rows", id="one in both"),
            pytest.param(np.arange(40), "40 rows", id="all in both"),
            pytest.param(np.full(40, 50), "rows", id="one twice"),
        ],
    )
    def test_a_row_that_is_there_twice_is_refused(self, names, why):
        rng = np.random.default_rng(0)

        with pytest.raises(check.RefusedError, match=why):
            Source(labelled=part_of(rng), unlabelled=part_of(rng, names=names))

    def test_rows_outside_of_the_unit_ball_are_refused(self):
        with pytest.raises(check.RefusedError, match="unit ball"):
            Part(rows=np.arange(2), X=np.full((2, 2), 0.8))

    def test_labelled_rows_without_labels_are_refused(self):
        one = Part(rows=np.arange(2), X=np.zeros((2, 2)))
        other = Part(rows=np.arange(2, 4), X=np.zeros((2, 2)))

        with pytest.raises(check.RefusedError, match="labels"):
            Source(labelled=one, unlabelled=other)


def released(budget, *, repeats, d=6):
    """Return fits of two sources, and their releases with noise in many repeats."""
    rng = np.random.default_rng(2)
    sources = [source_of(part_of(rng, d=d)) for _ in range(2)]
    public = rng.normal(size=(30, d)) / 10
    fitted = source_releases.fit(sources, public, lambda_lr=0.1, lambda_iw=0.05)
    repeated = dataclasses.replace(
        fitted, hypotheses=fitted.hypotheses[:, None], tilts=fitted.tilts[:, None]
    )
    draws = [source_releases.draws(budget.noise, d, rng) for _ in range(4 * repeats)]
    noise = np.reshape(draws, (2, repeats, 2, d))
    return fitted, source_releases.release(repeated, budget, noise)


class TestNormExponentialNoise:
    """The noise of two sources on a hypothesis and on a tilt, in 1,500 repeats."""

    budget = Budget(epsilon=0.7)

    @pytest.fixture(scope="class")
    @classmethod
    def releases(cls):
        """Return the releases of the two sources, each with the noise of all repeats."""
        _, releases = released(cls.budget, repeats=1500)
        return releases

    @pytest.fixture(scope="class")
    @classmethod
    def noises(cls):
        """Each noise with the sensitivity that it is for."""
        fitted, releases = released(cls.budget, repeats=1500)
        found = []
        for place, one in enumerate(releases):
            found.append((one.hypothesis - fitted.hypotheses[place], 2 / (40 * 0.1)))
            found.append((one.tilt - fitted.tilts[place], 2 / (40 * 0.05)))
        return found

    def test_both_releases_together_cost_a_row_epsilon_once(self, releases):
        for one in releases:
            assert one.guarantee.epsilon == 0.7
            assert one.guarantee.delta == 0
            assert one.guarantee.unit == "record"
            assert one.guarantee.adjacency is Adjacency.REPLACE_ONE

    def test_the_length_of_the_noise_is_gamma(self, noises):
        for noise, sensitivity in noises:
            law = stats.gamma(6, scale=sensitivity / 0.7)
            assert stats.kstest(np.linalg.norm(noise, axis=1), law.cdf).pvalue > 1e-3

    def test_the_direction_of_the_noise_is_uniform(self, noises):
        for noise, _ in noises:
            cosine = noise[:, 0] / np.linalg.norm(noise, axis=1)
            # The first coordinate of a uniform direction, squared, is Beta(1/2, (d - 1)/2).
            assert stats.kstest(cosine**2, stats.beta(0.5, 2.5).cdf).pvalue > 1e-3

    def test_each_coordinate_has_the_stated_sd(self, noises):
        for noise, sensitivity in noises:
            expected = self.budget.coordinate_sd(sensitivity, dimension=6)
            assert noise.std() == pytest.approx(expected, rel=CHANCE)

    def test_every_source_and_both_of_its_releases_have_noise_of_their_own(self, noises):
        together = np.hstack([noise for noise, _ in noises])
        correlations = np.corrcoef(together.T)

        assert np.abs(correlations - np.eye(24)).max() < 0.12


def test_gaussian_noise_has_the_exact_sd():
    budget = Budget(epsilon=1.5, noise="gaussian", delta=1e-4)
    fitted, (first, _) = released(budget, repeats=1500)

    sd = fitted.hypothesis_sensitivity / gdp.mu_of(1.5, delta=1e-4)
    noise = (first.hypothesis - fitted.hypotheses[0]).ravel()
    assert stats.kstest(noise, stats.norm(scale=sd).cdf).pvalue > 1e-3


def test_a_gaussian_budget_promises_its_delta():
    budget = Budget(epsilon=1.5, noise="gaussian", delta=1e-4)

    assert budget.guarantee.delta == 1e-4


def test_an_infinite_budget_releases_the_fit_and_promises_nothing():
    fitted, (first, _) = released(Budget(epsilon=math.inf), repeats=1)

    assert first.guarantee is None
    np.testing.assert_array_equal(first.tilt[0], fitted.tilts[0])


def test_an_infinite_budget_refuses_to_state_a_guarantee():
    with pytest.raises(check.RefusedError):
        _ = Budget(epsilon=math.inf).guarantee


class TestUnfinishedFits:
    """All noise is made for ``erm.TOLERANCE``: what is not there is not released."""

    rng = np.random.default_rng(2)
    X, y = rng.uniform(-0.5, 0.5, size=(50, 3)), rng.integers(0, 2, 50)

    def fit(self, what):
        """Return a hypothesis, a tilt, or the minimum of a perturbed objective, (3,)."""
        if what == "hypothesis":
            return source_releases.hypotheses(self.X, self.y, regularisation=1e-3)
        if what == "tilt":
            return source_releases.tilts(self.X, self.X[:9], regularisation=1e-3)
        perturbed = ObjectivePerturbation(rows=50, regularisation=1e-3, epsilon=1.0)
        return perturbed.minimise(self.X, self.y, np.ones(3))

    @pytest.mark.parametrize("what", ["hypothesis", "tilt", "perturbed"])
    def test_a_fit_reaches_the_tolerance_and_is_released(self, what):
        assert np.isfinite(self.fit(what)).all()

    @pytest.mark.parametrize("what", ["hypothesis", "tilt", "perturbed"])
    def test_a_fit_that_stops_after_one_step_is_refused(self, what, monkeypatch):
        monkeypatch.setattr(erm, "_STEPS", 1)

        with pytest.raises(ArithmeticError, match="minimiser"):
            self.fit(what)
