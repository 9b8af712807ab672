"""Noise whose norm is gamma and whose direction is uniform: its law, and the epsilon it spends."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.mechanisms import NormExponential

# Differences of logarithms in double precision.
ROUNDING = 1e-9

SENSITIVITY, EPSILON, DRAWS = 3.0, 2.0, 5000
SCALE = SENSITIVITY / EPSILON

some_dimensions = pytest.mark.parametrize("d", [1, 2, 100])
several_columns = pytest.mark.parametrize("d", [2, 100])


def drawn_noise(d):
    """Return many draws of the noise on d coordinates, as rows."""
    mechanism = NormExponential(sensitivity=SENSITIVITY, epsilon=EPSILON)
    return mechanism.noise(d, np.random.default_rng(d), size=DRAWS)


def log_density(points, *, centre):
    """Return the log density, but for a constant, of the published value when the true one is
    `centre`.
    """
    d = len(centre)
    radius = np.linalg.norm(points - centre, axis=1)
    return stats.gamma(d, scale=SCALE).logpdf(radius) - (d - 1) * np.log(radius)


@some_dimensions
def test_the_norm_is_gamma(d):
    norms = np.linalg.norm(drawn_noise(d), axis=1)

    assert stats.kstest(norms, stats.gamma(d, scale=SCALE).cdf).pvalue > 1e-3


@some_dimensions
def test_both_signs_are_equally_likely(d):
    positive = (drawn_noise(d)[:, [0, -1]] > 0).mean(axis=0)

    standard_error = 0.5 / math.sqrt(DRAWS)
    assert np.abs(positive - 0.5).max() < 4 * standard_error


@several_columns
@pytest.mark.parametrize("column", [0, -1])
def test_the_direction_is_uniform(d, column):
    noise = drawn_noise(d)

    squares = (noise[:, column] / np.linalg.norm(noise, axis=1)) ** 2
    # The square of one coordinate of a uniform direction is Beta(1/2, (d - 1)/2).
    assert stats.kstest(squares, stats.beta(0.5, (d - 1) / 2).cdf).pvalue > 1e-3


@several_columns
@pytest.mark.parametrize("column", [0, -1])
def test_the_norm_does_not_depend_on_the_direction(d, column):
    noise = drawn_noise(d)

    norms = np.linalg.norm(noise, axis=1)
    assert abs(np.corrcoef(norms, noise[:, column])[0, 1]) < 0.06


@some_dimensions
def test_densities_a_sensitivity_apart_differ_by_epsilon_at_most(d):
    noise = drawn_noise(d)
    neighbour = SENSITIVITY * noise[0] / np.linalg.norm(noise[0])

    log_ratio = log_density(noise[1:], centre=np.zeros(d)) - log_density(
        noise[1:], centre=neighbour
    )

    assert np.abs(log_ratio).max() <= EPSILON * (1 + 1e-9)


@some_dimensions
def test_epsilon_is_reached_beyond_both_values_on_their_line(d):
    neighbour = SENSITIVITY * np.eye(d)[0]
    beyond = np.multiply.outer([-3.0, 1.5, 9.0], neighbour)

    log_ratio = log_density(beyond, centre=np.zeros(d)) - log_density(beyond, centre=neighbour)

    assert np.abs(log_ratio) == pytest.approx(EPSILON, rel=ROUNDING)
