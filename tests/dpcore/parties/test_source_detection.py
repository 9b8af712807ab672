"""Detection of public sources: fits, sensitivity, noise, and which sources are kept."""

import math

import numpy as np
import pytest
from scipy import stats

from dpcore.accountants import zcdp
from dpcore.parties import source_detection
from dpcore.parties.source_detection import (
    RESIDUAL_BOUND,
    Detection,
    clipped_losses,
    loss_sensitivity,
    source_statistics,
)
from dpcore.privacy import Adjacency
from lab.data import transfer_worlds

# Both solve the same system of equations in double precision.
ROUNDING = 1e-10

RHO = 0.5
ROWS = 400


def problem(rows: int) -> transfer_worlds.Problem:
    """Return a simulated regression of so many rows in 20 dimensions, with six sources."""
    return transfer_worlds.problem(seed=1, rows=rows, dimension=20, sources=6, difference=1.5)


@pytest.fixture(scope="module")
def detection() -> Detection:
    """Return the detection among six sources on ``ROWS`` rows, in 500 draws of its noise."""
    simulated = problem(ROWS)
    weights = source_statistics(simulated.sources, 40).separate_weights
    return source_detection.detect(
        simulated.X, simulated.y, weights, rho=RHO, seed=2, draws=range(500), part=4
    )


def test_fit_is_the_ridge_regression_of_the_kept_sources():
    sources = problem(50).sources
    kept = np.array([[True, False, True, False, False, False], [False] * 6])

    weights = source_statistics(sources, 30).fit(kept)

    first_X, first_y = sources[0](30)
    third_X, third_y = sources[2](30)
    # A ridge penalty of 1 is as good as a row of zeros with a single one per coefficient.
    X = np.concatenate([first_X, third_X, np.eye(20)])
    y = np.concatenate([first_y, third_y, np.zeros(20)])
    ridge, *_ = np.linalg.lstsq(X, y, rcond=None)
    with_two_sources, without_sources = weights
    np.testing.assert_allclose(with_two_sources, ridge, atol=ROUNDING)
    np.testing.assert_allclose(without_sources, 0)


@pytest.mark.parametrize("adjacency", Adjacency)
@pytest.mark.parametrize("dimension", [1, 3, 5])
def test_sensitivity_of_the_losses_is_tight(dimension, adjacency):
    rng = np.random.default_rng(dimension)
    rows = 6
    bound = 0.7
    largest = 0.0
    for trial in range(400):
        X = rng.uniform(-1, 1, (rows, dimension))
        y = rng.normal(size=rows)
        candidates = rng.normal(size=(4, dimension))
        other_x = rng.uniform(-1, 1, dimension)
        other_y = rng.normal()
        if trial % 4 == 0:
            # A row that all candidates predict exactly, replaced by one that all miss.
            X[-1] = 0
            y[-1] = 0
            other_x = rng.uniform(-1, 1, dimension)
            other_y = 100.0

        after = clipped_losses(
            np.vstack([X[:-1], other_x]),
            np.append(y[:-1], other_y),
            candidates,
            residual_bound=bound,
        )
        if adjacency is Adjacency.ADD_REMOVE:
            without = clipped_losses(X[:-1], y[:-1], candidates, residual_bound=bound)
            before = without * (rows - 1) / rows  # the public divisor stays
        else:
            before = clipped_losses(X, y, candidates, residual_bound=bound)
        largest = max(largest, float(np.linalg.norm(after - before)))

    claimed = loss_sensitivity(4, residual_bound=bound, rows=rows)
    assert largest <= claimed * (1 + 1e-12)
    assert largest == pytest.approx(claimed)


def test_noise_is_calibrated_to_rho(detection):
    candidates = 7  # six sources and w = 0
    sensitivity = math.sqrt(candidates) * RESIDUAL_BOUND**2 / (2 * ROWS)

    assert detection.sd == pytest.approx(sensitivity / math.sqrt(2 * RHO))
    assert zcdp.rho_of_event(source_detection.event(RHO)) == pytest.approx(RHO)


def test_noise_is_normal_and_independent(detection):
    noise = (detection.noisy - detection.losses) / detection.sd

    assert stats.kstest(noise.ravel(), stats.norm.cdf).pvalue > 1e-3
    assert np.abs(np.corrcoef(noise.T) - np.eye(7)).max() < 0.2


def test_sources_near_the_best_and_better_than_zero_are_kept(detection):
    zero = detection.noisy[:, :1]
    sources = detection.noisy[:, 1:]
    best = sources.min(axis=1, keepdims=True)

    near_best = sources <= best + 2 * detection.sd + 0.002
    np.testing.assert_array_equal(detection.kept, near_best & (sources < zero))
    assert detection.kept.any(axis=1).mean() > 0.9
