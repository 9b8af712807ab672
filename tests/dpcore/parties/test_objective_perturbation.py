"""Objective perturbation: the density of the minimum that is released, and its ratio on neighbours."""

import numpy as np
import pytest
from scipy import stats

from dpcore.parties import source_releases
from dpcore.parties.objective_perturbation import ObjectivePerturbation

PUBLIC = np.array([[-1.0, 0.0], [0.6, 0.8], [0.0, -0.5]])
some_sizes = pytest.mark.parametrize(
    ("n", "regularisation", "epsilon"), [(10, 0.1, 1.0), (20, 0.01, 0.3), (5, 0.05, 2.0)]
)


def probability(scores):
    """Return the logistic function of each score."""
    return 1 / (1 + np.exp(-scores))


def curvature(scores):
    """Return the second derivative of the logistic loss."""
    return probability(scores) * probability(-scores)


def log_density(W, X, y, *, strength, rate, public=None, divisor=None):
    """Return the log density of the minimum at points W (m, d), up to a constant, by a change of
    variables: b = -divisor (mean gradient + strength w) has norm-exponential noise.

    Public rows are on the other side, and weigh as much as all of X. The divisor is the number of
    rows of X if it is right.
    """
    n, d = X.shape
    signs, scores = 2 * y - 1, W @ X.T
    slope = -(signs * probability(-signs * scores)) @ X / n + strength * W
    hessian = np.einsum("mn,ni,nj->mij", curvature(scores), X, X) / n + strength * np.eye(d)
    if public is not None:
        scores = W @ public.T
        slope = slope + probability(scores) @ public / len(public)
        weights = curvature(scores) / len(public)
        hessian = hessian + np.einsum("mn,ni,nj->mij", weights, public, public)
    length = (divisor or n) * np.linalg.norm(slope, axis=1)
    _, log_volume = np.linalg.slogdet(hessian)
    return -rate * length / 2 + log_volume


def points_on_circles(radii, angles):
    """Return the points at each of the angles on a circle of each of the radii, (points, 2)."""
    radius, turn = np.meshgrid(radii, angles)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=-1).reshape(-1, 2)


GRID = points_on_circles(np.geomspace(0.05, 60, 25), np.linspace(0, 2 * np.pi, 49))
UNIT_CIRCLE = points_on_circles([1.0], np.linspace(0, 2 * np.pi, 17)[:-1])


def largest_log_ratio(n, *, public=None, **options):
    """Return the largest log ratio between the densities of neighbours, over a grid.

    The first row is nothing or on the unit circle (one of the other class is its mirror image), and
    all others are nothing or at one place.
    """
    ratios = []
    for other_rows in (np.zeros(2), UNIT_CIRCLE[2]):
        X = np.tile(other_rows, (n, 1))
        y = np.full(n, int(public is not None))
        densities = []
        for first_row in (np.zeros(2), *UNIT_CIRCLE):
            X[0] = first_row
            densities.append(log_density(GRID, X, y, public=public, **options))
        largest_at_point = np.ptp(np.array(densities), axis=0)
        ratios.append(largest_at_point.max())
    return max(ratios)


@some_sizes
def test_no_neighbours_of_a_minimum_are_told_apart_by_more_than_epsilon(n, regularisation, epsilon):
    made = ObjectivePerturbation(rows=n, regularisation=regularisation, epsilon=epsilon)

    ratio = largest_log_ratio(n, strength=regularisation + made.extra, rate=2 / made.scale)

    assert 0.45 * epsilon < ratio <= epsilon * (1 + 1e-9)


@some_sizes
def test_no_neighbours_of_a_tilt_are_told_apart_by_more_than_epsilon(n, regularisation, epsilon):
    made = ObjectivePerturbation(rows=n, regularisation=regularisation, epsilon=epsilon)

    ratio = largest_log_ratio(n, strength=made.strength, rate=2 / made.scale, public=PUBLIC)

    assert 0.4 * epsilon < ratio <= epsilon * (1 + 1e-9)


def test_a_density_without_the_change_of_volume_exceeds_epsilon():
    assert largest_log_ratio(3, strength=0.01, rate=0.5) > 1.5 * 0.5


def test_a_mean_divided_by_public_rows_too_exceeds_epsilon():
    """The mean of the private rows has weight 1, however many public ones there are."""
    made = ObjectivePerturbation(rows=10, regularisation=0.1, epsilon=1.0)

    ratio = largest_log_ratio(
        10, strength=made.strength, rate=2 / made.scale, public=PUBLIC, divisor=40
    )

    assert ratio > 1.5


class TestSwitchOfTheTheorem:
    """Where the price of volume would take nearly all of epsilon, there is more regularisation."""

    made = tuple(
        ObjectivePerturbation(rows=1000, regularisation=0.001, epsilon=epsilon)
        for epsilon in np.geomspace(0.05, 5, 400)
    )

    def test_noise_stays_bounded_at_a_small_epsilon(self):
        assert all(one.scale <= 4 / one.epsilon for one in self.made)

    def test_a_larger_epsilon_has_no_more_extra_regularisation(self):
        extras = [one.extra for one in self.made]

        assert extras == sorted(extras, reverse=True)

    def test_a_small_epsilon_has_some_and_a_large_one_none(self):
        assert self.made[0].extra > 0
        assert self.made[-1].extra == 0


def noise_draws(repeats):
    """Return norm-exponential noise of scale 1 in one dimension, (repeats, 1)."""
    rng = np.random.default_rng(4)
    return np.array([source_releases.draws("objective", 1, rng) for _ in range(repeats)])


class TestDensity:
    """4,000 minima on twelve rows of one number follow the density of the tests above."""

    rng = np.random.default_rng(5)
    X, y = rng.choice([-1.0, 0.5, 1.0], (12, 1)), rng.integers(0, 2, 12)
    draws = noise_draws(4000)
    made = ObjectivePerturbation(rows=12, regularisation=0.2, epsilon=1.2)

    def pvalue(self, found, y, **how):
        """Of a test that what was found has the density."""
        grid = np.linspace(-40, 40, 40_001)
        density = np.exp(log_density(grid[:, None], self.X, y, rate=2 / self.made.scale, **how))
        cdf = np.cumsum(density) / density.sum()
        return stats.kstest(found[:, 0], lambda w: np.interp(w, grid, cdf)).pvalue

    def test_minima_follow_the_stated_density(self):
        rows = np.broadcast_to(self.X, (4000, 12, 1))
        labels = np.broadcast_to(self.y, (4000, 12))

        found = self.made.minimise(rows, labels, self.draws)

        assert self.pvalue(found, self.y, strength=0.2 + self.made.extra) > 1e-3

    def test_tilts_follow_the_stated_density(self):
        public = np.array([[-1.0], [0.3]])
        rows = np.broadcast_to(self.X, (4000, 12, 1))

        found = source_releases.tilts(
            rows,
            public,
            regularisation=self.made.strength,
            centre=self.made.centre(self.draws),
        )

        private = np.ones(12, int)
        assert self.pvalue(found, private, strength=self.made.strength, public=public) > 1e-3
