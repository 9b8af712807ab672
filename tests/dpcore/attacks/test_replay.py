"""A replay finds a gradient that is not clipped in two runs, and accepts the correct descent."""

import numpy as np
import pytest

from dpcore.attacks.replay import replayed_move
from dpcore.privacy import Adjacency
from dpcore.training import descent

ROWS = 20
CLIP_NORM = 0.5


def data_set(label: int) -> tuple[np.ndarray, np.ndarray]:
    """Return rows of which the first is long, and has this class."""
    X = np.random.default_rng(0).uniform(-1, 1, size=(ROWS, 3))
    X[0] = [20.0, -20.0, 1.0]
    y = np.arange(ROWS) % 2
    y[0] = label
    return X, y


def first_step(clipping: descent.Clipping, noise_sd: float):
    """Return a release of the noisy mean gradient."""

    def release(data: tuple[np.ndarray, np.ndarray], seed: int) -> np.ndarray:
        """Return the weights (1, 3) after one step from 0, with the noise of this seed."""
        X, y = data
        path = descent.noisy_gradient_descent(
            X,
            y,
            n_classes=2,
            steps=1,
            learning_rate=1.0,
            clip_norm=CLIP_NORM,
            noise_sd=noise_sd,
            start=np.zeros((1, 3)),
            seed=seed,
            draws=[0],
            clipping=clipping,
            dtype=np.float64,
        )
        return path.weights[0]

    return release


def declared_sensitivity(adjacency: Adjacency) -> float:
    """Return the sensitivity of the mean gradient for which the engine makes its noise."""
    return descent.mean_noise_sd(1.0, clip_norm=CLIP_NORM, rows=ROWS, adjacency=adjacency)


@pytest.mark.parametrize("seed", range(3))
def test_a_correct_descent_moves_by_what_is_declared(seed):
    release = first_step("per-example", noise_sd=1.0)

    move = replayed_move(release, data_set(1), data_set(0), seed=seed)

    assert move == pytest.approx(declared_sensitivity(Adjacency.REPLACE_ONE))


@pytest.mark.parametrize("clipping", ["none", "average"])
@pytest.mark.parametrize("seed", range(3))
def test_a_descent_that_clips_no_single_row_moves_further(clipping, seed):
    release = first_step(clipping, noise_sd=1.0)

    move = replayed_move(release, data_set(1), data_set(0), seed=seed)

    assert move > 5 * declared_sensitivity(Adjacency.REPLACE_ONE)


def test_a_replaced_row_moves_twice_what_is_declared_for_a_removed_one():
    release = first_step("per-example", noise_sd=1.0)

    move = replayed_move(release, data_set(1), data_set(0), seed=0)

    assert move == pytest.approx(2 * declared_sensitivity(Adjacency.ADD_REMOVE))


def test_a_replay_does_not_see_missing_noise():
    noisy = first_step("per-example", noise_sd=1.0)
    noiseless = first_step("per-example", noise_sd=0.0)

    moves = [
        replayed_move(release, data_set(1), data_set(0), seed=0) for release in (noisy, noiseless)
    ]

    assert moves[0] == pytest.approx(moves[1])
