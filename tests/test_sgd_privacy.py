"""What DP-SGD promises: noise for no more than one row can do, counted as what it is."""

import math
from dataclasses import replace

import numpy as np
import pytest
from accounting_oracles import epsilon
from event_builders import sampled

from dpcore.training import sgd
from dpcore.training.networks import Architecture

ROWS, RATE, STEPS = 30, 0.3, 70
TWO_LAYERS = Architecture(sizes=(3, 5, 2))


def recipe(net, **changes):
    given = {"sampling_rate": RATE, "steps": STEPS, "learning_rate": 0.6, "decay": 0.2, "clip_norm": 0.4}
    return sgd.Recipe(architecture=net, **{**given, **changes})


def lot_sum(net, weights, X, y, *, clip_norm) -> np.ndarray:
    """The sum of the clipped gradients of the whole data set, as the engine forms it."""
    which = sgd.Recipe(architecture=net, sampling_rate=1.0, steps=1, learning_rate=1.0, clip_norm=clip_norm)
    found = sgd.train(which, X, y, start=weights, noise_multiplier=0.0, seed=0, draws=[0], dtype=np.float64)
    return (weights - found.weights[0]) * len(X)


class TestOneRow:
    """Add/remove: what noise is made for is the most that one row can move the sum by."""

    NET = Architecture(sizes=(2, 3, 2))

    def moves(self, weights, X, y, *, clip_norm):
        """By how much the sum moves when each row of the data set is taken away."""
        rest = [(np.delete(X, i, 0), np.delete(y, i)) for i in range(len(X))]
        whole, *rest = (lot_sum(self.NET, weights, *rows, clip_norm=clip_norm) for rows in ((X, y), *rest))
        return whole - np.array(rest)

    @pytest.mark.parametrize("scale", [0.1, 1.0, 30.0])
    @pytest.mark.parametrize("clip_norm", [0.01, 1.0, 50.0])
    def test_no_row_moves_the_sum_by_more_than_the_bound(self, clip_norm, scale):
        rng, most = np.random.default_rng(0), 0.0
        for _ in range(10):
            X, y = rng.normal(scale=scale, size=(8, 2)), rng.integers(0, 2, 8)
            weights = rng.normal(scale=2.0, size=self.NET.parameters)
            most = max(most, np.linalg.norm(self.moves(weights, X, y, clip_norm=clip_norm), axis=1).max())
        assert most <= clip_norm * (1 + 1e-9)
        if clip_norm < 1:
            assert most == pytest.approx(clip_norm, rel=1e-9)  # and some row does move it by that

    @pytest.mark.parametrize("bounds", [(1e-3, 2e-3), (0.5, 0.1), (20.0, 1.0)], ids=str)
    def test_no_row_moves_the_layers_by_more_than_their_bounds_together(self, bounds):
        rng, most, whole = np.random.default_rng(1), 0.0, 0.0
        scale = np.repeat(bounds, [9, 8])
        for _ in range(20):
            X, y = rng.normal(scale=3.0, size=(8, 2)), rng.integers(0, 2, 8)
            weights = rng.normal(scale=2.0, size=self.NET.parameters)
            moves = self.moves(weights, X, y, clip_norm=bounds)
            whole = max(whole, np.linalg.norm(moves, axis=1).max())
            # In units of the noise, where every layer has the same multiplier: sqrt(2) bounds of one layer.
            most = max(most, np.linalg.norm(moves / scale, axis=1).max())
        assert whole <= math.hypot(*bounds) * (1 + 1e-9)
        assert most <= math.sqrt(2) * (1 + 1e-9)
        if max(bounds) < 0.01:
            assert most == pytest.approx(math.sqrt(2), rel=1e-9)

    @pytest.mark.parametrize("end", [0.2, 3.0])
    def test_a_bound_that_changes_bounds_each_step_as_it_is(self, end):
        """All neighbours of a data set, in the first, a middle and the last of 11 steps."""
        rng = np.random.default_rng(2)
        X, y, weights = rng.normal(scale=3, size=(8, 2)), rng.integers(0, 2, 8), rng.normal(size=self.NET.parameters)
        changes = {"clip_norm": 0.01, "clip_ramp": end, "shape": "linear"}
        which = recipe(self.NET, sampling_rate=1.0, steps=11, learning_rate=1.0, decay=1.0, **changes)
        given = {"start": weights, "noise_multiplier": 0.0, "seed": 0, "draws": [0], "dtype": np.float64}

        def total(step, rows):
            found = sgd.train(which, X[rows], y[rows], first=step, last=step + 1, **given)
            return (weights - found.weights[0]) * len(rows)

        for step in (0, 5, 10):
            whole = total(step, np.arange(8))
            most = max(np.linalg.norm(whole - total(step, np.delete(np.arange(8), one))) for one in range(8))
            assert most == pytest.approx(0.01 * (1 + (end - 1) * step / 10), rel=1e-9)


class TestAccounting:
    @pytest.mark.parametrize("accountant", ["renyi", "pld"])
    def test_layers_are_one_release_of_less_noise(self, accountant):
        several = recipe(Architecture(sizes=(2, 3, 3, 2)), clip_norm=(0.3, 1.0, 2.0), sampling_rate=0.02, steps=500)
        events = several.event(2.0), replace(several, clip_norm=5.0).event(2.0 / math.sqrt(3))
        several, one = (epsilon(event, accountant) for event in events)
        assert several == pytest.approx(one, rel=1e-6)

    def test_the_event_is_what_happens(self):
        expected = sampled(RATE, 2.0, STEPS)
        assert recipe(TWO_LAYERS).event(2.0) == expected
        assert recipe(Architecture(sizes=(3, 2)), clip_norm=(0.3,)).event(2.0) == expected

    @pytest.mark.parametrize("accountant", ["moments", "renyi", "pld-coarse", "pld"])
    @pytest.mark.parametrize("clip_norm", [0.4, (0.3, 0.5)], ids=str)
    def test_the_calibrated_noise_is_enough_and_hardly_more(self, clip_norm, accountant):
        which = recipe(TWO_LAYERS, clip_norm=clip_norm, sampling_rate=0.05, steps=400)
        sigma = which.noise_multiplier(epsilon=2.0, delta=1e-5, accountant=accountant)
        assert 2 * (1 - 1e-3) <= epsilon(which.event(sigma), accountant) <= 2
