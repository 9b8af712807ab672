"""Lots in a fixed order: noisy prefix sums and their cost, against whole matrices and their
inverses.
"""

import math

import dp_accounting
import numpy as np
import pytest
from scipy.linalg import toeplitz as diagonals

from dpcore import accountants, check
from dpcore.privacy import Adjacency
from dpcore.streams import stream
from dpcore.training import batches, dp_ftrl, sgd
from dpcore.training.networks import Architecture
from dpcore.training.sgd_recipe import Recipe
from tests import network_oracles as plain

NET = Architecture(sizes=(3, 4, 2))
ROWS, RNG = 30, np.random.default_rng(5)
X, Y, START = RNG.normal(size=(ROWS, 3)), RNG.integers(0, 2, ROWS), NET.start(1, range(2))


def recipe(m=7, *, mechanism="toeplitz", steps=20, net=NET, **changes):
    given = {"learning_rate": 0.5, "clip_norm": 0.4, "decay": 1.0} | changes
    return Recipe(architecture=net, sampling_rate=1 / m, steps=steps, mechanism=mechanism, **given)


def train(which, **changes):
    given = {
        "start": START,
        "noise_multiplier": 1.5,
        "seed": 3,
        "draws": [4, 2],
        "dtype": np.float64,
    } | changes
    return sgd.train(which, X, given.pop("y", Y), **given)


def square_root(m: int) -> np.ndarray:
    """C (m, m) with c_k = binom(2k, k) / 4^k."""
    return np.tril(diagonals([math.comb(2 * k, k) / 4**k for k in range(m)]))


