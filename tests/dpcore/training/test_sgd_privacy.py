"""The noise of DP-SGD is made for what one row can do, and counted as what it is."""

import math

import numpy as np
import pytest

from dpcore.schedules import SHAPES
from dpcore.training.networks import Architecture
from tests.accounting_oracles import epsilon
from tests.event_builders import sampled
from tests.sgd_runs import SAMPLING_RATE, STEPS, gradient_sum, recipe

# Two layers, of 9 and of 8 weights.
SMALL = Architecture(sizes=(2, 3, 2))
WEIGHTS_OF_LAYERS = [9, 8]
# Bounds are never passed but for rounding.
ROUNDING = 1e-9


def moves_of_rows(weights, X, y, **options) -> np.ndarray:
    """Return how the sum moves when each row is taken away, (rows, weights)."""
    whole = gradient_sum(SMALL, weights, X, y, **options)
    moves = []
    for row in range(len(X)):
        fewer_X = np.delete(X, row, axis=0)
        fewer_y = np.delete(y, row)
        moves.append(whole - gradient_sum(SMALL, weights, fewer_X, fewer_y, **options))
    return np.array(moves)


class TestOneRow:
    """Add/remove: noise is made for the most that one row can move the sum by."""

    @pytest.fixture(params=[0.1, 3.0, 30.0], ids=lambda scale: f"scale {scale}")
    def examples(self, request):
        """Ten sets of weights and rows; rows of a larger scale have longer gradients."""
        rng = np.random.default_rng(0)
        examples = []
        for _ in range(10):
            X = rng.normal(scale=request.param, size=(8, 2))
            y = rng.integers(0, 2, 8)
            weights = rng.normal(scale=2.0, size=SMALL.parameters)
            examples.append((weights, X, y))
        return examples

    @staticmethod
    def largest_move(examples, clip_norm, unit=1.0) -> float:
        """Return the largest L2 norm of a move, each weight in its unit."""
        largest = 0.0
        for weights, X, y in examples:
            moves = moves_of_rows(weights, X, y, clip_norm=clip_norm)
            largest = max(largest, np.linalg.norm(moves / unit, axis=1).max())
        return largest

    @pytest.mark.parametrize(
        "clip_norm", [0.01, 1.0, 50.0, (1e-3, 2e-3), (0.5, 0.1), (20.0, 1.0)], ids=str
    )
    def test_no_row_moves_the_sum_by_more_than_the_norm_of_all_bounds(self, examples, clip_norm):
        move = self.largest_move(examples, clip_norm)

        assert move <= np.linalg.norm(clip_norm) * (1 + ROUNDING)

    @pytest.mark.parametrize("clip_norm", [0.01, 1.0, 50.0])
    def test_no_row_moves_the_sum_by_more_than_one_bound(self, examples, clip_norm):
        move = self.largest_move(examples, clip_norm, unit=clip_norm)

        assert move <= 1 + ROUNDING

    @pytest.mark.parametrize("clip_norms", [(1e-3, 2e-3), (0.5, 0.1), (20.0, 1.0)], ids=str)
    def test_no_row_moves_two_layers_by_more_than_sqrt_2_in_units_of_the_noise(
        self, examples, clip_norms
    ):
        """Each layer has noise for its own bound."""
        unit = np.repeat(clip_norms, WEIGHTS_OF_LAYERS)

        move = self.largest_move(examples, clip_norms, unit=unit)

        assert move <= math.sqrt(2) * (1 + ROUNDING)

    def test_some_row_moves_the_sum_by_a_small_bound(self, examples):
        move = self.largest_move(examples, 0.01, unit=0.01)

        assert move == pytest.approx(1, rel=ROUNDING)

    def test_some_row_moves_both_layers_by_small_bounds(self, examples):
        clip_norms = (1e-3, 2e-3)
        unit = np.repeat(clip_norms, WEIGHTS_OF_LAYERS)

        move = self.largest_move(examples, clip_norms, unit=unit)

        assert move == pytest.approx(math.sqrt(2), rel=ROUNDING)

    @pytest.mark.parametrize("end", [0.2, 3.0])
    @pytest.mark.parametrize("step", [0, 5, 10], ids=["first", "middle", "last"])
    def test_a_bound_that_changes_holds_in_each_of_11_steps(self, end, step):
        rng = np.random.default_rng(2)
        X = rng.normal(scale=3, size=(8, 2))
        y = rng.integers(0, 2, 8)
        weights = rng.normal(size=SMALL.parameters)

        moves = moves_of_rows(
            weights, X, y, clip_norm=0.01, step=step, steps=11, clip_ramp=end, shape="linear"
        )

        bound = 0.01 * (1 + (end - 1) * step / 10)
        assert np.linalg.norm(moves, axis=1).max() == pytest.approx(bound, rel=ROUNDING)


class TestAccounting:
    @pytest.mark.parametrize("accountant", ["renyi", "pld"])
    @pytest.mark.parametrize(
        ("clip_norms", "sizes"),
        [
            pytest.param((0.3, 1.0), (3, 3, 2), id="2 layers"),
            pytest.param((0.3, 1.0, 2.0), (2, 3, 3, 2), id="3 layers"),
        ],
    )
    def test_layers_cost_as_much_as_one_release_of_less_noise(self, clip_norms, sizes, accountant):
        options = {"network": Architecture(sizes=sizes), "sampling_rate": 0.02, "steps": 500}
        by_layers = recipe(clip_norms, **options)
        as_a_whole = recipe(5.0, **options)

        epsilon_of_layers = epsilon(by_layers.event(2.0), accountant)
        epsilon_of_whole = epsilon(as_a_whole.event(2.0 / math.sqrt(len(clip_norms))), accountant)

        assert epsilon_of_layers == pytest.approx(epsilon_of_whole, rel=1e-6)

    @pytest.mark.parametrize("shape", SHAPES)
    @pytest.mark.parametrize("decay", [0.01, 1.0])
    def test_neither_learning_rate_nor_clip_norm_costs_anything(self, shape, decay):
        """Noise is scaled with the clip norm."""
        changed = recipe(7.0, shape=shape, decay=decay, clip_ramp=decay, learning_rate=7.0)

        assert changed.event(2.0) == sampled(SAMPLING_RATE, 2.0, STEPS)

    @pytest.mark.parametrize(
        "usual",
        [
            pytest.param(recipe(), id="as a whole"),
            pytest.param(recipe((0.3,), network=Architecture(sizes=(3, 2))), id="one layer"),
        ],
    )
    def test_training_is_a_number_of_sampled_releases(self, usual):
        assert usual.event(2.0) == sampled(SAMPLING_RATE, 2.0, STEPS)

    @pytest.mark.parametrize("accountant", ["moments", "renyi", "pld-coarse", "pld"])
    @pytest.mark.parametrize("clip_norm", [0.4, (0.3, 0.5)], ids=str)
    def test_the_calibrated_noise_is_enough_and_hardly_more(self, clip_norm, accountant):
        training = recipe(clip_norm, sampling_rate=0.05, steps=400)

        multiplier = training.noise_multiplier(epsilon=2.0, delta=1e-5, accountant=accountant)

        # A thousandth of epsilon may stay unspent.
        assert 2 * (1 - 1e-3) <= epsilon(training.event(multiplier), accountant) <= 2
