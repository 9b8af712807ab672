"""What DP-SGD's audits rest on: the worst pair of rows, and what each departure from the sound version moves.

The audits themselves are in the audit table. The networks have no hidden layer and all inputs are 0, so that a row's
clipped gradient is C times a direction u that hardly moves: the worst that a row can do. The public lot L = q n and the
rates are the same in both worlds.
"""

import math

import numpy as np
import pytest

from dpcore.privacy import Adjacency
from dpcore.training import sgd
from dpcore.training.networks import Architecture

ADD = Adjacency.ADD_REMOVE
EPSILON, DELTA = 1.0, 1e-2
RATE, STEPS, OTHERS, CLIP = 0.2, 40, 50, 0.05
NET = Architecture(sizes=(1, 2))
# The gradient of a row of class 1 whose inputs are 0; that of class 0 is its opposite.
DIRECTION = np.array([0.0, 1.0, 0.0, -1.0]) / math.sqrt(2)


def recipe(variant, **changes):
    given = {"sampling_rate": RATE, "steps": STEPS, "learning_rate": 0.01, "clip_norm": CLIP, "variant": variant}
    return sgd.Recipe(architecture=NET, **given | changes)


SIGMA = recipe("sound").noise_multiplier(epsilon=EPSILON, delta=DELTA, accountant="pld")


def moves(present, *, variant, sigma, runs, opposed, others=OTHERS) -> np.ndarray:
    """Each step's move along u (runs, T) with the row or without it, in units of C and of a learning rate of 1.

    opposed: all others pull the other way with their whole C. Otherwise the network starts out so sure of them that
    their gradients are 0 exactly.
    """
    rows, start = others + present, np.zeros(4)
    if not opposed:
        start[[1, 3]] = 400.0, -400.0
    y = (np.arange(rows) >= others).astype(int)
    which = recipe(variant, learning_rate=0.01 * rows / others)  # keeps eta / L what it is without the row
    how = {"noise_multiplier": sigma, "seed": int(present), "draws": range(runs), "record": range(STEPS + 1)}
    path = sgd.train(which, np.zeros((rows, 1)), y, start=start, dtype=np.float64, **how)
    return (-np.diff(path.history, axis=0) @ DIRECTION).T / (0.01 * CLIP)


def test_the_sound_moves_are_the_worst_pair_of_the_theorem():
    """C in a share q of the steps on top of noise of sd sigma C, or that noise alone: nothing is hidden by luck."""
    how = {"variant": "sound", "sigma": 0.01, "runs": 2000, "opposed": False}
    with_row, without = (10 * moves(present, **how) for present in (True, False))
    assert with_row.mean() == pytest.approx(RATE, abs=4 * math.sqrt(RATE * (1 - RATE) / with_row.size))
    assert np.abs(with_row - with_row.round()).max() < 0.06
    assert set(np.unique(with_row.round())) == {0, 1}
    assert without.std() == pytest.approx(0.01, rel=0.02)


@pytest.mark.parametrize("size", [1, 10, 200])
def test_one_row_moves_the_realised_mean_by_nearly_twice_what_noise_is_made_for(size):
    """Others at -C and the row at +C: the mean moves by 2C/(m + 1), the noise is sigma C/(m + 1)."""
    which, means = recipe("realised", sampling_rate=1.0, steps=1, learning_rate=1.0), []
    for rows in (size, size + 1):
        y = (np.arange(rows) == size).astype(int)
        given = {"noise_multiplier": 0.0, "seed": 0, "draws": [0], "dtype": np.float64}
        means.append(-sgd.train(which, np.zeros((rows, 1)), y, start=np.zeros(4), **given).weights[0])
    assert np.linalg.norm(means[1] - means[0]) == pytest.approx(2 * CLIP / (size + 1), rel=1e-9)


def test_a_shuffled_lot_of_fixed_size_has_no_room_for_one_more():
    """The row takes the place of another: in one lot of each epoch the sum moves by 2C, in none by C."""
    moved = 10 * moves(True, variant="shuffled", sigma=0.0, runs=500, opposed=True) + 10
    assert set(np.unique(moved.round(6))) == {0, 2}
    each_epoch = (moved > 1).reshape(500, -1, 5).sum(axis=2)
    assert each_epoch.max() == 1
    assert each_epoch.mean() == pytest.approx(50 / 51, abs=0.01)  # one row in 51 is left over


def test_noise_inside_the_sum_is_larger_but_an_empty_lot_has_none():
    """sqrt(lot) times more: along u there is next to nothing to see. Of two rows or one, how often nothing moves tells
    them apart, however much noise is asked for."""
    noise = moves(False, variant="inside", sigma=SIGMA, runs=2000, opposed=False)
    assert noise.std() * 10 == pytest.approx(SIGMA * math.sqrt(10), rel=0.03)
    for sigma in (SIGMA, 1e6):
        pair = [moves(here, variant="inside", sigma=sigma, runs=1000, opposed=False, others=1) for here in (1, 0)]
        still = [(moved == 0).sum(axis=1) for moved in pair]
        assert np.mean(still[0]) == pytest.approx(STEPS * 0.8**2, rel=0.02)
        assert np.mean(still[1]) == pytest.approx(STEPS * 0.8, rel=0.02)