def on_the_sum(mechanism: str, steps: int, m: int) -> np.ndarray:
    """(T, T): the noise on each prefix sum, given independent noise: each pass has a fresh C."""
    one = square_root(m) if mechanism == "toeplitz" else np.tril(np.ones((m, m)))
    passes = -(-steps // m)
    whole = np.kron(np.eye(passes), one) + np.kron(
        np.tril(np.ones((passes, passes)), -1), np.tile(one[-1], (m, 1))
    )
    return whole[:steps, :steps]


def in_each_step(mechanism: str, steps: int, m: int) -> np.ndarray:
    """(T, T): the engine's noise of each step, as sums of independent noise."""
    if mechanism == "ordered":
        return np.eye(steps)
    return np.array(list(dp_ftrl.correlated(iter(np.eye(steps)), batches_per_pass=m, first=0)))


class TestTraining:
    def test_each_row_is_in_one_lot_of_each_pass_and_lots_are_even(self):
        drawn = [
            one[0][one[0] >= 0]
            for one in batches.ordered([0, 0], rows=ROWS, batches_per_pass=7, first=0, last=14)
        ]
        assert [sorted(np.concatenate(part)) for part in (drawn[:7], drawn[7:])] == [
            list(range(ROWS))
        ] * 2
        assert {len(one) for one in drawn} == {4, 5}

    @pytest.mark.parametrize("m", [1, 4, 7])
    def test_the_weights_are_those_of_the_noisy_prefix_sums(self, m):
        """w_t = w_0 - eta/L (S_t + Z_t), with one gradient at a time and the noise of whole
        matrices.
        """
        which, found = recipe(m), train(recipe(m), record=range(21))
        drawn = stream(3, "noise", 4).standard_normal((batches.BLOCK, NET.parameters))[:20]
        noise, total, w = on_the_sum("toeplitz", 20, m) @ drawn * 1.5 * 0.4, 0.0, START[0]
        for step in range(20):
            lot = [row for row in range(ROWS) if row % m == step % m]
            total = total + plain.lot_gradient(
                NET.sizes, w, X[lot], Y[lot], clip_norm=0.4, activation="tanh"
            )
            w = START[0] - which.learning_rate / (ROWS / m) * (total + noise[step])
            np.testing.assert_allclose(found.history[step + 1, 0], w, rtol=0, atol=1e-10)

    @pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
    @pytest.mark.parametrize("cuts", [(1,), (6, 7, 8), (13, 50, 51, 99), tuple(range(1, 120, 3))])
    def test_a_training_in_pieces_is_one_in_one_piece(self, mechanism, cuts):
        which = recipe(30, steps=120, mechanism=mechanism, decay=0.3)
        whole, weights = train(which).weights, START
        for first, last in zip((0, *cuts), (*cuts, 120), strict=True):
            weights = train(which, start=weights, first=first, last=last).weights
        np.testing.assert_array_equal(weights, whole)

    def test_what_is_not_proved_is_refused_by_name(self):
        unknown = {
            "variant": "shuffled",
            "noise_ramp": 0.5,
            "clip_ramp": 2.0,
            "mechanism": "forest",
        }
        for name, value in {**unknown, "m": 10 / 3}.items():  # no whole number of lots
            with pytest.raises(
                check.RefusedError, match=f"^{'sampling_rate' if name == 'm' else name} is "
            ):
                recipe(**{name: value})


class TestNoise:
    @pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
    @pytest.mark.parametrize("m", [1, 2, 5, 8, 13])
    def test_the_noise_of_the_steps_adds_up_to_that_of_the_sums(self, mechanism, m):
        steps = 2 * m + 3
        found = np.cumsum(in_each_step(mechanism, steps, m), axis=0)
        np.testing.assert_allclose(found, on_the_sum(mechanism, steps, m), atol=1e-12)

    @pytest.mark.parametrize("until", [0, 1, 6, 13, 20, 26])
    @pytest.mark.parametrize("m", [5, 13])
    def test_what_remains_of_it_in_the_weights(self, m, until):
        rates = 0.9 ** np.arange(until)
        expected = rates @ in_each_step("toeplitz", until, m) if until else rates
        np.testing.assert_allclose(
            dp_ftrl.noise_factors(rates, batches_per_pass=m), expected, atol=1e-14
        )


class TestSensitivity:
    """Noisy prefix sums of noise B z: a shift s of the steps' sums is |B^-1 s| sigma away, for the
    rows of any lot.
    """

    @pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
    @pytest.mark.parametrize("m", [1, 2, 3, 4, 7, 8, 11, 16])
    def test_no_row_moves_the_release_further_than_is_counted_and_one_moves_it_as_far(
        self, mechanism, m
    ):
        for steps in range(1, 2 * m + 4):
            counted = dp_ftrl.sensitivity(mechanism, steps, batches_per_pass=m) ** 2
            undo, squares = np.linalg.inv(in_each_step(mechanism, steps, m)), []
            for lot in range(min(m, steps)):  # a row of which moves each of its lots by C or -C
                signs = np.random.default_rng(0).choice(
                    [-1.0, 1.0], size=(4, len(range(lot, steps, m)))
                )
                squares += [np.square(undo[:, lot::m] @ one).sum() for one in signs]
            assert max(squares) == pytest.approx(counted, abs=1e-9)
            mu = accountants.gdp.mu_of_event(
                dp_ftrl.event(mechanism, 3.0, steps, batches_per_pass=m)
            )
            assert mu == pytest.approx(math.sqrt(counted) / 3, rel=1e-12)

    @pytest.mark.parametrize("mechanism", ["ordered", "toeplitz"])
    def test_a_place_that_is_left_empty_moves_one_lot_a_pass_by_no_more_than_c(self, mechanism):
        """Every row of a data set in turn, in the engine itself, with the same weights before the
        lot.
        """
        which, m = recipe(mechanism=mechanism), 7
        before = train(which, noise_multiplier=0.0).weights
        for row in range(ROWS):
            empty = np.where(np.arange(ROWS) == row, -1, Y)
            for step in range(7, 14):
                how = {"noise_multiplier": 0.0, "start": before, "first": step, "last": step + 1}
                both = (train(which, y=labels, **how).weights for labels in (Y, empty))
                moved = (
                    np.linalg.norm(np.subtract(*both), axis=1) * (ROWS / m) / which.learning_rate
                )
                assert (moved <= 0.4 + 1e-12).all()
                assert (moved > 0).all() == (step % m == row % m)

    @pytest.mark.parametrize(("m", "passes"), [(1, 3), (4, 1), (20, 15), (250, 2)])
    def test_a_guarantee_is_exact_and_of_a_part_no_more_than_of_the_whole(self, m, passes):
        which, one = recipe(m, steps=m * passes), np.linalg.norm(square_root(m)[:, 0])
        found = accountants.account(
            which.event(12.0), delta=1e-6, adjacency=Adjacency.ADD_REMOVE
        ).epsilon
        exact = dp_accounting.get_epsilon_gaussian(12 / math.sqrt(passes) / one, 1e-6)
        assert found == pytest.approx(exact, rel=1e-6)
        mus = [
            accountants.gdp.mu_of_event(which.event(1.0, until=until))
            for until in range(1, m * passes + 1)
        ]
        assert mus == sorted(mus)
        assert (mus[0], mus[m - 1], mus[-1]) == pytest.approx((1, one, math.sqrt(passes) * one))
        assert passes == 1 or mus[m] == pytest.approx(math.hypot(one, 1))
        layers = recipe(m, clip_norm=(0.3, 0.3), steps=m * passes)  # each is one more release
        assert accountants.gdp.mu_of_event(layers.event(5.0)) == pytest.approx(
            math.sqrt(2) * mus[-1] / 5
        )
